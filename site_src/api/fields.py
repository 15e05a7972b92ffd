"""Fields of records in the API."""

from enum import StrEnum
from typing import Any

Record = dict[str, Any]


def fields_of(one: object, names: str) -> Record:
    """Fields of a record in that order, as JSON values; `key=field` renames one."""
    found = {}
    for name in names.split():
        key, _, field = name.partition("=")
        value = getattr(one, field or key)
        if isinstance(value, tuple):
            value = list(value)
        found[key] = str(value) if isinstance(value, StrEnum) else value
    return found
