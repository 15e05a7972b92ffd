"""Journal of a run: one JSON object per line, so that a crash loses the last second at most.

Every `Run` is made from its journal (`recover.run_of`), recovered or not. Lines, by `event`:
`start` (the job and the machine), `environment` (from the backend), `clock` (start of the run's
clock), `steps`, `epoch`, `evaluation`, `end` (written by the worker), `exit` (by the parent where
the worker could not), `facts` (found by the parent). A sampler's readings are in a file beside it
(`kernels.telemetry`).
"""

import errno
import json
import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any, Final

import psutil

from kernels.disk import FULL
from kernels.errors import MeasureError, StoreError
from kernels.harness.spec import Job
from kernels.machine import processes
from kernels.records import Environment, Epoch, Evaluation, Step, Target
from kernels.workloads import WORKLOADS

FOLDER: Final = "journals"
VERSION: Final = 1
FLUSH_S: Final = 1.0

STUMP_S: Final = 2.0


class Journal:
    """The worker's half: writes steps each second, the rest at once, always between timed steps."""

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        # Unbuffered, so that we keep what a full disk refuses.
        self._path = path
        self._file = path.open("ab", buffering=0)
        self._clock = clock
        self._rows: list[list[object]] = []
        self._flushed = clock()

    def write(self, event: str, **values: object) -> None:
        """Appends one line, after the waiting steps.

        Raises:
            MeasureError: The disk is full; what was written before is kept.
        """
        self.flush()
        self._line({"event": event, **values})

    def flush(self) -> None:
        """Writes the waiting steps, before something that may take long."""
        if self._rows:
            rows, self._rows = self._rows, []
            resident = psutil.Process().memory_info().rss
            self._line({"event": "steps", "rows": rows, "resident_bytes": resident})
        self._flushed = self._clock()

    def step(self, step: Step) -> None:
        """Keeps a step; writes the kept ones once a second has passed."""
        self._rows.append([step.index, step.phase.value, step.start_s, step.duration_s, step.epoch])
        if self._clock() - self._flushed >= FLUSH_S:
            self.flush()

    def epoch(self, epoch: Epoch) -> None:
        """Writes an epoch."""
        self.write("epoch", **asdict(epoch))

    def evaluation(self, evaluation: Evaluation) -> None:
        """Writes an evaluation."""
        self.write("evaluation", **asdict(evaluation))

    def close(self) -> None:
        """Flushes everything to the disk."""
        self.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _line(self, values: Mapping[str, object]) -> None:
        left = memoryview((json.dumps(values, allow_nan=False) + "\n").encode())
        try:
            while left:
                left = left[self._file.write(left) or 0 :]
        except OSError as error:
            if error.errno not in FULL:
                raise
            raise MeasureError(
                f"{self._path}: the disk filled up ({error.strerror}); what was recorded until "
                "then is kept: make room, and run it again"
            ) from error


def create(folder: Path, job: Job, environment: Environment) -> Path:
    """Starts a journal below `folder`; refuses a second one of the same run.

    Raises:
        StoreError: The folder cannot be written to, or its disk is full: raised before anything is
            measured.
    """
    path = folder / f"{job.run_id}.jsonl"
    head = {"event": "start", "version": VERSION, "owner": processes.identity()}
    started = False
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with path.open("x", encoding="utf-8") as file:
            started = True
            told = head | {"job": asdict(job), "environment": _facts(environment)}
            file.write(json.dumps(told) + "\n")
    except OSError as error:
        if started:
            discard(path)
        advice = "mend its permissions"
        if error.errno == errno.EEXIST:
            advice = "recover the run of that name"
        elif error.errno in FULL:
            advice = "make room on its disk"
        raise StoreError(
            f"{path} cannot be written ({error.strerror}); nothing was started: {advice}, or "
            "choose another --runs"
        ) from error
    return path


def _facts(environment: Environment) -> dict[str, object]:
    facts = asdict(environment)
    facts["extra"] = {setting.name: setting.value for setting in environment.extra}
    return {name: value for name, value in facts.items() if value is not None}


def append(path: Path, event: str, **values: object) -> None:
    """Appends the parent's line to the journal of a dead worker, after ending a partial line.

    Raises:
        StoreError: It cannot be written; the worker's lines remain.
    """
    line = (json.dumps({"event": event, **values}, allow_nan=False) + "\n").encode()
    try:
        with path.open("rb+") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(size - 1, 0))
            file.write(b"\n" + line if size and file.read(1) != b"\n" else line)
    except OSError as error:
        raise StoreError(
            f"{path}: the run's end cannot be written ({error.strerror}); what was recorded until "
            "then is kept: make room on its disk"
        ) from error


def ended(events: Iterable[Mapping[str, object]]) -> bool:
    """Returns True if the worker itself wrote how its run ended."""
    return any(event["event"] == "end" for event in events)


def read(path: Path) -> list[dict[str, Any]]:
    """Returns the events of a journal; skips a line cut by a crash, the last or before an `exit`.

    Raises:
        StoreError: The file is not a journal of this harness.
    """
    try:
        lines = path.read_bytes().split(b"\n")
    except OSError as error:
        raise StoreError(f"{path}: cannot be read ({error.strerror})") from error
    events: list[dict[str, Any]] = []
    for line in filter(None, lines):
        try:
            event = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(event, dict) and isinstance(event.get("event"), str):
            events.append(event)
    if not events or events[0]["event"] != "start" or "job" not in events[0]:
        what = "not a journal of `kernels run`: its first line does not start a run"
        raise StoreError(f"{path}: {what}; move it out of {path.parent}")
    if (found := events[0].get("version")) != VERSION:
        what = f"journal version {found!r}, wanted {VERSION}"
        raise StoreError(f"{path}: {what}: recover it with the version that wrote it")
    return events


def is_stump(path: Path) -> bool:
    """Returns True if the command was killed while it wrote the first line."""
    try:
        return b"\n" not in path.read_bytes() and time.time() - path.stat().st_mtime > STUMP_S
    except OSError:
        return False


def discard(path: Path) -> None:
    """Removes a journal whose run is recorded, after the readings beside it."""
    for beside in (path.with_suffix(".telemetry"), path):
        beside.unlink(missing_ok=True)


def beside(path: Path, run_ids: Iterable[str]) -> None:
    """Marks a run as measured together with others, if there are any."""
    names = sorted(set(run_ids))
    if names:
        append(path, "facts", extra={"together_with": " ".join(names)})


def owner(events: list[dict[str, Any]]) -> tuple[int, ...]:
    """Returns the process id of the command that owns the journal; empty if it is not stated."""
    pid = (events[0].get("owner") or {}).get("pid")
    return (pid,) if isinstance(pid, int) else ()


def alive(events: list[dict[str, Any]]) -> bool:
    """Returns True if the command that owns the journal still runs."""
    return processes.runs(events[0].get("owner") or {})


def target_of(job: Job) -> Target:
    """Returns the target of a convergence job."""
    target = WORKLOADS[job.workload].target
    if target is None or job.target is None:
        raise MeasureError(f"{job.workload} has no quality to reach: measure its throughput")
    return replace(target, value=job.target)
