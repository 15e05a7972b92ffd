"""Rules for recorded texts (length, lines and letters) for writing, reading and importing.

Texts appear in pages, pictures, tables and terminals. Letters that are invisible or change the
direction of a text are refused, and so are long texts. The longest text of a field, and whether it
may have several lines, are defined in `records`.
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
    """A text may not be recorded; names the path of its column."""

    def __init__(self, path: str, text: str, reason: str) -> None:
        super().__init__(f"{path}: {reason}")
        self.path = path
        self.text = text


@dataclasses.dataclass(frozen=True, slots=True)
class Rule:
    """Rule for the texts of one field."""

    longest: int
    lines: bool

    def fault(self, text: str) -> str | None:
        """Returns the fault of a text, and what to do; None without one."""
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
        """Makes a machine's text recordable: a measurement is not lost for a remark."""
        plain = (_SEVERAL if self.lines else _ONE_LINE).sub(STAND_IN, text)
        return plain if len(plain) <= self.longest else f"{plain[: self.longest - 1]}…"


@cache
def rule(record: type, field: str) -> Rule:
    """Returns the rule of a field."""
    (metadata,) = (each.metadata for each in dataclasses.fields(record) if each.name == field)
    return Rule(metadata["longest"], metadata["several_lines"])


@cache
def _worded(record: type) -> tuple[str, ...]:
    """Returns the fields of a record that are texts, or records with texts: steps and readings have
    none and may be a million.
    """
    hints = get_type_hints(record)
    return tuple(each.name for each in dataclasses.fields(record) if _has_text(hints[each.name]))


def _has_text(hint: object) -> bool:
    if isinstance(hint, type) and dataclasses.is_dataclass(hint):
        return bool(_worded(hint))
    return hint is str or any(map(_has_text, get_args(hint)))


def faults(record: Any) -> Iterator[str]:
    """Yields the faults of a record's texts, nested ones too, each with its field."""
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
    """Returns the record with every text made recordable."""
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
