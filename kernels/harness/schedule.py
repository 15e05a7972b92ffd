"""Plans a suite on this machine before anything starts: runs, their order, time and disk space."""

import contextlib
import random
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from enum import StrEnum
from pathlib import Path
from statistics import median
from typing import Any, Final

from kernels import store
from kernels.analysis.repetitions import SUITE, of_another_machine
from kernels.backends.base import Probe
from kernels.catalog import Catalog
from kernels.disk import free_bytes
from kernels.errors import MeasureError, StoreError, UsageError
from kernels.harness import jobs, journal, options
from kernels.harness import recover as measured
from kernels.harness.spec import Job, Request
from kernels.harness.suites import Line, Size, Suite
from kernels.machine import system
from kernels.records import Run, Status
from kernels.units import counted
from kernels.workloads import WORKLOADS

START_S: Final = 4.0
"""Seconds of a run besides its own clock, on two quiet cores."""

START_PROBES: Final = 2.5
"""Ratio of that overhead to the time of probing the backend; 2.2 to 4 on two cores of eight."""

UNBOUND_S: Final = 180.0
"""Longest throughput run without a time budget: the caps of warm-up and measurement."""

CORES: Final = 2
CORES_FLOP_PER_S: Final = 4e11
"""Cores and FP32 speed of the machine on which the seconds of a suite were measured."""

EVALUATING: Final = 1.1
"""Time of training and evaluation over training alone; a guess."""

RECORD_BYTES: Final = 64_000
RECORD_BYTES_PER_S: Final = 2_000
JOURNAL_BYTES_PER_S: Final = 6_000
"""Sizes of a run's file and journal, with steps of 5 ms and ten readings a second."""

SPARE_BYTES: Final = 50_000_000

ROUND_LASTS: Final = timedelta(days=1)
"""Time after which an interrupted round of `--again` is given up."""


class Basis(StrEnum):
    """Basis of a time estimate, in words for a terminal."""

    RECORDED = "from the same runs recorded here"
    RATE = "from a throughput recorded here"
    BUDGET = "from time budgets"
    OTHER_MACHINE = "scaled from a machine of 2 cores"
    NOTHING = "of unknown length"


@dataclass(frozen=True, slots=True)
class Item:
    """One run of a suite.

    Attributes:
        seconds: Estimated time; None if unknown.
        done: The recorded run that it would repeat.
        threads: Set if the suite's number differs from this machine's choice; else None.
    """

    job: Job
    seconds: float | None
    basis: Basis
    record_bytes: int
    done: str | None = None
    threads: int | None = None

    @property
    def label(self) -> str:
        """The run in a few words."""
        job = self.job
        width = "" if job.width == 1 else f" at width {job.width:g}"
        words: dict[str, object] = {
            f"{job.workload}{width}": True,
            f"batch {job.batch_size}": True,
            job.precision: True,
            f"size {job.size}": job.size is not None,
            job.data: len(WORKLOADS[job.workload].data) > 1,
            job.backend: job.backend != "torch",
            f"{job.processes} processes": job.processes > 1,
            counted(self.threads or 0, "thread"): self.threads is not None,
            "compiled": job.compiled,
            "deterministic": job.deterministic,
            f"{job.allocator} allocator": job.allocator != "tuned",
            job.memory_format: job.memory_format != "channels_last",
            counted(job.epochs, "epoch"): job.measure == "convergence",
            f"seed {job.seed}": True,
            f"repetition {job.repeat_index}": job.repeat_index,
        }
        return ", ".join(word for word, said in words.items() if said)


@dataclass(frozen=True, slots=True)
class Left:
    """Runs of a suite that are impossible on this machine, and why."""

    label: str
    reason: str


@dataclass(frozen=True, slots=True)
class Schedule:
    """A suite on this machine, in the order of its runs.

    Attributes:
        system: None if no run of the suite is possible here.
        fallen: Backends that use the CPU although it was not requested, and why.
        start_s: Seconds of a run here besides its own clock.
    """

    items: tuple[Item, ...]
    left: tuple[Left, ...]
    system: str | None
    fallen: Mapping[str, str] = field(default_factory=dict)
    start_s: float = START_S

    @property
    def open(self) -> tuple[Item, ...]:
        """Runs that are not recorded yet."""
        return tuple(item for item in self.items if item.done is None)

    @property
    def seconds(self) -> float:
        """Estimated seconds of the open runs, as far as known."""
        return sum(item.seconds or 0.0 for item in self.open)

    @property
    def bases(self) -> Mapping[Basis, int]:
        """Number of open runs by basis of their estimate."""
        return Counter(item.basis for item in self.open)

    @property
    def disk_bytes(self) -> int:
        """Disk space that the open runs need: their files, and the longest journal."""
        longest = max((item.seconds or 0.0 for item in self.open), default=0.0)
        records = sum(item.record_bytes for item in self.open)
        return records + round(longest * JOURNAL_BYTES_PER_S)


def left(done: Sequence[tuple[Item, float]], rest: Sequence[Item]) -> float:
    """Returns the seconds that the rest of a suite takes, from its estimates and earlier times."""
    total = 0.0
    for item in rest:
        same = [each for each in done if each[0].job.workload == item.job.workload] or done
        timed = [(each.seconds, took) for each, took in same if each.seconds is not None]
        if item.seconds is None:
            total += sum(took for _, took in same) / len(same) if same else 0.0
        elif timed:
            taken = sum(took for _, took in timed) / sum(seconds for seconds, _ in timed)
            total += item.seconds * taken
        else:
            total += item.seconds
    return total


@dataclass(frozen=True, slots=True)
class Known:
    """Runs recorded here already.

    Attributes:
        runs: Measured and not withdrawn, without machines of this one's name but other processor or
            memory.
        sizes: Bytes of each run's file.
    """

    runs: tuple[Run, ...]
    sizes: Mapping[str, int]


def known(folder: Path) -> Known:
    """Reads what was measured below a folder, which may not exist."""
    place = folder / "measured"
    if not place.is_dir():
        return Known((), {})
    archive = store.read(place)
    withdrawn = (
        {each.run_id for each in store.read(folder / "withdrawn").withdrawals}
        if (folder / "withdrawn").is_dir()
        else set()
    )
    here = system.environment()
    runs = tuple(
        run
        for run in archive.runs
        if run.run_id not in withdrawn and not of_another_machine(run, here)
    )
    in_file = Counter(archive.files.values())  # a pack holds many
    sizes = {file: (place / file).stat().st_size // count for file, count in in_file.items()}
    return Known(runs, {run.run_id: sizes[archive.files[run.run_id]] for run in runs})


def recover(folder: Path, suite: str, size: str) -> tuple[list[Run], list[str]]:
    """Recovers this suite's journals; returns the runs, and errors of unreadable ones."""
    found, wrong = [], []
    for path in sorted((folder / journal.FOLDER).glob("*.jsonl")):
        try:
            if journal.is_stump(path):
                continue
            events = journal.read(path)
            job = events[0]["job"]
            if (job.get("suite"), job.get("suite_size")) == (suite, size) and not journal.alive(
                events
            ):
                found.append(measured.keep(path, folder))
        except StoreError as error:
            wrong.append(str(error))
    return found, wrong


def schedule(
    suite: Suite,
    size: Size,
    beside: Mapping[str, Any],
    *,
    runs: Path,
    probe: Callable[[str], Probe],
    catalogue: Catalog,
    before: Known,
    since: datetime | None = None,
    clock: Callable[[], float] = time.monotonic,
) -> Schedule:
    """Plans a suite on this machine.

    `beside` has the command line's options, `before` the recorded runs; with `since`, runs recorded
    before that moment are measured again. The time that `probe` takes on the `clock` shows how slow
    this machine is now.
    """
    probes = _Probes(probe, clock)
    planned: list[tuple[int, Item]] = []
    left: list[Left] = []
    taken: set[str] = set()
    fallen: dict[str, str] = {}
    for line in size.lines:
        try:
            request = replace(_request(line, beside), suite=suite.name, suite_size=size.name)
            jobs.refuse(request)
            found = probes.of(request.backend)
            where = jobs.place(request, found, catalogue)
        except (UsageError, MeasureError) as error:
            left.append(Left(_label(line), str(error)))
            continue
        if where.fallen:
            fallen[request.backend] = where.fallen
        for asked_for in jobs.jobs(request, where, runs, taken=taken):
            taken.add(asked_for.run_id)
            seed = request.seeds.index(asked_for.seed)
            round_of = asked_for.repeat_index * len(request.seeds) + seed
            same = [run for run in before.runs if _same(run, asked_for, found.version)]
            job = _numbered(asked_for, same, since)
            done = next((run.run_id for run in same if run.repeat_index == job.repeat_index), None)
            item = _estimated(job, line, before, catalogue, probes.start_s)
            planned.append((round_of, replace(item, done=done, threads=_threads(request, line))))
    # Each round of repetition and seed holds every configuration once, at random: a machine that
    # slows down favours none of them.
    random.Random(jobs.ORDER_SEED).shuffle(planned)  # noqa: S311 - an order, no secret
    items = tuple(item for _, item in sorted(planned, key=lambda each: each[0]))
    return Schedule(
        items, tuple(left), items[0].job.system if items else None, fallen, probes.start_s
    )


@dataclass(slots=True)
class _Probes:
    """Results of probing each backend once, and the time of the slowest."""

    ask: Callable[[str], Probe]
    clock: Callable[[], float]
    found: dict[str, Probe] = field(default_factory=dict)
    start_s: float = START_S

    def of(self, backend: str) -> Probe:
        if backend not in self.found:
            asked = self.clock()
            self.found[backend] = self.ask(backend)
            self.start_s = max(self.start_s, START_PROBES * (self.clock() - asked))
        return self.found[backend]


def _threads(request: Request, line: Line) -> int | None:
    """Returns the threads if the suite's number differs from this machine's choice."""
    usual = replace(request, threads=None).threads_each()
    return request.threads if "threads" in line.given and request.threads != usual else None


def _numbered(job: Job, same: Sequence[Run], since: datetime | None) -> Job:
    """Returns the job with repetitions numbered on from those before `since`."""
    older = [
        run.repeat_index or 0
        for run in same
        if since is not None and (run.started_at is None or run.started_at < since)
    ]
    return replace(job, repeat_index=job.repeat_index + 1 + max(older)) if older else job


def _request(line: Line, beside: Mapping[str, Any]) -> Request:
    values = line.values(beside)
    plan = WORKLOADS[line.workload]
    given: Sequence[Path] = beside.get("data_dir") or ()
    folder = options.folder_of(plan, values, given)
    if folder is None and plan.folder and given and values["data"] == "real":
        wanted = options.FOLDERS[plan.folder]
        raise UsageError(
            f"--data-dir: no folder given holds {wanted}, where {plan.name} has its {plan.folder}"
        )
    return options.request(line.workload, values, folder)


def _label(line: Line) -> str:
    words = [
        f"{name}={','.join(map(str, value)) if isinstance(value, list) else value}"
        for name, value in line.given.items()
    ]
    return " ".join([line.workload, *words])


def _same(run: Run, job: Job, version: str | None) -> bool:
    """Returns True if a recorded run of this suite, seed, system and software did the job."""
    return (
        (run.setting(SUITE), run.setting(measured.SUITE_SIZE)) == (job.suite, job.suite_size)
        and run.extra.get(measured.CONFIGURATION) == job.configuration()
        and (run.system, run.seed) == (job.system, job.seed)
        # a run out of memory at the start has no framework version
        and run.framework_version in (version, None)
        and run.status not in jobs.BAD
    )


def _estimated(job: Job, line: Line, before: Known, catalogue: Catalog, start_s: float) -> Item:
    """Estimates a run's time: from runs recorded here, its time budget, or another machine's time
    scaled as the start-up is.
    """
    plan = WORKLOADS[job.workload].at(job.width)
    counted = {Status.OK, Status.NOT_CONVERGED}
    here = [
        run
        for run in before.runs
        if (run.system, run.workload) == (job.system, job.catalogued or plan.workload)
        and run.status in counted
    ]
    learning = job.measure == "convergence"
    timed = _timed(job, here)
    seconds: float | None = None
    basis = Basis.NOTHING
    if timed:
        seconds, basis = median(timed.values()), Basis.RECORDED
        seconds = seconds if learning or job.budget_s is None else min(seconds, job.budget_s)
    elif not learning:
        seconds, basis = job.budget_s or UNBOUND_S, Basis.BUDGET
    elif (rates := _rates(job, here, plan.items)) and job.train_samples is not None:
        seconds = job.train_samples * job.epochs / median(rates) * EVALUATING
        basis = Basis.RATE
    elif line.seconds is not None:
        seconds, basis = (
            line.seconds / _faster(job, catalogue) * start_s / START_S,
            Basis.OTHER_MACHINE,
        )
    sizes = [before.sizes[run_id] for run_id in timed if run_id in before.sizes]
    record = (
        round(median(sizes))
        if sizes
        else RECORD_BYTES + round(RECORD_BYTES_PER_S * (seconds or 0.0))
    )
    return Item(job, None if seconds is None else seconds + start_s, basis, record)


def _timed(job: Job, runs: Sequence[Run]) -> dict[str, float]:
    """Returns the seconds of the runs that did the job, for as many epochs as it has."""
    learning = job.measure == "convergence"
    how = (job.backend, job.batch_size, job.precision, job.data, job.processes)
    return {
        run.run_id: run.wall_time_s
        * (job.epochs / run.epochs_planned if learning and run.epochs_planned else 1.0)
        for run in runs
        if run.wall_time_s is not None
        and (run.backend, run.global_batch_size, run.precision, run.data, run.processes) == how
        and (run.epochs_planned is not None) == learning
    }


def _rates(job: Job, runs: Sequence[Run], items: str) -> list[float]:
    same = (run for run in runs if run.precision is job.precision)
    found = (run.value(f"throughput_{items}_per_s") for run in same)
    return [rate for rate in found if rate]


def _faster(job: Job, catalogue: Catalog) -> float:
    """Returns this machine's speed over the suite's, by cores or peak; at least 1."""
    if job.device == "cpu":
        return max(1.0, system.usable_cores() / CORES)
    peak = catalogue.spec(job.accelerator, "peak_fp32")
    return 1.0 if peak is None or not peak.value else max(1.0, peak.value / CORES_FLOP_PER_S)


def refuse_small_disk(planned: Schedule, runs: Path) -> int | None:
    """Returns the free bytes at the runs' folder; None if unknown.

    Raises:
        StoreError: Too few bytes are free.
    """
    free = free_bytes(runs)
    if free is not None and planned.open and free < planned.disk_bytes + SPARE_BYTES:
        need = f"{(planned.disk_bytes + SPARE_BYTES) / 1e6:.0f} MB"
        raise StoreError(
            f"{runs}: {free / 1e6:.0f} MB are free and {need} are wanted for "
            f"{counted(len(planned.open), 'run')}; nothing was started: "
            "make room, or choose another --runs"
        )
    return free


def duration(seconds: float) -> str:
    """Formats a time for a terminal, in its two largest units."""
    whole = round(seconds)
    parts = [(whole // 86400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min")]
    parts.append((whole % 60, "s"))
    first = next((index for index, (count, _) in enumerate(parts) if count), len(parts) - 1)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"


def round_begun(runs: Path, suite: str, size: str, now: datetime) -> datetime | None:
    """Returns when an interrupted round of this suite began; None without one to continue."""
    # a file that is not there, or that a full disk left empty
    with contextlib.suppress(OSError, ValueError):
        moment = datetime.fromisoformat(_round_file(runs, suite, size).read_text(encoding="utf-8"))
        return moment if moment.tzinfo is not None and now - ROUND_LASTS < moment <= now else None
    return None


def begin_round(runs: Path, suite: str, size: str, moment: datetime) -> None:
    """Records when a round of `--again` began, until its last run is done.

    Runs recorded before do not count: a checkout contains runs of other machines.

    Raises:
        StoreError: The folder cannot be written to.
    """
    path = _round_file(runs, suite, size)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(moment.isoformat(), encoding="utf-8")
    except OSError as error:
        raise StoreError(
            f"{path}: cannot be written ({error.strerror}): make room, or choose another --runs"
        ) from error


def end_round(runs: Path, suite: str, size: str) -> None:
    """Deletes the record of the round: its last run is done."""
    _round_file(runs, suite, size).unlink(missing_ok=True)


def _round_file(runs: Path, suite: str, size: str) -> Path:
    return runs / journal.FOLDER / f"{suite}-{size}.round"
