"""CSV cells: no spreadsheet takes one for a formula, and each text comes back as it was."""

import io
import re

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_src.csv_cells import FORMULA, NUMBER, guarded, rows, to_csv

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
    """Texts and numbers of a downloaded table are those that went in, and so are the names of its
    columns.
    """
    frame = pd.DataFrame(records, columns=["text", "number"])

    found = rows(io.StringIO(to_csv(frame).decode(), newline=""))

    assert [(row["text"], float(row["number"])) for row in found] == records


def test_what_is_missing_stays_empty() -> None:
    """A missing text is no apostrophe and no word."""
    frame = pd.DataFrame(
        {"text": ["=1", None, pd.NA], "flag": [True, None, False]}
    ).convert_dtypes()

    assert to_csv(frame).decode() == "text,flag\n'=1,True\n,\n,False\n"
