"""The offers that fit a run, and those taken in the first answer and at the prices of a day."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import Final

from kernels.catalog import cost
from kernels.catalog.cost import by_time
from kernels.catalog.exchange import rate_day
from kernels.catalog.price_warnings import PriceWarning
from kernels.reading import Kept, distinct
from kernels.records import Per, Price, PriceKind, Run, Source
from site_src.costs.question import Offer, offer_of
from site_src.costs.setup import Span
from site_src.evidence import Evidence
from site_src.tables import fits, price_history
from site_src.tables.prices import Read, by_year, hardware, years_read

Warned = Mapping[str, Sequence[PriceWarning]]
"""Why prices cannot be right, by their ids (`catalog.price_warnings`)."""

OTHER: Final = "other-machine"

LATER: Final = timedelta(days=2 * 365)
"""A price this long after a run is remarked on as of another time."""

RECENT: Final = 1
"""Years behind the newest prices within which another machine's is in the first answer."""

KNOWN: Final = timedelta(days=365)
"""How long a price holds after its source last looked."""


class Shop:
    """All offers, indexed by system and kind of accelerator.

    Attributes:
        read: The years in which each source looked at each provider.
        looked: The last day on which it did.
    """

    def __init__(self, evidence: Evidence) -> None:
        known = evidence.catalog
        prices = (*known.prices.values(), *evidence.archive.prices)
        # plain dictionaries, not ones that note what is read: all of it was read, now and at once
        self.catalog = replace(
            known, systems=dict(known.systems.items()), prices=dict(known.prices.items())
        )
        self.read = years_read(prices)
        self.looked = price_history.last_read(prices)
        self._cheapest: dict[object, tuple[Span, ...]] = {}
        self._fitting: Kept[object, list[Price]] = Kept()
        self._measured = set(distinct(evidence.archive.runs, "system"))
        self.prices = tuple({price.price_id: price for price in prices}.values())
        self._by_system: dict[str, list[int]] = defaultdict(list)
        self._by_kind: dict[str, list[int]] = defaultdict(list)
        for place, price in enumerate(self.prices):
            self._by_system[price.system].append(place)
            if kind := hardware(price, self.catalog):
                self._by_kind[kind].append(place)

    def fitting(self, run: Run) -> list[Price]:
        """The offers that fit a run, in catalogue order."""

        def fitting() -> list[Price]:
            found = {*self._by_system[run.system]}
            for kind, places in self._by_kind.items():
                if run.accelerator and self.catalog.covers(kind, run.accelerator):
                    found |= {*places}
            offered = [self.prices[place] for place in sorted(found)]
            return [price for price in offered if fits(price, run, self.catalog, self._measured)]

        of = run.system, run.workload, run.accelerator, run.accelerators
        return self._fitting.get(of, fitting)

    def cheapest(
        self, prices: Sequence[Price], accelerators: int | None, warned: Warned
    ) -> tuple[Span, ...]:
        """The cheapest on-demand offer of each day, per currency."""
        offered = [
            price
            for price in prices
            if price.kind is PriceKind.ON_DEMAND and by_time(price) and price.price_id not in warned
        ]
        key = accelerators, tuple(price.price_id for price in offered)
        if key not in self._cheapest:
            hourly = {price.price_id: _hourly(price, accelerators) for price in offered}
            found = price_history.held(offered, self.looked, KNOWN)
            self._cheapest[key] = tuple(
                Span(one.first, one.last, one.price.price_id)
                for currency in sorted({price.currency for price in offered})
                for one in price_history.cheapest(
                    (one for one in found if one.price.currency == currency), hourly
                )
            )
        return self._cheapest[key]


def _hourly(price: Price, accelerators: int | None) -> float:
    return cost.pieces(accelerators or 1, price.accelerators) * cost.per_hour(price)


def cheapest(
    prices: Sequence[Price], run: Run, read: Read, warned: Warned, days: Sequence[Span]
) -> tuple[list[Price], tuple[str, ...]]:
    """The offers without those of other machines that are never the cheapest, neither on some day
    nor on their terms in the newest year that has any; and the ids of the cheapest in that year.
    """
    newest: dict[tuple[PriceKind, int | None, str], str] = {}
    others = [price for price in prices if price.valid_from and not compared(price, run)]
    for choice in by_year(others, {}, read).values():
        best: dict[tuple[PriceKind, int | None, str], tuple[bool, float, str]] = {}
        for price in filter(by_time, choice):
            order = price.price_id in warned, _hourly(price, run.accelerators), price.price_id
            terms = price.kind, price.term_months, price.currency
            best[terms] = min(best.get(terms, order), order)
        for terms, (_, _, id_) in best.items():
            newest.setdefault(terms, id_)
    dropped = {price.price_id for price in others} - set(newest.values())
    dropped -= {span.offer for span in days}
    return [one for one in prices if one.price_id not in dropped], tuple(sorted(newest.values()))


def days(
    prices: Sequence[Price],
    run: Run,
    shop: Shop,
    sources: Mapping[str, Source],
    warned: Warned,
) -> tuple[Span, ...]:
    """The offers taken at the prices of a day: all of the run's own system and source, and of the
    others the cheapest on demand, in each currency.

    An undated price has the day of its source.
    """
    own = [price for price in prices if compared(price, run)]
    found = [
        Span(one.first, one.last, one.price.price_id)
        for one in price_history.held(own, shop.looked, KNOWN)
    ]
    found += [
        Span(day, day + KNOWN, price.price_id)
        for price in own
        if not price.valid_from and (day := rate_day(price, sources))
    ]
    others = [price for price in prices if not compared(price, run)]
    return tuple(sorted(found)) + shop.cheapest(others, run.accelerators, warned)


def compared(price: Price, run: Run) -> bool:
    """Returns True if an offer is for the run's own system, or comes from the run's source."""
    return price.system == run.system or price.source == run.source


def newest(
    prices: Sequence[Price], run: Run, offers: Sequence[Offer], read: Read
) -> tuple[str, ...]:
    """Ids of the offers in the first answer.

    Rented, bought and free offers do not replace one another; in each kind the newest year counts,
    from any source; for other machines only a recent one. An undated price counts only if there is
    no dated one.
    """
    by_id = {offer.id: offer for offer in offers}
    recent = max((year for known in read.values() for year in known), default=0) - RECENT
    found = set[str]()
    for way in (by_time, _bought, _free):
        own = [price for price in prices if way(price)]
        dated = [price for price in own if price.valid_from is not None]
        undated = [price for price in own if price.valid_from is None]
        days = {price.price_id: by_id[price.price_id].rate_day for price in undated}
        timeless = [price for price in undated if days[price.price_id] is None]
        choices = [
            *(
                [price for price in choice if year >= recent or compared(price, run)]
                for year, choice in by_year(dated, days, read).items()
            ),
            *by_year(undated, days, read).values(),
            timeless,
        ]
        found |= next((taken for choice in choices if (taken := _taken(choice, run, by_id))), set())
    return tuple(sorted(found))


def _taken(prices: Iterable[Price], run: Run, offers: Mapping[str, Offer]) -> set[str]:
    """The offers of one year: all of the run's own system and source; of the others, such as a
    catalogue's regions, the cheapest on demand in each currency.
    """
    taken, least = set[str](), dict[str, tuple[float, str]]()
    for price in prices:
        if price.price_id not in offers:  # another is cheaper
            continue
        hourly = offers[price.price_id].hourly
        if compared(price, run):
            taken.add(price.price_id)
        elif (
            price.valid_from
            and price.kind is PriceKind.ON_DEMAND
            and hourly is not None
            and not offers[price.price_id].doubtful
        ):
            mine = hourly, price.price_id
            least[price.currency] = min(least.get(price.currency, mine), mine)
    return taken | {id_ for _, id_ in least.values()}


def _bought(price: Price) -> bool:
    return price.per is Per.PURCHASE and price.kind is not PriceKind.FREE


def _free(price: Price) -> bool:
    return price.kind is PriceKind.FREE


def offers(
    prices: Sequence[Price], run: Run, sources: Mapping[str, Source], warned: Warned
) -> list[Offer]:
    """The prices as offers for a run's costs, with their remarks."""
    day = ran(run, sources)
    made = []
    for price in prices:
        said: list[str] = [each.reason for each in warned.get(price.price_id, ())]
        said += [OTHER] if price.system != run.system else []
        # A100 without its form
        formless = None not in (price.hardware, run.accelerator)
        said += ["form-not-named"] if formless and price.hardware != run.accelerator else []
        later = price.valid_from and day and price.valid_from - day > LATER
        said += ["later-price"] if later else []
        rated = rate_day(price, sources)
        made.append(offer_of(price, accelerators=run.accelerators, rate_day=rated, remarks=said))
    return made


def ran(run: Run, sources: Mapping[str, Source]) -> date | None:
    """The day of a run, or of its source; None if unknown."""
    if run.started_at:
        return run.started_at.date()
    source = sources.get(run.source)
    return (source.published or source.published_about) if source else None
