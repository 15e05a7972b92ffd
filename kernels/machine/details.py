"""Facts about a machine without a column: caches, container, uptime, timer, clocks, storage.

Each is read from files below a root, and omitted if missing. Identifiers, such as the id of a
container, are hashed; names given by users, such as that of an image in a private registry, are not
kept.
"""

import hashlib
import os
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from kernels.disk import text_of

ROOT: Final = Path("/")

_KINDS: Final = {"Data": "d", "Instruction": "i", "Unified": ""}

_HASH: Final = re.compile(r"(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])")


def facts(root: Path = ROOT) -> dict[str, str]:
    """Returns the facts that hold for a whole run, by name."""
    found = {
        "cpu_caches": ", ".join(_caches(root)),
        "uptime_s": text_of(root / "proc/uptime").partition(".")[0],
    }
    found["timer_resolution_s"] = f"{time.get_clock_info('perf_counter').resolution:g}"
    return {name: text for name, text in found.items() if text} | _container(root)


def _caches(root: Path) -> Iterator[str]:
    """Yields caches of the first processor by level, as in the kernel: `L1d 48 KiB`."""
    for folder in sorted((root / "sys/devices/system/cpu/cpu0/cache").glob("index[0-9]*")):
        level, kind, size = (text_of(folder / name) for name in ("level", "type", "size"))
        if level and kind in _KINDS and re.fullmatch(r"\d+K", size):
            yield f"L{level}{_KINDS[kind]} {size[:-1]} KiB"


def _container(root: Path) -> dict[str, str]:
    """Returns kind, image digest and hashed id of the container; nothing outside of one."""
    podman = root / "run/.containerenv"
    kind = "podman" if podman.exists() else "docker" if (root / ".dockerenv").exists() else ""
    found = {"container": kind} if kind else {}
    image = re.search(r'^imageid="(?:sha256:)?([0-9a-f]{64})"$', text_of(podman), re.MULTILINE)
    if image:
        found["container_image"] = f"sha256:{image[1]}"
    # Mounts from the container's folder are inside it; mounts onto such a folder are on the
    # machine that runs containers.
    ids = _HASH.search(text_of(root / "proc/self/cgroup")) or re.search(
        rf"^(?:\S+ ){{3}}\S*/containers/({_HASH.pattern})/",
        text_of(root / "proc/self/mountinfo"),
        re.MULTILINE,
    )
    if ids:
        found["container_id"] = hashlib.sha256(ids[ids.lastindex or 0].encode()).hexdigest()[:12]
    return found


def clocks(when: str, root: Path = ROOT) -> dict[str, str]:
    """Returns the range of clocks, in MHz, of this process's processors: `2596`, or `1497-3695`."""
    mine = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    found = [hertz for number, hertz in _clocks(root) if mine is None or number in mine]
    if not found:
        return {}
    ends = dict.fromkeys(f"{end:.0f}" for end in (min(found), max(found)))
    return {f"cpu_clock_{when}_mhz": "-".join(ends)}


def _clocks(root: Path) -> Iterator[tuple[int, float]]:
    scaled = [
        (int(path.parent.parent.name.removeprefix("cpu")), int(text) / 1000)
        for path in (root / "sys/devices/system/cpu").glob("cpu[0-9]*/cpufreq/scaling_cur_freq")
        if (text := text_of(path)).isdigit()
    ]
    if scaled:
        yield from scaled
        return
    for block in text_of(root / "proc/cpuinfo").split("\n\n"):
        number = re.search(r"^processor\s*:\s*(\d+)$", block, re.MULTILINE)
        megahertz = re.search(r"^cpu MHz\s*:\s*([\d.]+)$", block, re.MULTILINE)
        if number and megahertz:
            yield int(number[1]), float(megahertz[1])


def storage(folder: Path, root: Path = ROOT) -> dict[str, str]:
    """Returns filesystem, size and kind of a folder's disk; nothing without the folder."""
    try:
        found = {"data_volume_bytes": str(shutil.disk_usage(folder).total)}
    except OSError:
        return {}
    mounts = [
        line.split() for line in text_of(root / "proc/self/mountinfo").splitlines() if " - " in line
    ]
    over = [mount for mount in mounts if folder.resolve().is_relative_to(_unescaped(mount[4]))]
    if not over:
        return found
    # of several at one path the last hides the others
    mount = max(reversed(over), key=lambda each: len(_unescaped(each[4])))
    found["data_filesystem"] = mount[mount.index("-") + 1]
    disk = (root / "sys/dev/block" / mount[2]).resolve()
    for place in (disk, disk.parent):  # a partition has no queue, its disk has
        if (turns := text_of(place / "queue/rotational")) in {"0", "1"}:
            found["data_disk_rotates"] = "yes" if turns == "1" else "no"
            break
    return found


def _unescaped(text: str) -> str:
    """Decodes a path of mountinfo, with octal numbers for spaces."""
    return re.sub(r"\\(\d{3})", lambda found: chr(int(found[1], 8)), text)
