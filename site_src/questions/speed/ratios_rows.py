"""How many times one accelerator is as fast as another, as a source prints it: by benchmark, and
over all of them.
"""

from collections.abc import Mapping, Sequence
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Claim, Run
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row, printed

SIDES: Final[Mapping[str, tuple[str, str]]] = {"v100-times-t4": ("v100-pcie", "t4")}
"""Quantities of claims that say how many times the first accelerator is as fast as the second."""

OVERALL: Final = ("overall-low", "overall-high")
"""Quantities of the two claims that give the range over all benchmarks."""

CONDITIONS: Final = "compared"
"""The source's table of what each ratio compares."""


def ratios(archive: Archive, catalog: Catalog, facts: Facts, source: str) -> pd.DataFrame:
    """One row a benchmark with the printed ratio, the highest first, then those without one, then
    the range over all; empty without any.

    Columns beside `COMMON`: `part` (`benchmark` or `overall`), `workload_name`, `times` (None for a
    range), `times_low` and `times_high` (alike for a single figure), and what the source says of
    the comparison: `compared` and `cards`, keys of texts of its table `compared`.
    """
    claims = [
        claim for claim in archive.claims if claim.source == source and claim.quantity in SIDES
    ]
    if not claims:
        return tables.frame([])
    first, second = SIDES[claims[0].quantity]
    runs = tables.runs_in_force(archive, lambda run: run.source == source)
    told: dict[str, Row] = {}
    for cell in archive.cells:
        if cell.source == source and cell.table == CONDITIONS:
            told.setdefault(cell.row, {})[cell.column] = cell.text
    blank: Row = {
        **printed.of_source(
            printed.source_of(archive, source),
            series=f"{first}-over-{second}",
            label=f"{printed.piece(catalog, first)} / {printed.piece(catalog, second)}",
            system=printed.system_with(archive, catalog, source, first),
        ),
        "part": "benchmark",
        "workload_name": None,
        "times": None,
        "times_ref": None,
        "times_low": None,
        "times_low_ref": None,
        "times_high": None,
        "times_high_ref": None,
        "times_decimals": None,
        "times_low_decimals": None,
        "times_high_decimals": None,
        "compared": None,
        "cards": None,
        "page": None,
    }
    found = {
        workload: (claim, word)
        for claim in claims
        for word in [_word(claim)]
        if (workload := _workload(word, runs))
    }
    if not found:
        return tables.frame([])
    rows: list[Row] = []
    for workload, (claim, word) in found.items():
        name = {"workload_name": catalog.workload_name(workload)}
        rows.append({**blank, **name, **_ends(facts, claim, claim), **told.get(word, {})})
    rows.sort(key=lambda row: (row["times_high"], row["times_low"]), reverse=True)
    others = dict.fromkeys(
        run.workload
        for run in runs
        if run.workload not in found and run.workload in catalog.workloads
    )
    rows += [
        {**blank, "workload_name": catalog.workload_name(workload), "status": "not_reported"}
        for workload in others
    ]
    ends = [
        next(
            (
                claim
                for claim in archive.claims
                if claim.source == source and claim.quantity == name
            ),
            None,
        )
        for name in OVERALL
    ]
    if ends[0] is not None and ends[1] is not None:
        rows.append({**blank, "part": "overall", **_ends(facts, ends[0], ends[1])})
    return tables.frame(rows)


def _ends(facts: Facts, low: Claim, high: Claim) -> Row:
    """The lower end of one claim and the upper end of another, or of the same."""
    lower, upper = (
        f"claim:{claim.claim_id}:{'printed' if claim.printed is not None else end}"
        for claim, end in ((low, "printed_low"), (high, "printed_high"))
    )
    single = low is high and low.printed is not None
    return {
        "locator": low.locator,
        "times": tables.figure(facts, lower) if single else None,
        "times_ref": lower if single else None,
        "times_low": tables.figure(facts, lower),
        "times_low_ref": lower,
        "times_high": tables.figure(facts, upper),
        "times_high_ref": upper,
        "times_decimals": low.decimals,
        "times_low_decimals": low.decimals,
        "times_high_decimals": high.decimals,
        "page": f"sources/{low.source}/#{low.claim_id}",
    }


def _word(claim: Claim) -> str:
    """What the claim's id calls its benchmark: `mask-rcnn` of `...-ratio-mask-rcnn`."""
    return claim.claim_id.removeprefix(f"{claim.source}-").partition("-")[2]


def _workload(word: str, runs: Sequence[Run]) -> str | None:
    """The workload of the source that the word begins."""
    return next((run.workload for run in runs if f"{run.workload}-".startswith(f"{word}-")), None)
