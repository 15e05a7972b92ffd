"""Quantities typed by unit, and the names of units that records may have."""

import re
from fractions import Fraction
from typing import Final, NewType

Seconds = NewType("Seconds", float)

HOURS_A_MONTH: Final = 730
"""365 days / 12 x 24 h, as in the $10.3 of `tpuv2-v100`; 720 does not give it."""

SECONDS_AN_HOUR: Final = 3600

MINUTES_AN_HOUR: Final = 60

JOULES_A_KWH: Final = 3_600_000

CENTS: Final = 100
"""Cents of one euro or dollar."""

UNITS: Final = frozenset(
    {
        "1",  # a pure number or a fraction of one
        "percent",  # a printed percentage: 2.0 is two per cent
        "percentage_points",
        "images",
        "images/s",
        "samples",
        "samples/s",
        "tokens/s",
        "images/s per USD/h",
        "images/s per EUR/h",
        "images/USD",
        "images/EUR",
        "epochs",
        "steps",
        "chips",
        "cores",
        "classes",
        "channels",
        "layers",
        "pixels",
        "s",
        "min",
        "h",
        "months",
        "byte",
        "GB",  # 10^9 byte, as sources print it
        "byte/s",
        "J",
        "Wh",
        "kWh",
        "W",
        "Hz",
        "MHz",
        "GHz",
        "degC",
        "FLOP/s",
        "TFLOP/s",
        "USD",
        "EUR",
        "JPY",
        "USD/h",
        "EUR/h",
        "JPY/h",
        "USD/month",
        "EUR/s",
        "cent/s",
        "EUR per USD",  # a rate of exchange: euros for one dollar
        "USD per EUR",
        "EUR per JPY",
        "JPY per EUR",
        "USD per JPY",
        "JPY per USD",
    }
)
"""Units of metrics and claims. To add one, add a line here and in each `strings/*.toml`."""

MONEY: Final = re.compile(r"[A-Z]{3}(/(s|h|month)| per [A-Z]{3})?")
"""Pattern of units of prices and rates in any currency."""


def exact(number: float) -> Fraction:
    """Returns the number as written: 0.0041 is 41 / 10 000, not a binary fraction."""
    return Fraction(repr(float(number)))


def counted(n: int, what: str) -> str:
    """Formats a number with its noun: "1 step", "2 steps"."""
    return f"{n} {what}{'' if n == 1 else 's'}"
