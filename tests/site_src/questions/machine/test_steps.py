"""Step times: one run a series and number format, long runs in short."""

from dataclasses import replace

from kernels.records import Metric, Phase, Precision, Run, Step
from tests.site_src import recorded
from tests.site_src.figures.test_own_runs import drawn
from tests.site_src.own import watched_run

EN = recorded.english()


def timed(run: Run, seconds: float) -> Run:
    """The run with another median time of a step."""
    found = [replace(m, value=seconds) if m.name == "step_time_s" else m for m in run.metrics]
    return replace(run, metrics=tuple(found))


def test_the_median_run_of_the_most_repeated_settings_stands_for_a_format() -> None:
    """Not the fastest run, nor a batch size that ran once; each number format is a series."""
    fast, middle, slow = (timed(watched_run(seed), 1.0 + seed) for seed in range(3))
    alone = timed(watched_run(7, batch=256), 0.1)
    narrow = timed(watched_run(8, batch=256, precision=Precision.AMP_BF16), 5.0)
    figure = drawn(alone, slow, fast, middle, narrow, word="steps")

    assert set(figure.table["run_id"]) == {middle.run_id, narrow.run_id}
    assert [series.label.split(" · ")[2:] for series in figure.series] == [
        ["FP32", "bs 64"],
        ["bfloat16", "bs 256"],
    ]
    assert "The number after bs is the global batch size." in figure.notes(EN)
    assert any(
        note.startswith("Each series is one run: the one with the median step time among")
        for note in figure.notes(EN)
    )
    assert not any(
        note.startswith("Each series is one run") for note in drawn(fast, word="steps").notes(EN)
    )


def test_of_settings_repeated_as_often_more_steps_stand_for_a_format() -> None:
    """More measured steps, however old."""
    older, newer = (
        watched_run(0, values=(0.5, 0.6, 0.7, 0.8), rates=(0.1,) * 4),
        watched_run(1, batch=256),
    )

    assert drawn(older, newer, word="steps").runs == (older.run_id,)


def test_a_long_run_is_told_in_short() -> None:
    """The slowest of thousands is drawn, the table counts them, and a note says so."""
    steps = tuple(
        Step(n, Phase.MEASURE if n else Phase.COMPILE, n / 10, 9.0 if n == 1234 else 0.1)
        for n in range(3000)
    )
    run = replace(watched_run(), steps=steps, metrics=(Metric("step_time_s", 0.1, "s"),))
    figure = drawn(run, word="steps")

    assert len(figure.table) < 260 and figure.table["duration"].max() == 9.0
    assert figure.digest is not None
    rows = [
        (row["phase"], row["steps"], row["mid"], row["high"])
        for row in figure.digest.table.to_dict("records")
    ]
    assert rows == [("compile", 1, 0.1, 0.1), ("measure", 2999, 0.1, 9.0)]
    assert any("lowest and highest" in note for note in figure.notes(EN))
