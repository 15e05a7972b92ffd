"""What the layouts of price files share: a price as a row has it, why a row has none, and names of
providers and accelerators.
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
"""What a file says of its source without options, by its layout."""


@dataclass(frozen=True, slots=True)
class Quote:
    """One price as a file has it.

    Attributes:
        column: What messages call it.
        amount: As written, for all the accelerators.
        offer: What it is called there.
        accelerator: Its name as written; `hardware` is the catalogue's id.
        instance: Name of the machine; None where accelerators are sold without one.
        region: Where the price holds; `zone` is a part of it.
        day: Day on which the price was seen.
        telling: The offer's name for its id, where the one for readers does not tell it from
            others.
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
    """Why a row is not taken: a reason that it shares with others, and the column, what was found
    and what was wanted.
    """

    def __init__(self, reason: str, text: str) -> None:
        super().__init__(text)
        self.reason = reason


Read = Callable[[Path, str, str, date, Catalog], Iterator[Quote | Refused]]
"""Reads a file: where it is, what messages call it, provider and day as far as the file does not
say them, and the catalogue.
"""


def by_row(
    take: Callable[[Row, str, date, Catalog], Iterable[Quote]], most: int = MOST_BYTES
) -> Read:
    """How a table is read of which each row has prices of its own, or a `RowError`."""

    def read(
        path: Path, name: str, provider: str, day: date, known: Catalog
    ) -> Iterator[Quote | Refused]:
        found = table(path, name, most=most)
        yield from each_row(found, name, lambda row: take(row, provider, day, known))

    return read


def each_row(
    found: Table, name: str, take: Callable[[Row], Iterable[Quote]]
) -> Iterator[Quote | Refused]:
    """The prices of each row of a table that messages call so, or why it has none."""
    yield from (Refused("a row of another width", text) for text in found.refused)
    for row in found.rows:
        try:
            yield from list(take(row))
        except RowError as error:
            yield Refused(error.reason, f"{name}:{row.line}: {error}")


def has(*columns: str, without: Iterable[str] = ()) -> Callable[[Path], bool]:
    """Whether a file is a table with these columns, and without some others."""

    def fits(path: Path) -> bool:
        found = {*header_of(path)}
        return found >= {*columns} and not found & {*without}

    return fits


def day_of(text: str, column: str) -> date:
    """The day that a cell holds.

    Raises:
        RowError: It holds none.
    """
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise no_day(text, column) from None


def no_day(text: str, column: str) -> RowError:
    """The error of a text without a day."""
    return RowError("no day", f"{column}: found {text!r:.60}, wanted a day such as 2026-03-06")


def json_of(
    text: str, name: str, once: Callable[[list[tuple[str, Any]]], dict[str, Any]] | None = None
) -> Any:
    """What a JSON text holds, numbers as they are written; `once` makes its objects.

    Raises:
        SourceError: No JSON.
    """
    try:
        return json.loads(
            text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=once
        )
    except (ValueError, RecursionError) as error:
        raise SourceError(f"{name}: not readable as JSON: {error}") from None


def counted(row: Row, name: str, count: str) -> tuple[str, int]:
    """The accelerator that a row names in one column, and how many it states in another.

    Raises:
        RowError: None, or no whole number of them.
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
    """The catalogue's id of an accelerator by its name, with its memory where the name alone stands
    for several, as A100 does.
    """
    sized = accelerator(f"{name} {memory_gib:.0f}GB", hardware) if memory_gib is not None else None
    return sized or accelerator(name, hardware)
