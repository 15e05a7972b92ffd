"""Pages of the site itself: lists, method, glossary, downloads, and a page for each chart."""

import csv
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from markupsafe import Markup

from kernels.analysis.gathered import groups
from kernels.audit.facts import FORMULAS, ORDER, TOLERANCE
from kernels.reading import note
from kernels.records import Bound, Claim, ClockScope, Origin, Run, Status, Verdict
from site_src import api
from site_src.api.tables import csv_ending
from site_src.charts.parts import Chart
from site_src.model import Page
from site_src.pages.components import (
    run_list,
    structured,
    tables,
)
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Cells, Entry, Line
from site_src.pages.components.writer import PageError, Writer, capital
from site_src.pages.report.about import review_summary
from site_src.reports import KINDS, Report
from site_src.reports.prose import plain
from site_src.templates import html


def _report_card(writer: Writer, report: Report) -> dict[str, object]:
    site, source = writer.site, writer.site.sources[report.source]
    names = writer.locale.join([writer.system_name(one.system) for one in report.systems])
    claims = len(site.claims.get(report.source, ()))
    contradicted = site.contradicted(report.source)
    [(href, title)] = writer.report_links([report])
    return {
        "href": href,
        "title": title,
        "notes": [
            writer.t("report.sides", names=names),
            writer.t("report.audited", n=claims, contradicted=contradicted),
            capital(review_summary(writer, source)),
        ],
        "tags": source.tags,
    }


def reports_page(writer: Writer) -> Page:
    """The list of reports, by tag."""
    text, reports = writer.text("reports.md"), writer.site.reports.values()
    cards = [_report_card(writer, report) for report in reports]
    counted = Counter(tag for report in reports for tag in writer.site.sources[report.source].tags)
    tags = [(tag, writer.t(f"tag.{tag}"), counted[tag]) for tag in sorted(counted)]
    lead = writer.html(text.lead)
    body = writer.render("reports.html", title=text.title, lead=lead, reports=cards, tags=tags)
    return writer.page("reports", text.title, plain(str(lead)), body)


def results_page(writer: Writer) -> Page:
    """The number of results of each workload, with links, and the withdrawn runs."""
    site = writer.site
    text = writer.text("results.md")
    withdrawn = [
        (writer.url(site.results.page_with(run.run_id)), run.run_id)
        for run in site.archive.runs
        if run.withdrawn is not None
    ]
    counts = Counter(site.runs[one.run_ids[0]].workload for one in site.results.values())
    rows: list[Cells] = []
    for workload, n in counts.most_common():
        name = writer.workload_name(workload)
        place = writer.link(f"workloads/{workload}/#runs", name)
        rows.append({"workload": Entry(place, name), "results#": tables.count(writer, n)})
    shown = {
        "list": [
            html.paragraph(writer.link("explore/", writer.t("explore.title"))),
            tables.table(writer, writer.t("section.workloads"), rows),
        ],
        "withdrawn": [writer.links(withdrawn)],
    }
    return writer.prose_page("results", text, shown)


def method_page(writer: Writer) -> Page:
    """The origin and processing of figures; its lists are those of the code."""

    def listed(group: str, meaning: str, values: Sequence[str]) -> Markup:
        rows = [
            {"word": writer.t(f"{group}.{value}"), "meaning": writer.t(f"{meaning}.{value}")}
            for value in values
        ]
        return tables.table(writer, writer.t(f"method.{group}"), rows, sortable=False)

    formulas = [
        {"formula": html.code(name), "meaning": writer.t(f"formula.{name}")} for name in FORMULAS
    ]
    blocks = {
        "origins": [listed("origin", "origin_meaning", list(Origin))],
        "statuses": [listed("status", "status_meaning", list(Status))],
        "verdicts": [listed("verdict", "verdict_meaning", list(Verdict))],
        "kinds": [listed("kind", "kind_meaning", KINDS)],
        "tolerances": [_tolerances(writer)],
        "clocks": [listed("clock_scope", "clock_scope_meaning", list(ClockScope))],
        "formulas": [tables.table(writer, writer.t("method.formulas"), formulas, sortable=False)],
    }
    return writer.prose_page("method", writer.text("method.md"), blocks)


def _tolerances(writer: Writer) -> Markup:
    rows = [
        {"word": writer.t(f"bound.{bound}"), "meaning": _rule(writer, bound)} for bound in TOLERANCE
    ]
    order = writer.t("tolerance.order", factor=writer.locale.number(ORDER.factor, 2))
    rows.append({"word": writer.t("tolerance.order_word"), "meaning": order})
    return tables.table(writer, writer.t("method.tolerances"), rows, sortable=False)


def _rule(writer: Writer, bound: Bound) -> Markup:
    tolerance = TOLERANCE[bound]
    if bound is Bound.EQ:
        return writer.t("tolerance.eq")
    if tolerance.below or tolerance.above:
        return writer.t("tolerance.below" if tolerance.below else "tolerance.above")
    percent = writer.locale.percent(tolerance.relative)
    return writer.t("tolerance.around", digits=tolerance.digits, percent=percent)


def glossary(path: Path) -> tuple[Mapping[str, str], ...]:
    """Terms: `key` and a column for each language."""
    note("text", str(path))
    with path.open(encoding="utf-8", newline="") as file:
        return tuple(csv.DictReader(file))


def glossary_page(writer: Writer, languages: tuple[str, ...]) -> Page:
    """Each term in all languages, with a definition where it helps."""
    here = writer.locale.code
    rows = glossary(writer.site.content / "glossary" / "terms.csv")
    known = here if rows and here in rows[0] else "en"
    others = [code for code in languages if code != here and code in rows[0]]
    lines = []
    for row in sorted(rows, key=lambda row: row[known].casefold().replace("ё", "е")):
        key = f"meaning.{row['key']}"
        cells = {
            known: row[known],
            **{code: html.foreign(code, row[code]) for code in others},
            "meaning": writer.t(key) if writer.locale.has(key) else "",
        }
        lines.append(Line(cells, row["key"].replace("_", "-")))
    headings = {code: capital(writer.t(f"language.{code}")) for code in (known, *others)}
    listed = tables.table(writer, writer.t("glossary.caption"), lines, headings)
    return writer.prose_page("glossary", writer.text("glossary.md"), {"terms": [listed]})


def data_page(writer: Writer) -> Page:
    """Downloads, the JSON files, and the terms of each source."""
    shown: dict[str, list[Cells]] = {
        "downloads": [
            {
                "table": writer.t(f"download.{name}"),
                "files": html.dotted(
                    _file(writer, f"data/{name}.parquet"),
                    _file(writer, f"data/{name}.{csv_ending(name)}"),
                ),
                "rows#": tables.count(writer, shape.rows),
                "columns": Entry(_columns(writer, shape.columns), len(shape.columns)),
            }
            for name, shape in writer.site.tables.items()
        ],
        "api": [
            {"file": _file(writer, api.file_of(name)), "meaning": writer.t(f"api.{name}")}
            for name in api.NAMES
        ],
        "terms": [
            {
                "source": writer.source_title(source),
                "licence": writer.name("licence", source.licence),
                "credit": writer.source_credit(source),
            }
            for source in writer.site.archive.sources
        ],
    }
    blocks = {
        id_: [tables.table(writer, writer.t(f"data_page.{id_}"), rows)]
        for id_, rows in shown.items()
    }
    blocks["editions"] = [_editions(writer)]
    page = writer.prose_page("data", writer.text("data.md"), blocks)
    return replace(page, structured=structured.catalog(writer, page))


def _editions(writer: Writer) -> Markup:
    note("editions")
    rows: list[Cells] = [
        {
            "edition": writer.link(f"editions/{one.name}/", one.name),
            "date": tables.dated(writer, one.day),
            "charts#": tables.count(writer, len(one.charts)),
        }
        for one in reversed(writer.site.editions)
    ]
    headings = {"edition": capital(writer.t("edition.edition")), "charts#": writer.t("llms.charts")}
    return tables.table(writer, writer.t("edition.editions"), rows, headings)


def _columns(writer: Writer, names: Sequence[str]) -> Markup:
    listed = writer.joined("comma", *(html.code(name) for name in names))
    return html.details(tables.counted(writer, "columns", len(names)), listed)


def _file(writer: Writer, path: str) -> Markup:
    return html.link(writer.asset(path), path.rsplit("/", 1)[-1])


def _shown_at(site: Site, drawn: Chart) -> str:
    shown = (report for report in site.reports.values() if drawn.id in report.charts)
    return next((report.place(drawn.id) for report in shown), drawn.page)


def chart_page(writer: Writer, id_: str) -> Page:
    """A chart on a page of its own: table, named views, embedding, and the source of each
    number.
    """
    site, locale = writer.site, writer.locale
    drawn = site.figures[id_]
    words = drawn.words(locale)
    unknown = [run for run in drawn.runs if run not in site.runs]
    if unknown:
        raise PageError(f"chart {id_}: run {unknown[0]!r} is not recorded")
    runs = [site.runs[run] for run in drawn.runs]
    sources = [name for name in dict.fromkeys(run.source for run in runs) if name in site.sources]
    cited = [(writer.url(f"sources/{name}/"), writer.source_name(name)) for name in sources]
    behind = groups(runs)
    sections: dict[str, list[Markup]] = {
        "views": [writer.links(words.views)] if words.views else [],
        "share": [drawn.html("panel", locale, writer.root)],
        "runs": [_places(writer, behind)],
        "sources": [writer.links(cited)],
        "page": [writer.links([(writer.url(_shown_at(site, drawn)), writer.t("chart.to_page"))])],
    }
    return writer.page(
        "charts",
        words.headline,
        words.heading,
        writer.chart(id_) + writer.sections("chart", sections),
        updated=structured.newest(runs, [site.sources[name] for name in sources]),
        structured=structured.chart(writer, drawn),
        oembed=f"{drawn.folder}oembed.{locale.code}.json",
        names=(words.heading,),
    )


def sheet_path(id_: str, number: int) -> str:
    """Path of one page of a chart's very long table."""
    return f"c/{id_}/rows/" + (f"{number}/" if number > 1 else "")


def rows_page(writer: Writer, id_: str, number: int) -> Page:
    """A part of a chart's table that is too long for its page."""
    drawn = writer.site.figures[id_]
    heading, headline = drawn.heading(writer.locale), drawn.headline(writer.locale)
    links = [writer.link(f"c/{id_}/", writer.t("share.permalink"))]
    if drawn.sheets > 1:
        links += [
            writer.link(sheet_path(id_, each), writer.locale.number(each))
            for each in range(1, drawn.sheets + 1)
        ]
    way = html.paragraph(html.dotted(*links))
    blocks = [way, drawn.sheet(number, writer.locale, writer.root)]
    blocks += [way] if drawn.sheets > 1 else []
    body = writer.sections("chart", {"figure": blocks}, heading)
    page = writer.page("charts", heading, headline, body, light=True)
    return replace(page, noindex=True, in_search=False)


def _places(writer: Writer, behind: Sequence[Sequence[Run]]) -> Markup:
    audited: dict[str, dict[Verdict, list[Claim]]] = defaultdict(lambda: defaultdict(list))
    for claim in writer.site.archive.claims:
        for run in dict.fromkeys(re.findall(r"\brun:([^:\s]+):", " ".join(claim.inputs))):
            audited[run][writer.site.judgements[claim.claim_id].verdict].append(claim)
    rows: list[Cells] = []
    for group in behind:
        first = group[0]
        claims: dict[Verdict, list[Claim]] = defaultdict(list)
        for run in group:
            for verdict, found in audited[run.run_id].items():
                claims[verdict] += [claim for claim in found if claim not in claims[verdict]]
        locator = first.locator if len(group) == 1 else run_list.folder(first)
        name = first.run_id if len(group) == 1 else writer.site.results.id_with(first.run_id)
        rows.append(
            {
                "result": run_list.linked(writer, group, name),
                "place": tables.place(writer, first.source, locator),
                "claims": Entry(_verdicts(writer, claims), sum(map(len, claims.values()))),
            }
        )
    return tables.table(writer, writer.t("chart.places_caption"), rows, folding=True)


def _verdicts(writer: Writer, found: Mapping[Verdict, Sequence[Claim]]) -> Markup:
    links = []
    for verdict, claims in found.items():
        href = writer.url(f"sources/{claims[0].source}/#{claims[0].claim_id}")
        badge = writer.badge("verdict", verdict)
        links.append(
            html.verdict_link(href, html.spaced(badge, "×", writer.locale.number(len(claims))))
        )
    return html.lines(*links) or writer.t("join.nothing")
