"""A report: what its source measured, who measured it, what follows from it, and what its figures
bear.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import date
from typing import Final

from markupsafe import Markup

from kernels.reading import where
from kernels.records import DatePrecision, Review, Source, SourceKind
from site_src import links
from site_src.model import Page
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import badges, comparison, offers, run_list, structured, tables
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Cells
from site_src.pages.components.writer import AGED_YEARS, MOST_WORDS, PageError, Writer, capital
from site_src.pages.report import audit, parallelism_diagram, printed
from site_src.pages.report.source_tables import source_table
from site_src.reports import Finding, Part, Report
from site_src.reports.prose import Prose, plain, words
from site_src.tables.submissions import comparable
from site_src.templates import html


def report_page(writer: Writer, report: Report) -> Page:
    """The page of one report in one language.

    Raises:
        PageError: The text lacks a section or a part, or its summary is too long.
    """
    source = writer.site.sources.get(report.source)
    if source is None:
        raise PageError(
            f"{report.path}: source {report.source!r} is not recorded; import it, or take the "
            "report away"
        )
    text = writer.text(f"reports/{report.id}.md")
    summary = writer.html(text.lead)
    _check(report, text, summary)
    known = metadata(writer, source)
    body = writer.render(
        "report.html",
        title=text.title,
        byline=byline(writer, source),
        disclaimers=disclaimers(writer, source),
        summary=summary,
        age=age_notice(writer, source),
        answer=answer(writer, report),
        metadata=writer.fields({name: known[name] for name in known if name in _FIRST}),
        more=writer.fields({name: known[name] for name in known if name not in _FIRST}),
        tags=[(tag, writer.t(f"tag.{tag}")) for tag in source.tags],
        sections=[
            {
                "id": part.id,
                "title": text.sections[part.id].title,
                "blocks": _blocks(writer, report, part, text),
            }
            for part in report.parts
            if not part.needs or part.needs in writer.site.figures
        ],
        related=related(writer, report),
    )
    page = writer.page("reports", text.title, plain(str(summary)), body, updated=source.updated)
    return replace(page, structured=structured.article(writer, report, page))


def _check(report: Report, text: Prose, summary: Markup) -> None:
    length = words(plain(str(summary)))
    if length > MOST_WORDS:
        raise PageError(
            f"{text.path}: the summary has {length} words, wanted {MOST_WORDS} or fewer"
        )
    wanted = [part.id for part in report.parts]
    if wanted != list(text.sections):
        raise PageError(
            f"{text.path}: sections {', '.join(text.sections)}; {report.path.name} wants "
            f"{', '.join(wanted)}"
        )


def _blocks(writer: Writer, report: Report, part: Part, text: Prose) -> list[Markup]:
    """The blocks of a section, between which its text stands as its definition says.

    Raises:
        PageError: The text has too few parts or too many, or there is no such block.
    """
    parts = iter(text.sections[part.id].parts)
    blocks = []
    for block in part.blocks:
        if block.kind == "text":
            try:
                blocks.append(writer.html(next(parts)))
            except StopIteration:
                raise PageError(
                    f"{text.path}: section {part.id!r} has too few parts; {report.path.name} "
                    "wants one a 'text'"
                ) from None
        elif block.kind in BLOCKS:
            blocks.append(BLOCKS[block.kind](writer, report, block.subject))
        else:
            raise PageError(
                f"{report.path}: section {part.id!r}: no block {block.kind!r}; there are text, "
                f"{', '.join(sorted(BLOCKS))}"
            )
    if next(parts, None):
        raise PageError(
            f"{text.path}: section {part.id!r} has more parts than {report.path.name} has 'text'"
        )
    return blocks


def byline(writer: Writer, source: Source) -> Markup:
    """The line above the text: authors, publisher, sponsor."""
    who, publisher, sponsor = (
        writer.foreign(name, source.language)
        for name in (source.authors, source.publisher, source.sponsor)
    )
    if source.affiliation:
        who = writer.paren(who, affiliation(writer, source))
    return writer.t("report.byline", who=who, publisher=publisher, sponsor=sponsor)


def affiliation(writer: Writer, source: Source) -> Markup:
    """The institute of the authors, in the page's language where it has a name there."""
    key = f"affiliation.{source.source}"
    return (
        writer.t(key)
        if writer.locale.has(key)
        else writer.foreign(source.affiliation, source.language)
    )


def disclaimers(writer: Writer, source: Source) -> list[Markup]:
    """Remarks of authors, publisher or this archive that stand before the first paragraph."""
    return [writer.t(f"disclaimer.{key}") for key in source.disclaimers]


def age_notice(writer: Writer, source: Source) -> Markup | None:
    """That the figures are old, by the rule of the method page; or that nobody knows how old they
    are.
    """
    if source.updated is None:
        return writer.t("report.undated")
    today = writer.site.options.date
    if _years(source.updated, today) < AGED_YEARS:
        return None
    years = _years(source.published or source.updated, today)  # a change measures nothing anew
    published = source.published and html.time(source.published, writer.published(source))
    if source.modified:
        days = {"date": html.time(source.modified, writer.given(source.modified))}
        key = "report.aged_since_update"
        if published:
            days["published"], key = published, "report.aged_both"
    else:
        days = {"date": published or Markup("")}
        exact = source.published_precision is DatePrecision.DAY
        key = "report.aged" if exact else "report.aged_month"
    return writer.t(key, n=years, shown=writer.fig(f"number:{years}"), **days)


def _years(since: date, until: date) -> int:
    return until.year - since.year - ((until.month, until.day) < (since.month, since.day))


_FIRST: Final = frozenset({"source", "published", "modified", "review"})
"""What a report says of its source at once; the rest is folded away."""


def answer(writer: Writer, report: Report) -> Markup | None:
    """A picture of the chart that the first strong finding rests on, with the chart's sentence; it
    leads to the chart further down.
    """
    strong = (finding.figure for finding in report.findings if finding.strong)
    chart = next(
        (id_ for id_ in strong if id_ in writer.site.figures and id_ in report.charts), None
    )
    return writer.preview(chart) if chart else None


def metadata(writer: Writer, source: Source) -> dict[str, Markup]:
    """Source, language, authors, both dates, number and version, scope, code, by field; "not
    stated" where it is not.
    """
    rows = {
        "source": writer.source_link(source),
        "original": links.away(source.url) if source.url else writer.missing("not_stated"),
        "language": _language(writer, source),
        "authors": writer.foreign(source.authors, source.language),
        "affiliation": affiliation(writer, source),
        "publisher": writer.foreign(source.publisher, source.language),
        "published": _published(writer, source),
        "modified": writer.given(source.modified),
    }
    for name, value in (("number", source.number), ("version_printed", source.version)):
        if value:
            rows[name] = writer.given(value)
    rows["code"] = code(writer, source)
    if source.applies_to:
        names = (writer.foreign(name, source.language) for name in source.applies_to)
        rows["applies_to"] = writer.joined("terms", *names)
    if source.vendors:
        rows["review"] = review_summary(writer, source)
    return rows


def _language(writer: Writer, source: Source) -> Markup:
    language = writer.t(f"language.{source.language}")
    if not source.translated_from:
        return language
    original = writer.t(f"language.{source.translated_from}")
    return writer.t("source.translated", language=language, original=original)


def _published(writer: Writer, source: Source) -> Markup:
    published = writer.published(source)
    if source.published is not None or not source.published_note:
        return published
    note = writer.t(f"source_note.{source.published_note}")
    # what is published again and again says so, and lacks no date; of an article the date is what
    # is missing
    again = source.kind in {SourceKind.LOGS, SourceKind.CATALOGUE}
    return note if again else writer.colon(published, note)


def code(writer: Writer, source: Source) -> Markup:
    """The address of the code that a source gives, or that it gives none."""
    if source.code is None:
        return writer.missing("not_stated")
    return writer.t("source.no_code") if source.code == "none" else links.away(source.code)


def review_summary(writer: Writer, source: Source) -> Markup:
    """Whether each vendor saw the draft: "not reviewed" where one has no entry, and who has one
    where only some have.
    """
    seen = {
        review.party
        for review in writer.site.reviews.get(source.source, ())
        if review.role == "vendor"
    }
    if source.vendors and seen.issuperset(source.vendors):
        return writer.t("review.all_asked")
    asked = [vendor for vendor in source.vendors if vendor in seen]
    if not asked:
        return writer.t("review.not_reviewed")
    others = [vendor for vendor in source.vendors if vendor not in seen]
    return writer.t(
        "review.some_asked", names=writer.locale.join(asked), others=writer.locale.join(others)
    )


def related(writer: Writer, report: Report) -> list[tuple[str, str]]:
    """Other reports with a tag, a workload or an accelerator of this one."""
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
        for side in report.sides
        if (machine := site.machines.get(side.system)) and machine.hardware
    }
    return set(source.tags if source else ()) | set(report.workloads) | hardware


def _shown_finding(writer: Writer, report: Report, finding: Finding) -> dict[str, object]:
    """A finding as templates show it."""
    return {
        "id": finding.id,
        "kind": finding.kind,
        "text": writer.finding(finding, report),
        "href": f"#{finding.figure}",
        "figure_title": _rests_on(writer, report, finding),
        "badge": badges.shown(writer, report, finding),
    }


def _rests_on(writer: Writer, report: Report, finding: Finding) -> str:
    """The title of the chart, the section or the table that a finding rests on."""
    sections = writer.text(f"reports/{report.id}.md").sections
    table = finding.figure.removeprefix("table-")
    if drawn := writer.site.figures.get(finding.figure):
        return drawn.title(writer.locale)
    if finding.figure in sections:
        return sections[finding.figure].title
    if table in report.tables:
        return writer.t(f"table.{table}")
    raise PageError(
        f"{report.path}: finding {finding.id!r} rests on {finding.figure!r}, which is no "
        "chart, no section and no table-<id>"
    )


# Blocks: what a section can show beside its text


def _chart(writer: Writer, _: Report, subject: str) -> Markup:
    return writer.chart(subject)


def _findings(writer: Writer, report: Report, _: str) -> Markup:
    return writer.render(
        "blocks/findings.html",
        findings=[_shown_finding(writer, report, finding) for finding in report.findings],
    )


def _audit(writer: Writer, report: Report, _: str) -> Markup:
    return audit.excerpt(writer, report.source)


def _runs(writer: Writer, report: Report, _: str) -> Markup:
    runs = writer.site.runs_of(source=report.source)
    return run_list.runs(
        writer, runs, writer.t("runs.of_source", source=writer.source_name(report.source))
    )


def _beside(writer: Writer, report: Report, _: str) -> Markup:
    """Runs of the same workloads that the source did not make: measured here, submitted, or read
    from logs.
    """
    runs = [
        run
        for workload in report.workloads
        for run in writer.site.runs_of(workload=workload)
        if run.source != report.source
    ]
    shown = comparable(writer.site.evidence, runs)
    return run_list.runs(writer, shown, writer.t("runs.beside"), named=len(report.workloads) > 1)


def _basis(writer: Writer, report: Report, _: str) -> Markup:
    """Versions of the software, and dates of the prices, on which findings rest."""
    site = writer.site
    runs = [site.runs[id_] for side in report.sides for id_ in side.runs if id_ in site.runs]
    rows = {
        "basis_software": [
            writer.certain(f"{piece.name} {piece.version}", piece.certainty)
            for run in runs
            for piece in run.software
            if piece.version
        ],
        "basis_prices": [
            writer.given(price.valid_from) for price in site.prices_of(source=report.source)
        ],
    }
    return html.meta(
        [
            (writer.t(f"report.{name}"), writer.joined("terms", *dict.fromkeys(found)))
            for name, found in rows.items()
            if found
        ]
    )


def _prices(writer: Writer, report: Report, _: str) -> Markup:
    label = writer.t("price.of_source", source=writer.source_name(report.source))
    return offers.offers(writer, writer.site.prices_of(source=report.source), label, short=True)


def _costs(writer: Writer, report: Report, _: str) -> Markup:
    label = writer.t("cost_table.of_source", source=writer.source_name(report.source))
    return cost_table.section(writer, cost_table.of(writer, source=report.source), label)


def _cells(writer: Writer, report: Report, subject: str) -> Markup:
    cells = [cell for cell in writer.site.cells.get(report.source, ()) if cell.table == subject]
    if not cells:
        raise PageError(f"{report.path}: {report.source} has no table {subject!r}")
    columns, texts = ({getattr(cell, name) for cell in cells} for name in ("column", "text"))
    # the caption says what all rows have in common
    if len(columns) == 1 and len(texts) == 1 and None not in texts:
        items = [
            capital(tables.row_name(writer, cell.table, cell.row))
            for cell in sorted(cells, key=lambda cell: cell.row_index)
        ]
        return writer.render(
            "blocks/list.html",
            label=html.strong(writer.t(f"table.{subject}")),
            items=items,
        )
    return source_table(writer, cells, writer.t(f"table.{subject}"))


def _statements(writer: Writer, report: Report, subject: str) -> Markup:
    """Rows of the table `statements` or `open-questions` as sentences; a statement says whether it
    is quoted or a guess.
    """
    group = {"statements": "statement", "open-questions": "open_question"}[subject]
    items = []
    for cell in writer.site.cells.get(report.source, ()):
        if cell.table == subject:
            kind = (
                writer.badge("kind", cell.text)
                if group == "statement" and cell.text
                else Markup("")
            )
            where = html.small(writer.locator(cell.locator))
            items.append(kind + " " + writer.paren(writer.t(f"{group}.{cell.row}"), where))
    return writer.render("blocks/list.html", label="", items=items)


def _reviews(writer: Writer, report: Report, _: str) -> Markup:
    source = writer.site.sources[report.source]
    reviews = writer.site.reviews.get(report.source, ())
    asked = {review.party for review in reviews}
    rows = [
        *(_review(writer, review) for review in reviews),
        *(_unasked(writer, vendor) for vendor in source.vendors if vendor not in asked),
    ]
    said = html.paragraph(writer.colon(writer.field("review"), review_summary(writer, source)))
    return said + tables.table(writer, writer.t("review.caption"), rows)


def _review(writer: Writer, review: Review) -> Cells:
    return {
        "party": writer.name("review_party", review.party),
        "role": writer.t(f"review_role.{review.role}"),
        "status": writer.t(f"review_status.{review.status}"),
        "date": tables.dated(writer, review.date),
        "comment": writer.t(f"review_comment.{review.comment}")
        if review.comment
        else writer.missing("not_stated"),
        "place": writer.locator(review.locator),
    }


def _unasked(writer: Writer, vendor: str) -> Cells:
    return {
        "party": vendor,
        "role": writer.t("review_role.vendor"),
        "status": writer.t("review_status.none"),
        **dict.fromkeys(("date", "comment", "place"), writer.missing("not_stated")),
    }


def _caveats(writer: Writer, report: Report, subject: str) -> Markup:
    """Remarks that stand on runs of the source; with a subject only that one, which must still
    stand on a run.
    """
    # withdrawn runs too: their figures still stand in the text, marked, and so must what is to be
    # said of them
    found = dict.fromkeys(
        caveat
        for run in where(writer.site.archive.runs, source=report.source)
        for caveat in run.caveats
    )
    if subject and subject not in found:
        raise PageError(
            f"{report.path}: no run of {report.source} has the caveat {subject!r} any more"
        )
    return writer.render(
        "blocks/caveats.html",
        caveats=[writer.t(f"caveat.{key}") for key in ([subject] if subject else found)],
    )


BLOCKS: Final[Mapping[str, Callable[[Writer, Report, str], Markup]]] = {
    "audit": _audit,
    "basis": _basis,
    "beside": _beside,
    "caveat": _caveats,
    "caveats": _caveats,
    "cells": _cells,
    "chart": _chart,
    "costs": _costs,
    "findings": _findings,
    "prices": _prices,
    "reviews": _reviews,
    "runs": _runs,
    "scheme": parallelism_diagram.scheme,
    "sides": comparison.systems,
    "software": comparison.software,
    "statements": _statements,
    "table": printed.printed_table,
}
"""Blocks by name. A new one is a function here and a line in this list."""
