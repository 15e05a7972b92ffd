"""A field of a record with its description, and what ids, addresses and figures may be."""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import MISSING, dataclass, field
from datetime import date
from typing import Any, TypeVar, dataclass_transform
from urllib.parse import urlsplit

from kernels.errors import RecordError

T = TypeVar("T")

Day = date
"""The type, where a field is called so."""

LONGEST_TEXT = 1_000
"""Letters of a text; the longest of the archive has half as many."""


def described(
    meaning: str,
    unit: str = "-",
    *,
    default: Any = MISSING,
    longest: int = LONGEST_TEXT,
    several_lines: bool = False,
) -> Any:
    """A field of a record, with the description of its column.

    Args:
        meaning: One sentence.
        unit: One of `units.UNITS`; `-` is none; `(unit)` and `(currency)` point to the neighbouring
            column that says it; `UTC` and `day` are points in time.
        default: What the field is where it is left out.
        longest: Letters that a text may have.
        several_lines: Whether a text may have several lines, and tabs in them.
    """
    metadata = {
        "unit": unit,
        "meaning": meaning,
        "longest": longest,
        "several_lines": several_lines,
    }
    return field(default=default, metadata=metadata)


def licensed(what: str) -> Any:
    """The field with the terms of a record's figures."""
    text = f"SPDX id or short name of the terms under which the {what} may be passed on."
    return described(text)


@dataclass_transform(frozen_default=True, field_specifiers=(described, licensed))
def record(cls: type[T]) -> type[T]:
    """A frozen dataclass whose fields are `described`, so that it can be stored."""
    return dataclass(frozen=True, slots=True)(cls)


class Deferred:
    """A record of which some fields are worked out when somebody first asks for them."""

    __slots__ = ("_later",)
    _later: Callable[[str], object]

    def defer(self, names: Iterable[str], later: Callable[[str], object]) -> None:
        """Leave out these fields: `later` gives each by its name."""
        for name in names:
            object.__delattr__(self, name)
        object.__setattr__(self, "_later", later)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        value = self._later(name)
        object.__setattr__(self, name, value)
        return value


NO_LICENCE = "LicenseRef-none-stated"
"""Licence where a source states none: its figures are neither committed nor published."""

_ID = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")

LONGEST_ID = 120
"""Letters of an id: it is a folder's name in the site, and part of a file's name here."""

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{|}]+", re.IGNORECASE)

LONGEST_ADDRESS = 1000


def check_id(kind: str, value: str) -> None:
    """Refuse an id that could not stand in an address."""
    if not _ID.fullmatch(value):
        raise RecordError(
            f"{kind} {value[:200]!r}: an id is lower-case letters and digits joined by '-' or '.', "
            "as in 'tpuv2-v100'"
        )
    if len(value) > LONGEST_ID:
        raise RecordError(
            f"{kind} {value[:40]!r}...: found {len(value)} letters, wanted {LONGEST_ID} or fewer: "
            "shorten it"
        )


def check_address(owner: str, value: str | None) -> None:
    """Refuse what is no http or https address of a page: who follows it must run nothing."""
    if value is not None and not (
        _ADDRESS.fullmatch(value) and len(value) <= LONGEST_ADDRESS and _has_host(value)
    ):
        raise RecordError(
            f"{owner} is {value[:200]!r}, wanted an address that begins with https:// or http://, "
            "or nothing: mend it or leave it out"
        )


def _has_host(address: str) -> bool:
    """Whether it names a host, and no user before it, who would pass for the host."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:  # a bracket left open, a port that is no number
        return False


MOST_DECIMALS = 30
"""Decimals of a figure at most: a number has 17 digits, small ones zeros before them."""


def check_decimals(owner: str, value: int | None) -> None:
    """Refuse decimals that no source prints and that would fill the memory."""
    if value is not None and abs(value) > MOST_DECIMALS:
        raise RecordError(
            f"{owner}: decimals is {value}, wanted -{MOST_DECIMALS} to {MOST_DECIMALS}: count "
            "those that are printed"
        )


def check_currency(owner: str, value: str) -> None:
    """Refuse a currency that is not written as three capitals."""
    if not re.fullmatch(r"[A-Z]{3}", value):
        raise RecordError(f"{owner}: currency {value!r} is not an ISO 4217 code such as USD")


def locator_parts(locator: str) -> tuple[tuple[str, str], ...]:
    """A place in a source: `table 1, row 3` is (table, 1), (row, 3).

    Words are translated as `locator.<word>` in `strings/`; names stand in single quotes.
    """
    parts = (part.strip().partition(" ") for part in re.findall(r"(?:[^,']|'[^']*')+", locator))
    return tuple((word, value.strip().strip("'")) for word, _, value in parts if word)


def check_finite(owner: str, **values: float | None) -> None:
    """Refuse a figure that is no number."""
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise RecordError(f"{owner}: {name} is {value}; record None with a status instead")
