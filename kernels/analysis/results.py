"""Sums up a recorded run: times, throughput, and the quality that it reached."""

import math
import statistics
from collections.abc import Iterator, Mapping
from typing import Final

from kernels.analysis import stats, window
from kernels.records import (
    DataKind,
    Direction,
    Epoch,
    Evaluation,
    Interval,
    Metric,
    Phase,
    Stat,
    Status,
    Step,
    Target,
)
from kernels.units import Seconds

PERCENTS: Final = (50, 90, 95, 99)
"""Percentiles of the step time that are recorded."""

NAMES: Final = {"top1": "accuracy"}
"""Metrics whose figures have another name: `final_accuracy` is the last `top1`."""


def hit(target: Target, value: float) -> bool:
    """Returns True if a reading reaches the target."""
    return (
        value >= target.value if target.direction is Direction.AT_LEAST else value <= target.value
    )


def metrics(
    *,
    items: str,
    batch_size: int,
    steps: tuple[Step, ...],
    epochs: tuple[Epoch, ...],
    evaluations: tuple[Evaluation, ...],
    target: Target | None,
    missed: Status = Status.NOT_CONVERGED,
    ended: bool = True,
    peak_memory_bytes: int | None = None,
    queued_share: float | None = None,
    data_wait_share: float | None = None,
    rates: Mapping[str, float] | None = None,
    data: DataKind | None = None,
) -> tuple[Metric, ...]:
    """Sums a run up from recorded events alone, so that a recovered one gets the same figures.

    Args:
        items: `images`, `samples` or `tokens`: names the throughput.
        batch_size: Samples a step.
        steps: Only measured steps count for step time, and their window for throughput.
        epochs: Finished epochs.
        evaluations: Readings, in order.
        target: Target of a convergence run; None for a throughput run.
        missed: Status of a target that was not reached: `unfinished` if the run was cut off.
        ended: False if the run was cut off; then no target held.
        peak_memory_bytes: None where the process died before it was read.
        queued_share: As in `Outcome`.
        data_wait_share: As in `Outcome`; a convergence run derives it from its epochs.
        rates: Amount per sample, by the name of the metric.
        data: Decides what happens between steps (`window.periods`).
    """
    found = [*_of_steps(steps)]
    if found:
        found += window.rates(
            f"throughput_{items}_per_s",
            f"{items}/s",
            batch_size,
            window.periods(steps, evaluations, data),
            rates,
        )
    found += [*_of_epochs(epochs), *_parts(steps, epochs, evaluations)]
    if target is not None:
        found += _whole(epochs)
        found += _readings(target, evaluations, missed, ended=ended)
    elif data_wait_share is not None:
        found.append(Metric("data_wait_share", data_wait_share, n=1))
    if peak_memory_bytes is not None:
        found.append(Metric("peak_memory_bytes", peak_memory_bytes, "byte", n=1, stat=Stat.MAX))
    if queued_share is not None:
        found.append(Metric("queued_share", queued_share, n=1))
    return tuple(found)


def _of_steps(steps: tuple[Step, ...]) -> Iterator[Metric]:
    times = [step.duration_s for step in steps if step.phase is Phase.MEASURE]
    if not times:
        return
    middle = statistics.median(times)
    low, high = stats.bootstrap_interval(times) if len(times) >= stats.LEAST_STEPS else (None, None)
    kind = None if low is None else Interval.CI95
    yield Metric("step_time_s", middle, "s", low, high, kind, n=len(times), stat=Stat.MEDIAN)
    yield from _percentiles(times)
    if steps[0].phase is Phase.COMPILE:
        yield Metric("compile_time_s", max(0.0, steps[0].duration_s - middle), "s", n=1)


def _of_epochs(epochs: tuple[Epoch, ...]) -> Iterator[Metric]:
    durations = [epoch.duration_s for epoch in epochs if epoch.duration_s is not None]
    if durations:
        yield Metric("first_epoch_s", durations[0], "s", n=1)
    if others := durations[1:]:
        middle = statistics.median(others)
        yield Metric("median_epoch_s", middle, "s", n=len(others), stat=Stat.MEDIAN)


def _readings(
    target: Target, evaluations: tuple[Evaluation, ...], missed: Status, *, ended: bool
) -> Iterator[Metric]:
    by_metric: dict[str, list[Evaluation]] = {target.metric: []}
    for evaluation in evaluations:
        by_metric.setdefault(evaluation.metric, []).append(evaluation)
    yield from quality(target, by_metric.pop(target.metric), missed, ended=ended)
    for metric, readings in by_metric.items():
        yield from _ends(metric, target.direction, readings)


def _percentiles(times: list[float]) -> Iterator[Metric]:
    """Yields the percentiles with at least one step beyond: the 99th needs a hundred steps."""
    for percent in PERCENTS:
        if len(times) * (100 - percent) >= 100:  # noqa: PLR2004 - what per cent means
            stat = Stat.MEDIAN if percent == 50 else Stat.NOT_STATED  # noqa: PLR2004 - the middle
            value = stats.percentile(times, percent)
            yield Metric(f"step_time_p{percent}_s", value, "s", n=len(times), stat=stat)


def wall_time(
    steps: tuple[Step, ...], epochs: tuple[Epoch, ...], evaluations: tuple[Evaluation, ...]
) -> Seconds | None:
    """Returns the seconds from the first step to the last step or evaluation; None without any."""
    ends = [step.start_s + step.duration_s for step in steps[-1:]]
    ends += [reading.time_s or 0.0 for reading in evaluations[-1:]]
    # An epoch whose loss is NaN has no reading, but its evaluation took time.
    ends += [
        (epoch.start_s or 0.0) + (epoch.duration_s or 0.0) + (epoch.evaluation_s or 0.0)
        for epoch in epochs[-1:]
    ]
    return Seconds(max(ends)) if ends else None


def _parts(
    steps: tuple[Step, ...], epochs: tuple[Epoch, ...], evaluations: tuple[Evaluation, ...]
) -> Iterator[Metric]:
    whole = wall_time(steps, epochs, evaluations)
    if whole is None or not steps:
        return
    evaluating = math.fsum(epoch.evaluation_s or 0.0 for epoch in epochs)
    for phase, name in (
        (Phase.COMPILE, "first_step_s"),
        (Phase.WARMUP, "warmup_time_s"),
        (Phase.MEASURE, "measured_time_s"),
    ):
        if spent := [step.duration_s for step in steps if step.phase is phase]:
            yield Metric(name, math.fsum(spent), "s", n=len(spent))
    rest = whole - evaluating - math.fsum(step.duration_s for step in steps)
    yield Metric("rest_time_s", max(0.0, rest), "s", n=1)


def _whole(epochs: tuple[Epoch, ...]) -> Iterator[Metric]:
    evaluating = math.fsum(epoch.evaluation_s or 0.0 for epoch in epochs)
    training = math.fsum(epoch.duration_s or 0.0 for epoch in epochs)
    if training > 0:
        waiting = math.fsum(epoch.data_wait_s or 0.0 for epoch in epochs)
        yield Metric("train_time_s", training + evaluating, "s", n=1)
        yield Metric("evaluation_time_s", evaluating, "s", n=1)
        yield Metric("data_wait_share", waiting / training, n=1)


def _ends(metric: str, direction: Direction, readings: list[Evaluation]) -> Iterator[Metric]:
    name = NAMES.get(metric, metric)
    better = max if direction is Direction.AT_LEAST else min
    best = better(readings, key=lambda reading: reading.value)
    yield Metric(f"final_{name}", readings[-1].value, n=1)
    yield Metric(
        f"best_{name}", best.value, n=len(readings), stat=Stat.MAX if better is max else Stat.MIN
    )
    if best.epoch is not None:
        yield Metric(f"best_{name}_epoch", best.epoch, "epochs", n=1)


def quality(
    target: Target, readings: list[Evaluation], missed: Status, *, ended: bool = True
) -> Iterator[Metric]:
    """Yields final and best reading, and when the target was first reached and from when on it
    held.

    A missed target gives null with the status `missed`; if the run was cut off, it is unknown
    whether the target held.
    """
    if not readings:
        return
    yield from _ends(target.metric, target.direction, readings)
    reached = [hit(target, reading.value) for reading in readings]
    first = readings[reached.index(True)] if any(reached) else None
    after = len(reached) - [*reached[::-1], False].index(False)
    held = readings[after] if ended and after < len(readings) else None
    for suffix, reading in (("", first), ("_sustained", held)):
        for metric, unit, field in (
            (f"epochs_to_target{suffix}", "epochs", "epoch"),
            (f"samples_to_target{suffix}", "samples", "samples"),
            (f"time_to_target{suffix}_s", "s", "time_s"),
        ):
            value = getattr(reading, field, None)
            found = Status.NOT_REPORTED if value is None else Status.OK
            status = missed if reading is None else found
            n = None if value is None else 1
            yield Metric(metric, value, unit, n=n, target=target, status=status)
