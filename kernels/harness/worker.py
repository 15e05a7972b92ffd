"""Runs one job in its own process: `python -m kernels.harness.worker JOURNAL`, with the job in the
journal's first line.

A fresh process gives each run the same start: no warm cache, no used memory, and a crash affects
nothing else. The parent's half imports no framework; the worker's half does.
"""

import contextlib
import errno
import importlib
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from types import ModuleType
from typing import IO, Any, Final

import psutil

from kernels import datasets
from kernels.analysis.repetitions import INTERVAL
from kernels.backends import BACKENDS
from kernels.backends.base import Backend, Device, Options, OutOfMemory, Probe, Training
from kernels.errors import MeasureError, StoreError, Terminated
from kernels.harness import distributed, measure
from kernels.harness import environment as variables
from kernels.harness import journal as journals
from kernels.harness.spec import Job, job_of
from kernels.machine import details, huge_pages, system
from kernels.records import DataKind, Epoch, Evaluation, Precision, Status, Step
from kernels.telemetry.process import Watch, clocks
from kernels.workloads import WORKLOADS, Plan

OOM_EXIT: Final = 86
"""Exit status of a worker that recorded out-of-memory itself; no signal and no shell uses it."""

PROBE_S: Final = 300.0
"""Seconds for probing a framework; a hanging driver would take for ever."""

SAID_EVERY_S: Final = 0.5

GRACE_S: Final = 20.0
"""Least seconds beyond its budget that a run has to finish a step and write its end."""

COMPILING_S: Final = 120.0
"""The same for a first step that compiles or tries algorithms, which may take a minute."""


def probe(backend: str) -> Probe:
    """Probes a backend in its own process."""
    command = [sys.executable, "-m", "kernels.harness.worker", "--probe", backend]
    variable = variables.of_worker(1, "default", Path(os.devnull))
    try:
        done = subprocess.run(  # noqa: S603 - our own module
            command, capture_output=True, text=True, check=False, timeout=PROBE_S, env=variable
        )
    except subprocess.TimeoutExpired:
        missing = f"the probe gave no answer within {PROBE_S:g} s: a driver may hang"
        return Probe(backend, None, missing=missing)
    try:
        found = json.loads(done.stdout.strip().splitlines()[-1])
    except (ValueError, IndexError):
        last = (done.stderr.strip().splitlines() or ["it said nothing"])[-1]
        missing = f"the probe ended with status {done.returncode}: {last}"
        return Probe(backend, None, missing=missing)
    return _read_probe(found)


def _read_probe(found: Mapping[str, Any]) -> Probe:
    def device(said: Mapping[str, Any]) -> Device:
        emulated = {Precision(name): times for name, times in said["emulated"].items()}
        precisions = tuple(map(Precision, said["precisions"]))
        return Device(**{**said, "precisions": precisions, "emulated": emulated})

    devices, unusable = tuple(map(device, found["devices"])), tuple(found["unusable"])
    return Probe(**{**found, "devices": devices, "unusable": unusable})


def run(path: Path, job: Job, progress: measure.Progress, held: tuple[int, ...] = ()) -> None:
    """Starts a worker on a journal, passes its progress on, and makes sure that the journal ends.

    `held` are open files for the worker to keep: the lock on this machine. After Ctrl-C the journal
    ends with status `killed`.
    """
    sampler = Watch(
        path,
        job.telemetry_hz,
        job.device,
        job.processes,
        variables.of_worker(1, "default", Path(os.devnull)),
    )
    try:
        with sampler:
            _train(path, job, progress, held)
    finally:
        if sampler.reason is not None:
            # on a full disk, losing the readings matters least
            with contextlib.suppress(StoreError):
                journals.append(path, "facts", extra={"telemetry_ended": sampler.reason})


def _train(path: Path, job: Job, progress: measure.Progress, held: tuple[int, ...]) -> None:
    lack = partial(_lack, before=system.oom_kills())
    with (
        tempfile.TemporaryDirectory(prefix="kernels-") as scratch,
        tempfile.TemporaryFile() as errors,
    ):
        with _started(path, job, Path(scratch), errors, held) as process:
            try:
                timed_out = _follow(process, job.limit_s, within(job), progress)
            except KeyboardInterrupt as error:
                _stop(process)
                asked = isinstance(error, Terminated)
                _close(
                    path, Status.KILLED, "ended by SIGTERM" if asked else "interrupted by the user"
                )
                raise
        errors.seek(0)
        said = errors.read().decode(errors="replace").strip()
        events = journals.read(path)
        together = (
            distributed.verdict(Path(scratch), events, said, lack)
            if job.processes > 1 and not timed_out
            else None
        )
    if together is not None:
        _end(path, *together)
    elif timed_out:
        _close(path, Status.TIMEOUT, timed_out)
    elif not journals.ended(events):
        _close(path, *_classify(process.returncode, events, lack, said))


def _started(
    path: Path, job: Job, scratch: Path, errors: IO[bytes], held: tuple[int, ...]
) -> subprocess.Popen[bytes]:
    variable = variables.of_worker(
        job.threads, job.allocator, scratch, deterministic=job.deterministic
    )
    if job.processes > 1:
        variable[distributed.FOLDER] = str(scratch)
    # In its own session: we handle Ctrl-C, which must not reach the worker
    # directly.
    return subprocess.Popen(  # noqa: S603 - our own module
        distributed.command(path, job.processes),
        stdout=subprocess.PIPE,
        stderr=errors,
        env=variable,
        start_new_session=True,
        pass_fds=held,
    )


def within(job: Job) -> tuple[float, str] | None:
    """Returns the seconds after its first step when a run with a budget is ended, and the message.

    The run checks its budget between steps: this catches runs with longer steps.
    """
    if job.budget_s is None or job.measure == "convergence":
        return None
    limit = job.budget_s + max(2 * job.budget_s, GRACE_S)
    if job.compiled or job.backend == "jax" or job.device != "cpu":
        limit += COMPILING_S
    return (
        limit,
        f"ended by the harness {limit:g} s after its first step began, as its budget was "
        f"{job.budget_s:g} s: one step takes too long for it: choose a smaller batch or size, "
        "another precision, or a larger --budget",
    )


def _follow(
    process: subprocess.Popen[bytes],
    limit_s: float | None,
    budget: tuple[float, str] | None,
    progress: measure.Progress,
) -> str | None:
    """Reads progress until the worker closes its pipe; returns the message if its time was up.

    `limit_s` counts from now on, `budget` from the first output, which comes with the first step.
    """
    timed_out: list[str] = []
    timers: list[threading.Timer] = []

    def end(why: str) -> None:
        # set before the signal, so that our kill is not taken for another's
        timed_out.append(why)
        distributed.kill(process)

    def start(seconds: float, why: str) -> None:
        timers.append(threading.Timer(seconds, end, (why,)))
        timers[-1].daemon = True
        timers[-1].start()

    if limit_s is not None:
        start(limit_s, f"ended by the harness after {limit_s:g} s")
    try:
        pipe: IO[bytes] | None = process.stdout
        for line in pipe or ():
            try:
                done, total, note = json.loads(line)
            except (ValueError, TypeError):
                continue  # a library printed something of its own
            if budget is not None:
                start(*budget)
                budget = None
            progress(float(done), float(total), str(note))
        process.wait()
    finally:
        for timer in timers:
            timer.cancel()
    return timed_out[0] if timed_out else None


def _stop(process: subprocess.Popen[bytes]) -> None:
    process.terminate()
    try:
        process.wait(timeout=5)
    except subprocess.TimeoutExpired:
        distributed.kill(process)
        process.wait()


def _close(path: Path, status: Status, detail: str) -> None:
    if not journals.ended(journals.read(path)):
        _end(path, status, detail)


def _end(path: Path, status: Status, detail: str) -> None:
    journals.append(path, "exit", status=status, detail=detail, stop_reason=status.value)


def _lack(resident: int, before: int) -> str | None:
    """Returns the evidence for a lack of memory of a process of so many bytes; None without any."""
    if system.oom_kills() > before:
        return "the kernel's count of memory kills rose"
    near = resident >= system.NEAR_LIMIT * system.memory_limit()
    return f"{resident} bytes were resident, near the limit" if near else None


def _classify(
    returncode: int, events: list[dict[str, Any]], lack: distributed.Lack, said: str
) -> tuple[Status, str]:
    if returncode < 0:
        return distributed.signalled(-returncode, distributed.resident(events), lack)
    last = said.splitlines()[-1] if said else "it said nothing"
    return Status.FAILED, f"the worker ended with status {returncode}: {_without_paths(last)}"


def _without_paths(text: str) -> str:
    # a path below a folder that the user named stays
    return re.sub(r"(?<![\w.+-])(?:/[\w.+-]+)+/", "", text)[:500]


class _Recorder:
    """Writes findings to the journal, and reports progress to the parent twice a second."""

    def __init__(
        self, journal: journals.Journal, load: system.LoadMeter, head: list[dict[str, Any]]
    ) -> None:
        self._journal = journal
        self._load = load
        self._said = 0.0
        self._parent = os.getppid()
        self._head = head
        self.measured = self.evaluates = False

    def started(self, zero: float) -> None:
        self._journal.write("clock", zero=zero, **clocks())
        self.progress(0.0, 1.0, "first step")

    def step(self, step: Step) -> None:
        self._journal.step(step)

    def epoch(self, epoch: Epoch) -> None:
        self.evaluates = False
        self._journal.epoch(epoch)

    def evaluation(self, evaluation: Evaluation) -> None:
        self._journal.evaluation(evaluation)

    def evaluating(self) -> None:
        self.evaluates = True
        self._journal.flush()

    def measuring(self) -> None:
        self.measured = True
        self._load.start(time.perf_counter())

    def progress(self, done: float, total: float, note: str) -> None:
        now = time.monotonic()
        if now - self._said < SAID_EVERY_S:
            return
        self._said = now
        if os.getppid() != self._parent or not journals.alive(self._head):
            # the command that wanted this run was killed: stop using its machine; the journal is
            # there to recover
            os._exit(1)
        if distributed.rank() > 0:
            return  # one rank reports
        with contextlib.suppress(BrokenPipeError):
            print(json.dumps([done, total, note]), flush=True)  # noqa: T201 - the pipe to the parent


@dataclass(slots=True)
class _Attempt:
    job: Job
    journal: journals.Journal
    recorder: _Recorder
    backend: Backend | None = None
    training: Training | None = None  # kept, since its memory is read when it has ended
    phase: str = "import"

    def run(self) -> dict[str, object]:
        job, plan = self.job, WORKLOADS[self.job.workload]
        module, workload = _imported(job, plan)
        self.phase = "build"
        how = Options(job.compiled, job.memory_format, job.deterministic, job.processes)
        backend: Backend = module.backend(job.device, job.precision, job.threads, job.seed, how)
        self.backend = backend
        options = plan.options(
            job.data,
            job.width,
            job.augmentation,
            folder=job.folder,
            readers=job.readers,
            size=job.size,
        )
        training: Training = workload.training(
            backend, batch_size=job.batch_size, epochs=job.epochs, **options
        )
        self.training = training
        self.journal.write("environment", **_facts(job, backend, training))
        self.phase = "train"
        end = asdict(_timed(job, plan, training, backend, self.recorder))
        backend.check()  # only now a batch has been taken
        return end


def _imported(job: Job, plan: Plan) -> tuple[ModuleType, ModuleType]:
    """Imports backend and workload within the processors and memory that the job may use."""
    if job.backend == "jax":  # XLA starts a thread per processor that it may use
        system.bind(job.threads)
    backend = importlib.import_module(BACKENDS[job.backend])
    workload = importlib.import_module(
        plan.module if job.backend == "torch" else f"{plan.module}_{job.backend}"
    )
    if job.memory_headroom_bytes is not None:
        # Set only now: under a limit, a failing import does not look like a lack of
        # memory.
        room = psutil.Process().memory_info().vms + job.memory_headroom_bytes
        resource.setrlimit(resource.RLIMIT_AS, (room, resource.getrlimit(resource.RLIMIT_AS)[1]))
    return backend, workload


def _work(path: Path) -> int:
    head = journals.read(path)[:1]
    job = job_of(head[0]["job"])
    journal = journals.Journal(distributed.journal_of(path))
    # The command of the run, and all that it started: other ranks, the sampler.
    load = system.LoadMeter((os.getpid(), os.getppid(), *journals.owner(head)))
    recorder = _Recorder(journal, load, head)
    attempt = _Attempt(job, journal, recorder)
    code = 0
    limit = resource.getrlimit(resource.RLIMIT_AS)
    try:
        end = attempt.run()
    except Exception as error:  # whatever it was, it becomes the run's status
        phase = "evaluation" if recorder.evaluates else attempt.phase
        code, end = _failed(error, attempt.backend, phase)
    backend = attempt.backend
    end["ended_s"] = time.monotonic()  # the same clock in all ranks
    if job.memory_headroom_bytes is not None:
        resource.setrlimit(resource.RLIMIT_AS, limit)  # room to write the end
    if backend is not None:
        end["peak_memory_bytes"] = backend.peak_memory()
    if recorder.measured:
        end["foreign_cores"] = load.foreign_cores(time.perf_counter())
    # on a full disk the parent writes the end
    with contextlib.suppress(MeasureError):
        journal.write("facts", extra=_left(backend))
        journal.write("end", **end)
        journal.close()
    if backend is not None and code == 0:
        backend.close()
    return code


def _facts(job: Job, backend: Backend, training: Training) -> dict[str, object]:
    facts = backend.facts()
    settings = dict(training.settings)
    environment = dict(facts.environment) | {
        "allocator": job.allocator,
        "cpu_affinity": system.affinity(),
        "data_sha256": settings.pop("data_sha256", None),
    }
    tuned = variables.TUNED if job.allocator == "tuned" else {}
    return {
        "environment": environment,
        "extra": {**facts.extra, **tuned, **huge_pages.recorded(), **_place(job)},
        "software": {each.name: each.version for each in facts.software},
        "settings": settings | _counted(job, training),
        "rates": dict(getattr(training, "rates", {})),
    }


def _place(job: Job) -> dict[str, str]:
    """Returns clocks before the first step, and the storage of the data."""
    dataset = WORKLOADS[job.workload].dataset if job.data is DataKind.REAL else None
    folder = job.folder or (None if dataset is None else datasets.path(dataset))
    return details.clocks("start") | ({} if folder is None else details.storage(Path(folder)))


def _left(backend: Backend | None) -> dict[str, str]:
    """Returns clocks and huge pages after the last step."""
    pages = huge_pages.in_use() if backend is not None else None
    return details.clocks("end") | ({} if pages is None else {"huge_pages_bytes": str(pages)})


def _counted(job: Job, training: Training) -> dict[str, str]:
    """Returns settings that are counted from this training."""
    found = {"parameters": training.parameters}
    if job.measure == "convergence":
        found[INTERVAL] = training.steps_per_epoch * job.batch_size
    return {name: str(number) for name, number in found.items() if number}


def _timed(
    job: Job, plan: Plan, training: Training, backend: Backend, recorder: _Recorder
) -> measure.Outcome:
    how = (training, backend, time.perf_counter, recorder)
    ranks = backend.ranks()
    if job.measure != "convergence":
        rules = measure.Rules().within(job.budget_s)
        return measure.throughput(*how, rules, data=job.data, ranks=ranks)
    return measure.convergence(
        *how,
        batch_size=job.batch_size,
        epochs=job.epochs,
        target=journals.target_of(job),
        chance=plan.chance,
        protocol=plan.at(job.width).epochs,
        ranks=ranks,
    )


def _failed(error: Exception, backend: Backend | None, phase: str) -> tuple[int, dict[str, object]]:
    memory = backend.out_of_memory(error) if backend is not None else None
    crowded = isinstance(error, OSError) and error.errno == errno.ENOMEM
    if crowded or isinstance(error, MemoryError):
        memory = memory or OutOfMemory(None)
    if memory is not None:
        asked = memory.requested_bytes
        detail = f"phase {memory.part if phase == 'train' else phase}"
        detail += "" if asked is None else f", {asked} bytes requested"
        return OOM_EXIT, {"status": Status.OOM, "stop_reason": "oom", "detail": detail}
    text = str(error) if isinstance(error, MeasureError) else f"{type(error).__name__}: {error}"
    first = _without_paths(text.splitlines()[0] if text else type(error).__name__)
    detail = f"phase {phase}: {first}"
    return 1, {"status": Status.FAILED, "stop_reason": "failed", "detail": detail}


def _probe(backend: str) -> Probe:
    try:
        found: Probe = importlib.import_module(BACKENDS[backend]).probe()
    except ImportError as error:
        advice = f"install the extra of that name, `pip install -e .[{backend}]`"
        return Probe(backend, None, missing=f"{error.msg}: {advice}")
    return found


def main(arguments: list[str]) -> int:
    """Entry point of the worker process."""
    if arguments[:1] == ["--probe"]:
        print(json.dumps(asdict(_probe(arguments[1]))))  # noqa: T201 - the answer to the parent
        return 0
    return _work(Path(arguments[0]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
