"""The calculator: cost of reaching a target on each system, at recorded prices or the reader's own;
its first answers as tables.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from markupsafe import Markup

from site_src import costs
from site_src.costs.question import By
from site_src.model import Asset, Page
from site_src.pages.calculator.answer import Answer, Told, told
from site_src.pages.calculator.payload import Handed, payload
from site_src.pages.components import scripts
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.reports.prose import plain
from site_src.templates import html

FOLDER: Final = "costs/"
ANSWERS: Final = "answers.js"
"""What the calculator ranks, beside its page."""

FIRST: Final = "resnet50-imagenet"
"""The workload shown first, if it has an answer: the one that most sources trained."""


@dataclass(frozen=True, slots=True)
class Answered:
    """The first answer of a workload, for a page and its script.

    Attributes:
        currency: Of the amounts.
    """

    shown: Mapping[str, object]
    handed: Handed
    currency: str


def costs_page(writer: Writer) -> Page:
    """The page in one language; only its prose if there is nothing to rank."""
    site, text = writer.site, writer.text("costs.md")
    kind = f"answered {writer.locale.code}"
    # each separately: most stay the same from build to build
    site.graph.register(kind, partial(_answered, writer), keep=True)
    found: list[Answered] = [site.graph.get(kind, id_) for id_ in _ranked(site)]
    handed = [one.handed for one in found]
    data = payload(writer, handed, site.rates, site.options.date)
    loaded = scripts_of(writer, data) if found else ()
    client = writer.calculator(loaded[0]) if loaded else ""
    lead = writer.html(text.lead)
    body = writer.render(
        "costs.html",
        title=text.title,
        lead=lead,
        first=found[0].shown if found else None,
        workloads=[(one.shown["id"], one.shown["name"]) for one in found],
        targets=found[0].handed.workload["targets"] if found else (),
        target=found[0].handed.workload["question"]["target"] if found else None,
        by=list(By),
        currency=found[0].currency if found else "",
        client=client,
        histories=_histories(writer),
        others=[one.shown for one in found[1:]],
        sections=writer.sections_of(text),
    )
    page = writer.page("costs", text.title, plain(str(lead)), body)
    return replace(page, head=client, beside=tuple(loaded)) if client else page


def _histories(writer: Writer) -> str:
    """Links to charts of what reaching a target has cost, by workload; empty without any."""
    links = [
        writer.link(f"c/{id_}/", writer.workload_name(workload))
        for workload in _ranked(writer.site)
        if (id_ := f"{workload}-cost-history") in writer.site.figures
    ]
    return writer.t("costs.histories", links=Markup(writer.locale.join(links))) if links else ""  # noqa: S704 - of links


def answer_page(writer: Writer, workload: str) -> Page:
    """The first answer of one workload in full, in one language."""
    shown = _answered(writer, workload).shown
    name = shown["name"]
    title = writer.t("costs.of_workload", name=name).striptags()
    told = writer.plain("costs.of_workload_told", name=name)
    return writer.page("costs", title, told, writer.render("answer.html", title=title, one=shown))


def others(site: Site) -> list[str]:
    """Workloads whose first answer has a page of its own: all that the calculator ranks except the
    first.
    """
    return [*_ranked(site)[1:]]


def _ranked(site: Site) -> list[str]:
    ranked = [id_ for id_, several in site.ranked.items() if several]
    return sorted(ranked, key=lambda id_: id_ != FIRST)


def _answered(writer: Writer, workload: str) -> Answered:
    site = writer.site
    cases = costs.cases(site.evidence, only=workload)
    [answer] = Answer.all(cases, site.rates, site.options.date)
    handed = Handed.of(writer, answer)
    data = payload(writer, [handed], site.rates, site.options.date)
    [one] = told(writer, [answer], data)
    return Answered(_shown(writer, workload, one), handed, answer.case.question.currency)


def scripts_of(writer: Writer, data: Mapping[str, Any]) -> list[Asset]:
    """Data of the calculator as classic scripts, which also load from a file: one for its first
    answer, and one for each other workload, loaded when chosen.
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
    return [Asset(f"{folder}{ANSWERS}", answers), *more.values()]


def _shown(writer: Writer, id_: str, answer: Told) -> dict[str, object]:
    drawn = writer.site.figures.get(f"{id_}-costs")
    picture = links = Markup("")
    if drawn is not None:  # else the answer has too few prices to draw
        image = drawn.html("picture", writer.locale, writer.root)
        href = writer.url(f"c/{drawn.id}/")
        picture = html.labelled_link(href, drawn.heading(writer.locale), image)
        links = drawn.html("links", writer.locale, writer.root)
    name = writer.workload_name(id_)
    return {"id": id_, "name": name, "told": answer, "picture": picture, "links": links}
