"""How far the runs of a submission lie apart."""

import dataclasses
import math

import pytest

from kernels import spreads
from kernels.records import Metric, Run, Status, Target
from kernels.spreads import Measure
from tests.site_src.own import own_run


def run(number: int, seconds: float | None, *epochs: float | None) -> Run:
    """A run of so many seconds to the targets that it reached after so many epochs; None where it did not."""
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
    return dataclasses.replace(own_run(), run_id=f"run-{number}", status=status, wall_time_s=seconds or 9.0, metrics=metrics)


RUNS = [run(1, 120.0, 4.0, 5.0), run(2, 150.0, 6.0, 4.0), run(3, None, 7.0, None), run(4, 100.0, 5.0, 5.0)]


def test_all_targets_must_be_reached() -> None:
    """Of two targets the later counts, and a run that missed one of them has neither epochs nor a time."""
    assert [spreads.reading(each, Measure.EPOCHS) for each in RUNS] == [5.0, 6.0, None, 5.0]
    assert [spreads.reading(each, Measure.TIME) for each in RUNS] == [120.0, 150.0, None, 100.0]
    assert spreads.reference(RUNS[0], Measure.EPOCHS) == "largest(run:run-1:epochs_to_target@0.3, run:run-1:epochs_to_target@0.4)"
    assert (spreads.progress(RUNS), spreads.progress(RUNS[2:3])) == (Measure.EPOCHS, None)


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
    """100, 120 and 150 s: the failed run is in no statistic, and a figure that nobody logged is missing."""
    found = spreads.statistic(RUNS, name)

    assert found is not None
    assert found[1] == unit
    assert found[0] == (value if value is None else pytest.approx(value))


@pytest.mark.parametrize("name", ["time", "time_mean", "epoch_low", ""])
def test_unknown_statistics_are_none(name: str) -> None:
    """What is no statistic is told apart from one without a value."""
    assert spreads.statistic(RUNS, name) is None
