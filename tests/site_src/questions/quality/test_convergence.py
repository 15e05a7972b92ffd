"""Curves of a benchmark's rounds: what is drawn, what is summed up, what can be chosen."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from kernels.audit.facts import Facts
from kernels.records import Direction, Evaluation, Metric, Run, Target
from kernels.store import Archive
from site_src.charts import markup, vega
from site_src.charts import payload as share_payload
from site_src.costs.spent import spendings
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.figures.columns import present
from site_src.figures.marks import curves
from site_src.questions.quality import curve_choices, curve_points
from site_src.tables import curve
from tests.site_src import articles, logged, recorded

EN = recorded.english()


def drawn(*groups: list[Run], workload: str = logged.RESNET) -> Figure:
    """The workload's figure of curves, with all its rows summed up."""
    archive = Archive(runs=tuple(run for group in groups for run in group))
    return recorded.figures_of(archive)[f"{workload}-convergence"]


def layers(figure: Figure, **state: str) -> dict[str, Any]:
    """Layers of the figure by name."""
    chart = figure.chart(EN, state=state, interactive=True, rows=figure.rows(EN, state))
    return {layer["name"]: layer for layer in chart.to_dict(validate=False)["layer"]}


def many() -> list[list[Run]]:
    """Six submissions of five runs on V100, TPU and A30, at two targets."""
    later: dict[str, Any] = {"target": Target("top1", 0.759), "round_": "v0.6"}
    a30 = {"system": "xfusion-g5500v7-8xa30", "accelerator": "a30", "round_": "v3.1"}
    return [
        logged.submission(4, 4, 5, 5, None),
        *(
            logged.submission(*[4] * 5, **fields)
            for fields in (
                later,
                {"system": "gcp-8xv100"},
                {"system": "cloud-tpu-v2-8", "accelerator": "tpu-v2", "minutes": 120},
                {**later, "system": "cloud-tpu-v3-32", "accelerator": "tpu-v3"},
                {**later, **a30},
            )
        ),
    ]


FIGURE = drawn(*many())


def test_a_band_holds_what_two_runs_read_at_one_epoch() -> None:
    """From the least to the most of a series and an epoch; along time there is none."""
    band = layers(FIGURE)["bands"]

    assert band["transform"][1] == {
        "aggregate": [
            {"op": "min", "field": "value", "as": "least"},
            {"op": "max", "field": "value", "as": "most"},
            {"op": "distinct", "field": "run_series", "as": "several"},
            {"op": "count", "as": "readings"},
        ],
        "groupby": ["series", "along"],
    }
    assert band["transform"][2] == {
        "filter": "datum.several > 1 && datum.readings === datum.several"
    }
    assert layers(FIGURE, axis="time")["bands"]["transform"][0] == {"filter": "false"}
    assert not curve_points.banded(FIGURE.table[FIGURE.table["run_series"] == "0"], "epoch")


def test_a_target_counts_the_runs_that_aimed_at_it() -> None:
    """10 of 14 that reach the first target are not held against the second."""
    words = [mark["words"] for mark in layers(FIGURE, family="all")["goal_words"]["data"]["values"]]

    assert words == ["target 75.9%: all 15", "target 74.9%: 14 of 15"]
    assert any("different targets" in note for note in FIGURE.notes(EN))


def test_words_of_near_targets_do_not_meet() -> None:
    """The words at the lower of two near lines stand below it."""
    marks = layers(FIGURE)["goal_words"]["data"]["values"]

    assert [("drop" in mark) for mark in marks] == [False, True]
    assert all(
        "drop" not in mark
        for mark in layers(FIGURE, range="target")["goal_words"]["data"]["values"]
    )


def test_many_series_are_shown_by_accelerator() -> None:
    """Of six series those on V100 first, in the legend too; `all` leaves none out."""
    family = next(control for control in FIGURE.controls if control.key == "family")

    assert [choice.value for choice in family.choices] == ["v100", "tpu", "a30", "all"]
    assert len({row["series"] for row in FIGURE.rows(EN, {})}) == 3
    assert len({row["series"] for row in FIGURE.rows(EN, {"family": "all"})}) == 6
    curves = next(
        layer
        for layer in FIGURE.chart(EN, rows=FIGURE.rows(EN, {})).to_dict(validate=False)["layer"]
        if layer["name"] == "curves"
    )
    legend = curves["encoding"]["color"]["legend"]
    assert len(legend["values"]) == 3


def test_few_series_need_no_choice() -> None:
    """One submission has neither a choice of accelerators nor a part of the legend."""
    assert [control.key for control in drawn(logged.submission(4, 4)).controls] == ["axis"]


def test_time_is_in_the_unit_of_the_longest_run() -> None:
    """Runs of hours are told in hours, runs of minutes in minutes, to the log's millisecond."""
    assert max(value for value in FIGURE.table["time"]) == 8.0  # four epochs of two hours
    short = drawn(logged.submission(4, 4, minutes=1.5))
    assert [column.unit for column in short.columns if column.name == "time"] == ["min"]
    assert max(short.table["time"]) == 6.0


def test_the_axis_can_be_chosen() -> None:
    """Along epochs, time, and time on a logarithmic axis; the columns behind them are the
    table's.
    """
    xs = {
        axis: layers(FIGURE, axis=axis)["curves"]["encoding"]["x"]
        for axis in ("epochs", "time", "time-log")
    }

    assert [x["axis"]["title"] for x in xs.values()] == [
        "epochs finished",
        "time since the start, h",
        "time since the start, h",
    ]
    assert xs["time-log"]["scale"]["type"] == "log"
    rows = FIGURE.rows(EN, {"axis": "time", "family": "all"})
    assert all(row["along"] == row["time"] for row in rows)


def test_near_the_target_marks_are_whole_or_left_out() -> None:
    """The axis begins a little below the targets; marks below it are not drawn."""
    close = layers(FIGURE, range="target")
    low, high = close["curves"]["encoding"]["y"]["scale"]["domain"]

    assert round(low, 5) == round(0.749 * 0.92, 5) and high >= 0.76
    assert close["curves"]["mark"]["clip"] and "clip" not in layers(FIGURE)["curves"]["mark"]
    assert f"datum.value >= {low!r}" in close["ends"]["transform"][0]["filter"]


def test_the_page_sums_up_what_the_downloads_hold() -> None:
    """A row for each series and target, with the fewest, the median and the most."""
    assert FIGURE.digest is not None
    row = next(
        row
        for row in FIGURE.digest.table.to_dict("records")
        if row["series"] == "nvidia-dgx-1-tensorflow-v0-5"
    )

    assert (row["n"], row["hits"]) == (5, 4)
    assert [row[f"reach_{end}"] for end in ("low", "mid", "high")] == [4, 4.5, 5]
    assert [row[f"time_{end}"] for end in ("low", "mid", "high")] == [4, 4.5, 5]
    assert len(FIGURE.table) > 100 > len(FIGURE.digest.table) == 6
    page = markup.table(FIGURE, EN, "")
    assert page.count("<tr data-") == 6 and 'data-family_id="v100"' in page


def test_every_figure_of_the_sum_is_its_reference() -> None:
    """Each figure in the page's table has a reference and equals what that resolves to; how many
    runs reached the target is counted.
    """
    facts = Facts(Archive(runs=tuple(run for group in many() for run in group)), recorded.known())
    assert FIGURE.digest is not None

    columns = [column for column in FIGURE.digest.columns if column.name != "hits"]
    articles.hold_references(facts, FIGURE.digest.table, columns)


def test_curves_that_aimed_at_nothing_are_not_summed_up() -> None:
    """There is nothing to reach: the page has the points themselves."""
    figure = drawn(*([replace(run, metrics=(), targets=()) for run in group] for group in many()))

    assert len(figure.table) > 100 and figure.digest is None


def test_a_long_table_is_told_in_short() -> None:
    """What all rows share is told once, a name for many rows once."""
    compiled = vega.Compiled(
        {}, FIGURE.chart(EN, rows=FIGURE.rows(EN, {})).to_dict(validate=False), [], [], {}, {}
    )
    rows = list(FIGURE.records(EN))
    payload = {
        **share_payload.common_payload(FIGURE, compiled, rows),
        **share_payload.language_payload(FIGURE, compiled, rows, EN),
    }

    assert payload["same"]["origin"] == "imported" and "origin" not in payload["columns"]
    assert len(payload["texts"]["label"]["words"]) == 6


def test_the_headline_counts_runs_and_submissions() -> None:
    """The target that most aimed at, how many reached it, and how many aimed at another."""
    said = plain(FIGURE.headline(EN, {"family": "all"}))

    counted = (
        "The target (top-1 accuracy: 75.9%) is reached by all 15 runs from 3 submissions, "
        "each after 4 epochs."
    )
    assert said == f"{counted} Runs shown with another target: 15."
    one = plain(drawn(logged.submission(4, 5, None)).headline(EN))
    assert (
        one
        == "DGX-1 · TensorFlow · v0.5 (2018): the target (top-1 accuracy: 74.9%) is reached by 2 "
        "of 3 runs, after 4 to 5 epochs."
    )


def plain(text: str) -> str:
    """With plain spaces."""
    return (
        text.replace("\N{NO-BREAK SPACE}", " ")
        .replace("\N{NARROW NO-BREAK SPACE}", " ")
        .replace("\N{WORD JOINER}", "")
    )


def by_samples() -> list[Run]:
    """A submission whose logs count samples and have a loss."""
    goal = Target("loss", 0.925, Direction.AT_MOST)
    runs = logged.submission(
        4,
        4,
        workload="llama2-70b-lora-scrolls",
        system="amd-8xmi300x",
        accelerator="mi300x",
        target=goal,
    )
    found = []
    for run in runs:
        read = tuple(
            Evaluation("loss", 1.2 - 0.07 * n, samples=384 * n, time_s=60.0 * n)
            for n in range(1, 5)
        )
        hits = tuple(
            replace(hit, name="samples_to_target", value=1536.0, unit="samples")
            for hit in run.metrics
            if hit.unit == "epochs"
        )
        found.append(replace(run, evaluations=read, metrics=hits))
    return found


def test_a_loss_falls_along_samples() -> None:
    """Where no log counts epochs; a loss is no percentage, and is reached from above."""
    figure = drawn(by_samples(), workload="llama2-70b-lora-scrolls")
    goal = layers(figure)["goal_words"]["data"]["values"][0]

    assert [choice.value for choice in figure.controls[0].choices] == [
        "samples",
        "time",
        "time-log",
        "energy",
    ]
    assert goal["words"] == "target 0.925: both"
    assert layers(figure)["curves"]["encoding"]["y"]["axis"]["title"] == "loss"
    assert plain(figure.headline(EN)).endswith("is reached by both runs, each after 1,536 samples.")


def test_curves_go_along_cost_and_energy_where_they_are_known() -> None:
    """By the price of an hour and the makers' power; what has no price is left out, and said."""
    chips = [
        replace(run, accelerators=4)
        for run in logged.submission(4, 5, system="cloud-tpu-v2-8", accelerator="tpu-v2")
    ]
    figure = drawn(chips, logged.submission(4, 4, 5))
    axis = next(control for control in figure.controls if control.key == "axis")
    rows = [row for row in figure.table.to_dict("records") if row["kind"] == "evaluation"]
    tpu = next(row for row in rows if row["run_id"] == chips[0].run_id)
    card = next(row for row in rows if row["run_id"] not in {run.run_id for run in chips})
    said = " ".join(plain(note) for note in figure.notes(EN))

    assert [choice.value for choice in axis.choices][-2:] == ["cost", "energy"]
    assert axis.fields["along"]["cost"] == "cost"
    assert tpu["cost"] == round(float(tpu["time_s"]) / 3600 * 6.7, 6)
    assert tpu["energy"] == round(float(tpu["time_s"]) / 3600 * 4 * 0.28, 6)
    assert not present(card["cost"])
    assert present(card["energy"])
    assert layers(figure, axis="cost")["curves"]["encoding"]["x"]["axis"]["title"] == "cost, USD"
    assert (
        layers(figure, axis="energy")["curves"]["encoding"]["x"]["axis"]["title"] == "energy, kWh"
    )
    assert layers(figure, axis="cost")["bands"]["transform"][0] == {"filter": "false"}
    legends = [
        figure.chart(EN, state=state).to_dict(validate=False)["layer"]
        for state in ({}, {"axis": "cost"})
    ]
    keys = [
        next(layer for layer in found if layer["name"] == "curves")["encoding"]["color"][
            "legend"
        ].get("values")
        for found in legends
    ]
    assert keys == [None, [tpu["label"]]]
    assert (
        f"{tpu['label']}: USD 6.70 an hour; Google Cloud, Cloud TPU v2-8; on demand; undated price"
        in said.replace("\xa0", " ")
    )
    assert "the accelerators’ power in the hardware catalogue" in said
    left = len(set(figure.table["run_id"])) - len(chips)
    drawn_along = [
        note
        for note in figure.pictured(EN, {"axis": "cost"})
        if f"Not on this axis: {left} of {left + len(chips)} runs" in note
    ]
    assert len(drawn_along) == 1, "counts at targets are of all runs"
    assert not any("leaves out" in note for note in figure.pictured(EN, {"axis": "energy"})), (
        "all have a power"
    )


def test_a_meter_comes_before_the_power_of_the_maker() -> None:
    """Its average until the run's end; a run that did not end is reckoned by the maker's."""
    first, second = logged.submission(4, None, system="cloud-tpu-v2-8", accelerator="tpu-v2")
    meter = Metric("energy_j", 4 * 3600 * 500.0, "J")
    archive = Archive(
        runs=tuple(replace(run, metrics=(*run.metrics, meter)) for run in (first, second))
    )
    found = spendings(Evidence(archive, recorded.known()))

    assert (found[first.run_id].power_w, found[first.run_id].metered) == (500.0, True)
    assert (found[second.run_id].power_w, found[second.run_id].metered) == (8 * 280.0, False)


def test_two_targets_are_two_choices() -> None:
    """A control chooses boxes or masks, the axis says which, and each has its own target."""
    boxes, masks = Target("box_ap", 0.377), Target("mask_ap", 0.339)
    runs = []
    for run in logged.submission(4, 4, workload="mask-rcnn-coco", target=boxes):
        second = [replace(e, metric="mask_ap", value=e.value - 0.038) for e in run.evaluations]
        hits = [replace(hit, target=masks) for hit in run.metrics]
        runs.append(
            replace(
                run,
                targets=(boxes, masks),
                evaluations=(*run.evaluations, *second),
                metrics=(*run.metrics, *hits),
            )
        )
    figure = drawn(runs, workload="mask-rcnn-coco")

    for metric, title, word in (
        ("box_ap", "box AP", "target 37.7%: both"),
        ("mask_ap", "mask AP", "target 33.9%: both"),
    ):
        found = layers(figure, quality=metric)
        assert found["curves"]["encoding"]["y"]["axis"]["title"] == title
        assert [mark["words"] for mark in found["goal_words"]["data"]["values"]] == [word]
        assert {row["metric"] for row in figure.rows(EN, {"quality": metric})} == {metric}
    joins = {"join.comma": "{first}、{second}", "join.colon": "{what}：{text}"}
    japanese = replace(EN, strings={**EN.strings, **joins})
    assert "box AP：37.7%、mask AP: 33.9%" in plain(figure.headline(japanese))
    both = "(box AP: 37.7%, mask AP: 33.9%) is reached by both runs"
    assert both in plain(figure.headline(EN))


def test_kinds_of_accelerators_leave_their_variants_out() -> None:
    """A V100 of either memory, every TPU; an unknown accelerator goes by its machine."""
    [run, _] = logged.submission(4, 4)
    kinds = ["v100-sxm2-32gb", "v100-pcie", "tpu-v4", "gb200"]

    assert [curve.family(replace(run, accelerator=kind), recorded.known()) for kind in kinds] == [
        "V100",
        "V100",
        "TPU",
        "GB200",
    ]
    assert curve.family(recorded.MEASURED, recorded.known()) == "Example CPU"


def test_bleu_has_no_percent_sign() -> None:
    """Curves, targets and headline of a BLEU go from 0 to 100."""
    bleu = Target("bleu", 0.24)
    figure = drawn(logged.submission(4, 5, workload=logged.GNMT, target=bleu), workload=logged.GNMT)

    assert layers(figure)["goal_words"]["data"]["values"][0]["words"] == "target 24.0: both"
    assert max(figure.table["quality"]) == 24.1
    assert "the target (BLEU: 24.0) is reached by both runs, after 4 to 5 epochs." in plain(
        figure.headline(EN)
    )


def test_where_evaluations_are_many_a_page_has_no_mark_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Their layer stays and is empty; the pointer finds them by its name."""
    figure = drawn(*many())
    few = layers(figure)["evaluations"]["transform"][0]["filter"]
    monkeypatch.setattr(curves, "MANY", 3)
    found = layers(figure)

    assert few.startswith(curves.READ)
    assert found["evaluations"]["transform"][0]["filter"].startswith("false")
    assert list(found) == list(layers(figure, axis="time"))
    runtime = Path(curves.__file__).parents[2] / "assets" / "runtime" / "nearest.js"
    assert '"evaluations_marks"' in runtime.read_text("utf-8")


@pytest.mark.parametrize(
    ("costs", "wanted"),
    [((None, None, 3.0), "TPU"), ((2.0, None, 3.0), ""), ((None, None, None), "")],
)
def test_a_view_by_cost_is_of_accelerators_that_have_one(
    costs: tuple[float | None, ...], wanted: str
) -> None:
    """Where those drawn first have none, it would be empty."""
    table = pd.DataFrame(
        {"series": ["a", "b", "c"], "family": ["A100", "A100", "TPU"], "cost": costs}
    )

    assert curve_choices.priced(table, ["A100", "TPU"]) == wanted
    assert curve_choices.priced(table, []) == ""
