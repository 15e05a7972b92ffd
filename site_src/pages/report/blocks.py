"""Blocks: content that a section of a report can show beside its text."""

from collections.abc import Callable, Mapping
from typing import Final

from markupsafe import Markup

from kernels.reading import where
from kernels.records import Review
from site_src.pages.calculator import table as cost_table
from site_src.pages.components import badges, comparison, offers, run_list, tables
from site_src.pages.components.tables import Cells
from site_src.pages.components.writer import PageError, Writer, capital
from site_src.pages.report import audit, printed
from site_src.pages.report.about import review_summary
from site_src.pages.report.source_tables import source_table
from site_src.reports import Finding, Report, ReportSection
from site_src.reports.prose import Prose
from site_src.tables.submissions import comparable
from site_src.templates import html


def of_section(writer: Writer, report: Report, section: ReportSection, text: Prose) -> list[Markup]:
    """The blocks of a section, with its text between them as defined.

    Raises:
        PageError: The text has too few parts or too many, or there is no such block.
    """
    parts = iter(text.sections[section.id].parts)
    blocks = []
    for block in section.blocks:
        if block.kind == "text":
            try:
                blocks.append(writer.html(next(parts)))
            except StopIteration:
                raise PageError(
                    f"{text.path}: section {section.id!r} has too few parts; {report.path.name} "
                    "wants one a 'text'"
                ) from None
        elif block.kind in BLOCKS:
            blocks.append(BLOCKS[block.kind](writer, report, block.subject))
        else:
            raise PageError(
                f"{report.path}: section {section.id!r}: no block {block.kind!r}; there are text, "
                f"{', '.join(sorted(BLOCKS))}"
            )
    if next(parts, None):
        raise PageError(
            f"{text.path}: section {section.id!r} has more parts than {report.path.name} has 'text'"
        )
    return blocks


def _shown_finding(writer: Writer, report: Report, finding: Finding) -> dict[str, object]:
    return {
        "id": finding.id,
        "kind": finding.kind,
        "text": writer.finding(finding, report),
        "href": _place(writer, report, finding.figure),
        "figure_title": _rests_on(writer, report, finding),
        "badge": badges.shown(writer, report, finding),
    }


def _place(writer: Writer, report: Report, figure: str) -> str:
    here = f"{report.details}#{figure}"
    place = report.place(figure)
    return f"#{figure}" if place == here else writer.url(place)


def _rests_on(writer: Writer, report: Report, finding: Finding) -> str:
    sections = writer.text(report.details_text).sections
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


def _chart(writer: Writer, report: Report, subject: str) -> Markup:
    """The chart; for a chart of the report's first page, a link to it."""
    if subject not in report.story.charts:
        return writer.chart(subject)
    drawn = writer.site.figures[subject]
    way = writer.link(report.place(subject), drawn.title(writer.locale))
    return html.note(writer.t("report.chart", title=way), subject)


def _findings(writer: Writer, report: Report, _: str) -> Markup:
    return writer.render(
        "blocks/findings.html",
        findings=[_shown_finding(writer, report, finding) for finding in report.findings],
    )


def _audit(writer: Writer, report: Report, _: str) -> Markup:
    return audit.excerpt(writer, report.source)


def _runs(writer: Writer, report: Report, _: str) -> Markup:
    runs = writer.site.runs_of(source=report.source)
    return run_list.runs(writer, runs, writer.t("result.runs"))


def _beside(writer: Writer, report: Report, _: str) -> Markup:
    """Runs of the same workloads from elsewhere: measured here, submitted, or read from logs."""
    runs = [
        run
        for workload in report.workloads
        for run in writer.site.runs_of(workload=workload)
        if run.source != report.source
    ]
    shown = comparable(writer.site.evidence, runs)
    return run_list.runs(writer, shown, writer.t("runs.beside"), named=len(report.workloads) > 1)


def _basis(writer: Writer, report: Report, _: str) -> Markup:
    site = writer.site
    runs = [site.runs[id_] for one in report.systems for id_ in one.runs if id_ in site.runs]
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
    prices = writer.site.prices_of(source=report.source)
    return offers.offers(writer, prices, writer.t("head.prices"), short=True)


def _costs(writer: Writer, report: Report, _: str) -> Markup:
    label = writer.t("cost_table.heading")
    return cost_table.section(writer, cost_table.of(writer, source=report.source), label)


def _cells(writer: Writer, report: Report, subject: str) -> Markup:
    cells = [cell for cell in writer.site.cells.get(report.source, ()) if cell.table == subject]
    if not cells:
        raise PageError(f"{report.path}: {report.source} has no table {subject!r}")
    columns, texts = ({getattr(cell, name) for cell in cells} for name in ("column", "text"))
    # the caption has what all rows share
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
    return source_table(writer, cells, writer.t(f"table.{subject}"), whole=False)


def _statements(writer: Writer, report: Report, subject: str) -> Markup:
    """Rows of the table `statements` or `open-questions` as sentences; a statement says if it is
    quoted or a guess.
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
        *(_unasked(writer, vendor, "vendor") for vendor in source.vendors if vendor not in asked),
    ]
    if all(review.role != "independent" for review in reviews):
        party = writer.name("review_party", "independent-experts")
        rows.append(_unasked(writer, party, "independent"))
    said = html.paragraph(writer.colon(writer.field("review"), review_summary(writer, source)))
    headings = {name: tables.heading(writer, name) for name in rows[0]} if rows else {}
    lines, note = tables.stated(writer, rows, headings) if rows else (rows, Markup(""))
    return said + tables.table(writer, writer.t("review.caption"), lines) + note


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


def _unasked(writer: Writer, party: str, role: str) -> Cells:
    return {
        "party": party,
        "role": writer.t(f"review_role.{role}"),
        "status": writer.t("review_status.none"),
        **dict.fromkeys(("date", "comment", "place"), writer.missing("not_stated")),
    }


def _caveats(writer: Writer, report: Report, subject: str) -> Markup:
    """Remarks recorded with runs of the source; with a subject only that one, which must still be
    recorded.
    """
    # withdrawn runs too: the text still shows their figures, marked, so their remarks are needed
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


STEPS: Final = ("split", "gradients", "gather", "step", "broadcast")
"""Steps of training on several accelerators; `templates/blocks/scheme.html` draws them."""


def scheme(writer: Writer, report: Report, subject: str) -> Markup:
    """The diagram of training on several accelerators, with the words `scheme.<subject>.title` and
    `scheme.<subject>.<number>`.

    Raises:
        PageError: A step has no words.
    """
    keys = [f"scheme.{subject}.{name}" for name in ("title", *range(1, len(STEPS) + 1))]
    if lost := [key for key in keys if not writer.locale.has(key)]:
        raise PageError(
            f"{report.path}: a section shows scheme {subject!r}, and {writer.locale.path} has no "
            f"{lost[0]!r}"
        )
    title, *texts = (writer.t(key) for key in keys)
    return writer.render(
        "blocks/scheme.html", id=subject, title=title, steps=list(zip(STEPS, texts, strict=True))
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
    "scheme": scheme,
    "sides": comparison.systems,
    "software": comparison.software,
    "statements": _statements,
    "table": printed.printed_table,
}
"""Blocks by name. A new one is a function here and a line in this list."""
