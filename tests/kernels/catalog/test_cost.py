"""Time and price into money."""

from dataclasses import replace
from datetime import date
from typing import Any

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


@given(st.floats(0.1, 1e6), st.integers(1, 7200))
def test_billing_rounds_up_to_the_granularity(seconds: float, granularity: int) -> None:
    """Billed is a whole multiple, never less than used, and less than one granule more."""
    billed = cost.billed_seconds(seconds, granularity)

    assert billed % granularity == 0
    assert seconds <= billed < seconds + granularity + 1e-6
    assert cost.billed_seconds(seconds, None) == seconds


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
    """More dollars an hour cost more, more images a second cost less; images a dollar go the other
    way.
    """
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


@given(TIME, MONEY, st.floats(0, 7200), GRANULE, st.floats(1.0, 10.0))
def test_a_job_costs_no_less_for_more_of_anything(
    seconds: float, hourly: float, preparation: float, granule: int | None, more: float
) -> None:
    """A longer job, a dearer hour and a longer preparation cost the same or more; nothing costs
    nothing.
    """
    paid = cost.job_cost(seconds, hourly, preparation_s=preparation, granularity_s=granule)

    assert (
        cost.job_cost(seconds * more, hourly, preparation_s=preparation, granularity_s=granule)
        >= paid
    )
    assert (
        cost.job_cost(seconds, hourly * more, preparation_s=preparation, granularity_s=granule)
        >= paid
    )
    assert (
        cost.job_cost(seconds, hourly, preparation_s=preparation * more, granularity_s=granule)
        >= paid
    )
    assert paid >= cost.job_cost(seconds, hourly) * (1 - 1e-9)
    assert cost.job_cost(seconds, 0.0, preparation_s=preparation, granularity_s=granule) == 0.0


@pytest.mark.parametrize(
    ("seconds", "granularity", "billed"),
    [
        (3600, 3600, 3600),
        (3600.0000000001, 3600, 3600),
        (3601, 3600, 7200),
        (59.2, 1, 60),
        (59.2, None, 59.2),
        (0.0, 60, 0.0),
    ],
)
def test_a_job_that_ends_with_its_granule_begins_no_other(
    seconds: float, granularity: int | None, billed: float
) -> None:
    """A billionth more, which is what hours into seconds leave behind, is not an hour more."""
    assert cost.billed_seconds(seconds, granularity) == billed


def test_the_jobs_of_a_protocol_are_prepared_once_or_each_for_itself() -> None:
    """Three jobs of 20 min at 3 an hour, 10 min of preparation, billed by the hour: 70 min in one
    session, or three of 30 min.
    """
    jobs = [1200.0, 1200.0, 1200.0]

    assert cost.protocol_cost(jobs, 3.0, preparation_s=600) == pytest.approx(3.5)
    assert cost.protocol_cost(jobs, 3.0, preparation_s=600, granularity_s=3600) == 6.0
    assert cost.protocol_cost(jobs, 3.0, preparation_s=600, granularity_s=3600, apart=True) == 9.0
    assert cost.protocol_cost([], 3.0) == 0.0


def test_an_offer_is_taken_as_often_as_the_accelerators_need() -> None:
    """Four chips at a price per chip are four; three cards of a machine that has two are two
    machines.
    """
    assert [cost.pieces(4, 1), cost.pieces(3, 2), cost.pieces(1, 8)] == [4, 2, 1]
    with pytest.raises(FactError, match="1 or more"):
        cost.pieces(1, 0)


def test_an_owned_machine_costs_its_purchase_and_its_electricity() -> None:
    """300 000 yen over 36 months, used half of the time, drawing 500 W at 30 yen a kWh with a PUE
    of 1.2: 22.83 + 18 yen an hour.
    """
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
        assert cost.job_cost(seconds_a, price) == pytest.approx(cost.job_cost(seconds_b, hourly))


BILLED = st.fixed_dictionaries({"preparation_s": st.floats(0, 7200), "granularity_s": GRANULE})


@given(spreads(0.1, 10), st.tuples(MONEY, MONEY), BILLED, BILLED, st.floats(1.001, 100))
def test_beyond_the_break_even_length_the_other_is_cheaper_whatever_is_rounded(
    ratio: Spread,
    hourly: tuple[float, float],
    terms_a: dict[str, Any],
    terms_b: dict[str, Any],
    beyond: float,
) -> None:
    """Shorter than its interval one is cheaper, longer than it the other: by the instant and as
    billed, for any ratio of its interval.
    """
    named = {
        key.replace("_s", f"_{side}_s"): value
        for side, terms in (("a", terms_a), ("b", terms_b))
        for key, value in terms.items()
    }
    found = cost.break_even_seconds(ratio, *hourly, **named)
    if found is None:
        return

    def dearer(seconds: float, times: float) -> tuple[float, float]:
        exact, billed = (
            cost.job_cost(times * seconds, hourly[0], **terms_a | last)
            - cost.job_cost(seconds, hourly[1], **terms_b | last)
            for last in ({"granularity_s": None}, {})
        )
        return exact, billed

    for times in (ratio.value, ratio.low, ratio.high):
        sign = 1 if hourly[1] < times * hourly[0] else -1
        for difference in dearer(found.high * beyond, times):
            assert sign * difference >= -1e-6 * sum(hourly)
        for difference in dearer(found.low / beyond, times) if found.low > 0 else ():
            assert sign * difference <= 1e-6 * sum(hourly)


def test_two_prices_that_meet_at_a_length_are_found_and_those_that_do_not_are_not() -> None:
    """A takes an hour to prepare at 2 an hour, B none at 3: 2 (3600 + x) = 3 x at 7200 s."""
    meets = cost.break_even_seconds(exactly(1.0), 2.0, 3.0, preparation_a_s=3600)

    assert meets == exactly(7200.0)
    assert cost.break_even_seconds(exactly(1.0), 2.0, 3.0) is None, (
        "without preparation the cheaper one is cheaper at any length"
    )
    assert cost.break_even_seconds(exactly(1.0), 2.0, 3.0, preparation_b_s=3600) is None, (
        "cheaper to prepare and to run"
    )
    assert cost.break_even_seconds(exactly(1.5), 2.0, 3.0, preparation_a_s=3600) is None, (
        "both cost the same to run"
    )
    assert cost.break_even_seconds(Spread(1.0, 0.5, 2.0), 2.0, 3.0, preparation_a_s=3600) is None, (
        "which is cheaper to run is open"
    )
    billed = cost.break_even_seconds(
        exactly(1.0), 2.0, 3.0, preparation_a_s=3600, granularity_a_s=60, granularity_b_s=60
    )
    assert billed == Spread(7200.0, 7020.0, 7320.0), "each bill may be up to a minute longer"


def test_adding_cards_costs_by_how_much_the_bill_grows() -> None:
    """7092 s at 0.0062 cent/s on one card and 2430 s at 0.0202 cent/s on three: 11.6 % more."""
    one, three = 7092 * 0.0062, 2430 * 0.0202

    assert cost.cost_of_adding(exactly(one), exactly(three)).value == pytest.approx(11.6341903)
    assert cost.cost_of_adding(Spread(2.0, 1.0, 4.0), exactly(2.0)) == Spread(0.0, -50.0, 100.0)


def test_an_interval_that_is_none_is_refused() -> None:
    """The figure lies between the ends, and a job that takes no time is no measure of another."""
    with pytest.raises(FactError, match="between its ends"):
        Spread(1.0, 2.0, 3.0)
    with pytest.raises(FactError, match="between its ends"):
        exactly(float("nan"))
    with pytest.raises(FactError, match="wanted more than 0"):
        cost.break_even_price(exactly(0.0), exactly(1.0), 1.0)
