"""A report in two layers: the conclusions from a source, in a few charts; and at an address of its
own all details: measurements, who made them, and the audit.
"""

from dataclasses import replace
from typing import Any

from markupsafe import Markup

from kernels.records import Source
from site_src.model import Page
from site_src.pages.components import structured
from site_src.pages.components.site import Site
from site_src.pages.components.writer import MOST_WORDS, PageError, Writer
from site_src.pages.report import blocks, printed
from site_src.pages.report.about import age_notice, byline, disclaimers, metadata
from site_src.reports import Report, ReportSection
from site_src.reports.findings import hold
from site_src.reports.prose import Prose, cut, plain, words

CAVEATS = "keep-in-mind"
"""The section beside the charts of a report's first page."""


def story(writer: Writer, report: Report) -> dict[str, Any]:
    """Values for the template of a report's first page; `charts` has ids and their paragraphs.

    Raises:
        PageError: The text lacks a paragraph, or its summary is too long.
    """
    source, text = _source(writer, report), writer.text(report.text)
    hold(report.story.conditions, f"{report.path}: [story]", writer.site.facts)
    summary, *told = (writer.html(part) for part in _parts(report, text))
    _check_summary(text, summary)
    rounds = {section.needs for section in report.sections}
    return {
        "title": text.title,
        "summary": summary,
        "table": printed.short_table(writer, report, report.story.table),
        "charts": [
            (id_, said)
            for id_, said in zip(report.story.charts, told, strict=True)
            if id_ in writer.site.figures or id_ not in rounds
        ],
        "caveats": text.sections[CAVEATS].title,
        "said": writer.html(text.sections[CAVEATS].parts[0]),
        "byline": byline(writer, source),
    }


def report_page(writer: Writer, report: Report) -> Page:
    """The first page of a report in one language: its conclusion, a small table, a few charts, and
    a link to the details.

    Raises:
        PageError: As in `story`.
    """
    source, told = _source(writer, report), story(writer, report)
    titles = _details_text(writer, report).sections
    charts = [(writer.chart(id_, level=2), said) for id_, said in told["charts"]]
    body = writer.render(
        "report.html",
        **(told | {"charts": charts}),
        age=age_notice(writer, source),
        details=writer.url(report.details),
        sections=[(section.id, titles[section.id].title) for section in _shown(writer, report)],
        related=related(writer, report),
    )
    summary = plain(str(told["summary"]))
    # what it is, beside what it found: "TPU v2 V100 report"
    source_name = writer.source_name(report.source).striptags()
    name = " ".join((source_name, *writer.searched("reports")[:1]))
    page = writer.page(
        "reports", told["title"], summary, body, names=(name,), updated=source.updated
    )
    return replace(page, structured=structured.article(writer, report, page))


def details_page(writer: Writer, report: Report) -> Page:
    """The details of a report in one language: conditions, all tables, the other charts, the audit,
    the findings, open questions and the source.

    Raises:
        PageError: The text lacks a section or a part.
    """
    source, text = _source(writer, report), _details_text(writer, report)
    title = writer.plain("report.details_of", title=text.title)
    summary = writer.html(text.lead)
    _check_summary(text, summary)
    body = writer.render(
        "report_details.html",
        title=title,
        story=writer.url(f"reports/{report.id}/"),
        finding=writer.text(report.text).title,
        byline=byline(writer, source),
        disclaimers=disclaimers(writer, source),
        summary=summary,
        tags=[(tag, writer.t(f"tag.{tag}")) for tag in source.tags],
        about=writer.gathered(writer.fields(metadata(writer, source))),
        sections=[
            {
                "id": section.id,
                "title": text.sections[section.id].title,
                "blocks": blocks.of_section(writer, report, section, text),
            }
            for section in _shown(writer, report)
        ],
    )
    return writer.page("reports", title, plain(str(summary)), body, updated=source.updated)


def _source(writer: Writer, report: Report) -> Source:
    source = writer.site.sources.get(report.source)
    if source is None:
        raise PageError(
            f"{report.path}: source {report.source!r} is not recorded; import it, or take the "
            "report away"
        )
    return source


def _details_text(writer: Writer, report: Report) -> Prose:
    text, wanted = writer.text(report.details_text), [section.id for section in report.sections]
    if wanted != list(text.sections):
        raise PageError(
            f"{text.path}: sections {', '.join(text.sections)}; {report.path.name} wants "
            f"{', '.join(wanted)}"
        )
    return text


def _shown(writer: Writer, report: Report) -> list[ReportSection]:
    return [
        section
        for section in report.sections
        if not section.needs or section.needs in writer.site.figures
    ]


def _parts(report: Report, text: Prose) -> tuple[str, ...]:
    parts, wanted = cut(text.lead), 1 + len(report.story.charts)
    if len(parts) != wanted:
        raise PageError(
            f"{text.path}: {len(parts)} parts between '***' above the first heading, wanted "
            f"{wanted}: the conclusion, and one for each chart of {report.path.name}"
        )
    if [*text.sections] != [CAVEATS]:
        raise PageError(f"{text.path}: sections {', '.join(text.sections)}; wanted {CAVEATS}")
    return parts


def _check_summary(text: Prose, summary: Markup) -> None:
    length = words(plain(str(summary)))
    if length > MOST_WORDS:
        raise PageError(
            f"{text.path}: the summary has {length} words, wanted {MOST_WORDS} or fewer"
        )


def related(writer: Writer, report: Report) -> list[tuple[str, str]]:
    """Other reports that share a tag, a workload or an accelerator."""
    mine = _marks(writer.site, report)
    others = [
        (len(mine & _marks(writer.site, other)), other)
        for other in writer.site.reports.values()
        if other.id != report.id
    ]
    ordered = sorted((pair for pair in others if pair[0]), key=lambda pair: (-pair[0], pair[1].id))
    return writer.report_links([other for _, other in ordered])


def _marks(site: Site, report: Report) -> set[str]:
    source = site.sources.get(report.source)
    hardware = {
        machine.hardware
        for one in report.systems
        if (machine := site.machines.get(one.system)) and machine.hardware
    }
    return set(source.tags if source else ()) | set(report.workloads) | hardware
