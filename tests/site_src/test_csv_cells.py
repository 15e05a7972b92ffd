"""CSV cells: no spreadsheet takes one for a formula, and each text comes back as it was."""

import io
import re
from decimal import Decimal

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_src.csv_cells import FORMULA, NUMBER, guarded, number, rows, to_csv

TEXTS = st.one_of(
    st.text(),
    st.builds(str.__add__, st.sampled_from([*FORMULA, "'", "''="]), st.text(max_size=8)),
    st.floats().map(str),
)


@given(TEXTS)
def test_a_cell_begins_with_no_formula(text: str) -> None:
    """What a cell begins with is no sign that a spreadsheet calculates from, unless it is a
    number.
    """
    cell = guarded(text)

    assert not cell.startswith(tuple(FORMULA)) or re.fullmatch(NUMBER, cell)


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        ("=cmd|'/C calc'!A0", "'=cmd|'/C calc'!A0"), ("@SUM(A1)", "'@SUM(A1)"), ("+1-800", "'+1-800"), ("-x", "'-x"), ("\tx", "'\tx"),
        ("\rx", "'\rx"), ("'quoted'", "''quoted'"), ("＝1+1", "'＝1+1"),
        ("-5", "-5"), ("+3.5e-7", "+3.5e-7"), ("plain", "plain"), ("", ""), ("-5 %", "'-5 %"),
    ],
)  # fmt: skip
def test_texts_and_numbers(text: str, cell: str) -> None:
    """A number stays, whatever its sign; an apostrophe gets another, so that the first one can
    always go.
    """
    assert guarded(text) == cell


@given(
    st.lists(
        st.tuples(
            TEXTS.filter(lambda text: "\0" not in text),
            st.floats(allow_nan=False, allow_infinity=False),
        ),
        min_size=1,
    )
)
def test_a_table_reads_back(records: list[tuple[str, float]]) -> None:
    """Texts of a downloaded table are those that went in, numbers to the fifteen digits that they
    always hold, and so are the names of its columns.
    """
    frame = pd.DataFrame(records, columns=["text", "number"])

    found = rows(io.StringIO(to_csv(frame).decode(), newline=""))

    assert [row["text"] for row in found] == [text for text, _ in records]
    assert [f"{float(row['number']):.15g}" for row in found] == [
        f"{each:.15g}" for _, each in records
    ]


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        (24000000000.0, "24000000000"), (0.47978000000000004, "0.47978"), (1.0380554259999997, "1.038055426"),
        (7.999999999999999e-05, "8e-05"), (1e22, "1e+22"), (-0.5, "-0.5"), (-3.0, "-3"), (float("inf"), "inf"),
        (0.1234567890123456, "0.1234567890123456"), (1234567890123456.0, "1234567890123456"), (2.25e15, "2250000000000000"),
    ],
)  # fmt: skip
def test_a_number_is_written_as_short_as_it_is_meant(value: float, cell: str) -> None:
    """Whole ones have no fraction, binary fractions no noise; all digits stay that say something."""
    assert number(value) == cell


@given(st.decimals(min_value=0, max_value=10**9, places=6))
def test_a_decimal_reads_back_as_it_was(value: Decimal) -> None:
    """What was recorded with a few decimals is in the table to the last bit."""
    assert float(number(float(value))) == float(value)


def test_a_whole_number_stays_whole_beside_a_fraction() -> None:
    """As does one among texts, and what is true is no number."""
    frame = pd.DataFrame(
        {"value": [24e9, 0.5, None], "any": [1.0, "=1", None], "flag": [True, False, True]}
    )

    assert to_csv(frame).decode() == "value,any,flag\n24000000000,1,True\n0.5,'=1,False\n,,True\n"


def test_what_is_missing_stays_empty() -> None:
    """A missing text is no apostrophe and no word."""
    frame = pd.DataFrame(
        {"text": ["=1", None, pd.NA], "flag": [True, None, False]}
    ).convert_dtypes()

    assert to_csv(frame).decode() == "text,flag\n'=1,True\n,\n,False\n"
