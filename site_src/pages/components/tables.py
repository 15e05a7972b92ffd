"""Tables of pages: runs, offers, specifications, a source's printed tables. Cells are HTML with the
machine value to sort by.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Any, Final
from unicodedata import east_asian_width

from markupsafe import Markup, escape

from kernels.records import (
    PrintedCell,
    Spec,
)
from site_src.pages.components.text import UNSTATED, small
from site_src.pages.components.writer import Writer, capital
from site_src.tables import printed
from site_src.templates import html

DENSE: Final = 6
"""Tables with more columns than this are set tighter."""

LONG: Final = 20
"""Tables with more rows than this may be folded."""

_WIDTHS: Final = ((56, "ts-w3"), (26, "ts-w2"), (12, "ts-w1"))
"""Classes of text columns by the length of their longest line, so that sentences do not wrap at
every word.
"""


@dataclass(frozen=True, slots=True)
class Entry:
    """A cell: its HTML, the machine value that sorts it, and `number` or `text` where it differs
    from its column.
    """

    text: str
    value: object = None
    kind: str = ""


Cells = Mapping[str, Entry | str]
"""A row's cells by column; names of number columns end in `#`."""


@dataclass(frozen=True, slots=True)
class Line:
    """A row; `id` is its anchor; `head` makes its first cell a header, which stays in view; `data`
    has the filter values; `of` is the prefix of references that its cells shorten to a colon.
    """

    cells: Cells
    id: str = ""
    head: bool = True
    data: Mapping[str, str] = field(default_factory=dict)
    of: str = ""


def table(
    writer: Writer,
    label: Markup,
    rows: Sequence[Line | Cells],
    headings: Mapping[str, Markup] | None = None,
    *,
    sortable: bool = True,
    quiet: bool = False,
    folding: bool = False,
    name: str = "",
) -> Markup:
    """A table, or "none".

    Args:
        writer: Of the page.
        label: Its caption.
        rows: Each with a cell for each column.
        headings: Of columns that are not called `head.<name>`.
        sortable: True if readers can sort it.
        quiet: True if the heading above already names it, so that the caption is hidden.
        folding: True to fold it if it is long.
        name: For its style.
    """
    if not rows:
        return html.paragraph(writer.t("nothing"))
    lines = [row if isinstance(row, Line) else Line(row) for row in rows]
    kinds = {name: "number" if name.endswith("#") else "text" for name in lines[0].cells}
    cells = [[_entry(line.cells[name], kind) for name, kind in kinds.items()] for line in lines]
    columns = [
        ((headings or {}).get(name) or heading(writer, name), kind, _width(kind, column))
        for (name, kind), column in zip(kinds.items(), zip(*cells, strict=True), strict=True)
    ]
    folded = folding and len(lines) > LONG
    made = writer.render(
        "blocks/rows.html",
        label=label,
        columns=columns,
        rows=list(zip(lines, cells, strict=True)),
        sortable=sortable and len(lines) > 1,
        quiet=quiet or folded,
        name=name or ("dense" if len(columns) > DENSE else ""),
    )
    return html.folded(label, made) if folded else made


def stated(
    writer: Writer, rows: Sequence[Cells], headings: Mapping[str, Markup]
) -> tuple[list[Cells], Markup]:
    """Drops columns without values, which a note then names, and moves mostly empty ones to the
    end.
    """
    silent = {writer.t(key) for key in UNSTATED}

    def left_open(name: str) -> int:
        cells = (row[name] for row in rows)
        texts = (cell.text if isinstance(cell, Entry) else cell for cell in cells)
        return sum(Markup(text).striptags() in silent for text in texts)  # noqa: S704 - compared, not written

    unstated = [name for name in headings if left_open(name) == len(rows)]
    told = [name for name in rows[0] if name not in unstated]
    order = sorted(told, key=lambda name: 2 * left_open(name) > len(rows))
    names = writer.joined("comma", *(small(headings[name]) for name in unstated))
    note = (
        html.note(writer.colon(capital(writer.t("not_stated")), names)) if unstated else Markup("")
    )
    return [{name: row[name] for name in order} for row in rows], note


def heading(writer: Writer, column: str) -> Markup:
    """The heading of a column."""
    return writer.t(f"head.{column.removesuffix('#')}")


def counted(writer: Writer, column: str, n: int, unit: str = "1") -> Markup:
    """A column's heading with a count: "Columns (12)", "Table (14 rows)"."""
    return writer.paren(heading(writer, column), writer.locale.quantity(n, unit, 0))


_FIRST_VALUE: Final = re.compile(r'<data value="([^"]*)"')


def _entry(cell: Entry | str, kind: str) -> Entry:
    """A cell of its column's kind; drops a machine value that its figure already has."""
    entry = cell if isinstance(cell, Entry) else Entry(cell)
    shown = _FIRST_VALUE.search(entry.text) if entry.value else None
    own = shown is not None and shown[1] == entry.value
    return replace(entry, kind=entry.kind or kind, value=None if own else entry.value)


def _width(kind: str, cells: Sequence[Entry]) -> str:
    if kind == "number":
        return ""
    lines = (
        Markup(line).striptags()  # noqa: S704 - measured, not written
        for cell in cells
        for line in re.split("<br>|<p>|<details", escape(cell.text))
    )
    longest = max(
        (sum(2 if east_asian_width(sign) in "WF" else 1 for sign in line) for line in lines),
        default=0,
    )
    return next((name for length, name in _WIDTHS if longest > length), "")


def small_table(
    writer: Writer, label: Markup, headings: Sequence[Markup], rows: Sequence[Sequence[Markup]]
) -> Markup:
    """A table for the page of a run, of which there are many."""
    return writer.render("blocks/figures.html", label=label, headings=headings, rows=rows)


def count(writer: Writer, number: int) -> Entry:
    """A number of things as a cell."""
    return Entry(writer.locale.number(number), number)


def dated(writer: Writer, day: date | None) -> Entry:
    """A date as a cell."""
    return Entry(writer.given(day), day.isoformat() if day else None)


def figure(
    writer: Writer, ref: str, decimals: int | None = None, *, unit: bool = True, **style: Any
) -> Entry:
    """A figure as a cell; see `Writer.fig`."""
    return valued(writer, ref, writer.fig(ref, decimals, unit=unit, **style))


def valued(writer: Writer, ref: str, text: str) -> Entry:
    """A text that sorts by the figure `ref`."""
    fact = writer.fact(ref)
    value = fact.value if fact.value is not None else fact.low
    return Entry(text, None if value is None else repr(float(value)), "number")


def place(writer: Writer, source: str, locator: str, *, short: bool = False) -> Markup:
    """A link to the source's page and the place in it; `short` where the page names the source."""
    known = writer.site.sources.get(source)
    where = writer.locator(locator) if locator else Markup("")
    if known is None:
        return html.noted(writer.source_name(source), where)
    if short and locator:
        return writer.link(f"sources/{source}/", where)
    return html.noted(writer.source_link(known), where)


def specifications(writer: Writer, found: Sequence[Spec], label: Markup) -> Markup:
    """Specifications, each with its source and date; unpublished ones say so."""
    return table(writer, label, [_specification(writer, spec) for spec in found])


def _specification(writer: Writer, spec: Spec) -> Cells:
    shown = figure(writer, f"spec:{spec.hardware}:{spec.quantity}@{spec.source}")
    return {
        "quantity": writer.t(f"spec.{spec.quantity}"),
        "value#": replace(shown, text=writer.certain(shown.text, spec.certainty)),
        "date": dated(writer, spec.day),
        "source": place(writer, spec.source, spec.locator),
    }


def printed_cell(writer: Writer, cell: PrintedCell) -> Entry:
    """A cell of a printed table: its figure or text, marked where it was inferred, or why it is
    missing.
    """
    if cell.value is not None and cell.unit is not None:
        # the head of a column that counts cards names what is counted
        entry = figure(writer, printed.ref(cell), unit=cell.unit != "chips")
        return replace(entry, text=writer.certain(entry.text, cell.certainty))
    if cell.text is None:
        unknown = str(cell.certainty)
        return Entry(writer.missing(unknown if unknown.startswith("not_") else "not_stated"))
    return Entry(writer.certain(writer.printed_text(cell.text), cell.certainty))


def row_name(writer: Writer, table_name: str, row: str) -> Markup:
    """The head of a printed table's row: a word, a system, hardware, code, or a plain name."""
    if row in writer.site.machines:
        return escape(writer.system_name(row))
    if row in writer.site.catalog.hardware:
        return escape(writer.site.catalog.hardware[row].name)
    groups = {
        "implementations": "implementation",
        "statements": "statement",
        "open-questions": "open_question",
    }
    return writer.name(groups.get(table_name, "cell_row"), row)


def column_name(writer: Writer, column: str) -> Markup:
    """The head of a printed table's column."""
    return writer.name("cell_column", column)
