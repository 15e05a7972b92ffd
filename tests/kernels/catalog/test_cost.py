"""Time and price into money."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import catalog
from kernels.catalog import cost
from kernels.catalog.cost import Spread, exactly
from kernels.errors import FactError
from kernels.records import Bound, ClockScope, Origin, Per, Price, PriceKind, Run
from tests.makers import make_run

PRICES = catalog.load().prices
RENT = PRICES["cirrascale-4xv100-month-2018"]
HOURLY = PRICES["aws-p3.8xlarge-on-demand-2018"]


def run(system: str) -> Run:
    """A run on a system."""
    return make_run(
        "a-b",
        origin=Origin.PUBLISHED,
        source="a",
        locator="title",
        credit="a",
        system=system,
        clock_scope=ClockScope.UNKNOWN,
    )


@pytest.mark.parametrize(
    ("price", "hourly"),
    [
        (HOURLY, 12.2),
        (RENT, 7500 / 730),  # 10.27; over 720 h it would be 10.42
        (replace(RENT, per=Per.SECOND, amount=0.000062), 0.2232),
        (replace(RENT, amount=730.0, upfront=730.0 * 12, term_months=12), 2.0),
        (replace(RENT, amount=0.0, kind=PriceKind.FREE), 0.0),
    ],
)
def test_an_hour_of_an_offer_is_by_its_terms(price: Price, hourly: float) -> None:
    """Per second x 3600, per month / 730, and what is paid before the term spread over it."""
    assert cost.per_hour(price) == pytest.approx(hourly)


def test_a_purchase_has_no_hour() -> None:
    """What an hour of one's own machine costs depends on more than its price."""
    with pytest.raises(FactError, match="depends on lifetime"):
        cost.per_hour(replace(RENT, per=Per.PURCHASE, kind=PriceKind.OWNED))


@given(
    st.floats(1, 100),
    st.floats(1, 1e7),
    st.floats(1, 1e5),
    st.floats(0.01, 100),
    st.floats(1.01, 10),
)
def test_cost_grows_with_price_and_falls_with_speed(
    epochs: float, samples: float, speed: float, hourly: float, more: float
) -> None:
    """Dollars an hour cost more, images a second less; images a dollar the other way."""
    cheap = cost.cost(cost.hours(epochs, samples, speed), hourly)

    assert cost.cost(cost.hours(epochs, samples, speed), hourly * more) > cheap
    assert cost.cost(cost.hours(epochs, samples, speed * more), hourly) < cheap
    assert cost.samples_per_currency_unit(speed, hourly) == pytest.approx(
        3600 * cost.throughput_per_price(speed, hourly)
    )
    assert cheap * cost.samples_per_currency_unit(speed, hourly) == pytest.approx(epochs * samples)


def test_what_must_be_said_beside_a_cost_is_said() -> None:
    """An offer of another machine, without a date, with "about", with a term, or free."""
    dated = replace(HOURLY, valid_from=date(2018, 4, 1))

    assert cost.remarks(dated, run("aws-p3.8xlarge")) == ()
    assert cost.remarks(RENT, run("aws-p3.8xlarge")) == ("other-machine", "undated", "about")
    assert RENT.bound is Bound.APPROX
    assert cost.remarks(replace(dated, term_months=12), run("aws-p3.8xlarge")) == ("commitment",)
    assert cost.remarks(replace(dated, amount=0.0, kind=PriceKind.FREE), run("aws-p3.8xlarge")) == (
        "free",
    )


MONEY = st.floats(0.01, 1e3)
TIME = st.floats(0.1, 1e6)
GRANULE = st.sampled_from([None, 1, 60, 3600])


def test_an_offer_is_taken_as_often_as_the_accelerators_need() -> None:
    """Four chips at a price per chip are four; three cards of machines of two are two."""
    assert [cost.pieces(4, 1), cost.pieces(3, 2), cost.pieces(1, 8)] == [4, 2, 1]
    with pytest.raises(FactError, match="1 or more"):
        cost.pieces(1, 0)


def test_an_owned_machine_costs_its_purchase_and_its_electricity() -> None:
    """300 000 yen over 36 months, half used; 500 W at 30 yen, PUE 1.2: 22.83 + 18 an hour."""
    assert cost.owned_per_hour(300_000, 36, 0.5) == pytest.approx(22.8310502)
    assert cost.owned_per_hour(300_000, 36, 0.5, power_w=500, tariff=30, pue=1.2) == pytest.approx(
        40.8310502
    )
    assert cost.energy_kwh(500, 7200, 1.2) * 30 == pytest.approx(2 * 18)
    assert cost.energy_kwh(1000, 3600) == 1.0


OWNED = st.fixed_dictionaries(
    {
        "purchase": MONEY,
        "months": st.floats(1, 120),
        "utilisation": st.floats(0.01, 0.5),
        "power_w": st.floats(1, 5000),
        "tariff": st.floats(0.01, 1),
        "pue": st.floats(1, 2),
    }
)


@given(OWNED)
def test_an_hour_of_use_is_cheaper_the_longer_and_the_more_a_machine_is_used(
    machine: dict[str, float],
) -> None:
    """A longer lifetime and more use lower it; purchase, power, tariff and PUE raise it."""
    hourly = cost.owned_per_hour(**machine)

    for name in ("months", "utilisation"):
        assert cost.owned_per_hour(**machine | {name: 2 * machine[name]}) < hourly
    for name in ("purchase", "power_w", "tariff", "pue"):
        assert cost.owned_per_hour(**machine | {name: 2 * machine[name]}) > hourly


@pytest.mark.parametrize(
    ("given_", "words"),
    [
        ({"months": 0}, "lifetime of 0 months"),
        ({"utilisation": 0}, "utilisation of 0"),
        ({"utilisation": 1.1}, "utilisation of 1.1"),
        ({"pue": 0.9}, "PUE of 0.9"),
        ({"purchase": -1}, "none of them below 0"),
        ({"tariff": -1}, "none of them below 0"),
    ],
)
def test_a_machine_that_cannot_be_is_refused(given_: dict[str, float], words: str) -> None:
    """Which input it is, and what was wanted."""
    with pytest.raises(FactError, match=words):
        cost.owned_per_hour(**{"purchase": 1.0, "months": 1.0, "utilisation": 1.0} | given_)


def spreads(least: float, most: float) -> st.SearchStrategy[Spread]:
    """Figures with intervals."""
    ends = st.tuples(*[st.floats(least, most)] * 3).map(sorted)
    return ends.map(lambda three: Spread(three[1], three[0], three[2]))


@given(spreads(1, 1e5), spreads(1, 1e5), MONEY)
def test_at_the_break_even_price_both_jobs_cost_the_same(
    a: Spread, b: Spread, hourly: float
) -> None:
    """And where one is fastest and the other slowest, at the ends of its interval."""
    found = cost.break_even_price(a, b, hourly)

    for seconds_a, price, seconds_b in (
        (a.value, found.value, b.value),
        (a.high, found.low, b.low),
        (a.low, found.high, b.high),
    ):
        assert seconds_a * price == pytest.approx(seconds_b * hourly)


def test_an_interval_that_is_none_is_refused() -> None:
    """The figure lies between the ends, and a job that takes no time is no measure of another."""
    with pytest.raises(FactError, match="between its ends"):
        Spread(1.0, 2.0, 3.0)
    with pytest.raises(FactError, match="between its ends"):
        exactly(float("nan"))
    with pytest.raises(FactError, match="wanted more than 0"):
        cost.break_even_price(exactly(0.0), exactly(1.0), 1.0)
