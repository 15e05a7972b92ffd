"""Runs of one submission are one row of a list, with what they span and the way to their result; its
score stands with its source.
"""

import dataclasses
import re

import pytest

from kernels.records import ClockScope, Direction, Metric, Setting, SourceKind, Target
from site_src.pages.components import run_details, run_list, scores
from site_src.pages.components.writer import Writer
from site_src.verify.facts import figure
from site_src.verify.html import Shown
from tests.makers import make_source
from tests.site_src.recorded import page_at
from tests.site_src.submitted import submission

RUNS = submission(
    "v0.5",
    2018,
    (100.0, 110.0, 120.0, 130.0, None),
    (60.0, 61.0, 62.0, 63.0, None),
    evaluations=(),
    clock_scope=ClockScope.END_TO_END,
    settings=(Setting("scaling_factor", "1.05"),),
)
"""Of one submission; the last missed its target."""


@pytest.fixture
def writer() -> Writer:
    """Of an English page about five runs, one of which missed its target."""
    source = make_source(
        "mlperf-v0.5-toyco",
        kind=SourceKind.LOGS,
        title="MLPerf Training v0.5: Toyco",
        licence="Apache-2.0",
        credit="Toyco",
    )
    return page_at("sources/x/", *RUNS, sources=(source,))


def test_five_runs_are_a_row_that_leads_to_their_result(writer: Writer) -> None:
    """The row shows the fewest and the most epochs of those that reached the target, how many they
    are, and both ends.
    """
    html = run_list.runs(writer, writer.site.runs_of(), writer.t("result.runs"))

    assert html.count("<tr") == 2, "the head and one row"
    assert 'href="../../results/mlperf-v0.5-toyco-box-resnet/"' in html
    text = html.striptags()
    assert "60–63 epochs" in text
    assert "4 runs" in text
    assert re.search(r"finished:\s4", text)
    assert re.search(r"target not reached:\s1", text)
    assert "v0.5 (2018)" in text


def test_runs_of_other_folders_stay_apart(writer: Writer) -> None:
    """The same system submitted twice is two rows."""
    *runs, last = writer.site.runs_of()
    other = dataclasses.replace(last, locator=last.locator.replace("/box/", "/box2/"))
    page = page_at("sources/x/", *runs, other)

    html = run_list.runs(page, [*runs, other], writer.t("result.runs"))

    assert html.count("<tr") == 3


def test_a_score_says_that_it_is_unverified_and_scaled(writer: Writer) -> None:
    """Of 100 to 130 minutes and one miss the fastest and the miss go; the mean of 110, 120 and 130
    is scaled as the review decided.
    """
    html = scores.table(writer, scores.of(writer, workload="resnet50-imagenet"))

    assert "126.00" in html.striptags()
    assert "unverified" in html
    assert "multiplied by 1.05" in html.striptags()
    assert "method/#mlperf" in html
    assert scores.of(writer, workload="ssd-coco") == []


def test_ends_of_a_range_have_as_many_decimals(writer: Writer) -> None:
    """Parts of an epoch make 0.94 to 1.00, whole ones 60 to 63."""
    at = "run:mlperf-v0.5-toyco-box-resnet-{}:epochs_to_target@0.749"
    assert (
        run_details.span(writer, at.format(0), at.format(3)).striptags().replace("\xa0", " ")
        == "60–63 epochs"
    )
    assert (
        run_details.span(
            writer, *(f"per_chip({at.format(run)}, number:{by})" for run, by in ((0, 64), (3, 63)))
        ).striptags()[:9]
        == "0.94–1.00"
    )
    alike = (f"quotient({at.format(0)}, number:{by})" for by in ("1.00002", "1.00001"))
    assert run_details.span(writer, *alike).striptags()[:6].strip() == "60.00"


def test_bleu_stands_as_its_rules_have_it(writer: Writer) -> None:
    """Recorded as 0.2533, read as 25.33; with more decimals where a miss would read as a hit."""
    run = writer.site.runs_of()[0]
    goal = Target("bleu", 0.25, Direction.AT_LEAST)
    for value, text in ((0.2533, "25.33"), (0.249998, "24.9998")):
        own = dataclasses.replace(run, targets=(goal,), metrics=(Metric("final_bleu", value, "1"),))
        page = page_at("sources/x/", own, sources=writer.site.archive.sources)
        shown = page.fig(f"run:{own.run_id}:final_bleu")

        assert shown.striptags() == text
        assert f'value="{value!r}"' in shown
        assert (
            list(
                figure(
                    Shown(f"run:{own.run_id}:final_bleu", repr(value), "", text),
                    page.site.facts,
                    page.locale,
                )
            )
            == []
        )
