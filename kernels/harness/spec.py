"""The one description of a run. `Request` (from a command line or a suite) and `Job` (planned,
journalled and recorded) share the fields of `Spec`, and the flags are made of them.
"""

from collections.abc import Mapping
from dataclasses import MISSING, dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Final, TypeVar, dataclass_transform

from kernels.backends import BACKENDS
from kernels.datasets.image_folder import ImageFolder
from kernels.harness.flags import DATA, PRECISIONS, Flag, number, numbers, rate
from kernels.machine import system
from kernels.records import DataKind, Precision
from kernels.telemetry.process import DEFAULT_HZ
from kernels.units import counted
from kernels.workloads import Plan

T = TypeVar("T")


def flagged(text: str, *, default: Any = MISSING, unsaid: Any = ..., **about: Any) -> Any:
    """A field set by a flag; `unsaid` is the flag's default, if not the field's."""
    return field(default=default, metadata={"flag": Flag(text, default=unsaid, **about)})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(flagged,))
def _spec(cls: type[T]) -> type[T]:
    return dataclass(frozen=True, slots=True, kw_only=True)(cls)


@_spec
class Spec:
    """Fields that all runs of a request share.

    Attributes:
        folder: Folder of the data; not recorded.
        target: None for the workload's own, or if only throughput is measured.
        threads: Threads of each process.
        budget_s: Seconds from the first step on; None for the rules' own caps.
        limit_s: Seconds after which the parent ends the run; None for no limit.
        suite: The suite that the run is part of, and its size; None for a run by itself.
    """

    backend: str = flagged(
        "framework (default: torch)", unsaid="torch", choices=tuple(sorted(BACKENDS))
    )
    device: str = flagged(
        "auto, cpu, cuda or cuda:N (default: auto, a GPU where there is one)",
        kinds=(),
        unsaid="auto",
    )
    precision: Precision = flagged(
        "bf16, fp16: mixed precision (default: fp32)",
        unsaid="fp32",
        choices=tuple(sorted(PRECISIONS)),
    )
    data: DataKind = flagged(
        "what to feed the model (default: what the workload has)", choices=tuple(sorted(DATA))
    )
    folder: str | None = flagged(
        "folder with the data, for workloads that have you name one; several with a suite",
        default=None,
        name="data_dir",
        read=Path,
        kinds=(),
        metavar="DIR",
    )
    augmentation: str = flagged(
        "how training images are changed at random",
        default="none",
        unsaid=None,
        choices=("none", "standard"),
    )
    width: float = flagged(
        "share of the network's channels, 1 or less; recorded as another workload",
        default=1.0,
        read=float,
        kinds=(float,),
        metavar="F",
    )
    readers: int | None = flagged(
        "processes that read and decode images (default: what the cores allow)",
        default=None,
        read=number(0),
        kinds=(int,),
    )
    measure: str = flagged(
        "what to find out (default: convergence, where there is a target)",
        choices=("convergence", "throughput"),
    )
    epochs: int | None = flagged(
        "length of a convergence run (default: the workload's)", read=number(1), kinds=(int,)
    )
    target: float | None = flagged(
        "quality that a convergence run is timed to (default: the workload's)",
        read=float,
        kinds=(float,),
    )
    threads: int | None = flagged(
        "threads of the framework (default: all cores available to this process)",
        read=number(1),
        kinds=(int,),
        anywhere=True,
    )
    allocator: str = flagged(
        "C library's memory allocator (default: tuned)",
        unsaid="tuned",
        choices=("tuned", "default"),
    )
    compiled: bool = flagged(
        "compile the model; the first step pays for it, with an empty cache",
        default=False,
        name="compile",
        kinds=(bool,),
    )
    memory_format: str = flagged(
        "order of an image's dimensions in memory (default: channels_last, the faster one)",
        default="channels_last",
        choices=("channels_last", "contiguous"),
    )
    deterministic: bool = flagged(
        "only algorithms that give the same result each time", default=False, kinds=(bool,)
    )
    processes: int = flagged(
        "training processes that share each batch (default: 1)",
        default=1,
        read=number(1),
        kinds=(int,),
        anywhere=True,
    )
    budget_s: float | None = flagged(
        "longest throughput run, from the end of its first step on (default: 3 min)",
        default=None,
        name="budget",
        read=number(1),
        kinds=(int,),
        metavar="SECONDS",
    )
    limit_s: float | None = flagged(
        "end each run after this time (default: never)",
        default=None,
        name="timeout",
        read=number(1),
        kinds=(),
        metavar="SECONDS",
    )
    telemetry_hz: float | None = flagged(
        "readings of the sensors a second (default: 10)",
        default=None,
        name="telemetry",
        read=rate,
        kinds=(),
        unsaid=DEFAULT_HZ,
        metavar="HZ|off",
    )
    suite: str | None = None
    suite_size: str | None = None


@_spec
class Request(Spec):
    """A request from a command line or a table of a suite; None is the workload's or the machine's
    own choice. Each batch size, size, seed and repetition makes a run.

    Attributes:
        images: Contents of an image folder.
        sizes: Sizes of the timed operation; empty for the workload's own.
    """

    plan: Plan
    images: ImageFolder | None = None
    batch_sizes: tuple[int, ...] = flagged(
        "global batch size, over all accelerators; a run per value",
        name="batch_size",
        read=numbers(1),
        kinds=(int,),
        unsaid=None,
        metavar="N[,N...]",
        many=True,
    )
    sizes: tuple[int, ...] = flagged(
        "matmul: rows of the matrices; copy: bytes; a run per value",
        default=(),
        name="operation_size",
        read=numbers(1),
        kinds=(int,),
        unsaid=None,
        metavar="N[,N...]",
        many=True,
    )
    seeds: tuple[int, ...] = flagged(
        "a run per seed (default: 0)",
        read=numbers(0),
        kinds=(int,),
        unsaid=[0],
        metavar="N[,N...]",
        many=True,
    )
    repeats: int = flagged(
        "repetitions of each run; batch sizes take turns at random (default: 1)",
        default=1,
        read=number(1),
        kinds=(int,),
    )

    def workload(self) -> str:
        """Id in `catalog/workloads.toml`; other images make another workload."""
        other = self.images is not None and not self.images.imagenet
        return self.plan.folder_workload or self.plan.workload if other else self.plan.workload

    def train_samples(self) -> int | None:
        """Training samples of an epoch; None without training."""
        return self.plan.train_samples if self.images is None else len(self.images.train)

    def threads_each(self) -> int:
        """Threads of each process: as requested, else its share of the processors."""
        return self.threads or max(1, system.usable_cores() // self.processes)

    def settings(self) -> str:
        """Returns the settings that all runs of the command share, in one line."""
        processes = f"{self.processes} processes of " if self.processes > 1 else ""
        words = [
            f"{self.allocator} allocator",
            self.memory_format,
            "jit" if self.backend == "jax" else "compiled" if self.compiled else "eager",
            *(["deterministic"] if self.deterministic else []),
            processes + counted(self.threads_each(), "thread"),
        ]
        hint = ""
        if self.allocator == "tuned" and self.memory_format == "channels_last":
            contiguous = " --memory-format contiguous" if self.backend == "torch" else ""
            hint = (
                "; usually the fastest settings that keep the result "
                f"(--allocator default{contiguous}: the framework's own)"
            )
        return ", ".join(words) + hint


def _flags() -> dict[str, Flag]:
    found = {}
    for each in fields(Request):
        if flag := each.metadata.get("flag"):
            usual = None if each.default is MISSING else each.default
            default = usual if flag.default is ... else flag.default
            found[flag.name or each.name] = replace(flag, default=default)
    return found


FLAGS: Final[Mapping[str, Flag]] = _flags()
"""All options of a run, by name on the command line and in a suite."""

_APART: Final = frozenset({
    "run_id", "started_at", "device", "system", "accelerator", "seed", "repeat_index", "limit_s",
    "memory_headroom_bytes", "folder", "telemetry_hz", "suite", "suite_size",
})  # fmt: skip
"""Fields in which repetitions differ, and those of place and time limits."""


_ORDER: Final = (
    "workload", "backend", "batch_size", "precision", "data", "measure", "epochs", "target",
    "threads", "allocator", "width", "augmentation", "readers", "size", "catalogued",
    "train_samples", "compiled", "memory_format", "deterministic", "processes", "budget_s",
)  # fmt: skip
"""Order of the fields in the text of a configuration; later ones follow."""


@_spec
class Job(Spec):
    """A worker's task; everything that identifies the run is decided before it starts.

    Attributes:
        accelerator: Id of the hardware; `system` likewise.
        memory_headroom_bytes: Address space that the worker may add after loading the framework;
            for the CPU, since CUDA reserves far more than it uses.
        size: Size of the timed operation.
        catalogued: Id in `catalog/workloads.toml`, if a folder's data make it another workload.
        train_samples: Counted in that folder.
    """

    run_id: str
    workload: str
    system: str
    accelerator: str
    batch_size: int
    epochs: int
    threads: int
    seed: int
    repeat_index: int
    started_at: str
    memory_headroom_bytes: int | None = None
    size: int | None = None
    catalogued: str | None = None
    train_samples: int | None = None

    def configuration(self) -> str:
        """Returns what the job shares with its repetitions, by which a suite finds recorded runs.

        Defaults are omitted, so that new settings do not change earlier texts.
        """
        apart = _APART | ({"epochs", "target"} if self.measure != "convergence" else set())
        usual = {each.name: each.default for each in fields(self)}
        names = dict.fromkeys((*_ORDER, *usual))
        said = {name: getattr(self, name) for name in names if name not in apart}
        return " ".join(f"{name}={value}" for name, value in said.items() if value != usual[name])


def job_of(values: Mapping[str, Any]) -> Job:
    """Returns a job from its JSON object."""
    known = {each.name for each in fields(Job)}
    given = {name: value for name, value in values.items() if name in known}
    return Job(
        **given | {"precision": Precision(given["precision"]), "data": DataKind(given["data"])}
    )
