"""Keys in records that have a text for readers in each language of the site: the list is `keys.toml`, and a record with another is refused.

A key that nobody has put into words would stop the site's build, or leave a hole in a page.
"""

import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Final

from kernels.textfiles import nearest

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
    "Cell": {"table": "table"},
    "Price": {"includes": "includes", "notes": "price_note"},
}
"""Group of each field that holds keys, by record."""


@cache
def known() -> Mapping[str, frozenset[str]]:
    """Keys by group, as the strings of the site have them."""
    return {group: frozenset(keys) for group, keys in tomllib.loads(PLACE.read_text(encoding="utf-8")).items()}


def groups(record: type) -> Mapping[str, str]:
    """Group of each field of a record that holds keys."""
    return _FIELDS.get(record.__name__, {})


def faults(record: object) -> Iterator[str]:
    """Keys of a record that are in no list, each with its field."""
    for field, group in groups(type(record)).items():
        value = getattr(record, field)
        for key in (value,) if isinstance(value, str) else value or ():
            if key not in known()[group]:
                found = f"found the key {key[:80]!r}, which no language has words for"
                yield f"{field}: {found}; {nearest(key, known()[group])} (kernels/{PLACE.name}, {group})"
