"""A run of MLPerf Training: a log and the facts around it, joined by the rules of the round."""

import re
from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cache, cached_property
from itertools import pairwise
from typing import Any, Final

from kernels import catalog
from kernels.analysis import results
from kernels.analysis.mlperf_scores import START_MOVED
from kernels.errors import SourceError
from kernels.importers.mlperf import power, rules
from kernels.importers.mlperf.curve import CLOSE_S, epochs_of, evaluations_of, first_label
from kernels.importers.mlperf.log import Event, Events, between, number, plain, whole
from kernels.importers.mlperf.system import SubmissionFacts
from kernels.machine.system import slug
from kernels.records import (
    ClockScope,
    DataKind,
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Origin,
    Run,
    Setting,
    Software,
    Status,
    Target,
)

LICENCE: Final = "Apache-2.0"
FIRST: Final = datetime(2018, 1, 1, tzinfo=UTC)
"""Earliest run: v0.5 was in this year."""
_SETTINGS: Final = re.compile(
    r"opt_\w+|gradient_accumulation_steps|lowest_numerical_precision\w*|local_batch_size|input_batch_size|eval_offset"
)

_MINIGO: Final = frozenset({"minigo", "minigo_19x19"})

_MINUTE: Final = 60.0

_LONGEST: Final = 10_000
"""Letters of a setting that are recorded."""


@dataclass(frozen=True)
class Submission:
    """A log and the facts around it: benchmark, submitter and system."""

    events: Events
    facts: SubmissionFacts

    @property
    def round(self) -> str | None:
        """The round, from the folders or the log's dialect."""
        return self.facts.round or {"MLPv0.5.0": "v0.5", "MLL": "v0.6"}.get(self.events.dialect)

    @cached_property
    def benchmark(self) -> str:
        """The benchmark's usual name, from the log or else its folder."""
        said = self.events.first("submission_benchmark")
        return rules.benchmark_of(
            self.events.benchmark
            or (said if isinstance(said, str) else "")
            or self.facts.benchmark
            or "unknown",
            self.round,
        )

    @cached_property
    def submitter(self) -> str:
        """The submitter."""
        said = self.facts.submitter or _string(self.events.first("submission_org"))
        return rules.submitter_of(self.facts.submitter_folder, said)[0]

    @property
    def system(self) -> str:
        """The system's name in the round, which credits must give."""
        said = self.facts.system or _string(self.events.first("submission_platform"))
        return said or "unknown system"

    @property
    def division(self) -> str | None:
        """Closed or open."""
        return self.facts.division or _string(self.events.first("submission_division"))

    @property
    def folders(self) -> tuple[str, str]:
        """The folders of submitter and system, or else their names."""
        return (self.facts.submitter_folder or self.submitter, self.facts.folder or self.system)

    @property
    def credit(self) -> str:
        """The credit to show beside the figures."""
        return (
            f"MLPerf {self.round or '(round unknown)'} Training, "
            f"{self.division or 'division unknown'}, {self.submitter}, {self.system}, "
            f"{rules.title_of(self.benchmark)}; computed from the log, unverified by "
            "MLCommons"
        )

    @property
    def system_id(self) -> str:
        """The system's id in the catalogue, or one made of its names."""
        return rules.system_of(*self.folders) or slug("-".join(self.folders)) or "unknown"

    @property
    def libraries(self) -> Mapping[str, str | None]:
        """Versions of the software by name."""
        return {each.name: each.version for each in self.facts.software}

    def suffix(self, start: datetime | None) -> str:
        """Returns the suffix that distinguishes runs of a system and benchmark."""
        if self.facts.index is not None:
            return str(self.facts.index)
        return start.strftime("%Y%m%dt%H%M%S") if start is not None else "0"


def run_of(events: Events, facts: SubmissionFacts) -> Run:
    """Makes a run of a log's events and the facts around them.

    Raises:
        SourceError: The log has no run, or several.
    """
    log = Submission(events, facts)
    start, stop = _bounds(log)
    moved = start is not None and _moved(events, start)
    start = None if moved else start
    began = None if start is None else datetime.fromtimestamp(start, UTC)
    began = began if began and began >= FIRST else None
    targets = _targets(log)
    evaluations, shift = evaluations_of(events, log.benchmark, start)
    status, detail = _status(events, stop, targets, evaluations)
    wall = (
        None
        if start is None or stop is None or stop.time_s is None
        else between(start, stop.time_s)
    )
    if (generated := generated_after(log)) is not None:
        wall = wall if wall is not None and abs(wall - generated) < 1 else generated
    offline = evaluations if generated is not None else offline_of(evaluations, wall)
    untimed = {each.locator for each in offline}
    if untimed:
        evaluations = [
            replace(each, time_s=None, train_time_s=None) if each.locator in untimed else each
            for each in sorted(evaluations, key=_trained)
        ]
    seeds = _seeds(events)
    framework, ngc = _framework(facts), log.libraries.get("ngc-container")
    as_samples = shift is None
    ids = (slug(log.round or events.dialect), *map(slug, log.folders), slug(log.benchmark))
    return Run(
        run_id="-".join(each for each in ("mlperf", *ids, log.suffix(began)) if each),
        origin=Origin.IMPORTED,
        source=slug(f"mlperf-{log.round or 'unknown-round'}-{log.folders[0]}"),
        locator=f"file '{facts.path}'",
        licence=LICENCE,
        credit=log.credit,
        workload=rules.WORKLOADS.get(log.benchmark) or slug(f"mlperf-{log.benchmark}"),
        system=log.system_id,
        status=status,
        status_detail=detail,
        accelerator=_hardware(log),
        accelerators=facts.accelerators,
        nodes=facts.nodes,
        framework=framework.name if framework else None,
        framework_version=framework.version if framework else None,
        container=None if ngc is None else f"NGC {ngc}",
        data=DataKind.REAL,
        global_batch_size=_batch(log),
        seed=seeds[0] if len(seeds) == 1 else None,
        repeat_index=facts.index,
        train_samples=None if as_samples else _train_samples(log),
        epoch_index_base=None if as_samples else 1 if shift == -1 else first_label(events),
        # Before v0.6 the time includes building the model; from v0.6 that has half an hour before
        # the start.
        clock_scope=ClockScope.END_TO_END if log.round == "v0.5" else ClockScope.TRAIN_AND_EVAL,
        clock_resolution_s=events.resolution_s,
        started_at=began,
        wall_time_s=wall,
        submitter=log.submitter,
        round=log.round,
        division=log.division,
        metrics=tuple(_metrics(targets, evaluations, status, untimed, wall)),
        targets=targets,
        epochs=() if as_samples else tuple(_epochs(log, start, wall)),
        evaluations=tuple(evaluations),
        software=facts.software,
        settings=(*_logged_settings(log), *_more_settings(log, seeds)),
        caveats=(START_MOVED,) if moved else (),
        environment=_environment(log),
    )


def _epochs(log: Submission, start: float | None, wall: float | None) -> list[Epoch]:
    """Returns the epochs of the run; for MiniGo those until the winning model was made, since its
    logs go on training while models are evaluated. If one begins before another has ended they have
    no length.
    """
    found = list(epochs_of(log.events, start, log.benchmark))
    if log.benchmark not in _MINIGO or wall is None:
        return found
    spans = [
        (each.start_s or 0.0, (each.start_s or 0.0) + (each.duration_s or 0.0)) for each in found
    ]
    overlap = any(after < stop - CLOSE_S for (_, stop), (after, _) in pairwise(spans))
    kept = [each for each, (_, stop) in zip(found, spans, strict=True) if stop <= wall]
    return [replace(each, duration_s=None) for each in kept] if overlap else kept


def _framework(facts: SubmissionFacts) -> Software | None:
    named = {"tensorflow", "pytorch", "mxnet", "jax", "tinygrad"}
    found = [each for each in facts.software if each.name in named]
    return found[0] if len(found) == 1 else None


def _train_samples(log: Submission) -> int | None:
    if log.benchmark in rules.BATCHES_AS_SAMPLES:
        return None
    return whole(
        log.events.first("train_samples", "num_train_examples", "preproc_num_train_examples")
    )


def _more_settings(log: Submission, seeds: Sequence[int]) -> Iterator[Setting]:
    """Yields settings derived from several events: batch sizes and seeds that are not recorded as
    such, and the scaling of the score.
    """
    logged = whole(log.events.first("global_batch_size"))
    if log.benchmark in rules.BATCH_UNITS_UNKNOWN and logged is not None:
        yield Setting("input_batch_size", str(logged))
    if not seeds and (drawn := _drawn(log.events)):
        yield Setting("seed", _joined(drawn))
    if len(seeds) > 1:
        yield Setting("seeds", _joined(list(map(str, seeds))))
    if log.facts.scaling_factor is not None:
        # "nan" if the file cannot be read: then there is no score
        yield Setting("scaling_factor", repr(log.facts.scaling_factor))


def _joined(words: Sequence[str]) -> str:
    """Joins the seeds of as many processes as a setting has room for."""
    text = " ".join(words[:1000])
    return text if len(text) <= _LONGEST else text[:_LONGEST].rpartition(" ")[0]


def _bounds(log: Submission) -> tuple[float | None, Event | None]:
    """Returns the Unix time of the run's start, and its stop event; None if the log ends before it
    or writes no time.
    """
    starts, stops = list(log.events.all("run_start")), list(log.events.all("run_stop"))
    timed = sorted(event.time_s for event in starts if event.time_s is not None)
    ends = sorted((event for event in stops if event.time_s is not None), key=_time)
    wrong = None
    if not starts and any(log.events.all(*power.MARKS)):
        wrong = "a power log, read with the run beside which it lies; wanted the log of a run"
    elif not starts:
        wrong = "no run_start: the run never began, or the file is cut off before it"
    elif timed and ends and timed[-1] > _time(ends[0]):
        wrong = "a run starts after another has stopped: several runs in one file; wanted one"
    elif timed and ends and _time(ends[-1]) < timed[0]:
        wrong = "run_stop lies before run_start: the clock of this log cannot be used"
    if wrong:
        raise SourceError(f"{log.facts.path}: {wrong}")
    return (timed[0] if timed else None), (ends[-1] if ends else stops[-1] if stops else None)


def _moved(events: Events, start: float) -> bool:
    """Returns True if the start was written over: the rules have caches cleared before a run, and
    here they are cleared more than a minute after its start. A heuristic: of the 3,400 logs tried
    it marks one, Google's SSD in v0.7, which says that it was changed to be dropped.
    """
    cleared = [event.time_s for event in events.all("cache_clear") if event.time_s is not None]
    dated = start >= FIRST.timestamp()  # a log with a clock of its own may clear caches by another
    return bool(cleared) and dated and min(cleared) > start + _MINUTE


def generated_after(log: Submission) -> float | None:
    """Returns seconds from the start until the winning model was made, in MiniGo's logs: they
    evaluate the models after training.
    """
    if log.benchmark not in _MINIGO:
        return None
    said = (number(event.metadata.get("timestamp")) for event in log.events.all("eval_result"))
    return next((seconds for seconds in said if seconds is not None and seconds > 0), None)


def _time(event: Event) -> float:
    return event.time_s or 0.0


def _status(
    events: Events, stop: Event | None, targets: Sequence[Target], evaluations: Sequence[Evaluation]
) -> tuple[Status, str | None]:
    """Returns how the run ended: as stated or, for MXNet in v0.5, by the targets."""
    if stop is None and any(events.all("eval_result")):
        return Status.OK, None  # NVIDIA's MiniGo of v0.6: a model has won
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
    if unreached := missed(targets, evaluations):
        return Status.NOT_CONVERGED, f"no evaluation reached {unreached}"
    return Status.OK, None


def missed(targets: Sequence[Target], evaluations: Sequence[Evaluation]) -> str:
    """Returns the targets that no evaluation reaches, in words; several must be reached by the same
    one.
    """
    places = [
        {
            (each.epoch, each.samples, each.step)
            for each in evaluations
            if each.metric == target.metric and results.hit(target, each.value)
        }
        for target in targets
    ]
    unreached = [target for target, place in zip(targets, places, strict=True) if not place]
    if not unreached and targets and not set.intersection(*places):
        unreached = list(targets)
    return " and ".join(f"{target.metric} {target.value:g}" for target in unreached)


def _flag(event: Event) -> bool | None:
    """Returns the success flag; in v0.5 it is the value, also as text, later in the metadata."""
    said = event.metadata.get("status")
    if said is None and isinstance(event.value, dict):
        said = event.value.get("success")
    if said is None:
        return None
    return str(said).lower() in {"success", "true"}


def _targets(log: Submission) -> tuple[Target, ...]:
    """Returns the targets that the log states, else the rules' own, marked as reconstructed."""
    metrics = rules.metrics_of(log.benchmark)
    for event in log.events.all("eval_target", "target_accuracy", "target"):
        values = event.value if isinstance(event.value, list) else [event.value]
        found = [number(value) for value in values]
        if len(found) == len(metrics) and None not in found:
            return tuple(
                Target(metric, rules.fraction(metric, value), rules.direction(metric))
                for metric, value in zip(metrics, found, strict=True)
                if value is not None
            )
    return rules.targets(log.benchmark, log.round)


def offline_of(evaluations: Sequence[Evaluation], wall: float | None) -> list[Evaluation]:
    """Returns evaluations of saved checkpoints after the run's end, which are of unknown time.

    Empty if a log goes on training and evaluating after run_stop (SSD on TPUs): each reading is
    then of more training than any before the end, and its time is valid.
    """
    if wall is None:
        return []
    timed = [(each, each.time_s) for each in evaluations if each.time_s is not None]
    late = [each for each, time_s in timed if time_s - wall > CLOSE_S]
    most = max((_trained(each) for each, time_s in timed if time_s - wall <= CLOSE_S), default=None)
    return late if most is None or any(_trained(each) <= most for each in late) else []


def _metrics(
    targets: Sequence[Target],
    evaluations: Sequence[Evaluation],
    status: Status,
    untimed: Set[str | None],
    wall: float | None,
) -> Iterator[Metric]:
    """Yields the figures of the targets. A run that evaluates checkpoints offline (`untimed`, their
    locators) ends with the one that reaches all targets: it counts for the target that is reached
    last.
    """
    missed = (
        Status.NOT_CONVERGED
        if status in (Status.OK, Status.NOT_CONVERGED, Status.NOT_REPORTED)
        else status
    )
    of = {
        target: [each for each in evaluations if each.metric == target.metric] for target in targets
    }
    hits = {
        target: [each for each in own if results.hit(target, each.value)]
        for target, own in of.items()
    }
    latest = max((_trained(own[0]) for own in hits.values() if own), default=None)
    places = [{_trained(each) for each in own} for own in hits.values()]
    joint = min(set.intersection(*places), default=None) if places else None
    for target, own in of.items():
        last = next(
            (
                each
                for each in hits[target]
                if _trained(each) == joint and each.locator in untimed and status is Status.OK
            ),
            None,
        )
        ended = last is not None and _trained(hits[target][0]) == latest
        for metric in results.quality(target, own, missed):
            if metric.name.endswith(("_sustained", "_sustained_s")):
                continue  # a log ends where the target is reached
            if last is None or not ended or metric.target is None:
                yield metric
                continue
            value = {"epochs": last.epoch, "samples": last.samples, "s": wall}[metric.unit]
            found = Status.NOT_REPORTED if value is None else Status.OK
            yield replace(metric, value=value, n=None if value is None else 1, status=found)


def _trained(reading: Evaluation) -> float:
    return reading.samples or reading.epoch or reading.step or 0.0


def _seeds(events: Events) -> list[int]:
    """Returns the distinct seeds in the log. TPU logs of v0.5 write "none"; a time is no seed."""
    found = {
        seed
        for event in events.all("seed", "run_set_random_seed")
        if (seed := whole(event.value)) is not None
    }
    return sorted(seed for seed in found if seed >= 0)


def _drawn(events: Events) -> list[str]:
    return list(
        dict.fromkeys(
            repr(found)
            for event in events.all("seed")
            if (found := number(event.value)) is not None and found % 1
        )
    )


def _logged_settings(log: Submission) -> Iterator[Setting]:
    """Yields optimiser and other settings, the first value of each; a learning rate that is logged
    at each step is in the epochs.
    """
    seen: set[str] = set()
    keys = [event for event in log.events.events if _SETTINGS.fullmatch(event.key)]
    keys += [
        event
        for event in log.events.all("train_samples")
        if log.benchmark in rules.BATCHES_AS_SAMPLES
    ]
    for event in keys:
        if event.key in seen or event.value is None or isinstance(event.value, dict):
            continue
        seen.add(event.key)
        yield Setting(event.key, plain(str(event.value))[:200])


def _batch(log: Submission) -> int | None:
    """Returns the global batch size; v0.5 writes one number that is per GPU in some logs and global
    in others.
    """
    benchmark, chips = log.benchmark, log.facts.accelerators
    if benchmark in rules.BATCH_UNITS_UNKNOWN:
        return None
    if (stated := whole(log.events.first("global_batch_size"))) is not None:
        return stated if stated > 0 else None
    logged = whole(log.events.first("input_batch_size"))
    if logged is None or logged < 1 or log.round != "v0.5":
        return None
    of = rules.BATCH_OF.get(benchmark, {}).get(log.folders[0].lower())
    if of == "system":
        return logged
    if of == "accelerator" and chips is not None:
        return logged * chips
    return _counted(log, logged)


def _counted(log: Submission, logged: int) -> int | None:
    """Returns the batch size, as logged or for each chip or core, for which the log's steps and
    epochs give the size of the data set.
    """
    samples = rules.EPOCH_SAMPLES.get(log.benchmark)
    steps = _places(log.events, "eval_iteration_accuracy", "iteration")
    epochs = _places(log.events, "eval_accuracy", "epoch")
    each_epoch = [
        step / epoch
        for value, step in steps.items()
        if step and value is not None and (epoch := epochs.get(value))
    ]
    if samples is None or not each_epoch:
        return None
    chips = log.facts.accelerators or 1
    sizes = {logged, logged * chips} | (
        {logged * chips * 2} if "tpu" in str(log.facts.accelerator).lower() else set()
    )
    fits = [
        size
        for size in sizes
        if all(abs(count * size / samples - 1) <= rules.CLOSE for count in each_epoch)
    ]
    return fits[0] if len(fits) == 1 else None


def _places(events: Events, key: str, counted: str) -> dict[float | None, float | None]:
    return {
        number(event.value.get("value")): number(event.value.get(counted))
        for event in events.all(key)
        if isinstance(event.value, dict)
    }


def _environment(log: Submission) -> Environment:
    facts, libraries = log.facts, log.libraries
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
        extra=(Setting("submission_system", log.system),),
    )


def _hardware(log: Submission) -> str | None:
    facts = log.facts
    if facts.accelerator is None:
        return None
    known = _names()
    found = rules.accelerator_of(
        log.folders[0], log.round, facts.folder or "", facts.accelerator
    ) or known.get(facts.accelerator.strip().lower())
    return found if found in known.values() else None


@cache
def _names() -> Mapping[str, str]:
    return {
        name.lower(): each.hardware
        for each in catalog.load().hardware.values()
        for name in (*each.aliases, each.name)
    }


def _string(value: Any) -> str | None:
    return plain(value) or None if isinstance(value, str) and "PLACEHOLDER" not in value else None
