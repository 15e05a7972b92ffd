"""The time of a run that counts: what its measured steps took, with all that lies between them, and
how many samples went through it.

A median step leaves out what befalls few of the steps: a loader that delivers eight batches at once
and then lets the device wait, or negative samples that are drawn once an epoch. Whoever trains
waits for these too, so a throughput is samples over the whole window.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kernels import metrics
from kernels.analysis import stats
from kernels.records import DataKind, Evaluation, Interval, Metric, Phase, Run, Stat, Status, Step

LEAST: Final = 2
"""Measured steps below which there is no throughput."""

ONE_STEP: Final = (
    "one step was timed, which is no measurement: give it more time with --budget, "
    "or a smaller batch"
)
"""Why a run that timed no more than one is unfinished."""


def unmeasured(run: Run) -> bool:
    """Whether it has neither `LEAST` timed steps nor epochs to a target."""
    return (
        not (run.epochs or run.evaluations)
        and sum(step.phase is Phase.MEASURE for step in run.steps) < LEAST
    )


def ended(run: Run) -> Run:
    """The run, unfinished where it ended before anything was measured."""
    if run.status is Status.TIMEOUT and unmeasured(run):
        return replace(run, status=Status.UNFINISHED)
    if run.status is Status.OK and run.steps and unmeasured(run):
        return replace(run, status=Status.UNFINISHED, status_detail=ONE_STEP)
    return run


def periods(
    steps: Sequence[Step], evaluations: Sequence[Evaluation] = (), data: DataKind | None = None
) -> list[float]:
    """Seconds that each measured step took out of the window; together they are the window.

    Between steps on data of the device lies only the harness's own work, which does not count. Else
    a step begins where the one before it, or the evaluation after that, ended: what happens between
    steps belongs to the one that follows, evaluations to none.
    """
    ends = {
        reading.epoch: reading.time_s
        for reading in evaluations
        if reading.epoch is not None and reading.time_s is not None
    }
    if data is DataKind.SYNTHETIC_DEVICE:
        return [step.duration_s for step in steps if step.phase is Phase.MEASURE]
    found: list[float] = []
    before: Step | None = None
    for step in steps:
        if step.phase is not Phase.MEASURE:
            before = None
            continue
        begin = step.start_s
        if before is not None:
            evaluated = (
                ends.get(float(step.epoch))
                if step.epoch is not None and step.epoch != before.epoch
                else None
            )
            # Clocks of several processes are a little apart: a step begins as it begins at the
            # latest.
            begin = min(begin, max(before.start_s + before.duration_s, evaluated or 0.0))
        found.append(step.start_s + step.duration_s - begin)
        before = step
    return found


def interval(found: Sequence[float]) -> tuple[float, float] | None:
    """That of the mean period; None where there are too few."""
    return stats.mean_interval(found) if len(found) >= stats.LEAST_STEPS else None


def half_width(found: Sequence[float]) -> float | None:
    """Half that interval as a share of the mean; None without one."""
    ends = interval(found)
    return None if ends is None else stats.relative_half_width(*ends, stats.mean(found))


def unevenness(found: Sequence[float], times: Sequence[float]) -> float | None:
    """By what share the mean period is off the median step; None without steps."""
    middle = stats.median(times) if times else 0.0
    return abs(stats.mean(found) / middle - 1) if found and middle > 0 else None


def rates(
    name: str,
    unit: str,
    batch_size: int,
    found: Sequence[float],
    more: Mapping[str, float] | None = None,
) -> Iterator[Metric]:
    """Samples over the window `found`, as `periods` makes it; nothing of fewer than `LEAST` steps.

    `more` says what else one sample counts for, such as FLOP, by the metric that it goes into.
    """
    if len(found) < LEAST:
        return
    mean = stats.mean(found)
    ends = interval(found)
    kind = None if ends is None else Interval.CI95
    others = ((key, metrics.metric_unit(key) or "1", one) for key, one in (more or {}).items())
    for each, unit_of, amount in ((name, unit, 1.0), *others):
        a_step = amount * batch_size
        low, high = (None, None) if ends is None else (a_step / ends[1], a_step / ends[0])
        yield Metric(each, a_step / mean, unit_of, low, high, kind, n=len(found), stat=Stat.MEAN)
