"""Environment variables of a run's processes: the user's without those that affect speed, plus
those requested by the run.
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
"""Variables that affect speed, or silently change the precision of FP32."""


def of_worker(
    threads: int, allocator: str, cache: Path, *, deterministic: bool = False
) -> dict[str, str]:
    """Returns the variables of a worker."""
    kept = {name: value for name, value in os.environ.items() if not _OURS.fullmatch(name)}
    ours = {
        "OMP_NUM_THREADS": str(threads),
        "MKL_NUM_THREADS": str(threads),
        "PYTHONHASHSEED": "0",
        "PYTHONPATH": str(system.ROOT),
        "PYTHONUNBUFFERED": "1",
        # CUDA then counts cards as NVML does, so that the sampler reads the one that trains
        "CUDA_DEVICE_ORDER": "PCI_BUS_ID",
        # with a cache shared between runs, the first step would not compile
        "TORCHINDUCTOR_CACHE_DIR": str(cache),
        # likewise the driver's cache of kernels compiled for newer cards
        "CUDA_CACHE_PATH": str(cache),
    }
    # PYTHONPATH may hold what the installation needs; the checkout goes first.
    if os.environ.get("PYTHONPATH"):
        ours["PYTHONPATH"] += os.pathsep + os.environ["PYTHONPATH"]
    if deterministic:
        # without it cuBLAS may sum in varying order, and PyTorch refuses
        ours["CUBLAS_WORKSPACE_CONFIG"] = ":4096:8"
        ours["XLA_FLAGS"] = "--xla_gpu_deterministic_ops=true"
    return kept | ours | (TUNED if allocator == "tuned" else {})
