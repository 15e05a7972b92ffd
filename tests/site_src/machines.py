"""Runs of one machine as the harness records them, small enough to count by hand."""

import dataclasses
from datetime import UTC, datetime, timedelta
from typing import Any, Final

from kernels import catalog
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import (
    DataKind,
    Environment,
    Interval,
    Metric,
    Precision,
    Run,
    Setting,
    Stat,
    Status,
    Target,
)
from kernels.store import Archive
from site_src.evidence import Evidence
from tests.makers import make_run

SYSTEM: Final = "cpu-toy-2c"
RATE: Final = "throughput_images_per_s"
FLOP: Final = "achieved_flop_per_s"
GOAL: Final = Target("top1", 0.9)

HERE: Final = Environment(
    os="Debian 12",
    cpu_model="Toy CPU",
    physical_cores=2,
    memory_bytes=8_000_000_000,
    threads=2,
    allocator="tuned",
    compile_mode="eager",
    memory_format="channels_last",
    deterministic=False,
    command="python -m kernels run cnn10",
)


def a_run(
    name: str,
    value: float | None = 100.0,
    half: float | None = 1.0,
    *,
    set_: dict[str, Any] | None = None,
    **fields: Any,
) -> Run:
    """A run of CNN-10 on synthetic data at a batch of 128, with a throughput and, where `half` says
    how wide, its interval.

    Args:
        name: Its id; later names are later runs.
        value: Images a second; None for a run that has none.
        half: Half the interval's width; None for too few steps.
        set_: Fields of its environment.
        fields: Fields of the run.
    """
    low, high = (None, None) if half is None or value is None else (value - half, value + half)
    interval = None if low is None else Interval.CI95
    count = 50 if interval else 7
    metrics = (
        ()
        if value is None
        else (Metric(RATE, value, "images/s", low, high, interval, n=count, stat=Stat.MEDIAN),)
    )
    run = make_run(
        name,
        locator=f"file 'runs/measured/{name}.parquet'",
        licence="CC0-1.0",
        credit="Touchstone, own measurement",
        workload="cnn10-cifar10",
        system=SYSTEM,
        accelerators=1,
        processes=1,
        backend="torch",
        framework="pytorch",
        framework_version="2.13.0",
        precision=Precision.FP32,
        data=DataKind.SYNTHETIC_DEVICE,
        augmentation=False,
        global_batch_size=128,
        started_at=datetime(2026, 11, 20, tzinfo=UTC) + timedelta(seconds=sum(map(ord, name))),
        metrics=metrics,
        environment=dataclasses.replace(HERE, **(set_ or {})),
    )
    return dataclasses.replace(run, **fields)


def seeded(seed: int, seconds: float | None) -> Run:
    """A run of CNN-10 on real data to a top-1 accuracy of 0.9, which it reached after so many
    seconds; None for never.
    """
    status = Status.OK if seconds else Status.NOT_CONVERGED
    hit = Metric(
        "time_to_target_s", seconds, "s", n=1 if seconds else None, target=GOAL, status=status
    )
    speed = Metric(RATE, 90.0, "images/s", n=7, stat=Stat.MEDIAN)
    return a_run(
        f"seed-{seed}",
        seed=seed,
        data=DataKind.REAL,
        status=status,
        targets=(GOAL,),
        metrics=(speed, hit),
    )


def computing(name: str, workload: str, flop: float, **fields: Any) -> Run:
    """A run of which the arithmetic is known."""
    metrics = (
        Metric(RATE, 1.0, "images/s", n=50, stat=Stat.MEDIAN),
        Metric(FLOP, flop, "FLOP/s", flop, flop, Interval.CI95, n=50, stat=Stat.MEDIAN),
    )
    return a_run(name, workload=workload, metrics=metrics, **fields)


def of_suite(run: Run, suite: str, size: str) -> Run:
    """The run as part of a suite."""
    return dataclasses.replace(
        run, settings=(*run.settings, Setting("suite", suite), Setting("suite_size", size))
    )


def evidence(*runs: Run) -> Evidence:
    """The runs beside the catalogue."""
    return Evidence(Archive(runs=runs), known())


def facts(*runs: Run) -> Facts:
    """Their figures."""
    return evidence(*runs).facts


def known() -> Catalog:
    """The catalogue of the repository."""
    return catalog.load()
