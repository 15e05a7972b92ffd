"""The table of a chart as values: the basis of its HTML, of tables in posts and of a retired
chart's last version.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal
from urllib.parse import quote

from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.locales import Locale, unbroken
from site_src.tables import Row
from site_src.templates.slots import slot

NUMBERS: Final = frozenset({"number", "times", "quantity", "fraction", "money"})


@dataclass(frozen=True, slots=True)
class Heading:
    """A column's heading.

    Attributes:
        words: The name of the column.
        around: The text before and after the unit; all of the heading without a unit.
        unit: As shown; empty for none.
        number: True above figures.
    """

    words: str
    around: tuple[str, str]
    unit: str
    number: bool

    @property
    def text(self) -> str:
        """The whole heading."""
        return self.unit.join(self.around)


@dataclass(frozen=True, slots=True)
class Entry:
    """One cell.

    Attributes:
        text: As shown.
        kind: `missing` gives the reason for a missing figure; `name` names the row.
        value: A figure at full precision; else empty.
        ref: Its reference; None for a figure that is not a fact.
        link: Path of a page below the language, percent-encoded; empty for none.
    """

    text: str
    kind: Literal["text", "number", "missing", "name"] = "text"
    value: str = ""
    ref: str | None = None
    link: str = ""


@dataclass(frozen=True, slots=True)
class Line:
    """One row; `marks` are its series and the values that controls filter by, by column."""

    marks: Mapping[str, str]
    entries: tuple[Entry, ...]


def machine(value: object) -> str:
    """A figure at full precision, as `<data value>` has it."""
    return repr(float(str(value))).removesuffix(".0")


def shown(figure: Figure) -> list[Column]:
    """The columns of the page's table; without those in which no row has anything."""
    rows, found = (
        (figure.plain, figure.columns)
        if figure.digest is None
        else (figure.digest.plain, figure.digest.columns)
    )
    return [column for column in found if column.shown and any(column.tells(row) for row in rows)]


def heading(column: Column, locale: Locale) -> Heading:
    """A column's heading in a language."""
    words = column.title(locale)
    unit = (
        locale.unit(column.unit)
        if column.kind == "number" and column.unit != "1" and not column.counted
        else ""
    )
    held = slot("unit")
    before, _, after = (
        locale.say("share.unit_heading", column=words, unit=held).partition(held)
        if unit
        else (words, "", "")
    )
    return Heading(words, (before, after), unit, column.kind in NUMBERS)


def lines(figure: Figure, locale: Locale) -> Iterator[Line]:
    """Every row of the page's table."""
    columns, filters = (
        shown(figure),
        [control.filters for control in figure.controls if control.filters],
    )
    for row in figure.records(locale) if figure.digest is None else figure.digest.plain:
        marks = {"series": row["series"]} | {
            name: row[name] for name in filters if present(row[name])
        }
        entries = (
            _missing(row, locale)
            if _ended(figure, column, row)
            else entry(column, row, locale, figure.place)
            for column in columns
        )
        yield Line({name: str(value) for name, value in marks.items()}, tuple(entries))


def entry(
    column: Column, row: Row, locale: Locale, place: Callable[[str], str] = "runs/{}/".format
) -> Entry:
    """One cell, with its reference or its link."""
    value, text = row.get(column.name), column.write(row, locale)
    if column.kind in NUMBERS:
        if not present(value) or column.free(row):
            return Entry(text, "number")
        ref = row.get(column.ref) if column.ref else None
        return Entry(text, "number", machine(value), str(ref) if present(ref) else None)
    if column.kind == "run" and present(value):
        return Entry(text, link=quote(place(str(value)), safe="/#"))
    if column.kind == "link" and present(value):
        return Entry(text, link=quote(str(value), safe="/#"))
    return Entry(unbroken(text), "name" if column.kind == "series" or column.names_row else "text")


def _ended(figure: Figure, column: Column, row: Row) -> bool:
    return (
        column.name in figure.compared
        and not present(row.get(column.name))
        and row["status"] != "ok"
    )


def _missing(row: Row, locale: Locale) -> Entry:
    return Entry(locale.say(f"status.{row['status']}"), "missing")
