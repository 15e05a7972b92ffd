"""The hourly price of an accelerator since 2022, by provider and terms. A price holds until the
next price of its offer, and not beyond the day on which its source last looked.
"""

from collections import defaultdict
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from itertools import pairwise
from typing import Final

import pandas as pd

from kernels.catalog.cost import by_time, per_hour
from kernels.reading import named
from kernels.records import Price, PriceKind
from site_src.evidence import Evidence
from site_src.tables import COMMON, Row, cell, frame, slug
from site_src.tables.prices import hardware, offered

FIRST: Final = date(2022, 1, 1)
"""The first day drawn: older prices are single figures of articles."""

OTHER_FORMS: Final = frozenset({"pcie", "nvl"})
"""Forms of an accelerator with prices of their own."""

_DAYS_A_YEAR: Final = 365.25
DAY: Final = timedelta(days=1)


@dataclass(frozen=True, slots=True)
class Held:
    """A price with the first and the last day on which it is known to have held."""

    price: Price
    first: date
    last: date


Looks = Mapping[tuple[str, str], date]
"""The last day on which each source is known to have looked at each provider."""


def last_read(prices: Iterable[Price]) -> Looks:
    """The newest day of any price, by source and provider."""
    found: dict[tuple[str, str], date] = {}
    for price in prices:
        who = price.source, price.provider
        for day in filter(None, (price.valid_from, price.valid_to)):
            found[who] = max(found.get(who, day), day)
    return found


def held(prices: Iterable[Price], looked: Looks, after: timedelta = timedelta()) -> list[Held]:
    """The dated prices with their days; unchanged ones hold `after` the last look."""
    found = []
    for offer in offered(price for price in prices if price.valid_from):
        for place in offer.places:
            ends = [price.valid_from for price in place[1:]]
            for price, end in zip(place, [*ends, None], strict=True):
                before = end and end - DAY
                last = before or price.valid_to or looked[price.source, price.provider] + after
                found.append(Held(price, price.valid_from or FIRST, last))
    return found


def changes(found: Iterable[Held]) -> list[date]:
    """The days on which a price begins or ceases to hold, and the last day of all."""
    known = list(found)
    last = max((one.last for one in known), default=FIRST)
    days = {day for one in known for day in (one.first, one.last + DAY) if FIRST <= day <= last}
    return sorted({*days, last} if known else days)


def cheapest(found: Iterable[Held], hourly: Mapping[str, float]) -> list[Held]:
    """The cheapest price of each day; `hourly` has the price of an hour by price id."""
    known = list(found)
    line: list[Held] = []
    for first, end in pairwise(sorted({d for one in known for d in (one.first, one.last + DAY)})):
        there = [one.price for one in known if one.first <= first <= one.last]
        if not there:
            continue
        least = min(there, key=lambda price: (hourly[price.price_id], price.price_id))
        begin = line.pop().first if line and line[-1].price is least else first
        line.append(Held(least, begin, end - DAY))
    return line


def along(day: date) -> float:
    """A day as a year with decimals, its position on an axis of years."""
    return round(day.year + (day.timetuple().tm_yday - 1) / _DAYS_A_YEAR, 3)


def kinds(evidence: Evidence) -> dict[str, list[Price]]:
    """Prices by kind of accelerator, its usual forms included."""
    own: dict[str, list[Price]] = defaultdict(list)
    for price in evidence.archive.prices:
        if kind := hardware(price, evidence.catalog):
            own[kind].append(price)
    found: dict[str, list[Price]] = {}
    for kind, prices in own.items():
        base = min((one for one in own if _usual(evidence, one, kind)), key=len)
        found.setdefault(base, []).extend(prices)
    return found


def _usual(evidence: Evidence, kind: str, variant: str) -> bool:
    words = set(variant.split("-")) - set(kind.split("-"))
    return evidence.catalog.covers(kind, variant) and not words & OTHER_FORMS


def hours(evidence: Evidence, prices: Sequence[Price], warned: Container[str] = ()) -> pd.DataFrame:
    """A row per day on which the cheapest hour changed, by provider and terms."""
    each = {
        price.price_id: per_hour(price) / price.accelerators for price in prices if by_time(price)
    }
    groups: dict[tuple[str, str], list[Held]] = defaultdict(list)
    looked = last_read(evidence.archive.prices)
    sound = [price for price in prices if price.price_id in each and price.price_id not in warned]
    for one in held(sound, looked):
        if one.price.currency == "USD":
            groups[one.price.provider, terms(one.price)].append(one)
    rows = [
        _row(evidence, price, day)
        | {"series": slug(provider), "label": provider, "system": slug(provider), "terms": said}
        | {"hourly": cell(evidence.facts, f"price:{price.price_id}:per_accelerator_hour")}
        for (provider, said), found in sorted(groups.items())
        for points in [_points(cheapest(found, each))]
        if len(points) > 1  # seen on one day alone it is no history
        for day, price in points.items()
    ]
    return frame(rows)


def _points(line: Sequence[Held]) -> dict[date, Price]:
    """The cheapest price by each day that changes it, from `FIRST`, and by the last day."""
    shown = {max(one.first, FIRST): one.price for one in line if one.last >= FIRST}
    return shown | {one.last: one.price for one in line[-1:]}


def terms(price: Price) -> str:
    """The terms of a price as a word: its kind, and the months of a commitment."""
    return f"{price.kind}_{price.term_months}" if price.term_months else str(price.kind)


ON_DEMAND: Final = str(PriceKind.ON_DEMAND)


def _row(evidence: Evidence, price: Price, day: date) -> Row:
    source = named(evidence.archive.sources, "source").get(price.source)
    return {
        **dict.fromkeys(COMMON),
        "origin": "imported",
        "status": "ok",
        "source": price.source,
        "locator": price.locator,
        "licence": price.licence,
        "credit": source.credit if source else None,
        "day": day.isoformat(),
        "along": along(day),
        "offer": price.offer,
        "region": price.region,
        "price_id": price.price_id,
    }
