"""What a command costs as a whole process, and medians and ratios of what was taken in turns, with
their intervals and whether that is what was aimed at.
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final, NamedTuple, TypeVar

from kernels.analysis import stats
from kernels.machine.system import ROOT

DAY: Final = date(2026, 11, 20)
"""The day of every build."""

Found = TypeVar("Found")


class Cost(NamedTuple):
    """Elapsed seconds, processor seconds of a process and the children it waited for, and the
    largest resident set of any one of them.
    """

    wall_s: float
    cpu_s: float
    peak_bytes: int


class Estimate(NamedTuple):
    """A median of `n` values. `low` and `high` are the ends of its 95 % interval, or the smallest
    and the largest value where there are too few for an interval.
    """

    value: float
    low: float
    high: float
    n: int
    interval: bool

    def __str__(self) -> str:
        if self.n == 1:
            return f"{self.value:.4g} (n = 1)"
        kind = "95 %" if self.interval else "smallest to largest"
        return f"{self.value:.4g} ({kind}: {self.low:.4g} to {self.high:.4g}; n = {self.n})"


def module(name: str, *words: object) -> list[str]:
    """The command that runs a Python module."""
    return [sys.executable, "-m", name, *map(str, words)]


def call(place: str, function: str, *given: object) -> list[str]:
    """The command that calls a function of a module of this folder in a process of its own, and
    prints what it returns; `given` are numbers and texts, all else becomes text.
    """
    code = (
        f"import json, sys; from tests.perf.{place} import {function} as called; "
        "print(json.dumps(called(*json.loads(sys.argv[1]))))"
    )
    return [sys.executable, "-c", code, json.dumps(given, default=str)]


_LAUNCH: Final = """
import json, os, subprocess, sys, time
start = time.perf_counter()
running = subprocess.Popen(sys.argv[1:], stdout=2)
_, status, used = os.wait4(running.pid, 0)
wall = time.perf_counter() - start
print(json.dumps([status, wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024]))
"""
"""Runs a command and tells its cost. A process counts as at least as large as the one that starts
it, and this one is larger than some that it measures.
"""


def cost(
    command: Sequence[str], cwd: Path = ROOT, environment: Mapping[str, str] | None = None
) -> Cost:
    """Run a command to its end; raises CalledProcessError with its output where it fails."""
    env = {**os.environ, **(environment or {})}
    words = [sys.executable, "-S", "-c", _LAUNCH, *command]
    with (
        tempfile.TemporaryFile() as output,
        subprocess.Popen(
            words, cwd=cwd, env=env, stdout=subprocess.PIPE, stderr=output, start_new_session=True
        ) as running,
    ):
        try:
            told, _ = running.communicate()
        except BaseException:
            os.killpg(running.pid, signal.SIGKILL)
            raise
        status, *found = json.loads(told)
        if code := os.waitstatus_to_exitcode(status):
            output.seek(0)
            raise subprocess.CalledProcessError(code, command, output.read())
    return Cost(*found)


def interleaved(rounds: int, **sides: Callable[[], Found]) -> Mapping[str, list[Found]]:
    """Run each side once a round, in turn, so that a drifting machine meets all of them alike."""
    turns = [{name: run() for name, run in sides.items()} for _ in range(rounds)]
    return {name: [turn[name] for turn in turns] for name in sides}


def estimate(values: Sequence[float], *, block: int = 1) -> Estimate:
    """The median of values in order; `block` neighbours share their disturbances."""
    least = stats.LEAST_RUNS if block == 1 else stats.LEAST_STEPS
    low, high = min(values), max(values)
    if enough := len(values) >= least:
        low, high = stats.bootstrap_interval(values, block=block, least=least)
    return Estimate(stats.median(values), low, high, len(values), enough)


def ratio(a: Sequence[float], b: Sequence[float], *, block: int = 1) -> Estimate:
    """`a` over `b`, pair by pair."""
    return estimate([x / y for x, y in zip(a, b, strict=True)], block=block)


def against(found: Estimate, most: float) -> str:
    """The ratio beside what was aimed at: reached or missed where its whole interval says so."""
    verdict = "reached" if found.high <= most else "missed" if found.low > most else "not separable"
    return f"{found}; aim: {most:g} or less: {verdict if found.interval else 'too few to tell'}"
