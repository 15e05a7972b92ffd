"""The cost of reaching a quality at each offer that fits: the rows of the cost tables of pages, and
of `api/v1/costs.json`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

from kernels.catalog.price_warnings import Reason
from kernels.records import Price, Rate
from site_src.costs.answers import Asked, answers
from site_src.costs.question import REMARKS, By, Offer, Row, sign
from site_src.costs.setup import Case, Setup
from site_src.costs.shop import compared
from site_src.costs.targets import COLLAPSED, named

CURRENCIES: Final = ("EUR", "JPY", "USD")
"""Currencies always offered in a table, beside those of the offers."""


@dataclass(frozen=True, slots=True)
class Bill:
    """One setup, one quality, one offer: `case` asks for it in the offer's currency, `row` answers;
    `others` in other currencies, if a rate of the day is known.
    """

    case: Case
    setup: Setup
    price: Price
    row: Row
    others: Mapping[str, Row]


def bills(
    cases: Iterable[Case], rates: Sequence[Rate], today: date, currencies: Sequence[str] = ()
) -> list[Bill]:
    """A bill for each setup, each quality that it aimed at and reached, and each offer of `asked`;
    with amounts in these other `currencies`.
    """
    wanted = [
        (_about(case, target, offer.currency), setup, price, offer)
        for case in cases
        for setup in case.setups
        for target in targets(case, setup)
        for price, offer in asked(setup)
    ]
    questions = [
        Asked(replace(case.question, currency=name), [(setup.candidate, sound)])
        for case, setup, _, offer in wanted
        for sound in [
            replace(
                offer, remarks=tuple(key for key in offer.remarks if key not in _against(offer))
            )
        ]
        for name in _named(offer, currencies)
    ]
    rows = iter(answers(questions, rates, today))
    found = []
    for case, setup, price, offer in wanted:
        told = {
            name: replace(row, offer=offer, remarks=(*_against(offer), *row.remarks))
            for name in _named(offer, currencies)
            for row in next(rows)
        }
        own = told.pop(offer.currency)
        if own.cost is not None:
            known = {name: row for name, row in told.items() if row.cost is not None}
            found.append(Bill(case, setup, price, own, known))
    return found


def _about(case: Case, target: float, currency: str) -> Case:
    question = replace(case.question, target=target, currency=currency, by=By.COST)
    return replace(case, question=question)


def _named(offer: Offer, currencies: Sequence[str]) -> list[str]:
    return [offer.currency, *(name for name in currencies if name != offer.currency)]


def _against(offer: Offer) -> list[str]:
    return [key for key in REMARKS if key in offer.remarks and key in frozenset(Reason)]


def targets(case: Case, setup: Setup) -> list[float]:
    """The qualities that a setup's runs aimed at and reached, easiest first; else the final one of
    all, unless they collapsed, as its price interests nobody.
    """
    direction = case.question.direction
    by, ends = sign(direction), setup.ends(direction)
    wanted = named(setup.runs, case.workload.metric)
    if wanted:
        reached = (value for value in wanted if any(end >= by * value for end in ends))
        return sorted(reached, key=lambda value: by * value)
    best = max(end for each in case.setups for end in each.ends(direction))
    collapsed = by > 0 and ends and min(ends) < best / COLLAPSED
    return [by * min(ends)] if ends and not collapsed else []


def asked(setup: Setup) -> list[tuple[Price, Offer]]:
    """The offers of a setup's own machine and source; of others the cheapest on each terms, with a
    doubtful price only if there is no other.
    """
    known = {offer.id: offer for offer in setup.offers}
    own = [price for price in setup.prices if compared(price, setup.run)]
    rest = [price for price in setup.prices if not compared(price, setup.run)]
    least: dict[tuple[str, str], Price] = {}
    for price in rest:
        if price.valid_from and price.price_id not in setup.standing:
            continue
        key = (price.kind, price.currency)
        if key not in least or _least(known[price.price_id]) < _least(known[least[key].price_id]):
            least[key] = price
    found = [*own, *(least[key] for key in sorted(least) if least[key] not in own)]
    return [(price, known[price.price_id]) for price in found]


def _least(offer: Offer) -> tuple[bool, float]:
    return offer.doubtful, offer.hourly if offer.hourly is not None else float("inf")
