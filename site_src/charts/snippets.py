"""Parts of a chart for posts: the formats of `snippets.toml`, which Python and the browser fill in
the same way. A test compares both.
"""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from pathlib import Path
from typing import Any, Final

from site_src import csv_cells
from site_src.charts import table as share_table
from site_src.charts.markup import PHONE_MEDIA
from site_src.charts.table import Entry, Line
from site_src.figures.base import Figure
from site_src.figures.columns import ABSENT, UNKNOWN, Column
from site_src.locales import Locale

_TOLD: Final[Mapping[str, Any]] = tomllib.loads(
    Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
)

ESCAPES: Final[Mapping[str, Mapping[str, str]]] = {
    **_TOLD["escapes"],
    "texnum": {**_TOLD["escapes"]["tex"], **_TOLD["escapes"]["texnum"]},
}

_PARTS: Final = {
    "@picture": _TOLD["formats"]["picture"],
    "@phone": PHONE_MEDIA,
    "@dark": "(prefers-color-scheme: dark)",
}

FORMATS: Final[Mapping[str, str]] = {
    name: reduce(lambda text, part: text.replace(*part), _PARTS.items(), format_)
    for name, format_ in _TOLD["formats"].items()
}

TABLES: Final[Mapping[str, Mapping[str, str]]] = {
    **_TOLD["tables"],
    "table_csv": {
        **_TOLD["tables"]["table_csv"],
        "guard": csv_cells.GUARD,
        "formula": csv_cells.FORMULA,
        "plain": csv_cells.NUMBER,
    },
}
"""Forms of tables; for CSV also how `csv_cells.guarded` works."""

_FIELD: Final = re.compile(r"\{(\w+)\|(\w+)\}")
_OPTION: Final = re.compile(r"\[\[(\w+)\|(.*?)\]\]", re.DOTALL)


def escaped(text: str, escape: str) -> str:
    """The text as escaped for that place."""
    letters = ESCAPES[escape]
    return "".join(letters.get(letter, letter) for letter in text)


def fill(format_: str, values: Mapping[str, str]) -> str:
    """The format with its values."""
    chosen = _OPTION.sub(lambda part: part[2] if values[part[1]] else "", format_)
    return _FIELD.sub(lambda part: escaped(values[part[1]], part[2]), chosen)


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as shown, and its machine value or text; empty if missing."""

    text: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """The table of a chart in some state: headings, True above numbers, and rows."""

    headings: Sequence[tuple[str, bool]]
    rows: Sequence[Sequence[Cell]]


def written(kind: str, table: Table, values: Mapping[str, str]) -> str:
    """The table in a form of `TABLES`."""
    form = TABLES[kind]
    numbers = [number for _, number in table.headings]

    def value(text: str) -> str:
        # that letter is removed, and uncovers the next
        return csv_cells.guarded(text.replace("\u2060", "")) if "guard" in form else text

    def row(cells: Sequence[str]) -> str:
        return fill(form["row"], {"cells": form["between"].join(cells)})

    head = row(
        [fill(form["text"], {"cell": text, "value": value(text)}) for text, _ in table.headings]
    )
    rows = [
        row(
            [
                fill(
                    form["number" if number else "text"],
                    {"cell": cell.text, "value": value(cell.value)},
                )
                for cell, number in zip(cells, numbers, strict=True)
            ]
        )
        for cells in table.rows
    ]
    marks = form["marks_between"].join(
        form["number_mark" if number else "text_mark"] for number in numbers
    )
    return fill(form["whole"], {**values, "head": head, "marks": marks, "rows": "\n".join(rows)})


MOST: Final = 7
"""Columns of a table in a post, unless all are requested."""

RANKS: Final[Mapping[str, int]] = {
    "name": 0,
    "value": 1,
    "choice": 2,
    "count": 3,
    "other": 4,
    "detail": 5,
}
"""The columns that come first if there are too many; `detail` only if rows differ."""


def parts(figure: Figure) -> list[tuple[str, str]]:
    """Each column of the page's table, and its part."""
    chosen = tuple(control.filters for control in figure.controls if control.filters)
    limits = {f"{name}_{end}" for name in figure.compared for end in ("low", "high")}

    def part(column: Column) -> str:
        if column.kind == "series" or column.names_row:
            return "name"
        if column.name in figure.compared:
            return "value"
        if column.name in limits | {"unit"}:
            return "choice"  # without it the value is incomplete
        if column.name.startswith(chosen):
            return "choice"
        if column.kind in {"run", "link"}:
            return "run"
        # the figures of a digest are the values compared, summed up
        summed = figure.digest is not None and column.kind in share_table.NUMBERS
        return "count" if column.name == "n" else "other" if summed else "detail"

    return [(column.name, part(column)) for column in share_table.shown(figure)]


def main(parts_: Sequence[tuple[str, str]], table: "Table", value: str) -> "Table":
    """The columns of a post, as `main` in share.js: names, the state's `value`, choices, the number
    of runs, other values, and those in which rows differ; except for the first, only columns with a
    value.
    """
    ranked: list[tuple[int, int]] = []
    for at, (name, part) in enumerate(parts_):
        own = "other" if part == "value" and name != value else part
        said = (
            own in {"value", "count"} or not table.rows or any(row[at].value for row in table.rows)
        )
        if (
            own in RANKS
            and said
            and (own != "detail" or len({row[at].text for row in table.rows}) > 1)
        ):
            ranked.append((RANKS[own], at))
    kept = sorted(at for _, at in sorted(ranked)[:MOST])
    return Table(
        [table.headings[at] for at in kept], [[row[at] for at in kept] for row in table.rows]
    )


def table(figure: Figure, locale: Locale) -> Table:
    """The page's table in the default state."""
    filters = {control.filters: control for control in figure.controls if control.filters}
    headings = [share_table.heading(column, locale) for column in share_table.shown(figure)]
    silent = absent(figure, locale)

    def shown(line: Line) -> bool:
        return all(
            control.default in {control.every, line.marks[name]}
            for name, control in filters.items()
            if name in line.marks
        )

    def cell(entry: Entry, *, number: bool) -> Cell:
        text = _plain(entry.text)
        return Cell(text, entry.value or ("" if number or text in silent else text))

    return Table(
        [(_plain(heading.text), heading.number) for heading in headings],
        [
            [
                cell(entry, number=heading.number)
                for entry, heading in zip(line.entries, headings, strict=True)
            ]
            for line in share_table.lines(figure, locale)
            if shown(line)
        ],
    )


def absent(figure: Figure, locale: Locale) -> list[str]:
    """The texts of empty cells, which programs read as empty."""
    found, table = [ABSENT], figure.table if figure.digest is None else figure.digest.table
    for column in share_table.shown(figure):
        if column.absent:
            found.append(locale.say(column.absent))
        if (key := f"{column.prefix}.unknown") in UNKNOWN:
            found.append(locale.say(key))
        why = f"{column.name}_why"
        if why in table:
            found += [locale.say(f"why.{reason}") for reason in table[why].dropna().unique()]
    return list(dict.fromkeys(found))


def _plain(text: str) -> str:
    return text.replace("\u00ad", "").strip()
