"""All pages of the site in all its languages, and its navigation: records in, `model.Page` out."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final, TypeVar

from kernels.reading import Name
from kernels.records import Source
from site_src import reports
from site_src.addresses.editions import Edition
from site_src.addresses.retired import Retired
from site_src.charts.drawn import DrawnFigure
from site_src.charts.parts import Gallery, hung
from site_src.evidence import Evidence
from site_src.locales import Locale, unbroken
from site_src.model import SECTIONS, BuildOptions, Job, NavItem, Page
from site_src.pages import calculator, static_pages, workload_lists
from site_src.pages import machine as measured
from site_src.pages.accelerator import accelerator_page, accelerators_page
from site_src.pages.calculator.payload import node_of_chart
from site_src.pages.compare import pair_page, sourced_page
from site_src.pages.components.site import Site
from site_src.pages.components.writer import PageError, Writer, our_name
from site_src.pages.coverage import coverage_page
from site_src.pages.edition import edition_page
from site_src.pages.explore import explore_page
from site_src.pages.explore.rows import prepare
from site_src.pages.home import home_page
from site_src.pages.picker import compare_page
from site_src.pages.prices import kind_page, kinds, prices_page
from site_src.pages.report import details_page, report_page
from site_src.pages.report.source import source_page, sources_page
from site_src.pages.result import result_page
from site_src.pages.retired import retired_page
from site_src.pages.run import run_page
from site_src.pages.seeds import seeds_page
from site_src.pages.software import software_page
from site_src.pages.system import system_page, systems_page
from site_src.pages.throughput import throughput_page
from site_src.pages.workload import workload_page, workloads_page
from site_src.reports import Report, prose

__all__ = ["CONTENT", "PageError", "nav", "pages", "site_of"]

CONTENT: Final = Path(__file__).parents[1] / "content"
T = TypeVar("T")


def pages(site: Site, locales: Sequence[Locale], retired: Sequence[Retired] = ()) -> Iterator[Job]:
    """Every page, language by language; each language has the same paths.

    Args:
        site: Data of the pages.
        locales: In the order in which they are offered.
        retired: The last versions of charts that were removed.
    """
    languages = tuple(locale.code for locale in locales)
    for locale in locales:
        for path, make in _listed(site, languages, retired):
            made = partial(_made, make, site, locale, path)
            yield Job(locale.code, path, made, _beside(path), path in _LAST)


def first(site: Site) -> list[list[Name]]:
    """Nodes that pages of several processes share and that are compiled first."""
    return [[node_of_chart(site)]] if any(site.ranked.values()) else []


Make = Callable[[Writer], Page]

_LAST: Final = frozenset({"explore/", "data/"})
"""Pages about all results, or about all files."""


def _beside(path: str) -> tuple[Name, ...]:
    """Other nodes made together with a page. A result's page has worked out its costs, of which the
    table of all results takes one.
    """
    section, id_ = path.split("/", 1) if path else ("", "")
    if section == "explore":
        return (("files", "explored"),)
    return (("cost of result", id_.rstrip("/")),) if section == "results" and id_ else ()


def _made(make: Make, site: Site, locale: Locale, path: str) -> Page:
    return make(Writer(site, locale, path))


def site_of(
    evidence: Evidence,
    figures: Gallery | dict[str, DrawnFigure],
    options: BuildOptions,
    content: Path = CONTENT,
    editions: tuple[Edition, ...] = (),
) -> Site:
    """The site that all pages share, with the reports whose source is recorded."""
    defined = _reports(evidence, content)
    if isinstance(figures, dict):
        figures = hung(evidence.graph, figures)
    site = Site(evidence, figures, options=options, reports=defined, content=content)
    site.editions = editions
    prepare(site)
    return site


def _reports(evidence: Evidence, content: Path) -> list[Report]:
    sources = {source.source for source in evidence.archive.sources}
    return [report for report in reports.load(content / "reports") if report.source in sources]


def _about(
    page: Callable[[Writer, T], Page], of: Callable[[Site], Mapping[str, T]], id_: str
) -> Make:
    """Makes the page of a thing, which is looked up at that time, so that the graph records that
    the page depends on it.
    """
    return lambda at: page(at, of(at.site)[id_])


def _listed(
    site: Site, languages: tuple[str, ...], retired: Sequence[Retired]
) -> Iterator[tuple[str, Make]]:
    yield "", home_page
    yield "compare/", compare_page
    for name in (*site.versus, *site.versus_systems):
        yield f"compare/{name}/", partial(pair_page, name=name)
    for name in site.versus_sourced:
        yield f"compare/{name}/", partial(sourced_page, name=name)
    yield "reports/", static_pages.reports_page
    for report in site.reports.values():
        yield f"reports/{report.id}/", partial(report_page, report=report)
        yield report.details, partial(details_page, report=report)
    yield "systems/", systems_page
    for id_ in site.machines:
        yield f"systems/{id_}/", _about(system_page, lambda site: site.machines, id_)
    yield "accelerators/", accelerators_page
    for id_ in site.catalog.hardware:
        yield (
            f"accelerators/{id_}/",
            _about(accelerator_page, lambda site: site.catalog.hardware, id_),
        )
    yield "workloads/", workloads_page
    for id_ in site.catalog.workloads:
        yield (
            f"workloads/{id_}/",
            _about(workload_page, lambda site: site.catalog.workloads, id_),
        )
    yield from workload_lists.listed(site)
    yield measured.FOLDER, measured.measured_page
    for id_ in site.measured_with():
        yield f"{measured.FOLDER}{id_}/", partial(measured.own_page, system=id_)
    yield "seeds/", seeds_page
    yield "software/", software_page
    yield "throughput/", throughput_page
    yield "coverage/", coverage_page
    yield from _of_costs(site)
    yield "sources/", sources_page
    for id_ in site.sources:
        yield f"sources/{id_}/", _about(source_page, lambda site: site.sources, id_)
    yield "explore/", explore_page
    yield "results/", static_pages.results_page
    for id_ in site.results:
        yield f"results/{id_}/", _about(result_page, lambda site: site.results, id_)
    for id_ in site.measured_runs:
        yield f"runs/{id_}/", _about(run_page, lambda site: site.runs, id_)
    yield "method/", static_pages.method_page
    yield "glossary/", partial(static_pages.glossary_page, languages=languages)
    yield "data/", static_pages.data_page
    yield from _kept(site, retired)
    for id_ in site.figures:
        yield f"c/{id_}/", partial(static_pages.chart_page, id_=id_)
        for number in range(1, site.figures[id_].sheets + 1):
            sheet = static_pages.sheet_path(id_, number)
            yield sheet, partial(static_pages.rows_page, id_=id_, number=number)


def _kept(site: Site, retired: Sequence[Retired]) -> Iterator[tuple[str, Make]]:
    for edition in site.editions:
        yield f"editions/{edition.name}/", partial(edition_page, edition=edition)
    for one in retired:
        yield f"c/{one.id}/", partial(retired_page, one=one)


def _of_costs(site: Site) -> Iterator[tuple[str, Make]]:
    yield "costs/", calculator.costs_page
    for id_ in calculator.others(site):
        yield f"costs/{id_}/", partial(calculator.answer_page, workload=id_)
    yield "prices/", prices_page
    for kind in kinds(site):
        yield f"prices/{kind}/", partial(kind_page, kind=kind)


def nav(evidence: Evidence, locale: Locale, content: Path = CONTENT) -> NavItem:
    """The navigation in one language: sections, and below them the curated pages. Results are too
    many to be listed.
    """
    named = _reports(evidence, content)
    ids = {report.id for report in named}
    pages: dict[str, list[tuple[str, str]]] = {
        "reports": [
            (r.id, prose.read(content / locale.code / r.details_text).title) for r in named
        ],
        "systems": [(id_, unbroken(s.name)) for id_, s in evidence.catalog.systems.items()],
        "accelerators": [(id_, unbroken(h.name)) for id_, h in evidence.catalog.hardware.items()],
        "workloads": [(id_, w.name) for id_, w in evidence.catalog.workloads.items()],
        "measured": list(measured.names(evidence).items()),
    }
    children = {
        section: tuple(NavItem(section, f"{section}/{id_}/", title) for id_, title in found)
        for section, found in pages.items()
    }
    children["sources"] = tuple(
        _cited(source, our_name(source, locale, ids, content), locale)
        for source in evidence.archive.sources
    )
    sections = (
        NavItem(section, f"{section}/", locale.say(f"section.{section}"), children.get(section, ()))
        for section in SECTIONS
        if section not in {"home", "charts"}
    )
    return NavItem("home", "", locale.say("section.home"), tuple(sections))


def _cited(source: Source, ours: str | None, locale: Locale) -> NavItem:
    language = source.language if ours is None and source.language != locale.code else None
    return NavItem("sources", f"sources/{source.source}/", ours or source.title, language=language)
