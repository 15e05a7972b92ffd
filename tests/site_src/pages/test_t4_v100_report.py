"""The report on T4 and V100 as a page shows it: its tables whole, its findings, and what its sides and runs say."""

import csv
import re
from datetime import date
from pathlib import Path

import pytest
from markupsafe import Markup

from kernels import catalog
from kernels.claims import Facts
from kernels.importers import article
from kernels.store import Archive
from site_src import reports
from site_src.locales import load
from site_src.model import BuildOptions
from site_src.pages import CONTENT
from site_src.pages.audit import audit
from site_src.pages.printed import printed_table
from site_src.pages.sides import sides, software
from site_src.pages.site import Site
from site_src.pages.writer import Writer
from tests.site_src.tongues import STRINGS

SOURCE = "t4-v100-mlperf"
EXPECTED = Path(__file__).resolve().parents[1] / "expected" / "articles" / SOURCE


@pytest.fixture(scope="module")
def report() -> reports.Report:
    """Its definition."""
    return reports.read(CONTENT / "reports" / f"{SOURCE}.toml")


@pytest.fixture(scope="module")
def writer(repository: Path, report: reports.Report) -> Writer:
    """A writer of its page in English, over this source alone."""
    found = article.read(repository / "runs" / "sources" / SOURCE)
    archive = Archive(runs=found.runs, claims=found.claims, sources=found.sources, cells=found.cells)
    known = catalog.load()
    [english] = load(STRINGS, ["en"])
    site = Site(archive, known, Facts(archive, known), {}, options=BuildOptions(date=date(2026, 11, 20)), reports=[report], content=CONTENT)
    return Writer(site, english, f"reports/{SOURCE}/")


def rows(html: Markup) -> list[list[str]]:
    """The texts of a table's rows below its heading."""
    cut = re.findall(r"<tr[ >].*?</tr>", str(html).replace("\n", " "), flags=re.DOTALL)[1:]
    return [
        [re.sub(r"\s+", " ", Markup(cell).striptags()).strip() for cell in re.findall(r"<t[hd][ >].*?</t[hd]>", row)]  # noqa: S704 - our page
        for row in cut
    ]


def expected(name: str) -> list[dict[str, str]]:
    """A printed table, written down a second time."""
    return list(csv.DictReader((EXPECTED / f"{name}.csv").read_text(encoding="utf-8").splitlines()))


def test_all_rows_of_the_specifications_are_there(writer: Writer, report: reports.Report) -> None:
    """14 rows as printed, FP64 in one unit, two sizes of memory as alternatives, and a ratio where there are two figures."""
    shown = rows(printed_table(writer, report, "specifications"))

    printed = [[row["v100-pcie"].replace("16 GB 32 GB", "16 GB or 32 GB"), row["t4"]] for row in expected("specifications")]
    assert [[cell.replace(",", "").removesuffix(" cores") for cell in row[1:3]] for row in shown] == printed
    assert {row[0]: row[3] for row in shown}["TDP"] == "3.571"
    assert [row[0] for row in shown if row[3] == "–"] == ["architecture", "compute capability", "kind of memory", "memory"]


def test_all_rows_of_the_other_tables_are_there(writer: Writer, report: reports.Report) -> None:
    """Six benchmarks with sizes as printed, sorted by bytes; 14 rows of configuration; epochs, with no fourth V100."""
    benchmarks = printed_table(writer, report, "benchmarks")
    assert [(row[3].split(",")[0], row[4], row[6]) for row in rows(benchmarks)] == [
        (row["data"], row["size"], row["framework"]) for row in expected("benchmarks")
    ]
    assert 'value="306000000"' in benchmarks

    configuration = rows(printed_table(writer, report, "configuration"))
    for row, printed in zip(configuration, expected("configuration"), strict=True):
        assert all(text in " ".join(row).replace(",", "") for text in printed["texts"].split(";"))

    epochs = rows(printed_table(writer, report, "epochs-by-cards"))
    assert [[cell.replace("–", "") for cell in row[2:]] for row in epochs] == [[row[n] for n in "1234"] for row in expected("epochs")]

    ratios = rows(printed_table(writer, report, "ratios"))
    assert [row[1] for row in ratios] == [
        row["low"] if row["low"] == row["high"] else f"{row['low']}–{row['high']}" for row in expected("ratios")
    ]


def test_the_speed_up_is_shown_in_its_two_parts(writer: Writer, report: reports.Report) -> None:
    """Above 100 % as printed, below it once the change of epochs is set aside."""
    two, four = rows(printed_table(writer, report, "super-linear"))

    assert two[1:8] == ["3.1", "12", "7", "1.71", "1.81", "155%", "90.4%"]
    assert four[1:8] == ["10.4", "12", "4", "3.00", "3.47", "260%", "86.7%"]


def test_the_sides_do_not_match_in_what_nobody_states(writer: Writer, report: reports.Report) -> None:
    """Two precisions that are not stated are no match; the same bare machine without a container is one."""
    told = {row[0]: row[-1] for row in (*rows(sides(writer, report, "")), *rows(software(writer, report, "")))}

    assert told["Precision"] == "cannot be told"
    assert "matched" in told["Container image"]


def test_claims_of_one_kind_name_their_benchmark(writer: Writer) -> None:
    """Five ratios are claimed in the same words; each has a sentence of its own."""
    text = audit(writer, SOURCE).striptags()

    assert all(f"{name}: V100-PCIe trains faster than T4" in text for name in ("ResNet-50", "SSD", "Mask R-CNN"))


def test_a_run_on_a_part_of_the_machine_says_so(writer: Writer) -> None:
    """Runs that differ only in their number of cards are told apart."""
    labels = [str(writer.run_label(writer.site.runs[f"{SOURCE}-gnmt-t4-{cards}"])) for cards in (1, 4)]

    assert labels == ["PowerEdge R740 (T4) · PyTorch · real data · 1\N{NO-BREAK SPACE}chip", "PowerEdge R740 (T4) · PyTorch · real data"]


@pytest.mark.parametrize("number", range(11))
def test_findings_hold(writer: Writer, report: reports.Report, number: int) -> None:
    """Each sentence is borne by the data and has all its figures."""
    assert "{" not in writer.finding(report.findings[number], report)
