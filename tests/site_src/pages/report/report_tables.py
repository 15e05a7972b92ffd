"""The tables of the articles' reports as a page has them: all articles of `runs/sources`, one page
at a time, no chart drawn.
"""

import re
from collections import defaultdict
from functools import cache
from html.parser import HTMLParser
from types import SimpleNamespace
from typing import Any

from markupsafe import Markup

from kernels import catalog
from site_src import reports
from site_src.charts import markup
from site_src.evidence import Evidence
from site_src.figures.base import Figure
from site_src.locales import load
from site_src.pages import CONTENT
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.report import details_page
from site_src.pages.report.source import source_page
from tests.makers import transcribed
from tests.site_src import drawing
from tests.site_src.recorded import make_site, spoken
from tests.site_src.tongues import STRINGS


class Tables(HTMLParser):
    """The rows of the tables of a page, by the id around a table and by its caption; also rows by
    their own id.
    """

    def __init__(self, body: str) -> None:
        super().__init__()
        self.tables: dict[str, list[list[str]]] = {}
        self.rows: dict[str, list[str]] = {}
        self._around = self._caption = self._own = ""
        self._found: list[list[str]] = []
        self._into: list[str] | None = None
        self._left_out: list[str] = []
        self.feed(body)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Open what text goes into; remarks and second lines are no part of a figure."""
        given = {key: value or "" for key, value in attrs}
        if self._left_out or given.get("class") in ("ts-mark", "ts-note"):
            self._left_out += [tag] * (tag != "br")
        elif tag in ("div", "figure", "details") and "id" in given:
            self._around = given["id"]
        elif tag == "table":
            self._found, self._caption = [], ""
        elif tag == "tr":
            self._own = given.get("id", "")
            self._found.append([])
        elif tag in ("caption", "th", "td"):
            self._into = []

    def handle_endtag(self, tag: str) -> None:
        """Close it."""
        if self._left_out:
            self._left_out.pop()
            return
        if self._into is not None and tag in ("caption", "th", "td"):
            # a no-break space is part of a number, a line break of the page is not
            said = re.sub(r"[ \n]+", " ", "".join(self._into)).strip(" ")
            self._into = None
            if tag == "caption":
                self._caption = said
            else:
                self._found[-1].append(said)
        elif tag == "tr" and self._own:
            self.rows[self._own] = self._found[-1]
        elif tag == "table":
            for found in filter(None, (self._around, self._caption)):
                assert found not in self.tables, f"two tables are called {found!r}"
                self.tables[found] = self._found[1:]
            self._around = ""

    def handle_data(self, data: str) -> None:
        """Text of a cell."""
        if self._into is not None and not self._left_out:
            self._into.append(data)


class Plain(Writer):
    """A writer whose charts are their tables alone, which need no drawing."""

    def chart(self, id_: str, level: int = 3) -> Markup:
        """The table of the one chart in which a printed table is shown."""
        figure = figures()[id_]
        shown = markup.table(figure, self.locale, self.root) if id_ == "tpuv2-v100-value" else ""
        return Markup('<figure id="{}" data-level="{}">').format(id_, level) + Markup(shown)  # noqa: S704 - made of escaped parts


@cache
def site() -> Site:
    """All articles as they are transcribed, with charts that are not drawn."""
    languages = load(STRINGS)
    charts: Any = {
        id_: SimpleNamespace(
            figure=figure, locales=languages, options=None, client=defaultdict(str)
        )
        for id_, figure in figures().items()
    }
    return make_site(transcribed(), charts, reports=reports.load(CONTENT / "reports"))


@cache
def figures() -> dict[str, Figure]:
    """Their charts by id."""
    evidence = Evidence(transcribed(), catalog.load())
    return {figure.id: figure for figure in drawing.figures(evidence)}


def page(code: str, source: str) -> tuple[dict[str, list[list[str]]], dict[str, list[str]]]:
    """The tables of a report in one language, and rows by their ids, also those of its source's
    page, which has the whole audit.
    """
    locale = spoken(code)
    report = next(report for report in site().reports.values() if report.source == source)
    found = Tables(details_page(Plain(site(), locale, report.details), report).body)
    whole = Tables(
        source_page(Plain(site(), locale, f"sources/{source}/"), site().sources[source]).body
    )
    return found.tables, whole.rows | found.rows
