"""The columns of a figure's table, and how their cells are written."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import pandas as pd

from kernels.records import PriceKind
from site_src.locales import Locale
from site_src.tables import BLEU, Row

Kind = Literal[
    "text",
    "key",
    "number",
    "times",
    "quantity",
    "fraction",
    "money",
    "series",
    "run",
    "price",
    "link",
]

ABSENT: Final = "–"
UNKNOWN: Final = ("precision.unknown", "clock_scope.unknown")
"""Keys of words that say that a source does not state something."""

BOUNDS: Final[Mapping[str, tuple[str, str]]] = {
    "approx": ("about", "figure.about"),
    "gt": ("more_than", "figure.more"),
    "lt": ("less_than", "figure.less"),
}
"""Words around a figure that is about, at least or at most: in full, and as a sign."""

READ_IN: Final[Mapping[str, tuple[float, str]]] = {"Hz": (1e6, "MHz")}
"""Units for quantities of mixed columns: clocks as monitors show them."""


def present(value: object) -> bool:
    """Returns True if a table's cell is neither None nor NaN."""
    return (
        value is not None
        and not (isinstance(value, float) and math.isnan(value))
        and value is not pd.NA
    )


def labelled(label: str, locale: Locale) -> str:
    """A label as the language writes it: batch sizes are numbers."""
    return locale.number(int(label), 0) if label.isdecimal() else label


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a figure's table, as readers and downloads see it.

    Attributes:
        name: Column of the table, and of CSV and Parquet.
        heading: Key of its heading in `strings/`.
        kind: How a cell is written. `key` says `<prefix>.<value>`, `quantity` takes the unit from
            the column `unit`, in the multiple of it that the column `like` has; `times` is a ratio,
            `link` a path below the language, written as the column `<name>_label` has it, else as
            `<prefix>`.
        unit: Unit of its figures, as in `kernels.units.UNITS`; shown in the heading.
        decimals: Decimals shown; None shows what the value needs.
        of_same: Column with the references of its figures, if they are not its own.
        prefix: For `key` and `link`: where its words are.
        shown: True if the page's table has it; downloads have every column.
        counted: True if the heading itself says what is counted, so that it needs no unit: "Epoch",
            "Epochs trained".
        absent: Key of the text of an empty cell; empty for a dash.
        named: An untranslated name that replaces the heading's words.
        of: A name for `{name}` in the heading's words.
        names_row: True if it names its row, as a series' column always does.
        fractions: True if a `quantity` without a unit is a fraction, written as a percentage.
        signed: True if positive figures have a plus sign: the column holds differences.

    A `fraction` whose row says `bleu` in `<name>_metric` is a score from 0 to 100.
    """

    name: str
    heading: str
    kind: Kind = "text"
    unit: str = "1"
    decimals: int | None = None
    of_same: str = ""
    prefix: str = ""
    shown: bool = True
    absent: str = ""
    counted: bool = False
    named: str = ""
    of: str = ""
    names_row: bool = False
    fractions: bool = False
    signed: bool = False

    @property
    def ref(self) -> str:
        """The column of each figure's reference; figures without one are not facts."""
        return f"{self.of_same or self.name}_ref"

    def title(self, locale: Locale) -> str:
        """The name of the column."""
        return self.named or (
            locale.say(self.heading, name=self.of) if self.of else locale.say(self.heading)
        )

    def tells(self, row: Row) -> bool:
        """Returns True if the cell says something: a value, or that none exists."""
        return (
            bool(self.absent) or present(row.get(self.name)) or present(row.get(f"{self.name}_why"))
        )

    def write(self, row: Row, locale: Locale, *, unit: bool = False, brief: bool = False) -> str:
        """The cell as text; a missing value gives the reason or a dash. With `unit` a figure
        carries its unit; `brief` uses a sign for "about".
        """
        text = self._plain(row, locale, unit=unit)
        words = BOUNDS.get(row.get(f"{self.name}_bound") or "")
        if words is None or text == ABSENT:
            return text
        return locale.say(words[brief], n=text)

    def _plain(self, row: Row, locale: Locale, *, unit: bool) -> str:
        value: Any = row.get(self.name)
        if not present(value):
            why = row.get(f"{self.name}_why")
            if present(why):
                return locale.say(f"why.{why}")
            return locale.say(self.absent) if self.absent else ABSENT
        if self.kind == "key":
            return (
                locale.unit(str(value))
                if self.prefix == "unit"
                else locale.say(f"{self.prefix}.{value}")
            )
        if self.kind == "link":
            label = row.get(f"{self.name}_label")
            return str(label) if present(label) else locale.say(self.prefix)
        if self.kind in {"text", "series", "run", "price"}:
            return labelled(str(value), locale) if self.kind == "series" else str(value)
        text = self._figure(value, row, locale, unit=unit)
        return locale.signed(text, value) if self.signed else text

    def free(self, row: Row) -> bool:
        """Returns True if the cell is the amount of a free offer, which is written in words."""
        return (
            self.kind in {"money", "quantity"}
            and row.get("price_kind") == PriceKind.FREE
            and row.get(self.name) == 0
        )

    def _figure(self, number: float, row: Row, locale: Locale, *, unit: bool) -> str:
        decimals = self._decimals(row)
        if self.kind == "fraction":
            write = locale.number if row.get(f"{self.name}_metric") == BLEU else locale.percent
            return write(number, 1 if decimals is None else decimals)
        if self.kind == "times":
            written = locale.number(
                number, decimals, None if decimals is not None else 3, strip=decimals is None
            )
            return locale.say("figure.times", n=written)
        own = row["unit"] if self.kind == "quantity" else self.unit
        if self.kind == "quantity" and (read := self._read(number, own, row, locale)):
            return read
        if self.kind == "money" or (self.kind == "quantity" and len(own) == 3 and own.isupper()):  # noqa: PLR2004 - an ISO 4217 code
            return _free(row, locale) if self.free(row) else locale.money(number, own, decimals)
        if self.kind == "quantity" or (unit and not self.counted):
            return locale.quantity(number, own, decimals, None if decimals is not None else 3)
        return locale.number(number, decimals)

    def _read(self, number: float, unit: str, row: Row, locale: Locale) -> str | None:
        """The number in a multiple of its unit, a fraction as a percentage; None if unchanged."""
        decimals = self._decimals(row)
        if unit == "1" and self.fractions:
            return locale.percent(number, decimals or 0)
        if present(row.get("like")):
            shown, multiple = locale.scaled(row["like"], unit)
            return locale.quantity(number * shown / row["like"], multiple, decimals)
        return (
            locale.quantity(number / READ_IN[unit][0], READ_IN[unit][1], decimals)
            if unit in READ_IN
            else None
        )

    def _decimals(self, row: Row) -> int | None:
        own = row.get(f"{self.name}_decimals")
        return own if present(own) else self.decimals


def _free(row: Row, locale: Locale) -> str:
    limit = row.get("session_limit_s")
    return locale.free(limit if present(limit) else None)
