"""SIGKILL at random moments: `python -m tests.perf.kills [--times 50] [--seed 0]`.

Each time a run is started and, at a random moment, its worker, its command or both are killed; then `recover` is run. Held against:
no damaged file, nothing left in the journals, one run a kill, no step lost that was older than `LOST_S`, and a run that was completed
or a status that says it was not. A last run goes through undisturbed.
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
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil

from kernels import store
from kernels.records import Run, Status
from kernels.system import ROOT

LOST_S = 1.5
"""Seconds of steps that a kill may cost: a journal is written once a second, and then the next step's time passes."""

TRAINED = 0.8
"""Share of the kills that come after the first step; the others may meet a worker that imports its framework."""

COMMAND = ("digits_cnn", "--measure", "throughput", "--device", "cpu", "--threads", "1", "--telemetry", "20")


@dataclass(frozen=True, slots=True)
class Kill:
    """One kill.

    Attributes:
        victim: `worker`, `command` or `both`.
        at_s: Seconds at which it came, after the journal's first line or after the start of the run's clock.
        ran_s: Seconds from the start of the run's clock to the kill; None where it had not started or the run was done before.
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


def kill(runs: Path, victim: str, at_s: float, *, trained: bool, command: Sequence[str] = COMMAND) -> Kill:
    """Start a run in an empty folder, kill it so long after its journal's first line, or after its first step, recover it, and look."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    started = [sys.executable, "-m", "kernels", "run", *command, "--runs", str(runs), "--together"]
    parent = subprocess.Popen(started, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    journal = _first(runs, parent)
    until = time.monotonic() + 120
    while trained and _zero(journal) is None and parent.poll() is None and time.monotonic() < until:
        time.sleep(0.01)
    time.sleep(at_s)
    family = _family(parent.pid)
    zero = _zero(journal)
    moment = time.perf_counter()
    for process in family:
        if victim == "both" or (victim == "worker") == (process.pid != parent.pid):
            _end(process)
    _, said = parent.communicate(timeout=60)
    _, alive = psutil.wait_procs(family, timeout=30)
    recovered = subprocess.run(
        [sys.executable, "-m", "kernels", "recover", "--runs", str(runs)], env=environment, capture_output=True, text=True, check=False
    )
    ran = None if zero is None else moment - zero
    if alive:
        return Kill(victim, at_s, ran, None, None, f"{len(alive)} processes go on half a minute after their command was killed")
    return _judged(runs, victim, at_s=at_s, ran_s=ran, said=f"{said.decode()}{recovered.stderr}", code=recovered.returncode)


def _end(process: psutil.Process) -> None:
    """Kill one that may be gone."""
    try:
        process.send_signal(signal.SIGKILL)
    except psutil.Error:
        return


def _first(runs: Path, parent: "subprocess.Popen[bytes]") -> Path | None:
    """The journal as soon as it is there."""
    until = time.monotonic() + 120
    while time.monotonic() < until and parent.poll() is None:
        found = list((runs / "journals").glob("*.jsonl"))
        if found:
            return found[0]
        time.sleep(0.01)
    return None


def _family(pid: int) -> list[psutil.Process]:
    """The command, its worker and what that started; the sampler is left to notice by itself."""
    try:
        command = psutil.Process(pid)
        rest = [each for each in command.children(recursive=True) if "kernels.telemetry.process" not in each.cmdline()]
    except psutil.Error:
        return []
    return [command, *rest]


def _zero(journal: Path | None) -> float | None:
    """When the run's clock started, where its line is written."""
    try:
        lines = journal.read_bytes().split(b"\n") if journal is not None else []
        return next(float(event["zero"]) for line in lines if b'"clock"' in line and (event := json.loads(line))["event"] == "clock")
    except (OSError, ValueError, StopIteration):
        return None


def _judged(runs: Path, victim: str, *, at_s: float, ran_s: float | None, said: str, code: int) -> Kill:
    archive = store.read(runs) if runs.is_dir() else None
    found: list[Run] = list(archive.runs) if archive is not None else []
    left = sorted(path.name for path in (runs / "journals").glob("*")) if (runs / "journals").is_dir() else []
    run = found[0] if found else None
    lost = None
    refused = None
    if archive is not None and archive.problems:
        refused = "; ".join(problem.reason for problem in archive.problems)
    elif left or code:
        refused = f"recover ended with {code} and left {', '.join(left)}: {said[-300:]}"
    elif len(found) != 1:
        refused = f"{len(found)} runs, wanted 1: {said[-300:]}"
    elif run is not None and run.status in {Status.KILLED, Status.UNFINISHED} and ran_s is not None:
        lost = ran_s - (run.steps[-1].start_s + run.steps[-1].duration_s if run.steps else 0.0)
        refused = f"{lost:.2f} s of steps are lost, wanted {LOST_S} s at most" if lost > LOST_S else None
    elif run is not None and run.status not in {Status.OK, Status.KILLED, Status.UNFINISHED}:
        refused = f"status is {run.status}: {run.status_detail}"
    return Kill(victim, at_s, ran_s, lost, None if run is None else run.status, refused)


def main(arguments: Sequence[str] | None = None) -> int:
    """Kill and count; exit status 1 where anything is wrong."""
    parser = argparse.ArgumentParser(prog="python -m tests.perf.kills", description=__doc__)
    parser.add_argument("--times", type=int, default=50)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args(arguments)
    chance = random.Random(given.seed)  # noqa: S311 - moments, no secrets
    kills = []
    for number in range(given.times):
        victim = ("worker", "command", "both")[number % 3]
        with tempfile.TemporaryDirectory(prefix="touchstone-kills-") as folder:
            done = kill(Path(folder), victim, chance.uniform(0.0, 9.0), trained=chance.random() < TRAINED)
        kills.append(done)
        lost = "-" if done.lost_s is None else f"{done.lost_s:.2f} s"
        print(f"{number + 1:3} {victim:8} after {done.at_s:5.2f} s  {done.status or '-':11} lost {lost:7} {done.refused or ''}", flush=True)  # noqa: T201 - the answer
    wrong = sum(done.refused is not None for done in kills)
    most = max((done.lost_s for done in kills if done.lost_s is not None), default=0.0)
    counts = ", ".join(f"{count} {status}" for status, count in Counter(done.status for done in kills).items())
    print(f"{len(kills)} kills: {counts}; at most {most:.2f} s lost; {wrong} wrong")  # noqa: T201 - the answer
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
