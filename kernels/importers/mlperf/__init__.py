"""MLPerf Training result logs, with the system facts beside them, as runs: of a repository, a
submission, a system or one benchmark.

`parse` (in `mlperf.log`) makes events of the lines, `facts_of` (in `mlperf.system`) reads the files
around them, and `run_of` joins the two with the rules of the round (`mlperf.rules`). All three are
pure of each other, so a folder is a loop over them.

A figure computed here is not a result of MLCommons: whoever shows it names round, division,
submitter and system and says that it was computed from the log and not verified, and the credit of
each run says so.
"""

import argparse
import math
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Final

from kernels import catalog
from kernels.errors import SourceError
from kernels.harness import measure
from kernels.importers.base import Imported, Part
from kernels.importers.mlperf import power, rules
from kernels.importers.mlperf.curve import CLOSE_S, epochs_of, evaluations_of, first_label
from kernels.importers.mlperf.log import Event, Events, lines_of, number, parse, plain, whole
from kernels.importers.mlperf.system import SubmissionFacts, facts_of
from kernels.machine.system import slug
from kernels.records import (
    ClockScope,
    DataKind,
    Environment,
    Evaluation,
    Metric,
    Origin,
    Run,
    Setting,
    Software,
    Source,
    SourceKind,
    Status,
    Target,
)

LICENCE: Final = "Apache-2.0"
_SETTINGS: Final = re.compile(
    r"opt_\w+|gradient_accumulation_steps|lowest_numerical_precision\w*|local_batch_size|input_batch_size|eval_offset"
)


SUMMARY: Final = (
    "MLPerf Training result logs: a results repository, a submission, a system, a "
    "benchmark's folder or one log"
)

_SUFFIXES: Final = frozenset({".txt", ".log", ".out", ""})
"""Suffixes of files that may be logs; repositories hold the submitters' code as well."""

_RESULT: Final = re.compile(r"result_?\d+", re.IGNORECASE)
"""What the rules call a log; a file of such a name that is none is refused, any other is passed
over.
"""


_NAMED: Final = 20
"""Logs that are named with a doubt that they share."""


def arguments(parser: argparse.ArgumentParser) -> None:
    """It has no options of its own."""


def parts(path: Path, options: Mapping[str, str | None]) -> Iterator[Part]:  # noqa: ARG001 - the same for every importer
    """Each folder that may hold logs, and its files; one file is a part of its own.

    Raises:
        SourceError: No file below the path can be a log.
    """
    if path.is_file():
        yield Part(path.name, (path,))
        return
    found = False
    for folder, below, names in os.walk(path):
        below.sort()
        here = Path(folder)
        if power.FOLDER in below and any(_RESULT.fullmatch(Path(name).stem) for name in names):
            below.remove(power.FOLDER)  # readings of the runs beside it, read with them
        files = tuple(
            here / name
            for name in sorted(names)
            if Path(name).suffix.lower() in _SUFFIXES and _may_be_log(here / name)
        )
        if files:
            found = True
            yield Part(here.relative_to(path).as_posix(), files)
    if not found:
        raise SourceError(
            f"{path}: no MLPerf result log below it; wanted files such as "
            "<system>/<benchmark>/result_0.txt"
        )


def _may_be_log(path: Path) -> bool:
    """Whether a file is called like a log, or has a line of one near its beginning."""
    if path.exists() and not path.is_file():
        return False  # a pipe or a socket has no end
    if _RESULT.fullmatch(path.stem):
        return True
    try:
        with path.open("rb") as file:
            return b":::ML" in file.read(65536)
    except OSError:
        return False


def read(part: Part) -> Imported:
    """The runs of one folder's logs; a log that cannot be taken is refused by name, and the others
    are read.

    Raises:
        SourceError: The one file asked for is refused, or none of several can be taken.
    """
    found: list[Imported] = []
    refused: list[str] = []
    for path in part.files:
        try:
            one = read_log(path)
        except SourceError as error:
            refused.append(str(error))
            continue
        if found and one.name != found[0].name:
            refused.append(
                f"{part.name}/{path.name}: a log of {one.name}, beside logs of {found[0].name}; "
                "import it by itself"
            )
        elif any(one.runs[0].run_id == other.runs[0].run_id for other in found):
            refused.append(
                f"{part.name}/{path.name}: a second log with the number of another in its folder; "
                "rename one of them"
            )
        else:
            found.append(one)
    if not found:
        raise SourceError("; ".join(refused))
    return Imported(
        source=found[0].source,
        name=found[0].name,
        runs=tuple(run for one in found for run in one.runs),
        sources=found[0].sources,
        doubts=tuple(_together(found)),
        refused=tuple(refused),
    )


def _together(found: Sequence[Imported]) -> Iterator[str]:
    """The doubts of a folder's logs; one that several logs share is said once, with their names."""
    said: dict[str, list[str]] = {}
    for one in found:
        where = (one.runs[0].locator or "").removeprefix("file '").removesuffix("'")
        for doubt in one.doubts:
            said.setdefault(doubt.removeprefix(f"{where}: "), []).append(where)
    for doubt, places in said.items():
        names = [place.rpartition("/")[2] for place in places[1:_NAMED]]
        names += [f"{len(places) - _NAMED} more"] if places[_NAMED:] else []
        yield f"{', '.join([places[0], *names])}: {doubt}"


def read_log(path: Path) -> Imported:
    """The run of one log file.

    Raises:
        SourceError: Not a compliance log, or a log of no run.
    """
    facts = facts_of(path)
    try:
        with path.open("rb") as file:
            events = parse(lines_of(file), facts.path)
    except OSError as error:
        raise SourceError(f"{path}: cannot be read ({error.strerror})") from error
    run = run_of(events, facts)
    energy = power.energy_of(path, facts, run)
    run = replace(
        run, metrics=(*run.metrics, *energy.metrics), settings=(*run.settings, *energy.settings)
    )
    doubts = (
        *facts.missing,
        *_left_open(facts, run),
        *energy.doubts,
        *_oddities(events, facts, run),
    )
    name = run.run_id.removesuffix(f"-{_suffix(facts, run.started_at)}")
    if facts.benchmark is None and facts.folder is not None:
        # one folder for all benchmarks of a system, and one file
        name = name.removesuffix(f"-{slug(_benchmark(events, facts))}")
    return Imported(
        source=run.source,
        name=name,
        runs=(run,),
        sources=(_source(run, facts),),
        doubts=tuple(f"{facts.path}: {each}" for each in doubts),
    )


def _left_open(facts: SubmissionFacts, run: Run) -> Iterator[str]:
    """What neither the log nor a file around it says."""
    if run.round is None:
        yield (
            "no folder above it names the round, as training_results_v5.0 does; "
            "targets that changed are left open"
        )
    if run.accelerator is None:
        named = (
            "no file names the accelerator"
            if facts.accelerator is None
            else f"accelerator '{facts.accelerator}' is in no table"
        )
        yield f"{named}; left open"


def _oddities(events: Events, facts: SubmissionFacts, run: Run) -> Iterator[str]:
    """What is to be known of a log before its figures are trusted."""
    if events.damaged:
        lines = f"line {events.damaged[0]}" + (
            f" and {len(events.damaged) - 1} more" if events.damaged[1:] else ""
        )
        yield f"{lines}: a marker and nothing readable behind it"
    if repeated := _repeated(run.evaluations):
        yield (
            f"{repeated} evaluations have an epoch that another one has too; only "
            "their times tell them apart"
        )
    if lagging := _lagging(run.evaluations):
        yield (
            f"{lagging} evaluations carry the number of an earlier epoch; the "
            "numbers of their starts are taken"
        )
    if run.status_detail:
        yield run.status_detail
    if late := sum(
        (each.time_s or 0.0) - (run.wall_time_s or math.inf) > CLOSE_S for each in run.evaluations
    ):
        yield f"evaluations logged after the run's end: {late}"
    if _generated(events, _benchmark(events, facts)) is not None:
        yield (
            "models were evaluated after training: the run's time is that of "
            "eval_result, evaluations have none"
        )
    if events.passed:
        yield f"{events.passed} events beyond what is kept of one log were passed over"
    if run.status is Status.OK and (far := _missed(run.targets, run.evaluations)):
        yield f"the log says success, and no evaluation in it reaches {far}"


@dataclass(frozen=True, slots=True)
class _Submission:
    """What was run, by whom and on what, as the log and the folders above it say.

    Attributes:
        folders: Those of the submitter and of the system; their names where there are none.
    """

    round: str | None
    benchmark: str
    submitter: str
    system: str
    division: str | None
    folders: tuple[str, str]

    @property
    def credit(self) -> str:
        """Who is to be named beside the figures."""
        return (
            f"MLPerf {self.round or '(round unknown)'} Training, "
            f"{self.division or 'division unknown'}, {self.submitter}, {self.system}, "
            f"{_TITLES.get(self.benchmark, self.benchmark)}; computed from the log, unverified by "
            "MLCommons"
        )

    @property
    def system_id(self) -> str:
        """The system's id in the catalogue, or one made of its names."""
        return rules.system_of(*self.folders) or slug("-".join(self.folders)) or "unknown"


_TITLES: Final[Mapping[str, str]] = {
    "maskrcnn": "Mask R-CNN",
    "ssd": "SSD",
    "resnet": "ResNet-50",
    "ncf": "NCF",
    "bert": "BERT",
    "gnmt": "GNMT",
}
"""Benchmarks as a credit names them."""


def _submission(events: Events, facts: SubmissionFacts) -> _Submission:
    submitter, _ = rules.submitter_of(
        facts.submitter_folder, facts.submitter or _string(events.first("submission_org"))
    )
    system = facts.system or _string(events.first("submission_platform")) or "unknown system"
    return _Submission(
        round=facts.round or {"MLPv0.5.0": "v0.5", "MLL": "v0.6"}.get(events.dialect),
        benchmark=_benchmark(events, facts),
        submitter=submitter,
        system=system,
        division=facts.division or _string(events.first("submission_division")),
        folders=(facts.submitter_folder or submitter, facts.folder or system),
    )


def run_of(events: Events, facts: SubmissionFacts) -> Run:
    """Join a log's events and what is known around them.

    Raises:
        SourceError: The log has no run: it never started, or holds several.
    """
    start, stop = _bounds(events, facts)
    began = None if start is None else datetime.fromtimestamp(start, UTC)
    submission = _submission(events, facts)
    round_, benchmark, folders = submission.round, submission.benchmark, submission.folders
    targets = _targets(events, benchmark, round_)
    evaluations, shift = evaluations_of(events, benchmark, start)
    status, detail = _status(events, stop, targets, evaluations)
    wall = None if start is None or stop is None or stop.time_s is None else stop.time_s - start
    if (generated := _generated(events, benchmark)) is not None:
        evaluations = [replace(each, time_s=None, train_time_s=None) for each in evaluations]
        wall = wall if wall is not None and abs(wall - generated) < 1 else generated
    seeds = _seeds(events)
    framework = _framework(facts)
    libraries = {each.name: each.version for each in facts.software}
    as_samples = shift is None
    ids = (slug(round_ or events.dialect), *map(slug, folders), slug(benchmark))
    return Run(
        run_id="-".join(each for each in ("mlperf", *ids, _suffix(facts, began)) if each),
        origin=Origin.IMPORTED,
        source=slug(f"mlperf-{round_ or 'unknown-round'}-{folders[0]}"),
        locator=f"file '{facts.path}'",
        licence=LICENCE,
        credit=submission.credit,
        workload=rules.WORKLOADS.get(benchmark) or slug(f"mlperf-{benchmark}"),
        system=submission.system_id,
        status=status,
        status_detail=detail,
        accelerator=_hardware(facts, list(folders), round_),
        accelerators=facts.accelerators,
        nodes=facts.nodes,
        framework=framework.name if framework else None,
        framework_version=framework.version if framework else None,
        container=f"NGC {libraries['ngc-container']}" if "ngc-container" in libraries else None,
        data=DataKind.REAL,
        global_batch_size=_batch(events, benchmark, round_, folders[0].lower(), facts),
        seed=seeds[0] if len(seeds) == 1 else None,
        repeat_index=facts.index,
        train_samples=None if as_samples else _train_samples(events, benchmark),
        epoch_index_base=None if as_samples else 1 if shift == -1 else first_label(events),
        # Before v0.6 building the model was on the clock; from then on it has half an hour before
        # the start.
        clock_scope=ClockScope.END_TO_END if round_ == "v0.5" else ClockScope.TRAIN_AND_EVAL,
        clock_resolution_s=events.resolution_s,
        started_at=began,
        wall_time_s=wall,
        submitter=submission.submitter,
        round=round_,
        division=submission.division,
        metrics=tuple(_metrics(targets, evaluations, status)),
        targets=targets,
        epochs=() if as_samples else tuple(epochs_of(events, start, benchmark)),
        evaluations=tuple(evaluations),
        software=facts.software,
        settings=(*_settings(events, benchmark), *_more_settings(events, facts, benchmark, seeds)),
        environment=_environment(facts, libraries, submission.system),
    )


def _framework(facts: SubmissionFacts) -> Software | None:
    """The framework, where the system's files name one and no more."""
    named = {"tensorflow", "pytorch", "mxnet", "jax", "tinygrad"}
    found = [each for each in facts.software if each.name in named]
    return found[0] if len(found) == 1 else None


def _train_samples(events: Events, benchmark: str) -> int | None:
    if benchmark in rules.BATCHES_AS_SAMPLES:
        return None
    return whole(events.first("train_samples", "num_train_examples", "preproc_num_train_examples"))


def _more_settings(
    events: Events, facts: SubmissionFacts, benchmark: str, seeds: Sequence[int]
) -> Iterator[Setting]:
    """Settings that are no event's own value: what batch sizes and seeds are not recorded as, and
    how the score is scaled.
    """
    logged = whole(events.first("global_batch_size"))
    if benchmark in rules.BATCH_UNITS_UNKNOWN and logged is not None:
        yield Setting("input_batch_size", str(logged))
    if not seeds and (drawn := _drawn(events)):
        yield Setting("seed", " ".join(drawn[:1000]))
    if len(seeds) > 1:
        # a process each at most
        yield Setting("seeds", " ".join(map(str, seeds[:1000])))
    if facts.scaling_factor is not None:
        # "nan" where the file cannot be read: no score then
        yield Setting("scaling_factor", repr(facts.scaling_factor))


def _bounds(events: Events, facts: SubmissionFacts) -> tuple[float | None, Event | None]:
    """Unix time of the run's start, and its stop; None where the log ends before it or writes no
    time.
    """
    starts, stops = list(events.all("run_start")), list(events.all("run_stop"))
    if not starts and any(events.all(*power.MARKS)):
        raise SourceError(
            f"{facts.path}: a power log, read with the run beside which it lies; wanted the log of "
            "a run"
        )
    if not starts:
        raise SourceError(
            f"{facts.path}: no run_start: the run never began, or the file is cut off before it"
        )
    timed = sorted(event.time_s for event in starts if event.time_s is not None)
    ends = sorted((event for event in stops if event.time_s is not None), key=_time)
    if timed and ends and timed[-1] > _time(ends[0]):
        raise SourceError(
            f"{facts.path}: a run starts after another has stopped: several runs in one file; "
            "wanted one"
        )
    if timed and ends and _time(ends[-1]) < timed[0]:
        raise SourceError(
            f"{facts.path}: run_stop lies before run_start: the clock of this log cannot be used"
        )
    return (timed[0] if timed else None), (ends[-1] if ends else stops[-1] if stops else None)


def _generated(events: Events, benchmark: str) -> float | None:
    """Seconds from the start until the model that won was made, in MiniGo's logs: they evaluate the
    models after training.
    """
    if benchmark != "minigo":
        return None
    said = (number(event.metadata.get("timestamp")) for event in events.all("eval_result"))
    return next((seconds for seconds in said if seconds is not None and seconds > 0), None)


def _time(event: Event) -> float:
    return event.time_s or 0.0


def _status(
    events: Events, stop: Event | None, targets: Sequence[Target], evaluations: Sequence[Evaluation]
) -> tuple[Status, str | None]:
    """How the run ended, by its own word; where it says nothing (MXNet in v0.5), by the targets."""
    if stop is None:
        return Status.UNFINISHED, "the log has no run_stop"
    flags = [flag for event in events.all("run_stop") if (flag := _flag(event)) is not None]
    if flags:
        return (
            (Status.OK, None)
            if all(flags)
            else (Status.NOT_CONVERGED, "the log says that the run did not succeed")
        )
    if not targets:
        return (
            Status.NOT_REPORTED,
            "the log does not say whether the run succeeded, and its target is unknown",
        )
    if missed := _missed(targets, evaluations):
        return Status.NOT_CONVERGED, f"no evaluation reached {missed}"
    return Status.OK, None


def _missed(targets: Sequence[Target], evaluations: Sequence[Evaluation]) -> str:
    """In words, the targets that no evaluation reaches; several must be reached by one and the
    same.
    """
    places = [
        {
            (each.epoch, each.samples, each.step)
            for each in evaluations
            if each.metric == target.metric and measure.hit(target, each.value)
        }
        for target in targets
    ]
    missed = [target for target, place in zip(targets, places, strict=True) if not place]
    if not missed and targets and not set.intersection(*places):
        missed = list(targets)
    return " and ".join(f"{target.metric} {target.value:g}" for target in missed)


def _benchmark(events: Events, facts: SubmissionFacts) -> str:
    """The benchmark by its usual name, as the log says it or else the log's folder."""
    said = events.first("submission_benchmark")
    return rules.benchmark_of(
        events.benchmark or (said if isinstance(said, str) else "") or facts.benchmark or "unknown"
    )


def _flag(event: Event) -> bool | None:
    """Success or not; v0.5 writes it as the value, also as text, later rounds as metadata."""
    said = event.metadata.get("status")
    if said is None and isinstance(event.value, dict):
        said = event.value.get("success")
    if said is None:
        return None
    return str(said).lower() in {"success", "true"}


def _targets(events: Events, benchmark: str, round_: str | None) -> tuple[Target, ...]:
    """The targets that the log states, else the rules' own, marked as reconstructed."""
    metrics = rules.metrics_of(benchmark)
    for event in events.all("eval_target", "target_accuracy", "target"):
        values = event.value if isinstance(event.value, list) else [event.value]
        found = [number(value) for value in values]
        if len(found) == len(metrics) and None not in found:
            return tuple(
                Target(metric, rules.fraction(metric, value), rules.direction(metric))
                for metric, value in zip(metrics, found, strict=True)
                if value is not None
            )
    return rules.targets(benchmark, round_)


def _metrics(
    targets: Sequence[Target], evaluations: Sequence[Evaluation], status: Status
) -> Iterator[Metric]:
    """Final and best value of each metric with a target, and where the target was first reached."""
    missed = (
        Status.NOT_CONVERGED
        if status in (Status.OK, Status.NOT_CONVERGED, Status.NOT_REPORTED)
        else status
    )
    for target in targets:
        for metric in measure.quality(
            target, [reading for reading in evaluations if reading.metric == target.metric], missed
        ):
            # a log ends where the target is reached
            if not metric.name.endswith(("_sustained", "_sustained_s")):
                yield metric


def _seeds(events: Events) -> list[int]:
    """The seeds that the log gives, each once. TPU logs of v0.5 write "none"; a time is no seed."""
    found = {
        seed
        for event in events.all("seed", "run_set_random_seed")
        if (seed := whole(event.value)) is not None
    }
    return sorted(seed for seed in found if seed >= 0)


def _drawn(events: Events) -> list[str]:
    """Seeds that are no whole numbers: some TPU logs of v1.0 take the clock."""
    return list(
        dict.fromkeys(
            repr(found)
            for event in events.all("seed")
            if (found := number(event.value)) is not None and found % 1
        )
    )


def _settings(events: Events, benchmark: str) -> Iterator[Setting]:
    """Optimiser and the like, the first value of each; a learning rate that is logged a step is in
    the epochs.
    """
    seen: set[str] = set()
    keys = [event for event in events.events if _SETTINGS.fullmatch(event.key)]
    keys += [
        event for event in events.all("train_samples") if benchmark in rules.BATCHES_AS_SAMPLES
    ]
    for event in keys:
        if event.key in seen or event.value is None or isinstance(event.value, dict):
            continue
        seen.add(event.key)
        yield Setting(event.key, plain(str(event.value))[:200])


def _batch(
    events: Events, benchmark: str, round_: str | None, submitter: str, facts: SubmissionFacts
) -> int | None:
    """Global batch size; v0.5 writes one number that is a GPU's with some and the system's with
    others.
    """
    if benchmark in rules.BATCH_UNITS_UNKNOWN:
        return None
    if (stated := whole(events.first("global_batch_size"))) is not None:
        return stated if stated > 0 else None
    logged = whole(events.first("input_batch_size"))
    if logged is None or logged < 1 or round_ != "v0.5":
        return None
    if (submitter, benchmark) in rules.BATCH_GLOBAL:
        return logged
    if (submitter, benchmark) in rules.BATCH_PER_DEVICE and facts.accelerators is not None:
        return logged * facts.accelerators
    return _counted(events, benchmark, logged, facts)


def _counted(events: Events, benchmark: str, logged: int, facts: SubmissionFacts) -> int | None:
    """The batch by which the log's own steps and epochs make up the data set: the logged number, or
    that of each chip or core.
    """
    samples = rules.EPOCH_SAMPLES.get(benchmark)
    steps = {
        number(event.value.get("value")): number(event.value.get("iteration"))
        for event in _tables(events, "eval_iteration_accuracy")
    }
    epochs = {
        number(event.value.get("value")): number(event.value.get("epoch"))
        for event in _tables(events, "eval_accuracy")
    }
    each_epoch = [
        step / epoch
        for value, step in steps.items()
        if step and value is not None and (epoch := epochs.get(value))
    ]
    if samples is None or not each_epoch:
        return None
    chips = facts.accelerators or 1
    sizes = {logged, logged * chips} | (
        {logged * chips * 2} if "tpu" in str(facts.accelerator).lower() else set()
    )
    fits = [
        size
        for size in sizes
        if all(abs(count * size / samples - 1) <= rules.CLOSE for count in each_epoch)
    ]
    return fits[0] if len(fits) == 1 else None


def _tables(events: Events, key: str) -> Iterator[Event]:
    return (event for event in events.all(key) if isinstance(event.value, dict))


def _repeated(evaluations: Sequence[Evaluation]) -> int:
    """How often an epoch number comes back with other values: the time axis is sound, the epoch
    axis is the log's own.
    """
    places = [
        (reading.metric, reading.epoch) for reading in evaluations if reading.epoch is not None
    ]
    return len(places) - len(set(places))


def _lagging(evaluations: Sequence[Evaluation]) -> int:
    """How many evaluations are recorded at a later epoch than the log's own number says, beyond
    what its counting from 0 explains.
    """
    gaps = [
        reading.epoch - reading.epoch_as_logged
        for reading in evaluations
        if reading.epoch is not None and reading.epoch_as_logged is not None
    ]
    return sum(gap >= min(gaps) + 1 for gap in gaps)  # less is a part of an epoch


def _environment(
    facts: SubmissionFacts, libraries: dict[str, str | None], system: str
) -> Environment:
    return Environment(
        os=facts.os,
        cpu_model=facts.cpu,
        physical_cores=facts.cpu_cores,
        logical_cores=facts.cpu_threads,
        memory_bytes=facts.memory_bytes,
        accelerator_name=facts.accelerator,
        accelerator_count=facts.accelerators // facts.nodes
        if facts.accelerators and facts.nodes
        else facts.accelerators,
        driver=libraries.get("driver"),
        cuda=libraries.get("cuda"),
        cudnn=libraries.get("cudnn"),
        nccl=libraries.get("nccl"),
        # its name in the round, which credits must give
        extra=(Setting("submission_system", system),),
    )


def _hardware(facts: SubmissionFacts, names: Sequence[str], round_: str | None) -> str | None:
    """The catalogue's id of an accelerator by the name that a submission writes; None where nobody
    has mapped it.
    """
    if facts.accelerator is None:
        return None
    plain_name = facts.accelerator.strip().lower()
    known = _names()
    found = rules.accelerator_of(
        names[0], round_, facts.folder or "", facts.accelerator
    ) or known.get(plain_name)
    return found if found in known.values() else None


@cache
def _names() -> Mapping[str, str]:
    """Ids of the catalogue's hardware by their names and aliases, lower case."""
    return {
        name.lower(): each.hardware
        for each in catalog.load().hardware.values()
        for name in (*each.aliases, each.name)
    }


def _suffix(facts: SubmissionFacts, start: datetime | None) -> str:
    if facts.index is not None:
        return str(facts.index)
    return start.strftime("%Y%m%dt%H%M%S") if start is not None else "0"


def _string(value: Any) -> str | None:
    return plain(value) or None if isinstance(value, str) and "PLACEHOLDER" not in value else None


def _source(run: Run, facts: SubmissionFacts) -> Source:
    """The source that a run names: one a round and submitter, the same whichever of its logs is
    read.
    """
    _, submitter = rules.submitter_of(facts.submitter_folder, run.submitter)
    url = f"https://github.com/mlcommons/training_results_{run.round}" if run.round else None
    return Source(
        source=run.source,
        kind=SourceKind.LOGS,
        title=f"MLPerf Training {run.round or '(round unknown)'}: {submitter}",
        url=url,
        language="en",
        licence=LICENCE,
        credit=f"MLPerf {run.round or ''} Training, {submitter}; figures computed from the logs, "
        "unverified by MLCommons",
        publisher="MLCommons",
        published_note="mlperf-published",
        transcription_note="mlperf-computed",
    )
