"""All pages of the site in all its languages, and its navigation: recorded facts in, `model.Page`
out.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from kernels.records import Source
from site_src import reports
from site_src.addresses.retired import Retired
from site_src.charts.drawn import DrawnFigure
from site_src.evidence import Evidence
from site_src.locales import Locale, unbroken
from site_src.model import SECTIONS, BuildOptions, NavItem, Page
from site_src.pages import machine as measured
from site_src.pages import static_pages
from site_src.pages.calculator import costs_page
from site_src.pages.components.site import Site
from site_src.pages.components.writer import PageError, Writer, our_name
from site_src.pages.prices import prices_page
from site_src.pages.report import report_page
from site_src.pages.report.source import source_page, sources_page
from site_src.pages.retired import retired_page
from site_src.pages.run import run_page
from site_src.pages.seeds import seeds_page
from site_src.pages.software import software_page
from site_src.pages.system import system_page, systems_page
from site_src.pages.workload import workload_page, workloads_page
from site_src.reports import Report, prose

__all__ = ["CONTENT", "PageError", "nav", "pages", "site_of"]

CONTENT: Final = Path(__file__).parents[1] / "content"


def pages(  # noqa: PLR0917 - all that a build knows goes into its pages
    evidence: Evidence,
    locales: Sequence[Locale],
    figures: Mapping[str, DrawnFigure],
    options: BuildOptions,
    content: Path = CONTENT,
    only: str | None = None,
    retired: Sequence[Retired] = (),
) -> Iterator[Page]:
    """Every page, language by language; each language has the same paths.

    Args:
        evidence: What is recorded.
        locales: Languages, in the order in which they are offered.
        figures: Drawn charts by id.
        options: The build's.
        content: Texts, by language, and the definitions of reports.
        only: The one language to make, where another process makes the others.
        retired: The last versions of charts that were removed.
    """
    site = site_of(evidence, figures, options, content)
    languages = tuple(locale.code for locale in locales)
    for locale in [locale for locale in locales if only in (None, locale.code)]:
        yield from _language(site, locale, languages)
        for one in retired:
            yield retired_page(Writer(site, locale, f"c/{one.id}/"), one)


def site_of(
    evidence: Evidence,
    figures: Mapping[str, DrawnFigure],
    options: BuildOptions,
    content: Path = CONTENT,
) -> Site:
    """The site that all pages share, with the reports whose source is recorded."""
    defined = _reports(evidence, content)
    return Site(evidence, figures, options=options, reports=defined, content=content)


def _reports(evidence: Evidence, content: Path) -> list[Report]:
    sources = {source.source for source in evidence.archive.sources}
    return [report for report in reports.load(content / "reports") if report.source in sources]


def _language(site: Site, locale: Locale, languages: tuple[str, ...]) -> Iterator[Page]:
    def at(path: str) -> Writer:
        return Writer(site, locale, path)

    yield static_pages.home_page(at(""))
    yield static_pages.reports_page(at("reports/"))
    for report in site.reports.values():
        yield report_page(at(f"reports/{report.id}/"), report)
    yield systems_page(at("systems/"))
    for machine in site.machines.values():
        yield system_page(at(f"systems/{machine.id}/"), machine)
    yield workloads_page(at("workloads/"))
    for workload in site.catalog.workloads.values():
        yield workload_page(at(f"workloads/{workload.workload}/"), workload)
    yield measured.measured_page(at(measured.FOLDER))
    for id_, runs in measured.measured(site).items():
        yield measured.machine_page(at(f"{measured.FOLDER}{id_}/"), site.machines[id_], runs)
    yield seeds_page(at("seeds/"))
    yield software_page(at("software/"))
    yield costs_page(at("costs/"))
    yield prices_page(at("prices/"))
    yield sources_page(at("sources/"))
    for source in site.archive.sources:
        yield source_page(at(f"sources/{source.source}/"), source)
    yield static_pages.runs_page(at("runs/"))
    for run in site.archive.runs:
        yield run_page(at(f"runs/{run.run_id}/"), run)
    yield static_pages.method_page(at("method/"))
    yield static_pages.glossary_page(at("glossary/"), languages)
    yield static_pages.data_page(at("data/"))
    for id_ in site.figures:
        yield static_pages.chart_page(at(f"c/{id_}/"), id_)


def nav(evidence: Evidence, locale: Locale, content: Path = CONTENT) -> NavItem:
    """The tree of navigation in one language: sections, and below them the curated pages. Runs are
    too many to stand in it.
    """
    named = _reports(evidence, content)
    ids = {report.id for report in named}
    pages: dict[str, list[tuple[str, str]]] = {
        "reports": [
            (r.id, prose.read(content / locale.code / f"reports/{r.id}.md").title) for r in named
        ],
        "systems": [(id_, unbroken(s.name)) for id_, s in evidence.catalog.systems.items()],
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
    """A source by our name for it, else by its own title in its own language."""
    language = source.language if ours is None and source.language != locale.code else None
    return NavItem("sources", f"sources/{source.source}/", ours or source.title, language=language)
