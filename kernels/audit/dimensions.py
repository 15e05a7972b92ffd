"""The unit of a formula's result, from the units of its inputs; refuses what does not fit together.

Each function takes the inputs' units in the formula's order and gives one of `units.UNITS`.
"""

import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Final

from kernels.errors import FactError
from kernels.units import UNITS

Units = Sequence[str]

# What is counted and has no dimension beside the samples: 4 chips x 16 GB is 64 GB.
_COUNTS: Final = frozenset({"1", "chips", "epochs", "cores", "classes"})
# What the layers of a network are counted in.
_COUNTED: Final = frozenset({"channels", "layers", "pixels", "classes"})


def _dimensions(unit: str) -> Counter[str]:
    """Powers of the parts of a unit: `images/s per USD/h` is images 1, s -1, USD -1, h 1; counts
    are no dimension.
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
    """The product of all units; counts have none."""
    powers: Counter[str] = Counter()
    for unit in units:
        powers.update(_dimensions(unit))
    return _named(powers, " x ".join(units))


def quotient(units: Units) -> str:
    """The first unit over the second."""
    powers = _dimensions(units[0])
    powers.subtract(_dimensions(units[1]))
    return _named(powers, f"{units[0]} over {units[1]}")


def alike(units: Units) -> str:
    """The one unit that all inputs have; nothing else may be added or compared."""
    if len(set(units)) > 1:
        raise FactError(
            f"inputs in {' and '.join(sorted(set(units)))}, wanted one unit; currencies need a "
            "dated rate"
        )
    return units[0]


def compared_in(unit: str) -> Callable[[Units], str]:
    """The unit of a comparison: its inputs share one, the result has its own."""

    def check(units: Units) -> str:
        alike(units)
        return unit

    return check


def first(units: Units) -> str:
    """The first input's unit."""
    return units[0]


def _currency(hourly: str) -> str:
    currency, _, per = hourly.partition("/")
    if per != "h" or not re.fullmatch("[A-Z]{3}", currency):
        raise FactError(f"a price in {hourly}, wanted a price per hour; take price:...:per_hour")
    return currency


def _speed(throughput: str, samples: str | None = None) -> str:
    counted, _, per = throughput.partition("/")
    if per != "s" or (samples is not None and samples != counted):
        raise FactError(
            f"throughput in {throughput}{f' over {samples}' if samples else ''}, wanted "
            f"{samples or 'samples'}/s"
        )
    return counted


def _in_units(unit: str) -> str:
    if unit not in UNITS:
        raise FactError(f"unit {unit!r} is not in units.UNITS; add it there")
    return unit


def hours(units: Units) -> str:
    """Hours, of epochs, samples an epoch, and samples per second."""
    _speed(units[2], units[1])
    return "h"


def money(units: Units) -> str:
    """The currency, of epochs, samples an epoch, samples per second and a price per hour."""
    hours(units)
    return _in_units(_currency(units[3]))


def money_of_time(units: Units) -> str:
    """The currency, of seconds and a price per hour."""
    if units[0] != "s":
        raise FactError(f"a time in {units[0]}, wanted s")
    return _in_units(_currency(units[1]))


def money_of_minutes(units: Units) -> str:
    """The currency, of minutes and a price per hour."""
    if units[0] != "min":
        raise FactError(f"a time in {units[0]}, wanted min")
    return _in_units(_currency(units[1]))


def cents(units: Units) -> str:
    """Cents per second, of a price per second in a currency that has cents."""
    if units[0] not in {"EUR/s", "USD/s"}:
        raise FactError(f"a price in {units[0]}, wanted EUR/s or USD/s")
    return "cent/s"


def energy(units: Units) -> str:
    """Watt-hours, of watts and seconds."""
    if list(units) != ["W", "s"]:
        raise FactError(f"energy of {' and '.join(units)}, wanted W and s")
    return _in_units("Wh")


def time_in(unit: str) -> Callable[[Units], str]:
    """Another unit of time, of seconds."""

    def check(units: Units) -> str:
        _wanted(units, "s")
        return unit

    return check


def convolutions(units: Units) -> str:
    """A pure number, of channels in and out, a kernel's side in pixels, and layers."""
    _wanted(units, "channels", "channels", "pixels", "layers")
    return "1"


def dense(units: Units) -> str:
    """A pure number, of channels and classes."""
    _wanted(units, "channels", "classes")
    return "1"


def wide_resnet(units: Units) -> str:
    """A pure number, of layers, a widening factor and classes."""
    _wanted(units, "layers", "1", "classes")
    return "1"


def _wanted(units: Units, *wanted: str) -> None:
    """Refuse other units; a pure number may stand for a count."""
    if any(
        unit != want and (unit != "1" or want not in _COUNTED)
        for unit, want in zip(units, wanted, strict=True)
    ):
        raise FactError(f"inputs in {', '.join(units)}, wanted {', '.join(wanted)}")


def scaled(units: Units) -> str:
    """The first unit; the other two are alike."""
    alike(units[1:])
    return units[0]


def time_of_epochs(units: Units) -> str:
    """Seconds, of two times and a number of epochs."""
    if units[2] != "epochs":
        raise FactError(f"a number of epochs in {units[2]}, wanted epochs")
    return _seconds(units[:2])


def break_even(units: Units) -> str:
    """Epochs, of times of epochs."""
    _seconds(units)
    return "epochs"


def efficiency(units: Units) -> str:
    """A fraction, of two times and a number of chips."""
    _seconds(units[:2])
    if units[2] != "chips":
        raise FactError(f"a number of accelerators in {units[2]}, wanted chips")
    return "1"


def _seconds(units: Units) -> str:
    if set(units) != {"s"}:
        raise FactError(f"times in {' and '.join(sorted(set(units)))}, wanted s")
    return "s"


def speed_up(units: Units) -> str:
    """A pure number, of a ratio and two numbers of epochs."""
    _wanted(units, "1", "epochs", "epochs")
    return "1"


def peak(units: Units) -> str:
    """TFLOP/s, of cores and a clock."""
    _wanted(units, "cores", "Hz")
    return "TFLOP/s"


def clock_of_peak(units: Units) -> str:
    """Hertz, of a peak and cores."""
    _wanted(units, "TFLOP/s", "cores")
    return "Hz"


def hourly_of_month(units: Units) -> str:
    """The currency per hour, of a price per month."""
    currency, _, per = units[0].partition("/")
    if per != "month":
        raise FactError(f"a price in {units[0]}, wanted a price per month")
    return _in_units(f"{currency}/h")


def hourly_of_purchase(units: Units) -> str:
    """The currency per hour, of an amount, a number of months and a fraction."""
    _wanted((units[1].replace("months", "1"), units[2]), "1", "1")
    return _in_units(f"{units[0]}/h")


def price_of_times(units: Units) -> str:
    """The price per hour, of two times in one unit and a price per hour."""
    if alike(units[:2]) not in {"s", "min", "h"}:
        raise FactError(f"times in {units[0]}, wanted both in seconds, minutes or hours")
    _currency(units[2])
    return units[2]


def points(units: Units) -> str:
    """Percentage points, of two fractions."""
    if alike(units) != "1":
        raise FactError(f"percentage points of figures in {units[0]}, wanted fractions")
    return "percentage_points"


def per_price(units: Units) -> str:
    """Samples per second for a unit of the price per hour."""
    _speed(units[0])
    _currency(units[1])
    return _in_units(f"{units[0]} per {units[1]}")


def samples_per_currency_unit(units: Units) -> str:
    """Samples per currency unit, of a throughput and a price per hour."""
    return _in_units(f"{_speed(units[0])}/{_currency(units[1])}")
