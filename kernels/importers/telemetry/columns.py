"""Columns of monitoring logs by their names, and their cells in SI units.

A name is read without case, brackets and signs, so `power.draw [W]`, `power_draw_w` and `Power
Draw` are one; the unit is in the brackets, at the end of the name, or in the cell. Names not in
`columns.toml` are ignored.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from kernels.importers.base import tables_of

TIME: Final = "time"
ELAPSED: Final = "elapsed"
DEVICE: Final = "device"
FACTS: Final = frozenset({"name", "driver", "memory_total"})
"""Columns that identify the card: the same in each row."""

CHIP_ALONE: Final = "gpu chip power draw"
"""A sensor that excludes memory and losses of the board."""

_TABLES: Final = tables_of(__file__)
_UNITS: Final[Mapping[str, Mapping[str, float]]] = _TABLES["units"]
_FIELDS: Final[Mapping[str, Mapping[str, Any]]] = _TABLES["fields"]
_PLACES: Final = {
    name: (field, rank)
    for field, each in _FIELDS.items()
    for rank, name in enumerate(each["names"])
}
_MISSING: Final = frozenset(
    {"", "-", "--", "n/a", "na", "nan", "none", "null", "not supported", "unknown error", "err!"}
)
_NUMBER: Final = re.compile(r"([-+]?\d{1,30}(?:\.\d{1,30})?(?:[eE][-+]?\d{1,2})?)\s*([A-Za-z%°]*)")


def _units_of(field: str) -> tuple[Mapping[str, float], str]:
    """Returns the factors of a field's units to SI, and the default unit."""
    kind, usual = _FIELDS[field].get("units", ("", ""))
    return _UNITS.get(kind, {}), usual


def is_possible(field: str, value: float) -> bool:
    """Returns True if an accelerator can have such a reading."""
    low, high = _FIELDS[field]["possible"]
    return bool(low <= value <= high)


@dataclass(frozen=True, slots=True)
class Column:
    """Meaning of a column.

    Attributes:
        field: Field of `records.Sample`, `time`, `elapsed`, `device`, one of `FACTS`, or empty for
            a known column that is not used.
        factor: From the header's unit to SI; None if the field has no unit.
        rank: Place in its list of names: of two columns for one field the lower is used.
    """

    field: str
    factor: float | None
    rank: int

    def value(self, cell: str, delimiter: str = ",") -> float | None:
        """Returns a cell in SI units; None for a missing value or an impossible unit."""
        if cell.lower() in _MISSING or cell.startswith("["):
            return None
        if self.field == "throttle_mask":
            return float(int(cell, 16)) if re.fullmatch(r"0[xX][0-9a-fA-F]{1,16}", cell) else None
        found = number(cell, delimiter)
        if found is None:
            return None
        factor = _units_of(self.field)[0].get(found[1].lower()) if found[1] else self.factor
        return None if factor is None else found[0] * factor


def number(cell: str, delimiter: str = ",") -> tuple[float, str] | None:
    """Returns a cell's number and unit, which may be empty; None if it is no number. Unless commas
    separate cells they are decimal.
    """
    found = _NUMBER.fullmatch(cell if delimiter == "," else cell.replace(",", "."))
    return None if found is None else (float(found[1]), found[2])


def is_unit(text: str) -> bool:
    """Returns True if logs write this unit, not cut off."""
    return any(text.lower() in units for units in _UNITS.values())


def key_of(name: str) -> tuple[str, str]:
    """Returns a column's name in plain words, and the unit in its brackets."""
    text = name.strip().strip('"').lower()
    base, opened, unit = text[:-1].rpartition("[") if text.endswith("]") else (text, "", "")
    base, unit = (base, unit.strip()) if opened and "]" not in unit else (text, "")
    return " ".join(re.findall(r"[a-z0-9]+", base)), unit


def column_of(name: str) -> Column | None:
    """Returns the meaning of a column by its name; None for an unknown name, or a unit that its
    quantity cannot have.
    """
    key, unit = key_of(name)
    if key not in _PLACES and not unit:
        key, _, unit = key.rpartition(" ")
        if not is_unit(unit):
            return None
    if key not in _PLACES:
        return None
    field, rank = _PLACES[key]
    if field == TIME and unit in _UNITS["time"]:
        field = ELAPSED
    if "possible" not in _FIELDS[field]:
        return Column(field, None, rank)
    units, usual = _units_of(field)
    factor = units.get(unit or usual)
    return None if units and factor is None else Column(field, factor, rank)


def lambda_columns(cells: Sequence[str]) -> tuple[str, ...] | None:
    """Returns the columns of `56, 67 %, 10248 MiB`, the only layout known without a header."""
    found = [number(cell) for cell in cells]
    units = [None if each is None else each[1] for each in found]
    known = ("temperature.gpu", "utilization.gpu [%]", "memory.used [MiB]")
    return known if units == ["", "%", "MiB"] else None
