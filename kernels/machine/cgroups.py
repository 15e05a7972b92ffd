"""Limits of this process's Linux control group, version 1 or 2; None without a limit or a group.

A container sees its own group as the root; otherwise any group from the process's own up to the
root may have a limit, and the tightest applies.
"""

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Final

from kernels.disk import text_of

ROOT: Final = Path("/sys/fs/cgroup")
OWN: Final = Path("/proc/self/cgroup")

UNLIMITED: Final = 2**60
"""Bytes from which version 1 means no limit."""


def cpus(root: Path = ROOT, own: Path = OWN) -> float | None:
    """Returns the granted processor time as a number of processors."""
    names = ("cpu.max", "cpu.cfs_quota_us", "cpu.cfs_period_us")
    found = []
    for folder in _folders("cpu", root, own):
        words = [word for name in names for word in text_of(folder / name).split()]
        if len(words) == 2 and words[0].isdigit() and words[1].isdigit() and int(words[1]):  # noqa: PLR2004 - a quota and its period
            found.append(int(words[0]) / int(words[1]))
    return min(found, default=None)


def memory(root: Path = ROOT, own: Path = OWN) -> int | None:
    """Returns the granted bytes."""
    found = [
        int(word)
        for folder in _folders("memory", root, own)
        for name in ("memory.max", "memory.limit_in_bytes")
        for word in text_of(folder / name).split()
        if word.isdigit() and int(word) < UNLIMITED
    ]
    return min(found, default=None)


def oom_kills(root: Path = ROOT, own: Path = OWN) -> int:
    """Returns the processes killed for memory; groups overlap, so only a rise counts."""
    total = 0
    for folder in _folders("memory", root, own):
        for name in ("memory.events", "memory.oom_control"):
            words = text_of(folder / name).split()
            total += sum(
                int(count)
                for key, count in pairwise(words)
                if key == "oom_kill" and count.isdigit()
            )
    return total


def _folders(controller: str, root: Path, own: Path) -> Iterator[Path]:
    """Yields the folders of a controller: of the process's own group and those above."""
    seen: set[Path] = set()
    for line in (*text_of(own).splitlines(), "0::/"):
        _, controllers, place = (*line.split(":", 2), "", "")[:3]
        if controllers and controller not in controllers.split(","):
            continue
        parts = [part for part in place.split("/") if part]
        parts = [] if ".." in parts else parts  # a group outside this process's view
        for base in (root / controllers, root / controller) if controllers else (root,):
            for length in range(len(parts), -1, -1):
                folder = base.joinpath(*parts[:length])
                if folder not in seen:
                    seen.add(folder)
                    yield folder
