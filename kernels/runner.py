"""From a command line to jobs: what is refused beforehand, where the runs take place, and what they are called.

Knows no store, so that a machine without one can still measure and hand its journals on.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Final, Never

from tqdm import tqdm

from kernels import journal, measure, system
from kernels.backends.base import Device, Probe
from kernels.catalog import Catalog
from kernels.errors import MeasureError, TouchstoneError
from kernels.records import DataKind, Precision, Status
from kernels.workloads import Plan

BAD: Final = frozenset({Status.FAILED, Status.KILLED, Status.TIMEOUT, Status.UNFINISHED})
"""Statuses with which `kernels run` exits with 1; running out of memory or missing a target are findings."""

Progress = Callable[[float, float, str], None]


class UsageError(TouchstoneError):
    """A flag that this harness, workload or machine cannot follow; the command exits with 2."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for; None is the workload's or the machine's own choice."""

    plan: Plan
    backend: str
    device: str
    batch_sizes: tuple[int, ...]
    precision: Precision
    data: DataKind
    measure: str
    epochs: int | None
    target: float | None
    seeds: tuple[int, ...]
    threads: int | None
    allocator: str
    limit_s: float | None


@dataclass(frozen=True, slots=True)
class Place:
    """Where the runs take place: the device for the framework, system and hardware for the record."""

    device: str
    system: str
    accelerator: str


def refuse(request: Request) -> None:
    """Say no to what cannot be done, before anything is started.

    Raises:
        UsageError: Names the flag, what was asked, and what can be done.
    """
    plan = request.plan
    if request.backend not in plan.backends:
        raise UsageError(f"--backend {request.backend}: {plan.name} can be run with {', '.join(plan.backends)}")
    if request.data not in plan.data:
        raise UsageError(f"--data {request.data}: {plan.name} can be fed with {', '.join(plan.data)}")
    if request.measure == "convergence" and plan.target is None:
        raise UsageError(f"--measure convergence: {plan.name} has no quality to reach; it can be measured for throughput")
    if request.measure == "throughput" and (request.epochs is not None or request.target is not None):
        raise UsageError("--epochs and --target belong to --measure convergence; a throughput run ends when its interval is narrow")
    if request.target is not None and plan.target is not None and not 0 < request.target <= 1:
        raise UsageError(f"--target {request.target:g}: {plan.target.metric} is a fraction; wanted more than 0 and at most 1, such as 0.97")
    cores = system.usable_cores()
    if request.threads is not None and request.threads > cores:
        raise UsageError(f"--threads {request.threads}: this process may use {cores} cores; more threads would only wait for each other")
    for batch in request.batch_sizes:
        if batch > plan.train_samples:
            raise UsageError(f"--batch-size {batch}: {plan.name} has {plan.train_samples} training samples; choose that or less")
        if request.measure == "convergence":
            try:
                measure.warmup(plan.train_samples // batch, request.epochs or plan.epochs)
            except MeasureError as error:
                raise UsageError(f"--batch-size {batch}, --epochs {request.epochs or plan.epochs}: {error}") from error


def place(request: Request, found: Probe, catalogue: Catalog) -> Place:
    """Choose the device and name the system.

    Raises:
        MeasureError: The backend cannot run here.
        UsageError: It can, and has no such device or precision.
    """
    if found.missing:
        raise MeasureError(f"{request.backend} cannot run on this machine: {found.missing}")
    device = _device(request.device, found.devices)
    if request.precision not in device.precisions:
        raise UsageError(f"--precision {request.precision}: {device.name} can do {', '.join(device.precisions)} with {request.backend}")
    machine = system.environment()
    if device.model is None:
        accelerator = system.cpu_id(machine.cpu_model, machine.cpu_vendor)
        return Place(device.name, f"{accelerator}-{system.usable_cores()}c", accelerator)
    aliases = {name.lower(): each.hardware for each in catalogue.hardware.values() for name in (*each.aliases, each.name)}
    accelerator = aliases.get(device.model.lower()) or system.gpu_id(device.model)
    return Place(device.name, f"{system.gpu_id(device.model)}-1x", accelerator)


def _device(asked: str, devices: tuple[Device, ...]) -> Device:
    by_name = {device.name: device for device in devices}
    cards = [device for device in devices if device.name.startswith("cuda")]
    if asked == "auto":
        return cards[0] if cards else devices[0]
    wanted = "cuda:0" if asked == "cuda" else asked
    if wanted not in by_name:
        raise UsageError(f"--device {asked}: this machine has {', '.join(by_name)}")
    return by_name[wanted]


def jobs(request: Request, where: Place, runs: Path, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> list[journal.Job]:
    """One job a batch size and seed; their ids are new in `runs`."""
    plan = request.plan
    made: list[journal.Job] = []
    for batch in request.batch_sizes:
        for seed in request.seeds:
            started = now()
            name = f"{plan.workload}-{where.system}-{started.strftime('%Y%m%dt%H%M%S')}-s{seed}"
            name += f"-b{batch}" if len(request.batch_sizes) > 1 else ""
            made.append(
                journal.Job(
                    run_id=_free(name, runs),
                    workload=plan.name,
                    backend=request.backend,
                    device=where.device,
                    system=where.system,
                    accelerator=where.accelerator,
                    batch_size=batch,
                    precision=request.precision,
                    data=request.data,
                    measure=request.measure,
                    epochs=request.epochs or plan.epochs,
                    target=plan.target.value if request.target is None and plan.target is not None else request.target,
                    seed=seed,
                    repeat_index=0,
                    threads=request.threads or system.usable_cores(),
                    allocator=request.allocator,
                    started_at=started.isoformat(),
                    limit_s=request.limit_s,
                )
            )
    return made


def _free(name: str, runs: Path) -> str:
    """The name, or the first of `name-2`, `name-3`, ... that no run has."""
    number, free = 1, name
    while (runs / "measured" / f"{free}.parquet").exists() or (runs / journal.FOLDER / f"{free}.jsonl").exists():
        number += 1
        free = f"{name}-{number}"
    return free


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """A progress bar on standard error; silent where that is no terminal."""
    style = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}"
    shown: tqdm[Never]
    with tqdm(total=1.0, desc=title, bar_format=style, disable=None, leave=False) as shown:

        def progress(done: float, total: float, note: str) -> None:
            shown.set_postfix_str(note, refresh=False)
            shown.update(min(done / total, 1.0) - shown.n if total > 0 else 0)

        yield progress
