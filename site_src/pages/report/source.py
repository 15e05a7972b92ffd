"""The page of a source: metadata, terms, everything it prints, and the audit of its figures; and
the list of sources.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from markupsafe import Markup

from kernels.records import Price, Rate, Source, SourceKind
from site_src.locales import unbroken
from site_src.model import Page
from site_src.pages.components import offers, run_list, scores, structured, tables
from site_src.pages.components.tables import Cells, Entry, Line
from site_src.pages.components.writer import Writer
from site_src.pages.report import audit
from site_src.pages.report.about import disclaimers, metadata
from site_src.pages.report.source_tables import source_table
from site_src.tables.prices import MANY, offered
from site_src.templates import html

_TABLES: Final[Mapping[str, str]] = {
    "audit": "claims",
    "runs": "runs",
    "prices": "prices",
    "rates": "rates",
    "tables": "printed_tables",
}
"""Sections of a source's page that show a whole download, with that table."""


def source_page(writer: Writer, source: Source) -> Page:
    """The page of one source in one language."""
    name = source.source
    sections = {id_: blocks for id_, blocks in _sections(writer, source).items() if blocks}
    lead = writer.t(f"source_kind.{source.kind}")
    body = writer.sections("source", sections, writer.source_title(source), lead)
    shown = [
        table
        for section, table in _TABLES.items()
        if section in sections
        and not (section == "prices" and _many(writer.site.prices_of(source=name)))
    ]
    description = writer.plain("source.description", title=source.title)
    page = writer.page("sources", source.title, description, body, updated=source.updated)
    return replace(
        page,
        structured=structured.source(writer, source, page, shown),
    )


def _sections(writer: Writer, source: Source) -> dict[str, list[Markup]]:
    site = writer.site
    name = source.source
    reports = writer.report_links(site.reports_of(source=name))
    rule = html.paragraph(writer.link("method/#verdicts", writer.t("audit.rule")))
    scored = scores.of(writer, source=name)
    runs = site.runs_of(source=name)
    exchanged = [rate for rate in writer.site.rates if rate.source == name]
    hardware = {spec.hardware for spec in site.catalog.specs if spec.source == name}
    specified = [
        (writer.url(f"accelerators/{id_}/#specifications"), unbroken(known.name))
        for id_, known in site.catalog.hardware.items()
        if id_ in hardware
    ]
    return {
        "about": [about(writer, source)],
        "reports": [writer.links(reports)] if reports else [],
        "audit": [audit.audit(writer, name), rule] if site.claims.get(name) else [],
        "scores": [scores.table(writer, scored)] if scored else [],
        "runs": [run_list.runs(writer, runs, writer.t("result.runs"))] if runs else [],
        "prices": _priced(writer, name),
        "rates": [rates_table(writer, exchanged, writer.t("source.heading_rates"))]
        if exchanged
        else [],
        "tables": list(_printed(writer, name)),
        "specifications": [writer.links(specified)] if hardware else [],
    }


def _many(prices: Sequence[Price]) -> bool:
    return len(offered(prices)) > MANY


def _priced(writer: Writer, source: str) -> list[Markup]:
    prices = writer.site.prices_of(source=source)
    if not prices:
        return []
    if _many(prices):
        href = writer.url(f"prices/?source={source}#offers")
        return [writer.links([(href, writer.t("prices.of_source", n=len(prices)))])]
    return [offers.offers(writer, prices, writer.t("head.prices"), short=True)]


def _printed(writer: Writer, source: str) -> Iterator[Markup]:
    found = writer.site.cells.get(source, ())
    for table in dict.fromkeys(cell.table for cell in found):
        cells = [cell for cell in found if cell.table == table]
        title = writer.t(f"table.{table}")
        yield html.heading(f"table-{table}", title) + source_table(writer, cells, title)


def about(writer: Writer, source: Source) -> Markup:
    """Metadata, terms, and remarks on the copy."""
    note = (
        writer.t(f"source_note.{source.transcription_note}")
        if source.transcription_note
        else writer.missing("not_stated")
    )
    known = metadata(writer, source) | {
        "accessed": writer.given(source.accessed),
        "sponsor": writer.foreign(source.sponsor, source.language),
        "licence": writer.name("licence", source.licence),
        "credit": writer.source_credit(source),
        "transcription_note": note,
    }
    del known["source"]
    rows = writer.fields(known)
    said = Markup("").join(html.caveat(text) for text in disclaimers(writer, source))
    # rarely sought for logs and catalogues, so in one line instead of eight
    return said + html.meta(
        writer.gathered(rows) if source.kind in {SourceKind.LOGS, SourceKind.CATALOGUE} else rows
    )


def sources_page(writer: Writer) -> Page:
    """The list of sources with the counts of their claims."""
    rows = [_row(writer, source) for source in writer.site.archive.sources]
    listed = tables.table(writer, writer.t("source.list"), rows)
    return writer.prose_page("sources", writer.text("sources.md"), {"list": [listed]})


def _row(writer: Writer, source: Source) -> Cells:
    name, site, published = source.source, writer.site, source.published

    def counted(what: str, number: int) -> Entry:
        return Entry(writer.fig(f"count:{what}@{name}"), number)

    return {
        "source": Entry(writer.source_link(source), source.title),
        "kind": writer.t(f"source_kind.{source.kind}"),
        "language": writer.t(f"language.{source.language}"),
        "published": Entry(writer.published(source), published.isoformat() if published else None),
        "runs#": counted("runs", len(site.runs_of(source=name))),
        "claims#": counted("claims", len(site.claims.get(name, ()))),
        "contradicted#": counted("claims.contradicts", site.contradicted(name)),
        "licence": writer.name("licence", source.licence),
    }


_DIGITS: Final = 6
"""Most digits that a central bank prints."""


def rates_table(writer: Writer, found: Sequence[Rate], label: Markup) -> Markup:
    """A row for each day, newest first, and a column for each pair of currencies."""
    pairs = {
        f"{base}:{quote}#": writer.t("source.rate_of", base=base, quote=quote)
        for base, quote in sorted({(rate.base, rate.quote) for rate in found})
    }
    lines = []
    for day in sorted({rate.day for rate in found}, reverse=True):
        cells: dict[str, Entry | str] = {"date": tables.dated(writer, day)}
        cells |= dict.fromkeys(pairs, writer.missing("not_stated"))
        cells |= {
            f"{rate.base}:{rate.quote}#": Entry(
                writer.fig(f"rate:{rate.base}:{rate.quote}:{rate.day}", digits=_DIGITS),
                repr(rate.rate),
            )
            for rate in found
            if rate.day == day
        }
        lines.append(Line(cells, f"rate-{day}"))
    return tables.table(writer, label, lines, pairs)
