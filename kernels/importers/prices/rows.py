"""Shared by layouts of price files: a price in a row, errors of rows, and names of providers and
accelerators.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Final

from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import Refused, accelerator, tables_of
from kernels.records import Hardware, Per, PriceKind
from kernels.tabular import MOST_BYTES, Row, Table, header_of, number, table, whole

NO_HOST: Final = "host-apart"
HOST_OPEN: Final = "host-not-stated"
INDEX: Final = "price-index"
"""Notes of an imported price; the text for readers is `price_note.<note>` in `strings/`."""

NO_PRICE: Final = "no price"

_TABLES: Final = tables_of(__file__)
PROVIDERS: Final[Mapping[str, str]] = _TABLES["providers"]
TIERS: Final[Mapping[str, str]] = _TABLES["tiers"]
SOURCES: Final[Mapping[str, Mapping[str, str]]] = _TABLES["sources"]
"""Facts about a file's source without options, by layout."""


@dataclass(frozen=True, slots=True)
class Quote:
    """One price in a file.

    Attributes:
        column: Name of the column in messages.
        amount: As written, for all the accelerators.
        offer: Name of the offer in the file.
        accelerator: Its name as written; `hardware` is the catalogue's id.
        instance: Name of the machine; None if accelerators are sold without one.
        region: Region of the price; `zone` is a part of it.
        day: Day on which the price was seen.
        telling: Name of the offer for its id, if the one for readers is ambiguous.
    """

    line: int
    column: str
    amount: str
    provider: str
    offer: str
    accelerator: str
    hardware: str | None
    accelerators: int
    day: date
    kind: PriceKind
    instance: str | None = None
    region: str | None = None
    zone: str | None = None
    term_months: int | None = None
    includes: tuple[str, ...] = ()
    note: str | None = None
    per: Per = Per.HOUR
    telling: str = ""


class RowError(SourceError):
    """A row is not taken: a short reason that others share, and the column, what was found and what
    was wanted.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


Read = Callable[[Path, str, str, date, Catalog], Iterator[Quote | Refused]]
"""Reads a file, given its path, its name in messages, provider and day unless the file states them,
and the catalogue.
"""


def by_row(
    take: Callable[[Row, str, date, Catalog], Iterable[Quote]], most: int = MOST_BYTES
) -> Read:
    """Returns a reader of tables in which each row has its own prices, or raises `RowError`."""

    def read(
        path: Path, name: str, provider: str, day: date, known: Catalog
    ) -> Iterator[Quote | Refused]:
        found = table(path, name, most=most)
        yield from each_row(found, name, lambda row: take(row, provider, day, known))

    return read


def each_row(
    found: Table, name: str, take: Callable[[Row], Iterable[Quote]]
) -> Iterator[Quote | Refused]:
    """Yields the prices of each row of a table, or why it has none."""
    yield from (Refused("a row of another width", text) for text in found.refused)
    for row in found.rows:
        try:
            yield from list(take(row))
        except RowError as error:
            yield Refused(error.reason, f"{name}:{row.line}: {error}")


def has(*columns: str, without: Iterable[str] = ()) -> Callable[[Path], bool]:
    """Returns a test for tables with these columns, and without some others."""

    def fits(path: Path) -> bool:
        found = {*header_of(path)}
        return found >= {*columns} and not found & {*without}

    return fits


def day_of(text: str, column: str) -> date:
    """Parses the day in a cell.

    Raises:
        RowError: The cell has none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise no_day(text, column) from None


def no_day(text: str, column: str) -> RowError:
    """Returns the error for a text without a day."""
    return RowError("no day", f"{column}: found {text!r:.60}, wanted a day such as 2026-03-06")


def json_of(
    text: str, name: str, once: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None
) -> Any:
    """Parses JSON, with numbers as written; `once` makes its objects.

    Raises:
        SourceError: Not JSON.
    """
    try:
        return json.loads(
            text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=once
        )
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{name}: not readable as JSON: {error}") from None


def counted(row: Row, name: str, count: str) -> tuple[str, int]:
    """Returns the accelerator in one column of a row, and the number in another.

    Raises:
        RowError: No accelerator, or no whole number.
    """
    found = whole(row.cells[count])
    if not row.cells[name] or number(row.cells[count]) == 0:
        raise RowError(
            "no accelerator",
            f"{name}: found {row.cells[name]!r}, {count}: found {row.cells[count]!r}, wanted an "
            "accelerator",
        )
    if found is None:
        raise RowError(
            "no whole number of accelerators",
            f"{count}: found {row.cells[count]!r}, wanted 1 or more, whole",
        )
    return row.cells[name], found


def kind_of(name: str, memory_gib: float | None, hardware: Mapping[str, Hardware]) -> str | None:
    """Returns the catalogue's id of an accelerator by its name, and its memory if the name is
    ambiguous, as A100 is.
    """
    sized = accelerator(f"{name} {memory_gib:.0f}GB", hardware) if memory_gib is not None else None
    return sized or accelerator(name, hardware)
