"""Step times: one run a series and number format, long runs in short."""

from dataclasses import replace

from kernels.records import Metric, Phase, Precision, Run, Step
from tests.site_src import recorded
from tests.site_src.figures.test_alike import drawn
from tests.site_src.own import watched_run

EN = recorded.english()


def timed(run: Run, rate: float) -> Run:
    """The run with another throughput."""
    found = [replace(m, value=rate) if m.name.startswith("throughput_") else m for m in run.metrics]
    return replace(run, metrics=tuple(found))


def test_the_fastest_run_stands_for_a_format() -> None:
    """Of two batch sizes the faster; another number format is a series of its own, whose name says so."""
    slow, fast = timed(watched_run(0), 10.0), timed(watched_run(1, batch=256), 90.0)
    narrow = timed(watched_run(2, precision=Precision.AMP_BF16), 50.0)
    figure = drawn(slow, fast, narrow, word="steps")

    assert set(figure.table["run_id"]) == {fast.run_id, narrow.run_id}
    assert [series.label.split(" · ")[2:] for series in figure.series] == [["FP32", "bs 256"], ["bfloat16", "bs 64"]]
    assert "After bs stands the global batch size." in figure.notes(EN)


def test_a_long_run_is_told_in_short() -> None:
    """Thousands of steps: the slowest is drawn, the table counts them all, and a note says that not all are drawn."""
    steps = tuple(Step(n, Phase.MEASURE if n else Phase.COMPILE, n / 10, 9.0 if n == 1234 else 0.1) for n in range(3000))
    run = replace(watched_run(), steps=steps, metrics=(Metric("step_time_s", 0.1, "s"),))
    figure = drawn(run, word="steps")

    assert len(figure.table) < 260 and figure.table["duration"].max() == 9.0
    assert figure.digest is not None
    rows = [(row["phase"], row["steps"], row["mid"], row["high"]) for row in figure.digest.table.to_dict("records")]
    assert rows == [("compile", 1, 0.1, 0.1), ("measure", 2999, 0.1, 9.0)]
    assert any("shortest and the longest" in note for note in figure.notes(EN))
