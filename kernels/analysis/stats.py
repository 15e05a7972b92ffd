"""Statistics of repeated measurements: pure functions over plain numbers, each with its source.

Functions refuse what they cannot answer: no figure without a sample, no interval from too few.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np

from kernels.errors import MeasureError

LEAST_STEPS: Final = 20
"""Fewest steps for an interval: below, the bootstrap has fewer than four blocks to draw from."""

LEAST_RUNS: Final = 5
"""Fewest runs for an interval over runs; below, the points are shown instead."""

RESAMPLES: Final = 2000
"""Enough for the 2.5 % points: 50 resamples lie outside on each side."""

TAIL: Final = 100 * (1 - 0.95) / 2
"""Per cent of the resamples below an interval, and above it."""

BLOCK: Final = 5
"""Steps drawn together: neighbours share their disturbances."""

SEED: Final = 20180223
"""Seed of the resampling, so that the same steps have the same interval."""


def _checked(values: Sequence[float]) -> Sequence[float]:
    if not values:
        raise MeasureError(
            "a statistic of no values was asked for, wanted one or more: leave the figure out, "
            "with a status"
        )
    if not all(map(math.isfinite, values)):
        raise MeasureError(
            "a statistic of values with NaN or infinity was asked for, wanted finite ones: record "
            "the run as diverged"
        )
    return values


def percentile(values: Sequence[float], percent: float) -> float:
    """Returns the value below which `percent` of the sample lies, linear between neighbours.

    Definition 7 of Hyndman and Fan, Sample Quantiles in Statistical Packages (1996).
    """
    if not 0 <= percent <= 100:  # noqa: PLR2004 - what per cent means
        raise MeasureError(f"percentile {percent} was asked for, wanted 0 to 100")
    ordered = sorted(_checked(values))
    place = (len(ordered) - 1) * percent / 100
    below = math.floor(place)
    low, high = ordered[below], ordered[min(below + 1, len(ordered) - 1)]
    share = place - below
    # From the nearer end, so that rounding never moves the result past either end.
    between = low + (high - low) * share if share < 0.5 else high - (high - low) * (1 - share)  # noqa: PLR2004 - the middle
    return min(max(between, low), high)


def percentiles(values: Sequence[float], percents: Sequence[float]) -> tuple[float, ...]:
    """Returns several percentiles of one sample, in the given order."""
    ordered = sorted(values)
    return tuple(percentile(ordered, percent) for percent in percents)


def median(values: Sequence[float]) -> float:
    """The middle value, or the mean of the two middle ones."""
    return percentile(values, 50)


def mean(values: Sequence[float]) -> float:
    """The arithmetic mean, summed without rounding in between."""
    return math.fsum(value / len(values) for value in _checked(values))


def trimmed_mean(values: Sequence[float], drop: int = 1, missed: int = 0) -> float:
    """Returns the "olympic" mean of MLPerf's rules, without the `drop` fastest and the `drop`
    slowest.

    `missed` runs have no value, so they count among the slowest.
    """
    count = len(values) + missed
    if drop < 0 or missed < 0 or count <= 2 * drop:
        raise MeasureError(
            f"a mean of {count} values without {drop} on each side was asked for, wanted "
            f"{2 * drop + 1} or more values"
        )
    if missed > drop:
        raise MeasureError(
            f"a mean of {count} values of which {missed} never came was asked for, wanted {drop} "
            "or fewer of those: say so"
        )
    return mean(sorted(_checked(values))[drop : count - drop])


def standard_deviation(values: Sequence[float]) -> float | None:
    """Returns the sample standard deviation (n - 1); None for a single value."""
    centre = mean(values)
    if len(values) == 1:
        return None
    scale = max(abs(value - centre) for value in values)
    if scale == 0:
        return 0.0
    return scale * math.sqrt(
        math.fsum(((value - centre) / scale) ** 2 for value in values) / (len(values) - 1)
    )


def spread(values: Sequence[float]) -> float | None:
    """Returns the interquartile range over the median, as torch.utils.benchmark; None if 0."""
    low, middle, high = percentiles(values, (25, 50, 75))
    return None if middle == 0 else (high - low) / abs(middle)


def bootstrap_interval(
    values: Sequence[float],
    *,
    block: int = BLOCK,
    least: int = LEAST_STEPS,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Returns the ends of the median's interval, by the percentile bootstrap over moving blocks.

    Each resample consists of blocks of neighbouring values, drawn with replacement and cut to the
    sample's length (Künsch 1989); the interval lies between the percentiles of the resamples'
    medians (Efron 1979).

    Args:
        values: Step times in order; or results of independent runs, with block 1 and `LEAST_RUNS`.
        block: Values drawn together.
        least: Fewest values for an interval.
        resamples: Number of resamples.

    Raises:
        MeasureError: Fewer values than `least`; show n, or the points, and no interval.
    """
    starts = len(values) - block + 1
    return _interval(values, block, starts, np.median, least=least, resamples=resamples)


def _interval(
    values: Sequence[float],
    block: int,
    starts: int,
    statistic: Callable[..., Any],
    *,
    least: int = LEAST_STEPS,
    resamples: int = RESAMPLES,
) -> tuple[float, float]:
    """Returns the interval of a statistic, from blocks that begin at one of the first `starts`
    values.
    """
    count = len(_checked(values))
    if count < max(least, block):
        raise MeasureError(
            f"an interval of {count} values was asked for, wanted {max(least, block)} or more: "
            "show n and no interval"
        )
    sample = np.asarray(values, dtype=np.float64)
    # RandomState: numpy promises that its numbers stay the same from version to version.
    draw = np.random.RandomState(SEED)
    blocks = -(-count // block)
    found: list[float] = []
    batch = max(1, 1_000_000 // count)  # 8 MB at a time, whatever the sample's length
    while len(found) < resamples:
        first = draw.randint(0, starts, size=(min(batch, resamples - len(found)), blocks))
        places = (first[:, :, None] + np.arange(block)).reshape(len(first), -1)[:, :count] % count
        found += statistic(sample[places], axis=1).tolist()
    low, high = percentiles(found, (TAIL, 100 - TAIL))
    return low, high


def mean_interval(values: Sequence[float]) -> tuple[float, float]:
    """Returns the ends of the mean's interval, by the percentile bootstrap over circular blocks.

    Blocks continue from the last value to the first (Politis and Romano 1992), so that all values
    are drawn equally often.

    Raises:
        MeasureError: Fewer values than `LEAST_STEPS`; show n and no interval.
    """
    low, high = _interval(values, BLOCK, len(values), np.mean)
    centre = mean(values)
    return min(low, centre), max(high, centre)


def relative_half_width(low: float, high: float, centre: float) -> float | None:
    """Returns half the interval's width over its centre, a fraction; None if the centre is 0."""
    return None if centre == 0 else (high - low) / 2 / abs(centre)
