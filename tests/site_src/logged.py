"""Runs as logs of a benchmark's rounds give them: a submission of several runs, with curves that
end at their target.
"""

from datetime import UTC, datetime, timedelta
from zlib import crc32

from kernels.records import Evaluation, Metric, Origin, Run, Status, Target
from tests.makers import make_run

GNMT = "gnmt-wmt-en-de"
RESNET = "resnet50-imagenet"


def submission(
    *epochs: float | None,
    workload: str = RESNET,
    system: str = "nvidia-dgx-1",
    accelerator: str = "v100-sxm2-16gb",
    target: Target | None = None,
    round_: str = "v0.5",
    framework: str = "tensorflow",
    minutes: float = 60.0,
) -> list[Run]:
    """One run for each number of epochs to the target, an epoch of which takes as many minutes;
    None did not reach it in three epochs.

    Qualities rise by halves of what is missing to the target, which the last one reaches; run 1 is
    a little better than run 0.
    """
    goal = target or Target("top1", 0.749)
    runs = []
    for number, reached in enumerate(epochs):
        last = round(reached or 3)
        read = tuple(
            Evaluation(
                goal.metric,
                goal.value + 0.001
                if reached and epoch == last
                else goal.value * (1 - 0.5**epoch) + number / 1000,
                epoch=float(epoch),
                time_s=60 * minutes * epoch,
                locator=f"file '{round_}/{system}/{workload}/result_{number}.txt', line {epoch}",
            )
            for epoch in range(1, last + 1)
        )
        status = Status.OK if reached else Status.NOT_CONVERGED
        time = 60 * minutes * reached if reached else None
        runs.append(
            make_run(
                f"mlperf-{round_}-{system}-{workload}-{number}",
                origin=Origin.IMPORTED,
                source=f"mlperf-{round_}-someone",
                locator=f"file '{round_}/{system}/{workload}/result_{number}.txt'",
                licence="Apache-2.0",
                credit="MLPerf Training",
                workload=workload,
                system=system,
                status=status,
                accelerator=accelerator,
                accelerators=8,
                framework=framework,
                framework_version="1.12",
                global_batch_size=2048,
                repeat_index=number,
                # no two are measured at once
                started_at=datetime(2018, 11, 8, tzinfo=UTC)
                + timedelta(seconds=crc32(f"{round_} {system}".encode()) % 80_000),
                wall_time_s=time or 180 * minutes,
                submitter="Someone",
                round=round_,
                division="closed",
                targets=(goal,),
                metrics=(
                    Metric("epochs_to_target", reached, "epochs", n=1, target=goal, status=status),
                    Metric("time_to_target_s", time, "s", n=1, target=goal, status=status),
                ),
                evaluations=read,
            )
        )
    return runs
