"""Costs from time and price: pure functions, each with its formula.

A month has 730 hours (`units.HOURS_A_MONTH`). Amounts stay in the offer's currency; only
`exchange.convert` converts, at a dated rate. Uncertain figures are `Spread`s. The cost of a job, on
rented or owned machines, is computed by `site_src/assets/cost.js` alone.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from typing import Final

from kernels.errors import FactError
from kernels.records import Bound, Per, Price, PriceKind, Run
from kernels.units import HOURS_A_MONTH, SECONDS_AN_HOUR, exact

LEAST_USE: Final = 1e-6
"""Smallest utilisation; below it the price of an hour of use is meaningless."""


@dataclass(frozen=True, slots=True)
class Spread:
    """A figure with the interval from its inputs; both ends equal an exact figure."""

    value: float
    low: float
    high: float

    def __post_init__(self) -> None:
        if not self.low <= self.value <= self.high:
            raise FactError(
                f"a spread of {self.low} to {self.high} around {self.value}, wanted the figure "
                "between its ends"
            )


def exactly(value: float) -> Spread:
    """Returns a figure without an interval."""
    return Spread(value, value, value)


def per_hour(price: Price) -> float:
    """Returns the price of an hour of an offer, in its currency: `hourly`, rounded once."""
    return float(hourly(price))


def hourly(price: Price) -> Fraction:
    """Returns the exact price of an hour of an offer, in its currency.

    Amount x 3600 per second, amount per hour, amount / 730 per month; an upfront payment is spread
    over the term: + upfront / (730 x months).

    Raises:
        FactError: The price is of a purchase, whose hourly price depends on lifetime and use.
    """
    if price.per is Per.PURCHASE:
        raise FactError(
            f"price {price.price_id} buys the thing itself; an hour of it depends on lifetime, use "
            "and electricity"
        )
    return _hourly(price.amount, price.per, price.upfront, price.term_months)


@cache
def _hourly(amount: float, per: Per, upfront: float | None, months: int | None) -> Fraction:
    seconds = {Per.SECOND: 1, Per.HOUR: SECONDS_AN_HOUR, Per.MONTH: HOURS_A_MONTH * SECONDS_AN_HOUR}
    before = exact(upfront) / (HOURS_A_MONTH * months) if upfront and months else Fraction()
    return exact(amount) * SECONDS_AN_HOUR / seconds[per] + before


def check_ownership(months: float, utilisation: float, pue: float = 1.0) -> None:
    """Refuses an impossible lifetime, use or PUE."""
    if not months * HOURS_A_MONTH >= 1:
        raise FactError(f"a lifetime of {months} months, wanted an hour (1/730) or more")
    if not LEAST_USE <= utilisation <= 1:
        raise FactError(
            f"a utilisation of {utilisation}, wanted {LEAST_USE:g} (half a minute a year) to 1 "
            "(all hours)"
        )
    if not pue >= 1:
        raise FactError(f"a PUE of {pue}, wanted 1 (nothing but the machine) or more")


def pieces(wanted: int, offered: int) -> int:
    """Returns how many of an offer a job takes, rounded up."""
    if wanted < 1 or offered < 1:
        raise FactError(
            f"{wanted} accelerators wanted of offers with {offered}, wanted 1 or more of both"
        )
    return -(-wanted // offered)


def by_time(price: Price) -> bool:
    """Returns True if an offer is paid by time: not a purchase, nor free, where no ratio exists."""
    return price.per is not Per.PURCHASE and price.kind is not PriceKind.FREE


def remarks(price: Price, run: Run) -> tuple[str, ...]:
    """Returns the keys of remarks for a ratio that applies this offer to this run.

    Texts are `price_remark.<key>` in `strings/`; `at-least` and `about` are the source's own words.
    """
    found = {
        "other-machine": price.system != run.system,
        "undated": price.valid_from is None,
        "about": price.bound in {Bound.APPROX, Bound.LT},
        "at-least": price.bound is Bound.GT,
        "free": price.kind is PriceKind.FREE,
        "commitment": price.term_months is not None,
    }
    return tuple(key for key, holds in found.items() if holds)
