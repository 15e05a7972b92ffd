"""Derives the unit of a formula's result from its inputs' units, and refuses units that do not fit.

A formula declares the units that it takes and gives: seconds and `C/h` give `C`. A capital is the
same unit wherever it is repeated (`VARIABLES`). `product` and `quotient` take any units.
"""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Final

from kernels.errors import FactError
from kernels.units import UNITS

Units = Sequence[str]

# Counts without a dimension, besides samples: 4 chips x 16 GB is 64 GB.
_COUNTS: Final = frozenset({"1", "chips", "epochs", "cores", "classes"})
_COUNTED: Final = frozenset({"channels", "layers", "pixels", "classes", "months"})
"""Counts that a pure number may replace."""

VARIABLES: Final[Mapping[str, tuple[str, str]]] = {
    "C": ("[A-Z]{3}", "currency"),
    "N": ("[^/]+", "samples"),
    "T": ("s|min|h", "time"),
    "X": (".+", "any"),
    "Y": (".+", "any"),
}
"""Allowed units of each capital in a formula's units (a pattern), and its name in an error."""

_VARIABLE: Final = re.compile(rf"\b[{''.join(VARIABLES)}]\b")


def _dimensions(unit: str) -> Counter[str]:
    """Returns the powers of a unit's parts: `images/s per USD/h` is images 1, s -1, USD -1, h 1;
    counts have no dimension.
    """
    powers: Counter[str] = Counter()
    for place, part in enumerate(unit.split(" per ")):
        for index, name in enumerate(part.split("/")):
            if name not in _COUNTS:
                powers[name] += (1 if place == 0 else -1) * (1 if index == 0 else -1)
    return Counter({name: power for name, power in powers.items() if power})


_BY_DIMENSION: Final[Mapping[frozenset[tuple[str, int]], str]] = {
    frozenset(_dimensions(unit).items()): unit
    for unit in sorted(UNITS, reverse=True)
    if unit not in _COUNTS or unit == "1"
}


def _named(powers: Counter[str], of: str) -> str:
    unit = _BY_DIMENSION.get(frozenset((name, power) for name, power in powers.items() if power))
    if unit is None:
        raise FactError(
            f"{of} has no unit in units.UNITS; add one there, or use a formula that fits"
        )
    return unit


def product(units: Units) -> str:
    """Returns the product of all units; counts have none."""
    powers: Counter[str] = Counter()
    for unit in units:
        powers.update(_dimensions(unit))
    return _named(powers, " x ".join(units))


def quotient(units: Units) -> str:
    """Returns the first unit over the second."""
    powers = _dimensions(units[0])
    powers.subtract(_dimensions(units[1]))
    return _named(powers, f"{units[0]} over {units[1]}")


def fitted(units: Units, wanted: Units, given: str) -> str:
    """Returns the unit that a formula gives for `units`, which must match `wanted`; capitals in
    `given` are replaced by the units that they matched.

    Raises:
        FactError: An input has another unit, or the result an unknown one.
    """
    found: dict[str, str] = {}

    def filled(pattern: str) -> str:
        return _VARIABLE.sub(lambda name: found.get(name[0], name[0]), pattern)

    def named(pattern: str) -> str:
        return _VARIABLE.sub(lambda name: VARIABLES[name[0]][1], filled(pattern))

    for unit, want in zip(units, wanted, strict=True):
        expression = _expression(filled(want))
        match = re.fullmatch(expression, unit)
        if match is not None:
            found |= match.groupdict()
        elif unit != "1" or want not in _COUNTED:
            advice = (
                "one unit; currencies need a dated rate"
                if set(wanted) == {"X"}
                else ", ".join(map(named, wanted))
            )
            raise FactError(f"inputs in {', '.join(units)}, wanted {advice}")
    unit = filled(given)
    if unit not in UNITS and unit not in units:
        raise FactError(f"unit {unit!r} is not in units.UNITS; add it there")
    return unit


def _expression(unit: str) -> str:
    return _VARIABLE.sub(lambda name: f"(?P<{name[0]}>{VARIABLES[name[0]][0]})", unit)
