"""One written page for `verify`: its anchors, links, resources and figures."""

import json
import re
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Any, Final

from site_src.charts import embed
from site_src.minify import spelled

VOID: Final = frozenset(
    {"area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "source"}
    | {"track", "wbr"}
)
_OPTIONAL_END: Final = frozenset(
    {"p", "li", "dt", "dd", "td", "th", "tr", "option", "tbody", "thead"}
)
"""Elements that HTML allows to stay open."""
_ENDS: Final = {
    **dict.fromkeys(("td", "th"), frozenset({"td", "th", "p"})),
    "tr": frozenset({"td", "th", "p", "tr"}),
    **dict.fromkeys(("tbody", "tfoot"), frozenset({"td", "th", "p", "tr", "thead", "tbody"})),
    "li": frozenset({"li", "p"}),
    **dict.fromkeys(("dt", "dd"), frozenset({"dt", "dd", "p"})),
    "option": frozenset({"option"}),
}
"""Open elements that end when an element begins: without it, long tables would nest deeply."""

_RESOURCE_LINKS: Final = frozenset(
    {"stylesheet", "icon", "preload", "modulepreload", "prefetch", "manifest", "preconnect"}
    | {"dns-prefetch"}
)
_RESOURCES: Final = {
    "script": "src", "img": "src", "iframe": "src", "source": "src", "video": "src", "audio": "src",
    "embed": "src", "track": "src",
    "object": "data", "input": "src", "use": "href", "image": "href",
}  # fmt: skip
_DESCRIBES: Final = frozenset(
    {"description", "og:description", "og:image:alt", "twitter:description", "twitter:image:alt"}
)
_ATTRIBUTES: Final = ("data-from", "data-rows", "data-card")
"""Attributes with addresses that scripts load."""

_QUOTED: Final = frozenset({"code", "time", "svg", "script", "style"})
_CSS_URL: Final = re.compile(
    r"""url\(\s*(["']?)(?!data:|#)([^"')]+)\1\s*\)|@import\s+["']([^"']+)["']"""
)


@dataclass(frozen=True, slots=True)
class Shown:
    """A figure on a page: `<data value="3186.0" data-ref="run:...">3,186</data>`; `end` is `low` or
    `high` of a range.

    References or inputs that begin with a colon continue the page's last `data-of`
    (`minify.spelled`), so that a run's page need not repeat the run's id. `data-of="#"` is the run
    whose id the element has. `withdrawn` is True inside the class `ts-withdrawn`; `chart` is the id
    of the chart in whose table the figure is.
    """

    ref: str
    value: str
    end: str
    text: str
    withdrawn: bool = False
    chart: str = ""


@dataclass(slots=True)
class Read:
    """One page.

    Attributes:
        links: Targets of `<a href>` and the like; other sites are allowed.
        resources: Addresses that a browser loads by itself; other sites are not allowed.
        absolute: Canonical address, those of other languages, and that of its card.
        twice: Ids that occur on more than one element.
        described: Descriptions of the page, and alternative texts of pictures.
        alts: Alternative texts of charts' pictures, with the chart's id.
        prose: Text of each `<p>` of the article outside figures, tables and folded parts, without
            `<data>`, `<code>`, `<time>` and the class `ts-meta`.
        structured: JSON-LD; None for invalid JSON. Its description is one of `described`.
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
    described: list[str] = field(default_factory=list)
    alts: list[tuple[str, str]] = field(default_factory=list)
    prose: list[str] = field(default_factory=list)
    structured: list[Any] = field(default_factory=list)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.page = Read()
        self._open: list[str] = []
        self._kinds: list[str] = []
        self._chart = ""
        self._paragraph: list[str] | None = None
        self._figure: tuple[str, str, str] | None = None
        self._of = ""
        self._text: list[str] = []
        self._in = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        page = self.page
        while self._open and self._open[-1] in _ENDS.get(tag, ()):
            self._open.pop()
            self._kinds.pop()
        if tag not in VOID:
            self._open.append(tag)
            self._kinds.append(given.get("class", ""))
        self._words(tag, given)
        name = given.get("id")
        if name:
            (page.twice if name in page.ids else page.ids).add(name)
        of = given.get("data-of", self._of)
        self._of = f"run:{name}:" if of == "#" else of
        if tag == "html":
            page.language = given.get("lang", "")
        elif tag == "data":
            ref = given.get("data-ref", "")
            self._figure = (
                spelled(ref, self._of),
                given.get("value", ""),
                given.get("data-end", ""),
            )
            self._text = []
        elif tag in {"style", "title"}:
            self._in = tag
        self._addresses(tag, given)
        page.resources += [given[name] for name in _ATTRIBUTES if name in given]
        page.resources += [f"data.{code}.js" for code in given.get("data-languages", "").split()]
        if "style" in given:
            page.resources += css(given["style"])

    def _words(self, tag: str, given: dict[str, str]) -> None:
        page, kind = self.page, given.get("class", "")
        if tag == "figure" and "ts-figure" in kind.split():
            self._chart = given.get("id", "")
        elif tag == "meta" and (given.get("name") or given.get("property")) in _DESCRIBES:
            page.described.append(given.get("content", ""))
        elif tag == "meta" and given.get("property") == "og:image":
            page.absolute.append(given.get("content", ""))
        elif tag == "img" and "alt" in given:
            page.described.append(given["alt"])
            if self._chart and "figure" in self._open:
                page.alts.append((self._chart, given["alt"]))
        elif tag == "script" and given.get("type") == "application/ld+json":
            self._in, self._text = "structured", []
        elif (
            tag == "p"
            and "article" in self._open
            and not {"figure", "table", "details", "nav"} & set(self._open)
        ):
            self._paragraph = []

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
        elif tag in _RESOURCES and (
            address := given.get(_RESOURCES[tag]) or given.get("xlink:href")
        ):
            page.resources.append(address)
        page.resources += [
            part.split()[0] for part in given.get("srcset", "").split(",") if part.strip()
        ]
        page.resources += [given["poster"]] if "poster" in given else []

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.handle_starttag(tag, attrs)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag == "data" and self._figure is not None:
            ref, value, end = self._figure
            marked = any("ts-withdrawn" in kind.split() for kind in self._kinds)
            chart = self._chart if {"figure", "table"} <= set(self._open) else ""
            self.page.figures.append(Shown(ref, value, end, "".join(self._text), marked, chart))
            self._figure = None
        elif tag == "p" and self._paragraph is not None:
            self.page.prose.append("".join(self._paragraph))
            self._paragraph = None
        elif tag == "script" and self._in == "structured":
            self._structured("".join(self._text))
        if tag == ("script" if self._in == "structured" else self._in):
            self._in = ""
        if self._open and self._open[-1] == tag:
            self._open.pop()
        elif tag in self._open:
            while (last := self._open.pop()) != tag:
                if last not in _OPTIONAL_END:
                    self.page.unclosed.append(last)
        elif tag not in VOID:
            self.page.unclosed.append(f"/{tag}")
        del self._kinds[len(self._open) :]

    def handle_data(self, data: str) -> None:
        if self._figure is not None or self._in == "structured":
            self._text.append(data)
        elif (
            self._paragraph is not None
            and not _QUOTED & set(self._open)
            and not any("ts-meta" in kind.split() for kind in self._kinds)
        ):
            self._paragraph.append(data)
        if self._in == "title" and "svg" not in self._open:
            self.page.title += data
        elif self._in == "style":
            self.page.resources += css(data)

    def _structured(self, text: str) -> None:
        try:
            thing = json.loads(text)
        except ValueError:
            thing = None
        self.page.structured.append(thing)
        if isinstance(thing, dict):
            self.page.described.append(str(thing.get("description", "")))


def css(text: str) -> list[str]:
    """Addresses that a piece of CSS loads, without data URLs and fragments."""
    return [match[2] or match[3] for match in _CSS_URL.finditer(text)]


def read(path: Path) -> Read:
    """Read one HTML file."""
    return parsed(path.read_text(encoding="utf-8"))


def table(path: Path) -> Read:
    """Read the script with a chart's table, `c/<chart>/table.<lang>.js`, as if it were a page."""
    chart, code = path.parent.name, path.suffixes[0][1:]
    text = path.read_text(encoding="utf-8").removeprefix(embed.TABLE).removesuffix(";\n")
    return parsed(
        f'<html lang="{code}"><title>{chart}</title><figure class="ts-figure" id="{chart}">'
        f"{json.loads(text)}</figure></html>"
    )


def parsed(text: str) -> Read:
    """Read HTML."""
    reader = _Reader()
    reader.feed(text)
    reader.close()
    return reader.page
