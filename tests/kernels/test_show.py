"""Runs for a terminal and as JSON: missing figures say why, ranges stay ranges."""

from kernels import show
from kernels.records import Interval, Metric, Origin, Run, Stat, Status, Target


def a_run(*metrics: Metric, status: Status = Status.OK, withdrawn: str | None = None) -> Run:
    """A run with these figures."""
    return Run(
        "toy-run", Origin.MEASURED, "measured", "file 'x'", "MIT", "Toy", "digits-cnn", "toy", status, metrics=metrics, withdrawn=withdrawn
    )


def test_a_figure_is_shown_with_its_interval_or_its_reason() -> None:
    """Value and interval; a printed range without a value; a missed target by its status; nothing at all as a dash."""
    rate = Metric("throughput_images_per_s", 2000.0, "images/s", 1900.0, 2100.0, Interval.CI95, n=20, stat=Stat.MEDIAN)
    printed = Metric("throughput_images_per_s", None, "images/s", 2.2, 2.7, Interval.PRINTED)
    missed = Metric("time_to_target_s", None, "s", target=Target("top1", 0.9), status=Status.NOT_CONVERGED)

    assert show.figure(rate) == "2000 images/s (1900 to 2100)"
    assert show.figure(printed) == "2.2 to 2.7 images/s"
    assert show.figure(missed) == "not_converged"
    assert show.figure(None) == "-"


def test_an_unknown_value_is_null_in_json() -> None:
    """And a printed range has no value."""
    found = show.record(a_run(Metric("throughput_images_per_s", None, "images/s", 2.2, 2.7, Interval.PRINTED), status=Status.OOM))

    assert (found["status"], found["seed"], found["global_batch_size"]) == (Status.OOM, None, None)
    assert found["metrics"] == {
        "throughput_images_per_s": {
            "value": None,
            "low": 2.2,
            "high": 2.7,
            "interval": Interval.PRINTED,
            "bound": "eq",
            "unit": "images/s",
            "n": None,
            "stat": Stat.SINGLE,
            "status": Status.OK,
        }
    }


def test_a_withdrawn_run_says_so_in_the_table() -> None:
    """Whatever its status was; columns are as wide as their longest cell."""
    text = show.table([show.row(a_run(withdrawn="wrong clock"))])

    assert text.splitlines()[1].split()[:2] == ["toy-run", "withdrawn"]
    assert text.splitlines()[0].startswith("run      status")
