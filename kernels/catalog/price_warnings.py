"""Prices that cannot be right as recorded, because another recorded price contradicts them.

Such a price is kept and shown with the reason and the contradicting price, but not ranked. Prices
are compared within one provider and day.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from operator import attrgetter
from statistics import median
from typing import Final

from kernels.catalog.cost import by_time, per_hour
from kernels.records import Bound, Price, PriceKind, System

_ZONE: Final = re.compile(r"(?<=\d)-?[a-z]$")
"""Suffix of a zone of a region: `us-east-1a`, `us-central1-a`."""

_VOTES: Final = 3
"""Fewest providers for a median that counts as usual."""

_FACTOR: Final = 10.0
"""Largest factor between a price and the median, either way."""

_NOISE: Final = 1e-9
"""Relative difference of amounts that is only rounding of binary numbers."""


class Reason(StrEnum):
    """Why a price cannot be right; each is a key of `price_remark` in `strings/`."""

    SPOT_ABOVE = "spot-above-on-demand"
    TWO_RATES = "two-rates"
    TWO_SIZES = "one-price-two-sizes"
    FAR = "far-from-median"


WANTED: Final[Mapping[Reason, str]] = {
    Reason.SPOT_ABOVE: "wanted a spot price of at most the price on demand",
    Reason.TWO_RATES: "wanted one rate for one machine on one day: whatever it trains, an hour of "
    "it costs the same",
    Reason.TWO_SIZES: "wanted a price that grows with the number of accelerators",
    Reason.FAR: "wanted a tenth to tenfold of what providers usually ask for that accelerator on "
    "these terms in that year",
}


@dataclass(frozen=True, slots=True)
class PriceWarning:
    """A reason against a price, and the ids of the prices that it contradicts."""

    reason: Reason
    against: tuple[str, ...]


def price_warnings(
    prices: Iterable[Price], systems: Mapping[str, System]
) -> dict[str, tuple[PriceWarning, ...]]:
    """Returns the prices that cannot be right, by id, with all reasons."""
    known = list(prices)
    found: dict[str, list[PriceWarning]] = defaultdict(list)
    for reason, against in (
        (Reason.SPOT_ABOVE, _spot_above(known)),
        (Reason.TWO_RATES, _two_rates(known)),
        (Reason.TWO_SIZES, _two_sizes(known, systems)),
        (Reason.FAR, _far(known, systems)),
    ):
        for price, others in against:
            ids = tuple(sorted(other.price_id for other in others))
            found[price.price_id].append(PriceWarning(reason, ids))
    return {name: tuple(warnings) for name, warnings in found.items()}


def _kind(price: Price, systems: Mapping[str, System]) -> str | None:
    system = systems.get(price.system)
    return system.hardware if system else price.hardware


Pairs = Iterator[tuple[Price, Sequence[Price]]]


_SOLD: Final = attrgetter(
    "provider", "offer", "system", "hardware", "accelerators", "currency", "includes", "workload"
)
_MACHINE: Final = attrgetter(
    "source", "provider", "offer", "system", "hardware", "accelerators", "region", "kind",
    "currency", "per", "term_months", "upfront", "includes", "valid_from",
)  # fmt: skip
_TERMS: Final = attrgetter(
    "source", "provider", "region", "kind", "currency", "per", "amount", "term_months", "upfront",
    "includes", "workload", "valid_from",
)  # fmt: skip
"""Fields in which offers must agree to be compared."""


def _spot_above(prices: Iterable[Price]) -> Pairs:
    """Finds spot prices above the same offer's price on demand in that place on that day."""
    usual: dict[object, list[Price]] = defaultdict(list)
    spots: dict[object, list[Price]] = defaultdict(list)
    for price in filter(by_time, prices):
        if price.kind in {PriceKind.ON_DEMAND, PriceKind.SPOT}:
            (usual if price.kind is PriceKind.ON_DEMAND else spots)[_SOLD(price)].append(price)
    for sold, own in spots.items():
        for price in own:
            there = _there(price, usual[sold])
            if there is not None and per_hour(price) > per_hour(there) * (1 + _NOISE):
                yield price, [there]


def _there(spot: Price, usual: Iterable[Price]) -> Price | None:
    """Returns the price on demand on a spot price's day, in its zone or the zone's region."""
    places = (spot.region, _ZONE.sub("", spot.region) if spot.region else None)
    day = spot.valid_from or date.min
    held = [
        price
        for price in usual
        if price.region in places
        and (price.valid_from or date.min) <= day
        and (price.valid_to is None or price.valid_to >= day)
        and (price.valid_from is None) == (spot.valid_from is None)
    ]

    def nearest(price: Price) -> tuple[bool, date, str]:
        return price.region == spot.region, price.valid_from or date.min, price.price_id

    return max(held, key=nearest, default=None)


def _two_rates(prices: Iterable[Price]) -> Pairs:
    """Finds prices of one source for one machine on one day that differ by more than rounding."""
    machines: dict[object, list[Price]] = defaultdict(list)
    for price in filter(by_time, prices):
        if price.bound is Bound.EQ:
            machines[_MACHINE(price)].append(price)
    for offers in machines.values():
        for price in offers:
            others = [
                other
                for other in offers
                if abs(other.amount - price.amount) > (_half(price) + _half(other)) * (1 + _NOISE)
            ]
            if others:
                yield price, others


def _half(price: Price) -> float:
    return 0.5 * 10.0**-price.decimals


def _two_sizes(prices: Iterable[Price], systems: Mapping[str, System]) -> Pairs:
    """Finds the same price for different numbers of accelerators of one kind, without a host."""
    sold: dict[object, list[Price]] = defaultdict(list)
    for price in filter(by_time, prices):
        kind = _kind(price, systems)
        if kind is not None and "host" not in price.includes:
            sold[kind, _TERMS(price)].append(price)
    for offers in sold.values():
        for price in offers:
            if others := [other for other in offers if other.accelerators != price.accelerators]:
                yield price, others


def _far(prices: Iterable[Price], systems: Mapping[str, System]) -> Pairs:
    """Finds prices far from the year's median on the same terms, with one vote per provider."""
    sold: dict[object, dict[str, list[tuple[float, Price]]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for price in filter(by_time, prices):
        kind = _kind(price, systems)
        if kind is not None and price.valid_from is not None:
            terms = (kind, price.kind, price.term_months, price.currency, price.valid_from.year)
            each = per_hour(price) / price.accelerators
            sold[terms][price.provider].append((each, price))
    for providers in sold.values():
        if len(providers) < _VOTES:
            continue
        usual = median(median(each for each, _ in own) for own in providers.values())
        every = [one for own in providers.values() for one in own]
        nearest = min(every, key=lambda one: (abs(one[0] - usual), one[1].price_id))[1]
        for each, price in every:
            if not usual / _FACTOR <= each <= usual * _FACTOR:
                yield price, [nearest]
