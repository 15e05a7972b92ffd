"""Turns a request into jobs: early refusals, place of the runs, and their ids.

Does not import the store, so that a machine without it can measure and pass its journals on.
"""

import random
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from datetime import UTC, datetime
from itertools import chain, count
from pathlib import Path
from typing import Final, Never

from tqdm import tqdm

from kernels import datasets
from kernels.backends.base import Device, Probe
from kernels.catalog import Catalog
from kernels.errors import MeasureError, UsageError
from kernels.harness import journal, measure
from kernels.harness.measure import Progress
from kernels.harness.spec import Job, Request, Spec
from kernels.machine import system
from kernels.records import DataKind, Status
from kernels.store import packs
from kernels.workloads import Plan

ORDER_SEED: Final = 20180223
"""Fixed, so that the same command runs in the same order."""

BAD: Final = frozenset({Status.FAILED, Status.KILLED, Status.TIMEOUT, Status.UNFINISHED})
"""Statuses with which `kernels run` exits with 1; out of memory and missed targets are findings."""


@dataclass(frozen=True, slots=True)
class Place:
    """The device for the framework, and system and hardware for the record.

    Attributes:
        fallen: Why the device is the CPU although it was not requested; else None.
    """

    device: str
    system: str
    accelerator: str
    fallen: str | None = None


def refuse(request: Request) -> None:
    """Refuses impossible requests before anything is started.

    Raises:
        UsageError: Names the flag, its value, and what is possible.
        MeasureError: The data set has not been fetched; names the command for it.
    """
    plan = request.plan
    if request.backend not in plan.backends:
        raise UsageError(
            f"--backend {request.backend}: {plan.name} can be run with {', '.join(plan.backends)}"
        )
    _refuse_data(request)
    _refuse_target(request)
    _refuse_placement(request)
    if request.budget_s is not None and request.measure == "convergence":
        raise UsageError(
            "--budget belongs to --measure throughput; a convergence run is as long as its "
            "--epochs (--timeout ends one)"
        )
    _refuse_batches(request)


def _refuse_target(request: Request) -> None:
    plan = request.plan
    if request.measure == "convergence" and plan.target is None:
        raise UsageError(
            f"--measure convergence: {plan.name} has no quality to reach; it can be measured for "
            "throughput"
        )
    if request.measure == "convergence" and request.data not in plan.converges:
        raise UsageError(
            f"--measure convergence: {plan.name} learns nothing from {request.data}; feed it "
            f"{' or '.join(plan.converges)}"
        )
    if request.measure == "throughput" and (
        request.epochs is not None or request.target is not None
    ):
        raise UsageError(
            "--epochs and --target belong to --measure convergence; a throughput run ends when its "
            "interval is narrow"
        )
    if request.target is not None and plan.target is not None and not 0 < request.target <= 1:
        raise UsageError(
            f"--target {request.target:g}: {plan.target.metric} is a fraction; wanted more than 0 "
            "and at most 1, such as 0.97"
        )


def _refuse_batches(request: Request) -> None:
    plan = request.plan
    for batch in request.batch_sizes:
        if batch % request.processes:
            raise UsageError(
                f"--batch-size {batch}: {request.processes} processes share a batch evenly; choose "
                "a multiple"
            )
        samples = request.train_samples()
        if samples is None:
            continue
        if batch > samples:
            raise UsageError(
                f"--batch-size {batch}: {plan.name} has {samples} training samples; choose that or "
                "less"
            )
        if request.measure == "convergence":
            try:
                measure.warmup(samples // batch, request.epochs or plan.epochs)
            except MeasureError as error:
                raise UsageError(
                    f"--batch-size {batch}, --epochs {request.epochs or plan.epochs}: {error}"
                ) from error


def _refuse_data(request: Request) -> None:
    plan = request.plan
    if request.data not in plan.data:
        raise UsageError(
            f"--data {request.data}: {plan.name} can be fed with {', '.join(plan.data)}"
        )
    real = request.data is DataKind.REAL
    from_folder = bool(plan.folder) and real
    fed = f"{plan.name} on {request.data} data"
    if from_folder and request.folder is None:
        raise UsageError(
            f"--data real: {plan.name} takes {plan.folder} from a folder that you have; name it "
            "with --data-dir DIR"
        )
    if request.folder is not None and not from_folder:
        raise UsageError(f"--data-dir: {fed} reads no folder; leave it out")
    if request.readers is not None and not (from_folder and plan.folder == "images"):
        raise UsageError(f"--readers: {fed} decodes nothing; leave it out")
    known = plan.augmentations if real else ()
    if request.augmentation not in ("none", *known):
        raise UsageError(
            f"--augmentation {request.augmentation}: {fed} can have {', '.join(known) or 'none'}"
        )
    if request.sizes and not plan.sizes:
        raise UsageError(f"--operation-size: {plan.name} has no such size; `matmul` and `copy` do")
    if request.precision not in plan.precisions:
        raise UsageError(
            f"--precision {request.precision}: {plan.name} can be run in "
            f"{', '.join(plan.precisions)}"
        )
    if plan.dataset is not None and real:
        datasets.require(plan.dataset)


def narrowed(plan: Plan, width: float) -> Plan:
    """Returns the plan of a network at that width.

    Raises:
        UsageError: The workload has no such width.
    """
    try:
        return plan.at(width)
    except KeyError:
        known = ", ".join(f"{each:g}" for each in (1.0, *(narrow.factor for narrow in plan.widths)))
        raise UsageError(f"--width {width:g}: {plan.name} can be run at {known}") from None


def _refuse_placement(request: Request) -> None:
    cores = system.usable_cores()
    if request.threads is not None and request.threads * request.processes > cores:
        each = f" in each of {request.processes} processes" if request.processes > 1 else ""
        raise UsageError(
            f"--threads {request.threads}{each}: this process may use {cores} cores; more threads "
            "would only wait for each other"
        )
    asked_of_torch = {
        "--compile": request.compiled,
        "--memory-format contiguous": request.memory_format != "channels_last",
        "--processes": request.processes > 1,
    }
    asked = [flag for flag, given in asked_of_torch.items() if given]
    if asked and request.backend != "torch":
        raise UsageError(
            f"{asked[0]} belongs to --backend torch; {request.backend} always compiles, in one "
            "process, channels last"
        )
    if request.processes > cores:
        raise UsageError(
            f"--processes {request.processes}: this process may use {cores} cores; more processes "
            "would only wait for each other"
        )


def place(request: Request, found: Probe, catalogue: Catalog) -> Place:
    """Chooses the device and names the system.

    Raises:
        MeasureError: The backend cannot run here.
        UsageError: The backend has no such device or precision.
    """
    if found.missing:
        raise MeasureError(f"{request.backend} cannot run on this machine: {found.missing}")
    device = _device(request.device, found)
    if request.precision in device.emulated:
        times = f"{device.emulated[request.precision]:.0f} times as long as fp32 in a trial"
        raise UsageError(
            f"--precision {request.precision}: {device.name} has no arithmetic for it, and "
            f"{request.backend} emulates it, {times}; choose "
            + ", ".join(each for each in device.precisions if each in request.plan.precisions)
        )
    if request.precision not in device.precisions:
        raise UsageError(
            f"--precision {request.precision}: {device.name} can do {', '.join(device.precisions)} "
            f"with {request.backend}"
        )
    if device.model is None:
        machine = system.environment()
        accelerator = system.cpu_id(machine.cpu_model, machine.cpu_vendor)
        fallen = found.fallen if request.device == "auto" else None
        return Place(device.name, f"{accelerator}-{system.usable_cores()}c", accelerator, fallen)
    accelerator = catalogue.called(device.model) or system.gpu_id(device.model)
    cards = [each for each in found.devices if each.model is not None]
    left = len(cards) - cards.index(device)
    if request.processes > left:
        start = "" if request.device == "auto" else f" from {device.name} on"
        raise UsageError(
            f"--processes {request.processes}: each takes an accelerator of its own, and this "
            f"machine has {left}{start}"
        )
    return Place(device.name, f"{system.gpu_id(device.model)}-{request.processes}x", accelerator)


def _device(asked: str, found: Probe) -> Device:
    by_name = {device.name: device for device in found.devices}
    cards = [device for device in found.devices if device.name != "cpu"]
    if asked == "auto":
        return cards[0] if cards else found.devices[0]
    wanted = f"{asked}:0" if asked in {"cuda", "tpu"} else asked
    if wanted in by_name:
        return by_name[wanted]
    why = "" if cards or found.no_accelerator is None else f"; {found.no_accelerator}"
    none = f"this machine has {', '.join(by_name)}{why}"
    old = next((card for card in found.unusable if card.startswith(f"{wanted},")), none)
    raise UsageError(f"--device {asked}: {old}")


def jobs(
    request: Request,
    where: Place,
    runs: Path,
    now: Callable[[], datetime] = lambda: datetime.now(UTC),
    taken: Collection[str] = (),
) -> list[Job]:
    """Returns a job per batch size, seed and repetition; ids are new in `runs` and not `taken`.

    Batch sizes are shuffled, so that a machine that warms up favours none.
    """
    draw = random.Random(ORDER_SEED)  # noqa: S311 - an order, no secret
    sizes: tuple[int | None, ...] = request.sizes or request.plan.sizes or (None,)
    configurations = [(batch, size) for batch in request.batch_sizes for size in sizes]
    made = (
        _job(request, where, now(), batch=batch, size=size, seed=seed, repeat=repeat)
        for repeat in range(request.repeats)
        for seed in request.seeds
        for batch, size in draw.sample(configurations, len(configurations))
    )
    return [replace(job, run_id=_free(job.run_id, runs, taken)) for job in made]


def _job(
    request: Request,
    where: Place,
    started: datetime,
    *,
    batch: int,
    size: int | None,
    seed: int,
    repeat: int,
) -> Job:
    plan = request.plan
    name = f"{request.workload()}-{where.system}-{started.strftime('%Y%m%dt%H%M%S')}-s{seed}"
    name += f"-b{batch}" if len(request.batch_sizes) > 1 else ""
    name += f"-n{size}" if size is not None else ""
    name += f"-r{repeat}" if request.repeats > 1 else ""
    usual = None if plan.target is None else plan.target.value
    shared = {each.name: getattr(request, each.name) for each in fields(Spec)}
    chosen = {
        "device": where.device,
        "epochs": request.epochs or plan.epochs,
        "target": usual if request.target is None else request.target,
        "threads": request.threads_each(),
    }
    return Job(
        **shared | chosen,
        run_id=name,
        workload=plan.name,
        system=where.system,
        accelerator=where.accelerator,
        batch_size=batch,
        seed=seed,
        repeat_index=repeat,
        started_at=started.isoformat(),
        size=size,
        catalogued=None if request.images is None else request.workload(),
        train_samples=request.train_samples(),
    )


def _free(name: str, runs: Path, taken: Collection[str]) -> str:
    """Returns the name, or the first free one of `name-2`, `name-3`, ..."""
    folder = runs / "measured"
    names = chain([name], (f"{name}-{number}" for number in count(2)))
    return next(
        free
        for free in names
        if free not in taken
        and not (folder / f"{free}.parquet").exists()
        and not (runs / journal.FOLDER / f"{free}.jsonl").exists()
        and not packs.holds(folder, free)
    )


def on_the_cpu(backend: str, why: str) -> str:
    """Returns the note that runs use the CPU by default, for want of anything better."""
    return f"measuring on the CPU, since {backend} has no accelerator here: {why}"


@contextmanager
def bar(title: str) -> Iterator[Progress]:
    """Shows a progress bar on standard error; silent if that is no terminal."""
    style = "{desc} {percentage:3.0f}% |{bar}| {elapsed}<{remaining}{postfix}"
    shown: tqdm[Never]
    with tqdm(total=1.0, desc=title, bar_format=style, disable=None, leave=False) as shown:

        def progress(done: float, total: float, note: str) -> None:
            shown.set_postfix_str(note, refresh=False)
            shown.update(min(done / total, 1.0) - shown.n if total > 0 else 0)

        yield progress
