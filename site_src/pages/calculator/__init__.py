"""The calculator: what reaching a target costs on each system, at recorded prices or the reader's
own; its first answers as tables.
"""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from markupsafe import Markup

from site_src import costs
from site_src.costs import Case
from site_src.costs.question import By
from site_src.model import Asset, Page
from site_src.pages.calculator.answer import Answer, Told, told
from site_src.pages.calculator.payload import payload
from site_src.pages.components.writer import Writer
from site_src.reports.prose import plain
from site_src.templates import html

FOLDER: Final = "costs/"

FIRST: Final = "resnet50-imagenet"
"""The workload that is asked about first, where it has an answer: the one that most sources
trained.
"""


def costs_page(writer: Writer) -> Page:
    """The page in one language; without anything to rank its words alone."""
    site = writer.site
    text = writer.text("costs.md")
    rates = site.rates
    found = sorted(
        costs.cases(site.evidence),
        key=lambda case: case.workload.workload != FIRST,
    )
    today = site.options.date
    answers = Answer.all(found, rates, today)
    data = payload(writer, answers, rates, today)
    shown = [
        _shown(writer, answer.case, one)
        for answer, one in zip(answers, told(writer, answers, data), strict=True)
    ]
    script = _script(writer, data)
    client = writer.calculator(script) if found else ""
    lead = writer.html(text.lead)
    body = writer.render(
        "costs.html",
        title=text.title,
        lead=lead,
        first=shown[0] if shown else None,
        workloads=[(case.workload.workload, case.workload.name) for case in found],
        by=list(By),
        currency=found[0].question.currency if found else "",
        client=client,
        others=shown[1:],
        sections=writer.sections_of(text),
    )
    page = writer.page("costs", text.title, plain(str(lead)), body)
    return replace(page, head=client, beside=(script,)) if client else page


def _script(writer: Writer, data: Mapping[str, object]) -> Asset:
    """What the calculator is handed, as a classic script, which also loads from a file."""
    text = json.dumps(data, ensure_ascii=False, separators=(",", ":"))
    path = f"{writer.locale.code}/{FOLDER}answers.js"
    return Asset(path, f"window.touchstoneCosts={text};\n".encode())


def _shown(writer: Writer, case: Case, answer: Told) -> dict[str, object]:
    """An answer as the template takes it."""
    id_ = case.workload.workload
    return {
        "id": id_,
        "name": case.workload.name,
        "told": answer,
        "picture": _picture(writer, f"{id_}-costs"),
        "links": _links(writer, f"{id_}-costs"),
    }


def _picture(writer: Writer, chart: str) -> Markup:
    """The chart's picture, which leads to the chart's own page; nothing where the answer has too
    few prices to draw.
    """
    drawn = writer.site.figures.get(chart)
    if drawn is None:
        return Markup("")
    picture = drawn.html("picture", writer.locale, writer.root)
    return html.labelled_link(writer.url(f"c/{chart}/"), drawn.heading(writer.locale), picture)


def _links(writer: Writer, chart: str) -> Markup:
    """The links below that picture: sharing it, its files."""
    drawn = writer.site.figures.get(chart)
    return drawn.html("links", writer.locale, writer.root) if drawn else Markup("")
