"""The page of a retired chart: its last picture, sentence and table, under a notice with the date
and the reason.
"""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date
from typing import Any

from markupsafe import Markup, escape

from site_src.addresses.retired import BASE, Retired, notice
from site_src.charts import markup
from site_src.model import Page
from site_src.pages.components import run_list, tables
from site_src.pages.components.writer import Writer
from site_src.templates import html


def retired_page(writer: Writer, one: Retired) -> Page:
    """The page is at the chart's address, but not in menus, search, the sitemap or search
    engines.
    """
    locale = writer.locale
    said, code = one.shown(locale.code), one.language(locale.code)
    gone, folder = one.meta["retired"], f"c/{one.id}/"
    told = Markup(notice(locale, date.fromisoformat(gone["day"]), gone["why"]))  # noqa: S704 - made of escaped parts
    shown = Markup(said["html"].replace(BASE, writer.root))  # noqa: S704 - frozen as it was made
    summed = one.meta["table_rows"] is not None
    parts = [
        html.caveat(told, "note"),
        html.frozen_figure(one.id, code, shown),
        html.in_language(code, _table(writer, said)),
        Markup(markup.files(locale, f"{writer.root}{folder}", summed=summed)),  # noqa: S704 - escaped there
    ]
    runs = [writer.site.runs[id_] for id_ in one.meta["runs"] if id_ in writer.site.runs]
    listed = [run_list.runs(writer, runs, writer.t("chart.runs_caption"))] if runs else []

    heading, headline = said["heading"], one.meta["title"][code]
    title = escape(heading)
    if code != locale.code:
        title = html.foreign(code, heading)
    body = writer.sections("chart", {"figure": parts, "runs": listed}, title)
    page = writer.page("charts", heading, headline, body, noindex=True, in_search=False)
    card = f"{folder}{locale.code}-card.png"
    return replace(page, image=card, image_alt=headline)


def _table(writer: Writer, said: Mapping[str, Any]) -> Markup:
    """The table as it was shown; the downloads have full precision."""
    names = [f"{at}#" if at in said["numbers"] else str(at) for at in range(len(said["head"]))]
    return tables.table(
        writer,
        escape(said["title"]),
        [dict(zip(names, row, strict=True)) for row in said["rows"]],
        dict(zip(names, map(escape, said["head"]), strict=True)),
        sortable=False,
    )
