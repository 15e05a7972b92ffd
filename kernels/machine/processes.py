"""Identifies the process that wrote a line, and tells if it still runs: for journals and locks,
which outlive it.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from kernels.disk import text_of


def identity() -> dict[str, int | float | None]:
    """Returns this process's identity for `runs`.

    Its number may be reused, and the wall clock may be set: on Linux its start on the machine's own
    clock is included.
    """
    own = psutil.Process()
    return {"pid": own.pid, "created": own.create_time(), "ticks": ticks(own.pid)}


def runs(said: Mapping[str, Any]) -> bool:
    """Returns True if the process with this identity lives, and is no zombie."""
    try:
        process = psutil.Process(said["pid"])
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        if said.get("ticks") is not None:
            return bool(ticks(process.pid) == said["ticks"])
        return bool(abs(process.create_time() - said["created"]) < 1)
    except (psutil.Error, KeyError, TypeError, ValueError):
        return False


def ticks(pid: int) -> int | None:
    """Returns the start of a process, in ticks since the machine's; None without /proc."""
    # the 22nd field; the name before it may hold spaces and brackets
    words = text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return int(words[19]) if words else None
