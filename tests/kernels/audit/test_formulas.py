"""Formulas: values by hand, units, and the interval that rounding allows."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.audit.formulas import (
    FORMULAS,
    Fact,
    apply,
    convolution_parameters,
    wide_resnet_parameters,
)
from kernels.errors import FactError
from kernels.records import Bound, Certainty, Status
from kernels.units import UNITS


def fact(
    value: float | None, unit: str, low: float | None = None, high: float | None = None
) -> Fact:
    """A fact without a name."""
    return Fact("x", value, unit, low, high)


def read(text: str) -> tuple[str, list[Fact]]:
    """A formula and its inputs, from `ratio(84 epochs, 64 epochs)`."""
    name, _, inputs = text.removesuffix(")").partition("(")
    split = (each.partition(" ") for each in inputs.split(", "))
    return name, [fact(float(value), unit) for value, _, unit in split]


@pytest.mark.parametrize(
    "row",
    [
        # 3186 / 6.7 = 475.522...
        "images_per_price(3186 images/s, 6.7 USD/h) = 475.52238805970148 images/s per USD/h",
        # 3600 x 2796 / 6.7
        "images_per_currency_unit(2796 images/s, 6.7 EUR/h) = 1502328.35820895522 images/EUR",
        "quotient(3186 images/s, 6.7 EUR/h) = 475.5223880597015 images/s per EUR/h",
        "quotient(1281167 images, 2796 images/s) = 458.21423462088698 s",
        "product(4 chips, 16 GB) = 64 GB",
        # W s has no unit in the list: J is another word for it
        "product(100 W, 2 s) = no unit",
        "per_chip(1024 images, 4 chips) = 256 images",
        "ratio(84 epochs, 64 epochs) = 1.3125 1",
        "share_percent(2796 images/s, 3186 images/s) = 87.758945386064030 percent",
        "percent_more(3186 images/s, 3128 images/s) = 1.8542199488491049 percent",
        "percent_less(3128 images/s, 3280 images/s) = 4.6341463414634146 percent",
        "points_more(0.764 1, 0.757 1) = 0.7 percentage_points",
        "sum(250 W, 80 W, 1 W) = 331 W",
        "difference(837 s, 821.12 s) = 15.88 s",
        # 64 x 1281167 / 2796 / 3600, and x 6.7
        "hours_to_target(64 epochs, 1281167 images, 2796 images/s) = 8.1460308377046574 h",
        "cost_to_target(64 epochs, 1281167 images, 2796 images/s, 6.7 USD/h) = 54.578406612621205 USD",
        # 1003 s at 0.4087 cent/s, which is 14.7132 EUR/h
        "cost_of_time(1003 s, 14.7132 EUR/h) = 4.099261 EUR",
        # 60 min at 0.0429 cent/s, which is 1.5444 EUR/h
        "cost_of_minutes(60 min, 1.5444 EUR/h) = 1.5444 EUR",
        "in_cents(0.000062 EUR/s) = 0.0062 cent/s",
        # 4.50 over 1003 s: the price that the printed cost would need
        "quotient(4.50 EUR, 1003 s) = 0.0044865403788634097 EUR/s",
        # 500 W for 15 min 8 s; 0.1 at a batch of 128, for one of 2048
        "energy(500 W, 908 s) = 126.11111111111111 Wh",
        "scaled_rate(0.1 1, 2048 images, 128 images) = 1.6 1",
        # 53.87 + 99 x 7.75, and 1 + 35.62 / 2.56
        "time_of_epochs(53.87 s, 7.75 s, 100 epochs) = 821.12 s",
        "break_even_epochs(54.31 s, 9.12 s, 18.69 s, 11.68 s) = 14.9140625 epochs",
        "efficiency(7092 s, 2430 s, 3 chips) = 0.97283950617283952 1",
        "in_minutes(908 s) = 15.133333333333333 min",
        "in_hours(11421 s) = 3.1725 h",
        # 3 x 3 x 3 x 64 + 64, then twice 3 x 3 x 64 x 64 + 64; a pure number may stand for channels
        "convolution_parameters(3 1, 64 channels, 3 pixels, 3 layers) = 75648 1",
        "dense_parameters(256 channels, 10 classes) = 2570 1",
        "wide_resnet_parameters(28 layers, 10 1, 10 classes) = 36479194 1",
        "smallest(3.6 1, 2.2 1, 2.5 1) = 2.2 1",
        "largest(3.6 1, 2.2 1, 2.5 1) = 3.6 1",
        # 10.4 x 4 / 12: what fewer epochs leave of GNMT's speed-up
        "epoch_corrected(10.4 1, 12 epochs, 4 epochs) = 3.4666666666666668 1",
        # 2 x 2560 x 1.59 GHz, and 2 x 64 x 320 x 1.59 GHz: 8.1 and 65 TFLOPS of T4
        "peak_of_cores(2560 cores, 1.59e9 Hz) = 8.1408 TFLOP/s",
        "peak_of_tensor_cores(320 cores, 1.59e9 Hz) = 65.1264 TFLOP/s",
        "clock_of_tensor_peak(112 TFLOP/s, 640 cores) = 1367187500 Hz",
        "hourly_from_month(7500 USD/month) = 10.273972602739726 USD/h",
        # 300 000 yen over 36 months at half of the time; 1003 s at 14.7132 an hour against 7092 s
        "owned_per_hour(300_000 JPY, 36 months, 0.5 1) = 22.831050228310502 JPY/h",
        "owned_per_hour(300_000 JPY, 36 1, 0.5 1) = 22.831050228310502 JPY/h",
        "break_even_price(7092 s, 1003 s, 14.7132 EUR/h) = 2.0808431472081 EUR/h",
        # a dated rate turns one currency into another
        "product(4.1 EUR, 1.25 USD per EUR) = 5.125 USD",
        "product(6.7 USD/h, 0.8 EUR per USD) = 5.36 EUR/h",
        "repeats(73 USD) = 73 USD",
    ],
)
def test_a_formula_gives_the_value_by_hand(row: str) -> None:
    """Value and unit follow from the inputs; a result that no unit fits is refused."""
    asked, _, result = row.partition(" = ")
    name, facts = read(asked)
    if result == "no unit":
        with pytest.raises(FactError, match=r"has no unit in units\.UNITS"):
            apply(name, facts, "x")
        return

    found = apply(name, facts, "x")

    value, _, unit = result.partition(" ")
    assert found.value == pytest.approx(float(value), rel=1e-12)
    assert found.unit == unit


def test_every_formula_is_told_by_formula_and_unit() -> None:
    """The docstring of a formula is there, and its name is one that a reference can hold."""
    assert all(rule.value.__doc__ and name.islower() for name, rule in FORMULAS.items())


def test_rounding_goes_through_by_the_corners() -> None:
    """3128 images/s at 8.4 USD/h, each as rounded: 3127.5 / 8.45 to 3128.5 / 8.35."""
    result = apply(
        "images_per_price",
        [fact(3128, "images/s", 3127.5, 3128.5), fact(8.4, "USD/h", 8.35, 8.45)],
        "x",
    )

    assert result.low == pytest.approx(3127.5 / 8.45)
    assert result.high == pytest.approx(3128.5 / 8.35)


def test_a_printed_range_stays_a_range() -> None:
    """A range has no value of its own, and nothing is made up for it."""
    result = apply("per_chip", [fact(None, "images/s", 10, 20), fact(2, "chips")], "x")

    assert (result.value, result.low, result.high) == (None, 5, 10)


def test_what_is_missing_stays_missing() -> None:
    """A figure that was not reported makes no figure, and keeps its reason."""
    gap = Fact("x", None, "W", certainty=Certainty.NOT_PUBLISHED, status=Status.NOT_REPORTED)

    result = apply("sum", [gap, fact(250, "W")], "x")

    assert result.value is None
    assert result.status == Status.NOT_REPORTED
    assert result.certainty == Certainty.NOT_PUBLISHED


def test_about_stays_about() -> None:
    """What follows from an approximate figure is approximate."""
    result = apply(
        "per_chip", [Fact("x", 3280, "images/s", bound=Bound.APPROX), fact(4, "chips")], "x"
    )

    assert result.bound is Bound.APPROX


@pytest.mark.parametrize(("name", "bound"), [("product", Bound.GT), ("ratio", Bound.APPROX)])
def test_twice_more_than_is_more_than(name: str, bound: Bound) -> None:
    """What only rises with a figure "more than" is more than; of all else it is not known."""
    assert apply(name, [Fact("x", 150000, "1", bound=Bound.GT), fact(2, "1")], "x").bound is bound


def test_what_is_bought_for_more_costs_more() -> None:
    """More than JPY 150,000 cost more an hour and a job; of more than 36 months nobody knows."""
    months, use = fact(36, "1"), fact(1, "1")
    hour = apply("owned_per_hour", [Fact("x", 150000, "JPY", bound=Bound.GT), months, use], "x")

    assert hour.bound is Bound.GT
    assert apply("cost_of_time", [fact(3600, "s"), hour], "x").bound is Bound.GT
    assert (
        apply(
            "owned_per_hour", [fact(150000, "JPY"), Fact("x", 36, "1", bound=Bound.GT), use], "x"
        ).bound
        is Bound.APPROX
    )


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("sum(1 USD, 1 EUR)", "currencies need a dated rate"),
        ("ratio(1 USD/h, 1 EUR/h)", "wanted one unit"),
        ("energy(1 W, 1 min)", "wanted W, s"),
        ("scaled_rate(1 1, 1 images, 1 samples)", "wanted 1, images, images"),
        ("points_more(76.4 percent, 75.7 percent)", "in percent, percent, wanted 1, 1"),
        ("ratio(1 s, 0 s)", "is no number"),
        ("ratio(1 s)", "ratio takes a, b, got 1"),
        ("sum(1 s)", "two inputs or more"),
        (
            "cost_to_target(1 epochs, 1 images, 1 images/s, 1 USD/month)",
            "wanted epochs, images, images/s, currency/h",
        ),
        ("hours_to_target(1 epochs, 1 images, 1 tokens/s)", "wanted epochs, images, images/s"),
        ("images_per_price(1 images/s, 1 CHF/h)", r"'images/s per CHF/h' is not in units\.UNITS"),
        ("time_of_epochs(1 s, 1 s, 1 1)", "wanted s, s, epochs"),
        ("break_even_epochs(1 s, 2 s, 3 s, 2 s)", "is no number"),
        ("efficiency(1 h, 1 s, 2 chips)", "wanted s, s, chips"),
        ("efficiency(1 s, 1 s, 2 1)", "wanted s, s, chips"),
        ("in_hours(1 h)", "wanted s"),
        ("dense_parameters(256 channels, 10 images)", "wanted channels, classes"),
        ("epoch_corrected(3.1 percent, 12 epochs, 7 epochs)", "wanted 1, epochs, epochs"),
        ("peak_of_cores(2560 chips, 1.59e9 Hz)", "wanted cores, Hz"),
        ("clock_of_tensor_peak(112 FLOP/s, 640 cores)", "wanted TFLOP/s, cores"),
        ("average(1 s)", "no formula 'average'"),
    ],
)
def test_inputs_that_do_not_fit_are_refused(asked: str, said: str) -> None:
    """Units, numbers of inputs and divisions by zero are errors that say what was wanted."""
    with pytest.raises(FactError, match=said):
        apply(*read(asked), "x")


@given(st.floats(1, 1e6), st.floats(1, 1e6), st.floats(0, 0.4), st.floats(0, 0.4))
def test_the_value_lies_within_its_interval(a: float, b: float, of_a: float, of_b: float) -> None:
    """For every formula of two figures the corners hold the value between them."""
    facts = [
        fact(a, "images/s", a * (1 - of_a), a * (1 + of_a)),
        fact(b, "images/s", b * (1 - of_b), b * (1 + of_b)),
    ]

    for name in ("sum", "difference", "ratio", "share_percent", "percent_more", "percent_less"):
        result = apply(name, facts, "x")

        assert result.low is not None and result.value is not None and result.high is not None
        slack = 1e-9 * max(1.0, abs(result.low), abs(result.high))
        assert result.low - slack <= result.value <= result.high + slack


@given(st.sampled_from(sorted(UNITS)), st.sampled_from(sorted(UNITS)))
def test_any_two_units_have_a_product_or_an_error(one: str, other: str) -> None:
    """The algebra of units gives a known unit or refuses; a unit over itself is a pure number."""
    try:
        unit = apply("product", [fact(1, one), fact(1, other)], "x").unit
    except FactError:
        pass
    else:
        assert unit in UNITS
    assert apply("quotient", [fact(1, one), fact(1, one)], "x").unit == "1"


@given(st.decimals(min_value=0, max_value=10**6, places=6))
def test_a_scaled_figure_keeps_its_digits(price: Decimal) -> None:
    """100 times a printed price moves its point: 0.004087 a second is 0.4087 cents."""
    found = apply("in_cents", [Fact("x", float(price), "EUR/s")], "cents")

    assert found.value is not None
    assert Decimal(repr(found.value)) == price.scaleb(2)


def test_what_is_no_decimal_is_rounded_once() -> None:
    """USD 7310 a month / 730 h x 730 h is USD 7310, though an hour of it never ends in digits."""
    monthly = Fact("month", 7310.0, "USD/month")

    hourly = apply("hourly_from_month", [monthly], "hourly")
    again = apply("product", [hourly, Fact("hours", 730.0, "1")], "again")

    assert again.value == monthly.value


def test_vgg_like_blocks_come_to_what_they_are_printed_with() -> None:
    """Nine convolutions of 64, 128, 256 channels have 1 920 000."""
    blocks = [
        convolution_parameters(inputs, outputs, 3, 3)
        for inputs, outputs in ((3, 64), (64, 128), (128, 256))
    ]

    assert sum(blocks) == 1_920_000


def test_wide_resnets_have_the_parameters_of_their_paper() -> None:
    """For CIFAR-10 36.5, 11.0 and 8.9 million: WRN-28-10, WRN-16-8 and WRN-40-4."""
    counts = [
        wide_resnet_parameters(depth, widening, 10)
        for depth, widening in ((28, 10), (16, 8), (40, 4))
    ]

    assert [round(count / 1e6, 1) for count in counts] == [36.5, 11.0, 8.9]
