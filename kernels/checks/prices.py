"""Warnings about prices that another recorded price contradicts."""

from collections.abc import Sequence

from kernels import catalog
from kernels.catalog.price_warnings import WANTED, Reason, price_warnings
from kernels.errors import Finding, Severity
from kernels.records import Price
from kernels.store import Archive
from kernels.store.names import place


def check(archive: Archive) -> list[Finding]:
    """Returns a warning for each contradicted price of the archive and the catalogue, by id."""
    known = catalog.load()
    prices = {price.price_id: price for price in (*archive.prices, *known.prices.values())}
    return [
        Finding(
            Severity.WARNING,
            place(price, archive),
            _say(price, [prices[other] for other in warning.against], warning.reason),
        )
        for name, warnings in sorted(price_warnings(prices.values(), known.systems).items())
        for price in [prices[name]]
        for warning in warnings
    ]


def _say(price: Price, others: Sequence[Price], reason: Reason) -> str:
    compared = ", ".join(f"{_amount(other)} of price {other.price_id}" for other in others)
    advice = (
        f"it is shown with this reason and ranks nowhere; look into {price.source}, {price.locator}"
    )
    return f"{reason}: found {_amount(price)} beside {compared}, {WANTED[reason]}; {advice}"


def _amount(price: Price) -> str:
    chips = f" for {price.accelerators} accelerators" if price.accelerators > 1 else ""
    return f"{price.amount:.10g} {price.currency} per {price.per}{chips}"
