"""Prices in GPU-hunt's formats: rows of its catalogue, and its list of TPU prices.

A row of the catalogue is a whole machine in one place, on demand or spot; the file is named after
the provider. The list is JSON: US dollars for an hour of one chip, by kind of TPU ("device" for a
single host, "pod" for slices), region and terms.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from pathlib import Path
from typing import Any, Final

from kernels.catalog import Catalog
from kernels.errors import SourceError
from kernels.importers.base import Refused, head
from kernels.importers.prices.rows import (
    HOST_OPEN,
    NO_PRICE,
    PROVIDERS,
    Quote,
    RowError,
    by_row,
    counted,
    has,
    json_of,
    kind_of,
)
from kernels.importers.prices.skypilot import MOST, of_slice
from kernels.records import PriceKind
from kernels.tabular import Row, decoded, number

fits = has("instance_name", "location", "price", "gpu_count", "gpu_name", "spot")

TERMS: Final[Mapping[str, tuple[PriceKind, int | None]]] = {
    "On Demand (USD)": (PriceKind.ON_DEMAND, None),
    "Spot (USD)": (PriceKind.SPOT, None),
    "1-year Commitment (USD)": (PriceKind.RESERVED, 12),
    "3-year Commitment (USD)": (PriceKind.RESERVED, 36),
}
"""Terms in the list of TPU prices, with the months of commitment."""

Leaf = tuple[int, tuple[str, ...], object]
"""A value in the list: its line, its path of keys, and the value."""

_LIST: Final = re.compile(rb'"(?:On Demand|Spot) \(USD\)"\s*:')
_POOL: Final = re.compile(r" (?:pod|device)$")
_PEEK: Final = 1 << 16
_DEPTH: Final = 3
_SPOT: Final = {"true": PriceKind.SPOT, "false": PriceKind.ON_DEMAND}


def fits_list(path: Path) -> bool:
    """Returns True if a file is a list of TPU prices."""
    return path.suffix.lower() == ".json" and _LIST.search(head(path, _PEEK)) is not None


def provider_word(path: Path) -> str:
    """Returns the provider's name in a file's path: the file's own, as in `gcp.csv`."""
    return path.stem


def _kind(spot: str) -> PriceKind:
    if spot.lower() not in _SPOT:
        raise RowError("terms not known", f"spot: found {spot!r:.60}, wanted True or False")
    return _SPOT[spot.lower()]


def _quotes(row: Row, provider: str, day: date, known: Catalog) -> Iterator[Quote]:
    cells = row.cells
    chip, count = counted(row, "gpu_name", "gpu_count")
    hardware, chips = of_slice(chip, "gpu_name")
    kind = _kind(cells["spot"])
    if not cells["price"]:
        raise RowError(NO_PRICE, "price: found nothing, wanted an amount")
    word = cells.get("provider", "")
    yield Quote(
        line=row.line,
        column="price",
        amount=cells["price"],
        provider=PROVIDERS.get(word.lower(), word) or provider,
        offer=cells["instance_name"],
        accelerator=chip,
        hardware=kind_of(hardware or chip, number(cells.get("gpu_memory", "")), known.hardware),
        accelerators=count * chips,
        day=day,
        kind=kind,
        instance=cells["instance_name"],
        region=cells["location"] or None,
        includes=("accelerator",) if hardware else ("accelerator", "host"),
        note=HOST_OPEN if hardware else None,
    )


read = by_row(_quotes, MOST)


def read_list(
    path: Path, name: str, provider: str, day: date, known: Catalog
) -> Iterator[Quote | Refused]:
    """Yields the prices of a list, each of one chip; amounts stay as written."""
    text = decoded(path)
    for line, keys, amount in _leaves(text, _object(text, name)):
        if keys[-1] == "Location":
            continue
        try:
            kind, months = _terms(keys, amount)
        except RowError as error:
            yield Refused(error.reason, f"{name}:{line}: {', '.join(keys)}: {error}")
            continue
        model, region, _ = keys
        yield Quote(
            line=line,
            column=", ".join(keys),
            amount=str(amount),
            provider=provider,
            offer=model,
            accelerator=model,
            hardware=kind_of(_POOL.sub("", model), None, known.hardware),
            accelerators=1,
            day=day,
            kind=kind,
            region=region,
            term_months=months,
            includes=("accelerator",),
            note=HOST_OPEN,
        )


def _terms(keys: Sequence[str], amount: object) -> tuple[PriceKind, int | None]:
    if len(keys) != _DEPTH or isinstance(amount, Mapping | list):
        raise RowError(
            "not a kind of TPU in a region",
            f"found {amount!r:.60}, wanted an amount by kind of TPU, region and terms",
        )
    if keys[-1] not in TERMS:
        raise RowError(
            "terms not known", f"found the terms {keys[-1]!r:.60}, wanted one of {', '.join(TERMS)}"
        )
    if amount is None:
        raise RowError(NO_PRICE, "found nothing, wanted an amount")
    return TERMS[keys[-1]]


def _leaves(
    text: str, found: Mapping[str, object], above: tuple[str, ...] = (), start: int = 0
) -> Iterator[Leaf]:
    for key, value in found.items():
        match = re.compile(rf"{re.escape(json.dumps(key, ensure_ascii=False))}\s*:").search(
            text, start
        )
        # a key written differently takes the line of the one before
        start = match.end() if match else start
        keys = (*above, key)
        if isinstance(value, Mapping) and len(keys) < _DEPTH:
            yield from _leaves(text, value, keys, start)
        else:
            yield text.count("\n", 0, start) + 1, keys, value


def _object(text: str, name: str) -> Mapping[str, object]:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        names = [key for key, _ in pairs]
        twice = next((key for key in names if names.count(key) > 1), None)
        if twice is not None:
            raise SourceError(
                f"{name}: the key {twice!r:.60} is there twice in one object; wanted each once"
            )
        return dict(pairs)

    found = json_of(text, name, once)
    if not isinstance(found, dict):
        raise SourceError(f"{name}: found {type(found).__name__}, wanted an object of TPU kinds")
    return found
