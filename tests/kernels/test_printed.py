"""Printed figures keep the precision that they were printed with."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.errors import SourceError
from kernels.printed import Printed, half_unit, parse
from kernels.records import Bound


@pytest.mark.parametrize(
    ("text", "figure"),
    [
        ("3186", Printed(3186.0, None, None, Bound.EQ, 0)),
        ("2.30", Printed(2.3, None, None, Bound.EQ, 2)),
        ("~3.28e3", Printed(3280.0, None, None, Bound.APPROX, -1)),
        ("1.3e6", Printed(1_300_000.0, None, None, Bound.EQ, -5)),
        ("<9", Printed(9.0, None, None, Bound.LT, 0)),
        ("76.4%", Printed(0.764, None, None, Bound.EQ, 3)),
        ("2.2..2.7", Printed(None, 2.2, 2.7, Bound.EQ, 1)),
    ],
)
def test_a_figure_is_read_as_printed(text: str, figure: Printed) -> None:
    """Decimals, bound, per cent and ranges are in the text."""
    assert parse(text) == figure


@pytest.mark.parametrize(
    "text", ["", "3,186", "3 186", "nan", "inf", "1e999", "2.7..2.2", "0x10", "~", "--1", "٣"]
)
def test_what_is_no_figure_is_refused(text: str) -> None:
    """Thousands separators, NaN, endless exponents and turned ranges are errors, not guesses."""
    with pytest.raises(SourceError, match="wanted"):
        parse(text)


@given(st.integers(-(10**9), 10**9), st.integers(0, 6))
def test_decimals_are_those_of_the_text(units: int, decimals: int) -> None:
    """A number is read with as many decimals as written; its half unit is of the last one."""
    text = f"{units / 10**decimals:.{decimals}f}"

    figure = parse(text)

    assert figure.decimals == decimals
    assert figure.value == float(text)
    assert half_unit(decimals) == pytest.approx(0.5 / 10**decimals)


@given(st.text(max_size=20))
def test_any_text_is_a_figure_or_an_error(text: str) -> None:
    """No text crashes the reader, and no figure is infinite."""
    try:
        figure = parse(text)
    except SourceError:
        return

    assert all(
        math.isfinite(value)
        for value in (figure.value, figure.low, figure.high)
        if value is not None
    )
