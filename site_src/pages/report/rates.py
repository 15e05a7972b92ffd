"""Exchange rates in pages: what a source gave for one unit of a currency, day by day."""

from collections.abc import Sequence
from typing import Final

from markupsafe import Markup

from kernels.records import Rate
from site_src.pages.components import tables
from site_src.pages.components.tables import Entry, Line
from site_src.pages.components.writer import Writer

_DIGITS: Final = 6
"""The most that a central bank prints."""


def of(writer: Writer, source: str) -> list[Rate]:
    """The rates that a source gives, recorded or in the catalogue."""
    return [rate for rate in writer.site.rates if rate.source == source]


def table(writer: Writer, found: Sequence[Rate], label: Markup) -> Markup:
    """One row a day, the newest first, and a column for each pair of currencies."""
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
