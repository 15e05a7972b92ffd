"""What a command costs as a whole process: wall and CPU seconds, peak memory of the process tree's
largest member.
"""

import os
import subprocess
import tempfile
import time
from collections.abc import Mapping, Sequence
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
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        running = subprocess.Popen(
            command,
            cwd=cwd,
            env={**os.environ, **(environment or {})},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        # wait4 accounts for this child and the children it waited for, and for nobody else's.
        _, status, used = os.wait4(running.pid, 0)
        wall = time.perf_counter() - start
        running.returncode = os.waitstatus_to_exitcode(status)
        if running.returncode:
            output.seek(0)
            raise subprocess.CalledProcessError(running.returncode, command, output.read())
    return Cost(wall, used.ru_utime + used.ru_stime, used.ru_maxrss * 1024)
