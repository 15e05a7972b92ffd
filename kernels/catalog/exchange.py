"""Converts currencies at dated rates only."""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Final

from kernels.errors import FactError
from kernels.records import Price, Rate, Source

MOST_DAYS: Final = timedelta(days=10)
"""Most days by which a rate may be older: central banks publish none on weekends and holidays."""

THROUGH: Final = "EUR"
"""Currency through which two others are converted: the ECB quotes all against it."""


@dataclass(frozen=True, slots=True)
class Converted:
    """An amount in another currency.

    Attributes:
        amount: In the wanted currency.
        rate: Wanted currency per unit of the original; 1 if both are the same.
        day: Day of the rate, up to ten days before the requested one.
        sources: Sources of the rate, or of the two that it was made of; none if both currencies are
            the same.
    """

    amount: float
    rate: float
    day: date
    sources: tuple[str, ...]


def convert(amount: float, base: str, quote: str, day: date, rates: Iterable[Rate]) -> Converted:
    """Converts an amount in `base` to `quote`, at the latest rate of the day or the ten before.

    Uses the rate, the inverse one, or two rates through the euro, of one day.

    Raises:
        FactError: No such rate is known.
    """
    if base == quote:
        return Converted(amount, 1.0, day, ())
    near = [rate for rate in rates if day - MOST_DAYS <= rate.day <= day]
    near.sort(key=lambda rate: rate.source)
    for found in sorted({rate.day for rate in near}, reverse=True):
        if legs := _legs(base, quote, [rate for rate in near if rate.day == found]):
            rate = math.prod(leg for leg, _ in legs)
            sources = tuple(dict.fromkeys(source for _, source in legs))
            return Converted(amount * rate, rate, found, sources)
    raise FactError(
        f"no rate of {base} in {quote} from {day - MOST_DAYS} to {day}: take another currency, or "
        "add the day's rate to catalog/rates.csv"
    )


def rate_day(price: Price, sources: Mapping[str, Source]) -> date | None:
    """Returns the day whose rates apply to a price: its own, else that of its source."""
    source = sources.get(price.source)
    return price.valid_from or (
        None if source is None else source.published or source.published_about
    )


def newest_day(rates: Iterable[Rate], today: date) -> date | None:
    """Returns the newest day up to today that has rates: for what a reader types in."""
    return max((rate.day for rate in rates if rate.day <= today), default=None)


def _legs(base: str, quote: str, rates: Sequence[Rate]) -> list[tuple[float, str]]:
    """Returns rates of one day, with sources, from one currency to the other: one, two or none."""
    ways = [[(base, quote)]]
    if THROUGH not in {base, quote}:
        ways.append([(base, THROUGH), (THROUGH, quote)])
    for way in ways:
        legs = [leg for pair in way if (leg := _leg(*pair, rates))]
        if len(legs) == len(way):
            return legs
    return []


def _leg(base: str, quote: str, rates: Sequence[Rate]) -> tuple[float, str] | None:
    for rate in rates:
        if (rate.base, rate.quote) == (base, quote):
            return rate.rate, rate.source
        if (rate.base, rate.quote) == (quote, base):
            return 1.0 / rate.rate, rate.source
    return None
