"""The home page without charts: what is new, findings with their year, and the ways in. Its first
answer is looked at in a browser (`tests/browser/test_home.py`).
"""

import re
from dataclasses import replace
from datetime import UTC, date, datetime

import pytest

from kernels.records import Run, Status
from kernels.store import Archive
from site_src import reports
from site_src.pages import CONTENT, home
from site_src.pages.components.writer import Writer
from site_src.reports.prose import unmarked
from tests.makers import make_price
from tests.site_src.own import own_run
from tests.site_src.recorded import english, make_site


@pytest.fixture(scope="module")
def body(articles: Archive) -> str:
    """The page over all articles and a measured run, in English."""
    offered = make_price("one", hardware="tpu-v2", accelerators=4, valid_from=date(2026, 8, 19))
    archive = replace(
        articles, runs=(*articles.runs, own_run()), prices=(*articles.prices, offered)
    )
    site = make_site(archive, reports=reports.load(CONTENT / "reports"))
    return home.home_page(Writer(site, english(), "")).body


def rows(body: str, heading: str) -> list[str]:
    """The items below a heading."""
    section = body.partition(f'<h2 id="{heading}">')[2].partition("<h2")[0]
    return re.findall(r"<li[^>]*>(.*?)</li>", section, re.DOTALL)


def at(day: int, run_id: str, system: str = "cpu-test", **changes: object) -> Run:
    """A run of a day of November."""
    started = datetime(2026, 11, day, tzinfo=UTC)
    return replace(own_run(), run_id=run_id, system=system, started_at=started, **changes)  # type: ignore[arg-type]  # fields by name


def test_the_newest_results_are_one_of_each_system() -> None:
    """Of runs in force that ended well, with a day: the newest first, and no more than a few."""
    runs = [
        at(1, "first"),
        at(3, "second"),
        at(2, "other", "other"),
        at(4, "failed", status=Status.FAILED),
        at(4, "withdrawn", withdrawn="it was another machine"),
        replace(own_run(), run_id="undated", system="undated", started_at=None),
    ]
    many = [at(day, f"run-{day}", f"system-{day}") for day in range(1, 20)]

    assert [run.run_id for run in home.newest(runs)] == ["second", "other"]
    assert [run.run_id for run in home.newest(many)] == [
        f"run-{day}" for day in range(19, 19 - home.NEWEST, -1)
    ]


def test_a_newest_result_is_one_line(body: str) -> None:
    """What on what, its main figure with its reference, that it was measured here, that it has
    warnings, and its day; no advice.
    """
    [row] = rows(body, "measured")

    assert 'href="runs/digits-cnn-cpu-20261120/"' in row
    assert 'data-ref="run:digits-cnn-cpu-20261120:throughput_images_per_s"' in row
    assert unmarked(row).replace("\xa0", " ") == (
        "Digits CNN on Test CPU, 2C Throughput: 4,800 images/s measured has warnings 20 November 2026"
    )


def test_the_home_page_leads_to_accelerators_with_results(body: str) -> None:
    """A few, those that can be rented first, each with what an hour costs; none without a
    result.
    """
    found = rows(body, "accelerators")
    priced = ["price:" in row for row in found]

    assert 1 < len(found) <= home.ACCELERATORS
    assert any("accelerators/tpu-v2/" in row for row in found)
    assert not any("accelerators/h100-" in row for row in found)
    assert priced == [True, *[False] * (len(found) - 1)]
    assert "19 August 2026" in unmarked(found[0]) and "/h" in unmarked(found[0])


def test_findings_and_reports_have_their_year(body: str) -> None:
    """The findings of the newest reports first; every report is there, in a line."""
    says, listed = rows(body, "findings"), rows(body, "reports")
    years = [int(re.findall(r">(\d{4}) · ", row)[0]) for row in says]

    assert len(says) == home.FINDINGS and years == sorted(years, reverse=True)
    assert all("<data" in row and 'href="reports/' in row for row in says)
    assert len(listed) == len(list(reports.load(CONTENT / "reports")))
    assert all(re.search(r">\d{4}<", row) for row in listed)


def test_lists_are_pages_of_their_own(body: str) -> None:
    """The home page leads to each of them, and asks nothing where no chart has an answer."""
    for path in ("accelerators/", "systems/", "workloads/", "explore/", "measured/", "reports/"):
        assert f'href="{path}"' in body
    assert 'action="costs/' not in body
