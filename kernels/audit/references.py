"""Parts of references to figures: splitting a formula's inputs, and making facts of recorded
fields.
"""

from collections.abc import Iterable, Mapping
from typing import Final, TypeVar

from kernels.audit.formulas import Fact
from kernels.errors import FactError
from kernels.printed import half_unit
from kernels.records import Metric, Status
from kernels.tabular import nearest
from kernels.units import MONEY, UNITS

T = TypeVar("T")

_WHOLE: Final = frozenset(
    {
        "chips",
        "epochs",
        "steps",
        "cores",
        "classes",
        "images",
        "samples",
        "months",
        "channels",
        "layers",
        "pixels",
    }
)
"""Units of whole things: printed without decimals such a figure is exact, not rounded."""


def split(inputs: str, ref: str) -> list[str]:
    """A formula's inputs, parted at the commas that stand in no inner parentheses.

    Raises:
        FactError: Parentheses without their partner, or an empty input.
    """
    parts = [""]
    depth = 0
    for sign in inputs:
        depth += (sign == "(") - (sign == ")")
        if depth < 0:
            break
        if sign == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += sign
    if depth:
        raise FactError(f"{ref[:200]}: a parenthesis without its partner")
    parts = [part.strip() for part in parts]
    if not all(parts):
        raise FactError(f"{ref[:200]}: an empty input")
    return parts


def one(kind: str, name: str, known: Mapping[str, T], ref: str = "") -> T:
    """The record of that id.

    Raises:
        FactError: There is none; the nearest is named.
    """
    if name not in known:
        raise FactError(
            f"{ref[:200] or name[:200]}: no {kind} {name[:200]!r}; {nearest(name[:200], known)}"
        )
    return known[name]


def known_unit(unit: str, ref: str) -> str:
    """The unit, if records may carry it."""
    if unit not in UNITS and not MONEY.fullmatch(unit):
        raise FactError(
            f"{ref}: unit {unit!r} is not in units.UNITS; add it there and to strings/*.toml"
        )
    return unit


def rounded(
    value: float | None, decimals: int | None, unit: str
) -> tuple[float | None, float | None]:
    """The interval that a printed figure's rounding leaves open; none for an exact one: not
    printed, or a count of whole things.
    """
    if value is None or decimals is None or (unit in _WHOLE and decimals >= 0):
        return None, None
    half = half_unit(decimals)
    return value - half, value + half


def of_metric(metric: Metric, ref: str) -> Fact:
    """A metric with its own interval, else with that of its rounding."""
    low, high = metric.low, metric.high
    if low is None:
        low, high = rounded(metric.value, metric.decimals, metric.unit)
    return Fact(
        ref,
        metric.value,
        metric.unit,
        low,
        high,
        metric.decimals,
        metric.bound,
        status=metric.status,
    )


def of_field(
    fields: Mapping[str, tuple[float | None, str]], name: str, ref: str, other: Iterable[str] = ()
) -> Fact:
    """An exact figure of a record's field; missing where the record has none.

    Raises:
        FactError: No such field; the nearest of the fields and `other` is named.
    """
    if name not in fields:
        raise FactError(
            f"{ref[:200]}: unknown field {name[:200]!r}; {nearest(name[:200], [*fields, *other])}"
        )
    value, unit = fields[name]
    return Fact(
        ref,
        None if value is None else float(value),
        unit,
        status=Status.NOT_REPORTED if value is None else Status.OK,
    )
