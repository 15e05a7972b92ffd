"""One run over time: quality, learning rate and sensors as tracks, and the ends of epochs."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kernels.analysis import warnings
from kernels.analysis.repetitions import OWN, Setup
from kernels.records import Metric, Phase, Run, Sample, Status
from site_src.tables import curve, level

QUALITY: Final = "quality"
RATE: Final = "learning_rate"
STEP: Final = "step_time"

MEMORY: Final = "memory_bytes"
MACHINE_MEMORY: Final = "machine_memory_bytes"

LOWERED: Final = "throttle_mask"
"""Name of the track of lowered clocks, 0 or 1: the accelerator had a reason to lower its clock."""

SENSORS: Final[Mapping[str, str]] = {
    "utilisation": "1",
    "power_w": "W",
    "clock_hz": "Hz",
    LOWERED: "1",
    "temperature_c": "degC",
    MEMORY: "byte",
}
"""Sensors with a track and their units, in the order of the tracks."""

_FROM_ZERO: Final = frozenset({RATE, STEP, "power_w", MEMORY})
"""Tracks that begin at 0; others begin near their lowest reading, and a load goes from 0 to 1."""

MISSING: Final = "telemetry_missing_"
"""Prefix of the environment's settings that say why a sensor was not read."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Track:
    """One quantity over the time of a run.

    Attributes:
        name: `QUALITY`, `RATE`, `STEP` or a field of `records.Sample`.
        unit: One of `units.UNITS`; 1 for qualities and loads.
        lines: Time in s and reading, by number of the accelerator; for a rate each time from which
            it held.
        low: Lower end of the axis.
        high: Upper end.
    """

    name: str
    unit: str
    lines: Mapping[int, Sequence[Point]]
    low: float
    high: float

    @property
    def values(self) -> list[float]:
        """All readings."""
        return [value for points in self.lines.values() for _, value in points]


def end(run: Run) -> float:
    """The seconds from the start of the run's clock to its end."""
    return run.wall_time_s or max((sample.time_s for sample in run.telemetry), default=0.0)


def measured_by(run: Run) -> str:
    """The quality that judged the run: its target's, else the first that was read."""
    return run.targets[0].metric if run.targets else run.evaluations[0].metric


def tracks(run: Run) -> list[Track]:
    """The tracks of what was read at least twice while the clock ran, quality first, sensors last;
    step times replace quality without evaluations.
    """
    last = end(run)
    read = [
        (e.time_s, level(e.metric, e.value))
        for e in run.evaluations
        if e.metric == measured_by(run) and e.time_s is not None
    ]
    steps = [
        (step.start_s, step.duration_s) for step in run.steps if step.phase is not Phase.COMPILE
    ]
    found: list[tuple[str, str, Mapping[int, Sequence[Point]]]] = [
        (QUALITY, "1", {0: read}) if run.evaluations else (STEP, "s", {0: steps})
    ]
    if varies(run):
        rates = _rates(run)
        found.append((RATE, "1", {0: [*rates, (last, rates[-1][1])]}))
    within = [sample for sample in run.telemetry if 0 <= sample.time_s <= last]
    found += [(name, unit, lines_of(within, name)) for name, unit in SENSORS.items()]
    return [
        Track(
            name, unit, lines, *_axis(name, [value for line in lines.values() for _, value in line])
        )
        for name, unit, lines in found
        if any(len(line) > 1 for line in lines.values())
    ]


def varies(run: Run) -> bool:
    """Returns True if the learning rate changed between epochs, so that it has a track."""
    return len({rate for _, rate in _rates(run)}) > 1


def _rates(run: Run) -> list[Point]:
    return [
        (e.start_s, e.learning_rate)
        for e in run.epochs
        if e.start_s is not None and e.learning_rate is not None
    ]


def lines_of(samples: Sequence[Sample], name: str) -> dict[int, list[Point]]:
    """Time and reading of a field by accelerator; of lowered clocks only if one was lowered."""
    found: dict[int, list[Point]] = {}
    for sample in samples:
        value = getattr(sample, name)
        if value is not None:
            reading = bool(value & warnings.LOWERED) if name == LOWERED else value
            found.setdefault(sample.device, []).append((sample.time_s, float(reading)))
    read = (value for points in found.values() for _, value in points)
    return {} if name == LOWERED and not any(read) else found


def reasons(run: Run) -> Mapping[str, float]:
    """The reasons for lowered clocks, with their share of readings."""
    last = end(run)
    masks = [
        sample.throttle_mask
        for sample in run.telemetry
        if 0 <= sample.time_s <= last and sample.throttle_mask is not None
    ]
    return warnings.throttle_shares(masks)


def _axis(name: str, values: Sequence[float]) -> tuple[float, float]:
    if name in {"utilisation", LOWERED}:
        return 0.0, 1.0
    low, high = 0.0 if name in _FROM_ZERO else min(values), max(values)
    span = (high - low) or abs(high) or 1.0
    step = 10 ** math.floor(math.log10(span))
    step = next(
        size for size in (step / 10, step / 5, step / 2, step) if span / size <= _MOST_PARTS
    )
    ends = math.floor(low / step + _EXACT) * step, math.ceil(high / step - _EXACT) * step
    return (ends[0], ends[1] if ends[1] > ends[0] else ends[0] + step)


_MOST_PARTS: Final = 10
"""The most round steps of an axis."""

_EXACT: Final = 1e-9


def word(name: str, run: Run) -> str:
    """The key below `telemetry.` of a track's name: memory is an accelerator's or the machine's."""
    return MACHINE_MEMORY if name == MEMORY and _bare(run) else name


def _bare(run: Run) -> bool:
    return run.environment is None or run.environment.accelerator_name is None


def ends_of_epochs(run: Run) -> list[tuple[int, float]]:
    """Epochs finished and when, evaluation included."""
    base = run.epoch_index_base or 0
    return [
        (epoch.index - base + 1, epoch.start_s + epoch.duration_s + (epoch.evaluation_s or 0.0))
        for epoch in run.epochs
        if epoch.start_s is not None and epoch.duration_s is not None
    ]


def drops(run: Run) -> list[tuple[int, float]]:
    """Epochs finished, and when, as the learning rate had fallen to half or less."""
    at = set(curve.rate_changes(run))
    return [(epoch, time) for epoch, time in ends_of_epochs(run) if epoch in at]


def unread(run: Run) -> list[str]:
    """The keys of the names of sensors that were asked for but could not be read."""
    extra = run.environment.extra if run.environment is not None else ()
    missing = {
        setting.name.removeprefix(MISSING) for setting in extra if setting.name.startswith(MISSING)
    }
    return [
        word(name, run)
        for name in SENSORS
        if name in missing and not (name == LOWERED and _bare(run))
    ]


def to_target(run: Run) -> Metric | None:
    """The run's time to its target; None if it did not reach it."""
    found = (run.metric(f"time_to_target_s@{target.value:g}") for target in run.targets)
    return next(
        (metric for metric in found if metric is not None and metric.status is Status.OK), None
    )


def watched(run: Run) -> bool:
    """Returns True if a run of this harness has a curve over time and sensor readings."""
    known = [track.name for track in tracks(run)] if run.evaluations else []
    return run.origin in OWN and QUALITY in known and bool(SENSORS.keys() & set(known))


def representative(runs: Sequence[Run]) -> tuple[Run, Sequence[Run]] | None:
    """The run that represents its repetitions, and those; None if none was watched."""
    seen = [run for run in runs if watched(run)]
    return middle(seen) if seen else None


def chosen_run(found: Iterable[Setup]) -> tuple[Run, Sequence[Run]] | None:
    """The run that represents all setups, and its repetitions: of the setup with the most runs."""
    largest = sorted(found, key=lambda setup: (len(setup.runs), age(setup)), reverse=True)
    return next(
        (chosen for setup in largest if (chosen := representative(setup.runs)) is not None), None
    )


def age(setup: Setup) -> float:
    """Returns when the newest run of a setup began, in seconds since the epoch."""
    began = setup.runs[-1].started_at
    return began.timestamp() if began else 0.0


def middle(runs: Sequence[Run]) -> tuple[Run, Sequence[Run]]:
    """The run that represents its repetitions, and the candidates: the one with the median time to
    the target, the faster of two; without any, with the median total time.
    """
    hits = [
        (metric.value, run.run_id, run)
        for run in runs
        if (metric := to_target(run)) is not None and metric.value is not None
    ]
    timed = sorted(hits or [(end(run), run.run_id, run) for run in runs], key=lambda each: each[:2])
    return timed[(len(timed) - 1) // 2][2], [run for _, _, run in timed]
