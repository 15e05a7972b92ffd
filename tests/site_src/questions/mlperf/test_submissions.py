"""Charts over submissions: the spread over seeds, and the same accelerator with other software."""

import pytest

from kernels import catalog
from site_src.evidence import Evidence
from site_src.figures.base import MARGIN, Figure
from site_src.figures.marks.dots import LINE
from site_src.locales import load
from site_src.questions.mlperf import seeds
from site_src.tables.submissions import submissions
from tests.site_src.drawing import figures
from tests.site_src.submitted import NEW, OLD, archive
from tests.site_src.tongues import STRINGS

ENGLISH = load(STRINGS, ("en",))[0]


def made() -> dict[str, Figure]:
    """The charts that belong to pages of their own, by id."""
    records, known = archive(*OLD, *NEW), catalog.load()
    return {
        one.id: one
        for one in figures(Evidence(records, known))
        if one.page in ("seeds/", "software/")
    }


def test_headlines_name_the_widest_spread_and_both_stacks() -> None:
    """130 over 100 minutes is the widest; an epoch takes 15.1 to 15.8 minutes of accelerator
    time.
    """
    found = made()

    assert found["seeds-benchmarks"].headline(ENGLISH) == (
        "In 0 of 2 submissions, the slowest run took at most 5% longer than the fastest. "
        "The widest spread is 1.3× (ResNet-50, DGX-1 · MXNet · v0.5 (2018))."
    )
    assert "30.0% longer than the fastest in the submission that varies most" in found[
        "seeds-spread"
    ].headline(ENGLISH)
    assert (
        "15.1 min (MXNet, v0.5, 2018) to 15.8 min (MXNet 1.5, v0.6, 2019) of accelerator time"
        in found["software-time"].headline(ENGLISH).replace("\xa0", " ")
    )


def test_the_picture_says_which_comparison_it_shows() -> None:
    """It is one of those that a reader may choose."""
    figure = made()["software-time"]
    comparison = next(control for control in figure.controls if control.key == "comparison")

    assert figure.caption(ENGLISH) == f"{figure.title(ENGLISH)}: {comparison.said(ENGLISH, {})}"


def test_a_row_holds_all_runs_of_a_submission() -> None:
    """Ten runs are two rows: the picture grows with submissions, and words stand once a row."""
    figure = made()["seeds-spread"]
    rows = figure.rows(ENGLISH, {})

    assert (len(rows), len({row["category"] for row in rows})) == (10, 2)
    assert (
        figure.chart(ENGLISH, interactive=True).to_dict(validate=False)["height"]
        == 2 * LINE + MARGIN
    )
    assert [str(row["under"]).replace("\xa0", " ") for row in rows if row["head"]] == [
        "reached by 4 of 5 runs · 60–64 epochs · 100.0–130.0 min",
        "5 runs · 40–45 epochs · 80.0–90.0 min",
    ]


def test_targets_stand_beside_times() -> None:
    """The credit names rounds and submitters once, as MLPerf's terms want it."""
    figure = made()["software-time"]
    rows = figure.rows(ENGLISH, {"measure": "time"})

    assert [row["under"] for row in rows if row["head"]] == [
        "v0.5, 2018 · Toyco · 8\xa0accelerators · target 74.9%",
        "v0.6, 2019 · Toyco · 8\xa0accelerators · target 75.9%",
    ]
    assert figure.credits(ENGLISH) == [
        "MLPerf Training, rounds v0.5 and v0.6, division closed, submitted by Toyco; "
        "computed from the logs, not verified by MLCommons Association"
    ]


def test_runs_stand_over_the_median_of_their_own_submission() -> None:
    """110 and 120 minutes over their median of 115; the failed run has its status alone."""
    records = archive(*OLD)
    table = seeds.by_run(submissions(known := Evidence(records, catalog.load())), known)

    assert table["time_ratio"].tolist()[:4] == pytest.approx(
        [100 / 115, 110 / 115, 120 / 115, 130 / 115]
    )
    assert table["progress_ratio"].tolist()[:4] == pytest.approx(
        [60 / 60.5, 60 / 60.5, 61 / 60.5, 64 / 60.5]
    )
    assert (table["time"].tolist()[4], table["status"].tolist()[4], table["head"].tolist()) == (
        None,
        "not_converged",
        [1, None, None, None, None],
    )
