"""Synthetic submissions to rounds of a benchmark: runs as an importer of logs makes them."""

import dataclasses
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Final

from kernels.records import (
    DataKind,
    Direction,
    Evaluation,
    Metric,
    Origin,
    Run,
    SourceKind,
    Status,
    Target,
)
from kernels.store import Archive
from tests.makers import make_run, make_source


def submission(
    round_: str,
    year: int,
    minutes: Sequence[float | None],
    epochs: Sequence[float | None],
    *,
    goal: float = 0.749,
    **more: object,
) -> list[Run]:
    """Runs of Toyco on 8 x V100, one for each time; None did not reach its target.

    A run starts for a minute, then all its epochs take as long; it is evaluated after the first and
    after the last two.
    """
    target = Target("top1", goal, Direction.AT_LEAST)
    made = []
    for index, (time, count) in enumerate(zip(minutes, epochs, strict=True)):
        status = Status.OK if time else Status.NOT_CONVERGED
        run = make_run(
            f"mlperf-{round_}-toyco-box-resnet-{index}",
            origin=Origin.IMPORTED,
            source=f"mlperf-{round_}-toyco",
            locator=f"file 'training_results_{round_}/toyco/results/box/resnet/result_{index}.txt'",
            licence="Apache-2.0",
            credit=f"MLPerf {round_} Training, closed, Toyco, box; unverified",
            workload="resnet50-imagenet",
            system="nvidia-dgx-1",
            status=status,
            accelerator="v100-sxm2-16gb",
            accelerators=8,
            framework="mxnet",
            data=DataKind.REAL,
            seed=index,
            repeat_index=index,
            started_at=datetime(year, 11, 1, tzinfo=UTC),
            wall_time_s=60 * (time or 200.0),
            submitter="Toyco",
            round=round_,
            division="closed",
            targets=(target,),
            evaluations=read(60.0 * time, count, target) if time and count else (),
            metrics=(Metric("epochs_to_target", count, "epochs", target=target, status=status),),
        )
        made.append(dataclasses.replace(run, **more))  # type: ignore[arg-type]  # by name
    return made


START: Final = 60.0
"""Seconds before the first epoch."""


def read(seconds: float, epochs: float, target: Target) -> tuple[Evaluation, ...]:
    """The evaluations of a run of so many seconds."""
    pace = (seconds - START) / epochs
    places = sorted({1.0, epochs - 1.0, epochs})
    return tuple(
        Evaluation(
            target.metric,
            target.value if at == epochs else target.value / 2,
            epoch=at,
            time_s=START + pace * at,
        )
        for at in places
    )


def archive(*runs: Run) -> Archive:
    """Runs with their sources."""
    sources = dict.fromkeys((run.source, str(run.submitter)) for run in runs)
    return Archive(
        runs=runs,
        sources=tuple(
            make_source(
                source, kind=SourceKind.LOGS, title=source, licence="Apache-2.0", credit=submitter
            )
            for source, submitter in sources
        ),
    )


OLD = submission("v0.5", 2018, (100.0, 110.0, 120.0, 130.0, None), (60.0, 60.0, 61.0, 64.0, None))
NEW = submission(
    "v0.6",
    2019,
    (80.0, 81.0, 82.0, 83.0, 90.0),
    (40.0, 40.0, 41.0, 41.0, 45.0),
    goal=0.759,
    framework_version="1.5",
)
