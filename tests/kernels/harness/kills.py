"""SIGKILL at chosen moments: a run is started, its worker, its command or both are killed, and then
`recover` is run.

Held against: no damaged file, nothing left in the journals, one run a kill, no step lost that was
older than `LOST_S`, and a run that was completed or a status that says it was not. Of a suite the
same command goes on: at the end every run of it is recorded, each once, and beside them the one
that was killed.
"""

import contextlib
import json
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from kernels import store
from kernels.machine.system import ROOT
from kernels.records import Run, Status
from tests.patience import PATIENCE_S

LOST_S = 1.5
"""Seconds of steps that a kill may cost: a journal is written once a second, and then the next
step's time passes.
"""

COMMAND = "digits_cnn --measure throughput --device cpu --threads 1 --telemetry 20"
SUITE = "--suite quick --size smoke --device cpu --threads 1 --telemetry 20"
SUITE_RUNS = 4
KERNELS = (sys.executable, "-m", "kernels")
BROKEN = (Status.KILLED, Status.UNFINISHED)


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill, and what is left of the run.

    Attributes:
        status: Of the recovered run; None where it was killed before there was a journal.
        lost_s: Seconds from the start of the run's clock to the kill that are not in the record;
            None where it had not started or the run was done before.
        refused: What is wrong.
    """

    status: str | None
    lost_s: float | None
    refused: str | None


def kill(runs: Path, victim: str, at_s: float, *, trained: bool, command: str = COMMAND) -> Kill:
    """Start a run in an empty folder, kill it so long after its journal's first line, or after its
    first step, recover it, and look. The victim is `worker`, `command` or `both`.
    """
    recover = [*KERNELS, "recover", "--runs", str(runs)]
    return _kill(runs, victim, at_s, _run(runs, command), recover, trained=trained)


def kill_suite(
    runs: Path, victim: str, at_s: float, *, command: str = SUITE, wanted: int = SUITE_RUNS
) -> Kill:
    """Start a suite, kill it so long after its first journal's first line, let it go on, look."""
    suite = _run(runs, command)
    return _kill(runs, victim, at_s, suite, suite, wanted=wanted)


def _run(runs: Path, command: str) -> list[str]:
    return [*KERNELS, "run", *shlex.split(command), "--runs", str(runs), "--together"]


def _kill(
    runs: Path,
    victim: str,
    at_s: float,
    command: Sequence[str],
    after: Sequence[str],
    *,
    trained: bool = False,
    wanted: int | None = None,
) -> Kill:
    """Kill a command and run another after it; `wanted` runs are whole then, of a suite."""
    env = {**os.environ, "PYTHONPATH": str(ROOT)}
    parent = subprocess.Popen(command, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    _wait(lambda: bool(_zero(runs) is not None if trained else _journals(runs)), parent)
    time.sleep(at_s)
    family = _family(parent.pid)
    zero = _zero(runs)
    moment = time.perf_counter()
    for process in family:
        if victim == "both" or (victim == "worker") == (process.pid != parent.pid):
            with contextlib.suppress(psutil.Error):  # it may be gone
                process.send_signal(signal.SIGKILL)
    # a suite goes on without the run that lost its worker
    _, said = parent.communicate(timeout=PATIENCE_S)
    _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
    done = subprocess.run(after, env=env, capture_output=True, text=True, check=False)

    archive = store.read(runs) if runs.is_dir() else None
    found = list(archive.runs) if archive is not None else []
    broken = [run for run in found if run.status in BROKEN]
    run = next(iter(found if wanted is None else broken), None)
    lost = None
    if broken and zero is not None:
        last = broken[0].steps[-1] if broken[0].steps else None
        lost = moment - zero - (last.start_s + last.duration_s if last else 0.0)
    left = [path.name for path in (runs / "journals").glob("*")]
    words = f"{said.decode()}{done.stderr}"[-300:]
    refused: str | None = None
    if alive:
        refused = f"{len(alive)} processes go on half a minute after their command was killed"
    elif archive is not None and archive.problems:
        refused = "; ".join(problem.reason for problem in archive.problems)
    elif left or done.returncode:
        refused = (
            f"the command after it ended with {done.returncode} and left {', '.join(left)}: {words}"
        )
    elif lost is not None and lost > LOST_S:
        refused = f"{lost:.2f} s of steps are lost, wanted {LOST_S} s at most"
    elif wanted is not None:
        refused = _unfinished(found, broken, wanted)
    elif len(found) != 1:
        refused = f"{len(found)} runs, wanted 1: {words}"
    elif found[0].status not in {Status.OK, *BROKEN}:
        refused = f"status is {found[0].status}: {found[0].status_detail}"
    return Kill(None if run is None else run.status, lost, refused)


def _wait(until: Callable[[], bool], parent: "subprocess.Popen[bytes]") -> None:
    """Until something is so, its command has ended, or nothing comes any more."""
    latest = time.monotonic() + PATIENCE_S
    while not until() and parent.poll() is None and time.monotonic() < latest:
        time.sleep(0.01)


def _journals(runs: Path) -> list[Path]:
    """The one of the run that is measured, once it is there."""
    return list((runs / "journals").glob("*.jsonl"))


def _family(pid: int) -> list[psutil.Process]:
    """The command, its worker and what that started; the sampler is left to notice by itself."""
    try:
        command = psutil.Process(pid)
        rest = [
            each
            for each in command.children(recursive=True)
            if "kernels.telemetry.process" not in each.cmdline()
        ]
    except psutil.Error:
        return []
    return [command, *rest]


def _zero(runs: Path) -> float | None:
    """When the clock of the run that is measured started, where its line is written."""
    try:
        lines = [line for journal in _journals(runs) for line in journal.read_bytes().split(b"\n")]
        return next(
            float(event["zero"])
            for line in lines
            if b'"clock"' in line and (event := json.loads(line))["event"] == "clock"
        )
    except (OSError, ValueError, StopIteration):
        return None


def _unfinished(found: Sequence[Run], broken: Sequence[Run], wanted: int) -> str | None:
    """What a suite lacks or has twice; None where it is whole."""
    ended = [run for run in found if run.status is Status.OK]
    kinds = {
        (
            run.workload,
            run.seed,
            tuple(setting for setting in run.settings if setting.name == "operation_size"),
        )
        for run in ended
    }
    if (len(ended), len(kinds)) != (wanted, wanted) or len(broken) > 1 or len(found) > wanted + 1:
        said = ", ".join(f"{run.run_id} {run.status}" for run in found)
        return f"found {said}, wanted {wanted} runs that differ and at most one that was killed"
    return None
