"""Offers as lists show them: one line per offer, whatever its places and price changes. A change of
a price is a new row with its own day; the rows of one offer differ only in place, day and amount.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from kernels.catalog import Catalog
from kernels.catalog.cost import by_time, per_hour
from kernels.records import Price, PriceKind

MANY: Final = 60
"""From this number of offers a page does not list them all at once."""

APART: Final = 300
"""From this number of offers each kind of accelerator has its own page of them."""

UNKNOWN: Final = "not_stated"
"""The name in addresses for accelerators of unknown kind."""


@dataclass(frozen=True, slots=True)
class Offered:
    """An offer: its prices by place, each in the order of days; the cheapest place first."""

    places: tuple[tuple[Price, ...], ...]

    @property
    def price(self) -> Price:
        """The price that represents the offer: the newest of the cheapest place."""
        return self.places[0][-1]

    @property
    def newest(self) -> list[Price]:
        """The price in force of each place, lowest first."""
        return [place[-1] for place in self.places]

    @property
    def earlier(self) -> int:
        """The number of prices no longer in force."""
        return sum(len(place) - 1 for place in self.places)

    @property
    def last_day(self) -> date | None:
        """The newest day on which a price was seen; None if no source prints one."""
        return max((price.valid_from for price in self.newest if price.valid_from), default=None)


def offered(prices: Iterable[Price]) -> list[Offered]:
    """Prices grouped by offer, in order of first appearance."""
    found: dict[object, dict[str | None, list[Price]]] = defaultdict(lambda: defaultdict(list))
    for price in prices:
        found[_offer(price)][price.region].append(price)
    return [
        Offered(tuple(sorted(map(_dated, places.values()), key=lambda place: place[-1].amount)))
        for places in found.values()
    ]


def in_force(prices: Iterable[Price]) -> list[Price]:
    """The prices in force: the newest of each offer and place."""
    return [price for offer in offered(prices) for price in offer.newest]


Read = Mapping[tuple[str, str], set[int]]
"""The years in which a source looked at the prices of a provider."""


def years_read(prices: Iterable[Price]) -> Read:
    """The years in which each source looked at each provider, from the days of its rows."""
    found: dict[tuple[str, str], set[int]] = defaultdict(set)
    for price in prices:
        if price.valid_from:
            found[price.source, price.provider].add(price.valid_from.year)
    return found


def by_year(
    prices: Iterable[Price], days: Mapping[str, date | None], read: Read
) -> dict[int, list[Price]]:
    """Prices by the years in which they held, newest year first. A price that its source does not
    change holds in every year in which the source looked; an undated price only in the year of its
    source.

    Args:
        prices: Dated and undated prices.
        days: The day that represents an undated price, by its id.
        read: As `years_read`.
    """
    known = list(prices)
    dated = [(price, price.valid_from.year) for price in known if price.valid_from]
    found: dict[int, list[Price]] = {}
    for year in {year for price, _ in dated for year in _read(price, read)}:
        held = in_force(
            price for price, first in dated if first <= year and year in _read(price, read)
        )
        if lasting := [
            price for price in held if price.valid_to is None or price.valid_to.year >= year
        ]:
            found[year] = lasting
    for price in known:
        day = days.get(price.price_id) if price.valid_from is None else None
        if day:
            found.setdefault(day.year, []).append(price)
    return dict(sorted(found.items(), reverse=True))


def _read(price: Price, read: Read) -> set[int]:
    return read[price.source, price.provider]


def _offer(price: Price) -> object:
    """Returns what identifies an offer, apart from place and day."""
    undated = price.price_id if price.valid_from is None else None
    return (
        price.source, price.provider, price.offer, price.system, price.accelerators, price.kind,
        price.currency, price.per,
        price.term_months, price.upfront, price.workload, price.includes, undated,
    )  # fmt: skip


def _dated(prices: Iterable[Price]) -> tuple[Price, ...]:
    return tuple(sorted(prices, key=lambda price: (price.valid_from or date.min, price.price_id)))


def standing(found: Sequence[Offered], read: Read) -> list[Price]:
    """The prices of the newest year that has any, and undated ones."""
    every = [price for offer in found for place in offer.places for price in place]
    held = next(iter(by_year(every, {}, read).values()), [])
    return [*held, *(price for price in every if price.valid_from is None)]


def hardware(price: Price, catalog: Catalog) -> str | None:
    """The kind of accelerator, from the catalogue of systems or from the price itself."""
    system = catalog.systems.get(price.system)
    return system.hardware if system else price.hardware


def by_accelerator(
    found: Iterable[Offered], catalog: Catalog, warned: Container[str] = ()
) -> list[tuple[str | None, list[Offered]]]:
    """Offers by kind of accelerator, cheapest first; `warned` and unknown ones last."""
    kinds: dict[str | None, list[Offered]] = defaultdict(list)
    for offer in found:
        kinds[hardware(offer.price, catalog)].append(offer)
    for offers in kinds.values():
        offers.sort(key=lambda offer: (offer.price.price_id in warned, *_order(offer.price)))

    def name(id_: str | None) -> tuple[bool, str]:
        known = catalog.hardware.get(id_ or "")
        return id_ is None, (known.name if known else id_ or "").casefold()

    return sorted(kinds.items(), key=lambda kind: name(kind[0]))


def _order(price: Price) -> tuple[bool, str, float, str]:
    hourly = per_accelerator_hour(price)
    return hourly is None, price.currency, hourly or 0.0, price.price_id


def per_accelerator_hour(price: Price) -> float | None:
    """The price per accelerator-hour; None for purchases and for free offers."""
    return per_hour(price) / price.accelerators if by_time(price) else None


def cheapest(
    found: Sequence[Offered], warned: Container[str] = (), read: Read | None = None
) -> list[Price]:
    """The lowest accelerator-hour of the newest year that has a price, one per currency; on demand
    if possible; undated prices only if there are no others.

    Args:
        found: Offers of one kind of accelerator.
        warned: Ids of prices that may not be the cheapest.
        read: As `years_read`; None to take it from the offers.
    """
    every = [price for offer in found for place in offer.places for price in place]
    years = by_year(every, {}, years_read(every) if read is None else read)
    undated = [price for price in every if price.valid_from is None]
    paid: list[Price] = []
    for held in (*years.values(), undated):
        paid = [price for price in held if by_time(price) and price.price_id not in warned]
        if paid:
            break
    usual = [price for price in paid if price.kind is PriceKind.ON_DEMAND] or paid
    least: dict[str, Price] = {}
    for price in sorted(usual, key=_order):
        least.setdefault(price.currency, price)
    return [least[currency] for currency in sorted(least)]
