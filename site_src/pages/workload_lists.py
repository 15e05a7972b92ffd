"""Long lists of a workload on pages of their own: all its results, and its costs at all offers."""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Final

from markupsafe import Markup

from kernels.analysis.gathered import submission
from kernels.records import Run, Workload
from site_src.model import Page
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import run_list, scores
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.tables.submissions import are_few, comparable, submissions
from site_src.templates import html

FEW: Final = 10
"""Most results listed on a workload's own page; of more it shows the first."""


def listed(site: Site) -> Iterator[tuple[str, Callable[[Writer], Page]]]:
    """Yields the path and the maker of each such page."""
    runs = site.runs
    counts = Counter(runs[one.run_ids[0]].workload for one in site.results.values())
    for id_ in site.catalog.workloads:
        if counts[id_] > FEW:
            yield results_path(id_), partial(results_page, workload=id_)
        if has_costs(site, id_):
            yield costs_path(id_), partial(costs_page, workload=id_)


def results_path(workload: str) -> str:
    """Path of all results of a workload; empty if there are few."""
    return f"workloads/{workload}/results/"


def costs_path(workload: str) -> str:
    """Path of all costs of a workload; empty if it has none."""
    return f"workloads/{workload}/costs/"


def has_costs(site: Site, workload: str) -> bool:
    """True if one of its results has a cost."""
    return workload in site.ranked


def results_page(writer: Writer, workload: str) -> Page:
    """All results and scores of a workload."""
    known = writer.site.catalog.workloads[workload]
    runs = writer.site.runs_of(workload=workload)
    title = writer.t("result.of_workload", name=writer.workload_name(workload))
    return _page(writer, known, title, results(writer, known, runs))


def costs_page(writer: Writer, workload: str) -> Page:
    """The cost of reaching each quality at each offer."""
    known = writer.site.catalog.workloads[workload]
    title = writer.t("cost_table.of_workload", name=writer.workload_name(workload))
    found = cost_table.of(writer, workload=workload)
    return _page(writer, known, title, [cost_table.block(writer, found, title, folding=False)])


def _page(writer: Writer, workload: Workload, title: Markup, blocks: list[Markup]) -> Page:
    way = html.paragraph(writer.workload_link(workload.workload))
    body = writer.render(
        "ranking.html", title=title, lead=way, cheapest=None, first=blocks, sections=[]
    )
    page = writer.page("workloads", str(title), str(title), body, light=True)
    return replace(page, in_search=False)  # search should find the workload's own page


def results(writer: Writer, workload: Workload, runs: list[Run]) -> list[Markup]:
    """All results and their scores; of very many submissions representative ones, and a link to
    all.
    """
    label = writer.t("result.of_workload", name=writer.workload_name(workload.workload))
    scored = _scored(writer, workload)
    if not are_few(writer.site.evidence):
        return [run_list.runs(writer, runs, label, folding=False), *scored]
    submitted = {run.source: None for run in runs if submission(run)}
    kept = comparable(writer.site.evidence, runs, each_round=True)
    ways = [(writer.url(f"sources/{name}/#runs"), writer.source_name(name)) for name in submitted]
    more = [html.details(writer.t("result.more"), writer.links(ways))] if ways else []
    return [run_list.runs(writer, kept, label, folding=False), *more, *scored]


def _scored(writer: Writer, workload: Workload) -> list[Markup]:
    found = scores.of(writer, workload=workload.workload)
    if are_few(writer.site.evidence):
        kept = submissions(writer.site.evidence, workload.workload, each_round=True)
        shown = {one.id for one in kept}
        found = [score for score in found if score.run_ids[0] in shown]
    if not found:
        return []
    found = sorted(found, key=lambda score: (score.round or "", score.score_minutes or 0.0))
    return [scores.table(writer, found, of="workload")]
