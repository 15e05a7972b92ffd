"""Formulas by which figures follow from others: the only arithmetic behind derived figures and the
audit.

A formula takes facts and gives a value, its unit, and the interval that the rounding of its inputs
allows: each formula here is monotone in each of its inputs, so the interval's ends are among the
corners. Each docstring says formula and units.

What sources print is decimal, so formulas are handed fractions and what they give is rounded once:
100 x 0.004087 is 0.4087. A constant here is therefore a whole number, since a fraction times a
binary number is one of those.
"""

import builtins
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product as corners_of
from typing import Final

from kernels.audit import dimensions as unit_of
from kernels.audit import parameter_count as layers_of
from kernels.catalog import cost
from kernels.errors import FactError
from kernels.records import Bound, Certainty, Status
from kernels.units import CENTS, HOURS_A_MONTH, MINUTES_AN_HOUR, SECONDS_AN_HOUR, exact

MOST_INPUTS: Final = 12
"""Inputs with an interval that one formula may take: there are two to that power corners."""


FLOP_A_CORE: Final = 2
"""Operations a cycle of one CUDA core: a multiplication and an addition."""

FLOP_A_TENSOR_CORE: Final = 2 * 64
"""Operations a cycle of one tensor core of Volta or Turing, in FP16."""

TERA: Final = 10**12


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure with how far it is certain.

    Attributes:
        ref: The reference that gave it.
        value: The figure; None for a printed range and for a missing figure.
        unit: One of `units.UNITS`.
        low: Lower end of a printed range, of an interval over runs, or of what rounding allows;
            None for an exact figure.
        high: Upper end.
        decimals: Decimals as printed; None for a figure that nobody printed.
        bound: "about", "less than", "more than", or as it stands; a formula over anything but `eq`
            is `approx`, or `gt` where it can only rise with a figure that is "more than".
        certainty: How far the figure is what its source prints.
        status: `ok`, or why the figure is missing.
        fraction: The figure before it was rounded to a binary number: 7 500 / 730; None for one
            that is as it is written.
    """

    ref: str
    value: float | None
    unit: str
    low: float | None = None
    high: float | None = None
    decimals: int | None = None
    bound: Bound = Bound.EQ
    certainty: Certainty = Certainty.STATED
    status: Status = Status.OK
    fraction: Fraction | None = field(default=None, compare=False, repr=False)

    @property
    def missing(self) -> bool:
        """Whether there is neither a figure nor a range."""
        return self.value is None and self.low is None


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula: its function over numbers or fractions, its unit from the inputs' units, how many
    inputs it takes (None: two or more).
    """

    name: str
    inputs: tuple[str, ...] | None
    value: Callable[..., float | Fraction]
    unit: Callable[[unit_of.Units], str]
    doc: str


FORMULAS: Final[dict[str, Formula]] = {}
"""Formulas by name. A new one is a function with `@formula` below; its text for readers is
`formula.<name>` in `strings/`.
"""


def formula(
    *inputs: str, unit: Callable[[unit_of.Units], str]
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Enter a function into `FORMULAS`; without named inputs it takes two or more of one unit."""

    def enter(function: Callable[..., float]) -> Callable[..., float]:
        FORMULAS[function.__name__] = Formula(
            function.__name__, inputs or None, function, unit, function.__doc__ or ""
        )
        return function

    return enter


@formula("x", unit=unit_of.first)
def repeats(x: float) -> float:
    """X: the same figure, printed in another place."""
    return x


@formula(unit=unit_of.alike)
def sum(*x: float) -> float:
    """X1 + X2 + ..., all of one unit."""
    return builtins.sum(x)


@formula("a", "b", unit=unit_of.alike)
def difference(a: float, b: float) -> float:
    """A - B, both of one unit."""
    return a - b


@formula("a", "b", unit=unit_of.product)
def product(a: float, b: float) -> float:
    """A x B; the unit is the product of both, and counts (chips, epochs) have none."""
    return a * b


@formula("a", "b", unit=unit_of.quotient)
def quotient(a: float, b: float) -> float:
    """A / B; the unit is the quotient of both: images/s over USD/h is images/s per USD/h."""
    return a / b


@formula("a", "b", unit=unit_of.compared_in("1"))
def ratio(a: float, b: float) -> float:
    """A / B of two figures in one unit: how many times B."""
    return a / b


@formula("a", "b", unit=unit_of.compared_in("percent"))
def share_percent(a: float, b: float) -> float:
    """100 A / B: how many per cent of B."""
    return 100 * a / b


@formula("a", "b", unit=unit_of.compared_in("percent"))
def percent_more(a: float, b: float) -> float:
    """100 (A / B - 1): by how many per cent of B is A above B."""
    return 100 * (a / b - 1)


@formula("a", "b", unit=unit_of.compared_in("percent"))
def percent_less(a: float, b: float) -> float:
    """100 (1 - A / B): by how many per cent of B is A below B."""
    return 100 * (1 - a / b)


@formula("a", "b", unit=unit_of.points)
def points_more(a: float, b: float) -> float:
    """100 (A - B) of two fractions, in percentage points."""
    return 100 * (a - b)


@formula("x", "chips", unit=unit_of.first)
def per_chip(x: float, chips: float) -> float:
    """X / chips, in the unit of X."""
    return x / chips


@formula("epochs", "samples", "throughput", unit=unit_of.hours)
def hours_to_target(epochs: float, samples: float, throughput: float) -> float:
    """Epochs x samples / throughput / 3600, in hours; evaluation and start-up are not in it."""
    return cost.hours(epochs, samples, throughput)


@formula("epochs", "samples", "throughput", "price", unit=unit_of.money)
def cost_to_target(epochs: float, samples: float, throughput: float, price: float) -> float:
    """Epochs x samples / throughput / 3600 x price per hour, in the price's currency; evaluation
    and start-up are not in it.
    """
    return cost.cost(cost.hours(epochs, samples, throughput), price)


@formula("time", "price", unit=unit_of.money_of_time)
def cost_of_time(time: float, price: float) -> float:
    """Seconds / 3600 x price per hour, in the price's currency."""
    return cost.cost(time / SECONDS_AN_HOUR, price)


@formula("minutes", "price", unit=unit_of.money_of_minutes)
def cost_of_minutes(minutes: float, price: float) -> float:
    """Minutes / 60 x price per hour, in the price's currency."""
    return cost.cost(minutes / MINUTES_AN_HOUR, price)


@formula("price", unit=unit_of.cents)
def in_cents(price: float) -> float:
    """100 x price per second, in cents per second of its currency."""
    return CENTS * price


@formula("power", "time", unit=unit_of.energy)
def energy(power: float, time: float) -> float:
    """Power x seconds / 3600, in watt-hours: what a constant power draws in that time."""
    return power * time / SECONDS_AN_HOUR


@formula("inputs", "outputs", "kernel", "layers", unit=unit_of.convolutions)
def convolution_parameters(inputs: float, outputs: float, kernel: float, layers: float) -> float:
    """Weights and biases of square convolutions in a row: out (k^2 in + 1), then out (k^2 out + 1)
    for each further layer.
    """
    return layers_of.convolution_parameters(inputs, outputs, kernel, layers)


@formula("inputs", "outputs", unit=unit_of.dense)
def dense_parameters(inputs: float, outputs: float) -> float:
    """Weights and biases of a fully connected layer: (in + 1) x out."""
    return layers_of.dense_parameters(inputs, outputs)


@formula("depth", "widening", "classes", unit=unit_of.wide_resnet)
def wide_resnet_parameters(depth: float, widening: float, classes: float) -> float:
    """Parameters of a Wide ResNet for 32 x 32 colour images, as `layers.wide_resnet_parameters`
    counts them.
    """
    return layers_of.wide_resnet_parameters(depth, widening, classes)


@formula("rate", "batch", "base", unit=unit_of.scaled)
def scaled_rate(rate: float, batch: float, base: float) -> float:
    """Rate x batch / base, in the unit of the rate: a learning rate in proportion to the batch
    size.
    """
    return rate * batch / base


@formula("seconds", unit=unit_of.time_in("min"))
def in_minutes(seconds: float) -> float:
    """Seconds / 60, in minutes."""
    return seconds / 60


@formula("seconds", unit=unit_of.time_in("h"))
def in_hours(seconds: float) -> float:
    """Seconds / 3600, in hours."""
    return seconds / SECONDS_AN_HOUR


@formula("first", "median", "epochs", unit=unit_of.time_of_epochs)
def time_of_epochs(first: float, median: float, epochs: float) -> float:
    """First + (epochs - 1) x median, in seconds: an estimate of a training time, as only the median
    of the later epochs is known.
    """
    return first + (epochs - 1) * median


@formula("first_a", "median_a", "first_b", "median_b", unit=unit_of.break_even)
def break_even_epochs(first_a: float, median_a: float, first_b: float, median_b: float) -> float:
    """1 + (first A - first B) / (median B - median A): epochs after which A, slower at first, has
    caught up with B.
    """
    return 1 + (first_a - first_b) / (median_b - median_a)


@formula("one", "several", "chips", unit=unit_of.efficiency)
def efficiency(one: float, several: float, chips: float) -> float:
    """One / (chips x several), of the times of one chip and of several: the speed-up as a fraction
    of a linear one.
    """
    return one / (chips * several)


@formula(unit=unit_of.alike)
def smallest(*x: float) -> float:
    """The smallest of figures in one unit."""
    return min(x)


@formula(unit=unit_of.alike)
def largest(*x: float) -> float:
    """The largest of figures in one unit."""
    return max(x)


@formula("speed_up", "epochs_one", "epochs_several", unit=unit_of.speed_up)
def epoch_corrected(speed_up: float, epochs_one: float, epochs_several: float) -> float:
    """Speed-up x epochs of several / epochs of one: what remains of a speed-up in time to a target
    once fewer epochs are set aside.
    """
    return speed_up * epochs_several / epochs_one


@formula("cores", "clock", unit=unit_of.peak)
def peak_of_cores(cores: float, clock: float) -> float:
    """2 x cores x clock in TFLOP/s: each core multiplies and adds once a cycle."""
    return FLOP_A_CORE * cores * clock / TERA


@formula("tensor_cores", "clock", unit=unit_of.peak)
def peak_of_tensor_cores(tensor_cores: float, clock: float) -> float:
    """2 x 64 x tensor cores x clock in TFLOP/s: a tensor core of Volta or Turing multiplies and
    adds 64 times a cycle in FP16.
    """
    return FLOP_A_TENSOR_CORE * tensor_cores * clock / TERA


@formula("peak", "tensor_cores", unit=unit_of.clock_of_peak)
def clock_of_tensor_peak(peak: float, tensor_cores: float) -> float:
    """Peak / (2 x 64 x tensor cores), in Hz: the clock that a peak in TFLOP/s was computed with."""
    return peak * TERA / (FLOP_A_TENSOR_CORE * tensor_cores)


@formula("throughput", "price", unit=unit_of.per_price)
def images_per_price(throughput: float, price: float) -> float:
    """Throughput / price per hour, in images/s per USD/h (or another currency)."""
    return cost.throughput_per_price(throughput, price)


@formula("throughput", "price", unit=unit_of.samples_per_currency_unit)
def images_per_currency_unit(throughput: float, price: float) -> float:
    """3600 x throughput / price per hour: images trained for one dollar (or another currency)."""
    return cost.samples_per_currency_unit(throughput, price)


@formula("monthly", unit=unit_of.hourly_of_month)
def hourly_from_month(monthly: float) -> float:
    """Price per month / 730 h, in the currency per hour."""
    return monthly / HOURS_A_MONTH


@formula("purchase", "months", "utilisation", unit=unit_of.hourly_of_purchase)
def owned_per_hour(purchase: float, months: float, utilisation: float) -> float:
    """Purchase / (730 h x months x utilisation), in the currency per hour: what an hour of use
    costs before electricity.
    """
    return cost.owned_per_hour(purchase, months, utilisation)


@formula("seconds_a", "seconds_b", "price_b", unit=unit_of.price_of_times)
def break_even_price(seconds_a: float, seconds_b: float, price_b: float) -> float:
    """Time of B / time of A x price per hour of B: the price of A at which both cost the same."""
    return cost.break_even_price(cost.exactly(seconds_a), cost.exactly(seconds_b), price_b).value


def apply(name: str, facts: Sequence[Fact], ref: str) -> Fact:
    """The figure that a formula makes of facts.

    Its interval is that of the inputs' corners. A printed range goes in by its ends and comes out
    as a range without a value.

    Raises:
        FactError: No such formula, another number of inputs, units that do not fit, a missing
            input, or a division by zero.
    """
    rule = FORMULAS.get(name)
    if rule is None:
        raise FactError(f"{ref}: no formula {name!r}; known are {', '.join(sorted(FORMULAS))}")
    if len(facts) < 2 if rule.inputs is None else len(facts) != len(rule.inputs):  # noqa: PLR2004 - two or more
        raise FactError(
            f"{ref}: {name} takes "
            f"{', '.join(rule.inputs) if rule.inputs else 'two inputs or more'}, got {len(facts)}"
        )
    missing = next((fact for fact in facts if fact.missing), None)
    if missing is not None:
        return Fact(
            ref,
            None,
            _unit_of(rule, facts, ref),
            certainty=missing.certainty,
            status=missing.status,
        )
    unit = _unit_of(rule, facts, ref)
    wide = [fact for fact in facts if fact.low is not None]
    if len(wide) > MOST_INPUTS:
        raise FactError(
            f"{ref}: {len(wide)} inputs with an interval, wanted {MOST_INPUTS} or fewer"
        )
    values = [fact.fraction or exact(fact.value) for fact in facts if fact.value is not None]
    value, fraction = _evaluate(rule, values, ref) if len(values) == len(facts) else (None, None)
    low = high = None
    if wide:
        ends = [
            _evaluate(rule, corner, ref)[0]
            for corner in corners_of(*(_ends(fact) for fact in facts))
        ]
        low, high = min(ends), max(ends)
    stated = all(fact.certainty is Certainty.STATED for fact in facts)
    return Fact(
        ref,
        value,
        unit,
        low,
        high,
        bound=_bound(name, facts),
        certainty=Certainty.STATED if stated else Certainty.RECONSTRUCTED,
        fraction=fraction,
    )


_RISING: Final = ("repeats", "product", "sum", "cost_of_time")
"""Formulas that give more for more, over figures that are not negative: of "more than" they make
"more than".
"""

_RISING_FIRST: Final = ("owned_per_hour",)
"""Formulas that give more for more of their first figure, and may give less for more of another."""


def _bound(name: str, facts: Sequence[Fact]) -> Bound:
    bounds = {fact.bound for fact in facts}
    if bounds <= {Bound.EQ}:
        return Bound.EQ
    positive = all(fact.value is not None and fact.value >= 0.0 for fact in facts)
    rising = name in _RISING or (
        name in _RISING_FIRST and all(fact.bound is Bound.EQ for fact in facts[1:])
    )
    return Bound.GT if rising and positive and bounds <= {Bound.EQ, Bound.GT} else Bound.APPROX


def _ends(fact: Fact) -> tuple[Fraction, ...]:
    if fact.low is not None and fact.high is not None:
        return (exact(fact.low), exact(fact.high))
    return () if fact.value is None else (fact.fraction or exact(fact.value),)


def _unit_of(rule: Formula, facts: Sequence[Fact], ref: str) -> str:
    try:
        return rule.unit([fact.unit for fact in facts])
    except FactError as error:
        raise FactError(f"{ref}: {error}") from None


def _evaluate(rule: Formula, values: Sequence[Fraction], ref: str) -> tuple[float, Fraction | None]:
    """The result, and the fraction that it is of where the formula has kept to those."""
    try:
        result = rule.value(*values)
        rounded = float(result)
    except (ZeroDivisionError, OverflowError):
        result = rounded = math.nan
    if not math.isfinite(rounded):
        said = ", ".join(f"{float(value):g}" for value in values)
        raise FactError(
            f"{ref}: {rule.name} of {said} is no number; a divisor is zero or too small"
        )
    return rounded, result if isinstance(result, Fraction) else None
