"""What the figures of the first report say, and what they never say."""

import json
import re
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pandas as pd
import pytest

from kernels.records import DataKind, Metric, Stat, Target
from kernels.store import Archive
from site_src.charts import markup, vega
from site_src.charts import table as share_table
from site_src.figures.base import Figure, relative_decimals
from site_src.figures.columns import present
from site_src.figures.controls import Sentence
from site_src.figures.written import FigureError
from tests.site_src import articles, recorded

EN = recorded.english()
JOINED = "\N{NO-BREAK SPACE}"


def plain(text: str) -> str:
    """Text with plain spaces only."""
    return text.replace(JOINED, " ")


def changed(run_id: str, name: str, **fields: object) -> dict[str, Figure]:
    """The figures of the same archive with one figure of one run changed."""
    return recorded.figures_of(recorded.changed(recorded.archive(), run_id, name, **fields))


def test_the_promised_charts_exist() -> None:
    """Six of the report and one of costs, two of the measured run, one of its machine."""
    assert set(recorded.drawn()) == {
        *(
            f"tpuv2-v100-{name}"
            for name in ("throughput", "data", "value", "accuracy", "target", "convergence")
        ),
        "resnet50-imagenet-costs",
        "digits-cnn-convergence",
        "digits-cnn-steps",
        "example-cpu-batch",
    }


@pytest.mark.parametrize("name", sorted(recorded.drawn()))
def test_each_figure_is_valid_and_worded(name: str) -> None:
    """Every figure passes the Vega-Lite schema, and has its words in both languages."""
    articles.hold_words(recorded.drawn()[name])


@pytest.mark.parametrize("name", sorted(recorded.drawn()))
def test_every_figure_of_a_table_is_its_reference(name: str) -> None:
    """Each figure in a table equals what its reference resolves to."""
    figure = recorded.drawn()[name]
    articles.hold_references(recorded.facts(), figure.table, figure.columns, each=False)


AT_MOMENTS = {"curves", "elsewhere", "convergence", "steps", "timeline"}
"""Charts of a moment each: which one, and what had been spent until then, has no reference."""

ASKED = {("costs", "accelerators"), ("costs", "batch"), ("measured_peak", "batch")}
"""Settings of runs that are worked out from several."""

ANSWERED = {("costs", "cost"), ("costs", "hourly")}
"""What the calculator answers without one formula: of a price by the second, in another currency."""


@pytest.mark.parametrize("whole", [False, pytest.param(True, marks=pytest.mark.whole)])
def test_every_figure_of_a_chart_has_references(whole: bool) -> None:
    """All columns of figures, but those that name a row, a setting or a moment."""
    without = {
        (figure.key, column.name)
        for figure in recorded.every(whole=whole).values()
        for column in figure.columns
        if column.kind in articles.FIGURES
        for row in figure.plain
        if present(row[column.name]) and not present(row.get(column.ref))
    }

    assert {
        (key, name)
        for key, name in without - ASKED - ANSWERED
        if name not in articles.COUNTED | {"term_months"} and key not in AT_MOMENTS
    } == set()


def test_the_reports_figures_come_out() -> None:
    """As the first article prints them."""
    value, target, data = (
        recorded.drawn()[f"tpuv2-v100-{name}"].table for name in ("value", "target", "data")
    )

    assert [round(rate) for rate in value["rate"]] == [476, 256, 372, 304]
    costs = target[(target["target"] == "0.757") & (target["measure"] == "cost")]["value"]
    assert [round(cost, 2) for cost in costs] == [54.58, 128.46, 88.45, 108.18]
    assert [round(share, 3) for share in data["share"].dropna()] == [0.878, 0.908]


def test_out_of_memory_is_a_mark_and_no_number() -> None:
    """The failed batch of 1024 stands at its batch size without a value, and says why."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    failed = next(row for row in figure.rows(EN, {}) if row["status"] == "oom")

    assert failed["category"] == 1024
    assert failed["value"] is None
    assert failed["text"] == EN.say("status.oom")


def test_a_target_that_was_not_reached_has_no_number() -> None:
    """At 76.4 % the V100 shows its best value and never 0."""
    figure = recorded.drawn()["tpuv2-v100-target"]
    rows = figure.rows(EN, {"target": "0.764", "measure": "epochs"})

    assert [row["value"] for row in rows] == [86, None]
    assert rows[1]["status"] == "not_converged"
    assert "75.7%" in str(rows[1]["text"])


def test_an_offer_of_another_machine_is_marked() -> None:
    """Cirrascale's price on a run measured at AWS has a dagger, and the dagger its remark."""
    figure = recorded.drawn()["tpuv2-v100-value"]
    # a narrow column cuts the end
    marked = [row["under"] for row in figure.rows(EN, {}) if str(row["under"]).startswith("†")]

    assert len(marked) == 1 and "Cirrascale" in str(marked[0])
    assert any(note.startswith("†") and "Cirrascale" in note for note in figure.notes(EN))


def test_per_chip_is_a_quarter() -> None:
    """The basis turns batch and throughput of four chips into those of one."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    whole, chip = (
        [row for row in figure.rows(EN, {"basis": basis}) if row["value"]]
        for basis in ("global", "chip")
    )

    assert [row["value"] for row in chip] == [float(str(row["value"])) / 4 for row in whole]
    assert {row["category"] for row in chip} == {192, 256}


def test_relative_values_have_a_named_baseline() -> None:
    """Over the V100 the TPU has 1.019, the baseline itself 1, and the axis names it."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    state = {"view": "relative", "baseline": "aws-p3.8xlarge-tensorflow"}
    rows = {str(row["series"]): row for row in figure.rows(EN, state) if row["category"] == 1024}

    assert rows["aws-p3.8xlarge-tensorflow"]["value"] == 1
    assert round(float(str(rows["cloud-tpu-v2-8-tensorflow"]["value"])), 3) == 1.019
    assert "4 × V100 · TensorFlow" in figure.axis_title(EN, state)


def labels_of(figure: Figure, state: dict[str, str]) -> list[str]:
    """What stands along the value axis of a picture."""
    drawn = vega.svg(
        vega.vega(vega.lite(figure, EN, "light", state, width=720, interactive=False)), EN
    )
    axes = re.findall(r'<g class="mark-text role-axis-label"[^>]*>(.*?)</g>', drawn)
    return [text for axis in axes for text in re.findall(r"<text[^>]*>([^<]+)</text>", axis)]


def test_a_logarithmic_axis_goes_as_far_as_its_ratios() -> None:
    """Ratios of 0.98 to 1.03 do not crowd; over decades powers of ten alone are labelled."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    near = labels_of(
        figure, {"scale": "log", "view": "relative", "baseline": "cloud-tpu-v2-8-tensorflow"}
    )

    assert {"0.95", "1", "1.05"} <= set(near) and not {"0.1", "2", "10"} & set(near)

    far = changed(
        "tpuv2-v100-v100-tensorflow-synthetic-1024", "throughput_images_per_s", value=8.0
    )["tpuv2-v100-throughput"]
    assert [
        label for label in labels_of(far, {"scale": "log"}) if label not in {"768", "1,024"}
    ] == ["10", "100", "1,000", "10,000"]


def legend_fills(figure: Figure, **state: str) -> list[str]:
    """What fills the symbols of a picture's legend."""
    drawn = vega.svg(
        vega.vega(vega.lite(figure, EN, "light", state, width=720, interactive=False)), EN
    )
    symbols = re.findall(r'role-legend-symbol"[^>]*>(<path[^>]*>)', drawn)
    return [
        fill[1] if (fill := re.search(r'fill="([^"]*)"', symbol)) else "transparent"
        for symbol in symbols
    ]


def mixed(origin: str) -> Figure:
    """A chart of publications with one figure of the TPU from elsewhere."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    first = figure.table.index[figure.table["series"] == "cloud-tpu-v2-8-tensorflow"][0]
    both = pd.concat(
        [figure.table, figure.table.loc[[first]].assign(origin=origin)], ignore_index=True
    )
    return replace(figure, table=both)


@pytest.mark.parametrize(
    ("origin", "filling", "opacity"), [("measured", "both", "0.5"), ("imported", "hollow", "0")]
)
def test_a_legend_claims_no_origin_that_only_some_marks_have(
    origin: str, filling: str, opacity: str
) -> None:
    """With filled marks and hollow ones it has a tint; with hollow ones alone it is hollow."""
    figure = mixed(origin)
    tpu = next(series for series in figure.series if series.id == "cloud-tpu-v2-8-tensorflow")
    fills = [
        layer
        for layer in figure.chart(EN, rows=figure.rows(EN, {})).to_dict(validate=False)["layer"]
        if layer["name"] == "ends"
    ]
    symbols = json.dumps(
        [layer["encoding"]["color"]["legend"]["symbolFillColor"] for layer in fills]
    )

    assert [figure.filling(series) for series in figure.series] == [filling, "hollow", "hollow"]
    assert (
        re.findall(r'fill-opacity="([^"]+)"', markup.legend(figure, EN))
        == [opacity] * 2 + ["0"] * 4
    )
    assert (
        (tpu.look.tint("light") in symbols)
        == (filling == "both")
        == (EN.say("figure.origin_both") in figure.remarks(EN))
    )
    assert figure.series[1].look.light not in symbols
    assert legend_fills(figure) == [
        tpu.look.tint("light") if filling == "both" else "transparent",
        "transparent",
        "transparent",
    ]


def test_a_legend_is_filled_as_the_marks_that_are_drawn() -> None:
    """One that has measured figures in another state alone is hollow in this one."""
    usual = recorded.drawn()["tpuv2-v100-target"]
    later = (usual.table["system"] == "cloud-tpu-v2-8") & (usual.table["target"] == "0.764")
    figure = replace(
        usual, table=usual.table.assign(origin=usual.table["origin"].where(~later, "measured"))
    )
    [tpu] = [series for series in figure.series if series.id.startswith("cloud-tpu-v2-8")]

    assert figure.filling(tpu) == "both" and set(legend_fills(figure)) == {"transparent"}
    assert legend_fills(figure, target="0.764").count(tpu.look.light) == 1


def test_a_series_that_was_measured_is_filled_in_the_legend() -> None:
    """In its own colour, as its marks are."""
    figure = recorded.drawn()["example-cpu-batch"]
    [series] = figure.series

    assert figure.filling(series) == "filled"
    assert 'fill-opacity="1"' in markup.swatch(series, filling=figure.filling(series))

    published = recorded.drawn()["tpuv2-v100-throughput"]
    tpu = published.series[0]
    measured = published.table["origin"].where(published.table["series"] != tpu.id, "measured")
    assert legend_fills(replace(published, table=published.table.assign(origin=measured))) == [
        tpu.look.light,
        "transparent",
        "transparent",
    ]


def test_unknown_state_is_ignored() -> None:
    """An old address with keys and values that are no more draws the default."""
    figure = recorded.drawn()["tpuv2-v100-target"]

    assert figure.rows(EN, {"target": "0.9", "junk": "1", "hide": "nobody"}) == figure.rows(EN, {})


def test_an_address_cannot_hide_everything() -> None:
    """With every series named in `hide`, the chart shows what it shows without it."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    everything = ",".join(series.id for series in figure.series)

    assert figure.rows(EN, {"hide": everything}) == figure.rows(EN, {})
    assert len(figure.rows(EN, {"hide": figure.series[0].id})) < len(figure.rows(EN, {}))


def test_systems_without_a_common_batch_are_not_compared() -> None:
    """768 with MXNet and 1024 on the TPU remain: the headline names the fastest alone."""
    left = recorded.without(recorded.archive(), "tpuv2-v100-v100-tensorflow-synthetic-1024")
    said = recorded.figures_of(left)["tpuv2-v100-throughput"].headline(EN)

    assert "768" in said and "3,280" in said and "3,186" not in said


def test_the_headline_follows_the_data() -> None:
    """With the TPU below, the V100 leads the sentence; with both equal, none does."""
    tpu = "tpuv2-v100-tpu-synthetic-1024"
    ahead = recorded.drawn()["tpuv2-v100-throughput"].headline(EN)
    behind = changed(tpu, "throughput_images_per_s", value=3000.0)[
        "tpuv2-v100-throughput"
    ].headline(EN)
    equal = changed(tpu, "throughput_images_per_s", value=3128.0)["tpuv2-v100-throughput"].headline(
        EN
    )

    assert ahead.index("TPU") < ahead.index("V100")
    assert behind.index("V100") < behind.index("TPU")
    assert "3,128" in equal and "more" not in equal


def test_a_sentence_that_leaves_a_figure_out_stops_the_build() -> None:
    """A translation without {gap} is refused by key and file."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    poorer = replace(
        EN,
        strings={
            **EN.strings,
            "figure.throughput.headline.first": "{first} leads {second}: {first_value} at {batch}.",
        },
    )

    with pytest.raises(FigureError, match=r"does not say \{gap\}"):
        figure.headline(poorer)


def test_a_sentence_that_says_another_figure_stops_the_build() -> None:
    """A headline whose text is not its value is refused."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    wrong = replace(
        figure,
        sentence=lambda _: Sentence(
            "headline.single",
            (("batch", "1,024", 1024.0, "x"), ("first_value", "3,187", 3186.0, "y")),
            {"first": "A"},
        ),
    )

    with pytest.raises(FigureError, match="3,187"):
        wrong.headline(EN)


def test_one_run_alone_says_so() -> None:
    """A bar of a single run carries n = 1; one whose source names no number does not."""
    said = changed("tpuv2-v100-tpu-imagenet-1024", "final_accuracy", value=0.764, n=1)[
        "tpuv2-v100-accuracy"
    ]

    assert [row["one"] for row in said.rows(EN, {})] == ["n = 1", None]


def test_a_withdrawn_run_leaves_the_charts() -> None:
    """A withdrawn run is in no figure."""
    found = recorded.figures_of(recorded.without(recorded.archive(), "digits-cnn-example"))

    assert not [figure for figure in found.values() if "digits-cnn-example" in figure.runs]


def test_a_real_log_gives_a_curve(external: Path) -> None:
    """An MLPerf log becomes a curve with its evaluations on the workload's figure."""
    from kernels.importers import mlperf  # noqa: PLC0415 - the other tests need no importer of logs

    log = next(iter(sorted(external.glob("mlperf-training/*0.5*/**/resnet*/**/result_0.txt"))))
    whole = recorded.archive()
    runs = sorted((*whole.runs, *mlperf.read_log(log).runs), key=lambda run: run.run_id)

    found = recorded.figures_of(Archive(runs=tuple(runs), sources=whole.sources))
    table = found["resnet50-imagenet-convergence"].table

    assert (table["kind"] == "evaluation").sum() > 10
    assert "published" not in set(table["origin"])


def test_metrics_of_the_example_are_used() -> None:
    """The learning rate's fall is marked after the second epoch, the compile step by its phase."""
    curve, steps = (
        recorded.drawn()[f"digits-cnn-{name}"].table for name in ("convergence", "steps")
    )

    assert list(curve[curve["kind"] == "rate"]["epoch"]) == [2.0]
    assert list(steps["phase"]) == ["compile", "warmup", "measure", "measure", "measure"]


def seeds(*epochs: float | None) -> dict[str, Figure]:
    """One run of the example for each number of epochs to 93 %; None did not reach it."""
    goal = Target(metric="top1", value=0.93)
    example = recorded.MEASURED
    runs = []
    for seed, reached in enumerate(epochs):
        hit = (
            (Metric("epochs_to_target", reached, "epochs", n=1, target=goal),)
            if reached is not None
            else ()
        )
        curve = (
            example.evaluations
            if reached is not None
            else tuple(replace(e, value=e.value - 0.1) for e in example.evaluations)
        )
        assert example.started_at is not None
        start = example.started_at + timedelta(minutes=seed)
        run_id = f"{example.run_id}-{seed}"
        runs.append(
            replace(
                example,
                run_id=run_id,
                seed=seed,
                metrics=(*example.metrics, *hit),
                evaluations=curve,
                started_at=start,
            )
        )
    return recorded.figures_of(Archive(runs=tuple(runs)))


def test_several_seeds_are_counted() -> None:
    """Two of three that reach the target, from the fewest epochs to the most."""
    figure = seeds(2.0, 3.0, None)["digits-cnn-convergence"]
    layers = {layer["name"]: layer for layer in figure.chart(EN).to_dict(validate=False)["layer"]}

    assert (
        plain(figure.headline(EN))
        == "Example CPU · PyTorch: 93.0% top-1 accuracy is reached by 2 of 3 runs, after 2 to 3 "
        "epochs."
    )
    assert layers["goal_words"]["data"]["values"] == [
        {"goal": 0.93, "words": "target 93.0%: 2 of 3"}
    ]
    assert layers["curves"]["mark"]["strokeWidth"] < 2
    assert any("Each line is one run: 3 on" in note for note in figure.notes(EN))


def test_seeds_that_agree_have_no_range() -> None:
    """Equal epochs are one number; one run alone is not counted."""
    both, one = seeds(3.0, 3.0)["digits-cnn-convergence"], seeds(3.0)["digits-cnn-convergence"]

    assert plain(both.headline(EN)).endswith("is reached by both runs, after 3 epochs.")
    assert (
        plain(one.headline(EN))
        == "Example CPU · PyTorch reaches 93.0% top-1 accuracy after 3 epochs."
    )


def test_a_run_that_was_not_clocked_counts_by_its_curve() -> None:
    """It reached the target if one of its evaluations did."""
    hit = Metric("epochs_to_target", 3.0, "epochs", n=1, target=Target(metric="top1", value=0.93))
    clocked = replace(
        recorded.MEASURED, run_id="digits-cnn-clocked", metrics=(*recorded.MEASURED.metrics, hit)
    )
    found = recorded.figures_of(Archive(runs=(recorded.MEASURED, clocked)))
    layers = {
        layer["name"]: layer
        for layer in found["digits-cnn-convergence"].chart(EN).to_dict(validate=False)["layer"]
    }

    assert layers["goal_words"]["data"]["values"][0]["words"] == "target 93.0%: both"


def test_costs_name_their_offers() -> None:
    """On demand is not compared with reserved unsaid."""
    said = plain(recorded.drawn()["tpuv2-v100-target"].headline(EN))

    assert "on demand, USD 6.70" in said and "reserved for 12 months, USD 8.40" in said


def test_a_unit_that_ends_in_a_full_stop_ends_the_sentence() -> None:
    """After "п.п." no second full stop follows; elsewhere the sentence keeps its own."""
    figure = recorded.drawn()["tpuv2-v100-accuracy"]
    strings = {
        **EN.strings,
        "unit.percentage_points": "п.п.",
        "figure.accuracy.headline.first": "{first} {first_value}, {second} {second_value}, {gap}.",
    }

    assert f"0.7{JOINED}п.п. Training" in figure.headline(replace(EN, strings=strings))


def test_titles_tell_charts_of_one_kind_apart() -> None:
    """By workload or cards, not by who published the figures; no two are called the same."""
    figures = recorded.drawn()
    headings = [figure.heading(EN) for figure in figures.values()]

    assert figures["tpuv2-v100-convergence"].heading(EN) == "Accuracy by epoch: ResNet-50"
    assert figures["tpuv2-v100-convergence"].caption(EN) == "Accuracy by epoch: ResNet-50"
    assert figures["digits-cnn-convergence"].heading(EN).endswith(": Digits CNN")
    assert sorted(headings) == sorted(set(headings))


def test_steps_are_drawn_on_a_logarithmic_axis_first() -> None:
    """The first step takes many times the median; a linear axis is the reader's choice."""
    figure = recorded.drawn()["digits-cnn-steps"]

    assert figure.scales == ("log", "linear")
    assert (
        figure.scale({}),
        figure.scale({"scale": "linear"}),
        figure.scale({"scale": "junk"}),
    ) == ("log", "linear", "log")


def test_a_workloads_systems_stand_beside_each_other() -> None:
    """A run of our own and the article's, with batch, precision and origin."""
    speed = Metric("throughput_images_per_s", 11.132, "images/s", n=20, stat=Stat.MEDIAN)
    own = replace(
        recorded.MEASURED,
        run_id="resnet50-own",
        workload="resnet50-imagenet",
        data=DataKind.SYNTHETIC_DEVICE,
        metrics=(speed,),
        evaluations=(),
    )
    whole = recorded.archive()
    runs = sorted((*whole.runs, own), key=lambda run: run.run_id)
    figure = recorded.figures_of(replace(whole, runs=tuple(runs)))["resnet50-imagenet-throughput"]
    rows = figure.rows(EN, {})

    assert "resnet50-imagenet-throughput" not in recorded.drawn()
    assert [row["text"] for row in rows] == ["≈ 3,280", "3,186", "3,128", "11.1"]
    assert rows[-1]["under"] == "batch 32, FP32, measured"
    assert {row["origin"] for row in rows} == {"published", "measured"}
    assert figure.scales[0] == "log"
    assert figure.axis_title(EN, {}) == "images/s (log scale)"
    assert EN.say("figure.implementations") in figure.notes(EN)


def test_what_a_source_leaves_out_is_said() -> None:
    """How often it measured, the data and their augmentation."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    rows = figure.records(EN)

    assert {"n", "feed", "augmentation"} <= {column.name for column in share_table.shown(figure)}
    assert all("Runs (n): not stated" in str(row["tip"]) for row in rows)
    assert [figure.column("throughput_per_chip").write(row, EN) for row in rows][:3] == [
        "about 820",
        "796.5",
        "782.0",
    ]
    assert EN.say("figure.implementations") in figure.notes(EN)


@pytest.mark.parametrize(
    ("ratio", "written"), [(12.5, 3), (0.1, 3), (0.0999, 4), (0.00432, 5), (0.0, 3), (-0.05, 4)]
)
def test_small_ratios_keep_three_digits(ratio: float, written: int) -> None:
    """Of three decimals alone, 0.00432 would have one digit left."""
    assert relative_decimals(ratio) == written
