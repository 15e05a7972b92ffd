"""Catalogues in SkyPilot's format: a row per machine and zone, with the prices of the whole row, on
demand and spot.

Undocumented: a row without `InstanceType` is accelerators alone, the virtual machine is paid on
top; a TPU is a whole slice, whose name counts cores up to v5p and chips from v5e on; `GpuInfo` is a
Python literal, or the accelerator's name again; `TotalGpuMemoryInMiB` is the memory of one GPU;
0.00 and an empty cell mean no price.
"""

import ast
import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, Final

from kernels.catalog import Catalog
from kernels.importers.prices.rows import (
    HOST_OPEN,
    NO_HOST,
    NO_PRICE,
    Quote,
    RowError,
    by_row,
    counted,
    has,
    kind_of,
)
from kernels.records import PriceKind
from kernels.tabular import Row

fits = has("InstanceType", "AcceleratorName", "AcceleratorCount", "Region", "Price")
"""Recognises a file; `AvailabilityZone`, `SpotPrice` and `GpuInfo` may be absent."""

MOST: Final = 200_000_000
"""Bytes of a file: the largest catalogue known has 60,000 rows."""

_PRICES: Final = (("Price", PriceKind.ON_DEMAND), ("SpotPrice", PriceKind.SPOT))
_SLICE: Final = re.compile(r"(?:tpu-)?(?P<kind>v\d[a-z]*)-(?P<size>\d{1,6})")
_KINDS: Final = {"v5litepod": "v5e", "v5lite": "v5e"}
_PER_CHIP: Final = {"v2": 2, "v3": 2, "v4": 2, "v5e": 1, "v5p": 2, "v6e": 1}
_BARE: Final = re.compile(r"[\w .-]{0,80}")
_LONGEST: Final = 4000
_LARGEST: Final = 1e9
_MIB: Final = 1024


def provider_word(path: Path) -> str:
    """Returns the provider's name in a file's path: the folder, as in `gcp/vms.csv`."""
    return path.resolve().parent.name


def _quotes(row: Row, provider: str, day: date, known: Catalog) -> Iterator[Quote]:
    cells = row.cells
    chip, count = counted(row, "AcceleratorName", "AcceleratorCount")
    hardware, chips = of_slice(chip, "AcceleratorName")
    memory, stated = gpu_info(cells.get("GpuInfo", ""))
    if stated not in {None, count}:
        raise RowError(
            "GpuInfo against AcceleratorCount",
            f"GpuInfo: found {stated:g} GPUs, wanted {count} as in AcceleratorCount",
        )
    if not any(cells.get(column) for column, _ in _PRICES):
        raise RowError(NO_PRICE, "Price: found nothing, wanted an amount here or in SpotPrice")
    instance = cells["InstanceType"]
    for column, kind in _PRICES:
        if cells.get(column):
            yield Quote(
                line=row.line,
                column=column,
                amount=cells[column],
                provider=provider,
                offer=instance or (chip if hardware else f"{count} × {chip}"),
                accelerator=chip,
                hardware=kind_of(hardware or chip, memory, known.hardware),
                accelerators=count * chips,
                day=day,
                kind=kind,
                instance=instance or None,
                region=cells["Region"] or None,
                zone=cells.get("AvailabilityZone") or None,
                includes=("accelerator", "host") if instance else ("accelerator",),
                note=None if instance else HOST_OPEN if hardware else NO_HOST,
            )


read = by_row(_quotes, MOST)


def gpu_info(text: str) -> tuple[float | None, float | None]:
    """Returns memory of one GPU in GiB and the number of GPUs, as far as the cell states them; a
    bare name states neither.

    Raises:
        RowError: Neither a name nor a literal with a list of GPUs.
    """
    if _BARE.fullmatch(text):
        return None, None
    try:
        found: Any = ast.literal_eval(text) if len(text) <= _LONGEST else None
        gpu = found["Gpus"][0]
        size, count = gpu.get("MemoryInfo", {}).get("SizeInMiB"), gpu.get("Count")
    except (
        AttributeError,
        IndexError,
        KeyError,
        MemoryError,
        RecursionError,
        SyntaxError,
        TypeError,
        ValueError,
    ):
        raise RowError(
            "unreadable GpuInfo",
            f"GpuInfo: found {text[:60]!r}, wanted a name or {{'Gpus': [{{...}}], ...}}",
        ) from None
    if not all(
        each is None or (isinstance(each, int | float) and 0 < each < _LARGEST)
        for each in (size, count)
    ):
        text = (
            f"GpuInfo: found a size of {size!r:.40} and a count of {count!r:.40}, wanted "
            "numbers above 0"
        )
        raise RowError("unreadable GpuInfo", text)
    return None if size is None else size / _MIB, count


def of_slice(name: str, column: str) -> tuple[str | None, int]:
    """Returns the kind of TPU and the chips of a slice such as `tpu-v2-8` (cores) or
    `tpu-v5litepod-8` (chips); None and 1 for others.

    Raises:
        RowError: The chips of a slice are unknown.
    """
    match = _SLICE.fullmatch(name.lower())
    kind = _KINDS.get(match["kind"], match["kind"]) if match else ""
    chips, rest = divmod(int(match["size"]), _PER_CHIP.get(kind, 1)) if match else (1, 0)
    if rest or not chips or (name.lower().startswith("tpu-") and kind not in _PER_CHIP):
        text = (
            f"{column}: found {name!r:.60}, wanted a slice of {', '.join(_PER_CHIP)} such as "
            "tpu-v2-8, whose number of chips is known"
        )
        raise RowError("number of chips not known", text)
    return (f"tpu-{kind}", chips) if kind in _PER_CHIP else (None, 1)
