"""Runs of older files are handed out as of today, whatever their age."""

from dataclasses import replace

import pytest

from kernels.analysis.window import ONE_STEP
from kernels.records import (
    Evaluation,
    Metric,
    Origin,
    Phase,
    Run,
    RunWarning,
    Stat,
    Status,
    Step,
    Target,
)
from kernels.store.lift import lifted
from tests.makers import make_run


def old(lengths: list[float], *more: Metric, **fields: object) -> Run:
    """Batch 10 as recorded until schema 1.3: ten over the median step, whatever lay between."""
    places = [sum(lengths[:index]) for index in range(len(lengths))]
    steps = tuple(
        Step(index, Phase.MEASURE, start, each, 0)
        for index, (start, each) in enumerate(zip(places, lengths, strict=True))
    )
    middle = sorted(lengths)[len(lengths) // 2]
    step_time = Metric("step_time_s", middle, "s", n=len(lengths), stat=Stat.MEDIAN)
    rate = Metric(
        "throughput_images_per_s", 10 / middle, "images/s", n=len(lengths), stat=Stat.MEDIAN
    )
    usual = {"steps": steps, "metrics": (step_time, rate, *more), "global_batch_size": 10}
    return make_run("toy", **{**usual, **fields})


def test_a_throughput_by_the_median_step_becomes_that_of_the_window() -> None:
    """Twenty steps of 0.5 s, one of 10 s: 210 images in 20 s are 10.5/s and not 20."""
    run = lifted(
        old(
            [0.5] * 20 + [10.0],
            Metric("achieved_flop_per_s", 4e9, "FLOP/s", n=21, stat=Stat.MEDIAN),
        )
    )
    rate, flop, step = (
        run.metric(name)
        for name in ("throughput_images_per_s", "achieved_flop_per_s", "step_time_s")
    )

    assert rate is not None and flop is not None and step is not None
    assert rate.value == pytest.approx(10.5) and rate.low is not None and rate.low < 10.5
    assert flop.value == pytest.approx(4e9 * 10.5 / 20)
    assert (rate.stat, rate.n, flop.stat) == (Stat.MEAN, 21, Stat.MEAN)
    assert (step.value, step.stat) == (0.5, Stat.MEDIAN)
    assert [doubt.code for doubt in run.doubts] == ["uneven"]
    assert lifted(run) == run


def test_a_peak_that_only_the_median_step_passed_is_doubted_no_more() -> None:
    """1.2 times the peak by the median is 0.63 by the window; other doubts stay as they were."""
    doubts = (RunWarning("other_load", 0.9, 0.05), RunWarning("over_peak", 1.2, 1.0))

    assert [doubt.code for doubt in lifted(old([0.5] * 20 + [10.0], doubts=doubts)).doubts] == [
        "other_load",
        "uneven",
    ]
    (peak,) = (
        doubt
        for doubt in lifted(old([0.5] * 20 + [0.605], doubts=doubts)).doubts
        if doubt.code == "over_peak"
    )
    assert peak.value == pytest.approx(1.2 * 10.5 / 10.605)


def test_a_run_of_one_timed_step_is_unfinished_and_has_no_throughput() -> None:
    """Of a training to a target the epochs are the measurement: it keeps its status."""
    run = lifted(old([0.5]))
    goal = Target("top1", 0.9)
    trained = lifted(
        old(
            [0.5],
            targets=(goal,),
            evaluations=(Evaluation("top1", 0.95, epoch=1.0, time_s=1.0, train_time_s=0.5),),
        )
    )

    assert (run.status, run.status_detail) == (Status.UNFINISHED, ONE_STEP)
    assert run.metric("throughput_images_per_s") is None and run.metric("step_time_s") is not None
    assert trained.status is Status.OK and trained.metric("throughput_images_per_s") is None


@pytest.mark.parametrize(
    ("timed", "status"), [(0, Status.UNFINISHED), (1, Status.UNFINISHED), (2, Status.TIMEOUT)]
)
def test_a_run_that_its_time_ended_before_two_timed_steps_is_unfinished(
    timed: int, status: Status
) -> None:
    """Its budget or `--timeout`; what was said stays. Another reason keeps its name."""
    two = old([0.5, 0.5], status=Status.TIMEOUT, status_detail="ended by the harness after 20 s")
    run = replace(two, steps=two.steps[:timed], metrics=())

    assert lifted(run).status == status
    assert lifted(run).status_detail == "ended by the harness after 20 s"
    assert lifted(replace(run, status=Status.OOM)).status is Status.OOM


@pytest.mark.parametrize("origin", [Origin.PUBLISHED, Origin.IMPORTED])
def test_figures_of_others_are_as_they_say(origin: Origin) -> None:
    """A median that somebody else printed is a median."""
    run = replace(old([0.5] * 20 + [10.0]), origin=origin)

    assert lifted(run) is run


def test_a_run_without_steps_is_left_alone() -> None:
    """Nothing could be computed again; it keeps saying that it is a median."""
    run = replace(old([0.5] * 20), steps=())

    assert lifted(run) is run
