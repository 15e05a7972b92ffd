"""Rows for figures that a source prints without a run: specifications of accelerators, and ratios
between runs whose own figures it does not print.
"""

from kernels.catalog import Catalog
from kernels.reading import where
from kernels.records import Origin, PrintedCell, Source, Status
from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.tables import COMMON, Row


def of_source(source: Source, series: str = "", label: str = "", system: str | None = None) -> Row:
    """The columns `tables.COMMON` of a figure that belongs to no run."""
    return {
        **dict.fromkeys(COMMON),
        "series": series,
        "label": label,
        "system": system,
        "origin": Origin.PUBLISHED.value,
        "status": Status.OK.value,
        "source": source.source,
        "locator": "",
        "licence": source.licence,
        "credit": source.credit,
    }


def cells(archive: Archive, source: str, table: str) -> dict[tuple[str, str], PrintedCell]:
    """The cells of a printed table, by row and column."""
    found = where(archive.cells, source=source, table=table)
    return {(cell.row, cell.column): cell for cell in found}


def ref(cell: PrintedCell) -> str:
    """The reference to a printed cell."""
    return f"cell:{cell.source}:{cell.table}:{cell.row}:{cell.column}"


def piece(catalog: Catalog, hardware: str) -> str:
    """An accelerator's name without its maker's; its id if it is not in the catalogue."""
    found = catalog.hardware.get(hardware)
    return hardware if found is None else found.name.removeprefix(f"{found.vendor} ")


def system_with(evidence: Evidence, source: str, hardware: str) -> str:
    """The system of that source that has the accelerator."""
    own = [run.system for run in where(evidence.archive.runs, source=source)]
    known = [name for name in (*own, *evidence.catalog.systems) if name in evidence.catalog.systems]
    return next(
        (name for name in known if evidence.catalog.systems[name].hardware == hardware), hardware
    )


def source_of(archive: Archive, source: str) -> Source:
    """The source's record."""
    return next(one for one in archive.sources if one.source == source)
