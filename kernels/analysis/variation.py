"""Spread of the runs of one submission, in epochs or samples and in time to the target.

Runs of a submission share system, code and settings. They differ in seeds, which logs do not always
show, and in the order in which a parallel machine adds numbers. Runs that missed the target have no
reading: they are counted separately, never left out silently.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from enum import StrEnum
from fractions import Fraction
from itertools import pairwise
from typing import Final

from kernels.analysis import stats
from kernels.records import Direction, Metric, Run, Status
from kernels.units import exact

LEHR: Final = 16.0
"""Lehr's rule: two means can be told apart with 16 (deviation / difference)^2 runs each, where 16
is 2 (1.96 + 0.84)^2 rounded up: 5 % error, and a real difference is found 4 times in 5. Lehr,
Statistics in Medicine 11 (1992).
"""


class Measure(StrEnum):
    """Quantity that a run needed to reach its target."""

    EPOCHS = "epochs"
    SAMPLES = "samples"
    TIME = "time"


UNITS: Final[Mapping[Measure, str]] = {
    Measure.EPOCHS: "epochs",
    Measure.SAMPLES: "samples",
    Measure.TIME: "s",
}


def hits(run: Run, measure: Measure) -> tuple[Metric, ...]:
    """Returns the run's epochs or samples to its targets: one for each metric of a target."""
    return tuple(
        metric
        for metric in run.metrics
        if metric.name == f"{measure}_to_target" and metric.target is not None
    )


def reading(run: Run, measure: Measure) -> float | None:
    """Returns what the run needed to reach all its targets, a time in seconds; None if unknown.

    A time is from start to end on the run's own clock, as in scores.
    """
    if measure is Measure.TIME:
        return run.wall_time_s if run.status is Status.OK else None
    values = [metric.value for metric in hits(run, measure)]
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None


def reference(run: Run, measure: Measure) -> str:
    """Returns the reference that `facts.Facts` resolves to the reading."""
    if measure is Measure.TIME:
        return f"run:{run.run_id}:wall_time_s"
    found = [f"run:{run.run_id}:{metric.key}" for metric in hits(run, measure)]
    return found[0] if len(found) == 1 else f"largest({', '.join(found)})"


def progress(runs: Sequence[Run]) -> Measure | None:
    """Returns epochs or samples if all runs that reached their target count them; else None."""
    good = [run for run in runs if run.status is Status.OK]
    counted = (Measure.EPOCHS, Measure.SAMPLES) if good else ()
    return next((each for each in counted if all(reading(run, each) for run in good)), None)


def readings(runs: Sequence[Run], measure: Measure) -> list[float]:
    """Returns the readings of the runs that have one, the fastest first."""
    return sorted(value for run in runs if (value := reading(run, measure)) is not None)


def reach(run: Run, metric: str, quality: float) -> float | None:
    """Returns the seconds to the first evaluation at least as good as `quality`; None if there is
    none.

    Less is better if the run's own target of that metric says so, and for a loss.
    """
    stated = (target.direction for target in run.targets if target.metric == metric)
    direction = next(stated, Direction.AT_MOST if metric == "loss" else Direction.AT_LEAST)
    sign = 1.0 if direction is Direction.AT_LEAST else -1.0
    read = (
        e.time_s
        for e in run.evaluations
        if e.metric == metric and e.time_s is not None and sign * e.value >= sign * quality
    )
    return min(read, default=None)


def variation(values: Sequence[float]) -> float | None:
    """Returns standard deviation over mean, a fraction; None for a single value."""
    deviation = stats.standard_deviation(values)
    return None if deviation is None else deviation / stats.mean(values)


def apart(values: Sequence[float]) -> float | None:
    """Returns the detectable difference of two such sets over their mean: 4 variation / sqrt(n)."""
    spread = variation(values)
    return None if spread is None else math.sqrt(LEHR / len(values)) * spread


def steady_epoch(run: Run) -> float | None:
    """Returns seconds per epoch between the first and the last evaluation, evaluations included.

    None if fewer than two evaluations have an epoch and a time.
    """
    steady = _steady(run)
    return None if steady is None else float(steady)


def _steady(run: Run) -> Fraction | None:
    read = _evaluated(run)
    if len(read) < 2:  # noqa: PLR2004 - a first and a last one
        return None
    (first, start), (last, end) = min(read.items()), max(read.items())
    return (exact(end) - exact(start)) / (exact(last) - exact(first))


def plain_epoch(run: Run) -> float | None:
    """Returns the median seconds from one epoch's start to the next, over epochs without a reading.

    None if the log marks no starts of epochs, or evaluates in each.
    """
    starts = sorted(
        (epoch.index, epoch.start_s) for epoch in run.epochs if epoch.start_s is not None
    )
    times = [reading.time_s for reading in run.evaluations if reading.time_s is not None]
    plain = [
        float(exact(end) - exact(start))
        for (index, start), (following, end) in pairwise(starts)
        if following == index + 1 and not any(start < time <= end for time in times)
    ]
    return _median(plain) if plain else None


def overhead(run: Run) -> float | None:
    """Returns the seconds of a run beyond its epochs to the target at their steady time.

    None if the first evaluation comes later than the interval between others: then steady epochs
    include more evaluation than the first ones.
    """
    steady, epochs, whole = _steady(run), reading(run, Measure.EPOCHS), reading(run, Measure.TIME)
    if steady is None or epochs is None or whole is None:
        return None
    read = sorted(_evaluated(run))
    if read[0] > (1 + _EXACT) * max(later - earlier for earlier, later in pairwise(read)):
        return None
    return float(exact(whole) - exact(epochs) * steady)


_EXACT: Final = 1e-6
"""Epochs are fractions in some logs: 0.9 - 0.85 is a little more than 0.05."""


def _evaluated(run: Run) -> dict[float, float]:
    found: dict[float, float] = {}
    for read in run.evaluations:
        if read.epoch is not None and read.time_s is not None:
            found[read.epoch] = min(read.time_s, found.get(read.epoch, math.inf))
    return found


def _median(values: Sequence[float]) -> float:
    """Returns the exact median of decimals as written."""
    ordered = sorted(map(exact, values))
    half = len(ordered) // 2
    return float((ordered[half] + ordered[~half]) / 2)


EPOCHS: Final[Mapping[str, Callable[[Run], float | None]]] = {
    "steady": steady_epoch,
    "plain": plain_epoch,
    "overhead": overhead,
}
"""Components of a run's time, in seconds."""


STATISTICS: Final[Mapping[str, tuple[Callable[[Sequence[float]], float | None], bool]]] = {
    "low": (min, True),
    "median": (_median, True),
    "high": (max, True),
    "range": (lambda values: float(exact(max(values)) / exact(min(values))), False),
    "quartiles": (stats.spread, False),
    "variation": (variation, False),
    "apart": (apart, False),
}
"""Statistics of a submission's readings, each with True if it has the readings' unit."""


def statistic(runs: Sequence[Run], name: str) -> tuple[float | None, str] | None:
    """Returns a figure such as `time_median` over the runs that reached their target; None if
    unknown.
    """
    what, _, which = name.partition("_")
    if which not in STATISTICS or (what not in EPOCHS and what not in list(Measure)):
        return None
    made, own = STATISTICS[which]
    if what in EPOCHS:
        every = (EPOCHS[what](run) for run in runs if run.status is Status.OK)
        values, unit = [value for value in every if value is not None], "s"
    else:
        values, unit = readings(runs, Measure(what)), UNITS[Measure(what)]
    return (made(values) if values else None), unit if own else "1"
