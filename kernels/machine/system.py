"""The machine: hardware, limits, and load by others while we measure.

Nothing here identifies the machine's owner: no host name, serial number, address or path.
"""

import contextlib
import os
import platform
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import psutil

from kernels.disk import text_of
from kernels.machine import cgroups, details, kernel_settings
from kernels.records import Environment, Setting

ROOT: Final = Path(__file__).resolve().parents[2]

_NOISE_WORDS = re.compile(
    r"\((r|tm)\)|\b(cpu|processor|with|radeon|graphics|core|gen|\d+-core|\d+(st|nd|rd|th))\b|@(?s:.*)",
    re.IGNORECASE,
)


def slug(text: str) -> str:
    """Returns the words of an id, joined by `-`; a dot stays between digits, as in `p3.8xlarge`."""
    words = re.sub(r"[^a-z0-9.]+", "-", text.lower())
    return re.sub(r"-{2,}", "-", re.sub(r"(?<![0-9a-z])\.|\.(?![0-9a-z])", "-", words)).strip("-.")


def cpu_id(model: str | None, vendor: str | None) -> str:
    """Returns the id of a processor: `cpu-amd-epyc`, `cpu-intel-xeon-gold-6148`."""
    name = _NOISE_WORDS.sub(" ", model or platform.machine() or "unknown")
    words = slug(name) or "unknown"
    maker = {"AuthenticAMD": "amd", "GenuineIntel": "intel"}.get(vendor or "", "")
    return f"cpu-{words}" if not maker or words.startswith(maker) else f"cpu-{maker}-{words}"


def gpu_id(model: str) -> str:
    """Returns the id of a card not in the catalogue: `h200`, `geforce-rtx-2080-ti`."""
    return (
        slug(re.sub(r"\b(nvidia|amd|tesla|instinct)\b", " ", model, flags=re.IGNORECASE))
        or "unknown-gpu"
    )


def usable_cores() -> int:
    """Returns the logical processors that this process may use, limited by its control group."""
    affinity = (
        len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
    )
    granted = cgroups.cpus()
    return max(1, min(affinity, affinity if granted is None else int(granted)))


def affinity() -> str | None:
    """Returns the processors that this process may run on, such as `0-3,8`; None if unknown."""
    return _ranges(sorted(os.sched_getaffinity(0))) if hasattr(os, "sched_getaffinity") else None


def bind(most: int) -> None:
    """Limits this process and its children to so many processors."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:most])


def environment(command: str | None = None) -> Environment:
    """Returns all facts that need no framework; None where unknown."""
    info = _cpuinfo()
    commit, dirty = _git()
    return Environment(
        os=_os_name(),
        kernel=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        cpu_model=info.get("model name") or _brand() or platform.processor() or None,
        cpu_vendor=info.get("vendor_id"),
        physical_cores=psutil.cpu_count(logical=False),
        logical_cores=psutil.cpu_count(),
        cpu_max_hz=_max_hz(),
        memory_bytes=psutil.virtual_memory().total,
        cgroup_cpus=cgroups.cpus(),
        cgroup_memory_bytes=cgroups.memory(),
        virtualised=("hypervisor" in info["flags"].split()) if "flags" in info else None,
        numa_nodes=len(list(Path("/sys/devices/system/node").glob("node[0-9]*"))) or None,
        load_average_1min=os.getloadavg()[0] if hasattr(os, "getloadavg") else None,
        cpu_affinity=affinity(),
        git_commit=commit,
        git_dirty=dirty,
        command=command,
        extra=tuple(
            Setting(name, value)
            for name, value in (
                kernel_settings.settings() | details.facts() | processor(info)
            ).items()
        ),
    )


INSTRUCTIONS: Final = (
    "avx", "avx2", "fma", "avx_vnni", "avx512f", "avx512_vnni", "avx512_bf16", "avx512_fp16",
    "amx_bf16", "amx_fp16", "amx_int8", "asimd", "asimdhp", "asimddp", "sve", "sve2", "bf16",
    "i8mm",
)  # fmt: skip
"""Extensions that affect how fast a processor multiplies, by their Linux names."""


def processor(info: Mapping[str, str]) -> dict[str, str]:
    """Returns the facts that distinguish processors of one name, from a block of /proc/cpuinfo."""
    model = [info.get(name) for name in ("cpu family", "model", "stepping")]
    has = set((info.get("flags") or info.get("Features") or "").split())
    found = {"cpu_instructions": " ".join(name for name in INSTRUCTIONS if name in has)}
    if all(model):
        found["cpu_family_model_stepping"] = "/".join(filter(None, model))
    return {name: text for name, text in found.items() if text}


def _ranges(numbers: list[int]) -> str:
    """Formats 0, 1, 2, 5 as `0-2,5`."""
    parts: list[list[int]] = []
    for number in numbers:
        if parts and parts[-1][-1] == number - 1:
            parts[-1] = [parts[-1][0], number]
        else:
            parts.append([number])
    return ",".join("-".join(str(end) for end in part) for part in parts)


def _os_name() -> str:
    try:
        return platform.freedesktop_os_release().get("PRETTY_NAME", platform.system())
    except OSError:
        return f"{platform.system()} {platform.release()}"


def _cpuinfo() -> dict[str, str]:
    first = text_of(Path("/proc/cpuinfo")).split("\n\n", 1)[0]
    return {
        name.strip(): value.strip()
        for name, _, value in (line.partition(":") for line in first.splitlines())
    }


def _brand() -> str | None:
    """Returns the processor's name on macOS, where `platform` says only `arm`."""
    if platform.system() != "Darwin":
        return None
    return _said("/usr/sbin/sysctl", "-n", "machdep.cpu.brand_string") or None


def _max_hz() -> float | None:
    # psutil shows the current clock as the highest one if the machine hides it, or 0, which is
    # no clock.
    try:
        found = psutil.cpu_freq()
    except (OSError, NotImplementedError):
        return None
    return found.max * 1e6 if found and found.max else None


def _git() -> tuple[str | None, bool | None]:
    commit, status = _git_says("rev-parse", "HEAD"), _git_says("status", "--porcelain", "-uno")
    return (None, None) if commit is None or status is None else (commit, bool(status))


def in_history(commit: str) -> bool | None:
    """Returns True if a commit is in this history; None without git or with a shallow clone."""
    if not re.fullmatch(r"[0-9a-f]{7,64}", commit):
        return False
    if _git_says("merge-base", "--is-ancestor", commit, "HEAD") is not None:
        return True
    return False if _git_says("rev-parse", "--is-shallow-repository") == "false" else None


def _git_says(*words: str) -> str | None:
    git = shutil.which("git")
    return None if git is None else _said(git, "-C", str(ROOT), *words)


def _said(*command: str) -> str | None:
    try:
        return subprocess.run(  # noqa: S603 - no shell
            command, capture_output=True, text=True, check=True, timeout=30
        ).stdout.strip()
    except (subprocess.SubprocessError, OSError):
        return None


@dataclass
class LoadMeter:
    """Measures processor time used by others: that of the whole machine minus our own (`own`, and
    all their children, also ended ones). Time taken by a hypervisor (steal) counts as others' too.
    """

    own: tuple[int, ...]
    _wall: float = field(default=0.0, init=False)
    _busy: float = field(default=0.0, init=False)
    _ours: float = field(default=0.0, init=False)

    def start(self, now: float) -> None:
        """Starts counting at `now`, seconds of the run's clock."""
        self._wall, self._busy, self._ours = now, _machine_busy(), self._own_busy()

    def foreign_cores(self, now: float) -> float | None:
        """Returns the cores that others kept busy since `start`; None over too short a time."""
        wall = now - self._wall
        if wall < SHORTEST:
            return None
        busy, ours = _machine_busy() - self._busy, self._own_busy() - self._ours
        return max(0.0, (busy - ours) / wall)

    def _own_busy(self) -> float:
        # the worker is a child of the command: count it once
        found: dict[int, psutil.Process] = {}
        for pid in self.own:
            with contextlib.suppress(psutil.Error):
                process = psutil.Process(pid)
                found |= {each.pid: each for each in (process, *process.children(recursive=True))}
        total = 0.0
        for each in found.values():
            with contextlib.suppress(psutil.Error):  # it ended while we counted
                used = each.cpu_times()
                # The time of ended children is their parent's, as soon as that has waited for
                # them.
                total += sum(
                    getattr(used, name, 0.0)
                    for name in ("user", "system", "children_user", "children_system")
                )
        return total


SHORTEST: Final = 0.4
"""Seconds below which a share is mostly rounding: two ticks of 10 ms are 0.05 cores."""


def _machine_busy() -> float:
    times = psutil.cpu_times()
    return float(
        times.user
        + times.system
        + sum(getattr(times, name, 0.0) for name in ("nice", "irq", "softirq", "steal"))
    )


def oom_kills() -> int:
    """Returns the processes that the kernel killed for memory so far, as evidence for a kill."""
    found = re.search(r"^oom_kill (\d+)$", text_of(Path("/proc/vmstat")), re.MULTILINE)
    return cgroups.oom_kills() + (int(found[1]) if found else 0)


NEAR_LIMIT: Final = 0.95
"""Share of a memory limit at which an unexplained end counts as out of memory."""


def memory_limit() -> int:
    """Returns the bytes of the machine, or of its control group if less."""
    total = int(psutil.virtual_memory().total)
    return min(total, cgroups.memory() or total)
