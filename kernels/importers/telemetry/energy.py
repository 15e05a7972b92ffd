"""Figures of a monitoring log: energy over real time steps, means, peaks and gaps.

Power is integrated by the trapezoid between readings, but never across a gap, where it is unknown.
A gap is longer than `GAP` median intervals of that accelerator and than `LEAST_GAP_S`.
"""

import math
from array import array
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from kernels.importers.telemetry.log import Reading
from kernels.records import Metric, Sample, Stat
from kernels.telemetry.energy import GAP, LEAST_GAP_S
from kernels.telemetry.readings import MOST_SAMPLES, sample_of, stride

Numbers = NDArray[Any]

MOST_ROUND_S: Final = 0.05
"""Most seconds between the rows of two accelerators in one round of a tool."""

ROUNDS: Final = 64
"""Most accelerators whose rows in one log are recognised by their bursts."""

_MICRO: Final = 1e6


class Track:
    """One accelerator of a log.

    Attributes:
        at_us: Times of its readings on a clock that never goes back: if its own was set back, the
            row follows the one before at an unknown distance.
        backwards: Times that its own clock went back.
        values: Readings by field, NaN where missing.
        pace_us: Time steps between its readings, except where the clock went back.
    """

    def __init__(self, number: int, readings: "_Readings") -> None:
        self.number = number
        at = np.array(readings.at_us)
        steps = np.diff(at, prepend=at[:1])
        back = steps < 0
        steps = steps[np.maximum.accumulate(np.where(back, 0, np.arange(at.size)))]
        self.at_us = at[0] + np.cumsum(steps)
        self.backwards = int(back.sum())
        self._stretch = np.cumsum(back)
        self.values = {name: np.array(readings.values[name]) for name in sorted(readings.values)}
        self.pace_us, _ = self._steps(np.ones(at.size))
        forward = self.pace_us[self.pace_us > 0] / _MICRO
        self.longest_s = float(forward.max(initial=0.0))
        self.median_s = (
            float(np.quantile(forward, 0.5, method="inverted_cdf")) if forward.size else None
        )
        self.limit_s = max(LEAST_GAP_S, GAP * (self.median_s or 0.0))
        self.gaps = int((forward > self.limit_s).sum())

    def _steps(self, values: Numbers) -> tuple[Numbers, Numbers]:
        """Returns microseconds between consecutive readings of a quantity, and its integrals."""
        known = ~np.isnan(values)
        step, value = np.diff(self.at_us[known]), values[known]
        held = np.diff(self._stretch[known]) == 0
        return step[held], (step / _MICRO * (value[1:] + value[:-1]) / 2)[held]

    def reading(self, place: int) -> dict[str, float]:
        """Returns the readings at an index, without missing ones."""
        found = {name: float(values[place]) for name, values in self.values.items()}
        return {name: value for name, value in found.items() if not math.isnan(value)}

    def over(self, name: str) -> tuple[float, float]:
        """Returns the seconds between readings of a quantity without gaps, and its integral."""
        if name not in self.values:
            return 0.0, 0.0
        step, area = self._steps(self.values[name])
        held = step <= self.limit_s * _MICRO
        return step[held].sum() / _MICRO, math.fsum(area[held])

    def known(self, name: str) -> int:
        """Returns the number of readings of a quantity."""
        return int((~np.isnan(self.values[name])).sum()) if name in self.values else 0

    @property
    def covered_s(self) -> float:
        """Time without gaps, of its power if there is any."""
        if self.has_power:
            return self.over("power_w")[0]
        return float(self.pace_us[self.pace_us <= self.limit_s * _MICRO].sum() / _MICRO)

    @cached_property
    def has_power(self) -> bool:
        """True if power was read: a card that draws 0 W throughout has no sensor."""
        return "power_w" in self.values and bool(np.nanmax(self.values["power_w"]) > 0)

    def energy_j(self) -> float | None:
        """Returns the energy without gaps; None without two consecutive readings of power."""
        covered, energy = self.over("power_w")
        return energy if self.has_power and covered > 0 else None

    def bursts(self) -> float:
        """Returns the share of steps that are tiny compared with the others: rows of several
        accelerators follow each other at once.
        """
        count = max(self.pace_us.size, 1)
        limit = min(self.pace_us.sum() / count / 20, MOST_ROUND_S * _MICRO)
        short = int((self.pace_us <= limit).sum())
        # One break in a fine log makes its mean long: rounds end repeatedly.
        return short / count if count - short >= max(1.0, count / ROUNDS) else 0.0


class _Readings:
    """The readings of an accelerator as arrays: a log of a week has millions."""

    def __init__(self) -> None:
        self.at_us = array("q")
        self.values: dict[str, array[float]] = {}

    def add(self, reading: Reading) -> None:
        for name in reading.values.keys() - self.values.keys():
            self.values[name] = array("d", [math.nan]) * len(self.at_us)
        self.at_us.append(reading.at_us)
        for name, values in self.values.items():
            values.append(reading.values.get(name, math.nan))


class Log:
    """A log as read: its accelerators, and evenly spaced readings."""

    def __init__(self, readings: Iterable[Reading], most: int = MOST_SAMPLES) -> None:
        rows: dict[int, _Readings] = defaultdict(_Readings)
        for each in readings:
            rows[each.device].add(each)
        self.tracks = {number: Track(number, rows.pop(number)) for number in sorted(rows)}
        self.start_us = min((int(each.at_us[0]) for each in self.tracks.values()), default=0)
        self.readings = sum(each.at_us.size for each in self.tracks.values())
        self.stride = stride(self.readings, most)
        self._kept = [
            sample_of(
                (int(track.at_us[place]) - self.start_us) / _MICRO, number, track.reading(place)
            )
            for number, track in self.tracks.items()
            for place in range(0, track.at_us.size, self.stride)
        ]

    def samples(self) -> tuple[Sample, ...]:
        """Returns the kept readings in order of time, without power of a card that has no such
        sensor; energy counts from the first one.
        """
        first: dict[int, float] = {}
        made = []
        for sample in self._kept:
            energy = sample.energy_j
            if energy is not None:
                energy = max(0.0, energy - first.setdefault(sample.device, energy))
            power = sample.power_w if self.tracks[sample.device].has_power else None
            made.append(replace(sample, power_w=power, energy_j=energy))
        return tuple(sorted(made, key=lambda sample: (sample.time_s, sample.device)))

    def metrics(self) -> tuple[Metric, ...]:
        """Returns the figures of the log and, if there are several, of each accelerator."""
        tracks = list(self.tracks.values())
        found = [*_figures(tracks, "")]
        if len(tracks) > 1:
            found += [each for track in tracks for each in _figures([track], f"_of_{track.number}")]
        return tuple(found)


def _figures(tracks: Sequence[Track], suffix: str) -> Iterator[Metric]:
    for name, value, unit, stat, n in (*_means(tracks), *_peaks(tracks), *_times(tracks)):
        if value is not None:
            yield Metric(f"monitored_{name}{suffix}", float(value), unit, stat=stat, n=n)


Figure = tuple[str, float | None, str, Stat, int | None]


def _means(tracks: Sequence[Track]) -> Iterator[Figure]:
    powered = [track for track in tracks if track.energy_j() is not None]
    if powered:
        count = sum(track.known("power_w") for track in powered)
        energies = [track.energy_j() or 0.0 for track in powered]
        drawn = [energy / track.covered_s for energy, track in zip(energies, powered, strict=True)]
        peak = max(np.nanmax(track.values["power_w"]) for track in powered)
        yield "energy_j", math.fsum(energies), "J", Stat.SINGLE, count
        yield "mean_power_w", math.fsum(drawn), "W", Stat.MEAN, count
        yield "peak_power_w", peak, "W", Stat.MAX, count
    loads = [
        area / seconds
        for track in tracks
        for seconds, area in [track.over("utilisation")]
        if seconds
    ]
    if loads:
        count = sum(track.known("utilisation") for track in tracks)
        yield "mean_utilisation", min(math.fsum(loads) / len(loads), 1.0), "1", Stat.MEAN, count


def _peaks(tracks: Sequence[Track]) -> Iterator[Figure]:
    for field, unit in (("temperature_c", "degC"), ("memory_bytes", "byte")):
        count = sum(track.known(field) for track in tracks)
        peaks = [np.nanmax(track.values[field]) for track in tracks if field in track.values]
        yield f"peak_{field}", max(peaks, default=None), unit, Stat.MAX, count


def _times(tracks: Sequence[Track]) -> Iterator[Figure]:
    paces = sorted(track.median_s for track in tracks if track.median_s is not None)
    ends = [(track.at_us[0], track.at_us[-1]) for track in tracks]
    span = (max(last for _, last in ends) - min(first for first, _ in ends)) / _MICRO
    yield "time_s", span, "s", Stat.SINGLE, None
    yield "covered_s", min(track.covered_s for track in tracks), "s", Stat.SINGLE, None
    longest = max(track.longest_s for track in tracks) or None
    yield "largest_gap_s", longest, "s", Stat.SINGLE, None
    yield "interval_s", paces[len(paces) // 2] if paces else None, "s", Stat.MEDIAN, None
    yield "readings", sum(track.at_us.size for track in tracks), "1", Stat.SINGLE, None
