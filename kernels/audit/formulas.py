"""Formulas that derive figures from others: the only arithmetic for derived figures and the audit.

A formula takes facts and gives a value, its unit, and the interval that the rounding of its inputs
allows. Each formula is monotone in each input, so the interval's ends are at corners of the inputs'
intervals. Each docstring states formula and units.

Printed figures are decimal, so formulas compute with fractions and the result is rounded once: 100
x 0.004087 is 0.4087. Constants here are therefore whole numbers: a fraction times a float is a
float.
"""

import builtins
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import product as corners_of
from typing import Final

from kernels.audit import dimensions
from kernels.catalog import cost
from kernels.errors import FactError
from kernels.records import Bound, Certainty, Status
from kernels.units import CENTS, HOURS_A_MONTH, MINUTES_AN_HOUR, SECONDS_AN_HOUR, exact

MOST_INPUTS: Final = 12
"""Most inputs with an interval for one formula: the number of corners is two to that power."""


FLOP_A_CORE: Final = 2
"""Operations a cycle of one CUDA core: a multiplication and an addition."""

FLOP_A_TENSOR_CORE: Final = 2 * 64
"""Operations a cycle of one tensor core of Volta or Turing, in FP16."""

TERA: Final = 10**12


@dataclass(frozen=True, slots=True)
class Fact:
    """One figure and how certain it is.

    Attributes:
        ref: Its reference.
        value: None for a printed range and for a missing figure.
        unit: One of `units.UNITS`.
        low: Lower end of a printed range, of an interval over runs, or of what rounding allows;
            None for an exact figure.
        high: Upper end.
        decimals: As printed; None for a figure that is not printed.
        bound: A formula over anything but `eq` is `approx`, or `gt` where it can only rise with a
            figure that is "more than".
        status: `ok`, or why the figure is missing.
        fraction: The figure before it was rounded to a binary number: 7 500 / 730.
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
        """True if there is neither a figure nor a range."""
        return self.value is None and self.low is None


@dataclass(frozen=True, slots=True)
class Formula:
    """The function of a formula over numbers or fractions, and the units that it takes and gives.

    Attributes:
        inputs: Unit of each input by its name; empty for two inputs or more of one unit.
        gives: Unit of the result, or a function of the inputs' units.
    """

    name: str
    inputs: Mapping[str, str]
    value: Callable[..., float | Fraction]
    gives: str | Callable[[dimensions.Units], str]

    def unit(self, units: dimensions.Units) -> str:
        """Returns the result's unit for the inputs' units."""
        if not isinstance(self.gives, str):
            return self.gives(units)
        return dimensions.fitted(
            units, tuple(self.inputs.values()) or ("X",) * len(units), self.gives
        )


FORMULAS: Final[dict[str, Formula]] = {}
"""Formulas by name. To add one, write a function with `@formula` below and its text for readers,
`formula.<name>` in `strings/`.
"""


def formula(
    gives: str | Callable[[dimensions.Units], str], **inputs: str
) -> Callable[[Callable[..., float]], Callable[..., float]]:
    """Registers a function in `FORMULAS` with the unit that it gives and the unit of each input, as
    in `dimensions`; without inputs it takes two or more of one unit.
    """

    def enter(function: Callable[..., float]) -> Callable[..., float]:
        FORMULAS[function.__name__] = Formula(function.__name__, inputs, function, gives)
        return function

    return enter


@formula("X", x="X")
def repeats(x: float) -> float:
    """X: the same figure, printed in another place."""
    return x


@formula("X")
def sum(*x: float) -> float:
    """X1 + X2 + ..., all of one unit."""
    return builtins.sum(x)


@formula("X", a="X", b="X")
def difference(a: float, b: float) -> float:
    """A - B, both of one unit."""
    return a - b


@formula(dimensions.product, a="X", b="Y")
def product(a: float, b: float) -> float:
    """A x B; the unit is the product of both, and counts (chips, epochs) have none."""
    return a * b


@formula(dimensions.quotient, a="X", b="Y")
def quotient(a: float, b: float) -> float:
    """A / B; the unit is the quotient of both: images/s over USD/h is images/s per USD/h."""
    return a / b


@formula("1", a="X", b="X")
def ratio(a: float, b: float) -> float:
    """A / B of two figures in one unit: how many times B."""
    return a / b


@formula("percent", a="X", b="X")
def share_percent(a: float, b: float) -> float:
    """100 A / B: how many per cent of B."""
    return 100 * a / b


@formula("percent", a="X", b="X")
def percent_more(a: float, b: float) -> float:
    """100 (A / B - 1): by how many per cent of B is A above B."""
    return 100 * (a / b - 1)


@formula("percent", a="X", b="X")
def percent_less(a: float, b: float) -> float:
    """100 (1 - A / B): by how many per cent of B is A below B."""
    return 100 * (1 - a / b)


@formula("percentage_points", a="1", b="1")
def points_more(a: float, b: float) -> float:
    """100 (A - B) of two fractions, in percentage points."""
    return 100 * (a - b)


@formula("X", x="X", chips="Y")
def per_chip(x: float, chips: float) -> float:
    """X / chips, in the unit of X."""
    return x / chips


@formula("h", epochs="X", samples="N", throughput="N/s")
def hours_to_target(epochs: float, samples: float, throughput: float) -> float:
    """Epochs x samples / throughput / 3600, in hours; evaluation and start-up are not in it."""
    return epochs * samples / throughput / SECONDS_AN_HOUR


@formula("C", epochs="X", samples="N", throughput="N/s", price="C/h")
def cost_to_target(epochs: float, samples: float, throughput: float, price: float) -> float:
    """Epochs x samples / throughput / 3600 x price per hour, in the price's currency; evaluation
    and start-up are not in it.
    """
    return hours_to_target(epochs, samples, throughput) * price


@formula("C", time="s", price="C/h")
def cost_of_time(time: float, price: float) -> float:
    """Seconds / 3600 x price per hour, in the price's currency."""
    return time / SECONDS_AN_HOUR * price


@formula("C", minutes="min", price="C/h")
def cost_of_minutes(minutes: float, price: float) -> float:
    """Minutes / 60 x price per hour, in the price's currency."""
    return minutes / MINUTES_AN_HOUR * price


@formula("cent/s", price="(EUR|USD)/s")
def in_cents(price: float) -> float:
    """100 x price per second, in cents per second of its currency."""
    return CENTS * price


@formula("Wh", power="W", time="s")
def energy(power: float, time: float) -> float:
    """Power x seconds / 3600, in watt-hours: what a constant power draws in that time."""
    return power * time / SECONDS_AN_HOUR


@formula("1", inputs="channels", outputs="channels", kernel="pixels", layers="layers")
def convolution_parameters(inputs: float, outputs: float, kernel: float, layers: float) -> float:
    """Weights and biases of square convolutions in a row, the first from `inputs` to `outputs`
    channels, the others among `outputs`: out (k^2 in + 1), then out (k^2 out + 1) each.
    """
    area = kernel * kernel
    return outputs * (area * inputs + 1.0) + (layers - 1.0) * outputs * (area * outputs + 1.0)


@formula("1", inputs="channels", outputs="classes")
def dense_parameters(inputs: float, outputs: float) -> float:
    """Weights and biases of a fully connected layer: (in + 1) x out."""
    return (inputs + 1.0) * outputs


@formula("1", depth="layers", widening="1", classes="classes")
def wide_resnet_parameters(depth: float, widening: float, classes: float) -> float:
    """Parameters of a Wide ResNet for 32 x 32 colour images (arXiv 1605.07146), as its authors
    build it.

    A convolution to 16 channels, then three groups of (depth - 4) / 6 blocks with 16, 32 and 64 x
    `widening` channels. A block has two 3 x 3 convolutions without biases, each behind a batch
    normalisation of two parameters a channel. A group's first block changes the number of channels,
    so a 1 x 1 convolution stands beside it. A normalisation and a fully connected layer end the
    network.
    """
    blocks = (depth - 4.0) / 6.0
    inputs = 16.0
    count = 9.0 * 3.0 * inputs
    for base in (16.0, 32.0, 64.0):
        wide = base * widening
        count += 2.0 * inputs + 9.0 * inputs * wide + inputs * wide
        count += 2.0 * wide + 9.0 * wide * wide
        count += (blocks - 1.0) * 2.0 * (2.0 * wide + 9.0 * wide * wide)
        inputs = wide
    return count + 2.0 * inputs + dense_parameters(inputs, classes)


@formula("X", rate="X", batch="Y", base="Y")
def scaled_rate(rate: float, batch: float, base: float) -> float:
    """Rate x batch / base, in the unit of the rate: a learning rate in proportion to the batch
    size.
    """
    return rate * batch / base


@formula("min", seconds="s")
def in_minutes(seconds: float) -> float:
    """Seconds / 60, in minutes."""
    return seconds / 60


@formula("h", seconds="s")
def in_hours(seconds: float) -> float:
    """Seconds / 3600, in hours."""
    return seconds / SECONDS_AN_HOUR


@formula("s", first="s", median="s", epochs="epochs")
def time_of_epochs(first: float, median: float, epochs: float) -> float:
    """First + (epochs - 1) x median, in seconds: an estimate of a training time, as only the median
    of the later epochs is known.
    """
    return first + (epochs - 1) * median


@formula("epochs", first_a="s", median_a="s", first_b="s", median_b="s")
def break_even_epochs(first_a: float, median_a: float, first_b: float, median_b: float) -> float:
    """1 + (first A - first B) / (median B - median A): epochs after which A, slower at first, has
    caught up with B.
    """
    return 1 + (first_a - first_b) / (median_b - median_a)


@formula("1", one="s", several="s", chips="chips")
def efficiency(one: float, several: float, chips: float) -> float:
    """One / (chips x several), of the times of one chip and of several: the speed-up as a fraction
    of a linear one.
    """
    return one / (chips * several)


@formula("X")
def smallest(*x: float) -> float:
    """The smallest of figures in one unit."""
    return min(x)


@formula("X")
def largest(*x: float) -> float:
    """The largest of figures in one unit."""
    return max(x)


@formula("1", speed_up="1", epochs_one="epochs", epochs_several="epochs")
def epoch_corrected(speed_up: float, epochs_one: float, epochs_several: float) -> float:
    """Speed-up x epochs of several / epochs of one: what remains of a speed-up in time to a target
    once fewer epochs are set aside.
    """
    return speed_up * epochs_several / epochs_one


@formula("TFLOP/s", cores="cores", clock="Hz")
def peak_of_cores(cores: float, clock: float) -> float:
    """2 x cores x clock in TFLOP/s: each core multiplies and adds once a cycle."""
    return FLOP_A_CORE * cores * clock / TERA


@formula("TFLOP/s", tensor_cores="cores", clock="Hz")
def peak_of_tensor_cores(tensor_cores: float, clock: float) -> float:
    """2 x 64 x tensor cores x clock in TFLOP/s: a tensor core of Volta or Turing multiplies and
    adds 64 times a cycle in FP16.
    """
    return FLOP_A_TENSOR_CORE * tensor_cores * clock / TERA


@formula("Hz", peak="TFLOP/s", tensor_cores="cores")
def clock_of_tensor_peak(peak: float, tensor_cores: float) -> float:
    """Peak / (2 x 64 x tensor cores), in Hz: the clock that a peak in TFLOP/s was computed with."""
    return peak * TERA / (FLOP_A_TENSOR_CORE * tensor_cores)


@formula("N/s per C/h", throughput="N/s", price="C/h")
def images_per_price(throughput: float, price: float) -> float:
    """Throughput / price per hour, in images/s per USD/h (or another currency)."""
    return throughput / price


@formula("N/C", throughput="N/s", price="C/h")
def images_per_currency_unit(throughput: float, price: float) -> float:
    """3600 x throughput / price per hour: images trained for one dollar (or another currency)."""
    return SECONDS_AN_HOUR * throughput / price


@formula("C/h", monthly="C/month")
def hourly_from_month(monthly: float) -> float:
    """Price per month / 730 h, in the currency per hour."""
    return monthly / HOURS_A_MONTH


@formula("C/h", purchase="C", months="months", utilisation="1")
def owned_per_hour(purchase: float, months: float, utilisation: float) -> float:
    """Purchase / (730 h x months x utilisation), in the currency per hour: what an hour of use
    costs before electricity.
    """
    cost.check_ownership(months, utilisation)
    return purchase / (HOURS_A_MONTH * months * utilisation)


@formula("C/h", seconds_a="T", seconds_b="T", price_b="C/h")
def break_even_price(seconds_a: float, seconds_b: float, price_b: float) -> float:
    """Time of B / time of A x price per hour of B: the price of A at which both cost the same."""
    return seconds_b / seconds_a * price_b


def apply(name: str, facts: Sequence[Fact], ref: str) -> Fact:
    """Applies a formula to facts.

    The interval comes from the inputs' corners; a printed range gives a range without a value.

    Raises:
        FactError: Unknown formula, wrong inputs or units, a missing figure, or a division by zero.
    """
    rule = _rule(name, len(facts), ref)
    unit = _unit_of(rule, facts, ref)
    missing = next((fact for fact in facts if fact.missing), None)
    if missing is not None:
        return Fact(ref, None, unit, certainty=missing.certainty, status=missing.status)
    values = [fact.fraction or exact(fact.value) for fact in facts if fact.value is not None]
    value, fraction = _evaluate(rule, values, ref) if len(values) == len(facts) else (None, None)
    low, high = _interval(rule, facts, ref)
    stated = all(fact.certainty is Certainty.STATED for fact in facts)
    certainty = Certainty.STATED if stated else Certainty.RECONSTRUCTED
    bound = _bound(name, facts)
    return Fact(ref, value, unit, low, high, bound=bound, certainty=certainty, fraction=fraction)


def _rule(name: str, inputs: int, ref: str) -> Formula:
    rule = FORMULAS.get(name)
    if rule is None:
        raise FactError(f"{ref}: no formula {name!r}; known are {', '.join(sorted(FORMULAS))}")
    if inputs != len(rule.inputs) if rule.inputs else inputs < 2:  # noqa: PLR2004 - two or more
        wanted = ", ".join(rule.inputs) or "two inputs or more"
        raise FactError(f"{ref}: {name} takes {wanted}, got {inputs}")
    return rule


def _interval(
    rule: Formula, facts: Sequence[Fact], ref: str
) -> tuple[float, float] | tuple[None, None]:
    wide = len([fact for fact in facts if fact.low is not None])
    if not wide:
        return None, None
    if wide > MOST_INPUTS:
        raise FactError(f"{ref}: {wide} inputs with an interval, wanted {MOST_INPUTS} or fewer")
    corners = corners_of(*(_ends(fact) for fact in facts))
    ends = [_evaluate(rule, corner, ref)[0] for corner in corners]
    return min(ends), max(ends)


_RISING: Final = ("repeats", "product", "sum", "cost_of_time")
"""Formulas that grow with every input that is not negative: "more than" stays "more than"."""

_RISING_FIRST: Final = ("owned_per_hour",)
"""Formulas that grow with their first input, and may fall with another."""


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
