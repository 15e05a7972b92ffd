"""One currency into another, at a dated rate."""

from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels import catalog, store
from kernels.catalog.exchange import Converted, convert, newest_day, rate_day
from kernels.errors import FactError
from kernels.records import Rate
from tests.makers import make_source

DAY = date(2019, 5, 14)

PUBLISHED = Path(__file__).resolve().parents[3] / "runs" / "published"


def rate(quote: str, value: float, day: date = DAY, base: str = "EUR", source: str = "ecb") -> Rate:
    """One euro in another currency."""
    return Rate(base, quote, value, day, source, f"eurofxref-hist, {day}", "ECB")


RATES = (rate("USD", 1.25), rate("JPY", 125.0))


@pytest.mark.parametrize(
    ("base", "quote", "amount"),
    [
        ("EUR", "USD", 12.5),
        ("USD", "EUR", 8.0),
        ("USD", "JPY", 1000.0),
        ("JPY", "USD", 0.1),
        ("EUR", "EUR", 10.0),
    ],
)
def test_an_amount_takes_the_rate_its_inverse_or_both_legs_through_the_euro(
    base: str, quote: str, amount: float
) -> None:
    """With 1.25 dollars and 125 yen for one euro, a dollar is 100 yen."""
    found = convert(10.0, base, quote, DAY, RATES)

    assert found.amount == pytest.approx(amount)
    assert found == Converted(found.amount, found.rate, DAY, () if base == quote else ("ecb",))
    assert found.amount == pytest.approx(10.0 * found.rate)


def test_a_rate_of_its_own_goes_before_the_way_through_the_euro() -> None:
    """Somebody says what a dollar is in yen."""
    found = convert(1.0, "USD", "JPY", DAY, (*RATES, rate("JPY", 99.0, base="USD", source="boj")))

    assert (found.amount, found.sources) == (99.0, ("boj",))


@pytest.mark.parametrize(("later", "known"), [(0, True), (10, True), (11, False), (-1, False)])
def test_a_rate_holds_for_ten_days_and_not_for_the_time_before_it(later: int, known: bool) -> None:
    """Weekends and holidays have none; a rate of the next day was not known."""
    day = DAY + timedelta(days=later)
    if known:
        assert convert(1.0, "EUR", "USD", day, RATES).day == DAY
    else:
        with pytest.raises(
            FactError,
            match=f"no rate of EUR in USD from {day - timedelta(days=10)} to {day}.*rates.csv",
        ):
            convert(1.0, "EUR", "USD", day, RATES)


def test_the_latest_day_counts_and_both_legs_are_of_one_day() -> None:
    """Dollars of Tuesday and yen of Monday make no rate; the day that has both does."""
    monday = DAY - timedelta(days=1)
    rates = (rate("USD", 1.0, monday), rate("JPY", 100.0, monday), rate("USD", 2.0))

    assert convert(1.0, "EUR", "USD", DAY, rates).rate == 2.0
    assert convert(1.0, "USD", "JPY", DAY, rates) == Converted(100.0, 100.0, monday, ("ecb",))


@pytest.mark.parametrize("rates", [(), (rate("JPY", 125.0),)])
def test_nothing_is_converted_without_a_rate(rates: tuple[Rate, ...]) -> None:
    """No table, or none of that currency: neither one for one, nor the one that is there."""
    with pytest.raises(FactError, match="no rate of USD in EUR"):
        convert(1.0, "USD", "EUR", DAY, rates)


@given(
    st.floats(0, 1e9),
    st.sampled_from(["EUR", "USD", "JPY"]),
    st.sampled_from(["EUR", "USD", "JPY"]),
)
def test_there_and_back_is_where_one_was(amount: float, base: str, quote: str) -> None:
    """At one day's rates nobody grows rich."""
    there = convert(amount, base, quote, DAY, RATES)

    assert convert(there.amount, quote, base, DAY, RATES).amount == pytest.approx(amount)
    assert convert(2 * amount, base, quote, DAY, RATES).amount == pytest.approx(2 * there.amount)


def test_a_price_without_a_day_takes_that_of_its_source() -> None:
    """Its own day, else that of publication, else that of which its time was made, else none."""
    price = catalog.load().prices["aws-p3.8xlarge-on-demand-2018"]
    source = make_source("tpuv2-v100", title="title", language="ru", credit="credit")
    about = replace(source, published_about=date(2018, 4, 15))

    assert rate_day(replace(price, valid_from=DAY), {about.source: about}) == DAY
    assert rate_day(price, {about.source: replace(about, published=date(2018, 2, 1))}) == date(
        2018, 2, 1
    )
    assert rate_day(price, {about.source: about}) == date(2018, 4, 15)
    assert rate_day(price, {source.source: source}) is None
    assert rate_day(price, {}) is None


def test_what_is_typed_in_today_takes_the_newest_rates() -> None:
    """Up to today; a build of an earlier day does not know later ones."""
    rates = (*RATES, rate("USD", 2.0, date(2020, 1, 2)))

    assert newest_day(rates, date(2026, 1, 1)) == date(2020, 1, 2)
    assert newest_day(rates, date(2019, 12, 31)) == DAY
    assert newest_day(rates, date(2019, 1, 1)) is None


def test_the_catalogue_has_the_rates_that_its_prices_need() -> None:
    """Each dated price is euros, dollars and yen, at what the ECB gave on the day."""
    known = catalog.load()
    rates = tuple(known.rates.values())
    sources = {source.source: source for source in store.read(PUBLISHED).sources}
    days = {day for price in known.prices.values() if (day := rate_day(price, sources))}

    assert days == {date(2018, 4, 15), date(2019, 5, 14), date(2020, 4, 15)}
    for day in (*days, date(2026, 8, 19)):
        there = convert(1.0, "USD", "JPY", day, rates)
        assert there.amount == pytest.approx(
            convert(1.0, "EUR", "JPY", day, rates).amount
            / convert(1.0, "EUR", "USD", day, rates).amount
        )
    assert convert(1.0, "EUR", "USD", date(2019, 5, 14), rates) == Converted(
        1.1226, 1.1226, date(2019, 5, 14), ("ecb",)
    )
    assert {rate.source for rate in rates} <= sources.keys()
