"""A table as its source prints it, and the names of its rows."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from kernels.records import PrintedCell
from site_src.pages.components import tables
from site_src.pages.components.tables import Entry
from site_src.pages.components.writer import Writer, capital

_FIRST_HEADINGS: Final = {
    "batch-sizes": "size",
    "benchmarks": "benchmark",
    "clock-exclusions": "part",
    "compared": "benchmark",
    "configuration": "part",
    "dataset": "part",
    "elsewhere": "system",
    "frameworks": "comparison",
    "free-sessions": "service",
    "hosts": "system",
    "implementations": "implementation",
    "learning-rate": "quantity",
    "limits": "quantity",
    "machines": "system",
    "market": "quantity",
    "models": "model",
    "monitoring": "gpu",
    "monitoring-tool": "property",
    "network-sizes": "quantity",
    "networks": "part",
    "open-questions": "question",
    "peaks": "system",
    "pictures": "picture",
    "planned-work": "plan",
    "power": "system",
    "preparation": "step",
    "processor-named": "place",
    "providers": "provider",
    "server": "system",
    "server-kinds": "server_kind",
    "sides": "system",
    "software-supplied": "service",
    "specifications": "specification",
    "stability": "benchmark",
    "statements": "statement",
    "stop-rule": "rule",
    "support": "gpu",
    "time-parts": "system",
    "tpu-limits": "use",
    "web-interfaces": "service",
}
"""Headings of row names, where the title does not make them plain."""


def source_table(
    writer: Writer, cells: Sequence[PrintedCell], label: Markup, *, whole: bool = True
) -> Markup:
    """A table as its source prints it, rows and columns in its order. If not `whole`, columns with
    most values come first, and empty ones are left out.
    """
    # a dot after the name: a column that a source calls "#" is not numeric
    columns = {
        f"{cell.column}.": capital(tables.column_name(writer, cell.column)) for cell in cells
    }
    unstated = dict.fromkeys(columns, writer.missing("not_stated"))
    rows: dict[int, dict[str, Entry | str]] = {}
    for cell in sorted(cells, key=lambda cell: cell.row_index):
        first = tables.row_name(writer, cell.table, cell.row)
        row = rows.setdefault(cell.row_index, {"": first, **unstated})
        row[f"{cell.column}."] = tables.printed_cell(writer, cell)
    lines: list[tables.Cells] = list(rows.values())
    note = Markup("")
    if not whole:
        lines, note = tables.stated(writer, lines, columns)
    first_heading = tables.heading(writer, _FIRST_HEADINGS.get(cells[0].table, "row"))
    return tables.table(writer, label, lines, {"": first_heading, **columns}) + note
