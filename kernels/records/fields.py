"""A field of a record with its description, and checks of ids, addresses and figures."""

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
"""The type `date`, for records with a field of that name."""

LONGEST_TEXT = 1_000
"""Most letters of a text; the longest of the archive has half as many."""


def described(
    meaning: str,
    unit: str = "-",
    *,
    default: Any = MISSING,
    longest: int = LONGEST_TEXT,
    several_lines: bool = False,
) -> Any:
    """Declares a field of a record with the description of its column.

    Args:
        meaning: One sentence.
        unit: One of `units.UNITS`; `-` is none; `(unit)` and `(currency)` refer to the neighbouring
            column; `UTC` and `day` are points in time.
        default: Value if omitted.
        longest: Most letters of a text.
        several_lines: True if a text may have several lines, and tabs in them.
    """
    metadata = {
        "unit": unit,
        "meaning": meaning,
        "longest": longest,
        "several_lines": several_lines,
    }
    return field(default=default, metadata=metadata)


def licensed(what: str) -> Any:
    """Declares the field with the terms of a record's figures."""
    text = f"SPDX id or short name of the terms under which the {what} may be passed on."
    return described(text)


@dataclass_transform(frozen_default=True, field_specifiers=(described, licensed))
def record(cls: type[T]) -> type[T]:
    """Makes a frozen dataclass whose fields are `described`, so that it can be stored."""
    return dataclass(frozen=True, slots=True)(cls)


class Deferred:
    """A record with fields that are computed at first access."""

    __slots__ = ("_later",)
    _later: Callable[[str], object]

    def defer(self, names: Iterable[str], later: Callable[[str], object]) -> None:
        """Removes these fields: `later` returns each by name."""
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
"""Licence if a source states none: its figures are neither committed nor published."""

_ID = re.compile(r"[a-z0-9]+(?:[-.][a-z0-9]+)*")

LONGEST_ID = 120
"""Most letters of an id: it is a folder's name in the site, and part of a file's name here."""

_ADDRESS = re.compile(r"https?://[^\s<>\"'`\\^{|}]+", re.IGNORECASE)

LONGEST_ADDRESS = 1000


def check_id(kind: str, value: str) -> None:
    """Refuses an id that could not be part of an address."""
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
    """Refuses anything but an http or https address: following it must run nothing."""
    if value is not None and not (
        _ADDRESS.fullmatch(value) and len(value) <= LONGEST_ADDRESS and _has_host(value)
    ):
        raise RecordError(
            f"{owner} is {value[:200]!r}, wanted an address that begins with https:// or http://, "
            "or nothing: mend it or leave it out"
        )


def _has_host(address: str) -> bool:
    """Returns True if an address names a host, and no user before it that could look like one."""
    try:
        parts = urlsplit(address)
        return bool(parts.hostname) and "@" not in parts.netloc and (parts.port or 1) > 0
    except ValueError:  # a bracket left open, a port that is no number
        return False


MOST_DECIMALS = 30
"""Most decimals of a figure: a number has 17 digits, small ones zeros before them."""


def check_decimals(owner: str, value: int | None) -> None:
    """Refuses decimals that no source prints and that would fill the memory."""
    if value is not None and abs(value) > MOST_DECIMALS:
        raise RecordError(
            f"{owner}: decimals is {value}, wanted -{MOST_DECIMALS} to {MOST_DECIMALS}: count "
            "those that are printed"
        )


def check_currency(owner: str, value: str) -> None:
    """Refuses a currency that is not three capitals."""
    if not re.fullmatch(r"[A-Z]{3}", value):
        raise RecordError(f"{owner}: currency {value!r} is not an ISO 4217 code such as USD")


def locator_parts(locator: str) -> tuple[tuple[str, str], ...]:
    """Parses a place in a source: `table 1, row 3` is (table, 1), (row, 3).

    Words are translated as `locator.<word>` in `strings/`; names stand in single quotes.
    """
    parts = (part.strip().partition(" ") for part in re.findall(r"(?:[^,']|'[^']*')+", locator))
    return tuple((word, value.strip().strip("'")) for word, _, value in parts if word)


def check_finite(owner: str, **values: float | None) -> None:
    """Refuses a figure that is not finite."""
    for name, value in values.items():
        if value is not None and not math.isfinite(value):
            raise RecordError(f"{owner}: {name} is {value}; record None with a status instead")
