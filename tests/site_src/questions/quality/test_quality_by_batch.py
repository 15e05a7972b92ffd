"""Final accuracy by batch size: what a larger batch costs, and the run that collapsed."""

from site_src.questions.quality import accuracy, quality_by_batch
from tests.site_src import articles, recorded

EN = recorded.english()
SOURCE = "rtx2080ti-colab-tpu"
TPU, CARDS = "colab-tpu-v2-8-keras", "rtx2080ti-2x-keras"


def rows(**state: str) -> list[dict[str, object]]:
    """The rows of the chart in that state."""
    return articles.drawn(SOURCE)["accuracy"].rows(EN, state)


def test_differences_are_in_points_against_two_cards() -> None:
    """The TPU ends 0.70 points below two cards at 128, and 1.88 above them at 1024."""
    found = {(row["series"], row["batch"]): row["value"] for row in rows(measure="points")}

    assert found[TPU, 128] == -0.7 and found[TPU, 1024] == 1.88
    assert found[CARDS, 128] == 0
    assert "0.97" in articles.drawn(SOURCE)["accuracy"].headline(EN) and "1.88" in articles.drawn(
        SOURCE
    )["accuracy"].headline(EN)


def test_a_collapsed_run_is_kept_and_marked() -> None:
    """The Wide ResNet on the TPU at 2048, with 0.1758; no other run is."""
    table = articles.drawn(SOURCE)["accuracy"].table
    marked = table[table["collapsed"].notna()]

    assert [
        (row["series"], row["batch"], row["accuracy"]) for row in marked.to_dict("records")
    ] == [(TPU, 2048, 0.1758)]
    assert sum(note.startswith("†") for note in articles.drawn(SOURCE)["accuracy"].notes(EN)) == 1


def test_the_sources_doubt_stands_at_each_accuracy_of_the_wide_resnet() -> None:
    """Its eight accuracies are called not representative, those of the small network are not."""
    table = articles.drawn(SOURCE)["accuracy"].table
    known = table[table["accuracy"].notna()]

    assert set(known[known["representative"] == "no"]["workload"]) == {"wrn28-10-cifar10"}
    assert (known["representative"] == "no").sum() == 8
    assert EN.say("caveat.wrn-accuracy-not-representative") in articles.drawn(SOURCE)[
        "accuracy"
    ].notes(EN)


def test_what_has_no_figure_says_why() -> None:
    """Out of memory, not reported, and a difference without its base."""
    state = {"workload": "wrn28-10-cifar10", "measure": "points"}
    told = {(row["system"], row["batch"]): (row["value"], row["text"]) for row in rows(**state)}

    assert told["rtx2080ti-1x", 256] == (None, EN.say("status.oom"))
    assert told["rtx2080ti-2x", 512] == (None, EN.say("status.not_reported"))
    assert told["colab-tpu-v2-8", 512] == (None, EN.say("figure.no_baseline"))


def test_a_source_has_one_chart_of_accuracy() -> None:
    """A sweep over batch sizes has this chart, a source with one size the bars."""
    for source, sweep in ((SOURCE, True), ("tpuv2-v100", False)):
        asked = (articles.evidence(source), source, "")
        assert (
            quality_by_batch.figure(*asked) is not None,
            accuracy.figure(*asked) is not None,
        ) == (sweep, not sweep)
