"""The two files of a DAWNBench entry: JSON with its description, and TSV with a row per epoch.

Numbers stay decimal until they are converted: `93.00` per cent is exactly the float 0.93, and hours
become seconds before rounding.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Final

from kernels.errors import SourceError

MOST_BYTES: Final = 5_000_000
"""Largest file: it has room for a hundred thousand epochs."""

WANTED: Final = ("author", "framework", "hardware", "model", "timestamp")
"""Fields that the rules require of every entry, and that no other JSON has together."""

METRICS: Final[Mapping[str, str]] = {
    "top1accuracy": "top1",
    "top5accuracy": "top5",
    "f1score": "f1",
}
"""Quality metrics by column or field in lower case: the first two in per cent, F1 as a fraction."""

_PERCENT: Final = frozenset({"top1", "top5"})
_NUMBER: Final = re.compile(
    r"[+-]?(?:\d{1,30}\.?\d{0,60}|\.\d{1,60})(?:[eE][+-]?\d{1,2})?", re.ASCII
)
_SECONDS_AN_HOUR: Final = Decimal(3600)


@dataclass(frozen=True, slots=True)
class Row:
    """A row of a TSV: hours as printed, seconds, and fractions from 0 to 1 by metric."""

    line: int
    epoch: float
    time_s: float
    values: Mapping[str, float]


@dataclass(frozen=True, slots=True)
class Curve:
    """The rows of a TSV in order, and warnings about rows left out."""

    metrics: tuple[str, ...]
    rows: tuple[Row, ...]
    warnings: tuple[str, ...] = ()


def is_entry(path: Path) -> bool:
    """Returns True if a file contains the names of an entry's fields; damaged entries count, and
    are refused by name when read.
    """
    try:
        if path.stat().st_size > MOST_BYTES:
            return False
        data = path.read_bytes()
    except OSError:
        return False
    return all(f'"{name}"'.encode() in data for name in WANTED)


def entry(path: Path) -> Mapping[str, object]:
    """Returns the fields of an entry; numbers are texts as printed.

    Raises:
        SourceError: Not the JSON of an entry.
    """
    try:
        found = json.loads(
            _text(path), strict=False, parse_float=str, parse_int=str, parse_constant=str
        )
    except RecursionError:
        raise SourceError("nested too deep for an entry") from None
    except ValueError as error:
        raise SourceError(f"not readable as JSON: {error}") from None
    if not isinstance(found, dict):
        raise SourceError(
            f"found a JSON {type(found).__name__}, wanted an object with the fields of an entry"
        )
    if missing := [name for name in WANTED if name not in found]:
        raise SourceError(f"not a DAWNBench entry: no {', '.join(missing)}")
    for name in ("framework", "hardware", "model"):
        if not isinstance(found[name], str) or not found[name].strip():
            raise SourceError(f"{name}: found {_short(found[name])}, wanted a text")
    return found


def curve(path: Path) -> Curve:
    """Returns the rows of a TSV; columns may be in any order.

    A last line that lacks cells was cut off: it is left out, with a warning.

    Raises:
        SourceError: A column is missing, a cell is no number or out of range, or the hours go back.
    """
    lines = [
        (number, line)
        for number, line in enumerate(re.split(r"\r\n|\r|\n", _text(path)), start=1)
        if line.strip()
    ]
    if not lines:
        raise SourceError("found an empty file, wanted a header and a row an epoch")
    header = _header(*lines[0])
    metrics = [METRICS[name] for name in header if name in METRICS]
    warnings: list[str] = []
    if len(lines) > 1 and len(lines[-1][1].split("\t")) < len(header):
        warnings.append(f"line {lines[-1][0]}: cut off in the middle, left out")
        lines.pop()
    rows = tuple(_rows(header, lines[1:]))
    if not rows:
        raise SourceError("no row below the header, wanted one an epoch")
    return Curve(tuple(metrics), rows, (*warnings, *_warnings(metrics, rows)))


def _header(number: int, line: str) -> list[str]:
    header = [name.strip().lower() for name in line.split("\t")]
    found = f"found {_short(line.strip())}"
    if missing := [name for name in ("epoch", "hours") if name not in header]:
        raise SourceError(f"line {number}: no column {' and no column '.join(missing)}; {found}")
    if not any(name in METRICS for name in header):
        raise SourceError(
            f"line {number}: none of the columns top1Accuracy, top5Accuracy, f1Score; {found}"
        )
    taken = {*METRICS, "epoch", "hours"}
    if twice := sorted({name for name in header if header.count(name) > 1 and name in taken}):
        raise SourceError(f"line {number}: the column {twice[0]} is there twice")
    return header


def _rows(header: Sequence[str], lines: Sequence[tuple[int, str]]) -> Iterator[Row]:
    before = 0.0
    for line, text in lines:
        cells = [cell.strip() for cell in text.split("\t")]
        if len(cells) < len(header) or any(cells[len(header) :]):
            raise SourceError(f"line {line}: found {len(cells)} cells, wanted {len(header)}")
        values = {
            METRICS[name]: quality(METRICS[name], cell, f"line {line}: {name}")
            for name, cell in zip(header, cells, strict=False)
            if name in METRICS
        }
        by_name = dict(zip(header, cells, strict=False))
        epoch, hours = (
            not_negative(by_name[name], f"line {line}: {name}") for name in ("epoch", "hours")
        )
        time_s = float(hours * _SECONDS_AN_HOUR)
        if time_s < before:
            raise SourceError(
                f"line {line}: hours go back to {by_name['hours']}: the clock of this file cannot "
                "be used"
            )
        before = time_s
        yield Row(line, float(epoch), time_s, values)


def _warnings(metrics: Sequence[str], rows: Sequence[Row]) -> Iterator[str]:
    seen: dict[float, int] = {}
    for row in rows:
        if row.epoch in seen:
            yield (
                f"line {row.line}: epoch {row.epoch:g} is that of line {seen[row.epoch]} too; "
                "only their times tell them apart"
            )
        seen[row.epoch] = row.line
    for metric in metrics:
        if (
            metric in _PERCENT
            and len(rows) > 1
            and max(row.values[metric] for row in rows) <= 1 / 100
        ):
            yield (
                f"{metric} never exceeds 1 where per cent are wanted: it may be written as a "
                "fraction; it was read as per cent"
            )


def number(value: object) -> Decimal | None:
    """Returns a printed number; None for anything else, such as `NaN`, `1_000`, true or a unit."""
    text = value.strip() if isinstance(value, str) else ""
    return Decimal(text) if _NUMBER.fullmatch(text) else None


def not_negative(value: object, where: str) -> Decimal:
    """Returns a printed number of 0 or more.

    Raises:
        SourceError: The value is not such a number.
    """
    found = number(value)
    if found is None or found < 0:
        raise SourceError(f"{where}: found {_short(value)}, wanted a number of 0 or more")
    return found


def quality(metric: str, value: object, where: str) -> float:
    """Returns a reading as a fraction from 0 to 1; per cent are divided as decimals, so that 93.00
    gives the float `0.93`.

    Raises:
        SourceError: Not a number, or out of range.
    """
    found = not_negative(value, where)
    fraction = found / 100 if metric in _PERCENT else found
    if fraction > 1:
        wanted = "per cent from 0 to 100" if metric in _PERCENT else "a fraction from 0 to 1"
        raise SourceError(f"{where}: found {_short(value)}, wanted {wanted}")
    return float(fraction)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > MOST_BYTES:
            raise SourceError(f"found {path.stat().st_size} bytes, wanted {MOST_BYTES} or less")
        return path.read_bytes().decode("utf-8-sig", errors="replace")
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})") from None


def _short(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 80 else f"{text[:77]}..."  # noqa: PLR2004 - what fits into a line beside its reason
