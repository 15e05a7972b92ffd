"""A daily index of rental prices: a row per day, a column per tier of providers and accelerator, as
in `neocloud-H100`.

US dollars for an hour of one accelerator. An index is an average and not for sale: its prices say
so (`prices.rows.INDEX`). An empty cell is a day without a figure.
"""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Final

from kernels.catalog import Catalog
from kernels.importers.prices.rows import (
    INDEX,
    NO_PRICE,
    Quote,
    RowError,
    by_row,
    day_of,
    kind_of,
)
from kernels.records import PriceKind
from kernels.tabular import Row, header_of

_COLUMN: Final = re.compile(r"[a-z]+-[A-Za-z0-9][\w .-]*")


def fits(path: Path) -> bool:
    """Returns True if a table has a day and otherwise only columns of an index."""
    first, *others = header_of(path) or ("",)
    return first == "date" and bool(others) and all(_COLUMN.fullmatch(each) for each in others)


def _quotes(row: Row, _provider: str, _day: date, known: Catalog) -> Iterator[Quote]:
    day = day_of(row.cells["date"], "date")
    figures = {
        column: amount for column, amount in row.cells.items() if column != "date" and amount
    }
    if not figures:
        raise RowError(NO_PRICE, "found a day without figures, wanted one or more")
    for column, amount in figures.items():
        tier, _, chip = column.partition("-")
        yield Quote(
            line=row.line,
            column=column,
            amount=amount,
            provider=tier,
            offer=column,
            accelerator=chip,
            hardware=kind_of(chip, None, known.hardware),
            accelerators=1,
            day=day,
            kind=PriceKind.UNKNOWN,
            note=INDEX,
        )


read = by_row(_quotes)
