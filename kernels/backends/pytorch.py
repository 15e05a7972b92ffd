"""PyTorch on the CPU and on CUDA."""

import contextlib
import hashlib
import importlib
import os
import re
import resource
import time
import warnings
from pathlib import Path
from typing import Any

import psutil
import torch
from torch import distributed, nn

from kernels.backends.base import (
    EMULATED,
    PLAIN,
    UNKNOWN,
    Alone,
    Device,
    Facts,
    Options,
    OutOfMemory,
    Probe,
    Ranks,
    resident_peak,
)
from kernels.disk import text_of
from kernels.errors import MeasureError
from kernels.machine import system
from kernels.records import Precision, Software

_CPU_PRECISIONS = (
    Precision.FP32,
    Precision.AMP_BF16,
    Precision.FP64,
    Precision.BF16,
    Precision.FP16,
)
_HALVES = {torch.bfloat16: (Precision.AMP_BF16, Precision.BF16), torch.float16: (Precision.FP16,)}
"""Half formats that many processors lack arithmetic for, with the precisions that use them."""
_AMPERE_ON = (Precision.TF32, Precision.AMP_BF16, Precision.BF16)
"""Precisions of cards from compute capability 8.0 on; older ones would silently use FP32."""


def card_precisions(major: int) -> tuple[Precision, ...]:
    """Returns the precisions of a card, by the first number of its compute capability."""
    ampere = _AMPERE_ON if major >= 8 else ()  # noqa: PLR2004 - its number
    return (Precision.FP32, *ampere, Precision.AMP_FP16, Precision.FP64, Precision.FP16)


_UNITS = {"bytes": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def probe() -> Probe:
    """Returns the devices that this PyTorch can train on."""
    emulated = {
        each: times
        for kind, times in slower().items()
        if times >= EMULATED
        for each in _HALVES[kind]
    }
    able = tuple(each for each in _CPU_PRECISIONS if each not in emulated)
    devices = [Device("cpu", None, None, able, emulated)]
    unusable = []
    for index in range(torch.cuda.device_count() if torch.cuda.is_available() else 0):
        card, name = torch.cuda.get_device_properties(index), f"cuda:{index}"
        if why := _not_built_for(card.major, card.minor):
            unusable.append(f"{name}, {card.name}, {why}")
        else:
            able = card_precisions(card.major)
            devices.append(Device(name, card.name, card.total_memory, able))
    absent = None if len(devices) > 1 else "; ".join(unusable) or _without_card()
    return Probe(
        "torch", torch.__version__, tuple(devices), no_accelerator=absent, unusable=tuple(unusable)
    )


def slower(size: int = 256, trials: int = 3) -> dict[torch.dtype, float]:
    """Returns the best time of a small product in each half format, relative to FP32.

    Measured, since it depends on what this build makes of the processor's flags.
    """

    def seconds(kind: torch.dtype) -> float:
        matrix = torch.ones(size, size).to(kind)
        times = []
        for _ in range(trials + 1):  # the first builds the kernel
            start = time.perf_counter()
            torch.mm(matrix, matrix)
            times.append(time.perf_counter() - start)
        return min(times[1:])

    single = seconds(torch.float32)
    return {kind: seconds(kind) / single for kind in _HALVES}


def _not_built_for(major: int, minor: int) -> str | None:
    """Returns why this PyTorch has no code for a card of that compute capability; None if it has.

    `sm_75` runs on cards of the same first and the same or a later second number, `sm_90a` on 9.0
    alone, `compute_90` on all later ones.
    """
    built = [] if torch.version.hip else torch.cuda.get_arch_list()
    found = [match.groups() for each in built if (match := _ARCHITECTURE.match(each))]
    known = [(kind, (int(number[:-1]), int(number[-1])), letter) for kind, number, letter in found]
    card = (major, minor)
    for kind, made, letter in known:
        later = made <= card and (kind == "compute" or made[0] == major)
        if made == card or (later and letter != "a"):
            return None
    if not known:
        return None
    age = "older" if card < min(made for _, made, _ in known) else "newer"
    return (
        f"is {age} than PyTorch {torch.__version__}: it has compute capability {major}.{minor}, "
        f"and that build has code for {', '.join(built)}; install a build with sm_{major}{minor} "
        "(https://pytorch.org/get-started/previous-versions/)"
    )


_ARCHITECTURE = re.compile(r"^(sm|compute)_(\d{2,})([a-z]?)$")


def _without_card() -> str:
    if torch.backends.mps.is_available():
        return (
            "Apple's GPU (MPS) is not measured by this harness: nothing here has been tested on one"
        )
    if torch.version.cuda is None:
        return f"PyTorch {torch.__version__} is built without CUDA: install a build that has it"
    with warnings.catch_warnings(), contextlib.suppress(AssertionError):
        warnings.simplefilter("ignore")
        try:
            torch.cuda.init()  # type: ignore[no-untyped-call]
        except RuntimeError as error:
            first = str(error).splitlines()[0].split(". ")[0]
            return f"PyTorch says: {first}"
    return "PyTorch finds no card"


def card_of(device: str, rank: int) -> torch.device:
    """Returns the card of a process, counted from the named one; the CPU is shared."""
    named = torch.device(device)
    return torch.device(named.type, (named.index or 0) + rank) if named.type == "cuda" else named


class Together:
    """The ranks of `torchrun` on this machine; they communicate by gloo, never through a card."""

    def __init__(self, processes: int) -> None:
        self._processes = processes
        self._group = distributed.new_group(backend="gloo")

    def slowest(self, *values: float) -> tuple[float, ...]:
        """Returns the largest of each over all ranks."""
        shared = torch.tensor(values, dtype=torch.float64)
        distributed.all_reduce(shared, distributed.ReduceOp.MAX, group=self._group)
        return tuple(shared.tolist())

    def mean(self, value: float) -> float:
        """Uses a sum, because the maximum of numbers and NaN is not defined."""
        shared = torch.tensor([value], dtype=torch.float64)
        distributed.all_reduce(shared, distributed.ReduceOp.SUM, group=self._group)
        return float(shared[0]) / self._processes


class Losses:
    """Losses of steps, summed on the device, so that no step waits for them."""

    def __init__(self, device: torch.device) -> None:
        self._sum = torch.zeros((), device=device)
        self._steps = 0

    def add(self, loss: torch.Tensor) -> None:
        """Adds the loss of one step."""
        self._sum += loss.detach()
        self._steps += 1

    def mean(self) -> float:
        """Returns the mean per step since the last call; waits for the device."""
        mean = float(self._sum) / max(self._steps, 1)
        self._sum.zero_()
        self._steps = 0
        return mean


class PyTorch:
    """PyTorch on one device; every flag that affects speed is set here and recorded in `facts`.

    A workload passes its model to `place` and takes its batches from `share` and `mine`, so that it
    can be compiled and run by several processes.

    Attributes:
        device: Device of the tensors.
        memory_format: Channels last by default: the faster layout for convolutions on CPUs and
            tensor cores.
        rank: Number of this process among those that train together.
    """

    name = "torch"

    def __init__(
        self, device: str, precision: Precision, threads: int, seed: int, options: Options = PLAIN
    ) -> None:
        self.rank = int(os.environ["RANK"]) if options.processes > 1 else 0
        self.device = card_of(device, self.rank)
        self.precision = precision
        self.memory_format = (
            torch.channels_last
            if options.memory_format == "channels_last"
            else torch.contiguous_format
        )
        self._options = options
        self._placed = self._shared = False
        # of a step, for an allocation that fails: memory is asked for when an operation is queued,
        # on CUDA too
        self._part = UNKNOWN
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        # By default PyTorch lets convolutions use TF32 but not matrix products; fp32 here
        # means fp32 in both.
        tf32 = precision is Precision.TF32
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        # Shapes never change, so the search pays off within the first steps; it may choose
        # otherwise each time.
        torch.backends.cudnn.benchmark = not options.deterministic
        torch.use_deterministic_algorithms(options.deterministic)
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
            torch.cuda.reset_peak_memory_stats(self.device)
        # Gradients too small for FP16 would be lost: the loss is scaled up, and the gradients
        # down again.
        self._scaler = torch.amp.GradScaler(
            self.device.type, enabled=precision is Precision.AMP_FP16
        )
        self._ranks: Ranks = Alone()
        if options.processes > 1:
            distributed.init_process_group("nccl" if self.device.type == "cuda" else "gloo")
            self._ranks = Together(options.processes)

    def ranks(self) -> Ranks:
        """The processes that train together."""
        return self._ranks

    def place(self, model: nn.Module) -> nn.Module:
        """Returns the model on the device, laid out, compiled and shared as the options ask."""
        placed: nn.Module = model.to(self.device, memory_format=self.memory_format)  # type: ignore[call-overload]  # the stubs lack the layout
        if self._options.compiled:
            # Shapes never change within a phase; the smaller batch of an evaluation is compiled
            # apart. Not `placed.compile()`, and not after sharing: of a module that PyTorch itself
            # defines, such as Sequential, either way nothing is compiled and nothing said.
            compiled: Any = torch.compile(placed, dynamic=False)
            placed = compiled
        if self._options.processes > 1:
            cards = [self.device] if self.device.type == "cuda" else None
            placed = nn.parallel.DistributedDataParallel(
                placed, device_ids=cards, gradient_as_bucket_view=True
            )
        self._placed = True
        return placed

    def share(self, batch_size: int) -> int:
        """Returns the number of a batch's samples that this process trains."""
        self._shared = True
        return batch_size // self._options.processes

    def mine(self, rows: torch.Tensor) -> torch.Tensor:
        """Returns the rows of a batch that this process trains: each N-th of the common order."""
        self._shared = True
        return rows[self.rank :: self._options.processes] if self._options.processes > 1 else rows

    def check(self) -> None:
        """Refuses a workload that did not follow the options."""
        why = None
        if self._options.compiled and not self._placed:
            why = "--compile: this workload has no model to compile; measure it as it is"
        elif self._options.compiled and not _graphs():
            why = (
                "--compile: PyTorch compiled nothing of this model and ran it as written; measure "
                "it so"
            )
        elif self._options.processes > 1 and not (self._placed and self._shared):
            why = (
                "--processes: this workload does not share its batches between processes; measure "
                "it with one"
            )
        if why:
            raise MeasureError(why)

    def close(self) -> None:
        """Leaves the group of processes."""
        if self._options.processes > 1 and distributed.is_initialized():
            distributed.destroy_process_group()

    def wait(self) -> None:
        """Waits until all queued work is done; a step on the CPU returns when it is."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def autocast(self) -> contextlib.AbstractContextManager[object]:
        """Returns the context of forward pass and loss, with mixed precision if requested."""
        if torch.is_grad_enabled():  # else it is an evaluation
            self._part = "forward"
        halves = {Precision.AMP_BF16: torch.bfloat16, Precision.AMP_FP16: torch.float16}
        if (dtype := halves.get(self.precision)) is None:
            return contextlib.nullcontext()
        return torch.autocast(self.device.type, dtype=dtype)

    def learn(self, loss: torch.Tensor, optimiser: torch.optim.Optimizer) -> None:
        """Runs backward pass and update; in FP16 a step whose gradients overflow is skipped."""
        scaled: Any = self._scaler.scale(loss)
        self._part = "backward"
        scaled.backward()
        self._part = "optimizer"
        self._scaler.step(optimiser)
        self._scaler.update()
        self._part = UNKNOWN

    def peak_memory(self) -> int:
        """Returns bytes of tensors on CUDA, the process's peak resident size on the CPU."""
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device)
        return resident_peak()

    def facts(self) -> Facts:
        """Returns versions and flags; on CUDA also driver, memory and power limit of the card."""
        environment: dict[str, str | int | float | bool | None] = {
            "threads": torch.get_num_threads(),
            "compile_mode": "inductor" if self._options.compiled else "eager",
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "memory_format": self._options.memory_format,
        }
        extra = {
            "peak_memory_of": "process_resident",
            "cpu_capability": torch.backends.cpu.get_cpu_capability(),
        }
        extra |= {"loss_scale": "dynamic"} if self.precision is Precision.AMP_FP16 else {}
        if self.device.type == "cuda":
            card = torch.cuda.get_device_properties(self.device)
            cudnn: int | None = torch.backends.cudnn.version()  # type: ignore[no-untyped-call]
            environment |= {
                "accelerator_name": card.name,
                "accelerator_count": self._options.processes,
                "accelerator_memory_bytes": card.total_memory,
                "cuda": torch.version.cuda,
                "cudnn": None if cudnn is None else str(cudnn),
                "driver": _driver(),
                "tf32_allowed": torch.backends.cudnn.allow_tf32,
                "cudnn_benchmark": torch.backends.cudnn.benchmark,
            }
            extra |= {
                "peak_memory_of": "device_allocated",
                "compute_capability": f"{card.major}.{card.minor}",
            }
            if self._options.processes > 1:
                environment["nccl"] = ".".join(map(str, torch.cuda.nccl.version()))  # type: ignore[no-untyped-call]
            told, more = _nvml(f"GPU-{card.uuid}")
            environment |= told
            extra |= more
        return Facts(environment, (Software("torch", torch.__version__),), extra)

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """CUDA raises its own type, the CPU allocator a RuntimeError. oneDNN gives no reason: its
        error counts if the process has nearly used up its address space.
        """
        text = str(error)
        words = (
            r"can't allocate memory|not enough memory|out of "
            r"memory|(CUBLAS|CUDNN)_STATUS_ALLOC_FAILED"
        )
        words += r"|could not (create|execute) a primitive" if _crowded() else ""
        if isinstance(error, (torch.OutOfMemoryError, MemoryError)) or (
            isinstance(error, RuntimeError) and re.search(words, text)
        ):
            return OutOfMemory(_requested(text), self._part)
        return None


def _crowded() -> bool:
    """Returns True if a limit on the address space (`ulimit -v`) leaves next to nothing."""
    limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    return (
        limit != resource.RLIM_INFINITY
        and psutil.Process().memory_info().vms >= system.NEAR_LIMIT * limit
    )


def _requested(text: str) -> int | None:
    """Returns the size in "you tried to allocate 400 bytes" or "Tried to allocate 2.00 GiB"."""
    found = re.search(r"[Tt]ried to allocate ([\d.]+) (bytes|KiB|MiB|GiB)", text)
    return int(float(found[1]) * _UNITS[found[2].lower()]) if found else None


def _graphs() -> int:
    from torch._dynamo.utils import counters  # noqa: PLC0415 - takes a second; for compiled runs only

    return int(counters["stats"]["unique_graphs"])


def _driver() -> str | None:
    """Returns the driver version of the kernel; NVML's takes precedence."""
    text = text_of(Path("/proc/driver/nvidia/version"))
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", text)
    return found[1] if found else None


_ASKED: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    ("accelerator_persistence", "nvmlDeviceGetPersistenceMode", ()),
    ("accelerator_ecc", "nvmlDeviceGetEccMode", ()),
    ("accelerator_mig", "nvmlDeviceGetMigMode", ()),
    ("accelerator_pcie_generation", "nvmlDeviceGetCurrPcieLinkGeneration", ()),
    ("accelerator_pcie_generation_max", "nvmlDeviceGetMaxPcieLinkGeneration", ()),
    ("accelerator_pcie_width", "nvmlDeviceGetCurrPcieLinkWidth", ()),
    ("accelerator_pcie_width_max", "nvmlDeviceGetMaxPcieLinkWidth", ()),
    ("accelerator_clock_max_mhz", "nvmlDeviceGetMaxClockInfo", (1,)),  # of the multiprocessors
)
"""Name, function and arguments of NVML's facts about a card; of two values, the first (now)."""


def _nvml(uuid: str) -> tuple[dict[str, str | int | float | bool | None], dict[str, str]]:
    """Returns columns and extra facts from NVML, empty without it. The card's id is hashed."""
    extra = {"accelerator_id": hashlib.sha256(uuid.encode()).hexdigest()[:12]}
    found: dict[str, str | int | float | bool | None] = {}
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:  # the nvml extra is optional
        return found, extra
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return found, extra
    try:
        handle = nvml.nvmlDeviceGetHandleByUUID(uuid)  # NVML counts cards that CUDA may not see
        with contextlib.suppress(nvml.NVMLError):
            found["driver"] = str(nvml.nvmlSystemGetDriverVersion())
        with contextlib.suppress(nvml.NVMLError):  # milliwatts; not on every card
            found["accelerator_power_limit_w"] = nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000
        for name, question, arguments in _ASKED:
            with contextlib.suppress(nvml.NVMLError, AttributeError):
                said = getattr(nvml, question)(handle, *arguments)
                extra[name] = str(said[0] if isinstance(said, (list, tuple)) else said)
    except nvml.NVMLError:
        return found, extra
    finally:
        nvml.nvmlShutdown()
    return found, extra


def backend(
    device: str, precision: Precision, threads: int, seed: int, options: Options
) -> PyTorch:
    """Returns PyTorch on that device."""
    return PyTorch(device, precision, threads, seed, options)
