"""Tables that sum a chart up against their downloads: each cell of `c/<chart>/table.csv` is on the
chart's pages, row by row.

A figure on a page has the CSV's value, and its text is that value as the language rounds it;
another cell says in the language what the CSV has. That the Parquet file has the CSV's rows is held
in `verify.charts`, their bytes in `verify.again`.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Final, Protocol
from xml.etree import ElementTree

from site_src import csv_cells
from site_src.verify.again import Told
from site_src.verify.html import Read

Fault = tuple[str, str]

_EXACT: Final = 1e-12
_MOST: Final = 5
"""Faults told of one page's table: more say no more."""

_BREAKS: Final = {ord(letter): " " for letter in "\u00a0\u202f\u2009"} | {
    ord(letter): None for letter in "\u00ad\u2060"
}
"""Letters that only say where a line may be broken."""


class Writing(Protocol):
    """What is needed of a locale."""

    def shows(self, text: str, value: float) -> bool:
        """Whether the text is the value, rounded as the language writes it."""


def summed(
    out: Path,
    files: set[str],
    pages: Mapping[str, Read],
    told: Mapping[tuple[str, str], Told],
    locales: Mapping[str, Writing],
) -> Iterator[Fault]:
    """(file, fault) for each page whose table of a summed-up chart is not the download.

    Args:
        out: The written site.
        files: Its files.
        pages: Those that can be read.
        told: What charts are told, by id and language; those that are not summed up have no
            `summed`.
        locales: Languages by their codes.
    """
    for name, page in pages.items():
        for chart in dict.fromkeys(block.chart for block in page.blocks):
            one, table = told.get((chart, page.language)), f"c/{chart}/table.csv"
            if one is None or not one.summed or name.startswith("c/") or table not in files:
                continue  # what is missing is told elsewhere
            with (out / table).open(encoding="utf-8", newline="") as file:
                rows = csv_cells.rows(file)
            body = (
                (out / name)
                .read_text(encoding="utf-8")
                .partition(f' id="{chart}"')[2]
                .partition('<table class="ts-table">')[2]
            )
            found = differs(
                f"<table>{body.partition('</table>')[0]}</table>",
                rows,
                one.summed,
                locales[page.language],
            )
            yield from ((name, f"table of {chart}, {fault}") for fault in islice(found, _MOST))


def differs(
    table: str,
    rows: Sequence[Mapping[str, str]],
    columns: Mapping[str, Sequence[str | None]],
    locale: Writing,
) -> Iterator[str]:
    """What a page's table has otherwise than the rows of the CSV; `columns` as in `Told.summed`."""
    try:
        lines = ElementTree.fromstring(table).findall("tbody/tr")  # noqa: S314 - a page of this site
    except ElementTree.ParseError as error:
        yield f"cannot be read: {error}"
        return
    recorded = {len(words) for words in columns.values()}
    if {len(lines), *recorded} != {len(rows)}:
        yield (
            f"has {len(lines)} rows, table.csv has {len(rows)}, the records give "
            f"{', '.join(map(str, sorted(recorded)))}"
        )
        return
    for number, (line, row) in enumerate(zip(lines, rows, strict=True), 1):
        if len(line) != len(columns):
            yield (
                f"row {number}: has {len(line)} cells, wanted {len(columns)}: {', '.join(columns)}"
            )
            continue
        for cell, (column, words) in zip(line, columns.items(), strict=True):
            if fault := _wrong(cell, row.get(column), words[number - 1], locale):
                yield f"row {number}, {column}: {fault}"


def _wrong(
    cell: ElementTree.Element, value: str | None, words: str | None, locale: Writing
) -> str | None:
    """What is wrong with a cell; None where it says what the CSV has."""
    datum, text = cell.find("data"), "".join(cell.itertext())
    if value is None:
        return "is no column of table.csv"
    if words is not None:
        return (
            None
            if text.translate(_BREAKS) == words.translate(_BREAKS)
            else f"{text!r}; table.csv has {value!r}"
        )
    if datum is None:
        return f"{text!r}; table.csv has {value!r}"
    try:
        figure, wanted_figure = float(datum.get("value", "")), float(value)
    except ValueError:
        return f"{datum.get('value')!r}; table.csv has {value!r}; one of them is no number"
    if not math.isclose(figure, wanted_figure, rel_tol=_EXACT):
        return f"{figure!r}; table.csv has {value!r}"
    return (
        None
        if locale.shows(text, wanted_figure)
        else f"the text {text!r} is not {value} as the language writes it"
    )
