"""Options of a run: name, help and how the value is parsed."""

import argparse
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from kernels.records import DataKind, Precision

PRECISIONS: Final = {
    each.value: each for each in Precision if each not in (Precision.MIXED, Precision.UNKNOWN)
} | {"bf16": Precision.AMP_BF16, "fp16": Precision.AMP_FP16}
"""Precisions on the command line; `bf16` and `fp16` mean automatic mixed precision."""

DATA: Final = {kind.value: kind for kind in DataKind} | {"synthetic": DataKind.SYNTHETIC_DEVICE}
"""Kinds of data on the command line; `synthetic` is made on the device."""


def number(least: int) -> Callable[[str], int]:
    """Returns a parser of whole numbers."""

    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or len(text) > 18 or int(text) < least:  # noqa: PLR2004 - what fits 64 bits
            raise argparse.ArgumentTypeError(
                f"found {text!r}, wanted a whole number of {least} or more"
            )
        return int(text)

    return read


def numbers(least: int) -> Callable[[str], list[int]]:
    """Returns a parser of whole numbers separated by commas."""
    one = number(least)

    def read(text: str) -> list[int]:
        found = [one(part) for part in text.split(",")]
        if len(found) != len(set(found)):
            raise argparse.ArgumentTypeError(f"found {text!r}, wanted each number once")
        return found

    return read


def rate(text: str) -> float | None:
    """Parses readings per second; None for none."""
    if text == "off":
        return None
    try:
        hertz = float(text)
    except ValueError:
        hertz = 0.0
    if not 0.1 <= hertz <= 1000:  # noqa: PLR2004 - sensors have nothing new to say a thousand times a second
        raise argparse.ArgumentTypeError(
            f"found {text!r}, wanted readings a second from 0.1 to 1000, or off"
        )
    return hertz


@dataclass(frozen=True, slots=True)
class Flag:
    """One option of a run.

    Attributes:
        name: Name on the command line, with - for _, and in a suite; empty for the field's.
        read: Parses the text.
        kinds: Types allowed in a suite; none for options that depend on the machine.
        default: Default; `...` for the field's.
        many: Several values make several runs.
        anywhere: May be given together with a suite, for the runs that leave it open.
    """

    help: str
    name: str = ""
    read: Callable[[str], Any] = str
    kinds: tuple[type, ...] = (str,)
    default: Any = ...
    choices: tuple[str, ...] = ()
    metavar: str | None = None
    many: bool = False
    anywhere: bool = False

    @property
    def beside_a_suite(self) -> bool:
        """True if it may be given on the command line of a suite."""
        return self.anywhere or not self.kinds
