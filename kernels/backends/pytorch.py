"""PyTorch on the CPU and on CUDA."""

import contextlib
import importlib
import re
import resource
import sys
from pathlib import Path
from typing import Any

import torch

from kernels.backends.base import Device, Facts, OutOfMemory, Probe
from kernels.records import Precision, Software

_CPU_PRECISIONS = (Precision.FP32, Precision.AMP_BF16)
_CUDA_PRECISIONS = (Precision.FP32, Precision.TF32, Precision.AMP_BF16)

_UNITS = {"bytes": 1, "kib": 2**10, "mib": 2**20, "gib": 2**30}


def probe() -> Probe:
    """Look what this PyTorch can train on."""
    devices = [Device("cpu", None, None, _CPU_PRECISIONS)]
    if torch.cuda.is_available():
        for index in range(torch.cuda.device_count()):
            found = torch.cuda.get_device_properties(index)
            devices.append(Device(f"cuda:{index}", found.name, found.total_memory, _CUDA_PRECISIONS))
    return Probe("torch", torch.__version__, tuple(devices))


class PyTorch:
    """PyTorch on one device, with every flag that moves its speed set here and recorded in `facts`.

    Attributes:
        device: Where tensors live.
        memory_format: Channels last: the faster layout for convolutions on CPUs and tensor cores alike.
    """

    name = "torch"

    def __init__(self, device: str, precision: Precision, threads: int, seed: int) -> None:
        self.device = torch.device(device)
        self.precision = precision
        self.memory_format = torch.channels_last
        torch.manual_seed(seed)
        torch.set_num_threads(threads)
        # PyTorch's own default lets convolutions use TF32 while matrix products may not; fp32 here means fp32 in both.
        tf32 = precision is Precision.TF32
        torch.backends.cuda.matmul.allow_tf32 = tf32
        torch.backends.cudnn.allow_tf32 = tf32
        torch.backends.cudnn.benchmark = True  # shapes never change, so the search pays off within the first steps
        if self.device.type == "cuda":
            torch.cuda.set_device(self.device)
            torch.cuda.reset_peak_memory_stats(self.device)

    def wait(self) -> None:
        """Wait until the device has done everything queued; on the CPU a step returns when it is done."""
        if self.device.type == "cuda":
            torch.cuda.synchronize(self.device)

    def autocast(self) -> contextlib.AbstractContextManager[object]:
        """The context in which forward pass and loss run: bfloat16 where asked for, else as written."""
        if self.precision is Precision.AMP_BF16:
            return torch.autocast(self.device.type, dtype=torch.bfloat16)
        return contextlib.nullcontext()

    def peak_memory(self) -> int:
        """Bytes: on CUDA the most that tensors took, on the CPU the process's peak resident size, PyTorch included."""
        if self.device.type == "cuda":
            return torch.cuda.max_memory_allocated(self.device)
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        return peak if sys.platform == "darwin" else peak * 1024  # Linux counts in KiB, macOS in bytes

    def facts(self) -> Facts:
        """Versions and flags; on CUDA also driver, memory and power limit of the card."""
        environment: dict[str, str | int | float | bool | None] = {
            "threads": torch.get_num_threads(),
            "compile_mode": "eager",
            "deterministic": torch.are_deterministic_algorithms_enabled(),
            "memory_format": "channels_last",
        }
        extra = {"peak_memory_of": "process_resident"}
        if self.device.type == "cuda":
            card = torch.cuda.get_device_properties(self.device)
            cudnn: int | None = torch.backends.cudnn.version()  # type: ignore[no-untyped-call]
            environment |= {
                "accelerator_name": card.name,
                "accelerator_count": 1,
                "accelerator_memory_bytes": card.total_memory,
                "cuda": torch.version.cuda,
                "cudnn": None if cudnn is None else str(cudnn),
                "driver": _driver(),
                "tf32_allowed": torch.backends.cudnn.allow_tf32,
                "cudnn_benchmark": torch.backends.cudnn.benchmark,
            }
            extra = {"peak_memory_of": "device_allocated", "compute_capability": f"{card.major}.{card.minor}"}
            environment |= _nvml(f"GPU-{card.uuid}")
        return Facts(environment, (Software("torch", torch.__version__),), extra)

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """CUDA raises its own type, the CPU allocator a plain RuntimeError, Python a MemoryError."""
        text = str(error)
        if isinstance(error, (torch.OutOfMemoryError, MemoryError)) or (
            isinstance(error, RuntimeError) and re.search(r"can't allocate memory|not enough memory|out of memory", text)
        ):
            return OutOfMemory(_requested(text))
        return None


def _requested(text: str) -> int | None:
    """The size in "you tried to allocate 400 bytes" or "Tried to allocate 2.00 GiB"."""
    found = re.search(r"[Tt]ried to allocate ([\d.]+) (bytes|KiB|MiB|GiB)", text)
    return int(float(found[1]) * _UNITS[found[2].lower()]) if found else None


def _driver() -> str | None:
    """The driver's version where the kernel shows it; NVML, where installed, says it too and wins."""
    try:
        text = Path("/proc/driver/nvidia/version").read_text()
    except OSError:
        return None
    found = re.search(r"\b(\d{3,}\.\d+(?:\.\d+)?)\b", text)
    return found[1] if found else None


def _nvml(uuid: str) -> dict[str, str | int | float | bool | None]:
    """Driver and power limit from NVML; nothing where its Python package or the driver is absent."""
    try:
        nvml: Any = importlib.import_module("pynvml")
    except ImportError:  # the nvml extra is optional
        return {}
    try:
        nvml.nvmlInit()
    except nvml.NVMLError:
        return {}
    found: dict[str, str | int | float | bool | None] = {}
    try:
        handle = nvml.nvmlDeviceGetHandleByUUID(uuid)  # NVML counts cards that CUDA may not see
        with contextlib.suppress(nvml.NVMLError):
            found["driver"] = str(nvml.nvmlSystemGetDriverVersion())
        with contextlib.suppress(nvml.NVMLError):  # milliwatts; not every card tells
            found["accelerator_power_limit_w"] = nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000
    except nvml.NVMLError:
        return found
    finally:
        nvml.nvmlShutdown()
    return found
