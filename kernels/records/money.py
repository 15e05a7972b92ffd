"""Offers, electricity tariffs and exchange rates, each of a day."""

import math
from datetime import date

from kernels.errors import RecordError
from kernels.records.fields import (
    check_currency,
    check_decimals,
    check_finite,
    check_id,
    described,
    licensed,
    record,
)
from kernels.records.terms import Bound, Per, PriceKind


@record
class Price:
    """A dated offer."""

    price_id: str = described("Name of the offer, unique.")
    provider: str = described("Who offers.")
    offer: str = described("Name of the offer as the provider gives it.")
    system: str = described("Id of the system that is offered, as in `catalog/systems.csv`.")
    accelerators: int = described("Accelerator chips that the amount buys.", "chips")
    kind: PriceKind = described("Terms of the offer.")
    amount: float = described("What is paid per `per`; 0 for a free offer alone.", "(currency)")
    currency: str = described("ISO 4217 code.")
    per: Per = described("What the amount buys: a second, an hour, a month, or the thing itself.")
    region: str | None = described(
        "Region that the price holds in; null where the source names none."
    )
    valid_from: date | None = described(
        "Day on which the price was seen; null where the source prints none.", "day"
    )
    valid_to: date | None = described("Last day on which it is known to have held.", "day")
    source: str = described("Id of the source that states the price.")
    locator: str = described("Place in the source.")
    licence: str = licensed("price")
    bound: Bound = described(
        "How the printed amount is to be read: as it stands, about, less than, more than.",
        default=Bound.EQ,
    )
    decimals: int = described("Decimals as printed.", "1", default=2)
    term_months: int | None = described(
        "Length of the commitment; null without one.", "months", default=None
    )
    upfront: float | None = described("What is paid before the term.", "(currency)", default=None)
    includes: tuple[str, ...] = described(
        "What the amount covers as far as the source says: `accelerator`, `host`, `storage`, "
        "`traffic`.",
        default=(),
    )
    tax: str | None = described(
        "Whether tax is in the amount: `included`, `excluded`; null where the source does not say.",
        default=None,
    )
    granularity_s: int | None = described(
        "Time is billed in whole multiples of this.", "s", default=None
    )
    session_limit_s: int | None = described(
        "Longest session that the offer allows.", "s", default=None
    )
    preparation_s: int | None = described(
        "Time that is paid for before training starts.", "s", default=None
    )
    note: str | None = described(
        "What else a reader must know: remarks by their keys, with spaces between them.",
        default=None,
    )
    workload: str | None = described(
        "Id of the workload that the source prints this price for; null where it holds for any.",
        default=None,
    )
    hardware: str | None = described(
        "Id of the kind of accelerator, for a machine that is in no catalogue; null where the "
        "system says it.",
        default=None,
    )

    def __post_init__(self) -> None:
        check_id("price_id", self.price_id)
        for name in ("source", "system"):
            check_id(f"price {self.price_id}: {name}", getattr(self, name))
        check_currency(f"price {self.price_id}", self.currency)
        check_finite(f"price {self.price_id}", amount=self.amount)
        check_decimals(f"price {self.price_id}", self.decimals)
        if self.amount < 0 or (self.amount == 0) != (self.kind is PriceKind.FREE):
            raise RecordError(
                f"price {self.price_id}: amount {self.amount} with kind {self.kind}; 0 stands for "
                "free alone"
            )

    @property
    def notes(self) -> list[str]:
        """Keys of notes for readers."""
        return (self.note or "").split()


@record
class Tariff:
    """A dated price of a kilowatt-hour in a region, all charges included."""

    tariff_id: str = described("Name of the tariff, unique.")
    region: str = described("Region that it holds in.")
    amount: float = described("Price of one kilowatt-hour.", "(currency)")
    currency: str = described("ISO 4217 code.")
    valid_from: date = described("First day of the time that the amount is of.", "day")
    valid_to: date | None = described(
        "Last day of it; null where the source gives one day alone.", "day"
    )
    source: str = described("Id of the source that states the tariff.")
    locator: str = described("Place in the source.")
    licence: str = licensed("tariff")
    note: str | None = described("What else a reader must know.", default=None)

    def __post_init__(self) -> None:
        check_id("tariff_id", self.tariff_id)
        check_id(f"tariff {self.tariff_id}: source", self.source)
        check_currency(f"tariff {self.tariff_id}", self.currency)
        if not (self.amount > 0 and math.isfinite(self.amount)):
            raise RecordError(
                f"tariff {self.tariff_id}: amount {self.amount}, wanted more than 0 for a "
                "kilowatt-hour"
            )


@record
class Rate:
    """Value of one unit of `base` in `quote` on a day."""

    base: str = described("ISO 4217 code of the currency of which one unit is valued.")
    quote: str = described("ISO 4217 code of the currency in which it is valued.")
    rate: float = described("Units of `quote` for one unit of `base`.", "1")
    day: date = described("Day that the rate is of.", "day")
    source: str = described("Id of the source that states the rate.")
    locator: str = described("Place in the source.")
    licence: str = licensed("rate")

    def __post_init__(self) -> None:
        check_id(f"rate {self.base}/{self.quote} of {self.day}: source", self.source)
        for currency in (self.base, self.quote):
            check_currency(f"rate {self.base}/{self.quote} of {self.day}", currency)
        check_finite(f"rate {self.base}/{self.quote} of {self.day}", rate=self.rate)
