"""Two accelerators or systems compared: the references of the figures on their page, the prices
offered on the same day, and which systems have a page.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from datetime import date
from itertools import combinations
from typing import Final

from kernels.analysis.pairs import BETWEEN, Grouped, Pair, Submission, named, pair
from kernels.catalog import Catalog
from kernels.records import Price, PriceKind
from site_src.tables.prices import per_accelerator_hour

QUANTITIES: Final = (
    "peak_tensor_fp16",
    "peak_fp8",
    "peak_fp32",
    "memory",
    "memory_bandwidth",
    "power",
)
"""Specifications shown beside measured ratios."""

CURRENCY: Final = "USD"

SHARED: Final = 4
"""Workloads that two systems of one submitter must share to have a page; the browser makes others.
"""

Daily = Mapping[date, Mapping[str, Price]]
"""The cheapest price of each provider by the day on which it was seen."""


def reference(fast: str, base: str, workload: str, what: str) -> str:
    """The reference to two results of a workload: the `ratio` of the times `fast` and `base`, or
    the `number` of accelerators.
    """
    return f"pair:{fast}{BETWEEN}{base}:{workload}:{what}"


def cost(minutes: str, number: str, price: Price) -> str:
    """The reference to the cost of a run at a price per accelerator-hour, from the references of
    its time and of its number of accelerators.
    """
    hour = f"product(price:{price.price_id}:per_accelerator_hour, {number})"
    return f"cost_of_minutes({minutes}, {hour})"


def by_day(prices: Iterable[Price]) -> dict[date, dict[str, Price]]:
    """The cheapest on-demand accelerator-hour by day and provider."""
    paid = [
        (hour, price)
        for price in prices
        if price.kind is PriceKind.ON_DEMAND
        and price.currency == CURRENCY
        and (hour := per_accelerator_hour(price))
    ]
    found: dict[date, dict[str, Price]] = {}
    for _, price in sorted(paid, key=lambda one: (one[0], one[1].price_id)):
        if price.valid_from:
            found.setdefault(price.valid_from, {}).setdefault(price.provider, price)
    return found


def same_day(a: Daily, b: Daily) -> tuple[Price, Price] | None:
    """A price of each on the newest day on which one provider offered both, the lowest pair of
    several; else the cheapest of each on the newest day that both have.
    """
    days = sorted(a.keys() & b.keys(), reverse=True)
    for day in days:
        if shared := a[day].keys() & b[day].keys():
            hours = {name: _hour(a[day][name]) + _hour(b[day][name]) for name in shared}
            provider = min(shared, key=lambda name: (hours[name], name))
            return a[day][provider], b[day][provider]
    if not days:
        return None
    newest = days[0]
    cheapest = [
        min(one[newest].values(), key=lambda price: (_hour(price), price.price_id))
        for one in (a, b)
    ]
    return cheapest[0], cheapest[1]


def _hour(price: Price) -> float:
    return per_accelerator_hour(price) or 0.0


def specifications(catalog: Catalog, a: str, b: str) -> list[str]:
    """The quantities of which both have a known figure."""
    return [
        name
        for name in QUANTITIES
        if all(
            (spec := catalog.spec(id_, name)) is not None and spec.value is not None
            for id_ in (a, b)
        )
    ]


def most_results(pairs: Mapping[str, Pair]) -> list[str]:
    """The names of pairs, those with the most comparable workloads first."""

    def rank(name: str) -> tuple[int, int, int, str]:
        found = pairs[name]
        comparable = sum(match.told is not None for match in found)
        return (
            -sum(match.basis is found[0].basis for match in found) * (found[0].told is not None),
            -comparable,
            -len(found),
            name,
        )

    return sorted(pairs, key=rank)


def of_systems(best: Grouped, catalogued: Collection[str]) -> dict[str, Pair]:
    """The pairs of systems that have a page: catalogued ones that share a workload, and those with
    different numbers of one submitter's accelerators and `SHARED` workloads.
    """
    curated = combinations(sorted(best.keys() & set(catalogued)), 2)
    wanted = {
        *((a, b) for a, b in curated if best[a].keys() & best[b].keys()),
        *_in_other_numbers(best),
    }
    return {named(a, b): pair(best, a, b) for a, b in sorted(wanted)}


def _in_other_numbers(best: Grouped) -> Iterator[tuple[str, str]]:
    kinds: defaultdict[object, list[Submission]] = defaultdict(list)
    for side in (side for own in best.values() for some in own.values() for side in some):
        score = side.score
        kinds[score.submitter, score.round, side.accelerator, side.workload, side.targets].append(
            side
        )
    shared = Counter(
        (tuple(sorted((one.score.system, other.score.system))), one.score.round)
        for found in kinds.values()
        for one, other in combinations(found, 2)
        if one.number != other.number
    )
    yield from sorted({(a, b) for ((a, b), _), count in shared.items() if count >= SHARED})
