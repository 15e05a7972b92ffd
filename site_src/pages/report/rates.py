"""Exchange rates in pages: what a source gave for one unit of a currency, day by day."""

from collections.abc import Sequence

from markupsafe import Markup

from kernels.records import Rate
from site_src.pages.components import tables
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer


def of(writer: Writer, source: str) -> list[Rate]:
    """The rates that a source gives, recorded or in the catalogue."""
    return [
        rate
        for rate in (*writer.site.archive.rates, *writer.site.catalog.rates.values())
        if rate.source == source
    ]


def table(writer: Writer, found: Sequence[Rate], label: Markup) -> Markup:
    """One row a day, the newest first, and a column for each pair of currencies."""
    pairs = sorted({(rate.base, rate.quote) for rate in found})
    names = [
        (writer.t("source.rate_of", base=base, quote=quote), "number") for base, quote in pairs
    ]
    lines = []
    for day in sorted({rate.day for rate in found}, reverse=True):
        of_day = {(rate.base, rate.quote): rate for rate in found if rate.day == day}
        cells = [
            _cell(writer, of_day[pair])
            if pair in of_day
            else Entry(writer.missing("not_stated"), None, "number")
            for pair in pairs
        ]
        lines.append(Line([Entry(writer.given(day), day.isoformat()), *cells], f"rate-{day}"))
    return tables.table(writer, label, [*tables.heads(writer, "date"), *names], lines)


def _cell(writer: Writer, rate: Rate) -> Entry:
    return Entry(writer.fig(f"rate:{rate.base}:{rate.quote}:{rate.day}"), repr(rate.rate), "number")
