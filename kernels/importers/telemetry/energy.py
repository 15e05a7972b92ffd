"""What a monitoring log comes to: energy over real time steps, means, peaks and gaps, in one pass
and in bounded memory.

Between two readings power is taken to change evenly (the trapezoid), however far apart they are,
but never across a gap: what was drawn there is not known. A gap is what is longer than `GAP` median
intervals of that accelerator and than `LEAST_GAP_S`. The median is known only at the end, so steps
are added up by their length, to three digits, and those that are gaps are left out then.
"""

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from kernels.importers.telemetry.log import Reading
from kernels.records import Metric, Sample, Stat
from kernels.telemetry.energy import GAP, LEAST_GAP_S
from kernels.telemetry.readings import MOST_SAMPLES, sample_of

MOST_ROUND_S: Final = 0.05
"""Seconds between the rows of two accelerators in one round of a tool, at most."""

ROUNDS: Final = 64
"""Accelerators whose rows are told from a log of one by their bursts, at most."""

_MICRO: Final = 1_000_000


@dataclass(slots=True)
class Steps:
    """Time steps between readings of one quantity, added up by their length.

    Attributes:
        bins: By length in seconds, to three digits: how many, their microseconds, and the quantity
            over their seconds (the trapezoid).
        longest_s: The longest step.
        still: Readings at the time of the one before.
    """

    bins: dict[float, list[float]] = field(default_factory=dict)
    longest_s: float = 0.0
    still: int = 0
    _last: tuple[int, float] | None = None

    def add(self, at_us: int, value: float = 1.0) -> None:
        """One more reading; times never fall."""
        if self._last is not None:
            step = (at_us - self._last[0]) / _MICRO
            if step > 0:
                sums = self.bins.setdefault(float(f"{step:.3g}"), [0.0, 0.0, 0.0])
                sums[0] += 1
                sums[1] += at_us - self._last[0]
                sums[2] += step * (self._last[1] + value) / 2
                self.longest_s = max(self.longest_s, step)
            else:
                self.still += 1
        self._last = (at_us, value)

    def part(self) -> None:
        """The next reading follows none: nothing is known of the time between."""
        self._last = None

    def median_s(self) -> float | None:
        """Median length of the steps; None without any."""
        count = sum(sums[0] for sums in self.bins.values())
        passed = 0.0
        for length in sorted(self.bins):
            passed += self.bins[length][0]
            if 2 * passed >= count:
                return length
        return None

    def within(self, limit_s: float) -> tuple[float, float]:
        """Seconds of the steps up to that length, and the quantity over them."""
        held = [sums for length, sums in self.bins.items() if length <= limit_s]
        return sum(sums[1] for sums in held) / _MICRO, math.fsum(sums[2] for sums in held)

    def beyond(self, limit_s: float) -> int:
        """Returns how many steps are longer."""
        return int(sum(sums[0] for length, sums in self.bins.items() if length > limit_s))

    def bursts(self) -> float:
        """Share of the steps that are next to nothing beside the others: rows of several
        accelerators come one right after the other.
        """
        lengths = [(length, sums[0]) for length, sums in self.bins.items()]
        count = self.still + sum(times for _, times in lengths)
        mean = sum(sums[1] for sums in self.bins.values()) / _MICRO / max(count, 1.0)
        short = self.still + sum(
            times for length, times in lengths if length <= min(mean / 20, MOST_ROUND_S)
        )
        # One break in a fine log makes its mean long: rounds end again and again.
        return short / count if count - short >= max(1.0, count / ROUNDS) else 0.0


@dataclass(slots=True)
class Track:
    """One accelerator of a log.

    Attributes:
        first_us: Time of its first reading, as `last_us` on a clock that never goes back.
        backwards: How often its own clock did.
        peaks: Highest reading by field; `known` counts rows that have one.
    """

    number: int
    first_us: int = 0
    last_us: int = 0
    backwards: int = 0
    readings: int = 0
    pace: Steps = field(default_factory=Steps)
    power: Steps = field(default_factory=Steps)
    utilisation: Steps = field(default_factory=Steps)
    peaks: dict[str, float] = field(default_factory=dict)
    known: dict[str, int] = field(default_factory=dict)
    samples: list[Sample] = field(default_factory=list)
    _shift_us: int = 0
    _step_us: int = 0

    def add(self, reading: Reading, stride: int, origin_us: int) -> bool:
        """One more row; whether it was kept."""
        at = reading.at_us + self._shift_us
        if not self.readings:
            self.first_us = self.last_us = at
        elif at < self.last_us:
            # Whatever the clock was set to: the row comes after the one before it, and how long
            # after is not known.
            self.backwards += 1
            self._shift_us += self.last_us + self._step_us - at
            at = self.last_us + self._step_us
            for steps in (self.pace, self.power, self.utilisation):
                steps.part()
        else:
            self._step_us = at - self.last_us
        self.last_us = at
        self.pace.add(at)
        values = reading.values
        if "power_w" in values:
            self.power.add(at, values["power_w"])
        if "utilisation" in values:
            self.utilisation.add(at, values["utilisation"])
        for name, value in values.items():
            self.known[name] = self.known.get(name, 0) + 1
            if value > self.peaks.get(name, -math.inf):
                self.peaks[name] = value
        keep = self.readings % stride == 0
        if keep:
            self.samples.append(sample_of((at - origin_us) / _MICRO, self.number, values))
        self.readings += 1
        return keep

    @property
    def limit_s(self) -> float:
        """Length beyond which a step is a gap."""
        return max(LEAST_GAP_S, GAP * (self.pace.median_s() or 0.0))

    @property
    def covered_s(self) -> float:
        """Time without gaps, of its power where it has any."""
        return (self.power if self.has_power else self.pace).within(self.limit_s)[0]

    @property
    def gaps(self) -> int:
        """How many gaps its readings have."""
        return self.pace.beyond(self.limit_s)

    @property
    def has_power(self) -> bool:
        """Whether power was read: a card that draws 0 W throughout has no sensor."""
        return self.peaks.get("power_w", 0.0) > 0

    def energy_j(self) -> float | None:
        """Energy over the time without gaps; None where no two readings of power follow each
        other.
        """
        covered, energy = self.power.within(self.limit_s)
        return energy if self.has_power and covered > 0 else None


class Log:
    """A log as it is read: its accelerators, and evenly spaced readings of it."""

    def __init__(self, most: int = MOST_SAMPLES) -> None:
        self.tracks: dict[int, Track] = {}
        self.origin_us = 0
        self.stride = 1
        self._most = most
        self._kept = 0

    def add(self, reading: Reading) -> None:
        """One more row."""
        if not self.tracks:
            self.origin_us = reading.at_us
        track = self.tracks.setdefault(reading.device, Track(reading.device))
        self._kept += track.add(reading, self.stride, self.origin_us)
        while self._kept > self._most:
            self.stride *= 2
            for each in self.tracks.values():
                each.samples = each.samples[::2]
            self._kept = sum(len(each.samples) for each in self.tracks.values())
            if all(len(each.samples) <= 1 for each in self.tracks.values()):
                break

    @property
    def readings(self) -> int:
        """Rows of all accelerators."""
        return sum(track.readings for track in self.tracks.values())

    @property
    def start_us(self) -> int:
        """Time of the first reading."""
        return min(track.first_us for track in self.tracks.values())

    def samples(self) -> tuple[Sample, ...]:
        """The readings that are kept, from the first one on, in order of time, without the power of
        a card that has no such sensor.
        """
        ahead = (self.origin_us - self.start_us) / _MICRO
        found = []
        for track in self.tracks.values():
            counter = next(
                (sample.energy_j for sample in track.samples if sample.energy_j is not None), None
            )
            for sample in track.samples:
                energy = (
                    None
                    if sample.energy_j is None or counter is None
                    else max(0.0, sample.energy_j - counter)
                )
                power = sample.power_w if track.has_power else None
                found.append(
                    replace(sample, time_s=sample.time_s + ahead, power_w=power, energy_j=energy)
                )
        return tuple(sorted(found, key=lambda sample: (sample.time_s, sample.device)))

    def metrics(self) -> tuple[Metric, ...]:
        """The figures of the log; each also of one accelerator, by its number, where there are
        several.
        """
        tracks = [self.tracks[number] for number in sorted(self.tracks)]
        found = list(_figures(tracks, ""))
        if len(tracks) > 1:
            for track in tracks:
                found += _figures([track], f"_of_{track.number}")
        return tuple(found)


def _figures(tracks: list[Track], suffix: str) -> Iterator[Metric]:
    def metric(
        name: str, value: float | None, unit: str, stat: Stat = Stat.SINGLE, n: int | None = None
    ) -> Iterator[Metric]:
        if value is not None:
            yield Metric(f"monitored_{name}{suffix}", value, unit, stat=stat, n=n)

    powered = [track for track in tracks if track.energy_j() is not None]
    loaded = [
        means for track in tracks if (means := track.utilisation.within(track.limit_s))[0] > 0
    ]
    count = sum(track.known.get("power_w", 0) for track in powered)
    if powered:
        yield from metric(
            "energy_j", math.fsum(track.energy_j() or 0.0 for track in powered), "J", n=count
        )
        mean = math.fsum((track.energy_j() or 0.0) / track.covered_s for track in powered)
        yield from metric("mean_power_w", mean, "W", Stat.MEAN, count)
        yield from metric(
            "peak_power_w", max(track.peaks["power_w"] for track in powered), "W", Stat.MAX, count
        )
    if loaded:
        mean = math.fsum(area / seconds for seconds, area in loaded) / len(loaded)
        yield from metric(
            "mean_utilisation",
            min(mean, 1.0),
            "1",
            Stat.MEAN,
            sum(track.known.get("utilisation", 0) for track in tracks),
        )
    yield from _peaks_and_times(tracks, metric)


def _peaks_and_times(
    tracks: list[Track], metric: Callable[..., Iterator[Metric]]
) -> Iterator[Metric]:
    for name, field_, unit in (
        ("peak_temperature_c", "temperature_c", "degC"),
        ("peak_memory_bytes", "memory_bytes", "byte"),
    ):
        peaks = [track.peaks[field_] for track in tracks if field_ in track.peaks]
        known = sum(track.known.get(field_, 0) for track in tracks)
        yield from metric(name, max(peaks, default=None), unit, Stat.MAX, known)
    span = (
        max(track.last_us for track in tracks) - min(track.first_us for track in tracks)
    ) / _MICRO
    yield from metric("time_s", span, "s")
    yield from metric("covered_s", min(track.covered_s for track in tracks), "s")
    yield from metric("largest_gap_s", max(track.pace.longest_s for track in tracks) or None, "s")
    paces = sorted(pace for track in tracks if (pace := track.pace.median_s()) is not None)
    yield from metric("interval_s", paces[len(paces) // 2] if paces else None, "s", Stat.MEDIAN)
    yield from metric("readings", float(sum(track.readings for track in tracks)), "1")
