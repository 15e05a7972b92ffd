"""Runs that ended far below their neighbours: kept, marked, and excluded from winning by time."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Final

from kernels.records import Run
from site_src import tables

METRIC: Final = "final_accuracy"

SHARE: Final = 0.5
"""A run has collapsed if it ends below this share of the accuracy at the next batch size."""


def quality(run: Run) -> float | None:
    """A run's final accuracy as a fraction; None if it has none."""
    metric = run.metric(METRIC)
    return None if metric is None else metric.value


def collapsed(run: Run, runs: Sequence[Run]) -> bool:
    """Returns True if a run's accuracy is below `SHARE` of that at the next sound batch size of its
    series, source and workload.
    """
    sound: list[tuple[int, float]] = []
    # from the best run down: only better runs can show that a run collapsed
    for other, value in sorted(_series(run, runs), key=lambda pair: pair[1], reverse=True):
        batch = other.global_batch_size or 0
        smaller = max((pair for pair in sound if pair[0] < batch), default=None)
        larger = min((pair for pair in sound if pair[0] > batch), default=None)
        fallen = any(pair is not None and value < SHARE * pair[1] for pair in (smaller, larger))
        if other.run_id == run.run_id:
            return fallen
        if not fallen:
            sound.append((batch, value))
    return False


def fallen(runs: Iterable[Run]) -> frozenset[str]:
    """The ids of the runs that collapsed, compared with the others of their series."""
    groups: dict[tuple[str, str, str], list[Run]] = defaultdict(list)
    for run in runs:
        if run.global_batch_size and quality(run) is not None:  # others are not compared
            groups[_place(run)].append(run)
    return frozenset(
        run.run_id
        for group in groups.values()
        if len(group) > 1
        for run in group
        if collapsed(run, group)
    )


def _series(run: Run, runs: Sequence[Run]) -> list[tuple[Run, float]]:
    return [
        (other, value)
        for other in runs
        if _place(other) == _place(run)
        and other.global_batch_size
        and (value := quality(other)) is not None
    ]


def _place(run: Run) -> tuple[str, str, str]:
    return run.source, run.workload, tables.series_id(run)
