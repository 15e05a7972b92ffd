"""The prices at which two accelerators were offered on one day, and which pairs come first."""

from datetime import date

from kernels.analysis.pairs import grouped, pairs
from kernels.catalog import load
from kernels.records import Price, PriceKind
from site_src.tables.compare import by_day, most_results, same_day, specifications
from tests.kernels.analysis.test_pairs import side
from tests.makers import make_price

OLD, NEW = date(2025, 6, 1), date(2026, 6, 1)


def price(id_: str, amount: float, day: date | None, **more: object) -> Price:
    """An offer on demand."""
    return make_price(id_, amount=amount, valid_from=day, **more)


def test_prices_are_of_one_day_and_of_one_provider_where_one_had_both() -> None:
    """The newest such day and the cheaper provider; else each one's cheapest."""
    a = [
        price("a-old", 2.0, OLD, provider="one"),
        price("a-new", 3.0, NEW, provider="two"),
        price("a-node", 8.0, NEW, provider="three", accelerators=8),
    ]
    b = [price("b-old", 1.0, OLD, provider="one"), price("b-new", 5.0, NEW, provider="four")]

    shared = same_day(by_day(a), by_day(b))
    apart = same_day(by_day(a[1:]), by_day(b))
    none = same_day(by_day(a[:1]), by_day(b[1:]))

    assert shared is not None
    assert [one.price_id for one in shared] == ["a-old", "b-old"]
    assert apart is not None
    assert [one.price_id for one in apart] == ["a-node", "b-new"]
    assert none is None


def test_prices_are_the_same_in_both_orders() -> None:
    """The provider that is cheap for one of them alone does not favour it."""
    a = by_day([price("a-one", 1.0, NEW, provider="one"), price("a-two", 2.0, NEW, provider="two")])
    b = by_day([price("b-one", 9.0, NEW, provider="one"), price("b-two", 3.0, NEW, provider="two")])

    assert same_day(a, b) == (a[NEW]["two"], b[NEW]["two"])
    assert same_day(b, a) == (b[NEW]["two"], a[NEW]["two"])


def test_only_dated_prices_on_demand_in_dollars_are_compared() -> None:
    """A spot price beside one on demand says nothing of the accelerators."""
    left_out = [
        price("spot", 1.0, NEW, kind=PriceKind.SPOT),
        price("euro", 1.0, NEW, currency="EUR"),
        price("undated", 1.0, None),
    ]

    assert by_day([*left_out, kept := price("kept", 2.0, NEW)]) == {NEW: {"toy": kept}}


def test_pairs_that_compare_best_on_most_workloads_come_first() -> None:
    """Those without a ratio last."""
    found = pairs(
        grouped(
            [
                *(side(name, 9, workload=work) for name in "ab" for work in ("bert", "ssd")),
                side("c", 9),
                side("d", 9, number=64),
            ]
        )
    )

    assert most_results(found)[0] == "a-vs-b"
    assert all("d" in name.split("-vs-") for name in most_results(found)[-3:])


def test_specifications_are_those_that_both_have() -> None:
    """A figure that one of them lacks has nothing beside it."""
    found = specifications(load(), "a100-sxm4-80gb", "h100-sxm")

    assert {"memory", "memory_bandwidth", "peak_tensor_fp16"} <= set(found)
    assert "peak_fp8" not in found
