"""A price that another one contradicts is doubted, with the other's id; nothing else is."""

from dataclasses import replace
from datetime import date

import pytest

from kernels import catalog, store
from kernels.catalog.price_warnings import PriceWarning, Reason, price_warnings
from kernels.checks.prices import check
from kernels.errors import Severity
from kernels.records import Bound, Per, Price, PriceKind
from kernels.store import Archive
from tests.makers import make_price
from tests.site_src import recorded

DEMAND = make_price(
    "rent-us-20260101",
    provider="Acme",
    offer="big",
    system="acme-big",
    accelerators=4,
    amount=8.0,
    region="us-east-1",
    valid_from=date(2026, 1, 1),
    source="some-source",
    locator="line 1",
    licence="CC0-1.0",
    hardware="t4",
)
SPOT = replace(DEMAND, price_id="spot-us-20260101", kind=PriceKind.SPOT, amount=9.0)
HEAVY = replace(
    DEMAND,
    price_id="heavy",
    workload="resnet101-artists",
    valid_from=None,
    amount=0.004087,
    decimals=6,
    per=Per.SECOND,
)
LIGHT = replace(HEAVY, price_id="light", workload="resnet34-artists", amount=0.002294)
ONE = replace(
    DEMAND,
    price_id="one",
    offer="one",
    system="acme-one",
    accelerators=1,
    includes=("accelerator",),
)
TWO = replace(ONE, price_id="two", offer="two", system="acme-two", accelerators=2)


def doubted(*prices: Price) -> dict[str, tuple[PriceWarning, ...]]:
    """What is against these prices."""
    return price_warnings(prices, {})


def test_a_spot_price_is_at_most_that_on_demand() -> None:
    """The spot price is doubted, not the one that it is held against; an equal one is fine."""
    assert doubted(DEMAND, SPOT) == {
        SPOT.price_id: (PriceWarning(Reason.SPOT_ABOVE, (DEMAND.price_id,)),)
    }
    assert not doubted(DEMAND, replace(SPOT, amount=8.0))


@pytest.mark.parametrize(
    "change",
    [
        {"provider": "Other"},
        {"system": "acme-small"},
        {"region": "us-east-2"},
        {"currency": "EUR"},
        {"accelerators": 8},
        {"includes": ("accelerator",)},
        {"valid_from": date(2026, 1, 2)},
        {"valid_from": date(2025, 1, 1), "valid_to": date(2025, 12, 31)},
        {"kind": PriceKind.UNKNOWN},
    ],
)
def test_only_the_same_offer_there_on_that_day_is_compared(change: dict[str, object]) -> None:
    """Another provider, machine, place, currency, number, cover, time or terms say nothing."""
    assert not doubted(replace(DEMAND, **change), SPOT)  # type: ignore[arg-type]  # fields by name


def test_the_price_on_demand_is_the_one_in_force() -> None:
    """The newest up to the day of the spot price, and of its zone before that of the region."""
    later = replace(DEMAND, price_id="later", amount=10.0, valid_from=date(2026, 2, 1))
    zone = replace(DEMAND, price_id="zone", amount=10.0, region="us-east-1a")

    assert SPOT.price_id in doubted(DEMAND, later, SPOT)
    assert not doubted(DEMAND, later, replace(SPOT, valid_from=date(2026, 2, 1)))
    assert SPOT.price_id in doubted(DEMAND, replace(SPOT, region="us-east-1a"))
    assert not doubted(DEMAND, zone, replace(SPOT, region="us-east-1a"))


def test_one_machine_has_one_rate() -> None:
    """Two rates beside two trainings are doubted; rounding is no difference, nor two days."""
    day, other = date(2026, 1, 1), date(2026, 1, 2)

    assert doubted(HEAVY, LIGHT) == {
        "heavy": (PriceWarning(Reason.TWO_RATES, ("light",)),),
        "light": (PriceWarning(Reason.TWO_RATES, ("heavy",)),),
    }
    assert not doubted(replace(HEAVY, amount=0.000062), replace(LIGHT, amount=0.000061))
    assert not doubted(replace(HEAVY, valid_from=day), replace(LIGHT, valid_from=other))
    assert not doubted(HEAVY, replace(LIGHT, bound=Bound.APPROX))


def test_a_price_grows_with_the_number_of_accelerators() -> None:
    """One price for one and two is doubted; machines around them may differ, kinds do."""
    hosts = [replace(price, includes=("accelerator", "host")) for price in (ONE, TWO)]

    assert doubted(ONE, TWO) == {
        "one": (PriceWarning(Reason.TWO_SIZES, ("two",)),),
        "two": (PriceWarning(Reason.TWO_SIZES, ("one",)),),
    }
    assert not doubted(*hosts)
    assert not doubted(ONE, replace(TWO, hardware="v100"))
    assert not doubted(ONE, replace(TWO, hardware=None))


def test_the_catalogue_has_two_machines_with_two_rates_each() -> None:
    """EUR 14.71 and 8.26 an hour for one T4, 1.54 and 1.96 for one K80; HOSTKEY's are near."""
    known = catalog.load()
    found = price_warnings(known.prices.values(), known.systems)

    assert sorted(found) == [
        "aws-p2.xlarge-resnet101",
        "aws-p2.xlarge-resnet34",
        "gcp-t4-resnet101",
        "gcp-t4-resnet34",
    ]
    assert {doubt.reason for doubts in found.values() for doubt in doubts} == {Reason.TWO_RATES}


def test_the_imported_tpu_prices_have_six_spot_prices_above_those_on_demand() -> None:
    """Of the v2 in Europe, of its pods in two places, of the v3 and its pods, and of the v4."""
    found = price_warnings(
        store.read_file(recorded.REPOSITORY / "runs/prices/gpuhunt-tpu-prices.parquet"),
        catalog.load().systems,
    )

    assert {
        name.removeprefix("gpuhunt-tpu-google-cloud-").removesuffix("-spot-20260819")
        for name in found
    } == {
        "tpu-v2-device-europe-west4",
        "tpu-v2-pod-europe-west4",
        "tpu-v2-pod-us-central1",
        "tpu-v3-device-europe-west4",
        "tpu-v3-pod-europe-west4",
        "tpu-v4-pod-us-central2",
    }


def test_check_warns_of_both_and_names_what_was_compared() -> None:
    """A warning for each, of archive and catalogue, with both amounts and where to look."""
    said = {finding.place: finding for finding in check(Archive(prices=(DEMAND, SPOT)))}

    assert said[f"price {SPOT.price_id}"].severity is Severity.WARNING
    assert said[f"price {SPOT.price_id}"].text == (
        "spot-above-on-demand: found 9 USD per hour for 4 accelerators beside 8 USD per hour for 4 "
        "accelerators of price rent-us-20260101, "
        "wanted a spot price of at most the price on demand; it is shown with this reason and "
        "ranks nowhere; look into some-source, line 1"
    )
    assert (
        "0.004087 EUR per second beside 0.002294 EUR per second of price gcp-t4-resnet34"
        in said["price gcp-t4-resnet101"].text
    )


def test_a_price_far_from_what_others_ask_is_doubted() -> None:
    """A tenth or tenfold of the median of three providers or more, on the same terms that year."""
    usual = [
        replace(DEMAND, price_id=name, provider=name, system=f"{name}-big", amount=amount)
        for name, amount in (("a", 8.0), ("b", 10.0), ("c", 12.0))
    ]
    cheap = replace(DEMAND, price_id="cheap", provider="d", system="d-big", amount=0.8)

    found = doubted(*usual, cheap)

    assert found == {"cheap": (PriceWarning(Reason.FAR, ("a",)),)}
    assert not doubted(*usual, replace(cheap, amount=1.1))
    assert not doubted(*usual[:1], cheap)
    assert not doubted(*usual, replace(cheap, valid_from=date(2025, 1, 1)))
    assert not doubted(*usual, replace(cheap, kind=PriceKind.MARKETPLACE))
