"""CSV that a spreadsheet shows and does not run: texts that it would take for a formula get an
apostrophe in front, and lose it again.

A spreadsheet calculates what begins with one of `FORMULA`, whoever wrote it. So a text that begins
with one of those, or with an apostrophe, stands in a CSV file with one apostrophe more; whoever
reads the file takes the first apostrophe of a cell away and has the text back. Numbers stand as
they are. `share.js` has the same rule for the tables of the share panel, and is given `FORMULA` and
`NUMBER`.
"""

import csv
import re
from collections.abc import Iterable
from typing import Final

import pandas as pd

FORMULA: Final = "=+-@\t\r\n＝＋－＠"
"""Letters with which a cell begins that a spreadsheet calculates."""

NUMBER: Final = "[+-]?[0-9]+([.][0-9]+)?([eE][+-]?[0-9]+)?"
"""What is a number to whoever reads the file."""

GUARD: Final = "'"

_NUMBER: Final = re.compile(NUMBER)
_GUARDED: Final = tuple(FORMULA + GUARD)


def guarded(text: str) -> str:
    """The text as it stands in a cell."""
    return GUARD + text if text.startswith(_GUARDED) and not _NUMBER.fullmatch(text) else text


def unguarded(cell: str) -> str:
    """The text of a cell."""
    return cell.removeprefix(GUARD)


def to_csv(frame: pd.DataFrame, *, header: bool = True) -> bytes:
    """A table as CSV: UTF-8, comma-separated, with a decimal point, figures at full precision,
    missing ones empty, texts guarded.
    """
    texts = [name for name in frame if not pd.api.types.is_numeric_dtype(frame[name])]
    found = {
        name: [each for each in frame[name].unique() if isinstance(each, str)] for name in texts
    }
    unsafe = {
        name: {each: guarded(each) for each in own}
        for name, own in found.items()
        if any(each != guarded(each) for each in own)
    }
    plain = frame.assign(
        **{
            str(name): [safe[each] if isinstance(each, str) else each for each in frame[name]]
            for name, safe in unsafe.items()
        }
    )
    returns = any("\r" in each for own in found.values() for each in own)
    # pandas quotes no carriage return of itself, and readers take it for the end of the row
    content: str = plain.to_csv(
        index=False,
        header=header,
        lineterminator="\n",
        quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL,
    )
    return content.encode()


def rows(lines: Iterable[str]) -> list[dict[str, str]]:
    """The rows of such a file by column, texts as they were."""
    return [{name: unguarded(cell) for name, cell in row.items()} for row in csv.DictReader(lines)]
