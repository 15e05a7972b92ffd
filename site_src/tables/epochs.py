"""Epochs to a target by the number of accelerators."""

from collections.abc import Sequence

import pandas as pd

from kernels.records import Certainty, Metric, Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import printed


def to_converge(run: Run) -> Metric | None:
    """Epochs that a run took to its target."""
    return next(
        (
            metric
            for metric in run.metrics
            if metric.name == "epochs_to_target" and metric.value is not None
        ),
        None,
    )


def by_cards(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row a run of a workload that a source trained to one target on several numbers of
    accelerators.

    Columns beside `COMMON`: `workload`, `workload_name`, `cards`, `epochs` to the target
    `target_value`, of which `printed` says whether the source itself prints it, and `time` in s. A
    series is a system; its label names the accelerator, since their number varies.
    """
    runs = tables.runs_in_force(
        evidence.archive,
        lambda run: run.accelerators is not None and to_converge(run) is not None,
        source=source,
    )
    rows = []
    for run in runs:
        metric = to_converge(run)
        if metric is None or metric.target is None or not _varied(runs, run):
            continue
        name, time = f"run:{run.run_id}", f"time_to_target_s@{metric.target.value:g}"
        rows.append(
            {
                **tables.common(run, metric, evidence.catalog),
                "label": printed.piece(evidence.catalog, run.accelerator)
                if run.accelerator
                else tables.series_label(run, evidence.catalog),
                **tables.workload(run, evidence.catalog),
                "cards": tables.stated(run, "accelerators"),
                "epochs": tables.cell(evidence.facts, f"{name}:{metric.key}"),
                "target_value": metric.target.value,
                "printed": metric.target.certainty is Certainty.STATED,
                "time": tables.cell(evidence.facts, f"{name}:{time}" if run.metric(time) else None),
                "unit": "s",
            }
        )
    return tables.frame(rows)


def _varied(runs: Sequence[Run], run: Run) -> bool:
    """Whether the run's workload was trained on several numbers of accelerators of one system."""
    counts = {
        other.accelerators
        for other in runs
        if other.workload == run.workload and other.system == run.system
    }
    return len(counts) > 1
