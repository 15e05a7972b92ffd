"""Prices are added, never changed: a snapshot adds those that differ from what is in force."""

from dataclasses import replace
from datetime import date, timedelta

from hypothesis import given
from hypothesis import strategies as st

from kernels.catalog.price_history import joined, offer_of
from kernels.records import Price
from tests.makers import make_price

FIRST = date(2026, 1, 1)


def price(amount: float, day: int = 0, offer: str = "a") -> Price:
    """One offer on a day."""
    seen = FIRST + timedelta(day)
    return make_price(
        f"list-{offer}-{seen:%Y%m%d}",
        provider="Cloud",
        offer=offer,
        system=f"cloud-{offer}",
        amount=amount,
        valid_from=seen,
        source="list",
        locator="file 'a.csv', line 2",
    )


def amounts(prices: tuple[Price, ...]) -> list[tuple[int, float]]:
    """Day and amount of each."""
    return [
        ((each.valid_from or FIRST).toordinal() - FIRST.toordinal(), each.amount) for each in prices
    ]


def test_a_changed_price_is_a_row_more_and_an_unchanged_one_is_none() -> None:
    """The older row keeps its day and its amount."""
    later = joined([price(2.0, 0), price(3.0, 0, "b")], [price(2.0, 9), price(3.5, 9, "b")])

    assert amounts(later.prices) == [(0, 2.0), (0, 3.0), (9, 3.5)]
    assert amounts(later.fresh) == [(9, 3.5)]


def test_a_price_that_comes_back_is_a_change_too() -> None:
    """Up and down again is three rows."""
    assert amounts(
        joined([], [price(2.0, 0), price(3.0, 1), price(2.0, 2), price(2.0, 3)]).prices
    ) == [(0, 2.0), (1, 3.0), (2, 2.0)]


def test_an_older_snapshot_may_come_later() -> None:
    """What was in force before is put in, and what follows stays."""
    assert amounts(joined([price(2.0, 9)], [price(1.5, 4)]).prices) == [(4, 1.5), (9, 2.0)]


def test_another_price_on_the_same_day_is_refused() -> None:
    """What is recorded stays, and both are given back."""
    found = joined([price(2.0)], [price(2.5)])

    assert (amounts(found.prices), found.fresh) == ([(0, 2.0)], ())
    assert [(recorded.amount, other.amount) for recorded, other in found.contradictions] == [
        (2.0, 2.5)
    ]


def test_noise_of_floating_point_is_no_change() -> None:
    """A catalogue's 0.1 + 0.2 is its 0.3."""
    assert joined([price(0.3)], [price(0.1 + 0.2, 1)]).fresh == ()
    assert len(joined([price(0.3)], [price(0.300001, 1)]).fresh) == 1


def test_an_offer_is_its_id_without_the_day() -> None:
    """The catalogue's own ids, which end otherwise, stand for themselves."""
    assert offer_of(price(1.0)) == "list-a"
    assert (
        offer_of(replace(price(1.0), price_id="gcp-cloud-tpu-v2-8-on-demand-2018"))
        == "gcp-cloud-tpu-v2-8-on-demand-2018"
    )


SNAPSHOTS = st.lists(
    st.tuples(st.sampled_from([1.0, 1.5, 2.0]), st.integers(0, 6), st.sampled_from("ab")),
    max_size=12,
)


@given(before=SNAPSHOTS, found=SNAPSHOTS)
def test_importing_again_changes_nothing_and_nothing_recorded_is_lost(
    before: list[tuple[float, int, str]], found: list[tuple[float, int, str]]
) -> None:
    """For any history and any snapshots, in any order."""
    recorded = joined([], [price(*each) for each in before]).prices
    snapshot = [price(*each) for each in found]

    once = joined(recorded, snapshot)
    again = joined(once.prices, snapshot)

    assert set(recorded) <= set(once.prices)
    assert (again.prices, again.fresh) == (once.prices, ())
    assert {offer_of(each) for each in snapshot} <= {offer_of(each) for each in once.prices}
