"""Parses a sampler's file beside a journal, on the run's own clock; skips lines cut by a crash."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from kernels.errors import StoreError
from kernels.records import Sample
from kernels.telemetry.base import QUANTITIES, WHOLE
from kernels.telemetry.process import MACHINE, VERSION

MOST_SAMPLES: Final = 10_000
"""Readings recorded with a run or a monitoring log at most, over all accelerators: of more, every
second, fourth, eighth, ... is kept.
"""

SAME_CLOCK_S: Final = 0.1
"""Largest difference to the wall clock at which two processes' clocks count as one."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The readings of one run.

    Attributes:
        samples: All readings of the accelerators, in order of time on the run's clock.
        machine: Readings of the machine around them; none if the processor is the accelerator.
        hz: Requested rate.
        sources: Sources for the accelerators, such as `nvml`.
        missing: Reason for each quantity of the accelerators that was not read.
        cost: Processor seconds of the sampler per second; None if it died.
        clock: `shared`, or `wall_clock` if two clocks were aligned by it.
    """

    samples: tuple[Sample, ...]
    machine: tuple[Sample, ...]
    hz: float
    sources: str
    missing: Mapping[str, str]
    cost: float | None
    clock: str


def read(path: Path, zero: Mapping[str, Any] | None) -> Watched | None:
    """Returns the readings in a sampler's file; None without a file or readings. `zero` is the
    journal's `clock` line: start of the run's clock, and the worker's clocks at a moment.

    Raises:
        StoreError: The file is of another version, or a line is damaged.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    events = [event for line in lines if (event := _event(line)) is not None]
    if not events:
        return None
    if events[0]["event"] != "start" or events[0].get("version") != VERSION:
        found = events[0].get("version")
        raise StoreError(
            f"{path}: readings of version {found!r}, wanted {VERSION}: recover the run with the "
            "version that wrote it"
        )
    try:
        return _watched(events, zero)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise StoreError(
            f"{path}: a line is damaged ({type(error).__name__}: {error}): delete the file to "
            "recover without it"
        ) from error


def _event(line: bytes) -> dict[str, Any] | None:
    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return event if isinstance(event, dict) and isinstance(event.get("event"), str) else None


def _watched(events: Sequence[dict[str, Any]], zero: Mapping[str, Any] | None) -> Watched:
    head = events[0]
    names = head["quantities"]
    shift, clock = _shift(head["clocks"], zero)
    samples: list[Sample] = []
    cost = None
    missing = _missing(events, shift)
    for event in events[1:]:
        if event["event"] == "readings":
            samples += [
                sample_of(at - shift, int(device), dict(zip(names, values, strict=True)))
                for at, device, *values in event["rows"]
            ]
            cost = event["cpu_s"] / event["wall_s"] if event["wall_s"] > 0 else None
    numbers = {int(number) for number in head["sources"]} - {MACHINE}
    # A device that cannot be read at all has no readings, and its reasons are in `missing`.
    seen = {
        each.device
        for each in samples
        if any(getattr(each, name) is not None for name in QUANTITIES)
    }
    return Watched(
        samples=tuple(each for each in samples if each.device != MACHINE and each.device in seen)
        if zero is not None
        else (),
        machine=tuple(each for each in samples if each.device == MACHINE)
        if zero is not None
        else (),
        hz=float(head["hz"]),
        sources=", ".join(
            dict.fromkeys(
                source for number, source in head["sources"].items() if int(number) in numbers
            )
        ),
        missing={
            name: _said({n: text for n, text in by.items() if n in numbers}, numbers)
            for name, by in missing.items()
            if numbers & set(by)
        },
        cost=cost,
        clock=clock,
    )


def _missing(events: Sequence[dict[str, Any]], shift: float) -> dict[str, dict[int, str]]:
    missing: dict[str, dict[int, str]] = {}
    for number, reasons in events[0]["missing"].items():
        for name, reason in reasons.items():
            missing.setdefault(name, {})[int(number)] = reason
    for event in events[1:]:
        if event["event"] == "missing":
            after = f"{event['reason']} (after {event['time'] - shift:.1f} s)"
            missing.setdefault(event["quantity"], {})[int(event["device"])] = after
    return missing


def _said(reasons: Mapping[int, str], numbers: set[int]) -> str:
    if set(reasons) == numbers and len(set(reasons.values())) == 1:
        return next(iter(reasons.values()))
    return "; ".join(f"of {number}: {reason}" for number, reason in sorted(reasons.items()))


def _shift(sampler: Mapping[str, Any], zero: Mapping[str, Any] | None) -> tuple[float, str]:
    """Returns the seconds to subtract from the sampler's times to get the run's clock."""
    if zero is None:
        return 0.0, "unknown"
    apart = (sampler["now"] - sampler["wall"]) - (zero["now"] - zero["wall"])
    if sampler["implementation"] == zero["implementation"] and abs(apart) <= SAME_CLOCK_S:
        return float(zero["zero"]), "shared"
    return float(zero["zero"]) + apart, "wall_clock"


def sample_of(time_s: float, device: int, values: Mapping[str, float | None]) -> Sample:
    """Returns a reading with its values by quantity; None for missing ones."""
    typed = {
        name: int(value) if name in WHOLE else float(value)
        for name, value in values.items()
        if value is not None
    }
    return Sample(time_s, device, **typed)  # type: ignore[arg-type]  # its own fields, by name


def stride(count: int, most: int = MOST_SAMPLES) -> int:
    """Returns the stride of readings to keep, so that of `count` at most `most` remain."""
    found = 1
    while count > most * found:
        found *= 2
    return found


def thinned(samples: Sequence[Sample], most: int = MOST_SAMPLES) -> tuple[tuple[Sample, ...], int]:
    """Returns at most `most` readings, evenly spaced for each accelerator, and the stride."""
    one_in = stride(len(samples), most)
    if one_in == 1:
        return tuple(samples), 1
    seen: dict[int, int] = {}
    kept = []
    for sample in samples:
        place = seen.get(sample.device, 0)
        seen[sample.device] = place + 1
        if place % one_in == 0:
            kept.append(sample)
    return tuple(kept), one_in
