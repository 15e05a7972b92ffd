"""One run on its clock: what is drawn, which run it is, what is said of unread sensors."""

import gzip
import re
from dataclasses import replace
from datetime import UTC, datetime
from itertools import pairwise
from typing import Any

import pytest

from kernels.records import Environment, Metric, Run, RunWarning, Sample, Target
from site_src.charts import downloads
from site_src.figures.base import Figure
from site_src.figures.marks.tracks import ends
from site_src.tables import timeline
from tests.site_src import recorded
from tests.site_src.figures.test_own_runs import drawn
from tests.site_src.own import watched_run
from tests.site_src.questions.quality.test_convergence import layers, plain

EN = recorded.english()


def figure(*runs: Run) -> Figure:
    """The chart of these runs."""
    return drawn(*runs, word="telemetry")


def test_strips_stand_below_each_other() -> None:
    """None overlaps another, and each reading lies within its track."""
    made = figure(watched_run())
    tracks = layers(made)["grounds"]["data"]["values"]

    assert [track["title"] for track in tracks] == [
        "top-1 accuracy",
        "learning rate",
        "load",
        "memory in use on the machine",
    ]
    assert [plain(track["span"]) for track in tracks] == [
        "50% – 80%",
        "0 – 0.1",
        "0% – 100%",
        "0 GB – 1.4 GB",
    ]
    assert all(above["foot"] < below["head"] for above, below in pairwise(tracks))
    names = ("quality", "learning_rate", "utilisation", "machine_memory_bytes")
    for track, name in zip(tracks, names, strict=True):
        held = [row["y"] for row in made.plain if row["strip"] == name]
        assert held and all(track["head"] <= y <= track["foot"] for y in held), name


def test_both_ends_of_an_axis_have_one_unit() -> None:
    """Times of steps go from 0 s to 2 s, never from 0 ms to 2.00 s."""
    track = timeline.Track(timeline.STEP, "s", {}, 0.0, 2.0)

    assert [plain(end) for end in ends(track, watched_run(), EN)] == ["0 s", "2 s"]


def test_epochs_and_drops_go_through_all_strips() -> None:
    """At the end of each epoch, evaluation included, and where the rate fell; not before."""
    made = figure(watched_run())

    assert [(row["epoch"], row["time"]) for row in made.plain if row["kind"] == "epoch"] == [
        (1, 4.5),
        (2, 9.0),
        (3, 13.5),
    ]
    assert [(row["epoch"], row["time"]) for row in made.plain if row["kind"] == "rate"] == [
        (2, 9.0)
    ]
    times = [row["time"] for row in made.plain if row["kind"] == "sensor"]
    assert min(times) >= 0 and max(times) <= 13.5


def test_the_run_with_the_median_time_stands_for_all() -> None:
    """Of three the middle one, of two the faster; one that missed only where all did."""

    def timed(seed: int, seconds: float) -> Run:
        run = watched_run(seed)
        found = [
            replace(m, value=seconds) if m.name == "time_to_target_s" else m for m in run.metrics
        ]
        return replace(run, metrics=tuple(found))

    missed = watched_run(9, values=(0.5, 0.6, 0.7))
    slow, middle, fast = timed(0, 30.0), timed(1, 20.0), timed(2, 10.0)

    for runs, chosen in (
        ((slow, middle, fast, missed), middle),
        ((slow, middle), middle),
        ((missed,), missed),
    ):
        found = timeline.representative(runs)
        assert found is not None and found[0] is chosen
    assert any(
        "Of their runs with readings, it has the median time to the target" in note
        for note in figure(slow, middle, fast, missed).notes(EN)
    )


def test_the_headline_says_what_the_sensors_did() -> None:
    """Mean load where no power was read, else the mean power; a missed target is said."""
    run = watched_run()
    powered = replace(run, metrics=(*run.metrics, Metric("mean_power_w", 310.4, "W")))

    assert plain(figure(run).headline(EN)) == (
        "Test CPU, 2C · PyTorch: the target (top-1 accuracy: 75.0%) is reached after 13.5 s. The "
        "mean load over the run is 95.0%."
    )
    assert plain(figure(powered).headline(EN)).endswith(
        "The mean power over the timed steps is 310 W."
    )
    assert "is not reached. The mean load" in plain(
        figure(watched_run(values=(0.5, 0.6, 0.7))).headline(EN)
    )


def test_without_a_target_the_whole_run_is_timed() -> None:
    """The wall time has evaluation and the rest in it, and the headline says so."""
    headline = plain(figure(replace(watched_run(), targets=())).headline(EN))

    assert ": the whole run takes 13.5 s, including evaluation. The mean load" in headline


def test_what_could_not_be_read_is_named() -> None:
    """The reason is the download's; the chart names the sensor."""
    assert "Not read on this machine: power." in figure(watched_run()).notes(EN)


def limited(masks: tuple[int, ...]) -> Run:
    """A run whose card named these reasons for its clock in turn."""
    run = watched_run()
    told = tuple(
        replace(sample, throttle_mask=masks[n % len(masks)])
        for n, sample in enumerate(run.telemetry)
    )
    return replace(run, telemetry=told)


def test_a_lowered_clock_has_a_strip_and_its_reasons() -> None:
    """NVML's bits: the power limit in half of the readings, heat in a quarter; not idleness."""
    made = figure(limited((0x04, 0x24, 0x01, 0x00)))
    tracks = {
        track["title"]: plain(track["span"]) for track in layers(made)["grounds"]["data"]["values"]
    }

    assert tracks["throttling"] == "0% – 100%"
    assert {row["reading"] for row in made.plain if row["strip"] == "throttle_mask"} == {0.0, 1.0}
    assert made.digest is not None
    row = next(
        row for row in made.digest.table.to_dict("records") if row["strip"] == "throttle_mask"
    )
    assert row["mean"] == pytest.approx(0.5, abs=0.01)
    (note,) = (note for note in made.notes(EN) if "lowered clock" in note)
    assert re.search(r"limit \((50|49|51)\.\d%\) and heat \(2[456]\.\d%\)\.$", plain(note))


def test_what_lowered_the_clock_before_and_after_the_run_is_not_its_own() -> None:
    """The shares are of the readings while its clock ran."""
    run = limited((0x04, 0x00))
    beside = [Sample(time, 0, throttle_mask=0x20) for time in (-1.0, timeline.end(run) + 1.0)]

    assert timeline.reasons(replace(run, telemetry=(*run.telemetry, *beside))).keys() == {
        "power_cap"
    }


def test_a_clock_that_nobody_lowered_has_no_strip() -> None:
    """Nor words: an idle card names that as its reason."""
    made = figure(limited((0x01, 0x00)))

    assert "throttling" not in [
        track["title"] for track in layers(made)["grounds"]["data"]["values"]
    ]
    assert not [note for note in made.notes(EN) if "lowered clock" in note]


def test_long_readings_are_thinned_and_summed_up() -> None:
    """A run of ten minutes at ten readings a second stays small; its extremes are told."""
    run = watched_run()
    samples = tuple(Sample(n / 10, 0, utilisation=0.0 if n == 777 else 1.0) for n in range(6000))
    made = figure(replace(run, telemetry=samples, wall_time_s=600.0))

    drawn_ = [row["reading"] for row in made.plain if row["kind"] == "sensor"]
    assert len(drawn_) <= 490 and 0.0 in drawn_
    assert made.digest is not None
    row = next(row for row in made.digest.table.to_dict("records") if row["strip"] == "utilisation")
    assert (row["readings"], row["low"], row["high"]) == (6000, 0.0, 1.0)
    assert row["mean"] == pytest.approx(5999 / 6000)
    assert any("lowest and highest" in note for note in made.notes(EN))
    assert len(gzip.decompress(downloads.tables(made)["data.csv.gz"])) < 100_000


def test_a_loss_is_no_percentage() -> None:
    """Plain numbers, and no row in the table of percentages."""
    goal = Target("loss", 0.9)
    made = figure(watched_run(target=goal, values=(1.9, 1.2, 0.95)))

    assert plain(layers(made)["grounds"]["data"]["values"][0]["span"]) == "0.9 – 1.9"
    assert {row["plain"] for row in made.plain if row["kind"] == "evaluation"} == {1.9, 1.2, 0.95}


@pytest.mark.parametrize("lost", ["telemetry", "evaluations"])
def test_without_curve_or_sensors_there_is_no_chart(lost: str) -> None:
    """Neither half stands alone."""
    with pytest.raises(KeyError):
        figure(replace(watched_run(), **dict[str, Any]({lost: ()})))


def test_memory_is_said_to_be_whose() -> None:
    """An accelerator's, else the machine's; neither is that of the training process."""
    run = watched_run()
    card = replace(
        run, environment=replace(run.environment or Environment(), accelerator_name="Test GPU")
    )

    for each, word in (
        (run, "memory in use on the machine"),
        (card, "memory in use on the accelerator"),
    ):
        made = figure(each)
        assert layers(made)["grounds"]["data"]["values"][-1]["title"] == word
        assert EN.say("figure.timeline.memory") in made.notes(EN)


def test_the_settings_that_were_repeated_most_stand_for_all() -> None:
    """Three seeds come before a newer run alone; of equals the newest."""
    missed = [watched_run(seed, values=(0.5, 0.6, 0.7)) for seed in (0, 1)]
    hit, older = watched_run(2), watched_run(8, batch=512)
    alone = replace(watched_run(9, batch=256), started_at=datetime(9999, 1, 1, tzinfo=UTC))
    made = figure(*missed, hit, alone)

    assert made.runs == (hit.run_id,)
    assert EN.say("figure.timeline.chosen") in made.notes(EN)
    assert figure(alone, older).runs == (alone.run_id,)


def test_a_doubted_run_is_told() -> None:
    """In a note and in the table; too few steps for an interval need neither."""
    few, loud = (
        replace(watched_run(), doubts=(RunWarning(code, 3.0, 20.0),))
        for code in ("few_steps", "other_load")
    )

    assert "The run has warnings; see its page." in figure(loud).notes(EN)
    assert set(figure(loud).table["doubted"]) == {"yes"} and "doubted" in {
        column.name for column in figure(loud).columns
    }
    assert not any("care" in note for note in figure(few).notes(EN))
    assert "doubted" not in {column.name for column in figure(few).columns}
