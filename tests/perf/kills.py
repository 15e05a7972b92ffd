"""SIGKILL at random moments: `python -m tests.perf.kills [--suite] [--times 50] [--seed 0]`.

Each time a run is started and, at a random moment, its worker, its command or both are killed; then
`recover` is run. Held against: no damaged file, nothing left in the journals, one run a kill, no
step lost that was older than `LOST_S`, and a run that was completed or a status that says it was
not. With `--suite` it is a suite of four runs that is killed, and then the same command goes on
with it: at the end every run of it is recorded, each once, and beside them the one that was killed.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
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

TRAINED = 0.8
"""Share of the kills that come after the first step; the others may meet a worker that imports its
framework.
"""

COMMAND = (
    "digits_cnn",
    "--measure",
    "throughput",
    "--device",
    "cpu",
    "--threads",
    "1",
    "--telemetry",
    "20",
)

SUITE = (
    "--suite",
    "quick",
    "--size",
    "smoke",
    "--device",
    "cpu",
    "--threads",
    "1",
    "--telemetry",
    "20",
)
SUITE_RUNS = 4
SUITE_S = 14.0
"""Seconds in which the kill of a suite comes: about as long as it takes."""

KERNELS = (sys.executable, "-m", "kernels")
BROKEN = (Status.KILLED, Status.UNFINISHED)


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill.

    Attributes:
        victim: `worker`, `command` or `both`.
        at_s: Seconds at which it came, after the journal's first line or after the start of the
            run's clock.
        ran_s: Seconds from the start of the run's clock to the kill; None where it had not started
            or the run was done before.
        lost_s: Of those, what is not in the record.
        status: Of the recovered run; None where it was killed before there was a journal.
        refused: What is wrong.
    """

    victim: str
    at_s: float
    ran_s: float | None
    lost_s: float | None
    status: str | None
    refused: str | None


def kill(
    runs: Path, victim: str, at_s: float, *, trained: bool, command: Sequence[str] = COMMAND
) -> Kill:
    """Start a run in an empty folder, kill it so long after its journal's first line, or after its
    first step, recover it, and look.
    """
    struck = _strike(runs, victim, at_s, trained=trained, command=command)
    recovered = subprocess.run(
        [*KERNELS, "recover", "--runs", str(runs)],
        env=_environment(),
        capture_output=True,
        text=True,
        check=False,
    )
    return _judged(runs, struck, f"{struck.said}{recovered.stderr}", recovered.returncode)


def kill_suite(
    runs: Path,
    victim: str,
    at_s: float,
    *,
    command: Sequence[str] = SUITE,
    wanted: int = SUITE_RUNS,
) -> Kill:
    """Start a suite in an empty folder, kill it so long after its first journal's first line, let
    the same command go on, and look.
    """
    struck = _strike(runs, victim, at_s, trained=False, command=command)
    again = subprocess.run(
        _run(runs, command), env=_environment(), capture_output=True, text=True, check=False
    )
    return _judged(runs, struck, f"{struck.said}{again.stderr}", again.returncode, wanted=wanted)


@dataclass(frozen=True, slots=True)
class Strike:
    """What was killed, and when.

    Attributes:
        ran_s: As in `Kill`.
        alive: Processes that went on long after their command was killed.
        said: What the command wrote on standard error.
    """

    victim: str
    at_s: float
    ran_s: float | None
    alive: int
    said: str


def _environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": str(ROOT)}


def _run(runs: Path, command: Sequence[str]) -> list[str]:
    return [*KERNELS, "run", *command, "--runs", str(runs), "--together"]


def _strike(
    runs: Path, victim: str, at_s: float, *, trained: bool, command: Sequence[str]
) -> Strike:
    parent = subprocess.Popen(
        _run(runs, command), env=_environment(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    _wait(lambda: bool(_zero(runs) is not None if trained else _journals(runs)), parent)
    time.sleep(at_s)
    family = _family(parent.pid)
    zero = _zero(runs)
    moment = time.perf_counter()
    for process in family:
        if victim == "both" or (victim == "worker") == (process.pid != parent.pid):
            _end(process)
    # a suite goes on without the run that lost its worker
    _, said = parent.communicate(timeout=PATIENCE_S)
    _, alive = psutil.wait_procs(family, timeout=PATIENCE_S)
    return Strike(victim, at_s, None if zero is None else moment - zero, len(alive), said.decode())


def _end(process: psutil.Process) -> None:
    """Kill one that may be gone."""
    try:
        process.send_signal(signal.SIGKILL)
    except psutil.Error:
        return


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


def _judged(runs: Path, struck: Strike, said: str, code: int, *, wanted: int | None = None) -> Kill:
    """What is recorded after a kill; of a suite of `wanted` runs, after it went on."""
    archive = store.read(runs) if runs.is_dir() else None
    found: list[Run] = list(archive.runs) if archive is not None else []
    left = (
        sorted(path.name for path in (runs / "journals").glob("*"))
        if (runs / "journals").is_dir()
        else []
    )
    broken = [run for run in found if run.status in BROKEN]
    run = next(iter(broken if wanted is not None else found), None)
    lost = refused = None
    if broken and struck.ran_s is not None:
        lost = struck.ran_s - (
            broken[0].steps[-1].start_s + broken[0].steps[-1].duration_s if broken[0].steps else 0.0
        )
    if struck.alive:
        refused = f"{struck.alive} processes go on half a minute after their command was killed"
    elif archive is not None and archive.problems:
        refused = "; ".join(problem.reason for problem in archive.problems)
    elif left or code:
        refused = (
            f"the command after it ended with {code} and left {', '.join(left)}: {said[-300:]}"
        )
    elif lost is not None and lost > LOST_S:
        refused = f"{lost:.2f} s of steps are lost, wanted {LOST_S} s at most"
    elif wanted is not None:
        refused = _unfinished(found, broken, wanted)
    elif len(found) != 1:
        refused = f"{len(found)} runs, wanted 1: {said[-300:]}"
    elif run is not None and run.status not in {Status.OK, *BROKEN}:
        refused = f"status is {run.status}: {run.status_detail}"
    return Kill(
        struck.victim, struck.at_s, struck.ran_s, lost, None if run is None else run.status, refused
    )


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


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill and count; exit status 1 where anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.perf.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--suite", action="store_true", help="kill a suite, and let it go on")
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)  # noqa: S311 - moments, no secrets
    kills = []
    for number in range(given.times):
        victim = ("worker", "command", "both")[number % 3]
        with tempfile.TemporaryDirectory(prefix="touchstone-kills-") as folder:
            if given.suite:
                done = kill_suite(Path(folder), victim, chance.uniform(0.0, SUITE_S))
            else:
                done = kill(
                    Path(folder),
                    victim,
                    chance.uniform(0.0, 9.0),
                    trained=chance.random() < TRAINED,
                )
        kills.append(done)
        lost = "-" if done.lost_s is None else f"{done.lost_s:.2f} s"
        print(  # noqa: T201 - the answer
            f"{number + 1:3} {victim:8} after {done.at_s:5.2f} s  {done.status or '-':11} lost "
            f"{lost:7} {done.refused or ''}",
            flush=True,
        )
    wrong = sum(done.refused is not None for done in kills)
    most = max((done.lost_s for done in kills if done.lost_s is not None), default=0.0)
    counts = ", ".join(
        f"{count} {status}" for status, count in Counter(done.status for done in kills).items()
    )
    print(  # noqa: T201 - the answer
        f"{len(kills)} kills: {counts}; at most {most:.2f} s lost; {wrong} wrong"
    )
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
