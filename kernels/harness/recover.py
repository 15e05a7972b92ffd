"""Makes a run of its journal, and writes its file."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from kernels import catalog, store, texts
from kernels.analysis import results, window
from kernels.analysis.repetitions import SUITE
from kernels.analysis.warnings import warnings_of
from kernels.catalog.peaks import nominal
from kernels.errors import StoreError
from kernels.harness.journal import discard, read, target_of
from kernels.harness.spec import Job, job_of
from kernels.records import (
    ClockScope,
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Origin,
    Phase,
    Run,
    Setting,
    Software,
    Status,
    Step,
    Target,
)
from kernels.store import packs
from kernels.telemetry import readings
from kernels.telemetry.process import beside
from kernels.telemetry.summary import joined
from kernels.workloads import WORKLOADS

LICENCE: Final = "CC0-1.0"
CREDIT: Final = "Touchstone, own measurement"

SUITE_SIZE: Final = "suite_size"
"""Setting of a run that is part of a suite, beside its name."""

CONFIGURATION: Final = "suite_run"
"""Entry in `Environment.extra` of such a run, by which a suite knows what is done."""


def run_of(events: list[dict[str, Any]], sampled: Path | None = None) -> Run:
    """Returns the run of a journal, `unfinished` if it has no end.

    Raises:
        StoreError: A line is incomplete.
    """
    try:
        run = _run_of(events)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        name = (events[0].get("job") or {}).get("run_id")
        raise StoreError(
            f"journal of {name}: a line is damaged ({type(error).__name__}: {error})"
        ) from error
    zero = next((event for event in events if event["event"] == "clock"), None)
    watched = None if sampled is None else readings.read(sampled, zero)
    run = run if watched is None else joined(run, watched)
    run = window.ended(texts.mended(run))
    reached = run.metric("achieved_flop_per_s")
    return replace(
        run, doubts=warnings_of(run, None if reached is None else nominal(run, catalog.load()))
    )


@dataclass(slots=True)
class _Contents:
    facts: dict[str, Any]
    steps: list[Step] = field(default_factory=list)
    epochs: list[Epoch] = field(default_factory=list)
    evaluations: list[Evaluation] = field(default_factory=list)
    training: dict[str, Any] = field(default_factory=lambda: {"software": {}, "settings": {}})
    end: dict[str, Any] = field(
        default_factory=lambda: {
            "status": Status.UNFINISHED,
            "stop_reason": None,
            "detail": "the run was cut off; recovered from its journal",
        }
    )

    def add(self, values: Mapping[str, Any]) -> None:
        """Adds facts about the machine for which `Environment` has no field."""
        self.facts["extra"] = self.facts.get("extra", {}) | values

    def hear(self, event: str, values: dict[str, Any]) -> None:
        match event:
            case "steps":
                self.steps += [
                    Step(index, Phase(phase), start, duration, epoch)
                    for index, phase, start, duration, epoch in values["rows"]
                ]
            case "epoch":
                self.epochs.append(Epoch(**values))
            case "evaluation":
                self.evaluations.append(Evaluation(**values))
            case "environment":
                found = values["environment"].items()
                self.facts |= {name: value for name, value in found if value is not None}
                self.add(values["extra"])
                self.training = values
            case "facts":
                self.add(values["extra"])
            case "end" | "exit":
                self.end = values


def _contents(events: list[dict[str, Any]], job: Job) -> _Contents:
    told = _Contents(dict(events[0]["environment"]))
    for event in events[1:]:
        told.hear(event["event"], {name: value for name, value in event.items() if name != "event"})
    told.facts["foreign_cores"] = told.end.get("foreign_cores")
    if job.telemetry_hz is None:
        told.add({"telemetry": "off"})
    if job.suite is not None:
        told.add({CONFIGURATION: job.configuration()})
        settings = told.training["settings"] | {SUITE: job.suite, SUITE_SIZE: job.suite_size}
        told.training = told.training | {"settings": settings}
    return told


def _run_of(events: list[dict[str, Any]]) -> Run:
    job = job_of(events[0]["job"])
    plan = WORKLOADS[job.workload].at(job.width)
    told = _contents(events, job)
    software, end = told.training["software"], told.end
    steps, epochs = tuple(told.steps), tuple(told.epochs)
    evaluations = tuple(told.evaluations)
    target = target_of(job) if job.measure == "convergence" else None
    torch, together = job.backend == "torch", job.processes > 1
    module = plan.module.replace(".", "/") + ("" if torch else f"_{job.backend}")
    return Run(
        run_id=job.run_id,
        origin=Origin.MEASURED,
        source="measured",
        locator=f"file 'runs/measured/{job.run_id}.parquet'",
        licence=LICENCE,
        credit=CREDIT,
        workload=job.catalogued or plan.workload,
        system=job.system,
        status=Status(end["status"]),
        status_detail=end.get("detail"),
        accelerator=job.accelerator,
        accelerators=1 if job.device == "cpu" else job.processes,
        nodes=1,
        processes=job.processes,
        parallelism="synchronous_data_parallel" if together else None,
        backend=job.backend,
        framework="pytorch" if torch else job.backend,
        framework_version=software.get(job.backend),
        implementation=f"{module}.py",
        precision=job.precision,
        data=job.data,
        augmentation=job.augmentation != "none",
        global_batch_size=job.batch_size,
        seed=job.seed,
        repeat_index=job.repeat_index,
        train_samples=job.train_samples or plan.train_samples,
        epochs_planned=float(job.epochs) if target else None,
        epoch_index_base=0,
        clock_scope=ClockScope.TRAIN_AND_EVAL if target else ClockScope.TRAIN_ONLY,
        started_at=datetime.fromisoformat(job.started_at).astimezone(UTC),
        wall_time_s=results.wall_time(steps, epochs, evaluations),
        stop_reason=end.get("stop_reason"),
        metrics=_metrics(job, told, plan.items, target),
        targets=(target,) if target else (),
        steps=steps,
        epochs=epochs,
        evaluations=evaluations,
        software=tuple(Software(*each) for each in software.items()),
        settings=tuple(Setting(*each) for each in told.training["settings"].items()),
        environment=_environment(told.facts),
    )


def _metrics(job: Job, told: _Contents, items: str, target: Target | None) -> tuple[Metric, ...]:
    status, end = Status(told.end["status"]), told.end
    done = (Status.OK, Status.NOT_CONVERGED)
    return results.metrics(
        items=items,
        batch_size=job.batch_size,
        steps=tuple(told.steps),
        epochs=tuple(told.epochs),
        evaluations=tuple(told.evaluations),
        target=target,
        missed=Status.NOT_CONVERGED if status in (*done, Status.DIVERGED) else status,
        ended=status in done,
        peak_memory_bytes=end.get("peak_memory_bytes"),
        queued_share=end.get("queued_share"),
        data_wait_share=end.get("data_wait_share"),
        rates=told.training.get("rates"),
        data=job.data,
    )


def _environment(facts: Mapping[str, Any]) -> Environment:
    extra = tuple(Setting(name, str(value)) for name, value in facts.get("extra", {}).items())
    known = {each.name: facts[each.name] for each in fields(Environment) if each.name in facts}
    return Environment(**known | {"extra": extra})


def keep(path: Path, runs: Path, unwritten: str | None = None) -> Run:
    """Turns a journal into a file of `runs/measured/`, if it is not there, and removes the journal.

    `unwritten` is why it has no end, and becomes the run's status. If this fails, the journal
    stays.
    """
    events = read(path)
    if unwritten is not None and not any(event["event"] in {"end", "exit"} for event in events):
        detail = re.sub(r"(?:/[\w.+-]+)+/", "", unwritten)
        events.append(
            {
                "event": "exit",
                "status": Status.FAILED.value,
                "detail": detail,
                "stop_reason": Status.FAILED.value,
            }
        )
    run = run_of(events, beside(path))
    target = runs / "measured" / f"{run.run_id}.parquet"
    # left by a writer killed at this file
    for left in target.parent.glob(f".{target.name}.*.tmp"):
        left.unlink(missing_ok=True)
    if not target.exists() and not packs.holds(target.parent, run.run_id):
        try:
            store.write(target, [run])
        except StoreError as error:
            raise StoreError(
                f"{error}; the run is safe in {path}: then `python -m kernels recover`"
            ) from error
    discard(path)
    return run
