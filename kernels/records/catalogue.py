"""Hardware, systems and workloads."""

from dataclasses import dataclass, field
from datetime import date

from kernels.records.fields import check_address, check_id
from kernels.records.terms import Certainty, Hardwares, ServerKind


@dataclass(frozen=True, slots=True)
class Spec:
    """One figure of an accelerator from a source on a day, or that it is not published."""

    hardware: str
    quantity: str
    value: float | None
    unit: str
    certainty: Certainty
    day: date | None
    source: str
    locator: str
    licence: str


@dataclass(frozen=True, slots=True)
class Hardware:
    """An accelerator as its maker sells it; `per` says what one piece is. Figures are in `Spec`."""

    hardware: str
    name: str
    vendor: str
    kind: Hardwares
    per: str
    architecture: str | None
    aliases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class System:
    """A system that trains workloads: accelerators in a host, somewhere.

    Attributes:
        reason: Key of the reason to list it.
        reconstructed: Names of fields that its source does not print but that follow from it.
    """

    system: str
    name: str
    hardware: str
    accelerators: int
    nodes: int
    server_kind: ServerKind
    provider: str | None
    instance: str | None
    region: str | None
    cpu_model: str | None
    cpu_cores: int | None
    cpu_hz: float | None
    memory_bytes: int | None
    os: str | None
    source: str
    locator: str
    reason: str | None = None
    reconstructed: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Workload:
    """A workload: facts that can be read without torch.

    Attributes:
        runnable: True if `kernels run` has it.
        command: Arguments of `kernels run` to train it to its target; None without a target or if
            not runnable.
    """

    workload: str
    name: str
    task: str
    dataset: str
    metric: str
    parameters: int | None
    train_samples: int | None
    eval_samples: int | None
    classes: int | None
    input_shape: str | None
    runnable: bool
    facts_source: str
    references: tuple[str, ...] = field(default=())
    command: str | None = None

    def __post_init__(self) -> None:
        check_id("workload", self.workload)
        for address in self.references:
            check_address(f"workload {self.workload}: references", address)
