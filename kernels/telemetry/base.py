"""Samplers: sources of readings, with the reason for every quantity that cannot be read.

A quantity is a column of `records.Sample`. An unreadable one is absent from a reading, never 0, and
has its reason in `missing`.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final, Protocol

from kernels.records import Sample

QUANTITIES: Final = tuple(
    each.name for each in fields(Sample) if each.name not in {"time_s", "device"}
)
"""Quantities, in the order of the columns."""

WHOLE: Final = frozenset({"memory_bytes", "throttle_mask"})
"""Quantities that are whole numbers."""

Reading = Mapping[str, float]
"""Values by quantity, all of one moment."""


class Sampler(Protocol):
    """One accelerator, or the machine around them.

    Attributes:
        reads: Quantities that it is responsible for.
    """

    reads: frozenset[str]

    @property
    def source(self) -> str:
        """Source as in `kernels doctor`: `nvml`, `rapl`, `host`."""

    @property
    def missing(self) -> Mapping[str, str]:
        """Reason for each quantity of `reads` that is not read; grows when a sensor is lost."""

    def read(self, now: float) -> dict[str, float]:
        """Returns the readings at `now`, seconds of a steady clock, without missing quantities."""

    def close(self) -> None:
        """Closes driver and files."""


@dataclass(slots=True)
class Counter:
    """Makes an energy that only grows, counted from its first reading, of a register that wraps
    around at a value, or never.
    """

    wraps_at: float | None = None
    total: float = 0.0
    _last: float | None = field(default=None, init=False)

    def add(self, value: float) -> float | None:
        """Returns the total with this reading; None if a register that does not wrap went back: it
        was reset.
        """
        if self._last is not None:
            step = value - self._last
            if step < 0:
                if self.wraps_at is None:
                    self._last = value
                    return None
                step += self.wraps_at
            self.total += step
        self._last = value
        return self.total


class Joint:
    """Several samplers of one device as one: the first that reads a quantity provides it."""

    reads = frozenset(QUANTITIES)

    def __init__(self, parts: list[Sampler], otherwise: str) -> None:
        self._parts = parts
        self._otherwise = otherwise

    @property
    def source(self) -> str:
        """Sources that read anything."""
        return (
            "+".join(part.source for part in self._parts if part.reads - part.missing.keys())
            or "none"
        )

    @property
    def missing(self) -> dict[str, str]:
        """Reasons for quantities that all responsible samplers lack, or that have none."""
        found: dict[str, str] = {}
        for name in QUANTITIES:
            parts = [part for part in self._parts if name in part.reads]
            if all(name in part.missing for part in parts):
                found[name] = (
                    "; ".join(dict.fromkeys(part.missing[name] for part in parts))
                    or self._otherwise
                )
        return found

    def read(self, now: float) -> dict[str, float]:
        """Returns the readings of all samplers."""
        found: dict[str, float] = {}
        for part in self._parts:
            found = part.read(now) | found
        return found

    def close(self) -> None:
        """Closes each."""
        for part in self._parts:
            part.close()


class Absent:
    """A device that cannot be read at all, for one reason."""

    def __init__(self, source: str, reason: str) -> None:
        self.source = source
        self.reads = frozenset(QUANTITIES)
        self.missing = dict.fromkeys(QUANTITIES, reason)

    def read(self, now: float) -> dict[str, float]:
        """Returns no readings."""
        del now
        return {}

    def close(self) -> None:
        """Does nothing."""
