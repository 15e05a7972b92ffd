"""The page of a retired chart: its last picture, sentence and table, under a notice that says since
when and why.
"""

from dataclasses import replace

from markupsafe import Markup, escape

from site_src import charts
from site_src.addresses import retired_files
from site_src.addresses.retired_files import Still
from site_src.charts import markup
from site_src.model import Page
from site_src.pages.components import tables
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer
from site_src.templates import html


def retired_page(site: Site, writer: Writer, still: Still) -> Page:
    """It answers at the chart's address and is listed nowhere: not in menus, in search, in the
    sitemap, nor by search engines.
    """
    one, locale = still.figure, writer.locale
    lang = Markup(retired_files.marked(one, locale))  # noqa: S704 - made of a language's tag
    title = (
        Markup("<span{}>{}</span>").format(lang, one.heading(locale))
        if lang
        else escape(one.heading(locale))
    )
    runs = [site.runs[id_] for id_ in one.runs if id_ in site.runs]
    sources = [
        (writer.url(f"sources/{id_}/"), writer.source_name(id_))
        for id_ in one.origins_of.titles
        if id_ in site.sources
    ]
    files = markup.files(locale, f"{writer.root}{still.folder}", summed=still.figure.summed)
    sections: list[tuple[str, list[Markup]]] = [
        (
            "figure",
            [
                _notice(still, writer),
                _figure(still, writer, lang),
                _table(still, writer, lang),
                files,
            ],
        ),
        ("runs", [tables.runs(writer, runs, writer.t("chart.runs_caption"))] if runs else []),
        ("sources", [writer.links(sources)] if sources else []),
    ]
    body = writer.render(
        "plain.html",
        title=title,
        lead="",
        sections=writer.titled("chart", [each for each in sections if each[1]]),
    )
    page = writer.page(
        "charts", one.heading(locale), one.headline(locale), body, noindex=True, in_search=False
    )
    style = f'<link rel="stylesheet" href="{writer.root}{still.client["chart.css"]}">'
    return replace(
        page, head=style, image=charts.card(still, locale), image_alt=one.headline(locale)
    )


def _notice(still: Still, writer: Writer) -> Markup:
    said = Markup(retired_files.notice(still.figure, writer.locale))  # noqa: S704 - made of escaped parts
    return html.caveat(said, "note")


def _figure(still: Still, writer: Writer, lang: Markup) -> Markup:
    one, locale = still.figure, writer.locale
    folder = f"{writer.root}{still.folder}"
    picture = markup.pictures(one, locale, still.pictures[locale.code], folder)
    return html.retired_figure(one, one.headline(locale), picture, one.words(locale).notes, lang)


def _table(still: Still, writer: Writer, lang: Markup) -> Markup:
    """The table as it was shown, figure by figure; the downloads have them at full precision."""
    said = still.figure.words(writer.locale)
    kinds = ["number" if index in said.numbers else "text" for index in range(len(said.head))]
    columns = [(escape(text), kind) for text, kind in zip(said.head, kinds, strict=True)]
    lines = [
        Line([Entry(escape(text), kind=kind) for text, kind in zip(row, kinds, strict=True)])
        for row in said.rows
    ]
    made = tables.table(writer, escape(said.title), columns, lines, sortable=False)
    return Markup("<div{}>{}</div>").format(lang, made) if lang else made
