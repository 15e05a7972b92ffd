"""Medians and ratios of what was taken in turns in one run, with their intervals, and whether that
is what was aimed at.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from kernels.analysis import stats

Found = TypeVar("Found")


@dataclass(frozen=True, slots=True)
class Estimate:
    """A median.

    Attributes:
        value: Of the sample.
        low: Lower end of its 95 % interval; the smallest value where there are too few for an
            interval.
        high: Upper end, or the largest value.
        n: Values.
        interval: Whether `low` and `high` are an interval.
    """

    value: float
    low: float
    high: float
    n: int
    interval: bool

    def __str__(self) -> str:
        if self.n == 1:
            return f"{self.value:.4g} (n = 1)"
        kind = "95 %" if self.interval else "smallest to largest"
        return f"{self.value:.4g} ({kind}: {self.low:.4g} to {self.high:.4g}; n = {self.n})"


def estimate(values: Sequence[float], *, block: int = 1) -> Estimate:
    """The median of values in the order they were taken; `block` neighbours share their
    disturbances, as turns of one process do.
    """
    least = stats.LEAST_RUNS if block == 1 else stats.LEAST_STEPS
    middle = stats.median(values)
    if len(values) < least:
        return Estimate(middle, min(values), max(values), len(values), interval=False)
    low, high = stats.bootstrap_interval(values, block=block, least=least)
    return Estimate(middle, low, high, len(values), interval=True)


def ratio(a: Sequence[float], b: Sequence[float], *, block: int = 1) -> Estimate:
    """`a` over `b`, pair by pair."""
    return estimate([x / y for x, y in zip(a, b, strict=True)], block=block)


def against(found: Estimate, *, most: float | None = None, least: float | None = None) -> str:
    """The ratio beside what was aimed at: reached or missed where its whole interval says so."""
    goal = f"{most:g} or less" if most is not None else f"{least:g} or more"
    inside = (most is None or found.high <= most) and (least is None or found.low >= least)
    outside = (most is not None and found.low > most) or (least is not None and found.high < least)
    answer = (
        "too few to tell"
        if not found.interval
        else "reached"
        if inside
        else "missed"
        if outside
        else "not separable"
    )
    return f"{found}; aim: {goal}: {answer}"


def interleaved(rounds: int, **sides: Callable[[], Found]) -> Mapping[str, list[Found]]:
    """Run each side once a round, in turn, so that a drifting machine meets all of them alike."""
    results: dict[str, list[Found]] = {name: [] for name in sides}
    for _ in range(rounds):
        for name, run in sides.items():
            results[name].append(run())
    return results
