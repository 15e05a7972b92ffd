"""What one source says of two: which of its figures are compared, and their ratio."""

from typing import Any

import pytest

from kernels.analysis.sourced import HARNESS, Beside, beside, compared_pairs, figures
from kernels.records import ClockScope, DataKind, Interval, Metric, Mode, Origin, Run, Stat, Status
from tests.makers import make_run


def timed(accelerator: str, value: float | None, run_id: str = "", **fields: Any) -> Run:
    """A run of an article with a throughput."""
    status = Status.OK if value is not None else Status.NOT_REPORTED
    metric = Metric("throughput_images_per_s", value, "images/s", status=status)
    usual = {"origin": Origin.PUBLISHED, "accelerator": accelerator, "accelerators": 1}
    return make_run(
        run_id or accelerator,
        **{**usual, "metrics": (metric,), "system": f"{accelerator}-box", **fields},
    )


def told(*runs: Run, a: str = "a", b: str = "b") -> list[Beside]:
    """What the sources of these runs have of two."""
    return beside(figures([[run] for run in runs]), a, b)


def test_the_best_of_each_on_equal_terms_is_compared() -> None:
    """A rate the higher the faster; another number, kind of data or clock is none of it."""
    runs = [
        timed("a", 10.0),
        timed("a", 30.0, "best"),
        timed("a", 90.0, "many", accelerators=8),
        timed("a", 95.0, "real", data=DataKind.REAL),
        timed("a", 99.0, "whole", clock_scope=ClockScope.END_TO_END),
        timed("b", 15.0),
    ]

    [found] = told(*runs)
    [other] = told(*runs, a="b", b="a")

    assert (found.a.run, found.b.run) == ("best", "b")
    assert found.ratio == pytest.approx(2)
    assert other.ratio == pytest.approx(0.5)


def test_a_time_is_the_faster_the_less_it_is() -> None:
    """That of a source's own training; of this harness it depends on what was asked for."""
    runs = [
        timed(name, None, metrics=(Metric("train_time_s", value, "s"),), origin=origin)
        for name, value, origin in (
            ("a", 10.0, Origin.PUBLISHED),
            ("b", 40.0, Origin.PUBLISHED),
            ("c", 10.0, Origin.MEASURED),
            ("d", 40.0, Origin.MEASURED),
        )
    ]

    [found] = told(*runs)

    assert found.ratio == pytest.approx(4)
    assert told(*runs, a="c", b="d") == []


def test_sources_are_never_mixed() -> None:
    """Runs of the harness are of one, whoever made them; rounds have scores and stay out."""
    article = [timed("a", 10.0), timed("b", 20.0, source="other")]
    own = [timed("a", 10.0, origin=Origin.MEASURED), timed("b", 20.0, origin=Origin.SUBMITTED)]
    scored = [timed(name, 9.0, round="v1.0", origin=Origin.IMPORTED) for name in "ab"]
    inferred = [timed(name, 9.0, mode=Mode.INFERENCE) for name in "ab"]

    assert told(*article) == told(*scored) == told(*inferred) == []
    [found] = told(*own)
    assert found.source == HARNESS
    assert found.ratio == pytest.approx(0.5)


def test_what_has_no_figures_of_both_is_told_without_a_ratio() -> None:
    """After what has one."""
    runs = [
        timed("a", None, workload="gnmt"),
        timed("b", 5.0, workload="gnmt"),
        timed("a", 5.0, workload="ssd"),
        timed("b", 5.0, workload="ssd"),
    ]

    assert [(one.workload, one.ratio) for one in told(*runs)] == [("ssd", 1.0), ("gnmt", None)]


def test_systems_are_compared_whatever_their_numbers() -> None:
    """An accelerator only on equal numbers."""
    runs = [timed("a", 10.0, accelerators=4), timed("b", 5.0)]

    assert told(*runs)[0].ratio is None
    assert told(*runs, a="a-box", b="b-box")[0].ratio == pytest.approx(2)
    assert told(*runs, a="a-box", b="b")[0].ratio is None


def test_numbers_that_nobody_states_are_not_equal() -> None:
    """Of two systems as a whole they do not matter."""
    runs = [timed(name, value, accelerators=None) for name, value in (("a", 10.0), ("b", 5.0))]

    assert told(*runs)[0].ratio is None
    assert compared_pairs(figures([run] for run in runs)) == set()
    assert told(*runs, a="a-box", b="b-box")[0].ratio == pytest.approx(2)


def test_repeats_have_the_figure_that_their_pages_have() -> None:
    """The median of those that timed enough steps; of all, where none did; not of one without."""

    def run(value: float | None, low: float | None) -> Run:
        ends: dict[str, Any] = (
            {} if low is None else {"low": low, "high": low + 2, "interval": Interval.CI95}
        )
        status = Status.OK if value is not None else Status.OOM
        name, unit = "throughput_images_per_s", "images/s"
        metric = Metric(name, value, unit, stat=Stat.MEAN, status=status, **ends)
        return timed("a", None, metrics=(metric,), origin=Origin.MEASURED)

    firm, loose, none = run(10.0, 9.0), run(90.0, None), run(None, None)
    repeats = [[firm, loose, none], [loose, run(70.0, None)], [none, firm]]

    assert [one.value for one in figures(repeats)] == [10.0, 80.0, 10.0]
