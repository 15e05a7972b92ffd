"""Hold what machines are told against the pages and the records: badges, oEmbed, JSON-LD, and the
addresses in feeds and lists.

Figures of badges go through `Facts`, as those of pages do. What JSON-LD says of a page is what the
page says; its downloads are there. An oEmbed frame is as high as the picture in it, at least.
Feeds, sitemaps and llms.txt lead to files of this site.
"""

import json
import posixpath
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit
from xml.etree import ElementTree

from site_src.charts.pictures import size
from site_src.reports.prose import COUNTED
from site_src.verify.facts import Fault
from site_src.verify.html import Read, Shown

_SVG = "{http://www.w3.org/2000/svg}"
_NUMBER = re.compile(r"\d+(?:[.,\u00a0]\d+)*")


def badges(
    out: Path,
    files: Collection[str],
    wrong: Callable[[Shown, str], Iterator[str]],
    allowed: re.Pattern[str],
) -> Iterator[Fault]:
    """Badges with another figure than the records have, or a figure that does not
    say whose it is.

    Args:
        out: The written site.
        files: Its files.
        wrong: What is wrong with a figure in a language.
        allowed: Names that may hold digits.
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
            if number := _NUMBER.search(COUNTED.sub("", allowed.sub("|", plain))):
                yield name, f"the figure {number[0]!r} in {plain!r} does not say whose it is"


def oembed(out: Path, files: Collection[str], base: str) -> Iterator[Fault]:
    """OEmbed answers whose frame is not the chart's, or cuts its picture."""
    for name in sorted(
        name for name in files if re.fullmatch(r"c/[^/]+/oembed\.[^/]+\.json", name)
    ):
        folder, code = posixpath.dirname(name), name.rsplit(".", 2)[1]
        answer = json.loads((out / name).read_text(encoding="utf-8"))
        frame = f"{base}c/{_now(out / folder)}/embed.html?lang={code}"
        if f'src="{frame}"' not in answer["html"]:
            yield name, f"its frame is not {frame}: {answer['html'][:120]}"
        if f'height="{answer["height"]}"' not in answer["html"]:
            yield (
                name,
                f"its frame is not {answer['height']} px high, as it says: {answer['html'][:200]}",
            )
        picture = f"{folder}/{code}-page.svg"
        if picture in files and (least := size((out / picture).read_bytes())[1]) > answer["height"]:
            yield (
                name,
                f"its frame of {answer['height']} px cuts {picture}, which is {least} px high",
            )
        if (thumbnail := answer["thumbnail_url"].removeprefix(base)) not in files:
            yield name, f"its thumbnail {thumbnail} is not there"


def _now(folder: Path) -> str:
    """The id of a folder's chart: a copy under an old name goes on showing the new one's frame."""
    with suppress(OSError, ValueError):
        meta = json.loads((folder / "meta.json").read_text(encoding="utf-8"))
        return str(meta.get("moved_to", folder.name))
    return folder.name


def structured(pages: Mapping[str, Read], files: Collection[str], base: str) -> Iterator[Fault]:
    """JSON-LD that says something else than its page, or leads to a file that is
    not there.
    """
    for name, page in pages.items():
        for text in page.structured:
            try:
                thing = json.loads(text)
            except ValueError as error:
                yield name, f"its JSON-LD cannot be read: {error}"
                continue
            said = str(thing.get("description", ""))
            apart = re.match(r"[^/]+/sources/", name) is not None
            title = str(thing.get("name", ""))
            named = _names(thing) if apart else ()
            if not any(
                told and (_titled(said, title, told) or _says(said, told, named))
                for told in page.described
            ):
                yield name, f"its JSON-LD says {said[:80]!r}, which the page's description does not"
            if thing.get("inLanguage") != page.language:
                yield (
                    name,
                    f"its JSON-LD is in {thing.get('inLanguage')!r}, the page in {page.language!r}",
                )
            for address in _addresses(thing):
                if not address.startswith(base) or address.removeprefix(base) not in files:
                    yield name, f"its JSON-LD leads to {address}, which is no file of the site"


def _titled(said: str, title: str, told: str) -> bool:
    """Whether this is the page's description after the thing's own name, as one too short to stand
    alone is said.
    """
    between = said.removeprefix(title).removesuffix(told)
    return (
        len(title) + len(between) + len(told) == len(said)
        and said != told
        and not re.search(r"\w", between)
    )


def _says(said: str, told: str, names: Collection[str]) -> bool:
    """Whether this is the page's description: alone, after a title, or before words that say each
    name, and no figure beside them.
    """
    if said == told or said.endswith(f". {told}"):
        return True
    rest = said.removeprefix(told)
    words = {name: re.compile(rf"(?<![\w-]){re.escape(name)}(?![\w-])", re.ASCII) for name in names}
    plain = rest
    for word in words.values():
        plain = word.sub("", plain)
    return (
        rest != said
        and bool(words)
        and all(word.search(rest) for word in words.values())
        and not re.search(r"\d", plain)
    )


def _names(thing: Mapping[str, Any]) -> set[str]:
    """What a data set is called, and the tables that its rows stand in; nothing where it has
    none.
    """
    tables = {posixpath.basename(place).partition(".")[0] for place in _addresses(thing)}
    return {str(thing.get("identifier", "")), *tables} if tables else set()


def _addresses(thing: Any) -> Iterator[str]:
    """Addresses of downloads and pictures, wherever they stand."""
    if isinstance(thing, dict):
        for key, value in thing.items():
            if key in {"contentUrl", "image"}:
                yield str(value)
            else:
                yield from _addresses(value)
    elif isinstance(thing, list):
        for one in thing:
            yield from _addresses(one)


def lists(out: Path, files: Collection[str], base: str) -> Iterator[Fault]:
    """Each address in feeds, sitemaps and llms.txt that leads to no file."""
    for name in sorted(
        name
        for name in files
        if re.fullmatch(r"feed\.[^/]+\.xml|sitemap[^/]*\.xml|llms\.txt", name)
    ):
        text = (out / name).read_text(encoding="utf-8")
        if name.endswith(".xml"):
            root = ElementTree.fromstring(text)  # noqa: S314 - a file of this site
            found = [each.text or "" for each in root.iter() if each.tag.endswith("}loc")]
            found += [each.get("href", "") for each in root.iter() if each.tag.endswith("}link")]
        else:
            found = re.findall(r"\]\(([^)\s]+)\)", text)
        for address in dict.fromkeys(found):
            place = unquote(urlsplit(address.removeprefix(base)).path)
            if urlsplit(place).netloc or not {
                place,
                posixpath.normpath(posixpath.join(place, "index.html")),
            } & set(files):
                yield name, f"leads to {address}, which is not there"
