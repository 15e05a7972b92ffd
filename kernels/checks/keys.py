"""Checks that every key in a record has a text in each language of the site.

A key without words would stop the site's build or leave a gap in a page, so the known keys are
those of the site's own files: `words.csv` of a report or of several, and `strings/`. Rows, columns
and texts of printed tables may also be names, which are not translated: anything that does not look
like a key, and the catalogue's names of machines and their parts.
"""

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any, Final, cast

from kernels import catalog
from kernels.records import PrintedCell
from kernels.tabular import document, nearest, rows

SITE: Final = Path(__file__).resolve().parents[2] / "site_src"
"""Folder of the site, whose files of words are read."""

_TABLES: Final[Mapping[str, Any]] = document(Path(__file__).with_suffix(".toml"))
_FIELDS: Final[Mapping[str, Mapping[str, str]]] = _TABLES["fields"]
_OF_CELLS: Final[Mapping[str, str]] = _TABLES["cells"]
_OF_TABLES: Final = {tuple(place): group for *place, group in _TABLES["tables"]}

_GROUPS: Final = frozenset(
    {group for fields in _FIELDS.values() for group in fields.values()}
    | {*_OF_CELLS.values(), *_OF_TABLES.values(), "implementation"}
)
"""Groups of keys that records may hold."""

_KEY: Final = re.compile(r"(?=[-0-9]*[a-z])[a-z0-9]+(?:-[a-z0-9]+)*")
"""Pattern of a key: small letters, and digits among them."""

_SEPARATORS: Final = ",:()"
"""Separators in a reference, which names of rows and columns may not contain."""

_MONTH: Final = re.compile(r"[0-9]{4}-[0-9]{2}")
"""Pattern of a month in a text; each language writes it differently."""


@cache
def known() -> Mapping[str, frozenset[str]]:
    """Returns the keys that have words, by group; the same in all languages."""
    strings = document(SITE / "strings" / "en.toml")
    found = {
        f"{group}.{key}"
        for group in _GROUPS & strings.keys()
        for key in cast("Mapping[str, object]", strings[group])
    } | {
        row.text("key")
        for path in (SITE / "content").rglob("words.csv")
        for row in rows(path, lambda _: True, ("key",))
    }
    by_group = defaultdict(set)
    for group, _, key in (key.partition(".") for key in found):
        by_group[group].add(key)
    return {group: frozenset(by_group[group]) for group in _GROUPS}


@cache
def _names_of_rows() -> frozenset[str]:
    own = catalog.load()
    hosts = {system.instance for system in own.systems.values() if system.instance}
    return known()["implementation"] | own.hardware.keys() | own.systems.keys() | hosts


def groups(record: type) -> Mapping[str, str]:
    """Returns the group of each field of a record that holds keys."""
    return _FIELDS.get(record.__name__, {})


def faults(record: object) -> Iterator[str]:
    """Yields faults of a record's texts, each with its field: keys without words, and names that
    cannot be read or referenced.
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
    if key in known()[group]:
        return None
    hint = f"{nearest(key, known()[group])} ({group} in site_src/content/reports/*/words.csv)"
    return f"found the key {key[:80]!r}, which no language has words for; {hint}"


def _of_cell(cell: PrintedCell, field: str, word: str, group: str) -> str | None:
    wanted = _OF_TABLES.get((field, cell.table)) or _OF_TABLES.get((field, cell.table, cell.column))
    if wanted is not None:
        return _unknown(word, wanted)
    if not word.strip():
        return (
            f"found {word!r}, wanted a key or a name: "
            f"{'leave it null' if field == 'text' else 'say what it is of'}"
        )
    if field != "text" and any(letter in word for letter in _SEPARATORS):
        return (
            f"found {word[:80]!r}, wanted a name without any of {_SEPARATORS!r}, by which its "
            "figures can be referred to: leave them out"
        )
    if field == "text" and _MONTH.fullmatch(word):
        try:
            date.fromisoformat(f"{word}-01")
        except ValueError:
            return f"found {word!r}, wanted a month as in '2019-05': mend it"
    is_name = not _KEY.fullmatch(word) or (field == "row" and word in _names_of_rows())
    fault = None if is_name else _unknown(word, group)
    return fault and f"{fault}; a name has a capital, a space or a full stop"
