"""A run such as the harness records."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

from kernels.analysis import results
from kernels.records import (
    ClockScope,
    DataKind,
    Environment,
    Epoch,
    Evaluation,
    Metric,
    Phase,
    Precision,
    Run,
    RunWarning,
    Sample,
    Setting,
    Software,
    Stat,
    Status,
    Step,
    Target,
)
from tests.makers import make_run


def own_run() -> Run:
    """A run such as the harness records: steps, evaluations, environment, a doubt."""
    return make_run(
        "digits-cnn-cpu-20261120",
        locator="file 'runs/measured/digits-cnn-cpu-20261120.parquet'",
        licence="CC0-1.0",
        credit="Touchstone, own measurement",
        system="cpu-test",
        accelerators=1,
        backend="torch",
        framework="pytorch",
        framework_version="2.13.0",
        precision=Precision.FP32,
        data=DataKind.REAL,
        augmentation=False,
        global_batch_size=64,
        clock_scope=ClockScope.TRAIN_AND_EVAL,
        started_at=datetime(2026, 11, 20, 5, 0, tzinfo=UTC),
        metrics=(
            Metric("throughput_images_per_s", 4_800.0, "images/s", n=22, stat=Stat.MEDIAN),
            Metric("final_top1", 0.975, n=1),
        ),
        steps=tuple(
            Step(index, Phase.MEASURE, index * 0.01, 0.01 + index * 1e-5) for index in range(22)
        ),
        evaluations=tuple(
            Evaluation("top1", 0.5 + index * 0.04, epoch=float(index + 1)) for index in range(12)
        ),
        software=(Software("torch", "2.13.0"),),
        doubts=(RunWarning("unstable", 0.07, 0.05), RunWarning("few_steps", 22.0, 100.0)),
        environment=Environment(
            os="Debian 12",
            cpu_model="Test CPU",
            physical_cores=2,
            memory_bytes=8_000_000_000,
            command="python -m kernels",
        ),
    )


EPOCH_S: float = 4.5
"""Seconds of an epoch of `watched_run` with its evaluation."""


def watched_run(
    seed: int = 0,
    *,
    values: tuple[float, ...] = (0.5, 0.7, 0.8),
    rates: tuple[float, ...] = (0.1, 0.1, 0.01),
    target: Target | None = None,
    batch: int = 64,
    **fields: Any,
) -> Run:
    """A run to a target of 0.75 whose sensors were read: epochs of four steps of a second and an
    evaluation of half a second.
    """
    goal = target or Target("top1", 0.75)
    phases = (Phase.COMPILE, *([Phase.WARMUP] * 3), *([Phase.MEASURE] * 4 * (len(values) - 1)))
    steps = tuple(Step(n, phase, n + 0.5 * (n // 4), 1.0, n // 4) for n, phase in enumerate(phases))
    epochs = tuple(
        Epoch(n, 4 * batch, EPOCH_S * n, 4.0, 0.5, rate, 1.0, 0.1) for n, rate in enumerate(rates)
    )
    evaluations = tuple(
        Evaluation(
            goal.metric, value, epoch=n + 1.0, time_s=EPOCH_S * (n + 1), train_time_s=4.0 * (n + 1)
        )
        for n, value in enumerate(values)
    )
    found = results.metrics(
        items="images",
        batch_size=batch,
        steps=steps,
        epochs=epochs,
        evaluations=evaluations,
        target=goal,
    )
    whole = results.wall_time(steps, epochs, evaluations)
    telemetry = tuple(
        Sample(
            n / 10 - 1,
            0,
            utilisation=0.9 if n % 2 else 1.0,
            memory_bytes=1_200_000_000 + 1_000_000 * n,
        )
        for n in range(10 * int(EPOCH_S * len(values)) + 20)
    )
    known: dict[str, Any] = {
        "run_id": f"digits-cnn-cpu-watched-b{batch}-s{seed}",
        "global_batch_size": batch,
        "status": Status.OK
        if any(value >= goal.value for value in values)
        else Status.NOT_CONVERGED,
        "seed": seed,
        "started_at": datetime(2026, 11, 20, 6, seed, tzinfo=UTC),
        "epochs_planned": float(len(values)),
        "epoch_index_base": 0,
        "wall_time_s": whole,
        "targets": (goal,),
        "metrics": found,
        "doubts": (),
    }
    missing = (Setting("telemetry_missing_power_w", "no sensor"),)
    run = own_run()
    environment = replace(run.environment or Environment(), extra=missing)
    parts = {
        "steps": steps,
        "epochs": epochs,
        "evaluations": evaluations,
        "telemetry": telemetry,
        "environment": environment,
    }
    return replace(run, **{**known, **parts, **fields})
