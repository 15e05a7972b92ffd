"""Final accuracy by batch size."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from kernels.records import Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Row
from site_src.tables.batch import shared, sizes
from site_src.tables.collapsed import METRIC, quality

_NOT_REPRESENTATIVE: Final = "accuracy-not-representative"
"""Suffix of caveats that say a source's accuracy is not that of the network."""


def sweeps(archive: Archive, source: str) -> list[Run]:
    """The runs of a source's workloads that were trained at several batch sizes."""
    runs, several = sizes(archive, source, lambda run: quality(run) is not None)
    return [run for run in runs if run.workload in several]


def base(runs: Sequence[Run]) -> str | None:
    """The series that accuracies are compared with: the fullest on another accelerator."""
    counts = Counter(tables.series_id(run) for run in runs if quality(run) is not None)
    if not counts:
        return None
    chips = {tables.series_id(run): run.accelerator for run in runs}
    subject = counts.most_common(1)[0][0]
    others = [series for series, _ in counts.most_common() if series != subject]
    return next(
        (series for series in others if chips[series] != chips[subject]),
        others[0] if others else None,
    )


def by_batch(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per run of a sweep over batch sizes.

    Columns beside `COMMON`: `workload`, `workload_name`, `batch`, `accuracy` as a fraction,
    `points`: the difference to `base` at the same batch size in percentage points, `epochs`,
    `collapsed`, `representative`: no if the source says so.
    """
    runs = sweeps(evidence.archive, source)
    order = list(dict.fromkeys((run.workload, tables.series_id(run)) for run in runs))
    against = base(runs)
    based = {
        (run.workload, run.global_batch_size): f"run:{run.run_id}:{METRIC}"
        for run in runs
        if tables.series_id(run) == against and quality(run) is not None
    }

    def row(run: Run) -> Row:
        ref = f"run:{run.run_id}:{METRIC}" if quality(run) is not None else None
        other = based.get((run.workload, run.global_batch_size))
        points = f"points_more({ref}, {other})" if ref and other else None
        ended = run.status is Status.OK
        return {
            **shared(run, run.metric(METRIC), runs, evidence.catalog),
            "accuracy": tables.cell(evidence.facts, ref),
            "points": tables.cell(evidence.facts, points),
            "epochs": tables.stated(run, "epochs_planned") if ended else tables.Cell(),
            "representative": "no" if ref and loose(run) else None,
        }

    def place(run: Run) -> tuple[int, int]:
        return order.index((run.workload, tables.series_id(run))), run.global_batch_size or 0

    return tables.frame(map(row, sorted(runs, key=place)))


def loose(run: Run) -> list[str]:
    """The caveats saying that the accuracy is not what the network can reach, by key."""
    return [caveat for caveat in run.caveats if caveat.endswith(_NOT_REPRESENTATIVE)]
