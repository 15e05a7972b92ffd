"""Keys in records that have a text for readers in each language of the site: the list is
`keys.toml`, and a record with another is refused.

A key that nobody has put into words would stop the site's build, or leave a hole in a page. Rows,
columns and texts of printed tables may also be names, which stay as they are: whatever does not
look like a key, and what the catalogue calls a machine or a part of one.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final

from kernels import catalog
from kernels.records import PrintedCell
from kernels.tabular import document, nearest

PLACE: Final = Path(__file__).with_name("keys.toml")

_FIELDS: Final[Mapping[str, Mapping[str, str]]] = {
    "Run": {"parallelism": "parallelism", "caveats": "caveat"},
    "Claim": {"quantity": "claim", "reason": "claim_reason"},
    "Source": {
        "language": "language",
        "translated_from": "language",
        "published_note": "source_note",
        "transcription_note": "source_note",
        "disclaimers": "disclaimer",
        "tags": "tag",
    },
    "Review": {"role": "review_role", "status": "review_status", "comment": "review_comment"},
    "PrintedCell": {"table": "table"},
    "Price": {"includes": "includes", "notes": "price_note"},
}
"""Group of each field that holds keys, by record."""


_OF_CELLS: Final[Mapping[str, str]] = {
    "row": "cell_row",
    "column": "cell_column",
    "text": "cell_text",
}
"""Group of each field of a cell that holds a key or a name."""

_OF_TABLES: Final[Mapping[tuple[str, ...], str]] = {
    ("row", "limits"): "limit",
    ("row", "open-questions"): "open_question",
    ("row", "statements"): "statement",
    ("text", "compared", "cards"): "cell_text",
    ("text", "compared", "compared"): "cell_text",
    ("text", "power", "counted"): "power_status",
    ("text", "power", "specified-status"): "power_status",
    ("text", "statements", "type"): "kind",
}
"""Group of a cell's row by its table, or of its text by table and column, where pages and charts
want a key and no name.
"""

_KEY: Final = re.compile(r"(?=[-0-9]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*")
"""What looks like a key: small letters, and digits among them."""

_APART: Final = ",:()"
"""Letters that part the references to a figure (`claims`), so that no name of a row or column has
one.
"""

_MONTH: Final = re.compile(r"([0-9]{4})-([0-9]{2})")
"""A month as a text has it; each language writes it its own way."""


@cache
def known() -> Mapping[str, frozenset[str]]:
    """Keys by group, as the strings of the site have them."""
    return {group: frozenset(found) for group, found in _read().items() if group != "names"}


@cache
def _read() -> Mapping[str, Any]:
    return document(PLACE)


@cache
def _names(group: str) -> frozenset[str]:
    """Names that look like keys and may stand where those of a group do."""
    listed = frozenset(_read()["names"].get(group, ()))
    if group != "cell_row":
        return listed
    own = catalog.load()
    hosts = (system.instance for system in own.systems.values())
    return (
        listed
        | own.hardware.keys()
        | own.systems.keys()
        | known()["implementation"]
        | {host for host in hosts if host}
    )


def groups(record: type) -> Mapping[str, str]:
    """Group of each field of a record that holds keys."""
    return _FIELDS.get(record.__name__, {})


def faults(record: object) -> Iterator[str]:
    """Keys of a record that are in no list, each with its field, and names that nobody could read
    or refer to.
    """
    for field, group in groups(type(record)).items():
        value = getattr(record, field)
        for key in (value,) if isinstance(value, str) else value or ():
            if fault := _unknown(key, group):
                yield f"{field}: {fault}"
    if isinstance(record, PrintedCell):
        for field, group in _OF_CELLS.items():
            word = getattr(record, field)
            if word is not None and (fault := _of_cell(record, field, word, group)):
                yield f"{field}: {fault}"


def _unknown(key: str, group: str) -> str | None:
    """What is wrong with a key that a group has no words for."""
    if key in known()[group]:
        return None
    hint = f"{nearest(key, known()[group])} (kernels/checks/{PLACE.name}, {group})"
    return f"found the key {key[:80]!r}, which no language has words for; {hint}"


def _of_cell(cell: PrintedCell, field: str, word: str, group: str) -> str | None:
    """What is wrong with the row, the column or the text of a cell."""
    wanted = _OF_TABLES.get((field, cell.table)) or _OF_TABLES.get((field, cell.table, cell.column))
    if wanted is not None:
        return _unknown(word, wanted)
    if not word.strip():
        return (
            f"found {word!r}, wanted a key or a name: "
            f"{'leave it null' if field == 'text' else 'say what it is of'}"
        )
    if field != "text" and any(letter in word for letter in _APART):
        return (
            f"found {word[:80]!r}, wanted a name without any of {_APART!r}, by which its "
            "figures can be referred to: leave them out"
        )
    if (
        field == "text"
        and (month := _MONTH.fullmatch(word))
        and not _is_month(int(month[1]), int(month[2]))
    ):
        return f"found {word!r}, wanted a month as in '2019-05': mend it"
    fault = _unknown(word, group) if _KEY.fullmatch(word) and word not in _names(group) else None
    return fault and f"{fault}; a name has a capital, a space or a full stop"


def _is_month(year: int, month: int) -> bool:
    return date.min.year <= year and 1 <= month <= 12  # noqa: PLR2004 - of a year
