"""CSV that spreadsheets show and do not run: texts that look like formulas get a leading
apostrophe, which readers remove.

Spreadsheets calculate cells that begin with one of `FORMULA`. So texts that begin with one of these
or with an apostrophe get an apostrophe in front; whoever reads the file removes the first
apostrophe of a cell. Numbers stay as they are. `share.js` has the same rule for the tables of the
share panel, and is given `FORMULA` and `NUMBER`.
"""

import csv
import math
import re
from collections.abc import Iterable
from typing import Final

import pandas as pd
from pandas.api.types import is_bool_dtype, is_float_dtype, is_integer_dtype

FORMULA: Final = "=+-@\t\r\n＝＋－＠"
"""First characters of cells that spreadsheets calculate."""

NUMBER: Final = "[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?"
"""Pattern of numbers for readers of the file."""

GUARD: Final = "'"

_DIGITS: Final = 15
"""Significant digits that binary fractions always preserve."""

_NUMBER: Final = re.compile(NUMBER)
_GUARDED: Final = tuple(FORMULA + GUARD)


def guarded(text: str) -> str:
    """The cell of a text."""
    return GUARD + text if text.startswith(_GUARDED) and not _NUMBER.fullmatch(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell."""
    return cell.removeprefix(GUARD)


def number(value: float) -> str:
    """The cell of a number: without decimals if whole, and 0.4087 instead of
    0.40870000000000006.
    """
    exact = repr(float(value)).removesuffix(".0")
    if len(exact) <= _DIGITS or "." not in exact:
        return exact
    decimal = f"{value:.{_DIGITS}g}"
    return decimal if len(decimal) + 3 < len(exact) else exact


def to_csv(frame: pd.DataFrame, *, header: bool = True) -> bytes:
    """A table as CSV: UTF-8, comma-separated, with a decimal point, figures written by `number`,
    missing ones empty, texts guarded.
    """
    cells = {
        str(name): _cells(own)
        for name, own in frame.items()
        if not (is_bool_dtype(own) or is_integer_dtype(own))
    }
    returns = any(
        isinstance(each, str) and "\r" in each for name in cells for each in frame[name].unique()
    )
    # pandas does not quote carriage returns, which readers take for the end of the row
    content: str = frame.assign(**cells).to_csv(
        index=False,
        header=header,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL,
    )
    return content.encode()


def _cells(own: pd.Series) -> pd.Series:
    if is_float_dtype(own):
        return pd.Series([*map(_cell, own.tolist())], own.index, dtype=object)
    known = {each: _cell(each) for each in own.unique() if isinstance(each, str | float)}
    if all(each is cell or each == cell for each, cell in known.items()):
        return own
    cells = [known.get(each, each) if isinstance(each, str | float) else each for each in own]
    return pd.Series(cells, own.index, dtype=object)


def _cell(value: object) -> object:
    if isinstance(value, str):
        return guarded(value)
    return number(value) if isinstance(value, float) and not math.isnan(value) else value


def rows(lines: Iterable[str]) -> list[dict[str, str]]:
    """The rows of such a file by column, texts as they were."""
    return [{name: unguarded(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]
