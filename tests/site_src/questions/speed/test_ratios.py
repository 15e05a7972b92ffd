"""Printed ranges by benchmark."""

from dataclasses import replace

from site_src.evidence import Evidence
from site_src.questions.speed import ratios
from tests.makers import transcribed
from tests.site_src import articles, recorded

EN = recorded.english()
FIGURE = articles.drawn("t4-v100-mlperf")["ratios"]
ROWS = FIGURE.rows(EN, {})


def test_ranges_stand_as_they_are_printed() -> None:
    """A range has two ends and no value, a figure one; that over all comes last."""
    assert [(row["name"], row["text"], row["value"], row["low"], row["high"]) for row in ROWS] == [
        ("ResNet-50", "3.6×", 3.6, 3.6, 3.6),
        ("GNMT", "2.5–3.6×", None, 2.5, 3.6),
        ("SSD", "3.3–3.4×", None, 3.3, 3.4),
        ("Transformer", "2.6–2.8×", None, 2.6, 2.8),
        ("Mask R-CNN", "2.2–2.7×", None, 2.2, 2.7),
        ("NCF", EN.say("status.not_reported"), None, None, None),
        (EN.say("figure.ratios.overall"), "2.2–3.6×", None, 2.2, 3.6),
    ]


def test_it_is_said_what_is_compared() -> None:
    """GNMT's is one of throughput, others of times; Transformer's of two cards or more."""
    compared = {str(row["name"]): (row["compared"], row["cards"]) for row in ROWS}

    assert compared["GNMT"] == ("throughput", "same-number-of-cards")
    assert compared["Transformer"] == ("time-to-target", "two-or-more-cards")
    assert compared["SSD"] == ("time-to-target", None)


def test_rows_lead_to_the_audit() -> None:
    """A ratio rests on no run: its row leads to the claim's line in the audit."""
    row = next(row for row in ROWS if row["name"] == "SSD")

    assert (row["run_id"], row["page"]) == (
        None,
        "sources/t4-v100-mlperf/#t4-v100-mlperf-ratio-ssd",
    )


def test_the_headline_names_the_ends() -> None:
    """2.2 to 3.6 times over five benchmarks; two of them reach the upper end."""
    said = FIGURE.headline(EN)

    assert all(
        words in said
        for words in (
            "5 benchmarks",
            "2.2 to 3.6 times",
            "most on ResNet-50 and GNMT",
            "least on Mask R-CNN",
        )
    )


def test_a_source_without_such_claims_has_no_rows() -> None:
    """The first article prints no ratio by benchmark."""
    assert ratios.rows_of(recorded.evidence(), "tpuv2-v100").empty


def test_ratios_of_runs_that_do_not_count_make_no_chart() -> None:
    """Where every run of the source is withdrawn, its ratios are of no benchmark that is here."""
    whole = transcribed("t4-v100-mlperf")
    archive = replace(whole, runs=tuple(replace(run, withdrawn="a mistake") for run in whole.runs))

    assert ratios.figure(Evidence(archive, recorded.known()), "t4-v100-mlperf", "") is None
