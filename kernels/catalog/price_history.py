"""History of offers: a changed price is a new row with its day; recorded rows are never rewritten.

The price of an offer on a day is that of the newest row up to that day. A snapshot adds a row only
where the amount changed; so importing it again adds nothing, an unchanged price keeps the day when
it was first seen, and older snapshots may be imported later.
"""

import math
import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date
from typing import Final

from kernels.records import Price

_DAY: Final = re.compile(r"-\d{8}$")
_SAME: Final = 1e-9


@dataclass(frozen=True, slots=True)
class Joined:
    """All rows, the new ones, and pairs of a recorded row and one that contradicts it."""

    prices: tuple[Price, ...]
    fresh: tuple[Price, ...]
    contradictions: tuple[tuple[Price, Price], ...]


def offer_of(price: Price) -> str:
    """Returns the id without the day, which the rows of one offer share."""
    return _DAY.sub("", price.price_id)


def joined(before: Iterable[Price], found: Iterable[Price]) -> Joined:
    """Adds the new prices of an import to the recorded ones; floating-point noise is no change."""
    kept = {price.price_id: price for price in before}
    history: dict[str, list[Price]] = defaultdict(list)
    for price in sorted(kept.values(), key=_day):
        history[offer_of(price)].append(price)
    fresh: list[Price] = []
    contradictions: list[tuple[Price, Price]] = []
    for price in sorted(found, key=_day):
        rows = history[offer_of(price)]
        at = bisect_right(rows, _day(price), key=_day)
        if at and math.isclose(rows[at - 1].amount, price.amount, rel_tol=_SAME):
            continue
        if price.price_id in kept:
            contradictions.append((kept[price.price_id], price))
            continue
        rows.insert(at, price)
        kept[price.price_id] = price
        fresh.append(price)
    return Joined(tuple(kept[name] for name in sorted(kept)), tuple(fresh), tuple(contradictions))


def _day(price: Price) -> date:
    return price.valid_from or date.min
