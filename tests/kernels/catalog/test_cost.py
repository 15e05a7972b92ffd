"""Time and price into money."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import catalog
from kernels.audit.formulas import (
    cost_to_target,
    images_per_currency_unit,
    images_per_price,
)
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
    cheap = cost_to_target(epochs, samples, speed, hourly)

    assert cost_to_target(epochs, samples, speed, hourly * more) > cheap
    assert cost_to_target(epochs, samples, speed * more, hourly) < cheap
    assert images_per_currency_unit(speed, hourly) == pytest.approx(
        3600 * images_per_price(speed, hourly)
    )
    assert cheap * images_per_currency_unit(speed, hourly) == pytest.approx(epochs * samples)


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


def test_an_offer_is_taken_as_often_as_the_accelerators_need() -> None:
    """Four chips at a price per chip are four; three cards of machines of two are two."""
    assert [cost.pieces(4, 1), cost.pieces(3, 2), cost.pieces(1, 8)] == [4, 2, 1]
    with pytest.raises(FactError, match="1 or more"):
        cost.pieces(1, 0)


def test_an_interval_that_is_none_is_refused() -> None:
    """The figure lies between the ends."""
    with pytest.raises(FactError, match="between its ends"):
        Spread(1.0, 2.0, 3.0)
    with pytest.raises(FactError, match="between its ends"):
        exactly(float("nan"))
