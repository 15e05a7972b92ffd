"""Several processes that train together on this machine: their start, and the diagnosis if one
dies.

`torchrun` starts them and ends all when one fails. Rank 0 writes the run's journal, every other
rank a temporary one, so that the first to fail can be distinguished from those that only lost their
partner. No framework is imported: `torchrun` is started as a module.
"""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import psutil

from kernels.records import Status

FOLDER: Final = "TOUCHSTONE_RANKS"
"""Variable with the folder for journals of ranks other than 0."""

TERMINATED: Final = -15
"""Exit status of a rank that `torchrun` ended because another one had failed."""

Lack = Callable[[int], str | None]
"""Returns the evidence for a lack of memory at so many resident bytes; None without any."""


def command(path: Path, processes: int) -> list[str]:
    """Returns the worker's command line: one Python, or `torchrun` with so many processes."""
    worker = ["-m", "kernels.harness.worker", str(path)]
    together = ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", str(processes)]
    return [sys.executable, *(together if processes > 1 else []), *worker]


def rank() -> int:
    """Returns the rank of this process under `torchrun`, else 0."""
    return int(os.environ.get("RANK", "0")) if FOLDER in os.environ else 0


def journal_of(path: Path) -> Path:
    """Returns the file this process writes: the run's journal or, by rank, one for the parent."""
    mine = rank()
    return path if mine == 0 else Path(os.environ[FOLDER]) / f"rank-{mine}.jsonl"


def signalled(number: int, resident_bytes: int, lack: Lack) -> tuple[Status, str]:
    """Returns the status of a process that a signal ended; out-of-memory only with evidence."""
    if number == signal.SIGKILL and (why := lack(resident_bytes)) is not None:
        return Status.OOM, f"killed, and {why}"
    return Status.KILLED, f"signal {number}, cause unknown"


_EXITS: Final = re.compile(r"rank\s*:\s*(\d{1,9})[^\n]{0,99}+\n\s*exitcode\s*:\s*(-\d+)")
"""Ranks that a signal ended, as `torchrun` reports them."""


def resident(events: list[dict[str, Any]]) -> int:
    """Returns the largest resident size in bytes in a journal."""
    return max((int(event.get("resident_bytes", 0)) for event in events), default=0)


def verdict(
    folder: Path, events: list[dict[str, Any]], said: str, lack: Lack
) -> tuple[Status, str] | None:
    """Returns what ended the ranks: a signal, else the first failure; None if nothing did.

    `events` are of rank 0, other ranks' journals are in `folder`; `said` is the standard error of
    `torchrun`.
    """
    others = {
        int(path.stem.removeprefix("rank-")): _events(path)
        for path in sorted(folder.glob("rank-*.jsonl"))
    }
    own = events[-1]
    if own["event"] == "end" and own["status"] in {
        Status.OK,
        Status.NOT_CONVERGED,
        Status.DIVERGED,
    }:
        return None
    for number, code in _EXITS.findall(said):
        if int(code) != TERMINATED:
            memory = sum(map(resident, (events, *others.values())))
            status, why = signalled(-int(code), memory, lack)
            return status, f"rank {number}: {why}"
    failed = [
        (event["ended_s"], number, event)
        for number, told in {0: [own], **others}.items()
        for event in told
        if event.get("event") == "end" and event["status"] in {Status.OOM, Status.FAILED}
    ]
    if not failed:
        return None
    _, number, event = min(failed, key=lambda each: each[:2])
    return Status(event["status"]), f"rank {number}: {event['detail']}"


def _events(path: Path) -> list[dict[str, Any]]:
    found = []
    for line in path.read_text(errors="replace").splitlines():
        with contextlib.suppress(ValueError):
            found.append(json.loads(line))
    return found


def kill(process: "subprocess.Popen[bytes]") -> None:
    """Ends a process and its descendants: `torchrun` gives each rank its own session."""
    try:
        family = [*psutil.Process(process.pid).children(recursive=True)]
    except psutil.Error:
        family = []
    process.kill()
    for each in family:
        with contextlib.suppress(psutil.Error):
            each.kill()
