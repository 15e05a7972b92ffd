"""What a sampler wrote beside a journal, on the run's own clock; a line that a crash cut in the
middle is passed over.
"""

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
"""Readings that are recorded with a run, or of a monitoring log, over all accelerators: of more
every second, fourth, eighth, ... is kept.
"""

SAME_CLOCK_S: Final = 0.1
"""Two processes' clocks are one where they agree with the wall's to this."""


@dataclass(frozen=True, slots=True)
class Watched:
    """The readings of one run.

    Attributes:
        samples: Of the accelerators, all of them, in order of time since the run's clock started.
        machine: Of the machine around them; none where the processor is the accelerator.
        hz: Rate that was asked for.
        sources: What was read of the accelerators, such as `nvml`.
        missing: Why a quantity of the accelerators was not read, by its name.
        cost: Processor seconds of the sampler a second; None where it did not live to say.
        clock: `shared`, or `wall_clock` where the wall's brought two clocks together.
    """

    samples: tuple[Sample, ...]
    machine: tuple[Sample, ...]
    hz: float
    sources: str
    missing: Mapping[str, str]
    cost: float | None
    clock: str


def read(path: Path, zero: Mapping[str, Any] | None) -> Watched | None:
    """The readings in a sampler's file; None where there is none, or nothing in it. `zero` is the
    journal's `clock` line: when the run's clock started, and the worker's clocks at a moment.

    Raises:
        StoreError: The file is of another version, or a line of it is damaged.
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
    # A device that cannot be read at all has no readings, and its reasons in `missing`.
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
    """Seconds to take off the sampler's times so that 0 is the start of the run's clock."""
    if zero is None:
        return 0.0, "unknown"
    apart = (sampler["now"] - sampler["wall"]) - (zero["now"] - zero["wall"])
    if sampler["implementation"] == zero["implementation"] and abs(apart) <= SAME_CLOCK_S:
        return float(zero["zero"]), "shared"
    return float(zero["zero"]) + apart, "wall_clock"


def sample_of(time_s: float, device: int, values: Mapping[str, float | None]) -> Sample:
    """One reading with its values by quantity; None for what was not read."""
    typed = {
        name: int(value) if name in WHOLE else float(value)
        for name, value in values.items()
        if value is not None
    }
    return Sample(time_s, device, **typed)  # type: ignore[arg-type]  # its own fields, by name


def stride(count: int, most: int = MOST_SAMPLES) -> int:
    """Of how many readings one is kept, so that of so many there are at most `most`."""
    found = 1
    while count > most * found:
        found *= 2
    return found


def thinned(samples: Sequence[Sample], most: int = MOST_SAMPLES) -> tuple[tuple[Sample, ...], int]:
    """At most so many, evenly spaced for each accelerator; and of how many one is kept."""
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
