"""What a run recorded, summed up: windows, percentiles, parts of its time, and targets."""

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

import pytest

from kernels.analysis import results, stats, window
from kernels.records import (
    DataKind,
    Direction,
    Evaluation,
    Interval,
    Metric,
    Phase,
    Stat,
    Status,
    Step,
    Target,
)

GOAL = Target("top1", 0.9)


def metrics(steps: tuple[Step, ...] = (), **fields: Any) -> dict[str, Metric]:
    """Figures by key."""
    usual = {"items": "images", "batch_size": 10, "epochs": (), "evaluations": (), "target": GOAL}
    found = results.metrics(**{"steps": steps, "peak_memory_bytes": 7, **usual, **fields})
    return {metric.key: metric for metric in found}


def measured(*seconds: float) -> tuple[Step, ...]:
    """Measured steps of these lengths."""
    return tuple(
        Step(index, Phase.MEASURE, start, each)
        for index, (start, each) in enumerate(zip(starts(seconds), seconds, strict=True))
    )


def test_throughput_is_samples_over_the_whole_window() -> None:
    """Batches of 10 in 0.5, 0.4, 0.1 + 9 s are 30 images in 10 s; three have no interval."""
    steps = tuple(
        Step(index, Phase.MEASURE, *when)
        for index, when in enumerate(((2.0, 0.5), (2.5, 0.4), (3.0, 9.0)))
    )
    found = metrics(steps)["throughput_images_per_s"]

    assert found.value == pytest.approx(3.0)
    assert (found.low, found.interval, found.n, found.stat) == (None, None, 3, Stat.MEAN)
    assert metrics(steps)["step_time_s"].value == 0.5


def test_a_loader_that_stalls_in_bursts_is_not_hidden() -> None:
    """50 ms, before each eighth 0.6 s: 44 of batch 256 in 5.2 s are 2,166/s, not 5,120."""
    lengths = [0.65 if index % 8 == 7 else 0.05 for index in range(44)]
    steps = tuple(
        Step(index, Phase.MEASURE, start, each)
        for index, (start, each) in enumerate(zip(starts(lengths), lengths, strict=True))
    )
    found = results.metrics(
        items="images", batch_size=256, steps=steps, epochs=(), evaluations=(), target=None
    )
    rate = next(metric for metric in found if metric.name == "throughput_images_per_s")

    assert rate.value == pytest.approx(44 * 256 / 5.2) and round(rate.value or 0) == 2166
    assert (
        rate.low is not None
        and rate.high is not None
        and rate.low < 2048
        and 2166 < rate.high < 5120
    )
    assert next(metric.value for metric in found if metric.name == "step_time_s") == 0.05


def starts(lengths: Sequence[float]) -> list[float]:
    """When steps begin that follow each other."""
    return [0.0, *accumulate(lengths)][:-1]


def test_evaluations_lie_outside_of_the_window_and_shuffling_within() -> None:
    """0.5 s of shuffling before the second epoch count, the 10 s of its evaluation do not."""
    places = (
        (0, Phase.WARMUP, 0.0),
        (1, Phase.MEASURE, 1.0),
        (2, Phase.MEASURE, 12.5),
        (3, Phase.MEASURE, 13.5),
    )
    steps = tuple(Step(index, phase, start, 1.0, index // 2) for index, phase, start in places)
    reading = Evaluation("top1", 0.5, epoch=1.0, time_s=12.0, train_time_s=2.0)

    assert window.periods(steps, [reading]) == [1.0, 1.5, 1.0]
    assert window.periods(steps) == [1.0, 11.5, 1.0]


def test_work_between_steps_on_data_of_the_device_is_the_harness_s_own() -> None:
    """Of 0.25 s between steps a loader may have its part, data on the device do not."""
    steps = tuple(Step(index, Phase.MEASURE, 1.25 * index, 1.0, 0) for index in range(4))

    assert window.periods(steps, data=DataKind.SYNTHETIC_DEVICE) == [1.0, 1.0, 1.0, 1.0]
    assert window.periods(steps, data=DataKind.SYNTHETIC_HOST) == [1.0, 1.25, 1.25, 1.25]


def test_a_single_timed_step_is_no_throughput() -> None:
    """The step keeps its time, and nothing is said of samples a second."""
    found = metrics(measured(0.5))

    assert found["step_time_s"].value == 0.5 and not [
        name for name in found if name.startswith("throughput_")
    ]


def test_a_sample_may_count_for_something_else_too() -> None:
    """Two samples of 5e9 operations in 0.5 s are 20 GFLOP/s, with the throughput's interval."""
    two = {"items": "samples", "batch_size": 2, "target": None}
    few = metrics(measured(0.5, 0.5), rates={"achieved_flop_per_s": 5e9}, **two)
    many = metrics(measured(*[0.5, 0.4] * 20), rates={"copy_bytes_per_s": 10.0}, **two)
    flop, copied = few["achieved_flop_per_s"], many["copy_bytes_per_s"]

    assert (flop.value, flop.unit, flop.interval) == (2e10, "FLOP/s", None)
    assert (
        copied.low is not None
        and copied.high is not None
        and 40 < copied.low < 20 / 0.45 < copied.high < 50
    )
    assert copied.value == pytest.approx(20 / 0.45)
    assert (copied.unit, copied.interval) == ("byte/s", Interval.CI95)


def test_every_quality_has_its_end_and_its_best() -> None:
    """Beside the one that the run was timed to; only that one has a time."""
    other = [
        Evaluation("auc", value, epoch=float(epoch))
        for epoch, value in enumerate((0.5, 0.8, 0.7), 1)
    ]
    found = metrics(evaluations=(*readings(0.1, 0.95), *other)).values()
    values = {metric.name: metric.value for metric in found}

    assert (values["final_auc"], values["best_auc"], values["best_auc_epoch"]) == (0.7, 0.8, 2.0)
    assert values["final_accuracy"] == 0.95
    assert sum(metric.target is not None for metric in found) == 6


def test_twenty_steps_have_intervals() -> None:
    """The step time's median, the throughput's mean turned over; nineteen have none."""
    lengths = [0.5 + 0.01 * (index % 7) for index in range(20)]
    found = metrics(measured(*lengths))
    step, rate = found["step_time_s"], found["throughput_images_per_s"]
    low, high = stats.mean_interval(window.periods(measured(*lengths)))

    assert (step.interval, step.low, step.high) == ("ci95", *stats.bootstrap_interval(lengths))
    assert (rate.interval, rate.low, rate.high) == (Interval.CI95, 10 / high, 10 / low)
    assert metrics(measured(*lengths[:19]))["throughput_images_per_s"].interval is None


def test_percentiles_are_given_where_a_step_lies_beyond_them() -> None:
    """Twenty steps have a 95th percentile and no 99th; a hundred have one."""
    few = metrics(measured(*map(float, range(20))))
    many = metrics(measured(*map(float, range(100))))

    assert "step_time_p95_s" in few and "step_time_p99_s" not in few
    assert many["step_time_p50_s"].value == 49.5
    assert many["step_time_p90_s"].value == 89.1
    assert many["step_time_p99_s"].value == 98.01
    assert many["step_time_p50_s"].value == many["step_time_s"].value


def readings(*values: float) -> tuple[Evaluation, ...]:
    """Evaluations after each epoch of 100 samples and 10 s."""
    return tuple(
        Evaluation("top1", value, epoch=index, samples=100 * index, time_s=10.0 * index)
        for index, value in enumerate(values, 1)
    )


def test_first_hit_and_sustained_hit_are_two_figures() -> None:
    """0.91, 0.85, 0.95: reached after one epoch, held from the third on."""
    found = metrics(evaluations=readings(0.91, 0.85, 0.95))

    assert found["epochs_to_target@0.9"].value == 1
    assert found["epochs_to_target_sustained@0.9"].value == 3
    assert (found["final_accuracy"].value, found["best_accuracy_epoch"].value) == (0.95, 3)


def test_of_a_run_that_broke_off_nobody_knows_whether_a_target_held() -> None:
    """Reached stays; killed or diverged after it has no sustained hit, for that reason."""
    found = {
        each.name: each
        for each in results.quality(GOAL, list(readings(0.5, 0.95)), Status.KILLED, ended=False)
    }

    assert (found["time_to_target_s"].value, found["time_to_target_s"].status) == (20.0, Status.OK)
    assert found["time_to_target_sustained_s"].value is None
    assert found["time_to_target_sustained_s"].status == Status.KILLED


def test_a_missed_target_is_null_with_its_status() -> None:
    """Not converged where the run was complete, unfinished where it was cut off; never 0."""
    for status in (Status.NOT_CONVERGED, Status.UNFINISHED):
        found = metrics(evaluations=readings(0.5, 0.6), missed=status)["time_to_target_s@0.9"]
        assert (found.value, found.status) == (None, status)


def test_less_is_better_for_a_loss() -> None:
    """The best loss is the smallest, and a target is reached from above."""
    goal = Target("loss", 0.925, Direction.AT_MOST)
    found = {
        each.name: each
        for each in results.quality(
            goal,
            [Evaluation("loss", value, samples=n) for n, value in enumerate((0.94, 0.92, 0.93))],
            Status.NOT_CONVERGED,
        )
    }

    assert found["best_loss"].value == 0.92
    assert found["samples_to_target"].value == 1
    assert found["samples_to_target_sustained"].status is Status.NOT_CONVERGED
