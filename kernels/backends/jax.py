"""JAX on the CPU, on CUDA and on TPUs.

XLA compiles a step when it is first taken, so the first step always includes compilation. XLA has
no setting for its number of threads: it starts one per processor that the process may run on, and
the worker binds the process to as many as requested.
"""

import importlib.util
import os
import re
from typing import Any

import jax

from kernels.backends.base import (
    PLAIN,
    Alone,
    Device,
    Facts,
    Options,
    OutOfMemory,
    Probe,
    Ranks,
    resident_peak,
)
from kernels.errors import MeasureError
from kernels.records import Precision, Software

_PRECISIONS = {
    "cpu": (Precision.FP32, Precision.AMP_BF16, Precision.FP64, Precision.BF16, Precision.FP16),
    "cuda": (
        Precision.FP32,
        Precision.TF32,
        Precision.AMP_BF16,
        Precision.FP64,
        Precision.BF16,
        Precision.FP16,
    ),
    "tpu": (Precision.FP32, Precision.AMP_BF16, Precision.BF16),
}

_TYPES = {
    Precision.FP64: jax.numpy.float64,
    Precision.AMP_BF16: jax.numpy.bfloat16,
    Precision.BF16: jax.numpy.bfloat16,
    Precision.FP16: jax.numpy.float16,
}
"""Precision of products, other than FP32."""

_UNITS = {"": 1, "b": 1, "k": 2**10, "m": 2**20, "g": 2**30}


def probe() -> Probe:
    """Returns the devices that this JAX can train on; the CPU is always there, and first."""
    devices = [Device("cpu", None, None, _PRECISIONS["cpu"])]
    for found in jax.local_devices():
        platform = {"gpu": "cuda"}.get(found.platform, found.platform)
        if platform in _PRECISIONS and platform != "cpu":
            name, limit = f"{platform}:{found.local_hardware_id}", _limit(found)
            devices.append(Device(name, found.device_kind, limit, _PRECISIONS[platform]))
    absent = None if len(devices) > 1 else _without_card()
    return Probe("jax", jax.__version__, tuple(devices), no_accelerator=absent)


def _limit(device: Any) -> Any:
    return (device.memory_stats() or {}).get("bytes_limit")


def _without_card() -> str:
    plugins = {"cuda": ("jax_cuda12_plugin", "jax_cuda13_plugin"), "tpu": ("libtpu",)}
    there = [
        platform
        for platform, names in plugins.items()
        if any(importlib.util.find_spec(name) for name in names)
    ]
    if not there:
        return (
            f"JAX {jax.__version__} is installed for the CPU alone: install jax[cuda12], "
            "jax[cuda13] or jax[tpu]"
        )
    said = []
    for platform in there:
        try:
            jax.devices(platform)
        except RuntimeError as error:
            said.append(f"JAX says: {str(error).splitlines()[0]}")
    return "; ".join(said) or "JAX finds no accelerator"


class Jax:
    """JAX on one device.

    A workload passes the result of each step to `watch`; `wait` waits for it.

    Attributes:
        device: Device of the arrays.
        dtype: Precision of products; in mixed precision weights and sums stay in FP32.
        seed: Seed of weights and order.
    """

    name = "jax"

    def __init__(
        self, device: str, precision: Precision, threads: int, seed: int, options: Options = PLAIN
    ) -> None:
        platform, _, index = device.partition(":")
        self.device = jax.devices(platform)[int(index or 0)]
        self.precision = precision
        self.dtype = _TYPES.get(precision, jax.numpy.float32)
        self.seed = seed
        self._threads = threads
        self._options = options
        self._platform = platform
        self._pending: Any = None
        jax.config.update("jax_default_device", self.device)
        # without it JAX silently uses FP32
        jax.config.update("jax_enable_x64", precision is Precision.FP64)
        # XLA's own default multiplies FP32 in TF32 on cards that can, and in BF16 on TPUs; fp32
        # here means fp32.
        jax.config.update(
            "jax_default_matmul_precision",
            "tensorfloat32" if precision is Precision.TF32 else "float32",
        )

    def ranks(self) -> Ranks:
        """One process."""
        return Alone()

    def check(self) -> None:
        """Refuses a workload that did not call `watch`."""
        if self._pending is None:
            raise MeasureError(
                "this workload never handed the result of a step to the backend, so nothing was "
                "waited for: call `watch`"
            )

    def close(self) -> None:
        """Does nothing: there is one process."""

    def watch(self, result: object) -> None:
        """Keeps the result of the step just taken; JAX returns before it is computed."""
        self._pending = result

    def wait(self) -> None:
        """Waits until the last step is done: its result depends on all before."""
        jax.block_until_ready(self._pending)

    def peak_memory(self) -> int:
        """Returns bytes of arrays on an accelerator, the process's peak resident size on a CPU."""
        if (stats := self.device.memory_stats()) and "peak_bytes_in_use" in stats:
            return int(stats["peak_bytes_in_use"])
        return resident_peak()

    def facts(self) -> Facts:
        """Returns versions and flags; on an accelerator also its name and memory."""
        bound = hasattr(os, "sched_getaffinity")
        environment: dict[str, str | int | float | bool | None] = {
            "threads": len(os.sched_getaffinity(0)) if bound else self._threads,
            "compile_mode": "jit",
            "deterministic": self._options.deterministic,
            "memory_format": "channels_last",
        }
        extra = {"peak_memory_of": "process_resident"}
        if self._platform != "cpu":
            environment |= {
                "accelerator_name": self.device.device_kind,
                "accelerator_count": 1,
                "accelerator_memory_bytes": _limit(self.device),
            }
            if self._platform == "cuda":
                environment["tf32_allowed"] = self.precision is Precision.TF32
            extra = {"peak_memory_of": "device_allocated"}
        software = (Software("jax", jax.__version__), Software("jaxlib", jax.lib.__version__))
        return Facts(environment, software, extra)

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """Parses the text: XLA raises one type for everything."""
        text = str(error)
        if isinstance(error, MemoryError) or (
            isinstance(error, RuntimeError)
            and re.search(r"RESOURCE_EXHAUSTED|[Oo]ut of memory", text)
        ):
            return OutOfMemory(_requested(text))
        return None


def _requested(text: str) -> int | None:
    """Returns the size in "allocating 400 bytes" or "Failed to allocate request for 2.00GiB"."""
    found = re.search(
        r"(?:allocating|request for|to allocate) ([\d.]+) ?([KMG]?)(?:i?B|bytes)", text
    )
    return int(float(found[1]) * _UNITS[found[2].lower()]) if found else None


def backend(device: str, precision: Precision, threads: int, seed: int, options: Options) -> Jax:
    """Returns JAX on that device."""
    return Jax(device, precision, threads, seed, options)
