"""Columns of monitoring logs by their names, and their cells in SI units.

A name is read without case, brackets and signs, so `power.draw [W]`, `power_draw_w` and
`Power Draw` are one; its unit is what stands in the brackets, at its end, or in the cell. A name
that is in no list of `columns.toml` is not taken.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from kernels.importers.base import tables_of

TIME: Final = "time"
ELAPSED: Final = "elapsed"
DEVICE: Final = "device"
FACTS: Final = frozenset({"name", "driver", "memory_total"})
"""Columns that say which card it is: the same in each row."""

_POWER: Final = {"w": 1.0, "watt": 1.0, "watts": 1.0, "mw": 1e-3, "kw": 1e3}
_DEGREES: Final = {"c": 1.0, "°c": 1.0, "degc": 1.0}
_SHARE: Final = {"%": 0.01, "pct": 0.01, "percent": 0.01}
_CLOCK: Final = {"mhz": 1e6, "ghz": 1e9, "khz": 1e3, "hz": 1.0}
# Monitoring tools write MB and mean the binary multiple: GPU-Z's 8192 MB is a card of 8 GiB, and so
# was nvidia-smi's before it wrote MiB.
_BYTES: Final = {
    "mib": 2.0**20,
    "mb": 2.0**20,
    "gib": 2.0**30,
    "gb": 2.0**30,
    "kib": 2.0**10,
    "kb": 2.0**10,
    "b": 1.0,
    "bytes": 1.0,
}
_ENERGY: Final = {"j": 1.0, "mj": 1e-3, "kj": 1e3, "wh": 3600.0}
_SECONDS: Final = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6}
_UNITS: Final = frozenset().union(_POWER, _DEGREES, _SHARE, _CLOCK, _BYTES, _ENERGY, _SECONDS)

_KINDS: Final[Mapping[str, tuple[Mapping[str, float], str, tuple[float, float]]]] = {
    "power_w": (_POWER, "w", (0.0, 5_000.0)),
    "energy_j": (_ENERGY, "j", (0.0, 1e15)),
    "temperature_c": (_DEGREES, "c", (-60.0, 200.0)),
    "memory_temperature_c": (_DEGREES, "c", (-60.0, 200.0)),
    "clock_hz": (_CLOCK, "mhz", (0.0, 1e11)),
    "memory_clock_hz": (_CLOCK, "mhz", (0.0, 1e11)),
    "utilisation": (_SHARE, "%", (0.0, 1.0)),
    "memory_utilisation": (_SHARE, "%", (0.0, 1.0)),
    "fan": (_SHARE, "%", (0.0, 2.0)),  # a fan may run above what its maker calls full speed
    "memory_bytes": (_BYTES, "mib", (0.0, 1e14)),
    "throttle_mask": ({}, "", (0.0, float(2**62))),
    ELAPSED: (_SECONDS, "s", (-1e10, 1e10)),
}
"""Units of each field with their factor to SI, the one that is meant where none stands, and what is
possible at all.

Sensors that lose their card write 4294967295 and the like; that is no reading.
"""

RANGES: Final[Mapping[str, tuple[float, float]]] = {name: kind[2] for name, kind in _KINDS.items()}

_PLACES: Final[Mapping[str, tuple[str, int]]] = {
    name: (field, rank)
    for field, names in tables_of(__file__).items()
    for rank, name in enumerate(names)
}

CHIP_ALONE: Final = "gpu chip power draw"
"""A sensor that leaves out memory and losses of the board."""

_MISSING: Final = frozenset(
    {"", "-", "--", "n/a", "na", "nan", "none", "null", "not supported", "unknown error", "err!"}
)
_NUMBER: Final = re.compile(r"([-+]?\d{1,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,2})?)\s*([A-Za-z%°]*)")


@dataclass(frozen=True, slots=True)
class Column:
    """What a column holds.

    Attributes:
        field: Field of `records.Sample`, `time`, `elapsed`, `device`, one of `FACTS`, or empty for
            what is known and not taken.
        factor: From the header's unit to SI; None where the field has no unit.
        rank: Place in its list of names: of two columns for one field the lower is taken.
    """

    field: str
    factor: float | None
    rank: int

    def value(self, cell: str, delimiter: str = ",") -> float | None:
        """A cell in SI units; None for a missing one, and for one in a unit that this column cannot
        have.
        """
        if cell.lower() in _MISSING or cell.startswith("["):
            return None
        if self.field == "throttle_mask":
            return float(int(cell, 16)) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", cell) else None
        found = number(cell, delimiter)
        if found is None:
            return None
        factor = _KINDS[self.field][0].get(found[1].lower()) if found[1] else self.factor
        return None if factor is None else found[0] * factor


def number(cell: str, delimiter: str = ",") -> tuple[float, str] | None:
    """A cell's number and the unit behind it, empty for none; None for what is no number. Where
    commas part no cells they are decimal.
    """
    found = _NUMBER.fullmatch(cell if delimiter == "," else cell.replace(",", "."))
    return None if found is None else (float(found[1]), found[2])


def is_unit(text: str) -> bool:
    """Whether a unit is one that logs write, and not cut off."""
    return text.lower() in _UNITS


def key_of(name: str) -> tuple[str, str]:
    """A column's name in plain words, and the unit in its brackets."""
    text = name.strip().strip('"').lower()
    base, opened, unit = text[:-1].rpartition("[") if text.endswith("]") else (text, "", "")
    base, unit = (base, unit.strip()) if opened and "]" not in unit else (text, "")
    return " ".join(re.findall(r"[a-z0-9]+", base)), unit


def column_of(name: str) -> Column | None:
    """Returns what a column holds by its name; None for a name that is unknown, or a unit that its
    quantity cannot have.
    """
    key, unit = key_of(name)
    if key not in _PLACES:
        words = key.split()
        if unit or len(words) < 2 or not is_unit(words[-1]):  # noqa: PLR2004 - a name and its unit
            return None
        key, unit = " ".join(words[:-1]), words[-1]
        if key not in _PLACES:
            return None
    field, rank = _PLACES[key]
    if field == TIME and unit in _SECONDS:
        field = ELAPSED
    if field not in _KINDS:
        return Column(field, None, rank)
    units, usual, _ = _KINDS[field]
    factor = units.get(unit or usual)
    return None if units and factor is None else Column(field, factor, rank)


def lambda_columns(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Names of the columns of the one shape of figures without a header that is known by sight:
    `56, 67 %, 10248 MiB`.
    """
    found = [number(cell) for cell in cells]
    units = [None if each is None else each[1] for each in found]
    return (
        ("temperature.gpu", "utilization.gpu [%]", "memory.used [MiB]")
        if units == ["", "%", "MiB"]
        else None
    )
