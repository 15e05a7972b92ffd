"""Which process wrote a line, and whether it still runs: for journals and locks, which outlive
whoever made them.
"""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import psutil

from kernels.disk import text_of


def identity() -> dict[str, int | float | None]:
    """This process, so that `runs` knows it again.

    Its number may go to another process, and the calendar moves when somebody sets the time: on
    Linux its start is told by the machine's own clock as well.
    """
    own = psutil.Process()
    return {"pid": own.pid, "created": own.create_time(), "ticks": ticks(own.pid)}


def runs(said: Mapping[str, Any]) -> bool:
    """Whether the process that said this of itself lives, and is no zombie."""
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
    """When a process started, in ticks since the machine did; None without /proc."""
    # the 22nd field; the name before it may hold spaces and brackets
    words = text_of(Path(f"/proc/{pid}/stat")).rpartition(")")[2].split()
    return int(words[19]) if words else None
