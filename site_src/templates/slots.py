"""Slots: places in finished HTML that are filled later, with what differs between pages.

A slot is a name between two private-use characters: no prose contains them, and no filter of the
theme changes them.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

_OPEN, _CLOSE = "\ue000", "\ue001"
_SLOT: Final = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]+){_CLOSE}")


def slot(name: str) -> str:
    """The mark of the slot `name`."""
    return f"{_OPEN}{name}{_CLOSE}"


def put(text: str, values: Mapping[str, str]) -> str:
    """Fill the slots that have a value; values may contain slots."""
    return _SLOT.sub(lambda match: values.get(match[1], match[0]), text)


@dataclass(frozen=True, slots=True)
class Pieces:
    """Text cut at its slots: `pieces` has one more item than `names`, and they alternate."""

    pieces: tuple[str, ...]
    names: tuple[str, ...]

    @classmethod
    def of(cls, text: str) -> "Pieces":
        """Cut a text at its slots."""
        parts = _SLOT.split(text)
        return cls(tuple(parts[::2]), tuple(parts[1::2]))

    def fill(self, values: Mapping[str, str]) -> str:
        """Put a value into each slot; KeyError names a slot without one."""
        out = [self.pieces[0]]
        for name, piece in zip(self.names, self.pieces[1:], strict=True):
            out += (values[name], piece)
        return "".join(out)
