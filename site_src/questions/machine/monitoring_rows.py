"""Readings of a monitor, by card and setting, beside the limits that the source prints for the
card.

They are cells: `monitoring` has rows `<setting>-card-<number>`, whose setting is part of the ids of
its runs, and columns `<quantity>`, `<quantity>-low` and `-high` for a range, `<quantity>-<reading>`
for another reading; `limits` has a row a limit, with the hardware as its column.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Cell, Run
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row, energy

QUANTITIES: Final = ("power", "graphics-clock", "memory-clock", "load", "memory", "temperature")
"""What is drawn, the default first; the text of each is `quantity.<key>` in `strings/`."""

READINGS: Final = ("peak", "large-batches")
"""Readings beside the usual one; other columns, such as a drop, are no readings and stay in the
source's own table.
"""

LIMITS: Final[Mapping[str, str]] = {
    "base-clock": "graphics-clock",
    "boost-clock": "graphics-clock",
    "idle-clock": "graphics-clock",
}
"""Which quantity a limit belongs to, where it is not called like it."""

SPECIFIED: Final = "specified"
TOGETHER: Final = "together"

_PRINTED: Final = ("value", "value_low", "value_high")


def readings(archive: Archive, catalog: Catalog, facts: Facts, source: str) -> pd.DataFrame:
    """One row a reading or a limit, by quantity, then by card.

    Columns beside `COMMON`: `quantity`, `card`, `setting` (as in the cells), `system_name` and
    `workload_name` of its runs, `reading` (usual, one of `READINGS`, `specified`, `sum`: of the
    cards' parts, or `printed` for all cards together), `value` or `value_low` and `value_high` in
    `unit`, `over`: by how many per cent it is above the card's limit of the same name. Empty where
    the source has no such cells.
    """
    cells = {
        (cell.row, cell.column): cell
        for cell in archive.cells
        if (cell.source, cell.table) == (source, "monitoring")
    }
    limits = [cell for cell in archive.cells if cell.source == source and cell.table == "limits"]
    if not cells:
        return tables.frame(())
    rows: list[Row] = []
    for quantity in QUANTITIES:
        own = [
            row
            for key in dict.fromkeys(row for row, _ in cells)
            for row in _of(key, quantity, cells, limits, facts)
        ]
        own.sort(key=lambda row: str(row["card"]))
        if quantity == "power":
            own += [*_sums(own, facts), *_wholes(own, archive, catalog, facts, source)]
        held = [
            _limit(cell, quantity, catalog, facts)
            for cell in limits
            if LIMITS.get(cell.row, cell.row) == quantity
        ]
        if any(row[name] is not None for row in own for name in _PRINTED):
            rows += [*own, *held]
    credit = next((one.credit for one in archive.sources if one.source == source), "")
    licence = next((one.licence for one in archive.sources if one.source == source), "")
    runs = [run for run in archive.runs if run.source == source]
    common: Row = dict.fromkeys(tables.COMMON)
    for row in rows:
        names = _names(str(row["setting"] or ""), runs, catalog, source)
        row.update(
            {
                **common,
                "limit": None,
                **names,
                **row,
                "origin": "published",
                "source": source,
                "licence": licence,
                "credit": credit,
            }
        )
    return tables.frame(rows)


def _ref(cell: Cell) -> str:
    return f"cell:{cell.source}:{cell.table}:{cell.row}:{cell.column}"


def _names(setting: str, runs: Sequence[Run], catalog: Catalog, source: str) -> Row:
    """Names of system and workload of the runs that a setting belongs to."""
    run = next(
        (run for run in runs if setting and run.run_id.startswith(f"{source}-{setting}-")), None
    )
    system = catalog.systems.get(run.system) if run is not None else None
    workload = catalog.workloads.get(run.workload) if run is not None else None
    return {
        "system_name": system.name if system else None,
        "workload_name": workload.name if workload else None,
    }


def _of(
    key: str,
    quantity: str,
    cells: Mapping[tuple[str, str], Cell],
    limits: Sequence[Cell],
    facts: Facts,
) -> Iterator[Row]:
    """The rows of one card in one setting: its usual reading, and others beside it."""
    parted = re.fullmatch(r"(.+)-card-(\d+)", key)
    if parted is None:
        return
    limit = next((_ref(cell) for cell in limits if cell.row == quantity), None)
    for reading in ("usual", *READINGS):
        stem = quantity if reading == "usual" else f"{quantity}-{reading}"
        found = [name for name in (stem, f"{stem}-low", f"{stem}-high") if (key, name) in cells]
        if not found:
            continue
        cell = cells[key, found[0]]
        refs = {
            column: _ref(cells[key, name]) if name in found and cells[key, name].unit else None
            for column, name in zip(_PRINTED, (stem, f"{stem}-low", f"{stem}-high"), strict=True)
        }
        highest = refs["value"] or refs["value_high"]
        over = f"percent_more({highest}, {limit})" if limit and highest else None
        above = tables.figure(facts, over) if over else None
        yield {
            "series": f"card-{parted[2]}",
            "label": f"GPU {parted[2]}",
            "card": parted[2],
            "setting": parted[1],
            "locator": cell.locator,
            **_told(quantity, reading, refs, facts),
            "over": above if above and above > 0 else None,
            "over_ref": over if above and above > 0 else None,
        }


def _told(quantity: str, reading: str, refs: Mapping[str, str | None], facts: Facts) -> Row:
    known = {name: facts.get(ref) for name, ref in refs.items() if ref}
    row: Row = {
        "quantity": quantity,
        "reading": reading,
        "status": "ok" if known else "not_reported",
        "unit": None,
    }
    for name in _PRINTED:
        fact = known.get(name)
        row[name] = fact.value if fact else None
        row[f"{name}_ref"] = refs.get(name) if fact else None
        row[f"{name}_bound"] = fact.bound.value if fact else None
        # a fraction is read as a percentage: two decimals fewer
        row[f"{name}_decimals"] = (
            max(0, (fact.decimals or 0) - (2 if fact.unit == "1" else 0)) if fact else None
        )
        row["unit"] = fact.unit if fact else row["unit"]
    return row


def _sums(rows: Sequence[Row], facts: Facts) -> Iterator[Row]:
    """Of a setting with a range for each of several cards: what they draw together."""
    for setting in dict.fromkeys(str(row["setting"]) for row in rows):
        usual = [row for row in rows if row["setting"] == setting and row["reading"] == "usual"]
        parts = [
            row
            for row in usual
            if row["value_low_ref"] is not None and row["value_high_ref"] is not None
        ]
        if len(parts) < 2:  # noqa: PLR2004 - a sum has two parts or more
            continue
        refs = {
            name: f"sum({', '.join(str(part[f'{name}_ref']) for part in parts)})"
            for name in ("value_low", "value_high")
        }
        yield {
            **_told("power", "sum", refs, facts),
            "series": TOGETHER,
            "label": " + ".join(str(part["label"]) for part in parts),
            "card": None,
            "setting": setting,
            "locator": parts[0]["locator"],
            "over": None,
            "over_ref": None,
        }


def _wholes(
    rows: Sequence[Row], archive: Archive, catalog: Catalog, facts: Facts, source: str
) -> Iterator[Row]:
    """What the source prints for all cards together, of systems of several cards that have no parts
    to add up.
    """
    runs = [run for run in archive.runs if run.source == source]
    labels = dict.fromkeys(str(row["label"]) for row in rows if row["card"] is not None)
    for system, bases in energy.powers(archive, catalog, source, runs).items():
        measured = next((power for power in bases if power.basis == "measured"), None)
        known = catalog.systems.get(system)
        if (
            known is None
            or known.accelerators != len(labels)
            or measured is None
            or measured.low is None
        ):
            continue
        yield {
            **_told(
                "power", "printed", {"value_low": measured.low, "value_high": measured.high}, facts
            ),
            "series": TOGETHER,
            "label": " + ".join(labels),
            "card": None,
            "setting": None,
            "system_name": known.name,
            "workload_name": measured.workload,
            "locator": next(cell.locator for cell in archive.cells if _ref(cell) == measured.low),
            "over": None,
            "over_ref": None,
        }


def _limit(cell: Cell, quantity: str, catalog: Catalog, facts: Facts) -> Row:
    hardware = catalog.hardware.get(cell.column)
    return {
        **_told(quantity, SPECIFIED, {"value": _ref(cell)}, facts),
        "series": SPECIFIED,
        "label": hardware.name.removeprefix(f"{hardware.vendor} ") if hardware else cell.column,
        "card": None,
        "setting": None,
        "limit": cell.row,
        "locator": cell.locator,
        "over": None,
        "over_ref": None,
    }
