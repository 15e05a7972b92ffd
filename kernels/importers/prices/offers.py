"""Makes dated offers of a file's prices: merges zones, refuses placeholders and zeros, sets ids.

An id consists of an offer's distinguishing fields (source, provider, offer, region, terms) and the
day on which the price was seen, so the history of an offer is the rows whose ids differ in the day
alone (`kernels.catalog.price_history`).
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from operator import attrgetter
from typing import Final

from kernels.catalog import Catalog, price_history
from kernels.catalog.price_warnings import Reason, price_warnings
from kernels.importers.base import Refused, lines, place
from kernels.importers.prices.rows import Quote
from kernels.machine.system import slug
from kernels.records import Per, Price
from kernels.tabular import number

MOST_DECIMALS: Final = 6
"""Meaningful decimals of an amount in a catalogue; further ones are floating-point noise."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """Shared by the prices of a file: its name in messages, and the source with its licence."""

    name: str
    source: str
    licence: str


@dataclass(frozen=True, slots=True)
class Offers:
    """The result of a file."""

    prices: tuple[Price, ...]
    refused: tuple[Refused, ...]
    warnings: tuple[str, ...]


def offers(
    sheet: Sheet, found: Iterable[Quote | Refused], known: Catalog, *, whole: bool = False
) -> Offers:
    """Returns the offers of a file, each with its own id, and refused rows. In a `whole` file each
    day lists all offers.
    """
    read = list(found)
    refused = [each for each in read if isinstance(each, Refused)]
    quotes: list[Quote] = []
    for each in read:
        if isinstance(each, Quote):
            why = _unpriced(sheet.name, each)
            if why is None:
                quotes.append(each)
            else:
                refused.append(why)
    flat = set(_flat(quotes))
    refused += [
        Refused(
            "same price for fewer and more chips",
            f"{sheet.name}:{each.line}: {each.column}: found {each.amount} for {each.offer} and "
            "for another number of the same chips, "
            "wanted a price that grows with them; it stands for none",
        )
        for each in quotes
        if each in flat
    ]
    kept = [each for each in quotes if each not in flat]
    prices: dict[str, Price] = {}
    for quote in _merged(kept, sheet.name, refused):
        price = _price(sheet, quote, known)
        first = prices.setdefault(price.price_id, price)
        if first is not price:
            refused.append(_twice(sheet.name, quote, f"{first.amount:g} in {first.locator}"))
    made = tuple(ended(prices.values())) if whole else tuple(prices.values())
    warnings = (*_warnings(sheet.name, kept), *_contradicted(sheet.name, made, known))
    return Offers(made, tuple(refused), warnings)


def ended(prices: Iterable[Price]) -> Iterator[Price]:
    """Yields the prices of whole snapshots that changed, and the last price of an offer that ended,
    with the day on which it was last seen.
    """
    history: dict[str, list[Price]] = defaultdict(list)
    for price in sorted(prices, key=lambda price: price.valid_from or date.min):
        history[price_history.offer_of(price)].append(price)
    newest = max((rows[-1].valid_from or date.min for rows in history.values()), default=date.min)
    for rows in history.values():
        changes = [
            row for at, row in enumerate(rows) if not at or row.amount != rows[at - 1].amount
        ]
        seen = rows[-1].valid_from
        yield from changes[:-1]
        yield replace(changes[-1], valid_to=seen if seen and seen < newest else None)


def _unpriced(name: str, quote: Quote) -> Refused | None:
    """Returns why an amount is no price: 0 means that there is no such offer."""
    if not slug(quote.provider) or not slug(quote.offer):
        text = (
            f"found {quote.offer!r} of {quote.provider!r}, wanted names with Latin letters or "
            "digits; the id is made of them"
        )
        return Refused("no id", f"{name}:{quote.line}: {text}")
    amount = number(quote.amount)
    if amount is not None and amount > 0:
        return None
    at = f"{name}:{quote.line}: {quote.column}: found {quote.amount!r}"
    if amount == 0:
        return Refused(
            "0 stands for no price", f"{at}, which stands for no price; there is no such offer"
        )
    return Refused("no amount", f"{at}, wanted an amount above 0")


def _flat(quotes: Iterable[Quote]) -> Iterator[Quote]:
    """Finds prices of accelerators without a machine that are the same for different numbers of
    them in one place: not real prices.
    """
    counts: dict[tuple[object, ...], dict[int, list[Quote]]] = defaultdict(
        lambda: defaultdict(list)
    )
    for each in quotes:
        if each.instance is None:
            sold = (
                each.provider,
                each.hardware or each.accelerator,
                each.region,
                each.zone,
                each.kind,
                each.term_months,
                each.day,
            )
            counts[*sold, number(each.amount)][each.accelerators].append(each)
    for sizes in counts.values():
        if len(sizes) > 1:
            yield from (each for size in sizes.values() for each in size)


def _offer(quote: Quote) -> tuple[object, ...]:
    return (
        quote.provider,
        quote.telling or quote.offer,
        quote.accelerator,
        quote.accelerators,
        quote.instance,
    )


def _merged(quotes: Iterable[Quote], name: str, refused: list[Refused]) -> Iterator[Quote]:
    """Yields a price per region if zones agree, else per zone; refuses a zone's second price."""
    places: dict[tuple[object, ...], dict[str | None, Quote]] = defaultdict(dict)
    for each in quotes:
        zones = places[*_offer(each), each.region, each.kind, each.term_months, each.day]
        first = zones.setdefault(each.zone, each)
        if number(first.amount) != number(each.amount):
            refused.append(_twice(name, each, f"{first.amount} in line {first.line}"))
    for zones in places.values():
        first = next(iter(zones.values()))
        if len({number(each.amount) for each in zones.values()}) == 1:
            yield replace(first, zone=None)
        else:
            yield from zones.values()


def _twice(name: str, quote: Quote, first: str) -> Refused:
    text = (
        f"{name}:{quote.line}: {quote.column}: found {quote.amount} for an offer that has "
        f"{first}; wanted one price for it"
    )
    return Refused("a second price for one offer", text)


def _price(sheet: Sheet, quote: Quote, known: Catalog) -> Price:
    price = Price(
        price_id="0",
        provider=quote.provider,
        offer=quote.offer
        if quote.hardware or quote.accelerator in quote.offer
        else f"{quote.offer} ({quote.accelerator})",
        system=system_of(quote, known),
        hardware=quote.hardware,
        accelerators=quote.accelerators,
        kind=quote.kind,
        amount=number(quote.amount) or 0.0,
        currency="USD",
        per=quote.per,
        region=quote.zone or quote.region,
        valid_from=quote.day,
        valid_to=None,
        source=sheet.source,
        locator=place(sheet.name, quote.line),
        licence=sheet.licence,
        decimals=decimals(quote.amount),
        term_months=quote.term_months,
        includes=quote.includes,
        note=quote.note,
    )
    return replace(
        price,
        price_id=id_of(price, quote.telling or quote.offer, quote.telling or quote.accelerator),
    )


def decimals(amount: str) -> int:
    """Returns the meaningful decimals of an amount; enough that a tiny one is not shown as 0."""
    written = Decimal(amount)
    exponent = written.as_tuple().exponent
    places = max(0, -exponent) if isinstance(exponent, int) else 0
    return min(places, max(MOST_DECIMALS, 2 - written.adjusted()))


def system_of(quote: Quote, known: Catalog) -> str:
    """Returns the id of the machine: the catalogue's if it lists the provider's, else one made of
    the names.
    """
    listed = [
        each.system
        for each in known.systems.values()
        if quote.instance is not None
        and (each.provider, each.instance, each.accelerators)
        == (quote.provider, quote.instance, quote.accelerators)
    ]
    return listed[0] if len(listed) == 1 else slug(f"{quote.provider} {quote.offer}")


def id_of(price: Price, offer: str, accelerator: str) -> str:
    """Returns the id of an offer with the day; made of names in the file, so that no change of the
    catalogue changes it.
    """
    named, chip = slug(offer), slug(accelerator)
    words = [price.source, price.provider, offer]
    if chip != named:
        counted = price.accelerators == 1 or str(price.accelerators) in re.findall(r"\d+", named)
        words += ["" if counted else f"{price.accelerators}x", "" if chip in named else chip]
    words += [
        price.region or "",
        price.kind.value,
        f"{price.term_months}m" if price.term_months else "",
    ]
    words += [
        "" if price.currency == "USD" else price.currency,
        "" if price.per is Per.HOUR else price.per.value,
        price.workload or "",
    ]
    day = "" if price.valid_from is None else f"{price.valid_from:%Y%m%d}"
    return f"{slug(' '.join(word for word in words if word))}-{day}"


def _warnings(name: str, quotes: Sequence[Quote]) -> Iterator[str]:
    unknown: dict[str, list[int]] = defaultdict(list)
    for each in sorted(quotes, key=attrgetter("line")):
        if each.hardware is None:
            unknown[each.accelerator].append(each.line)
    for word, at in unknown.items():
        said = lines(list(dict.fromkeys(at)))
        yield (
            f"{name}: {said}: {word!r} is not in catalog/hardware.csv; its offers keep that "
            "name, and no machine is priced with them"
        )


def _contradicted(name: str, prices: Iterable[Price], known: Catalog) -> Iterator[str]:
    found = price_warnings(prices, known.systems)
    for reason in Reason:
        against = sorted(
            id_
            for id_, warnings in found.items()
            if any(warning.reason is reason for warning in warnings)
        )
        if against:
            kept = (
                "they are kept and rank nowhere; `kernels check` names what each was compared with"
            )
            yield (
                f"{name}: {reason}: {len(against)} of its prices cannot be right, the first of "
                f"them {against[0]}; {kept}"
            )
