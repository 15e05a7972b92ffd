"""Speed by batch size, as the article on two RTX 2080 Ti and a TPU has it."""

from dataclasses import replace

from kernels.store import Archive
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.questions.speed import batch
from tests.makers import transcribed
from tests.site_src import articles, recorded

SOURCE = "rtx2080ti-colab-tpu"
FIGURE = articles.drawn(SOURCE)["batch"]
EN = recorded.english()


def test_throughput_comes_from_the_median_epoch() -> None:
    """50 000 images in 11.68 s are 4281 images/s, and the notes say which count it is."""
    first = FIGURE.rows(EN, {})[0]

    assert (first["category"], first["text"]) == (128, "4,281")
    assert any(
        "50,000 images" in note and "not the number of images" in note for note in FIGURE.notes(EN)
    )


def test_what_failed_stands_at_its_batch_size() -> None:
    """All sizes have a mark for each system, in words and never 0."""
    rows = FIGURE.rows(EN, {"workload": "wrn28-10-cifar10"})
    missing = [(row["category"], row["text"]) for row in rows if row["value"] is None]

    assert len(rows) == 15
    assert missing.count((2048, "out of memory")) == 1
    assert missing.count((512, "not reported")) == 1
    assert len(missing) == 7


def test_each_measure_has_its_axis() -> None:
    """The same row as images/s, seconds an epoch and seconds in all."""
    states = [{"measure": name} for name in ("throughput", "epoch", "total")]

    assert [FIGURE.rows(EN, state)[0]["text"] for state in states] == ["4,281", "11.68", "1,174"]
    assert [FIGURE.axis_title(EN, state) for state in states] == [
        "images/s",
        "median epoch time, s",
        "training time, s",
    ]


def test_series_are_called_by_their_number_format() -> None:
    """FP32 and bfloat16 stand in the names, and beside the chart why that is not fair."""
    assert [series.label.rpartition(" · ")[2] for series in FIGURE.series] == [
        "FP32",
        "FP32",
        "bfloat16",
    ]
    assert EN.say("figure.precisions", formats="FP32 and bfloat16") in FIGURE.notes(EN)


def test_the_sentence_compares_where_all_were_trained() -> None:
    """One card ran out of memory at 2048, so 1024 is what the headline speaks of."""
    assert "global batch size 1,024" in FIGURE.headline(EN)
    assert "1.39\N{NO-BREAK SPACE}times the 4,840" in FIGURE.headline(EN)


def test_a_collapsed_run_is_marked_and_cannot_win() -> None:
    """It has a dagger; were it the only workload, the headline would not name it."""
    rows = FIGURE.rows(EN, {"workload": "wrn28-10-cifar10"})
    wrn = FIGURE.table[FIGURE.table["workload"] == "wrn28-10-cifar10"]
    tpu = wrn[wrn["series"] == "colab-tpu-v2-8-keras"]

    assert [(row["category"], row["series"]) for row in rows if row["collapsed"]] == [
        (2048, "colab-tpu-v2-8-keras")
    ]
    assert any(note.startswith("†") and "2,048" in note for note in FIGURE.notes(EN))
    said = batch.compare(articles.facts(SOURCE), common.of_first_workload(tpu), EN)
    assert [figure[2] for figure in said.figures][:1] == [1024]


def test_one_batch_size_is_no_sweep() -> None:
    """With the runs at 128 alone there is no such chart, and the first report has none."""
    whole = transcribed(SOURCE)
    runs = tuple(run for run in whole.runs if run.global_batch_size == 128)
    archive = Archive(runs=runs, sources=whole.sources, cells=whole.cells)

    assert batch.figure(Evidence(archive, recorded.known()), SOURCE, "") is None
    drawn = [
        figure.short for figure in recorded.drawn().values() if figure.page.startswith("reports/")
    ]
    assert not {"batch", "startup", "cards", "largest-batch"} & set(drawn)


def test_a_picture_says_which_workload_it_shows() -> None:
    """The caption has the workload that is drawn first; the title of the page does not."""
    assert FIGURE.caption(EN) == "Speed by batch size: CNN-10"
    assert replace(FIGURE, controls=(), presets=()).caption(EN) == "Speed by batch size"
