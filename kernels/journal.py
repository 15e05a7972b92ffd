"""A run as it happens: one JSON object a line, so that a crash loses the last second and no more.

The journal is the only way from a measurement to a `Run` (`measured.run_of`): a run that ends well is made from it just as a
recovered one is.
Lines, by `event`: `start` (the job and the machine), `environment` (what the backend adds), `steps`, `epoch`, `evaluation`, `end`
(written by the worker), `exit` (written by the parent where the worker could not).
"""

import json
import os
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import Any, Final, TextIO

import psutil

from kernels.errors import MeasureError, StoreError
from kernels.records import DataKind, Environment, Epoch, Evaluation, Precision, Step, Target
from kernels.workloads import WORKLOADS

FOLDER: Final = "journals"
VERSION: Final = 1
FLUSH_S: Final = 1.0


@dataclass(frozen=True, slots=True)
class Job:
    """What a worker is to do; everything that identifies the run is decided before it starts.

    Attributes:
        accelerator: Id of the hardware; `system` likewise.
        limit_s: Seconds after which the parent ends the run; None for no limit.
        memory_headroom_bytes: Address space that the worker may take beyond what it has once the framework is loaded; for the CPU, since
            CUDA reserves far more than it uses; None for no limit.
    """

    run_id: str
    workload: str
    backend: str
    device: str
    system: str
    accelerator: str
    batch_size: int
    precision: Precision
    data: DataKind
    measure: str
    epochs: int
    target: float | None
    seed: int
    repeat_index: int
    threads: int
    allocator: str
    started_at: str
    limit_s: float | None = None
    memory_headroom_bytes: int | None = None


def job_of(values: Mapping[str, Any]) -> Job:
    """A job from its JSON object."""
    known = {each.name for each in fields(Job)}
    given = {name: value for name, value in values.items() if name in known}
    return Job(**given | {"precision": Precision(given["precision"]), "data": DataKind(given["data"])})


class Journal:
    """The worker's end: collects steps and writes them out each second; epochs and evaluations at once.

    Writing takes place between timed steps, never within one.
    """

    def __init__(self, path: Path, clock: Callable[[], float] = time.monotonic) -> None:
        self._file: TextIO = path.open("a", encoding="utf-8")
        self._clock = clock
        self._rows: list[list[object]] = []
        self._flushed = clock()

    def write(self, event: str, **values: object) -> None:
        """Append one line, steps that wait going first."""
        self._write_steps()
        self._line({"event": event, **values})
        self._file.flush()

    def step(self, step: Step) -> None:
        """Keep a step; write what has gathered once a second has passed."""
        self._rows.append([step.index, step.phase.value, step.start_s, step.duration_s, step.epoch])
        if self._clock() - self._flushed >= FLUSH_S:
            self._write_steps()
            self._file.flush()

    def epoch(self, epoch: Epoch) -> None:
        """Write an epoch down."""
        self.write("epoch", **asdict(epoch))

    def evaluation(self, evaluation: Evaluation) -> None:
        """Write an evaluation down."""
        self.write("evaluation", **asdict(evaluation))

    def close(self) -> None:
        """Bring everything to the disk."""
        self._write_steps()
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()

    def _write_steps(self) -> None:
        if self._rows:
            self._line({"event": "steps", "rows": self._rows, "resident_bytes": psutil.Process().memory_info().rss})
            self._rows = []
        self._flushed = self._clock()

    def _line(self, values: Mapping[str, object]) -> None:
        self._file.write(json.dumps(values, allow_nan=False) + "\n")


def create(folder: Path, job: Job, environment: Environment) -> Path:
    """Start a journal below `folder`; refuses one of the same run."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{job.run_id}.jsonl"
    owner = psutil.Process()
    head = {"version": VERSION, "owner": {"pid": owner.pid, "created": owner.create_time()}}
    with path.open("x", encoding="utf-8") as file:
        file.write(json.dumps({"event": "start", **head, "job": asdict(job), "environment": _facts(environment)}) + "\n")
    return path


def _facts(environment: Environment) -> dict[str, object]:
    facts = asdict(environment)
    facts["extra"] = {setting.name: setting.value for setting in environment.extra}
    return {name: value for name, value in facts.items() if value is not None}


def append(path: Path, event: str, **values: object) -> None:
    """Add the parent's word to a journal whose worker is gone; a half-written last line is ended first."""
    with path.open("rb+") as file:
        size = file.seek(0, os.SEEK_END)
        if size:
            file.seek(size - 1)
            if file.read(1) != b"\n":
                file.write(b"\n")
        file.write((json.dumps({"event": event, **values}, allow_nan=False) + "\n").encode())


def read(path: Path) -> list[dict[str, Any]]:
    """The events of a journal. A line cut in the middle is what a crash leaves: the last one, or one before an `exit`, is skipped.

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
        raise StoreError(f"{path}: not a journal of `kernels run`: its first line does not start a run; move it out of {path.parent}")
    if events[0].get("version") != VERSION:
        found = events[0].get("version")
        raise StoreError(f"{path}: journal version {found!r}, wanted {VERSION}: recover it with the version that wrote it")
    return events


def alive(events: list[dict[str, Any]]) -> bool:
    """Whether the command that owns the journal still runs; a process id alone may have gone to another by now."""
    owner = events[0].get("owner") or {}
    try:
        return bool(abs(psutil.Process(owner["pid"]).create_time() - owner["created"]) < 1)
    except (psutil.Error, KeyError, TypeError, ValueError):
        return False


def target_of(job: Job) -> Target:
    """The quality that a convergence job is timed to."""
    target = WORKLOADS[job.workload].target
    if target is None or job.target is None:
        raise MeasureError(f"{job.workload} has no quality to reach: measure its throughput")
    return replace(target, value=job.target)
