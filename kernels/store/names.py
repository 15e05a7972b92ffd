"""How findings name a record: by its id, and with its file where it has one."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, Protocol

from kernels.records import Claim, Price, PrintedCell, Rate, Recording, Review, Run, Tariff
from kernels.store.schema import TABLES, Record


class Filed(Protocol):
    """What knows the file of each record, as an archive does."""

    def file(self, record: Record, /) -> Path | None:
        """The file that a record was read from."""


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
"""How findings name a record."""


def place(record: Record, filed: Filed, *, whole: bool = False) -> str:
    """The name of a record in a finding; `whole` by all that tells it from another of its table."""
    if whole:
        table = TABLES[type(record)]
        name = f"{table.singular} {', '.join(str(getattr(record, each)) for each in table.key)}"
    else:
        name = _NAMES[type(record)](record)
    where = filed.file(record)
    return name if where is None else f"{name} ({where.as_posix()})"
