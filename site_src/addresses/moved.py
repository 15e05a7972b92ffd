"""Charts and badges that were renamed: `runs/moved.csv`, and what answers at their old addresses.

A static host cannot redirect a picture or a download, so each file of the new name stands under the
old one too, byte for byte; pages lead to the new ones.
"""

import csv
import io
import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from pathlib import Path
from typing import Final

from kernels.errors import TouchstoneError
from site_src.charts import downloads
from site_src.charts.markup import escape
from site_src.locales import Locale
from site_src.model import Asset

NAME: Final = "moved.csv"

PLACES: Final[Mapping[str, str]] = {"chart": "c/{}/", "badge": "badges/{}."}
"""Where the files of each kind are, below site/: what begins so is the id's."""

Ways = Mapping[str, Mapping[str, str]]
"""New ids by old ones, by kind."""


class MovedError(TouchstoneError):
    """The list of renamed ids cannot be read, or leads nowhere; names file and line."""


@dataclass(frozen=True, slots=True)
class Move:
    """One row.

    Attributes:
        kind: A key of `PLACES`.
        id: The old id; of a badge, `<report>/<finding>`.
        to: The new one, or one that was renamed again.
        day: When, ISO 8601.
        why: In the words of who renamed it; may be empty.
        place: File and line, for errors.
    """

    kind: str
    id: str
    to: str
    day: str
    why: str
    place: str = ""


COLUMNS: Final = tuple(field.name for field in fields(Move) if field.name != "place")


def read(path: Path) -> list[Move]:
    """The rows in order; none where nothing was renamed.

    Raises:
        MovedError: Other columns than `COLUMNS`, an unknown kind, an id that stands twice, a day
            that is none.
    """
    if not path.is_file():
        return []
    try:
        rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8")), strict=True))
    except (UnicodeDecodeError, csv.Error) as error:
        raise MovedError(
            f"{path}: {error}; wanted UTF-8 text with the columns {','.join(COLUMNS)}"
        ) from None
    if not rows or tuple(rows[0]) != COLUMNS:
        raise MovedError(
            f"{path}: the first line is {','.join(rows[0]) if rows else ''!r}, wanted "
            f"{','.join(COLUMNS)}"
        )
    found: dict[tuple[str, str], Move] = {}
    for line, row in enumerate(rows[1:], 2):
        place = f"{path}:{line}"
        if len(row) != len(COLUMNS) or row[0] not in PLACES or not row[1] or not row[2]:
            raise MovedError(
                f"{place}: {','.join(row)!r} is no rename; wanted {','.join(COLUMNS)} with kind "
                f"{' or '.join(PLACES)}"
            )
        kind, old, new, day, why = row
        move = Move(kind, old, new, day, why, place)
        if other := found.get((move.kind, move.id)):
            raise MovedError(
                f"{place}: {move.kind} {move.id} was renamed before, at {other.place}; an id goes "
                "to one place"
            )
        try:
            date.fromisoformat(move.day)
        except ValueError:
            raise MovedError(
                f"{place}: day is {move.day!r}, wanted a day such as 2026-11-20"
            ) from None
        found[move.kind, move.id] = move
    return list(found.values())


def hold(moves: Sequence[Move], published: Collection[tuple[str, str]], ledger: Path) -> None:
    """Hold the old ids against those that were published, each by kind and id; `ledger` is the file
    that has them.

    Raises:
        MovedError: An id that nobody can have linked to, which is another one misspelt, or needs no
            line.
    """
    for move in moves:
        if (move.kind, move.id) not in published:
            raise MovedError(
                f"{move.place}: {move.kind} {move.id} was never published, for {ledger} does not "
                "have it; "
                "wanted an id that it has, or no line at all: what nobody links to needs no rename"
            )


def resolve(moves: Sequence[Move], have: Mapping[str, Collection[str]]) -> Ways:
    """Where each old id leads in the end, by kind.

    Args:
        moves: The rows.
        have: Ids by kind that the site has, retired charts among them.

    Raises:
        MovedError: An id is still there under its old name, leads in a circle, or to one that is
            not there.
    """
    found: dict[str, dict[str, str]] = {kind: {} for kind in PLACES}
    for move in moves:
        if move.id in have.get(move.kind, ()):
            raise MovedError(
                f"{move.place}: {move.kind} {move.id} is still on the site; give it its new id "
                "there, or remove this line"
            )
        found[move.kind][move.id] = _end(
            move, {one.id: one for one in moves if one.kind == move.kind}, have.get(move.kind, ())
        )
    return found


def _end(move: Move, ways: Mapping[str, Move], there: Collection[str]) -> str:
    last = move
    for _ in ways:  # a way that takes more steps than there are lines takes one of them twice
        if last.to in there:
            return last.to
        if last.to not in ways:
            raise MovedError(
                f"{last.place}: {move.kind} {last.id} leads to {last.to}, which is not on the "
                "site; wanted one that is"
            )
        last = ways[last.to]
    raise MovedError(
        f"{move.place}: {move.kind} {move.id} leads to {move.to}, and on in a circle; wanted an "
        "end that is on the site"
    )


def forwarded(assets: Iterable[Asset], moved: Ways) -> Iterator[Asset]:
    """The assets, and those of every new id under its old ones too."""
    ways = [
        (PLACES[kind].format(new), PLACES[kind].format(old), new)
        for kind, ids in moved.items()
        for old, new in ids.items()
    ]
    for asset in assets:
        yield asset
        for start, other, new in ways:
            if asset.path.startswith(start):
                yield Asset(other + asset.path.removeprefix(start), _told(asset, new))


def _told(asset: Asset, new: str) -> bytes:
    """The content under the old name: the same, but a description says where the chart is now."""
    if not asset.path.endswith("/meta.json"):
        return asset.content
    return downloads.as_json(json.loads(asset.content) | {"moved_to": new})


def old_files(files: Iterable[str], moved: Ways) -> set[str]:
    """Of the site's files those that stand under an old name."""
    starts = tuple(PLACES[kind].format(old) for kind, ids in moved.items() for old in ids)
    return {name for name in files if name.startswith(starts)}


def unforwarded(
    out: Path, files: Collection[str], moved: Ways, codes: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """(file, fault) for what an old address does not answer as the new one does."""
    for kind, ids in moved.items():
        for old, new in ids.items():
            start = PLACES[kind].format(new)
            wanted = {
                name: PLACES[kind].format(old) + name.removeprefix(start)
                for name in files
                if name.startswith(start)
            }
            for name, other in sorted(wanted.items()):
                if other not in files:
                    yield other, f"is missing; {kind} {old} was renamed to {new}, which has {name}"
                elif (
                    not name.endswith("/meta.json")
                    and (out / name).read_bytes() != (out / other).read_bytes()
                ):
                    yield other, f"differs from {name}; {kind} {old} was renamed to {new}"
            for page in (f"{code}/c/{old}/index.html" for code in codes if kind == "chart"):
                if page not in files or f'href="../{new}/index.html"' not in (out / page).read_text(
                    encoding="utf-8"
                ):
                    yield page, f"does not lead to {new}, which the chart was renamed to"


def pages(
    moved: Mapping[str, str],
    headings: Mapping[str, Mapping[str, str]],
    locales: Sequence[Locale],
    base: str,
) -> Iterator[Asset]:
    """What answers at the old addresses of charts' pages.

    Args:
        moved: Old and new ids of charts.
        headings: By new id and language.
        locales: The site's.
        base: Address of its root; empty for none.
    """
    for old, new in moved.items():
        for locale in locales:
            heading = headings[new][locale.code]
            yield Asset(
                f"{locale.code}/c/{old}/index.html", _forwarder(new, heading, locale, base).encode()
            )


def _forwarder(new: str, heading: str, locale: Locale, base: str) -> str:
    """A page that leads to the chart's own: with JavaScript the state in the address goes along,
    without it the plain address.

    The browser's own way stands in `noscript`: it would overtake the script's where the new page is
    slow to come.
    """
    way = f"../{new}/index.html"  # a page from a disk too, where a folder is none
    canonical = f'<link rel="canonical" href="{base}{locale.code}/c/{new}/">' if base else ""
    return (
        f'<!doctype html><html lang="{locale.code}" dir="{locale.direction}"><head><meta '
        'charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" '
        'content="noindex">'
        f"<title>{escape(heading)}</title>{canonical}"
        f'<script>location.replace("{way}"+location.search+location.hash)</script>'
        f'<noscript><meta http-equiv="refresh" content="0; url={way}"></noscript>'
        '<meta name="color-scheme" content="light dark"></head>'
        f"<body><main><h1>{escape(locale.say('moved.title'))}</h1>"
        f'<p><a href="{way}">{escape(heading)}</a></p></main></body></html>\n'
    )
