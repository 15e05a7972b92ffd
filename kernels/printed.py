"""Printed figures as one writes them down: `3186`, `~3.28e3`, `76.4%`, `<9`, `2.2..2.7`.

Figures keep their printed precision: the decimals show the rounding, `~` means "about", `<` "less
than" or "up to", `>` "more than". Trailing zeros without precision go into an exponent: `1.3e6`.
"""

import re
from dataclasses import dataclass
from decimal import Decimal

from kernels.errors import SourceError
from kernels.records import Bound

_NUMBER = r"-?\d{1,15}(?:\.\d{1,12})?(?:e\d{1,2})?"
_FIGURE = re.compile(
    rf"(?P<bound>[~<>]?)(?P<low>{_NUMBER})(?:\.\.(?P<high>{_NUMBER}))?(?P<percent>%?)", re.ASCII
)
_BOUNDS = {"": Bound.EQ, "~": Bound.APPROX, "<": Bound.LT, ">": Bound.GT}

SYNTAX = (
    "a figure such as 3186, ~3.28e3 (about), <9 (less than, up to), >1 (more than), 76.4% (a "
    "fraction) or 2.2..2.7 (a range)"
)


@dataclass(frozen=True, slots=True)
class Printed:
    """A figure as printed; `value` is None for a range. Per cent are fractions: `76.4%` is 0.764
    with three decimals.
    """

    value: float | None
    low: float | None
    high: float | None
    bound: Bound
    decimals: int


def parse(text: str) -> Printed:
    """Parses a printed figure.

    Raises:
        SourceError: Not of the syntax above, or a range whose ends are the wrong way round.
    """
    match = _FIGURE.fullmatch(text.strip())
    if match is None:
        raise SourceError(f"found {text!r}, wanted {SYNTAX}")
    shift = 2 if match["percent"] else 0
    low = Decimal(match["low"]).scaleb(-shift)
    bound = _BOUNDS[match["bound"]]
    if match["high"] is None:
        return Printed(float(low), None, None, bound, _decimals(match["low"]) + shift)
    high = Decimal(match["high"]).scaleb(-shift)
    if low > high:
        raise SourceError(f"found {text!r}, wanted the lower end of the range first")
    decimals = max(_decimals(match["low"]), _decimals(match["high"])) + shift
    return Printed(None, float(low), float(high), bound, decimals)


def half_unit(decimals: int) -> float:
    """Returns half a unit of the last printed digit: 0.05 for one decimal, 50 000 for -5."""
    return float(Decimal(5).scaleb(-decimals - 1))


def _decimals(number: str) -> int:
    """Returns the printed decimals; negative for a number in hundreds or thousands."""
    exponent = Decimal(number).as_tuple().exponent
    if not isinstance(exponent, int):  # the pattern lets no NaN through
        raise SourceError(f"found {number!r}, wanted {SYNTAX}")
    return -exponent
