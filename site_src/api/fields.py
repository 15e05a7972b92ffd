"""Fields of records as the API has them."""

from enum import StrEnum
from typing import Any

Record = dict[str, Any]


def fields_of(one: object, names: str) -> Record:
    """Fields of a record in that order, `key=field` one that is called otherwise here; in the form
    that JSON has for them.
    """
    found = {}
    for name in names.split():
        key, _, field = name.partition("=")
        value = getattr(one, field or key)
        if isinstance(value, tuple):
            value = list(value)
        found[key] = str(value) if isinstance(value, StrEnum) else value
    return found
