"""Sensors of this machine, and why others are not read: for `kernels doctor`."""

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kernels.telemetry import nvml
from kernels.telemetry.base import QUANTITIES, Absent, Sampler
from kernels.telemetry.host import Host
from kernels.telemetry.rapl import Rapl

BETWEEN_S = 0.05


@dataclass(frozen=True, slots=True)
class Source:
    """A source of readings (`nvml`, `rapl` or `host`) of a card, or of the machine itself: the
    columns that it reads here, and why not the rest.
    """

    source: str
    device: int | None
    quantities: tuple[str, ...]
    missing: Mapping[str, str]


def sources(driver: Any = None, others: Sequence[Sampler] | None = None) -> Iterator[Source]:
    """Yields all sources; each is read twice, since power may be derived from two readings."""
    loaded, reason = nvml.load() if driver is None else nvml.begin(driver)
    if loaded is None:
        yield _read_twice(None, Absent(nvml.SOURCE, reason or nvml.NO_PACKAGE))
    else:
        for number, card in nvml.cards(
            [str(index) for index in range(nvml.count(loaded))], loaded
        ).items():
            yield _read_twice(number, card)
    for sampler in (Rapl(), Host()) if others is None else others:
        yield _read_twice(None, sampler)


def _read_twice(device: int | None, sampler: Sampler) -> Source:
    sampler.read(time.monotonic())
    time.sleep(BETWEEN_S if sampler.reads - sampler.missing.keys() else 0)
    sampler.read(time.monotonic())
    sampler.close()
    known = tuple(name for name in QUANTITIES if name in sampler.reads)
    missing = {name: sampler.missing[name] for name in known if name in sampler.missing}
    return Source(
        sampler.source, device, tuple(name for name in known if name not in missing), missing
    )
