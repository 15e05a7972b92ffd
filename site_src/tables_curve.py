"""How runs went: quality by epoch, and time by step."""

from collections.abc import Sequence
from itertools import pairwise
from typing import Final

import pandas as pd

from kernels.catalog import Catalog
from kernels.records import Evaluation, Run
from site_src.tables import Row, apart, common, frame, series_id


def curve(catalog: Catalog, runs: Sequence[Run], metric: str, quantity: str = "accuracy") -> pd.DataFrame:
    """How a quality grew: one row an evaluation, a reached target or a final value, by epochs finished.

    `kind` is `evaluation`, `target` (a printed number of epochs to a quality), `final`, or `rate` (the learning rate fell after that
    epoch; no quality). A published run without evaluations has points alone.
    """
    rows: list[Row] = []
    for run in runs:
        at = f"run:{run.run_id}"
        final = run.metric(f"final_{quantity}")
        own: list[Row] = [
            {"kind": "evaluation", "epoch": e.epoch, "quality": e.value, "locator": e.locator, "quality_decimals": _decimals(e, run)}
            for e in run.evaluations
            if e.metric == metric and e.epoch is not None
        ]
        for hit in run.metrics:
            if hit.name == "epochs_to_target" and hit.target is not None and hit.target.metric == metric and hit.value is not None:
                place = {"epoch_ref": f"{at}:{hit.key}", "locator": hit.locator}
                own.append({"kind": "target", "epoch": hit.value, "quality": hit.target.value, **place})
        if final is not None and final.value is not None and run.epochs_planned is not None and not run.evaluations:
            place = {"epoch_ref": f"{at}:epochs_planned", "quality_ref": f"{at}:{final.key}", "locator": final.locator}
            own.append({"kind": "final", "epoch": run.epochs_planned, "quality": final.value, **place})
        own.extend({"kind": "rate", "epoch": float(epoch), "quality": None} for epoch in rate_changes(run))
        base = {**common(run, final, catalog), "status": "ok", "run_series": run.run_id, "batch": run.global_batch_size}
        base |= {"points_only": not run.evaluations, **dict.fromkeys(("epoch_ref", "quality_ref", "quality_decimals"))}
        rows.extend({**base, **row, "locator": row.get("locator") or run.locator} for row in own)
    return frame(rows)


def _decimals(reading: Evaluation, run: Run) -> int | None:
    """Decimals of a fraction as a percentage, so many that a miss of a target does not read as a hit; None for what is no fraction."""
    if not 0 <= reading.value <= 1:
        return None
    return apart(reading.value, (target.value for target in run.targets if target.metric == reading.metric), _CURVE_DECIMALS)


_CURVE_DECIMALS: Final = 2


def rate_changes(run: Run) -> list[int]:
    """Epochs finished when the learning rate had dropped to a half or less: the steps of a schedule, not its slow slopes."""
    epochs = [epoch for epoch in run.epochs if epoch.learning_rate]
    base = run.epoch_index_base or 0
    return [
        later.index - base
        for earlier, later in pairwise(epochs)
        if later.learning_rate is not None and earlier.learning_rate is not None and later.learning_rate <= earlier.learning_rate / 2
    ]


def steps(catalog: Catalog, runs: Sequence[Run]) -> pd.DataFrame:
    """Step times in seconds: one row a step; `phase` is compile, warmup or measure."""
    return frame(
        {
            **common(run, run.metric("step_time_s"), catalog),
            "status": "ok",
            "n": 1,
            "run_series": run.run_id,
            "step": step.index,
            "phase": step.phase.value,
            "duration": step.duration_s,
        }
        for run in runs
        for step in run.steps
    )


def newest(runs: Sequence[Run]) -> list[Run]:
    """The latest run of each series, for pictures that show one run each."""
    latest: dict[str, Run] = {}
    for run in sorted(
        runs, key=lambda run: (run.started_at is not None, run.started_at.timestamp() if run.started_at else 0.0, run.run_id)
    ):
        latest[series_id(run)] = run
    return [run for run in runs if latest[series_id(run)] is run]
