"""Tables of whole machines, a row per day on which a list was read: AWS and Azure from lists that
Karpenter generates, Google Cloud from cyclenerd's calculator.

US dollars, an hour of the machine with its accelerators. Google's table has further columns: spot,
and the months of a commitment of one and three years. Known errors in it are refused by name
(`_google_fault`).
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import partial
from pathlib import Path
from typing import Final

from kernels.catalog import Catalog
from kernels.importers.base import Refused
from kernels.importers.prices.rows import (
    NO_PRICE,
    Quote,
    RowError,
    by_row,
    counted,
    day_of,
    each_row,
    has,
    kind_of,
)
from kernels.records import Per, PriceKind
from kernels.tabular import Row, number, table

MOST: Final = 20_000_000
"""Bytes of a file: a hundred snapshots of all regions."""

_ALL: Final = ("commit", "region", "accelerator", "accelerator_count")
_KARPENTER: Final = (*_ALL, "generated_on", "instance_type", "usd_per_hour")
fits_aws = has(*_KARPENTER, "accelerator_memory_mib")
fits_azure = has(*_KARPENTER, without=("accelerator_manufacturer",))
fits_google = has(*_ALL, "commit_date", "machine_type", "hour", "hour_spot")

_SERVER: Final = "RTX PRO 6000 Blackwell Server Edition"
_OF_AWS: Final = {"gaudi-hl-205": "HL-205", "rtx-pro-server-6000": _SERVER}
_OF_GOOGLE: Final = {"a100": "A100-40GB", "h100-80gb-mega": "H100-MEGA", "rtx6000": _SERVER}
"""Accelerators whose names in the lists differ from the catalogue."""

_SIZE: Final = re.compile(r"-(\d{1,3})GB$")
_MIB: Final = 1024
_TERMS: Final[Mapping[str, tuple[PriceKind, Per, int | None]]] = {
    "hour": (PriceKind.ON_DEMAND, Per.HOUR, None),
    "hour_spot": (PriceKind.SPOT, Per.HOUR, None),
    "month_1y": (PriceKind.RESERVED, Per.MONTH, 12),
    "month_3y": (PriceKind.RESERVED, Per.MONTH, 36),
}
_BARE: Final = 0.2
"""Share of the price on demand below which Google's spot price leaves out the accelerator."""


def _machine(row: Row, provider: str, _day: date, known: Catalog) -> Iterator[Quote]:
    cells = row.cells
    chip, count = counted(row, "accelerator", "accelerator_count")
    size = _SIZE.search(chip)
    memory = number(size[1]) if size else _gib(cells.get("accelerator_memory_mib", ""))
    yield Quote(
        line=row.line,
        column="usd_per_hour",
        amount=_trimmed(cells["usd_per_hour"]),
        provider=provider,
        offer=cells["instance_type"],
        accelerator=chip,
        hardware=kind_of(_OF_AWS.get(chip, _SIZE.sub("", chip)), memory, known.hardware),
        accelerators=count,
        day=day_of(cells["generated_on"], "generated_on"),
        kind=PriceKind.ON_DEMAND,
        instance=cells["instance_type"],
        region=cells["region"] or None,
        includes=("accelerator", "host"),
    )


read_karpenter = by_row(_machine, MOST)
"""Yields the prices of a list of AWS or Azure."""


def read_google(
    path: Path, name: str, provider: str, _day: date, known: Catalog
) -> Iterator[Quote | Refused]:
    """Yields the prices of the list of Google Cloud: on demand, spot, and two commitments."""
    found = table(path, name, most=MOST)
    for column in _TERMS:
        yield from each_row(found, name, partial(_google, column, provider, known))


def _google_amount(row: Row, column: str) -> str:
    if not row.cells.get(column):
        raise RowError(NO_PRICE, f"{column}: found nothing, wanted an amount")
    if fault := _google_fault(row, column):
        raise RowError(fault, f"{column}: found {row.cells[column]}: {fault}")
    return row.cells[column]


def _google(column: str, provider: str, known: Catalog, row: Row) -> Iterator[Quote]:
    cells = row.cells
    chip, count = counted(row, "accelerator", "accelerator_count")
    amount = _google_amount(row, column)
    kind, per, months = _TERMS[column]
    stored = ("storage",) if cells.get("local_ssd_gb") else ()
    yield Quote(
        line=row.line,
        column=column,
        amount=amount,
        provider=provider,
        offer=cells["machine_type"],
        accelerator=chip,
        hardware=kind_of(_OF_GOOGLE.get(chip, chip), None, known.hardware),
        accelerators=count,
        day=day_of(cells["commit_date"], "commit_date"),
        kind=kind,
        per=per,
        instance=cells["machine_type"],
        region=cells["region"] or None,
        term_months=months,
        includes=("accelerator", "host", *stored),
    )


def _google_fault(row: Row, column: str) -> str:
    """Returns why a price of Google's list is known to be wrong, or nothing."""
    cells = row.cells
    hour, month, amount = (number(cells.get(name, "")) for name in ("hour", "month", column))
    if "ultragpu" in cells["machine_type"] and cells["accelerator"] == "a100":
        return "the price of the card with 40 GB, for a machine with that of 80 GB"
    if column == "hour_spot" and hour and amount is not None and amount < _BARE * hour:
        return "a spot price without the accelerator"
    if _TERMS[column][2] and month and amount is not None and amount >= month:
        return "a commitment at the price without one"
    return ""


def _gib(mib: str) -> float | None:
    found = number(mib)
    return None if found is None else found / _MIB


def _trimmed(amount: str) -> str:
    """Returns an amount without trailing zeros."""
    return amount.rstrip("0").rstrip(".") if "." in amount else amount
