"""Pages of 2 MiB for a run's memory on the host: what can be asked for, how it is asked, and what
came of it.

Linux gives them to all memory (`always`), to memory that is asked for with them (`madvise`) or to
none (`never`). PyTorch's allocator asks where a variable tells it to, and so does the C library; a
process can also have them kept from itself. So a run is told one of

- `system`: nothing is asked, the kernel decides;
- `madvise`: the allocators ask;
- `never`: the run's processes have none, whatever the kernel would give.
"""

import ctypes
import os
import re
from pathlib import Path
from typing import Final

from kernels.disk import text_of
from kernels.errors import MeasureError

SYSTEM: Final = "system"
MADVISE: Final = "madvise"
NEVER: Final = "never"
CHOICES: Final = (SYSTEM, MADVISE, NEVER)

NAME: Final = "huge_pages"
"""Entry in `Environment.extra`; a run without it is of `system`."""

ASKED: Final = {"THP_MEM_ALLOC_ENABLE": "1", "GLIBC_TUNABLES": "glibc.malloc.hugetlb=1"}
"""Variables by which PyTorch's allocator (tensors from 2 MiB on) and glibc (from 2.35 on) ask."""

KERNEL: Final = "sys/kernel/mm/transparent_hugepage/enabled"
ROLLUP: Final = "proc/self/smaps_rollup"

_PR_SET_THP_DISABLE: Final = 41


def of_kernel(root: Path = Path("/")) -> str | None:
    """The kernel's own setting: `always`, `madvise` or `never`; None where it has none."""
    chosen = re.search(r"\[(\w+)\]", text_of(root / KERNEL))
    return chosen[1] if chosen else None


def refusal(chosen: str, root: Path = Path("/")) -> str | None:
    """Why this machine cannot do what was chosen, and what to do; None where it can."""
    there = of_kernel(root)
    if chosen == SYSTEM:
        return None
    if there is None:
        return f"this system shows no /{KERNEL}, so nothing can be set: leave it out"
    if chosen == MADVISE and there == "never":
        return (
            f"/{KERNEL} is never, so the kernel gives none to whoever asks: have root write "
            "madvise there, or leave it out"
        )
    return None


def variables(chosen: str) -> dict[str, str]:
    """Returns what the environment of a run's processes needs."""
    return dict(ASKED) if chosen == MADVISE else {}


def keep_from_us(chosen: str) -> None:
    """Give this process and its children none, where that was chosen.

    Raises:
        MeasureError: The kernel refuses.
    """
    if chosen != NEVER:
        return
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_PR_SET_THP_DISABLE, 1, 0, 0, 0) != 0:
        raise MeasureError(
            f"--huge-pages never: the kernel refuses ({os.strerror(ctypes.get_errno())}); leave it "
            "out"
        )


def recorded(chosen: str, root: Path = Path("/")) -> dict[str, str]:
    """What a record says of them before its first step: choice, PyTorch's variable, kernel's
    setting.
    """
    there = of_kernel(root)
    found = {NAME: chosen, "THP_MEM_ALLOC_ENABLE": os.environ.get("THP_MEM_ALLOC_ENABLE", "unset")}
    return found | ({} if there is None else {"transparent_hugepage": there})


def in_use(root: Path = Path("/")) -> int | None:
    """Bytes of this process in huge pages; None where the kernel does not tell."""
    found = re.search(r"^AnonHugePages:\s+(\d+) kB$", text_of(root / ROLLUP), re.MULTILINE)
    return None if found is None else int(found[1]) * 1024
