"""How far the runs of a submission lie apart."""

import dataclasses
import math

import pytest

from kernels.analysis import variation
from kernels.analysis.variation import Measure
from kernels.records import Epoch, Evaluation, Metric, Run, Status, Target
from tests.site_src.own import own_run


def run(number: int, seconds: float | None, *epochs: float | None) -> Run:
    """A run of these seconds and epochs to its targets; None where it missed them."""
    status = Status.OK if seconds is not None else Status.NOT_CONVERGED
    metrics = tuple(
        Metric(
            "epochs_to_target",
            value,
            "epochs",
            target=Target(f"ap{at}", 0.3 + at / 10),
            status=Status.OK if value is not None else Status.NOT_CONVERGED,
        )
        for at, value in enumerate(epochs)
    )
    return dataclasses.replace(
        own_run(),
        run_id=f"run-{number}",
        status=status,
        wall_time_s=seconds or 9.0,
        metrics=metrics,
    )


RUNS = [run(1, 120.0, 4, 5), run(2, 150.0, 6, 4), run(3, None, 7, None), run(4, 100.0, 5, 5)]


def test_all_targets_must_be_reached() -> None:
    """Of two targets the later counts; a run that missed one has neither epochs nor a time."""
    assert [variation.reading(each, Measure.EPOCHS) for each in RUNS] == [5.0, 6.0, None, 5.0]
    assert [variation.reading(each, Measure.TIME) for each in RUNS] == [120.0, 150.0, None, 100.0]
    assert (
        variation.reference(RUNS[0], Measure.EPOCHS)
        == "largest(run:run-1:epochs_to_target@0.3, run:run-1:epochs_to_target@0.4)"
    )
    assert (variation.progress(RUNS), variation.progress(RUNS[2:3])) == (Measure.EPOCHS, None)


@pytest.mark.parametrize(
    ("name", "value", "unit"),
    [
        ("time_low", 100.0, "s"),
        ("time_median", 120.0, "s"),
        ("time_high", 150.0, "s"),
        ("time_range", 1.5, "1"),
        ("time_quartiles", 25.0 / 120.0, "1"),
        ("epochs_high", 6.0, "epochs"),
        ("samples_high", None, "samples"),
        ("time_apart", 4.0 / math.sqrt(3.0) * math.sqrt(1900.0 / 3.0) / (370.0 / 3.0), "1"),
    ],
)
def test_statistics_leave_failed_runs_out(name: str, value: float | None, unit: str) -> None:
    """100, 120 and 150 s: the failed run is in no statistic, what nobody logged is missing."""
    found = variation.statistic(RUNS, name)

    assert found is not None
    assert found[1] == unit
    assert found[0] == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize("name", ["time", "time_mean", "epoch_low", ""])
def test_unknown_statistics_are_none(name: str) -> None:
    """What is no statistic is told apart from one without a value."""
    assert variation.statistic(RUNS, name) is None


def paced(
    *read: tuple[float, float],
    starts: tuple[float, ...] = (),
    epochs: float = 9.0,
    seconds: float = 1000.0,
) -> Run:
    """A run evaluated after these epochs at these seconds, the epochs of which started at those."""
    evaluations = tuple(Evaluation("top1", 0.5, epoch=epoch, time_s=time) for epoch, time in read)
    passes = tuple(Epoch(index, start_s=start) for index, start in enumerate(starts))
    return dataclasses.replace(run(1, seconds, epochs), evaluations=evaluations, epochs=passes)


def test_a_steady_epoch_holds_no_start_up() -> None:
    """From epoch 1 at 300 s to epoch 9 at 1000 s: 87.5 s an epoch, 212.5 s are start-up."""
    told = paced((1.0, 300.0), (5.0, 650.0), (9.0, 1000.0))

    assert (variation.steady_epoch(told), variation.overhead(told)) == (87.5, 212.5)
    assert variation.statistic([told, run(2, None, None)], "steady_median") == (87.5, "s")
    assert variation.steady_epoch(paced((9.0, 1000.0))) is None, "one evaluation tells no pace"


def test_late_first_evaluations_tell_no_start_up() -> None:
    """First read after 6 of 9 epochs, then in each: the pace between leaves no rest to tell."""
    told = paced((6.0, 600.0), (7.0, 750.0), (8.0, 875.0), (9.0, 1000.0))

    assert variation.steady_epoch(told) == pytest.approx(400 / 3)
    assert variation.overhead(told) is None


def test_plain_epochs_are_those_without_a_reading() -> None:
    """Of 10, 40 and 12 s the second has an evaluation; where all have, none is without."""
    starts = (0.0, 10.0, 50.0, 62.0)

    assert variation.plain_epoch(paced((2.0, 45.0), starts=starts)) == 11.0
    assert variation.plain_epoch(paced((1.0, 9.0), (2.0, 45.0), (3.0, 60.0), starts=starts)) is None


def test_the_time_to_a_quality_is_that_of_the_first_reading_as_good() -> None:
    """The first of two counts; never reached or timed is no time; of a loss less is better."""
    read = tuple(
        Evaluation("top1", value, epoch=at, time_s=time)
        for value, at, time in ((0.5, 1, 10.0), (0.7, 2, 20.0), (0.7, 3, None), (0.6, 4, 40.0))
    )
    told = dataclasses.replace(run(1, 40.0, 4.0), evaluations=read)
    falling = dataclasses.replace(
        told,
        evaluations=tuple(
            Evaluation("loss", 1 / at, epoch=at, time_s=10.0 * at) for at in (1, 2, 3)
        ),
    )

    assert [variation.reach(told, "top1", quality) for quality in (0.5, 0.55, 0.7, 0.71)] == [
        10.0,
        20.0,
        20.0,
        None,
    ]
    assert variation.reach(told, "auc", 0.1) is None
    assert [variation.reach(falling, "loss", quality) for quality in (1.0, 0.5, 0.1)] == [
        10.0,
        20.0,
        None,
    ]
