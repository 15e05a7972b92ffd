"""A report's first page is short, and leads to its details."""

from itertools import product

import pytest
from markupsafe import escape

from site_src import reports
from site_src.pages import CONTENT
from site_src.pages.components.tables import stated
from site_src.pages.report import CAVEATS, report_page
from site_src.reports import prose
from tests.site_src.pages.report.report_tables import Plain, site
from tests.site_src.recorded import english

REPORTS = reports.load(CONTENT / "reports")
EACH = [*product(("en", "ru", "ja", "es"), REPORTS)]

MOST_WORDS = 900
MOST_ROWS = 5
MOST_CAVEATS = 5
CHARTS = range(4, 7)


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.id)
def test_a_few_charts_and_a_few_rows_tell_the_story(report: reports.Report) -> None:
    """Four to six charts and a table of five rows at most."""
    assert len(report.story.charts) in CHARTS
    assert len(report.tables[report.story.table].rows) <= MOST_ROWS


@pytest.mark.parametrize(("code", "report"), EACH)
def test_the_story_is_short(code: str, report: reports.Report) -> None:
    """Nine hundred words at most, and five things to keep in mind."""
    text = prose.read(CONTENT / code / report.text)
    [caveats] = text.sections[CAVEATS].parts

    filled = prose.plain(prose.html(f"{text.lead}\n\n{caveats}"))
    assert prose.words(filled) <= MOST_WORDS
    assert caveats.count("\n- ") + 1 <= MOST_CAVEATS


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.id)
def test_old_addresses_lead_into_the_details(report: reports.Report) -> None:
    """Each section of the details is a link on the first page that carries the section's id."""
    body = report_page(Plain(site(), english(), f"reports/{report.id}/"), report).body

    for section in report.sections:
        if not section.needs:
            at = f'<a id="{section.id}" href="../../{report.details}#{section.id}">'
            assert at in body, section.id


@pytest.mark.parametrize("report", REPORTS, ids=lambda report: report.id)
def test_each_thing_has_one_place(report: reports.Report) -> None:
    """A chart of the story is on the first page, all else in the details."""
    first, *_ = report.story.charts

    assert report.place(first) == f"reports/{report.id}/#{first}"
    assert report.place("audit") == f"{report.details}#audit"


def test_what_no_row_states_is_said_once() -> None:
    """A column without a statement is named below the table; one that most rows leave open is the
    last.
    """
    open_, given = english().say("not_stated"), "x"
    rows = [
        {"name": given, "date": open_, "size": open_ if at else given, "kind": given}
        for at in range(3)
    ]
    headings = {name: escape(name) for name in rows[0]}

    found, note = stated(Plain(site(), english(), "reports/any/details/"), rows, headings)

    assert [*found[0]] == ["name", "kind", "size"]
    assert note.striptags() == "Not stated: date"
