"""The measured window of a run: the time of its measured steps with all between them, and the
samples in it.

A median step hides what affects few steps: a loader that delivers eight batches at once and then
lets the device wait, or negative samples drawn once an epoch. Training waits for these too, so
throughput is samples over the whole window.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from kernels import metrics
from kernels.analysis import stats
from kernels.records import DataKind, Evaluation, Interval, Metric, Phase, Run, Stat, Status, Step

LEAST: Final = 2
"""Fewest measured steps for a throughput."""

ONE_STEP: Final = (
    "one step was timed, which is no measurement: give it more time with --budget, "
    "or a smaller batch"
)
"""Why a run with only one timed step is unfinished."""


def unmeasured(run: Run) -> bool:
    """Returns True if the run has neither `LEAST` timed steps nor epochs to a target."""
    return (
        not (run.epochs or run.evaluations)
        and sum(step.phase is Phase.MEASURE for step in run.steps) < LEAST
    )


def ended(run: Run) -> Run:
    """Returns the run, marked unfinished if it ended before anything was measured."""
    if run.status is Status.TIMEOUT and unmeasured(run):
        return replace(run, status=Status.UNFINISHED)
    if run.status is Status.OK and run.steps and unmeasured(run):
        return replace(run, status=Status.UNFINISHED, status_detail=ONE_STEP)
    return run


def periods(
    steps: Sequence[Step], evaluations: Sequence[Evaluation] = (), data: DataKind | None = None
) -> list[float]:
    """Returns each measured step's seconds of the window; their sum is the window.

    With data on the device, only the harness's own work is between steps and does not count.
    Otherwise a step begins where the previous one, or the evaluation after it, ended: time between
    steps belongs to the step that follows, evaluations to none.
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
            # Clocks of several processes differ a little: a step begins as it begins at the
            # latest.
            begin = min(begin, max(before.start_s + before.duration_s, evaluated or 0.0))
        found.append(step.start_s + step.duration_s - begin)
        before = step
    return found


def interval(found: Sequence[float]) -> tuple[float, float] | None:
    """Returns the interval of the mean period; None if there are too few."""
    return stats.mean_interval(found) if len(found) >= stats.LEAST_STEPS else None


def half_width(found: Sequence[float]) -> float | None:
    """Returns half that interval as a share of the mean; None without an interval."""
    ends = interval(found)
    return None if ends is None else stats.relative_half_width(*ends, stats.mean(found))


def unevenness(found: Sequence[float], times: Sequence[float]) -> float | None:
    """Returns the relative difference of mean period and median step; None without steps."""
    middle = stats.median(times) if times else 0.0
    return abs(stats.mean(found) / middle - 1) if found and middle > 0 else None


def rates(
    name: str,
    unit: str,
    batch_size: int,
    found: Sequence[float],
    more: Mapping[str, float] | None = None,
) -> Iterator[Metric]:
    """Yields samples over the window `found`, as from `periods`; nothing below `LEAST` steps.

    `more` gives other amounts per sample, such as FLOP, by metric.
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
