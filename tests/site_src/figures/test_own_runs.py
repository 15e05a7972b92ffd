"""Own runs in a chart of curves: the settings that were repeated most, told apart."""

from dataclasses import replace
from typing import Any

import pytest

from kernels.audit.facts import Facts
from kernels.records import Direction, Precision, Run, RunWarning, Target
from kernels.store import Archive
from site_src.figures import own_runs
from site_src.figures.base import Figure
from tests.site_src import recorded
from tests.site_src.machines import of_suite
from tests.site_src.own import watched_run
from tests.site_src.questions.quality.test_convergence import layers, plain

EN = recorded.english()


def drawn(*runs: Run, workload: str = "digits-cnn", word: str = "convergence") -> Figure:
    """A chart of the workload."""
    return recorded.figures_of(Archive(runs=runs))[f"{workload}-{word}"]


def test_of_one_batch_the_most_repeated_settings_are_drawn() -> None:
    """A single run with other epochs stands aside; another batch size is a series."""
    alone = watched_run(7, values=(0.5, 0.8), rates=(0.1, 0.1))
    figure = drawn(watched_run(0), watched_run(1), alone, watched_run(2, batch=256))

    assert alone.run_id not in set(figure.table["run_id"])
    assert [series.id for series in figure.series] == [
        "cpu-test-pytorch-bs64",
        "cpu-test-pytorch-bs256",
    ]
    assert [series.label.rpartition(" · ")[2] for series in figure.series] == ["bs 64", "bs 256"]
    assert len({series.look for series in figure.series}) == 2
    assert "The number after bs is the global batch size." in figure.notes(EN)
    assert any("another suite size: 1." in note for note in figure.notes(EN))


def test_one_batch_and_format_needs_no_name() -> None:
    """A label that tells no series from another is left as it is."""
    one, other = watched_run(0), watched_run(1, precision=Precision.AMP_BF16)
    catalog = recorded.known()

    assert set(own_runs.named([one], catalog).values()) == {
        ("cpu-test-pytorch", "Test CPU, 2C · PyTorch")
    }
    assert [name for name, _ in own_runs.named([one, other], catalog).values()] == [
        "cpu-test-pytorch-fp32",
        "cpu-test-pytorch-amp-bf16",
    ]


def test_own_seeds_have_a_band_and_k_of_n() -> None:
    """Two of three reached the target; runs meet in a band, and time is in seconds."""
    figure = drawn(watched_run(0), watched_run(1), watched_run(2, values=(0.5, 0.6, 0.7)))

    [goal] = layers(figure)["goal_words"]["data"]["values"]
    assert goal["words"] == "target 75.0%: 2 of 3"
    assert any(
        note.startswith("Shaded: the range of two or more runs of a series at each point")
        for note in figure.notes(EN)
    )
    assert (
        plain(figure.headline(EN))
        == "Test CPU, 2C · PyTorch: 75.0% top-1 accuracy is reached by 2 of 3 runs, after 3 epochs."
    )
    assert list(figure.table["kind"].unique()) == ["evaluation", "rate"]


def test_counts_are_of_the_runs_drawn() -> None:
    """Where others stand aside, the headline says so, and a note how many are missing."""
    others = [watched_run(seed, values=(0.5, 0.8), rates=(0.1, 0.1)) for seed in (7, 8)]
    withdrawn = replace(
        watched_run(9, values=(0.5, 0.8), rates=(0.1, 0.1)), withdrawn="wrong clock"
    )
    figure = drawn(
        watched_run(0), watched_run(1), watched_run(2, values=(0.5, 0.6, 0.7)), *others, withdrawn
    )

    assert (
        plain(figure.headline(EN))
        == "Test CPU, 2C · PyTorch: 75.0% top-1 accuracy is reached by 2 of the 3 runs shown, after "
        "3 epochs."
    )
    assert any("other settings or another suite size: 2." in note for note in figure.notes(EN))
    assert not any("other settings" in note for note in drawn(watched_run(0)).notes(EN))


def test_a_small_suite_is_told() -> None:
    """Its size is a note and a column; the full protocol has a column alone."""
    small, full = (drawn(of_suite(watched_run(0), "quick", size)) for size in ("small", "full"))

    assert [column.name for column in small.columns if column.name == "size"] == ["size"]
    assert set(small.table["size"]) == {"small"}
    assert any("reduced suite (small size)" in note for note in small.notes(EN))
    assert not any("reduced suite" in note for note in full.notes(EN))


def test_the_clock_runs_with_and_without_evaluation() -> None:
    """Epochs, the whole clock, and training alone, in the longest run's unit."""
    figure = drawn(watched_run(0), watched_run(1))

    titles = {
        axis: layers(figure, axis=axis)["curves"]["encoding"]["x"]["axis"]["title"]
        for axis in ("epochs", "time", "training")
    }
    assert titles["time"] == "time since the start, s"
    assert titles["training"] == "training time without evaluation, s"
    ends = {
        axis: max(
            row["along"] for row in figure.rows(EN, {"axis": axis}) if row["kind"] == "evaluation"
        )
        for axis in titles
    }
    assert ends == {"epochs": 3.0, "time": 13.5, "training": 12.0}


def test_other_qualities_are_named() -> None:
    """A hit rate is no accuracy, whether several, one or none reached its target."""
    goal = Target("hr10", 0.75)
    known: dict[str, Any] = {"workload": "ncf-movielens-100k"}
    one, other = (watched_run(seed, target=goal, **known) for seed in (0, 1))
    missed = watched_run(2, target=goal, values=(0.5, 0.6, 0.7), **known)

    def said(*runs: Run) -> str:
        return plain(drawn(*runs, workload="ncf-movielens-100k").headline(EN))

    assert (
        said(one, other, missed)
        == "Test CPU, 2C · PyTorch: the target (HR@10: 75.0%) is reached by 2 of 3 runs, each "
        "after 3 epochs."
    )
    assert (
        said(one) == "Test CPU, 2C · PyTorch: the target (HR@10: 75.0%) is reached after 3 epochs."
    )
    assert said(missed) == "The best evaluation (HR@10) gives 70.0%, on Test CPU, 2C · PyTorch."


@pytest.mark.parametrize(
    ("workload", "goal", "values", "said"),
    [
        (
            "llama2-70b-lora-scrolls",
            Target("loss", 0.2, Direction.AT_MOST),
            (0.6, 0.5, 0.3456789),
            "loss) gives 0.346",
        ),
        (
            "llama2-70b-lora-scrolls",
            Target("loss", 0.925, Direction.AT_MOST),
            (1.6, 1.5, 0.92522),
            "loss) gives 0.9252",
        ),
        ("dlrm-criteo-1tb", Target("auc", 0.8025), (0.5, 0.6, 0.8024663), "AUC) gives 0.80247"),
    ],
)
def test_a_reading_that_missed_its_target_is_said_as_one(
    workload: str, goal: Target, values: tuple[float, ...], said: str
) -> None:
    """A loss with three decimals, an AUC with so many that it does not read as a hit."""
    run = watched_run(target=goal, values=values, workload=workload)
    figure = drawn(run, workload=workload)

    assert said in plain(figure.headline(EN))


def test_many_readings_are_summed_up() -> None:
    """More than forty rows have a table of who reached the target, with references."""
    runs = tuple(
        watched_run(seed, values=(0.5,) * 9 + (0.8,), rates=(0.1,) * 10) for seed in range(5)
    )
    figure = drawn(*runs)

    assert figure.digest is not None
    [row] = figure.digest.table.to_dict("records")
    assert (row["n"], row["hits"], row["reach_mid"], row["time_mid"]) == (5, 5, 10.0, 45.0)
    assert Facts(Archive(runs=runs), recorded.known()).get(str(row["time_mid_ref"])).value == 45.0


def test_a_summed_up_target_is_said_as_above_the_chart() -> None:
    """An AUC with the digits that it has, and none behind them."""
    known: dict[str, Any] = {"workload": "dlrm-criteo-1tb", "target": Target("auc", 0.8025)}
    values = (0.5,) * 9 + (0.81,)
    runs = [watched_run(seed, values=values, rates=(0.1,) * 10, **known) for seed in range(5)]
    figure = drawn(*runs, workload="dlrm-criteo-1tb")

    assert figure.digest is not None
    [row] = figure.digest.plain
    [target] = [column for column in figure.digest.columns if column.name == "target"]
    assert target.write(row, EN) == "0.8025"
    assert "(AUC: 0.8025)" in plain(figure.headline(EN))


SEEDS = tuple(watched_run(seed) for seed in range(3))
LOW = (0.5, 0.6, 0.7)


def test_each_series_has_a_count_of_its_own() -> None:
    """Three seeds lead; a sweep of other batch sizes is not counted with them."""
    figure = drawn(*SEEDS, watched_run(7, batch=256), watched_run(8, values=LOW, batch=512))

    assert plain(figure.headline(EN)) == (
        "Test CPU, 2C · PyTorch · bs 64: 75.0% top-1 accuracy is reached by all 3 runs shown, after "
        "3 epochs. "
        "Counted separately, because they differ in more than the seed: bs 256 (1 of 1) and bs 512 (0 of 1)."
    )
    assert [goal["words"] for goal in layers(figure)["goal_words"]["data"]["values"]] == [
        "target 75.0%"
    ]
    assert any("counted per series" in note for note in figure.notes(EN))


def test_seeds_lead_though_none_of_them_reached_the_target() -> None:
    """The series with most runs is not passed over for one run that reached it."""
    missed = [watched_run(seed, values=LOW) for seed in range(3)]

    assert plain(drawn(*missed, watched_run(7, batch=256)).headline(EN)) == (
        "None of the 3 runs shown on Test CPU, 2C · PyTorch · bs 64 reaches 75.0% top-1 accuracy. "
        "Counted separately, because they differ in more than the seed: bs 256 (1 of 1)."
    )


def test_of_single_runs_the_soonest_leads() -> None:
    """That with the fewest epochs to the target, then others, not all by name."""
    slow = [
        watched_run(seed, values=(0.5, 0.6, 0.7, 0.8), rates=(0.1,) * 4, batch=64 + seed)
        for seed in range(7)
    ]

    said = plain(drawn(*slow, watched_run(7, batch=256)).headline(EN))
    assert said.startswith(
        "Test CPU, 2C · PyTorch · bs 256 reaches 75.0% top-1 accuracy after 3 epochs. Counted "
        "separately"
    )
    assert said.endswith("bs 68 (1 of 1) and 2 more.")


def test_other_qualities_are_counted_by_series_too() -> None:
    """The words of targets that are no accuracy likewise."""
    known: dict[str, Any] = {"workload": "ncf-movielens-100k", "target": Target("hr10", 0.75)}
    one, other, alone = (
        watched_run(0, **known),
        watched_run(1, values=LOW, **known),
        watched_run(7, batch=256, **known),
    )

    assert plain(drawn(one, other, alone, workload="ncf-movielens-100k").headline(EN)) == (
        "Test CPU, 2C · PyTorch · bs 64: the target (HR@10: 75.0%) is reached by 1 of the 2 runs "
        "shown, each after 3 epochs. "
        "Counted separately, because they differ in more than the seed: bs 256 (1 of 1)."
    )


def test_doubted_runs_are_told() -> None:
    """How many of those drawn, and which rows of the table rest on one."""
    loud = replace(SEEDS[0], doubts=(RunWarning("other_load", 0.5, 0.05),))
    figure = drawn(loud, *SEEDS[1:])

    assert any(
        note.startswith("Warnings: 1 of 3 runs behind this chart;") for note in figure.notes(EN)
    )
    assert set(figure.table["run_id"][figure.table["doubted"] == "yes"]) == {loud.run_id}
    assert any(
        note.startswith("Warnings: both runs behind this chart;")
        for note in drawn(loud, replace(SEEDS[1], doubts=loud.doubts)).notes(EN)
    )
