"""What a sampler is: one place of readings, and for every quantity that it cannot read the reason.

A quantity is a column of `records.Sample` by its name. Not readable is absent from a reading and
has its reason in `missing`, never 0.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Final, Protocol

from kernels.records import Sample

QUANTITIES: Final = tuple(
    each.name for each in fields(Sample) if each.name not in {"time_s", "device"}
)
"""What can be read, in the order of the columns."""

WHOLE: Final = frozenset({"memory_bytes", "throttle_mask"})
"""Quantities that are whole numbers."""

Reading = Mapping[str, float]
"""Values by quantity, all of one moment."""


class Sampler(Protocol):
    """One accelerator, or the machine around them.

    Attributes:
        reads: Quantities that it is there for.
    """

    reads: frozenset[str]

    @property
    def source(self) -> str:
        """What is read, as `kernels doctor` says it: `nvml`, `rapl`, `host`."""

    @property
    def missing(self) -> Mapping[str, str]:
        """Why a quantity of `reads` is not read, by its name; grows when a sensor is lost on the
        way.
        """

    def read(self, now: float) -> dict[str, float]:
        """Returns what the sensors say at `now`, seconds of any clock that runs evenly; a quantity
        without a value is left out.
        """

    def close(self) -> None:
        """Let go of driver and files."""


@dataclass(slots=True)
class Counter:
    """Makes an ever growing energy, counted from its first reading, of a register that wraps around
    at a value, or never.
    """

    wraps_at: float | None = None
    total: float = 0.0
    _last: float | None = field(default=None, init=False)

    def add(self, value: float) -> float | None:
        """The total with this reading; None where the register went back and does not wrap:
        something reset it.
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
    """Several samplers of one device as one: the first that reads a quantity gives it."""

    reads = frozenset(QUANTITIES)

    def __init__(self, parts: list[Sampler], otherwise: str) -> None:
        self._parts = parts
        self._otherwise = otherwise

    @property
    def source(self) -> str:
        """The parts that read anything."""
        return (
            "+".join(part.source for part in self._parts if part.reads - part.missing.keys())
            or "none"
        )

    @property
    def missing(self) -> dict[str, str]:
        """A quantity is missing where each part that is there for it lacks it, and where none
        is.
        """
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
        """The readings of all parts."""
        found: dict[str, float] = {}
        for part in self._parts:
            found = part.read(now) | found
        return found

    def close(self) -> None:
        """Close each."""
        for part in self._parts:
            part.close()


class Absent:
    """A device that cannot be read at all, for one reason."""

    def __init__(self, source: str, reason: str) -> None:
        self.source = source
        self.reads = frozenset(QUANTITIES)
        self.missing = dict.fromkeys(QUANTITIES, reason)

    def read(self, now: float) -> dict[str, float]:
        """Nothing."""
        del now
        return {}

    def close(self) -> None:
        """Nothing to let go of."""
