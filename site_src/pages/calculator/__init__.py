"""The calculator: what reaching a target costs on each system, at recorded prices or the reader's
own; its first answers as tables.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from markupsafe import Markup

from site_src import costs
from site_src.costs import Case
from site_src.costs.question import By
from site_src.model import Asset, Page
from site_src.pages.calculator.answer import Answer, Told, told
from site_src.pages.calculator.payload import payload
from site_src.pages.components import scripts
from site_src.pages.components.site import Site
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
    text, answers = writer.text("costs.md"), _answers(writer)
    shown, data = _answered(writer, answers)
    found = [answer.case for answer in answers]
    loaded = scripts_of(writer, data) if found else ()
    client = writer.calculator(loaded[0]) if loaded else ""
    lead = writer.html(text.lead)
    body = writer.render(
        "costs.html",
        title=text.title,
        lead=lead,
        first=shown[0] if shown else None,
        workloads=[
            (case.workload.workload, writer.workload_name(case.workload.workload)) for case in found
        ],
        by=list(By),
        currency=found[0].question.currency if found else "",
        client=client,
        others=shown[1:],
        sections=writer.sections_of(text),
    )
    page = writer.page("costs", text.title, plain(str(lead)), body)
    return replace(page, head=client, beside=tuple(loaded)) if client else page


def answer_page(writer: Writer, workload: str) -> Page:
    """The first answer of one workload, whole, in one language."""
    site = writer.site
    asked = costs.cases(site.evidence, only=workload)
    (shown,), _ = _answered(writer, Answer.all(asked, site.rates, site.options.date))
    name = shown["name"]
    title = writer.t("costs.of_workload", name=name).striptags()
    told = writer.plain("costs.of_workload_told", name=name)
    return writer.page("costs", title, told, writer.render("answer.html", title=title, one=shown))


def others(site: Site) -> list[str]:
    """The workloads whose first answer has a page of its own: all that the calculator ranks but the
    one that it begins with.
    """
    return [id_ for id_, several in site.ranked.items() if several and id_ != _first(site)]


def _first(site: Site) -> str:
    ranked = [id_ for id_, several in site.ranked.items() if several]
    return FIRST if FIRST in ranked else next(iter(ranked), "")


def _answers(writer: Writer) -> list[Answer]:
    found = map(Answer, writer.site.ranked_cases, writer.site.first_answers)
    return sorted(found, key=lambda one: one.case.workload.workload != FIRST)


def _answered(
    writer: Writer, answers: Sequence[Answer]
) -> tuple[list[dict[str, object]], dict[str, Any]]:
    data = payload(writer, answers, writer.site.rates, writer.site.options.date)
    shown = [
        _shown(writer, answer.case, one)
        for answer, one in zip(answers, told(writer, answers, data), strict=True)
    ]
    return shown, data


def scripts_of(writer: Writer, data: Mapping[str, Any]) -> list[Asset]:
    """What the calculator is handed, as classic scripts, which also load from a file: all that it
    needs for its first answer, and each other workload, which it loads when it is asked about.
    """
    first, *rest = data["workloads"]
    folder = f"{writer.locale.code}/{FOLDER}"
    more = {
        one["id"]: Asset(
            f"{folder}{one['id']}.js",
            f"window.touchstoneCosts.workloads.push({scripts.compact(one)});\n".encode(),
        )
        for one in rest
    }
    places = {id_: scripts.versioned(f"{id_}.js", one.content) for id_, one in more.items()}
    common = {**data, "workloads": [first], "others": places}
    answers = scripts.assigned("touchstoneCosts", common)
    return [Asset(f"{folder}answers.js", answers), *more.values()]


def _shown(writer: Writer, case: Case, answer: Told) -> dict[str, object]:
    id_ = case.workload.workload
    drawn = writer.site.figures.get(f"{id_}-costs")
    picture = links = Markup("")
    if drawn is not None:  # else the answer has too few prices to draw
        image = drawn.html("picture", writer.locale, writer.root)
        href = writer.url(f"c/{drawn.id}/")
        picture = html.labelled_link(href, drawn.heading(writer.locale), image)
        links = drawn.html("links", writer.locale, writer.root)
    name = writer.workload_name(id_)
    return {"id": id_, "name": name, "told": answer, "picture": picture, "links": links}
