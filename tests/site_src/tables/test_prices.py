"""Offers as lists show them: places and history in one line, the cheapest accelerator's hour."""

from dataclasses import replace
from datetime import date

from kernels import catalog
from kernels.records import Per, PriceKind
from site_src.tables.prices import by_accelerator, cheapest, offered, per_accelerator_hour
from tests.makers import make_price

RENT = make_price(
    "rent-us-20260101",
    provider="Acme",
    offer="big",
    system="acme-big",
    accelerators=4,
    amount=8.0,
    region="us-east1",
    valid_from=date(2026, 1, 1),
    source="some-source",
    locator="line 1",
    licence="CC0-1.0",
    hardware="t4",
)
LATER = replace(RENT, price_id="rent-us-20260301", amount=6.0, valid_from=date(2026, 3, 1))
EUROPE = replace(RENT, price_id="rent-eu-20260101", amount=7.0, region="europe-west4")
SPOT = replace(RENT, price_id="spot-us-20260101", kind=PriceKind.SPOT, amount=2.0)


def test_places_and_days_of_one_offer_are_one_line() -> None:
    """The newest price of the cheapest place stands for it; other terms are another offer."""
    first, other = offered([LATER, EUROPE, SPOT, RENT])

    assert first.price is LATER
    assert first.newest == [LATER, EUROPE]
    assert (first.earlier, first.last_day) == (1, date(2026, 3, 1))
    assert other.places == ((SPOT,),)


def test_undated_prices_have_no_history() -> None:
    """Two rows without a day are two offers: nothing says which came first."""
    assert len(offered([replace(RENT, valid_from=None), replace(LATER, valid_from=None)])) == 2


def test_the_cheapest_hour_is_that_of_one_accelerator_on_demand() -> None:
    """None that is no longer in force; spot only where nothing is on demand."""
    euros = replace(SPOT, price_id="spot-eur", currency="EUR", amount=1.0)
    bought = replace(RENT, price_id="bought", kind=PriceKind.OWNED, per=Per.PURCHASE, amount=0.5)

    assert cheapest(offered([RENT, LATER, EUROPE, SPOT, euros, bought])) == [LATER]
    assert cheapest(offered([SPOT, euros, bought])) == [euros, SPOT]
    assert per_accelerator_hour(LATER) == 1.5
    assert per_accelerator_hour(replace(LATER, per=Per.MONTH, amount=2920.0)) == 1.0
    assert per_accelerator_hour(bought) is None


def test_kinds_stand_by_name_and_what_no_catalogue_knows_last() -> None:
    """Within a kind the cheapest hour comes first, and what is bought last."""
    unknown = replace(RENT, price_id="unknown", hardware=None, offer="odd")
    listed = replace(
        RENT, price_id="listed", hardware=None, system="gcp-t4", offer="listed", amount=1.0
    )
    bought = replace(RENT, price_id="bought", kind=PriceKind.OWNED, per=Per.PURCHASE, offer="card")

    found = by_accelerator(offered([unknown, bought, LATER, listed]), catalog.load())

    assert [(kind, [offer.price.price_id for offer in offers]) for kind, offers in found] == [
        ("t4", ["listed", "rent-us-20260301", "bought"]),
        (None, ["unknown"]),
    ]
