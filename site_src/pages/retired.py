"""The page of a retired chart: its last picture, sentence and table, under a notice that says since
when and why.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from markupsafe import Markup, escape

from site_src import charts
from site_src.addresses.retired import BASE, Retired, notice
from site_src.charts import markup
from site_src.model import Page
from site_src.pages.components import tables
from site_src.pages.components.site import Site
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer


def retired_page(site: Site, writer: Writer, one: Retired) -> Page:
    """It answers at the chart's address and is listed nowhere: not in menus, in search, in the
    sitemap, nor by search engines.
    """
    locale = writer.locale
    said, code = one.shown(locale.code), one.language(locale.code)
    gone, folder = one.meta["retired"], f"c/{one.id}/"
    told = Markup(notice(locale, date.fromisoformat(gone["day"]), gone["why"]))  # noqa: S704 - made of escaped parts
    shown = Markup(said["html"].replace(BASE, writer.root))  # noqa: S704 - frozen as it was made
    summed = one.meta["table_csv"] is not None
    parts = [
        Markup('<p class="ts-caveat" role="note">{}</p>').format(told),
        Markup('<div class="ts-figure" id="{}" lang="{}">{}</div>').format(one.id, code, shown),
        Markup('<div lang="{}">{}</div>').format(code, _table(writer, said)),
        Markup(markup.files(locale, f"{writer.root}{folder}", summed=summed)),  # noqa: S704 - escaped there
    ]
    runs = [site.runs[id_] for id_ in one.meta["runs"] if id_ in site.runs]
    listed = [tables.runs(writer, runs, writer.t("chart.runs_caption"))] if runs else []
    sections = [("figure", parts), *([("runs", listed)] if runs else [])]
    heading, headline = said["heading"], one.meta["headline"][code]
    title = escape(heading)
    if code != locale.code:
        title = Markup('<span lang="{}">{}</span>').format(code, heading)
    body = writer.render(
        "plain.html", title=title, lead="", sections=writer.titled("chart", sections)
    )
    page = writer.page("charts", heading, headline, body, noindex=True, in_search=False)
    style = f'<link rel="stylesheet" href="{writer.root}{charts.client()["chart.css"][0]}">'
    card = f"{folder}{locale.code}-card.png"
    return replace(page, head=style, image=card, image_alt=headline)


def _table(writer: Writer, said: Mapping[str, Any]) -> Markup:
    """The table as it was shown, figure by figure; the downloads have them at full precision."""
    kinds = ["number" if at in said["numbers"] else "text" for at in range(len(said["head"]))]
    columns = [(escape(text), kind) for text, kind in zip(said["head"], kinds, strict=True)]
    lines = [
        Line([Entry(escape(text), kind=kind) for text, kind in zip(row, kinds, strict=True)])
        for row in said["rows"]
    ]
    return tables.table(writer, escape(said["title"]), columns, lines, sortable=False)
