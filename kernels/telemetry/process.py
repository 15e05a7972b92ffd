"""Reads the samplers at a fixed rate in its own process: `python -m kernels.telemetry.process FILE
HZ DEVICE PROCESSES`.

There is one per machine, however many ranks train: the run's command starts it (`Watch`), and it
ends when that command closes its pipe or dies. Readings go to FILE beside the journal, a second's
at a time, so that a crash loses the last second at most.

Lines, by `event`: `start` (rate, sources, missing quantities with reasons, and the clocks),
`readings`, `missing` (a quantity that was lost), `end`. Times are by `time.perf_counter`, which on
Linux, macOS and Windows is one clock for all processes.
"""

import contextlib
import json
import os
import select
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, Final, Self

from kernels.telemetry import nvml
from kernels.telemetry.base import QUANTITIES, Absent, Joint, Sampler
from kernels.telemetry.host import Host
from kernels.telemetry.rapl import Rapl

VERSION: Final = 1
FLUSH_S: Final = 1.0
MACHINE: Final = -1
"""Number of the machine around the accelerators in the file."""

SUFFIX: Final = ".telemetry"
DEFAULT_HZ: Final = 10.0


def beside(journal: Path) -> Path:
    """Returns the file of a journal's readings."""
    return journal.with_suffix(SUFFIX)


def clocks() -> dict[str, object]:
    """Returns the current time on the readings' clock and the wall clock, by which two processes'
    clocks are compared.
    """
    return {
        "now": time.perf_counter(),
        "wall": time.time(),
        "implementation": time.get_clock_info("perf_counter").implementation,
    }


def chosen_cards(device: str, processes: int, visible: str | None) -> list[str]:
    """Returns NVML's names of the cards for `cuda:N` and the processes after it.

    The worker counts cards in the order of their bus (CUDA_DEVICE_ORDER), as NVML does; `visible`
    is CUDA_VISIBLE_DEVICES.
    """
    first = int(device.partition(":")[2] or 0)
    names = [name.strip() for name in visible.split(",") if name.strip()] if visible else []
    wanted = range(first, first + processes)
    return [names[number] if number < len(names) else str(number) for number in wanted]


def samplers(device: str, processes: int, visible: str | None = None) -> dict[int, Sampler]:
    """Returns the samplers of a run on that device: its cards and the machine around them, or the
    processor itself as device 0.
    """
    around = Joint([Rapl(), Host()], "no sensor of a processor is read for it")
    if device.startswith(("cuda", "gpu")):
        return {**nvml.cards(chosen_cards(device, processes, visible)), MACHINE: around}
    kind = device.partition(":")[0]
    if kind != "cpu":  # the power of the machine around it is not its own
        return {0: Absent(kind, f"no sensor of a {kind.upper()} is read"), MACHINE: around}
    return {0: around}


def sample(
    path: Path,
    read: Mapping[int, Sampler],
    hz: float,
    wait: Callable[[float], bool],
    *,
    clock: Callable[[], float] = time.perf_counter,
    used: Callable[[], float] = time.process_time,
) -> None:
    """Reads until `wait`, called with the seconds to wait, returns True. Late ticks are skipped.

    Raises:
        OSError: The file cannot be written to.
    """
    # Created by the parent: a run recovered meanwhile has none any more.
    with path.open("r+", encoding="utf-8") as file:
        file.seek(0, os.SEEK_END)
        written = _Written(file, read, clock, used)
        began, tick = clock(), 0
        flushed = began
        stop = False
        while not stop:
            now = clock()
            written.take(now)
            if tick == 0:
                written.start(hz)
            written.missing(now)
            # The first line of readings goes out at once: a run that is killed in its first second
            # has one.
            if tick == 0 or now - flushed >= FLUSH_S:
                written.flush()
                flushed = now
            tick = max(tick, int((clock() - began) * hz)) + 1
            stop = wait(max(0.0, began + tick / hz - clock()))
        written.take(clock())
        for sampler in read.values():
            sampler.close()
        written.flush()
        written.line("end")


class _Written:
    def __init__(
        self,
        file: IO[str],
        read: Mapping[int, Sampler],
        clock: Callable[[], float],
        used: Callable[[], float],
    ) -> None:
        self._file = file
        self._read = read
        self._clock, self._used = clock, used
        self._began, self._spent = clock(), used()
        self._rows: list[list[float | None]] = []
        self._said: dict[int, dict[str, str]] = {}

    def line(self, event: str, **values: object) -> None:
        self._file.write(json.dumps({"event": event, **values}, allow_nan=False) + "\n")
        self._file.flush()

    def start(self, hz: float) -> None:
        self._said = {number: dict(sampler.missing) for number, sampler in self._read.items()}
        self.line(
            "start",
            version=VERSION,
            hz=hz,
            quantities=QUANTITIES,
            sources={str(number): sampler.source for number, sampler in self._read.items()},
            missing={str(number): reasons for number, reasons in self._said.items()},
            clocks=clocks(),
        )

    def take(self, now: float) -> None:
        for number, sampler in self._read.items():
            values = sampler.read(now)
            self._rows.append([now, number, *(values.get(name) for name in QUANTITIES)])

    def missing(self, now: float) -> None:
        for number, sampler in self._read.items():
            for name, reason in sampler.missing.items():
                if name not in self._said[number]:
                    self._said[number][name] = reason
                    self.line("missing", device=number, quantity=name, reason=reason, time=now)

    def flush(self) -> None:
        spent, wall = self._used() - self._spent, self._clock() - self._began
        self.line("readings", rows=self._rows, cpu_s=spent, wall_s=wall)
        self._rows = []


class Watch:
    """The parent's half: starts the sampler beside a run and ends it; a failing sampler costs the
    readings, never the run.
    """

    def __init__(
        self,
        journal: Path,
        hz: float | None,
        device: str,
        processes: int,
        variables: Mapping[str, str],
    ) -> None:
        self._command = [
            sys.executable,
            "-m",
            "kernels.telemetry.process",
            str(beside(journal)),
            str(hz),
            device,
            str(processes),
        ]
        self._path = beside(journal)
        self._variables = dict(variables)
        self._wanted = hz is not None
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self.reason: str | None = None

    def __enter__(self) -> Self:
        if self._wanted:
            self._errors = tempfile.TemporaryFile()
            try:
                self._path.touch()
                # In its own session: Ctrl-C is for the command, which then closes the pipe.
                self._process = subprocess.Popen(  # noqa: S603 - our own module
                    self._command,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.DEVNULL,
                    stderr=self._errors,
                    env=self._variables,
                    start_new_session=True,
                )
            except OSError as error:
                self.reason = f"the sampler does not start: {error.strerror}"
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._process is not None:
            early = self._process.poll() is not None
            if self._process.stdin is not None:
                with contextlib.suppress(OSError):
                    self._process.stdin.close()
            try:
                code = self._process.wait(timeout=5)
            except subprocess.TimeoutExpired:  # a driver that hangs
                self._process.kill()
                self._process.wait()
                early, code = True, -9
            if early or code != 0:
                self.reason = f"the sampler ended early with status {code}: {self._said()}"
        if self._errors is not None:
            self._errors.close()

    def _said(self) -> str:
        if self._errors is None:
            return ""
        self._errors.seek(0)
        lines = self._errors.read().decode(errors="replace").strip().splitlines()
        return lines[-1][:200] if lines else "it said nothing"


def _wait(seconds: float) -> bool:
    """Waits; returns True if the parent closed the pipe or died meanwhile."""
    ready, _, _ = select.select([sys.stdin.fileno()], [], [], seconds)
    return bool(ready) and not os.read(sys.stdin.fileno(), 1)


def main(arguments: Sequence[str]) -> int:
    """Entry point of the sampler."""
    path, hz, device, processes = arguments
    try:
        sample(
            Path(path),
            samplers(device, int(processes), os.environ.get("CUDA_VISIBLE_DEVICES")),
            float(hz),
            _wait,
        )
    except OSError as error:
        print(  # noqa: T201 - the parent reads it
            f"its file cannot be written to: {error.strerror}", file=sys.stderr
        )
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
