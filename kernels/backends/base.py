"""Interface of backends and trainings, so that `measure` can time them without knowing either.

A training hands out its steps as callables: `measure` decides when a step starts, lets the device
go idle around it and reads the clock. So no workload times itself or forgets to wait for the
device.
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
        model: As its maker writes it; None for the CPU, which `system` names.
        memory_bytes: None if it is the machine's own.
        emulated: Precisions that are emulated, with the time of a trial relative to FP32; they are
            refused, since one step may take minutes.
    """

    name: str
    model: str | None
    memory_bytes: int | None
    precisions: tuple[Precision, ...]
    emulated: Mapping[Precision, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Probe:
    """Devices and faults that a backend found on this machine.

    Attributes:
        missing: Why the backend cannot run at all.
        no_accelerator: Why no accelerator is among the devices.
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
        """Why the CPU is the default device; None if an accelerator is."""
        if self.missing or any(device.model is not None for device in self.devices):
            return None
        return self.no_accelerator or f"{self.backend} finds no accelerator and does not say why"


EMULATED: Final = 4.0
"""Time relative to FP32 from which arithmetic counts as emulated; native FP64 takes twice."""


@dataclass(frozen=True, slots=True)
class Options:
    """Settings of a training for the backend; all are recorded.

    Attributes:
        compiled: True if the model goes through the framework's compiler.
        memory_format: `channels_last` or `contiguous`: the order of an image's dimensions.
        deterministic: True if only deterministic algorithms may be used.
        processes: Number of processes that share each batch.
    """

    compiled: bool = False
    memory_format: str = "channels_last"
    deterministic: bool = False
    processes: int = 1


PLAIN: Final = Options()


def resident_peak() -> int:
    """Returns the peak resident memory of this process in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    # Linux counts in KiB, macOS in bytes
    return peak if sys.platform == "darwin" else peak * 1024


class Ranks(Protocol):
    """The processes that train together: all must take the same decisions."""

    def slowest(self, *values: float) -> tuple[float, ...]:
        """Returns the largest of each value over all processes, the same in each process."""

    def mean(self, value: float) -> float:
        """Returns the mean over all processes; NaN if one value is."""


class Alone:
    """A single process."""

    def slowest(self, *values: float) -> tuple[float, ...]:
        """Returns the values."""
        return values

    def mean(self, value: float) -> float:
        """Returns the value."""
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
        part: Part of the step that asked for it: `forward`, `backward`, `optimizer`; `unknown`
            outside of them, or if the framework does a step at once.
    """

    requested_bytes: int | None
    part: str = UNKNOWN


class Backend(Protocol):
    """A framework on one device, made by its module's `backend`."""

    name: str

    def ranks(self) -> Ranks:
        """The processes that train together; `Alone` if there is one."""

    def check(self) -> None:
        """Refuses a training that ignored the options.

        Raises:
            MeasureError: The workload did not hand its model to the compiler, or does not share its
                batches.
        """

    def close(self) -> None:
        """Leaves the group of processes, if any."""

    def wait(self) -> None:
        """Returns when the device is idle; without this a timer measures the queue."""

    def peak_memory(self) -> int:
        """Returns the peak memory in bytes: of the device, or of the process on the CPU."""

    def facts(self) -> Facts:
        """Returns versions, driver and flags: what a reader needs to judge the figures."""

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """Returns the failed allocation of an exception, if any; its type differs by framework."""


class Training(Protocol):
    """A model, its data and its optimiser, ready for the first step.

    A training that fetches ahead also has `prefetched`: the most batches that are ready.
    """

    parameters: int
    steps_per_epoch: int
    settings: Mapping[str, str]

    def steps(self) -> Iterator[OneStep]:
        """Yields the steps of an epoch over newly shuffled data; next() fetches the batch."""

    def loss(self) -> float:
        """Returns the mean training loss since the last call; waits for the device."""

    def learning_rate(self) -> float:
        """Returns the learning rate of the next step."""

    def evaluate(self) -> dict[str, float]:
        """Returns the quality on held-out data by metric; fractions 0 to 1 except for losses."""
