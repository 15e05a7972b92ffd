"""The first answers on costs in words, for pages without JavaScript: `assets/cost_words.js` writes
them under Node, as it writes others in the browser.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from html import unescape
from pathlib import Path
from typing import Any, Final

from markupsafe import Markup

from kernels.records import Rate
from site_src import node
from site_src.charts.markup import datum
from site_src.costs import Case, first_answers, words
from site_src.costs.answers import COST
from site_src.costs.question import Row
from site_src.costs.references import exact, hourly_ref, refs
from site_src.pages.components.writer import Writer

_SCRIPTS: Final = (
    COST,
    COST.with_name("cost_question.js"),
    COST.with_name("cost_words.js"),
    Path(__file__).with_name("first.js"),
)

_FIGURE: Final = re.compile(r'<data value="([^"]*)"(?: data-ref="([^"]*)")?>([^<]*)</data>')


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to the first question of a workload."""

    case: Case
    rows: tuple[Row, ...]

    @classmethod
    def all(cls, cases: Sequence[Case], rates: Sequence[Rate], today: date) -> list["Answer"]:
        """The answers of several workloads."""
        return [
            cls(case, rows)
            for case, rows in zip(cases, first_answers(cases, rates, today), strict=True)
        ]

    @property
    def ranked(self) -> list[Row]:
        """The rows that answer the question, best first."""
        return words.ranked(self.rows)


@dataclass(frozen=True, slots=True)
class Told:
    """An answer in words.

    Attributes:
        leaders: The first four: system, cost, time, price and its date.
        sentence: Names the first, and the fastest or cheapest if different.
        rests: Basis of the first row, and the date of its price.
        table: The ranked rows, their remarks, and the price at which the first two change places.
        unranked: What is not ranked, and why.
    """

    leaders: Markup
    sentence: Markup
    rests: Markup
    table: Markup
    unranked: Markup


def told(writer: Writer, answers: Sequence[Answer], data: dict[str, Any]) -> list[Told]:
    """The answers in words; `data` is the data of the page's script."""
    if not answers:
        return []
    given = {answer.case.workload.workload: _refs(writer, answer) for answer in answers}
    found = node.run(_SCRIPTS, {"data": data, "refs": given})
    return [Told(**{name: _held(writer, html) for name, html in one.items()}) for one in found]


def _refs(writer: Writer, answer: Answer) -> dict[str, dict[str, str | None]]:
    facts, case = writer.site.facts, answer.case
    found = {}
    for row in answer.rows:
        setup = case.setup(row)
        unit = words.time(row.seconds.value).unit if row.seconds else ""
        time, cost = refs(facts, case, setup, row, unit)
        found[f"{row.candidate.id} {row.offer.id if row.offer else ''}"] = {
            "time": time,
            "cost": cost,
            "hourly": hourly_ref(facts, setup, row),
            "base": setup.time_ref(case.question.target, case.question.direction),
        }
    return found


def _held(writer: Writer, html: str) -> Markup:
    """The HTML with each figure checked against its reference; figures without one become plain
    text.
    """

    def held(found: re.Match[str]) -> str:
        value, ref, text = found.groups()
        known = exact(writer.site.facts, unescape(ref), float(value)) if ref else None
        fact = writer.fact(known).value if known else None
        if fact is None or known is None:
            return f"<span>{text}</span>"
        return datum(fact, unescape(text), known)

    return Markup(_FIGURE.sub(held, html))  # noqa: S704 - the script escapes its data
