"""What a command costs as a whole process: wall and CPU seconds, peak memory of the process tree's largest member."""

import os
import resource
import statistics
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Cost:
    """One run of a command.

    Attributes:
        wall_s: Elapsed seconds.
        cpu_s: User and system seconds of the process and the children it waited for.
        peak_bytes: Largest resident set of any one process of the tree.
    """

    wall_s: float
    cpu_s: float
    peak_bytes: int


def cost(command: Sequence[str], cwd: Path, environment: Mapping[str, str] | None = None) -> Cost:
    """Run a command to its end; raises CalledProcessError with its output where it fails."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    start = time.perf_counter()
    done = subprocess.Popen(command, cwd=cwd, env={**os.environ, **(environment or {})}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    output = done.communicate()[0]
    wall = time.perf_counter() - start
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise subprocess.CalledProcessError(done.returncode, command, output)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Cost(wall, cpu, after.ru_maxrss * 1024)  # ru_maxrss is a running maximum: run the small commands first


def interleaved(rounds: int, **commands: Callable[[], Cost]) -> dict[str, list[Cost]]:
    """Run each command once a round, in turn, so that a drifting machine meets all of them alike."""
    results: dict[str, list[Cost]] = {name: [] for name in commands}
    for _ in range(rounds):
        for name, run in commands.items():
            results[name].append(run())
    return results


def ratio(a: Sequence[Cost], b: Sequence[Cost]) -> tuple[float, float, float]:
    """CPU of `a` over CPU of `b`, pair by pair: minimum, median, maximum."""
    pairs = [x.cpu_s / y.cpu_s for x, y in zip(a, b, strict=True)]
    return min(pairs), statistics.median(pairs), max(pairs)
