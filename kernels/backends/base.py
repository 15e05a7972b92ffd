"""What a backend and a training must offer so that `measure` can time them without knowing either.

A training hands out its steps as callables: `measure` decides when one starts, makes the device
idle around it and reads the clock. So no workload can time itself, and none can forget to wait for
the device.
"""

import resource
import sys
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

from kernels.records import Precision, Software

OneStep = Callable[[], None]
"""Forward, loss, backward and update of one batch; returns as soon as the framework does."""

UNKNOWN: Final = "unknown"


@dataclass(frozen=True, slots=True)
class Device:
    """One device that this machine can train on.

    Attributes:
        name: As on the command line: `cpu`, `cuda:0`.
        model: As its maker writes it; None for the CPU, whose name `system` knows.
        memory_bytes: None where it is the machine's own.
        emulated: Precisions without arithmetic, with how many times as long as FP32 a trial took;
            they are refused, since one step may take minutes.
    """

    name: str
    model: str | None
    memory_bytes: int | None
    precisions: tuple[Precision, ...]
    emulated: Mapping[Precision, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probe:
    """What a backend found on this machine.

    Attributes:
        missing: Why it cannot run at all.
        no_accelerator: Why there is none among the devices.
        unusable: Cards that this build of the framework cannot use, a sentence each.
    """

    backend: str
    version: str | None
    devices: tuple[Device, ...] = ()
    missing: str | None = None
    no_accelerator: str | None = None
    unusable: tuple[str, ...] = ()

    @property
    def fallen(self) -> str | None:
        """Why whoever names no device is given the CPU; None where it is given an accelerator."""
        if self.missing or any(device.model is not None for device in self.devices):
            return None
        return self.no_accelerator or f"{self.backend} finds no accelerator and does not say why"


EMULATED: Final = 4.0
"""Times as long as FP32 from which on arithmetic counts as emulated; native FP64 takes twice."""


@dataclass(frozen=True, slots=True)
class Options:
    """How a backend is to train; all of it is recorded.

    Attributes:
        compiled: Whether the model goes through the framework's compiler.
        memory_format: `channels_last` or `contiguous`: the order of an image's dimensions.
        deterministic: Whether only algorithms that give the same result each time may be used.
        processes: Those that share each batch.
    """

    compiled: bool = False
    memory_format: str = "channels_last"
    deterministic: bool = False
    processes: int = 1


PLAIN: Final = Options()


def resident_peak() -> int:
    """Most bytes that this process had in memory so far."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes
    return peak if sys.platform == "darwin" else peak * 1024


class Ranks(Protocol):
    """The processes that train together: all must take each decision alike."""

    def slowest(self, *values: float) -> tuple[float, ...]:
        """The largest of each value over all processes, the same in every one of them."""

    def mean(self, value: float) -> float:
        """The mean over all processes; NaN where one is."""


class Alone:
    """One process, which agrees with itself."""

    def slowest(self, *values: float) -> tuple[float, ...]:
        """The values."""
        return values

    def mean(self, value: float) -> float:
        """The value."""
        return value


@dataclass(frozen=True, slots=True)
class Facts:
    """Columns of `records.Environment` by name, software, and facts without a column."""

    environment: Mapping[str, str | int | float | bool | None]
    software: tuple[Software, ...]
    extra: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class OutOfMemory:
    """An allocation that did not fit.

    Attributes:
        part: Of a step, what asked for it: `forward`, `backward`, `optimizer`; `unknown` outside of
            them, and where the framework does all of a step at once.
    """

    requested_bytes: int | None
    part: str = UNKNOWN


class Backend(Protocol):
    """A framework on one device, made by its module's `backend`."""

    name: str

    def ranks(self) -> Ranks:
        """The processes that train together; `Alone` where there is one."""

    def check(self) -> None:
        """Refuse a training that took its steps without what the options ask for.

        Raises:
            MeasureError: The workload did not hand its model to the compiler, or does not share its
                batches.
        """

    def close(self) -> None:
        """Part from the other processes, where there are any."""

    def wait(self) -> None:
        """Return when the device is idle; without this a timer measures the queue."""

    def peak_memory(self) -> int:
        """Most bytes in use so far: of the device, or of the process on the CPU."""

    def facts(self) -> Facts:
        """Versions, driver, flags: what a reader needs to judge the figures."""

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """Whether this exception is an allocation that failed; frameworks disagree on its type."""


class Training(Protocol):
    """A model, its data and its optimiser, ready for the first step.

    One that fetches ahead has `prefetched` too: how many batches lie ready at most.
    """

    parameters: int
    steps_per_epoch: int
    settings: Mapping[str, str]

    def steps(self) -> Iterator[OneStep]:
        """The steps of one epoch over newly shuffled data; taking one fetches its batch."""

    def loss(self) -> float:
        """Mean training loss since this was last asked; waits for the device."""

    def learning_rate(self) -> float:
        """Learning rate that the next step will use."""

    def evaluate(self) -> dict[str, float]:
        """Quality on the held-out data by metric name; fractions 0 to 1 save for losses."""
