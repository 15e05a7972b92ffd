"""Names of records in findings: id and, if known, file."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from kernels.records import Claim, Price, PrintedCell, Rate, Recording, Review, Run, Tariff
from kernels.store.schema import TABLES, Record


class Filed(Protocol):
    """Knows the file of each record, as an archive does."""

    def file(self, record: Record, /) -> Path | None:
        """Returns the file that a record was read from."""


_NAMES: Final[Mapping[type, Callable[[Any], str]]] = {
    Run: lambda run: f"run {run.run_id}",
    Claim: lambda claim: f"claim {claim.claim_id}",
    Price: lambda price: f"price {price.price_id}",
    Tariff: lambda tariff: f"tariff {tariff.tariff_id}",
    Rate: lambda rate: f"rate {rate.base}/{rate.quote} of {rate.day}",
    Review: lambda review: f"review by {review.party}",
    PrintedCell: lambda cell: f"table {cell.table}",
    Recording: lambda recording: f"recording of {recording.run_id}",
}
"""Returns the name of a record in a finding, by type."""


def place(record: Record, filed: Filed, *, whole: bool = False) -> str:
    """Returns the name of a record in a finding; with `whole` its full key within its table."""
    if whole:
        table = TABLES[type(record)]
        name = f"{table.singular} {', '.join(str(getattr(record, each)) for each in table.key)}"
    else:
        name = _NAMES[type(record)](record)
    where = filed.file(record)
    return name if where is None else f"{name} ({where.as_posix()})"
