"""Checks data for machines against the records and the files: figures of badges like those of
pages; JSON-LD, feeds, sitemaps, oEmbed answers and llms.txt must lead to files of this site. The
texts of JSON-LD are checked with the page's other words.
"""

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from site_src.verify.facts import Fault
from site_src.verify.html import Read, Shown
from site_src.verify.words import numbers

_SVG = "{http://www.w3.org/2000/svg}"
_LIST = re.compile(r"feed\.[^/]+\.xml|sitemap[^/]*\.xml|llms\.txt|c/[^/]+/oembed\.[^/]+\.json")


def badges(
    out: Path,
    files: Collection[str],
    wrong: Callable[[Shown, str], Iterator[str]],
    allowed: re.Pattern[str],
) -> Iterator[Fault]:
    """Yields badges with a figure that differs from the records, or without a reference.

    Args:
        out: The written site.
        files: Its files.
        wrong: Yields errors of a figure in a language.
        allowed: Names that may contain digits.
    """
    for name in sorted(
        name for name in files if name.startswith("badges/") and name.endswith(".svg")
    ):
        code = name.rsplit(".", 2)[1]
        try:
            root = ElementTree.fromstring((out / name).read_bytes())  # noqa: S314 - a file of this site
        except ElementTree.ParseError as error:
            yield name, f"is no well-formed picture: {error}"
            continue
        for what in ("title", "desc"):
            if not root.findtext(f"{_SVG}{what}"):
                yield name, f"has no {what}: who does not see it hears nothing"
        for mark in root.iter(f"{_SVG}tspan"):
            shown = Shown(
                mark.get("data-ref", ""),
                mark.get("data-value", ""),
                mark.get("data-end", ""),
                mark.text or "",
            )
            yield from ((name, fault) for fault in wrong(shown, code))
        for text in root.iter(f"{_SVG}text"):
            plain = (text.text or "") + "".join(mark.tail or "" for mark in text)
            for number in numbers(plain, allowed):
                yield name, f"the figure {number!r} in {plain!r} does not say whose it is"


def structured(pages: Mapping[str, Read], files: Collection[str], base: str) -> Iterator[Fault]:
    """Yields JSON-LD in another language than its page, or with an address that has no file."""
    for name, page in pages.items():
        for thing in page.structured:
            if not isinstance(thing, dict):
                yield name, "its JSON-LD cannot be read"
            elif thing.get("inLanguage") != page.language:
                own = thing.get("inLanguage")
                yield name, f"its JSON-LD is in {own!r}, the page in {page.language!r}"
            for address in _downloads(thing):
                if not address.startswith(base) or address.removeprefix(base) not in files:
                    yield name, f"its JSON-LD leads to {address}, which is no file of the site"


def _downloads(thing: Any) -> Iterator[str]:
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key in {"contentUrl", "image"}:
                yield str(value)
            else:
                yield from _downloads(value)
    elif isinstance(thing, list):
        for one in thing:
            yield from _downloads(one)


def lists(out: Path, files: Collection[str], base: str) -> Iterator[Fault]:
    """Yields addresses in feeds, sitemaps, oEmbed answers and llms.txt that have no file."""
    for name in sorted(filter(_LIST.fullmatch, files)):
        for address in dict.fromkeys(_listed((out / name).read_text(encoding="utf-8"), name)):
            place = unquote(urlsplit(address.removeprefix(base)).path)
            page = posixpath.normpath(posixpath.join(place, "index.html"))
            if urlsplit(place).netloc or not {place, page} & set(files):
                yield name, f"leads to {address}, which is not there"


def _listed(text: str, name: str) -> Iterator[str]:
    if name.endswith(".xml"):
        for each in ElementTree.fromstring(text).iter():  # noqa: S314 - a file of this site
            if each.tag.endswith("}loc"):
                yield each.text or ""
            elif each.tag.endswith("}link"):
                yield each.get("href", "")
    elif name.endswith(".json"):
        answer = json.loads(text)
        yield answer["thumbnail_url"]
        yield from re.findall(r'src="([^"]+)"', answer["html"])
    else:
        yield from re.findall(r"\]\(([^)\s]+)\)", text)
