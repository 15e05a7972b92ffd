"""Time and price into money."""

from dataclasses import replace
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import catalog
from kernels.catalog import cost
from kernels.errors import FactError
from kernels.records import Bound, ClockScope, Origin, Per, Price, PriceKind, Run, Status

PRICES = catalog.load().prices
RENT = PRICES["cirrascale-4xv100-month-2018"]
HOURLY = PRICES["aws-p3.8xlarge-on-demand-2018"]


def run(system: str) -> Run:
    """A run on a system."""
    return Run("a-b", Origin.PUBLISHED, "a", "title", "MIT", "a", "digits-cnn", system, Status.OK, clock_scope=ClockScope.UNKNOWN)


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


@given(st.floats(0.1, 1e6), st.integers(1, 7200))
def test_billing_rounds_up_to_the_granularity(seconds: float, granularity: int) -> None:
    """Billed is a whole multiple, never less than used, and less than one granule more."""
    billed = cost.billed_seconds(seconds, granularity)

    assert billed % granularity == 0
    assert seconds <= billed < seconds + granularity + 1e-6
    assert cost.billed_seconds(seconds, None) == seconds


@given(st.floats(1, 100), st.floats(1, 1e7), st.floats(1, 1e5), st.floats(0.01, 100), st.floats(1.01, 10))
def test_cost_grows_with_price_and_falls_with_speed(epochs: float, samples: float, speed: float, hourly: float, more: float) -> None:
    """More dollars an hour cost more, more images a second cost less; images a dollar go the other way."""
    cheap = cost.cost(cost.hours(epochs, samples, speed), hourly)

    assert cost.cost(cost.hours(epochs, samples, speed), hourly * more) > cheap
    assert cost.cost(cost.hours(epochs, samples, speed * more), hourly) < cheap
    assert cost.samples_per_currency_unit(speed, hourly) == pytest.approx(3600 * cost.throughput_per_price(speed, hourly))
    assert cheap * cost.samples_per_currency_unit(speed, hourly) == pytest.approx(epochs * samples)


def test_what_must_be_said_beside_a_cost_is_said() -> None:
    """An offer of another machine, without a date, with "about", with a term, free, or with sessions that are too short."""
    dated = replace(HOURLY, valid_from=date(2018, 4, 1))

    assert cost.remarks(dated, run("aws-p3.8xlarge")) == ()
    assert cost.remarks(RENT, run("aws-p3.8xlarge")) == ("other-machine", "undated", "about")
    assert RENT.bound is Bound.APPROX
    assert cost.remarks(replace(dated, term_months=12), run("aws-p3.8xlarge")) == ("commitment",)
    free = replace(dated, amount=0.0, kind=PriceKind.FREE, session_limit_s=6 * 3600)
    assert cost.remarks(free, run("aws-p3.8xlarge"), hours_used=6.0) == ("free",)
    assert cost.remarks(free, run("aws-p3.8xlarge"), hours_used=6.1) == ("free", "session-limit")
