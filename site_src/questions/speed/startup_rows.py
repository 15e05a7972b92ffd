"""First epochs against the later ones: what starting costs, why, and when a system that starts
slowly has caught up.
"""

from collections.abc import Sequence
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row
from site_src.tables.batch import figures, shared, swept

CAUSES: Final = {"first-epoch-compiles": "compilation"}
"""Why a first epoch takes longer, by the caveat with which a source says so."""

AHEAD, NEVER, ALONE = "ahead", "never", "alone"
"""Why a run has no break-even: its own first epoch is the shortest, its later epochs are no faster,
or nothing ran beside it.
"""


def startup(archive: Archive, catalog: Catalog, facts: Facts, source: str) -> pd.DataFrame:
    """One row a run of a sweep that states its first epoch and the median of the others.

    Columns beside those of `tables.batch.shared`, in seconds: `first`, `epoch` (the median),
    `startup` (their difference), `total`, `estimate` (first + (epochs - 1) x median) and
    `difference` (estimate - total); `share` of start-up in the total; `cause`, one of `CAUSES`, or
    `not_stated`; `break_even`: epochs after which the run has caught up with the one whose first
    epoch was the shortest at that batch size, the series `against`.
    """
    runs = [
        run
        for run in swept(archive, source)
        if run.metric("first_epoch_s") and run.metric("median_epoch_s")
    ]
    rows = []
    for run in runs:
        name = f"run:{run.run_id}"
        first, median, total = (
            f"{name}:first_epoch_s",
            f"{name}:median_epoch_s",
            f"{name}:train_time_s",
        )
        refs = {"first": first, "epoch": median, "startup": f"difference({first}, {median})"}
        if run.metric("train_time_s") is not None:
            refs |= {"total": total, "share": f"ratio(difference({first}, {median}), {total})"}
            refs["estimate"] = f"time_of_epochs({first}, {median}, {name}:epochs_planned)"
            refs["difference"] = f"difference({refs['estimate']}, {total})"
        rows.append(
            {
                **shared(run, run.metric("first_epoch_s"), runs, catalog),
                **dict.fromkeys(_OF_TOTAL),
                **figures(facts, **refs),
                "cause": _cause(run),
                **_break_even(run, runs, facts),
            }
        )
    return tables.frame(rows)


_OF_TOTAL: Final = tuple(
    f"{name}{end}"
    for name in ("total", "share", "estimate", "difference")
    for end in ("", "_ref", "_bound")
)


def _cause(run: Run) -> str | None:
    """Why the first epoch of a run takes longer; None where it has none."""
    return (
        next((CAUSES[caveat] for caveat in run.caveats if caveat in CAUSES), "not_stated")
        if run.status is Status.OK
        else None
    )


def _break_even(run: Run, runs: Sequence[Run], facts: Facts) -> Row:
    """When a run has caught up with the quickest starter of its batch size, or why there is no such
    time.
    """
    row: Row = {
        "break_even": None,
        "break_even_ref": None,
        "break_even_bound": None,
        "break_even_why": None,
        "against": None,
    }
    if run.status is not Status.OK:
        return row
    beside = [
        other
        for other in runs
        if (other.workload, other.global_batch_size) == (run.workload, run.global_batch_size)
    ]
    timed = [other for other in beside if None not in _times(other, facts)]
    quickest = min(timed, key=lambda other: _times(other, facts)[0] or 0.0)
    if len(timed) == 1 or quickest is run:
        return row | {"break_even_why": ALONE if len(timed) == 1 else AHEAD}
    row["against"] = tables.series_id(quickest)
    if (_times(run, facts)[1] or 0.0) >= (_times(quickest, facts)[1] or 0.0):
        return row | {"break_even_why": NEVER}
    inputs = ", ".join(
        f"run:{one.run_id}:{name}"
        for one in (run, quickest)
        for name in ("first_epoch_s", "median_epoch_s")
    )
    return row | figures(facts, break_even=f"break_even_epochs({inputs})")


def _times(run: Run, facts: Facts) -> tuple[float | None, float | None]:
    """First epoch and median of the others, in seconds."""
    first, median = (
        facts.get(f"run:{run.run_id}:{name}").value for name in ("first_epoch_s", "median_epoch_s")
    )
    return first, median
