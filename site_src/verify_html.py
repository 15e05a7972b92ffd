"""One written page as `verify` sees it: its anchors, links, resources and figures."""

import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

VOID: Final = frozenset({"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source", "track", "wbr"})
_RESOURCE_LINKS: Final = frozenset({"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "preconnect", "dns-prefetch"})
_RESOURCES: Final = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src", "embed": "src", "track": "src",
    "object": "data", "input": "src", "use": "href", "image": "href",
}  # fmt: skip
_CSS_URL: Final = re.compile(r"""url\(\s*(["']?)(?!data:|#)([^"')]+)\1\s*\)|@import\s+["']([^"']+)["']""")


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure on a page: `<data value="3186.0" data-ref="run:...">3,186</data>`; `end` is `low` or `high` of a range.

    A reference that begins with a colon goes on from the page's `data-of`: so a run's page need not repeat the run's id.
    """

    ref: str
    value: str
    end: str
    text: str


@dataclass(slots=True)
class Read:
    """What one page holds.

    Attributes:
        links: Targets of `<a href>` and the like; they may lead elsewhere.
        resources: Addresses that a browser loads by itself; they may not.
        absolute: Canonical address and those of other languages.
        twice: Ids that stand on more than one element.
    """

    language: str = ""
    title: str = ""
    ids: set[str] = field(default_factory=set)
    twice: set[str] = field(default_factory=set)
    links: list[str] = field(default_factory=list)
    resources: list[str] = field(default_factory=list)
    absolute: list[str] = field(default_factory=list)
    figures: list[Shown] = field(default_factory=list)
    unclosed: list[str] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Read()
        self._open: list[str] = []
        self._figure: tuple[str, str, str] | None = None
        self._of = ""
        self._text: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        page = self.page
        if tag not in VOID:
            self._open.append(tag)
        name = given.get("id")
        if name:
            (page.twice if name in page.ids else page.ids).add(name)
        self._of = given.get("data-of", self._of)
        if tag == "html":
            page.language = given.get("lang", "")
        elif tag == "data":
            ref = given.get("data-ref", "")
            self._figure = self._of + ref[1:] if ref.startswith(":") else ref, given.get("value", ""), given.get("data-end", "")
            self._text = []
        elif tag in {"style", "title"}:
            self._in = tag
        self._addresses(tag, given)
        if "style" in given:
            page.resources += css(given["style"])

    def _addresses(self, tag: str, given: dict[str, str]) -> None:
        page = self.page
        if tag in {"a", "area"} and "href" in given:
            page.links.append(given["href"])
        elif tag == "form" and "action" in given:
            page.links.append(given["action"])
        elif tag == "link" and "href" in given:
            kinds = set(given.get("rel", "").lower().split())
            if kinds & _RESOURCE_LINKS:
                page.resources.append(given["href"])
            elif "canonical" in kinds or ("alternate" in kinds and "hreflang" in given):
                page.absolute.append(given["href"])
            else:
                page.links.append(given["href"])
        elif tag in _RESOURCES and (address := given.get(_RESOURCES[tag]) or given.get("xlink:href")):
            page.resources.append(address)
        page.resources += [part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()]
        page.resources += [given["poster"]] if "poster" in given else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "data" and self._figure is not None:
            ref, value, end = self._figure
            self.page.figures.append(Shown(ref, value, end, "".join(self._text)))
            self._figure = None
        if tag == self._in:
            self._in = ""
        if self._open and self._open[-1] == tag:
            self._open.pop()
        elif tag in self._open:
            while (last := self._open.pop()) != tag:
                if last not in {"p", "li", "dt", "dd", "td", "th", "tr", "option", "tbody", "thead"}:  # these may stay open in HTML
                    self.page.unclosed.append(last)
        elif tag not in VOID:
            self.page.unclosed.append(f"/{tag}")

    def handle_data(self, data: str) -> None:
        if self._figure is not None:
            self._text.append(data)
        if self._in == "title" and "svg" not in self._open:
            self.page.title += data
        elif self._in == "style":
            self.page.resources += css(data)


def css(text: str) -> list[str]:
    """Addresses that a piece of CSS loads, data and fragments left out."""
    return [match[2] or match[3] for match in _CSS_URL.finditer(text)]


def read(path: Path) -> Read:
    """Read one HTML file."""
    reader = _Reader()
    reader.feed(path.read_text(encoding="utf-8"))
    reader.close()
    return reader.page
