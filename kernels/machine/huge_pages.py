"""Pages of 2 MiB for a run's memory on the host: settings of kernel and PyTorch's allocator."""

import os
import re
from pathlib import Path
from typing import Final

from kernels.disk import text_of

KERNEL: Final = "sys/kernel/mm/transparent_hugepage/enabled"
ROLLUP: Final = "proc/self/smaps_rollup"


def recorded(root: Path = Path("/")) -> dict[str, str]:
    """Returns the settings recorded before the first step: PyTorch's variable, and the kernel's
    setting (`always`, `madvise` or `never`) if it has one.
    """
    found = {"THP_MEM_ALLOC_ENABLE": os.environ.get("THP_MEM_ALLOC_ENABLE", "unset")}
    chosen = re.search(r"\[(\w+)\]", text_of(root / KERNEL))
    return found | ({"transparent_hugepage": chosen[1]} if chosen else {})


def in_use(root: Path = Path("/")) -> int | None:
    """Returns the bytes of this process in huge pages; None if the kernel does not tell."""
    found = re.search(r"^AnonHugePages:\s+(\d+) kB$", text_of(root / ROLLUP), re.MULTILINE)
    return None if found is None else int(found[1]) * 1024
