"""A table as its source prints it, and what its rows are called."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from kernels.records import PrintedCell
from site_src.pages.components import tables
from site_src.pages.components.tables import Entry
from site_src.pages.components.writer import Writer, capital

_FIRST_HEADINGS: Final = {
    "batch-sizes": "head.size",
    "benchmarks": "head.benchmark",
    "clock-exclusions": "head.part",
    "compared": "head.benchmark",
    "configuration": "head.part",
    "dataset": "head.part",
    "elsewhere": "head.system",
    "frameworks": "head.comparison",
    "free-sessions": "head.service",
    "hosts": "head.system",
    "implementations": "head.implementation",
    "learning-rate": "head.quantity",
    "limits": "head.quantity",
    "machines": "head.system",
    "market": "head.quantity",
    "models": "head.model",
    "monitoring": "head.gpu",
    "monitoring-tool": "head.property",
    "network-sizes": "head.quantity",
    "networks": "head.part",
    "open-questions": "head.question",
    "peaks": "head.system",
    "pictures": "head.picture",
    "planned-work": "head.plan",
    "power": "head.system",
    "preparation": "head.step",
    "processor-named": "head.place",
    "providers": "head.provider",
    "server": "head.system",
    "server-kinds": "head.server_kind",
    "sides": "head.system",
    "software-supplied": "head.service",
    "specifications": "head.specification",
    "stability": "head.benchmark",
    "statements": "head.statement",
    "stop-rule": "head.rule",
    "support": "head.gpu",
    "time-parts": "head.system",
    "tpu-limits": "head.use",
    "web-interfaces": "head.service",
}
"""What the rows of a printed table are, where its title does not make that plain."""


def source_table(writer: Writer, cells: Sequence[PrintedCell], label: Markup) -> Markup:
    """A table as its source prints it: rows and columns in its order, all of them."""
    columns = {
        f"{cell.column}.": capital(tables.column_name(writer, cell.column)) for cell in cells
    }
    unstated = dict.fromkeys(columns, writer.missing("not_stated"))
    rows: dict[int, dict[str, Entry | str]] = {}
    for cell in sorted(cells, key=lambda cell: cell.row_index):
        first = tables.row_name(writer, cell.table, cell.row)
        row = rows.setdefault(cell.row_index, {"": first, **unstated})
        row[f"{cell.column}."] = tables.printed_cell(writer, cell)
    first_heading = writer.t(_FIRST_HEADINGS.get(cells[0].table, "head.row"))
    return tables.table(writer, label, list(rows.values()), {"": first_heading, **columns})
