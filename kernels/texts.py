"""What a recorded text may be: how long, in how many lines, and of which letters; refused alike
when it is written, read and imported.

A text stands in pages, pictures, tables and terminals. Letters that nobody sees, or that turn the
text round them, have no place in any of them, and a text of a megabyte is no remark. How long the
text of a field may be, and whether it may have several lines, stands beside it in `records`.
"""

import dataclasses
import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any, Final, TypeVar, get_args, get_type_hints

from kernels.errors import StoreError

T = TypeVar("T")

_UNSEEN: Final = r"\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f"  # noqa: E501 - ranges of letters
_ONE_LINE: Final = re.compile(rf"[\t\n{_UNSEEN}]")
_SEVERAL: Final = re.compile(rf"[{_UNSEEN}]")

_NAMES: Final[Mapping[str, str]] = {
    "\n": "a line break",
    "\t": "a tab",
    "\r": "a carriage return",
    "\0": "a zero byte",
}

STAND_IN: Final = "\N{REPLACEMENT CHARACTER}"


class TextError(StoreError):
    """A text that may not be recorded, and the path of its column."""

    def __init__(self, path: str, text: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.text = text


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """What the texts of one field may be."""

    longest: int
    lines: bool

    def fault(self, text: str) -> str | None:
        """Returns what is wrong with a text, and what to do; None where nothing is."""
        if len(text) > self.longest:
            return (
                f"found a text of {len(text)} letters ({text[:40]!r}...), wanted {self.longest} "
                "or fewer: shorten it"
            )
        found = (_SEVERAL if self.lines else _ONE_LINE).search(text)
        if found is None:
            return None
        what = _NAMES.get(found[0], f"U+{ord(found[0]):04X}, which nobody sees")
        about = text[max(0, found.start() - 20) : found.end() + 20]
        return (
            f"found {what} in {about!r}, wanted "
            f"{'plain text' if self.lines else 'one line of plain text'}: take it out"
        )

    def mended(self, text: str) -> str:
        """The text as it may be recorded, for what a machine says of itself: a measurement is not
        lost over its remark.
        """
        plain = (_SEVERAL if self.lines else _ONE_LINE).sub(STAND_IN, text)
        return plain if len(plain) <= self.longest else f"{plain[: self.longest - 1]}…"


@cache
def rule(record: type, field: str) -> Rule:
    """The rule of a field."""
    (metadata,) = (each.metadata for each in dataclasses.fields(record) if each.name == field)
    return Rule(metadata["longest"], metadata["several_lines"])


@cache
def _worded(record: type) -> tuple[str, ...]:
    """Fields of a record that are texts, or records with texts in them: steps and readings have
    none and may be a million.
    """
    hints = get_type_hints(record)
    return tuple(each.name for each in dataclasses.fields(record) if _has_text(hints[each.name]))


def _has_text(hint: object) -> bool:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return bool(_worded(hint))
    return hint is str or any(map(_has_text, get_args(hint)))


def faults(record: Any) -> Iterator[str]:
    """Yields what is wrong with the texts of a record, those within it too, each with its field."""
    kind: Any = type(record)
    for name in _worded(kind):
        value = getattr(record, name)
        for one in value if isinstance(value, tuple) else (value,):
            if isinstance(one, str):
                reason = rule(kind, name).fault(one)
                yield from () if reason is None else (f"{name}: {reason}",)
            elif one is not None:
                yield from (f"{name}.{found}" for found in faults(one))


def mended(record: T) -> T:
    """The record with every text as it may be recorded."""
    made: dict[str, Any] = {}
    kind: Any = type(record)
    for name in _worded(kind):
        value = getattr(record, name)
        made[name] = (
            tuple(_mended(record, name, one) for one in value)
            if isinstance(value, tuple)
            else _mended(record, name, value)
        )
    return dataclasses.replace(record, **made)  # type: ignore[type-var]  # a record is a dataclass


def _mended(record: Any, field: str, value: object) -> object:
    kind: Any = type(record)
    if isinstance(value, str):
        return rule(kind, field).mended(value)
    return value if value is None else mended(value)
