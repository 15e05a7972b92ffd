"""Energy and power of a run's measured steps, from the counter and from power readings separately.

Power is integrated by the trapezoid between readings, but never across a gap, where it is unknown.
"""

import math
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from kernels.records import Metric, Sample, Stat, Status

LEAST_WINDOW_S: Final = 2.0
"""Shortest time for an energy: a counter that is updated ten times a second is off by a tenth of a
second at either end.
"""

GAP: Final = 5.0
"""Sampling intervals beyond which power is unknown, as in monitoring logs."""

LEAST_GAP_S: Final = 1.0
"""Seconds that are never a gap: sensors report a mean over up to a second (NVML since Ampere)."""

Curve = Sequence[tuple[float, float]]
"""Readings of one quantity of one device: times, rising, and values."""


@dataclass(frozen=True, slots=True)
class Power:
    """Sums of the readings of a period, over all accelerators; None if unknown.

    Attributes:
        counter_j: Energy by the counters.
        integral_j: Energy by integrating power, gaps left out.
        covered_s: Time without gaps, of the accelerator with the least.
        peak_w: Highest sum of simultaneous power readings.
    """

    counter_j: float | None
    integral_j: float | None
    covered_s: float
    peak_w: float | None
    readings: int


def between(samples: Sequence[Sample], start: float, end: float, hz: float) -> Power:
    """Sums up the readings of a period."""
    limit = max(LEAST_GAP_S, GAP / hz)
    devices = sorted({sample.device for sample in samples})
    energies = (_curve(samples, device, lambda each: each.energy_j) for device in devices)
    powers = (_curve(samples, device, lambda each: each.power_w) for device in devices)
    counters = [_grown(curve, start, end) for curve in energies]
    areas = [_area(curve, start, end, limit) for curve in powers]
    sums: dict[float, list[float]] = defaultdict(list)
    for sample in samples:
        if sample.power_w is not None and start <= sample.time_s <= end:
            sums[sample.time_s].append(sample.power_w)
    whole = [math.fsum(values) for values in sums.values() if len(values) == len(devices)]
    seen = [area for area in areas if area is not None]
    complete = bool(devices) and len(seen) == len(devices)
    return Power(
        counter_j=math.fsum(value or 0.0 for value in counters)
        if counters and None not in counters
        else None,
        integral_j=math.fsum(area for area, _ in seen) if complete else None,
        covered_s=min(covered for _, covered in seen) if complete else 0.0,
        peak_w=max(whole, default=None),
        readings=sum(len(values) for values in sums.values()),
    )


def metrics(
    power: Power, seconds: float, *, supported: bool, independent: bool
) -> Iterator[Metric]:
    """Yields the figures of the measured steps, which took `seconds`.

    `supported` is False without energy counters. Power derived from the counter is not
    `independent`: its integral adds nothing.
    """
    long_enough = seconds >= LEAST_WINDOW_S
    counter = power.counter_j if long_enough else None
    integral = power.integral_j if long_enough and independent else None
    if counter is not None:
        yield Metric("energy_j", counter, "J", n=1)
    else:
        yield Metric(
            "energy_j", None, "J", status=Status.NOT_REPORTED if supported else Status.NOT_SUPPORTED
        )
    if integral is not None:
        yield Metric("energy_integral_j", integral, "J", n=power.readings)
    if counter is not None:
        yield Metric("mean_power_w", counter / seconds, "W", n=1, stat=Stat.MEAN)
    elif integral is not None and power.covered_s > 0:
        yield Metric(
            "mean_power_w", integral / power.covered_s, "W", n=power.readings, stat=Stat.MEAN
        )
    if power.peak_w is not None:
        yield Metric("peak_power_w", power.peak_w, "W", n=power.readings, stat=Stat.MAX)


def covered(times: Sequence[float], start: float, end: float, hz: float) -> float:
    """Returns the seconds of a period between readings no further apart than a gap."""
    limit = max(LEAST_GAP_S, GAP / hz)
    moments = sorted(set(times))
    return math.fsum(
        max(0.0, min(t1, end) - max(t0, start)) for t0, t1 in pairwise(moments) if t1 - t0 <= limit
    )


def mean(
    samples: Sequence[Sample], value: Callable[[Sample], float | None], start: float, end: float
) -> float | None:
    """Returns the mean of a quantity over the readings of a period."""
    values = [
        found
        for sample in samples
        if start <= sample.time_s <= end and (found := value(sample)) is not None
    ]
    return math.fsum(values) / len(values) if values else None


def _curve(
    samples: Sequence[Sample], device: int, value: Callable[[Sample], float | None]
) -> Curve:
    return [
        (sample.time_s, found)
        for sample in samples
        if sample.device == device and (found := value(sample)) is not None
    ]


def _at(curve: Curve, time: float) -> float:
    after = max(1, min(bisect_left(curve, (time, -math.inf)), len(curve) - 1))
    (t0, v0), (t1, v1) = curve[after - 1], curve[after]
    return v0 if t1 <= t0 else v0 + (v1 - v0) * (time - t0) / (t1 - t0)


def _grown(curve: Curve, start: float, end: float) -> float | None:
    """Returns the increase of a counter; None if its readings do not cover both ends."""
    if len(curve) < 2 or curve[0][0] > start or curve[-1][0] < end:  # noqa: PLR2004 - a difference needs two
        return None
    return _at(curve, end) - _at(curve, start)


def _area(curve: Curve, start: float, end: float, limit: float) -> tuple[float, float] | None:
    if len(curve) < 2 or end <= start:  # noqa: PLR2004 - an area needs two
        return None
    area = covered = 0.0
    for (t0, v0), (t1, v1) in pairwise(curve):
        low, high = max(t0, start), min(t1, end)
        if high <= low or t1 - t0 > limit:
            continue
        slope = (v1 - v0) / (t1 - t0)
        area += (high - low) * (v0 + slope * ((low + high) / 2 - t0))
        covered += high - low
    return (area, covered) if covered > 0 else None
