"""From a journal to the run that it tells of, and to its file."""

from collections.abc import Mapping
from dataclasses import fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from kernels import measure, store
from kernels.doubts import doubts
from kernels.errors import StoreError
from kernels.journal import job_of, read, target_of
from kernels.records import (
    ClockScope,
    Environment,
    Epoch,
    Evaluation,
    Origin,
    Phase,
    Run,
    Setting,
    Software,
    Status,
    Step,
)
from kernels.workloads import WORKLOADS

LICENCE: Final = "CC0-1.0"
CREDIT: Final = "Touchstone, own measurement"


def run_of(events: list[dict[str, Any]]) -> Run:
    """The run that a journal tells of; `unfinished` where nobody wrote its end.

    Raises:
        StoreError: A line lacks what its kind must have.
    """
    try:
        return _run_of(events)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        name = (events[0].get("job") or {}).get("run_id")
        raise StoreError(f"journal of {name}: a line is damaged ({type(error).__name__}: {error})") from error


def _run_of(events: list[dict[str, Any]]) -> Run:
    job = job_of(events[0]["job"])
    plan = WORKLOADS[job.workload]
    steps: list[Step] = []
    epochs: list[Epoch] = []
    evaluations: list[Evaluation] = []
    facts: dict[str, Any] = dict(events[0]["environment"])
    told: dict[str, Any] = {"software": {}, "settings": {}}
    end: dict[str, Any] = {"status": Status.UNFINISHED, "stop_reason": None, "detail": "the run was cut off; recovered from its journal"}
    for event in events[1:]:
        values = {name: value for name, value in event.items() if name != "event"}
        match event["event"]:
            case "steps":
                steps += [Step(index, Phase(phase), start, duration, epoch) for index, phase, start, duration, epoch in values["rows"]]
            case "epoch":
                epochs.append(Epoch(**values))
            case "evaluation":
                evaluations.append(Evaluation(**values))
            case "environment":
                facts |= {name: value for name, value in values["environment"].items() if value is not None}
                facts["extra"] = facts.get("extra", {}) | values["extra"]
                told = values
            case "end" | "exit":
                end = values
    status = Status(end["status"])
    target = target_of(job) if job.measure == "convergence" else None
    ends = [step.start_s + step.duration_s for step in steps[-1:]] + [reading.time_s or 0.0 for reading in evaluations[-1:]]
    facts["foreign_cores"] = end.get("foreign_cores")
    run = Run(
        run_id=job.run_id,
        origin=Origin.MEASURED,
        source="measured",
        locator=f"file 'runs/measured/{job.run_id}.parquet'",
        licence=LICENCE,
        credit=CREDIT,
        workload=plan.workload,
        system=job.system,
        status=status,
        status_detail=end.get("detail"),
        accelerator=job.accelerator,
        accelerators=1,
        nodes=1,
        processes=1,
        backend=job.backend,
        framework="pytorch" if job.backend == "torch" else job.backend,
        framework_version=told["software"].get("torch"),
        implementation=f"kernels/workloads/{job.workload}.py",
        precision=job.precision,
        data=job.data,
        augmentation=False,
        global_batch_size=job.batch_size,
        seed=job.seed,
        repeat_index=job.repeat_index,
        train_samples=plan.train_samples,
        epochs_planned=float(job.epochs) if target else None,
        epoch_index_base=0,
        clock_scope=ClockScope.TRAIN_AND_EVAL if target else ClockScope.TRAIN_ONLY,
        started_at=datetime.fromisoformat(job.started_at).astimezone(UTC),
        wall_time_s=max(ends, default=None),
        stop_reason=end.get("stop_reason"),
        metrics=measure.metrics(
            items=plan.items,
            batch_size=job.batch_size,
            steps=tuple(steps),
            epochs=tuple(epochs),
            evaluations=tuple(evaluations),
            target=target,
            missed=Status.NOT_CONVERGED if status in (Status.OK, Status.NOT_CONVERGED, Status.DIVERGED) else status,
            peak_memory_bytes=end.get("peak_memory_bytes"),
        ),
        targets=(target,) if target else (),
        steps=tuple(steps),
        epochs=tuple(epochs),
        evaluations=tuple(evaluations),
        software=tuple(Software(name, version) for name, version in told["software"].items()),
        settings=tuple(Setting(name, value) for name, value in told["settings"].items()),
        environment=_environment(facts),
    )
    return replace(run, doubts=doubts(run))


def _environment(facts: Mapping[str, Any]) -> Environment:
    known = {each.name for each in fields(Environment)} - {"extra"}
    extra = tuple(Setting(name, str(value)) for name, value in facts.get("extra", {}).items())
    return Environment(**{name: value for name, value in facts.items() if name in known}, extra=extra)


def keep(path: Path, runs: Path) -> Run:
    """Turn a journal into a file of `runs/measured/`, then remove it; where that file is there already, only remove it.

    Raises:
        StoreError: The journal is damaged or the folder cannot be written to; the journal stays.
    """
    run = run_of(read(path))
    target = runs / "measured" / f"{run.run_id}.parquet"
    if not target.exists():
        store.write(target, [run])
    path.unlink()
    return run
