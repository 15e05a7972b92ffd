"""The columns of a figure's table: what readers and downloads see of it, and how a cell is written."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal

import pandas as pd

from site_src.locales import Locale

Row = dict[str, object]
Kind = Literal["text", "key", "number", "quantity", "fraction", "money", "series", "run", "price"]

ABSENT: Final = "–"


def present(value: object) -> bool:
    """Whether a table's cell holds something: neither None nor NaN."""
    return value is not None and not (isinstance(value, float) and math.isnan(value)) and value is not pd.NA


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a figure's table, as readers and downloads see it.

    Attributes:
        name: Column of the table, and of CSV and Parquet.
        heading: Key of its heading in `strings/`.
        kind: How a cell is written. `key` says `<prefix>.<value>`, `quantity` takes the unit from the column `unit`.
        unit: Unit of its figures, as in `kernels.units.UNITS`; stands in the heading.
        decimals: Decimals shown; None shows what the value needs.
        ref: Column that holds each figure's reference; figures without one are no facts.
        prefix: For `key`: where its words are.
        shown: Whether the page's table has it; downloads have every column.
        counted: Whether the heading itself says what is counted, so that it needs no unit: "Epoch", "Epochs trained".
        absent: Key of what an empty cell says; empty for a dash.
    """

    name: str
    heading: str
    kind: Kind = "text"
    unit: str = "1"
    decimals: int | None = None
    ref: str | None = None
    prefix: str = ""
    shown: bool = True
    absent: str = ""
    counted: bool = False

    def tells(self, row: Mapping[str, object]) -> bool:
        """Whether the cell says something: a value, or that there is none to be had."""
        return bool(self.absent) or present(row.get(self.name))

    def write(self, row: Mapping[str, object], locale: Locale, *, unit: bool = False, brief: bool = False) -> str:
        """The cell as text; a dash where nothing is there, "about" where the source prints it.

        With `unit` a figure carries its unit; `brief` has a sign for "about".
        """
        text = self._plain(row, locale, unit=unit)
        if row.get(f"{self.name}_bound") != "approx" or text == ABSENT:
            return text
        return locale.say("figure.about" if brief else "about", n=text)

    def _plain(self, row: Mapping[str, object], locale: Locale, *, unit: bool) -> str:
        value = row.get(self.name)
        if not present(value):
            return locale.say(self.absent) if self.absent else ABSENT
        if self.kind == "key":
            return locale.say(f"{self.prefix}.{value}")
        if self.kind in {"text", "series", "run", "price"}:
            return str(value)
        return self._figure(float(str(value)), row, locale, unit=unit)

    def _figure(self, number: float, row: Mapping[str, object], locale: Locale, *, unit: bool) -> str:
        decimals = self._decimals(row)
        if self.kind == "fraction":
            return locale.percent(number, 1 if decimals is None else decimals)
        own = str(row["unit"]) if self.kind == "quantity" else self.unit
        if self.kind == "money" or (self.kind == "quantity" and len(own) == 3 and own.isupper()):  # noqa: PLR2004 - an ISO 4217 code
            return locale.money(number, own, 2 if decimals is None else decimals)
        if self.kind == "quantity" or (unit and not self.counted):
            return locale.quantity(number, own, decimals, None if decimals is not None else 3)
        return locale.number(number, decimals)

    def _decimals(self, row: Mapping[str, object]) -> int | None:
        own = row.get(f"{self.name}_decimals")
        return int(own) if present(own) else self.decimals  # type: ignore[call-overload]  # a present count
