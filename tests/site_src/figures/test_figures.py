"""What the figures of the first report say, and what they never say."""

from dataclasses import replace
from pathlib import Path

import pytest

from kernels.claims import Facts
from kernels.records import Run
from kernels.store import Archive
from site_src import figures
from site_src.figures import FigureError
from site_src.figures.base import Figure, Sentence
from site_src.figures.columns import present
from tests.site_src import recorded

EN = recorded.english()


def changed(run_id: str, name: str, value: float, n: int | None = None) -> dict[str, Figure]:
    """The figures of the same archive with one figure of one run changed."""

    def other(run: Run) -> Run:
        metrics = tuple(replace(metric, value=value, n=n or metric.n) if metric.name == name else metric for metric in run.metrics)
        return replace(run, metrics=metrics) if run.run_id == run_id else run

    whole = recorded.archive()
    archive = Archive(
        runs=tuple(map(other, whole.runs)), claims=whole.claims, sources=whole.sources, cells=whole.cells, prices=whole.prices
    )
    return {figure.id: figure for figure in figures.figures(archive, recorded.known(), Facts(archive, recorded.known()))}


def test_the_promised_charts_exist() -> None:
    """The first report has its six charts, the measured run its two."""
    assert set(recorded.drawn()) == {
        *(f"tpuv2-v100-{name}" for name in ("throughput", "data", "value", "accuracy", "target", "convergence")),
        "digits-cnn-convergence",
        "digits-cnn-steps",
    }


@pytest.mark.parametrize("name", sorted(recorded.drawn()))
def test_each_figure_is_valid_and_worded(name: str) -> None:
    """Every figure passes the Vega-Lite schema in both languages and has title, question and headline."""
    figure = recorded.drawn()[name]
    for locale in (EN, recorded.foreign()):
        specification = figure.chart(locale).to_dict()

        assert specification["data"]["name"] == "rows"
        assert figure.title(locale) and figure.question(locale)
        assert figure.headline(locale).endswith("." if locale is EN else "ñandú")


@pytest.mark.parametrize("name", sorted(recorded.drawn()))
def test_every_figure_of_a_table_is_its_reference(name: str) -> None:
    """Each figure in a table equals what its reference resolves to."""
    figure = recorded.drawn()[name]
    for row in figure.table.to_dict("records"):
        for column in figure.columns:
            if column.ref and present(row[column.name]) and present(row[column.ref]):
                assert recorded.facts().get(str(row[column.ref])).value == row[column.name], (name, column.name)


def test_the_reports_figures_come_out() -> None:
    """476, 256, 372 and 304 images/s per USD/h; USD 54.58, 128.46, 88.45; 87.8 and 90.8 % with real data."""
    value, target, data = (recorded.drawn()[f"tpuv2-v100-{name}"].table for name in ("value", "target", "data"))

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
    marked = [row["under"] for row in figure.rows(EN, {}) if "†" in str(row["under"])]

    assert len(marked) == 1 and "Cirrascale" in str(marked[0])
    assert any(note.startswith("†") and "Cirrascale" in note for note in figure.notes(EN))


def test_per_chip_is_a_quarter() -> None:
    """The basis turns batch and throughput of four chips into those of one."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    whole, chip = ([row for row in figure.rows(EN, {"basis": basis}) if row["value"]] for basis in ("global", "chip"))

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


def test_unknown_state_is_ignored() -> None:
    """An old address with keys and values that are no more draws the default."""
    figure = recorded.drawn()["tpuv2-v100-target"]

    assert figure.rows(EN, {"target": "0.9", "junk": "1", "hide": "nobody"}) == figure.rows(EN, {})


def test_the_headline_follows_the_data() -> None:
    """With the TPU below, the V100 leads the sentence; with both equal, none does."""
    tpu = "tpuv2-v100-tpu-synthetic-1024"
    ahead = recorded.drawn()["tpuv2-v100-throughput"].headline(EN)
    behind = changed(tpu, "throughput_images_per_s", 3000.0)["tpuv2-v100-throughput"].headline(EN)
    equal = changed(tpu, "throughput_images_per_s", 3128.0)["tpuv2-v100-throughput"].headline(EN)

    assert ahead.index("TPU") < ahead.index("V100")
    assert behind.index("V100") < behind.index("TPU")
    assert "3,128" in equal and "more" not in equal


def test_a_sentence_that_leaves_a_figure_out_stops_the_build() -> None:
    """A translation without {gap} is refused by key and file."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    poorer = replace(EN, strings={**EN.strings, "figure.throughput.headline.first": "{first} leads {second}: {first_value} at {batch}."})

    with pytest.raises(FigureError, match=r"does not say \{gap\}"):
        figure.headline(poorer)


def test_a_sentence_that_says_another_figure_stops_the_build() -> None:
    """A headline whose text is not its value is refused."""
    figure = recorded.drawn()["tpuv2-v100-throughput"]
    wrong = replace(
        figure,
        sentence=lambda _: Sentence(
            "headline.single", (("batch", "1,024", 1024.0, "x"), ("first_value", "3,187", 3186.0, "y")), {"first": "A"}
        ),
    )

    with pytest.raises(FigureError, match="3,187"):
        wrong.headline(EN)


def test_one_run_alone_says_so() -> None:
    """A bar of a single run carries n = 1; one whose source names no number does not."""
    said = changed("tpuv2-v100-tpu-imagenet-1024", "final_accuracy", 0.764, n=1)["tpuv2-v100-accuracy"]

    assert [row["one"] for row in said.rows(EN, {})] == [EN.say("figure.one"), None]


def test_a_withdrawn_run_leaves_the_charts() -> None:
    """A withdrawn run is in no figure."""
    whole = recorded.archive()
    runs = tuple(replace(run, withdrawn="wrong clock") if run.run_id == "digits-cnn-example" else run for run in whole.runs)
    archive = Archive(runs=runs, sources=whole.sources, cells=whole.cells)

    found = figures.figures(archive, recorded.known(), Facts(archive, recorded.known()))

    assert not [figure for figure in found if "digits-cnn-example" in figure.runs]


def test_a_real_log_gives_a_curve(external: Path) -> None:
    """An MLPerf log becomes a curve with its evaluations on the workload's figure."""
    from kernels.importers import mlperf  # noqa: PLC0415 - the other tests need no importer of logs

    log = next(iter(sorted(external.glob("mlperf-training/*0.5*/**/resnet*/**/result_0.txt"))))
    whole = recorded.archive()
    archive = Archive(runs=tuple(sorted((*whole.runs, *mlperf.read(log).runs), key=lambda run: run.run_id)), sources=whole.sources)

    found = {figure.id: figure for figure in figures.figures(archive, recorded.known(), Facts(archive, recorded.known()))}
    table = found["resnet50-imagenet-convergence"].table

    assert (table["kind"] == "evaluation").sum() > 10
    assert "published" not in set(table["origin"])


def test_metrics_of_the_example_are_used() -> None:
    """The learning rate's fall is marked after the second epoch, the compile step by its phase."""
    curve, steps = (recorded.drawn()[f"digits-cnn-{name}"].table for name in ("convergence", "steps"))

    assert list(curve[curve["kind"] == "rate"]["epoch"]) == [2.0]
    assert list(steps["phase"]) == ["compile", "warmup", "measure", "measure", "measure"]
