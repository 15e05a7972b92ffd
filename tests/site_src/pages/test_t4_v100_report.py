"""The report on T4 and V100 as a page shows it: its tables, its findings, and what its sides and
runs say.
"""

import re

import pytest
from markupsafe import Markup

from site_src import reports
from site_src.pages import CONTENT
from site_src.pages.components import run_details
from site_src.pages.components.comparison import software, systems
from site_src.pages.components.writer import Writer
from site_src.pages.report.about import age_notice
from site_src.pages.report.audit import audit
from site_src.pages.report.printed import printed_table
from tests.makers import transcribed
from tests.site_src.reading import said
from tests.site_src.recorded import english, make_site

SOURCE = "t4-v100-mlperf"


@pytest.fixture(scope="module")
def report() -> reports.Report:
    """Its definition."""
    return reports.read(CONTENT / "reports" / SOURCE / "report.toml")


@pytest.fixture(scope="module")
def writer(report: reports.Report) -> Writer:
    """A writer of its page in English, over this source alone."""
    archive = transcribed(SOURCE)
    site = make_site(archive, reports=[report])
    return Writer(site, english(), f"reports/{SOURCE}/")


def rows(html: Markup) -> list[list[str]]:
    """The texts of a table's rows below its heading."""
    cut = re.findall(r"<tr[ >].*?</tr>", str(html).replace("\n", " "), flags=re.DOTALL)[1:]
    return [[said(cell) for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", row)] for row in cut]


def test_specifications_have_ratios_where_there_are_two_figures(
    writer: Writer, report: reports.Report
) -> None:
    """Not of names, of versions, nor of a memory that may be one of two."""
    shown = rows(printed_table(writer, report, "specifications"))

    assert {row[0]: row[3] for row in shown}["TDP"] == "3.571"
    assert [row[0] for row in shown if row[3] == "–"] == [
        "architecture",
        "compute capability",
        "kind of memory",
        "memory",
    ]


def test_sizes_sort_by_their_bytes(writer: Writer, report: reports.Report) -> None:
    """306 MB come before 1.3 GB."""
    assert 'value="306000000"' in printed_table(writer, report, "benchmarks")


def test_the_speed_up_is_shown_in_its_two_parts(writer: Writer, report: reports.Report) -> None:
    """Above 100 % as printed, below it once the change of epochs is set aside."""
    two, four = rows(printed_table(writer, report, "super-linear"))

    assert two[1:8] == ["3.1", "12", "7", "1.71", "1.81", "155%", "90.4%"]
    assert four[1:8] == ["10.4", "12", "4", "3.00", "3.47", "260%", "86.7%"]


def test_the_sides_do_not_match_in_what_nobody_states(
    writer: Writer, report: reports.Report
) -> None:
    """What one side states cannot be matched, what none does is named below; the same bare machine
    without a container is a match.
    """
    compared = systems(writer, report, "")
    told = {row[0]: row[-1] for row in (*rows(compared), *rows(software(writer, report, "")))}

    assert told["Memory per accelerator"] == "unknown"
    assert "Precision" not in told
    assert re.search(
        r"Not stated for any of the systems: .*precision",
        compared.rpartition('<p class="ts-note">')[2],
    )
    assert "same" in told["Container image"]


def test_claims_of_one_kind_name_their_benchmark(writer: Writer) -> None:
    """Five ratios are claimed in the same words; each has a sentence of its own."""
    text = audit(writer, SOURCE).striptags()

    assert all(
        f"{name}: the V100-PCIe trains faster than the T4" in text
        for name in ("ResNet-50", "SSD", "Mask R-CNN")
    )


def test_a_run_on_a_part_of_the_machine_says_so(writer: Writer) -> None:
    """Runs that differ only in their number of cards are told apart."""
    labels = [
        str(writer.run_label(writer.site.runs[f"{SOURCE}-gnmt-t4-{cards}"])) for cards in (1, 4)
    ]

    assert labels == [
        "PowerEdge R740 (T4) · PyTorch · real data · 1\N{NO-BREAK SPACE}accelerator",
        "PowerEdge R740 (T4) · PyTorch · real data · 4\N{NO-BREAK SPACE}accelerators",
    ]


@pytest.mark.parametrize("number", range(11))
def test_findings_hold(writer: Writer, report: reports.Report, number: int) -> None:
    """Each sentence is borne by the data and has all its figures."""
    assert "{" not in writer.finding(report.findings[number], report)


def test_both_targets_of_a_run_have_their_measure(writer: Writer) -> None:
    """Mask R-CNN trains to boxes and masks at once; BLEU is no percentage."""
    masks, words = (writer.site.runs[f"{SOURCE}-{name}"] for name in ("mask-rcnn-t4", "gnmt-t4-1"))
    said = {
        run.run_id: [
            run_details.target(writer, other).striptags()
            for other in run_details.each_target(run, run.metrics[0])
        ]
        for run in (masks, words)
    }

    assert said[masks.run_id] == ["box AP ≥ 37.7%", "mask AP ≥ 33.9%"]
    assert said[words.run_id] == ["BLEU ≥ 21.8"]


def test_the_notice_of_age_names_month_and_change(writer: Writer) -> None:
    """Of the publication, whose day the source does not print, its month."""
    notice = age_notice(writer, writer.site.sources[SOURCE])

    assert notice is not None
    told = notice.striptags().replace("\xa0", " ")
    assert "published: March 2019; last changed: 24 September 2021" in told
