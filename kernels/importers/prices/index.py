"""A daily index of rental prices: one row a day, one column for each tier of providers and
accelerator, as in `neocloud-H100`.

US dollars for an hour of one accelerator. An index is an average that nobody sells: its prices say
so (`prices.rows.INDEX`). An empty cell is a day without a figure.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Final

from kernels.catalog import Catalog
from kernels.importers.base import Refused
from kernels.importers.prices.rows import INDEX, NO_PRICE, Quote, RowError, each_row, kind_of
from kernels.records import PriceKind
from kernels.tabular import Row, table

DEFAULTS: Final[Mapping[str, str]] = {"title": "Daily index of accelerator rental prices"}

_COLUMN: Final = re.compile(r"(?P<tier>[a-z]+)-(?P<chip>[A-Za-z0-9][\w .-]*)")


def fits(columns: Sequence[str]) -> bool:
    """Whether a table has a day and nothing but columns of an index."""
    return (
        len(columns) > 1
        and columns[0] == "date"
        and all(_COLUMN.fullmatch(each) for each in columns[1:])
    )


def read(
    path: Path, name: str, _provider: str, _day: date, known: Catalog
) -> Iterator[Quote | Refused]:
    """The figures of every day.

    Raises:
        SourceError: No table.
    """
    found = table(path, name)
    columns = [(each, match) for each in found.columns if (match := _COLUMN.fullmatch(each))]

    def quotes(row: Row) -> Iterator[Quote]:
        try:
            day = date.fromisoformat(row.cells["date"])
        except ValueError:
            raise RowError(
                "no day", f"date: found {row.cells['date']!r:.60}, wanted a day such as 2026-03-06"
            ) from None
        if not any(row.cells[column] for column, _ in columns):
            raise RowError(NO_PRICE, "found a day without figures, wanted one or more")
        for column, match in columns:
            if row.cells[column]:
                yield Quote(
                    line=row.line,
                    column=column,
                    amount=row.cells[column],
                    provider=match["tier"],
                    offer=column,
                    accelerator=match["chip"],
                    hardware=kind_of(match["chip"], None, known.hardware),
                    accelerators=1,
                    day=day,
                    kind=PriceKind.UNKNOWN,
                    note=INDEX,
                )

    yield from each_row(found, name, quotes)
