"""Reports beside the logs of rounds: curves, scores, and what seeds alone do."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache

import pytest

from kernels.audit.facts import Facts
from kernels.records import Run, Target
from kernels.store import Archive
from site_src import reports
from site_src.figures.base import Figure
from site_src.pages import CONTENT
from tests.makers import transcribed
from tests.site_src import articles, logged, recorded

EN = recorded.english()
BLEU = Target("bleu", 0.24)


def rounds() -> list[Run]:
    """ResNet-50 on V100, TPU v2 and a TPU v3 that no article has; GNMT with 4 to 6 epochs."""
    tpu = {"system": "cloud-tpu-v2-8", "accelerator": "tpu-v2", "minutes": 30.0}
    return [
        *logged.submission(4, 4, 4, 4, 5),
        *logged.submission(
            5, 5, 5, 5, 5, system="cloud-tpu-v2-8", accelerator="tpu-v2", minutes=30.0
        ),
        *logged.submission(
            4, 4, 4, 4, 4, system="cloud-tpu-v3-32", accelerator="tpu-v3", round_="v0.6"
        ),
        *logged.submission(*[4] * 8, 5, 5, workload=logged.GNMT, target=BLEU, round_="v0.6"),
        *logged.submission(
            *[6] * 10,
            workload=logged.GNMT,
            target=BLEU,
            round_="v0.6",
            **{**tpu, "system": "cloud-tpu-v3-32"},  # type: ignore[arg-type]
        ),
    ]


def beside(source: str) -> Archive:
    """An article with the logs."""
    own = transcribed(source)
    runs: Sequence[Run] = sorted((*own.runs, *rounds()), key=lambda run: run.run_id)
    return replace(own, runs=tuple(runs))


@cache
def drawn(source: str) -> dict[str, Figure]:
    """All figures of an article with the logs, by id."""
    return recorded.figures_of(beside(source))


CHARTS = [("tpuv2-v100", "mlperf"), ("t4-v100-mlperf", "rounds"), ("t4-v100-mlperf", "spread")]


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_each_figure_is_valid_and_worded(source: str, short: str) -> None:
    """In both languages, with title, question and headline; rounds are named unverified."""
    figure = drawn(source)[f"{source}-{short}"]
    articles.hold_words(figure)
    assert any(
        "verified by MLCommons" in credit or "unverified by MLCommons" in credit
        for credit in figure.credits(EN)
    )


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_every_figure_of_a_table_is_its_reference(source: str, short: str) -> None:
    """Each figure with a reference equals what that resolves to, in the table and in what sums it
    up.
    """
    figure, facts = drawn(source)[f"{source}-{short}"], Facts(beside(source), recorded.known())
    for part in (figure, figure.digest):
        if part is not None:  # an evaluation is no fact
            articles.hold_references(facts, part.table, part.columns, each=False)


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_without_logs_there_is_no_such_figure(source: str, short: str) -> None:
    """An article alone has none of them."""
    assert short not in articles.drawn(source)


@pytest.mark.parametrize(("source", "short"), CHARTS)
def test_a_section_of_logs_needs_its_chart(source: str, short: str) -> None:
    """It is left out without the chart, as its text has the logs' figures."""
    report = reports.read(CONTENT / "reports" / source / "report.toml")

    [section] = [
        section
        for section in report.sections
        if any(block.subject == f"{source}-{short}" for block in section.blocks)
    ]
    assert section.needs == f"{source}-{short}"


def test_curves_stand_beside_the_points_of_the_article() -> None:
    """Logs of the article's chips alone, its epochs under its publisher's name."""
    figure = drawn("tpuv2-v100")["tpuv2-v100-mlperf"]
    layers = {layer["name"]: layer for layer in figure.chart(EN).to_dict(validate=False)["layer"]}
    labels = [series.label for series in figure.series]

    assert (
        "Cloud TPU v2-8 · TensorFlow · Habr · bfloat16" in labels
        and "Cloud TPU v2-8 · TensorFlow · v0.5 (2018)" in labels
    )
    assert not any("v3-32" in label for label in labels)
    assert [mark["words"] for mark in layers["goal_words"]["data"]["values"]] == [
        "76.4% in the article: 1 of 2",
        "75.7% in the article: both",
        "target 74.9%: all 10",
    ]
    assert set(figure.table["kind"]) == {"evaluation", "target"}


def test_series_of_one_figure_differ_without_colour() -> None:
    """Rounds of one system and the article's own runs on it differ in outline."""
    marks = [
        (series.look.shape, series.look.dash)
        for series in drawn("tpuv2-v100")["tpuv2-v100-mlperf"].series
    ]

    assert len(marks) == len(set(marks))


def test_scores_stand_beside_a_time_that_is_kept_back() -> None:
    """ResNet-50 on V100 has a score, and the article's run none; T4 and TPU have no row."""
    rows = drawn("t4-v100-mlperf")["t4-v100-mlperf-rounds"].rows(EN, {"workload": logged.RESNET})

    assert [row["part"] for row in rows] == ["article", "round"]
    assert rows[0]["text"] == "time only in an image"
    # three runs of four hours are left
    assert (rows[1]["value"], rows[1]["n"], rows[1]["cards"]) == (240, 5, 8)


def test_seeds_are_held_against_cards() -> None:
    """T4 takes 3 times the epochs on one card as on four; a submission's runs 1.25 times."""
    rows = drawn("t4-v100-mlperf")["t4-v100-mlperf-spread"].rows(EN, {})

    assert [(row["part"], row["value"]) for row in rows] == [
        ("cards", 3),
        ("cards", 16 / 9),
        ("seeds", 1.25),
        ("seeds", 1),
    ]
    assert rows[0]["under"] == "from 1 to 4 cards: 12 to 4 epochs"
    assert [row["under"] for row in rows[2:]] == [
        "10 runs · 4–5\xa0epochs",
        "10 runs · 6\xa0epochs",
    ]


def test_the_headline_says_how_far_seeds_go() -> None:
    """The speed-up above linear, its factor from epochs, and the widest spread with its runs."""
    said = drawn("t4-v100-mlperf")["t4-v100-mlperf-spread"].headline(EN)

    for words in (
        "reaches 2.6× the linear speed-up",
        "its highest number of epochs is 3× its lowest",
        "each of 2 submissions (20 runs in all)",
        "is at most 1.25×",
    ):
        assert words in said


def test_headlines_name_all_that_share_an_end() -> None:
    """The TPU and one run on eight V100 need five epochs, and both are named."""
    said = drawn("tpuv2-v100")["tpuv2-v100-mlperf"].headline(EN)

    assert (
        "(Cloud TPU v2-8 · TensorFlow · v0.5 (2018) and DGX-1 · TensorFlow · v0.5 (2018), target "
        "74.9%)" in said
    )


def test_scores_say_on_how_many_cards() -> None:
    """Machines of different size stand with their cards; a BLEU has no percent sign."""
    figure = drawn("t4-v100-mlperf")["t4-v100-mlperf-rounds"]

    assert "on 8\xa0accelerators, DGX-1" in figure.headline(EN)
    assert "target BLEU 24.0" in str(figure.rows(EN, {"workload": logged.GNMT})[-1]["under"])
