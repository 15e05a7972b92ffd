"""The environment variables of the processes of a run: the user's, less what moves speed, plus what
the run was asked to use.
"""

import os
import re
from pathlib import Path
from typing import Final

from kernels.machine import system

TUNED: Final = {"MALLOC_MMAP_MAX_": "0", "MALLOC_TRIM_THRESHOLD_": "-1"}
"""glibc keeps big blocks between steps: 1.4 times the speed of some networks."""

_OURS = re.compile(
    r"(OMP|MKL|KMP|GOMP|OPENBLAS|BLIS|VECLIB|DNNL|ONEDNN|ATEN|MALLOC|MIMALLOC|THP|TORCH|PYTORCH|TORCHINDUCTOR|TRITON|CUBLAS|CUDNN|GLIBC"
    r"|NUMEXPR|XLA|JAX|LIBTPU|PYTHON)_?.*"
    r"|LD_PRELOAD|DYLD_INSERT_LIBRARIES|NVIDIA_TF32_OVERRIDE|CUDA_LAUNCH_BLOCKING|CUDA_CACHE_\w+|CUDA_FORCE_\w+"
)
"""Variables that move speed, or that make another number format of FP32 and say nothing."""


def of_worker(
    threads: int, allocator: str, cache: Path, *, deterministic: bool = False
) -> dict[str, str]:
    """The user's variables without what moves speed, plus what the run was asked to use."""
    kept = {name: value for name, value in os.environ.items() if not _OURS.fullmatch(name)}
    ours = {
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(system.ROOT),
        "PYTHONUNBUFFERED": "1",
        # CUDA then counts cards as NVML does, so that the sampler reads the one that trains
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        # a cache shared between runs would fake the first step
        "TORCHINDUCTOR_CACHE_DIR": str(cache),
        # likewise the driver's, of kernels that it compiles for a card newer than they are
        "CUDA_CACHE_PATH": str(cache),
    }
    # PYTHONPATH may hold what the installation needs; the checkout goes first.
    if os.environ.get("PYTHONPATH"):
        ours["PYTHONPATH"] += os.pathsep + os.environ["PYTHONPATH"]
    if deterministic:
        # without it cuBLAS may add up in another order each time, and PyTorch refuses
        ours["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        ours["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true"
    return kept | ours | (TUNED if allocator == "tuned" else {})
