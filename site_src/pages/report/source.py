"""The page of a source: what it is, under which terms, everything it prints, and the audit of its
figures; and the list of sources.
"""

from dataclasses import replace

from markupsafe import Markup

from kernels.records import Source, SourceKind
from site_src.model import Page
from site_src.pages.components import offers, scores, structured, tables
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer
from site_src.pages.report import audit, disclaimers, metadata, rates
from site_src.pages.report.source_tables import source_table
from site_src.tables.prices import MANY, offered


def source_page(site: Site, writer: Writer, source: Source) -> Page:
    """The page of one source in one language."""
    name, title = source.source, writer.source_title(source)
    sections: list[tuple[str, list[Markup]]] = [("about", [about(writer, source)])]
    seen = writer.report_links(site.reports_of(source=name))
    if seen:
        sections.append(("reports", [writer.links(seen)]))
    if site.claims.get(name):
        rule = Markup('<p><a href="{}">{}</a></p>').format(
            writer.url("method/#verdicts"), writer.t("audit.rule")
        )
        sections.append(("audit", [audit.audit(writer, name), rule]))
    if scored := scores.of(writer, source=name):
        sections.append(("scores", [scores.table(writer, scored)]))
    runs = site.runs_of(source=name)
    if runs:
        sections.append(
            ("runs", [tables.runs(writer, runs, writer.t("runs.of_source", source=title))])
        )
    prices = [price for price in site.prices.values() if price.source == name]
    if prices:
        listed = offers.offers(
            writer, prices, writer.t("price.of_source", source=title), short=True
        )
        among = writer.links(
            [
                (
                    writer.url(f"prices/?source={name}#offers"),
                    writer.t("prices.of_source", n=len(prices)),
                )
            ]
        )
        sections.append(("prices", [among if len(offered(prices)) > MANY else listed]))
    if exchanged := rates.of(writer, name):
        sections.append(
            ("rates", [rates.table(writer, exchanged, writer.t("source.rates_caption"))])
        )
    printed = dict.fromkeys(cell.table for cell in site.cells.get(name, ()))
    if printed:
        blocks = []
        for table in printed:
            cells = [cell for cell in site.cells[name] if cell.table == table]
            heading = Markup('<h3 id="table-{}">{}</h3>').format(table, writer.t(f"table.{table}"))
            blocks.append(heading + source_table(writer, cells, writer.t(f"table.{table}")))
        sections.append(("tables", blocks))
    hardware = {spec.hardware for spec in site.catalog.specs if spec.source == name}
    if hardware:
        links = [
            (writer.url(f"systems/{m.id}/#specifications"), m.name)
            for m in site.machines.values()
            if m.hardware in hardware
        ]
        sections.append(("specifications", [writer.links(links)]))
    body = writer.render(
        "plain.html",
        title=title,
        lead=writer.t(f"source_kind.{source.kind}"),
        sections=writer.titled("source", sections),
    )
    shows = {
        "claims": "audit",
        "runs": "runs",
        "prices": "prices",
        "rates": "rates",
        "printed_tables": "tables",
    }
    headings = {section for section, _ in sections} - (
        {"prices"} if len(offered(prices)) > MANY else set()
    )
    shown = [table for table, section in shows.items() if section in headings]
    claims = len(site.claims.get(name, ()))
    description = writer.t(
        "source.description" if claims else "source.description_none", title=source.title, n=claims
    )
    page = writer.page(
        "sources", source.title, str(description.striptags()), body, updated=source.updated
    )
    return replace(
        page,
        structured=structured.source(site, writer, source, page, shown),
        title_language=source.language if source.language != writer.locale.code else None,
    )


def about(writer: Writer, source: Source) -> Markup:
    """Metadata, terms, and what the reader must know about the copy."""
    note = (
        writer.t(f"source_note.{source.transcription_note}")
        if source.transcription_note
        else writer.missing("not_stated")
    )
    rows = [
        *((writer.field(name), value) for name, value in metadata(writer, source)[1:]),
        (writer.field("accessed"), writer.given(source.accessed)),
        (writer.field("sponsor"), writer.foreign(source.sponsor, source.language)),
        (writer.field("licence"), licence(writer, source.licence)),
        (writer.field("credit"), writer.source_credit(source)),
        (writer.field("transcription_note"), note),
    ]
    said = Markup("").join(
        Markup('<p class="ts-caveat">{}</p>').format(text) for text in disclaimers(writer, source)
    )
    # what nobody would look for in logs and catalogues is one line and not eight
    return said + writer.meta(
        writer.gathered(rows) if source.kind in {SourceKind.LOGS, SourceKind.CATALOGUE} else rows
    )


def licence(writer: Writer, name: str) -> Markup:
    """A licence by its short name; our own short names in words."""
    return writer.name("licence", name)


def sources_page(site: Site, writer: Writer) -> Page:
    """The list of sources with the counts of their claims."""
    lines = []
    for source in site.archive.sources:
        link = Markup('<a href="{}">{}</a>').format(
            writer.url(f"sources/{source.source}/"), writer.source_title(source)
        )
        name = source.source
        lines.append(
            Line(
                [
                    Entry(link, source.title),
                    Entry(writer.t(f"source_kind.{source.kind}")),
                    Entry(writer.t(f"language.{source.language}")),
                    Entry(
                        writer.published(source),
                        source.published.isoformat() if source.published else None,
                    ),
                    Entry(
                        writer.fig(f"count:runs@{name}"), len(site.runs_of(source=name)), "number"
                    ),
                    Entry(
                        writer.fig(f"count:claims@{name}"), len(site.claims.get(name, ())), "number"
                    ),
                    Entry(
                        writer.fig(f"count:claims.contradicts@{name}"),
                        site.contradicted(name),
                        "number",
                    ),
                    Entry(licence(writer, source.licence)),
                ]
            )
        )
    columns = tables.heads(
        writer,
        "source",
        "kind",
        "language",
        "published",
        "runs#",
        "claims#",
        "contradicted#",
        "licence",
    )
    return writer.prose_page(
        "sources",
        writer.text("sources.md"),
        {"list": [tables.table(writer, writer.t("source.list"), columns, lines)]},
    )
