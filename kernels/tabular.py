"""The only reader of CSV and TOML: makes records, and names file, line and field in errors.

Files of this project are read by `rows` and `tables`, which refuse unknown names; tables of others
by `table`, which skips and reports rows that do not fit. `build` makes a record of cells or TOML
values by the types of the dataclass. An empty cell and an absent key are None, or the field's
default.
"""

import csv
import dataclasses
import difflib
import io
import math
import re
import tomllib
import types
import typing
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from enum import Enum
from functools import cache
from pathlib import Path
from typing import TypeVar, cast

from kernels.errors import SourceError, TouchstoneError

T = TypeVar("T")

MOST_BYTES = 10_000_000
"""Largest reviewable text in bytes."""

NUMBER = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?", re.ASCII)
"""Pattern of a number in a cell, with a point for decimals."""


@dataclasses.dataclass(frozen=True, slots=True)
class Entry:
    """A row of a CSV file or a table of a TOML file: its place, and cell text or TOML value by
    field; empty cells are left out.
    """

    place: str
    values: Mapping[str, object]

    def text(self, name: str) -> str:
        """Returns the text of a required field."""
        value = self.values.get(name)
        if not isinstance(value, str) or not value:
            raise self.error(name, "a text")
        return value

    def only(self, names: Collection[str]) -> "Entry":
        """Returns the entry with only these fields."""
        found = {name: value for name, value in self.values.items() if name in names}
        return Entry(self.place, found)

    def error(self, name: str, wanted: str, found: str | None = None) -> SourceError:
        """Returns the error of an invalid field; `found` replaces its value in the message."""
        if found is None:
            value = self.values.get(name)
            found = "nothing" if value is None else repr(value)
        return SourceError(f"{self.place}: {name}: found {found}, wanted {wanted}")

    def check_listed(self, name: str, known: Collection[str], wanted: str) -> None:
        """Refuses a field that is present but not among the known names."""
        value = self.values.get(name)
        if value is not None and value not in known:
            raise self.error(name, f"{wanted}; {nearest(str(value), known)}")


def nearest(name: str, known: Iterable[str]) -> str:
    """Returns a hint after an unknown name: the likely ones, else all."""
    names = sorted(known)
    close = difflib.get_close_matches(name, names, n=1, cutoff=0.5)
    if close:
        return f"did you mean {close[0]!r}?"
    return (
        f"known are {', '.join(names[:20])}{', ...' if len(names) > 20 else ''}"  # noqa: PLR2004 - a line's worth
        if names
        else "none is known"
    )


def rows(
    path: Path, known: Iterable[str] | Callable[[str], bool], required: Sequence[str] = ()
) -> tuple[Entry, ...]:
    """Returns the rows of a CSV file in UTF-8 with a header, in order. `known` are the allowed
    columns, or a function that tests one.

    Raises:
        SourceError: Unreadable, an unknown or missing column, or a row that differs in width from
            the header; names file and line.
    """
    found = cells_of(io.StringIO(decoded(path), newline=""), path)
    line, header = next(found, (1, []))
    check_header(f"{path}:{line}", header, known, required)
    return tuple(_entries(path, header, found))


def cells_of(
    text: Iterable[str], name: object, delimiter: str = ",", *, strict: bool = True
) -> Iterator[tuple[int, list[str]]]:
    """Yields the rows of a CSV text, each with its line and stripped cells; skips empty lines.

    Raises:
        SourceError: Not CSV; `strict` refuses characters after a closing quote.
    """
    reader = csv.reader(text, delimiter=delimiter, strict=strict)
    try:
        for cells in reader:
            if cells:
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise SourceError(f"{name}:{reader.line_num}: not readable as CSV: {error}") from None


def check_header(
    place: str,
    header: Sequence[str],
    known: Iterable[str] | Callable[[str], bool],
    required: Sequence[str] = (),
    named: Iterable[str] = (),
) -> None:
    """Refuses a header with a missing, duplicate or unknown column, as `rows` does; `named` are
    suggestions for unknown ones, if `known` is a function.
    """
    if not header:
        raise SourceError(
            f"{place}: found an empty file, wanted a header with the columns {', '.join(required)}"
        )
    names = tuple(named) if callable(known) else tuple(known)
    for name in header:
        if not (known(name) if callable(known) else name in names):
            raise SourceError(
                f"{place}: unknown column {name!r}; {nearest(name, names or required)}"
            )
        if header.count(name) > 1:
            raise SourceError(f"{place}: the column {name!r} is there twice; wanted each once")
    for name in required:
        if name not in header:
            raise SourceError(
                f"{place}: the column {name!r} is missing; wanted {', '.join(required)}"
            )


def _entries(
    path: Path, header: Sequence[str], found: Iterable[tuple[int, list[str]]]
) -> Iterator[Entry]:
    for line, cells in found:
        if len(cells) != len(header):
            raise SourceError(
                f"{path}:{line}: found {len(cells)} cells, wanted {len(header)}; quote a cell that "
                "holds a comma"
            )
        yield Entry(
            f"{path}:{line}", {name: cell for name, cell in zip(header, cells, strict=True) if cell}
        )


@dataclasses.dataclass(frozen=True, slots=True)
class Row:
    """A row of a table by others: its line in the file, and its cells by column."""

    line: int
    cells: Mapping[str, str]


@dataclasses.dataclass(frozen=True, slots=True)
class Table:
    """A table by others as it is: `refused` lists rows that do not fit its header."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    refused: tuple[str, ...]


def table(path: Path, name: str, *, most: int = MOST_BYTES, comments: bool = False) -> Table:
    """Reads a CSV file by others, with a header and commas; messages call it `name`. With
    `comments`, lines that begin with # are skipped.

    Raises:
        SourceError: More than `most` bytes, not UTF-8, or a duplicate column.
    """
    text = decoded(path, name, most)
    lines = without_comments(text) if comments else io.StringIO(text, newline="")
    found = cells_of(lines, name, strict=False)
    line, columns = next(found, (1, []))
    if columns:
        check_header(f"{name}:{line}", columns, lambda _: True)
    rows: list[Row] = []
    refused: list[str] = []
    for line, cells in found:
        if not any(cells):
            continue
        if len(cells) == len(columns):
            rows.append(Row(line, dict(zip(columns, cells, strict=True))))
        else:
            refused.append(
                f"{name}:{line}: found {len(cells)} cells, wanted {len(columns)}; the row is left "
                "out"
            )
    return Table(tuple(columns), tuple(rows), tuple(refused))


def header_of(path: Path) -> tuple[str, ...]:
    """Returns the column names in a file's first line; nothing if it cannot be a header."""
    try:
        with path.open("rb") as file:
            first = file.readline(4096).decode("utf-8-sig").rstrip("\r\n")
        return tuple(next(cells_of([first], path, strict=False), (1, []))[1])
    except (OSError, UnicodeDecodeError, SourceError):
        return ()


def without_comments(text: str) -> Iterator[str]:
    """Yields the lines, with those that begin with # emptied, so that line numbers stay."""
    quoted = False
    for line in io.StringIO(text, newline=""):
        if not quoted and line.lstrip().startswith(("#", '"#')):
            yield "\n"
            continue
        quoted ^= line.count('"') % 2 == 1
        yield line


def number(text: str) -> float | None:
    """Parses the number in a cell, with a point for decimals; None for anything else."""
    found = float(text) if NUMBER.fullmatch(text) else math.nan
    return found if math.isfinite(found) else None


def whole(text: str) -> int | None:
    """Parses the whole number in a cell, `8` or `8.0`; None for anything else, or below 1."""
    found = number(text)
    return int(found) if found is not None and found.is_integer() and 1 <= found < 2**53 else None


def document(path: Path) -> Mapping[str, object]:
    """Parses a TOML file.

    Raises:
        SourceError: Unreadable or not TOML; names the file, and the line if known.
    """
    try:
        return tomllib.loads(decoded(path))
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise SourceError(f"{path}: not readable as TOML: {error}") from None


def tables(path: Path, name: str) -> tuple[Entry, ...]:
    """Returns the `[[name]]` tables of a TOML file, which has nothing else.

    Raises:
        SourceError: Other keys, or `name` is no array of tables.
    """
    content = document(path)
    for key in content:
        if key != name:
            raise SourceError(f"{path}: unknown table {key!r}; wanted [[{name}]] alone")
    found = content.get(name, [])
    if not isinstance(found, list) or not all(isinstance(entry, dict) for entry in found):
        raise SourceError(f"{path}: {name}: found {type(found).__name__}, wanted [[{name}]] tables")
    return tuple(
        Entry(f"{path}: [[{name}]] {index}", entry) for index, entry in enumerate(found, start=1)
    )


def build(
    cls: type[T],
    entry: Entry,
    given: Mapping[str, object] | None = None,
    ignore: Iterable[str] = (),
) -> T:
    """Makes a record of an entry: each of its keys is a field, or in `ignore`; `given` are fields
    made by the caller, which the entry may not have.

    Raises:
        SourceError: Unknown or missing field, a value of the wrong kind, or a contradictory record.
    """
    fields = _fields(cast("type", cls))
    made: dict[str, object] = dict(given or {})
    skipped = set(ignore)
    for name, value in entry.values.items():
        if name in skipped:
            continue
        if name not in fields or name in made:
            allowed = set(fields) - set(given or {}) | skipped
            raise SourceError(f"{entry.place}: unknown field {name!r}; {nearest(name, allowed)}")
        made[name] = _convert(entry, name, fields[name][0], value)
    for name, (hint, has_default) in fields.items():
        if name not in made and not has_default:
            if not _optional(hint):
                raise entry.error(name, _wanted(hint))
            made[name] = None
    try:
        return cls(**made)
    except SourceError:
        raise
    except TouchstoneError as error:
        raise SourceError(f"{entry.place}: {error}") from None


@cache
def _fields(cls: type) -> Mapping[str, tuple[object, bool]]:
    hints = typing.get_type_hints(cls)
    return {
        field.name: (
            hints[field.name],
            field.default is not dataclasses.MISSING
            or field.default_factory is not dataclasses.MISSING,
        )
        for field in dataclasses.fields(cls)
    }


def _optional(hint: object) -> bool:
    return isinstance(hint, types.UnionType) and type(None) in typing.get_args(hint)


def _wanted(hint: object) -> str:
    if _optional(hint):
        return _wanted(typing.get_args(hint)[0])
    if isinstance(hint, type) and issubclass(hint, Enum):
        return "one of " + ", ".join(str(member.value) for member in hint)
    names = {
        str: "a text",
        int: "a whole number",
        float: "a number",
        bool: "yes or no",
        date: "a day as 2018-04-30",
    }
    return names.get(cast("type", hint), "texts joined by '; '")


def _convert(entry: Entry, name: str, hint: object, value: object) -> object:
    if _optional(hint):
        hint = typing.get_args(hint)[0]
    converted: object = None
    if typing.get_origin(hint) is tuple:
        converted = _texts(value)
    elif isinstance(hint, type):
        converted = _scalar(hint, value)
    if converted is None:
        raise entry.error(name, _wanted(hint))
    return converted


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, str):
        return tuple(part.strip() for part in value.split(";") if part.strip())
    if isinstance(value, list) and all(isinstance(part, str) for part in value):
        return tuple(value)
    return None


def _scalar(hint: type, value: object) -> object | None:
    converted: object | None = None
    if issubclass(hint, Enum):
        converted = next((member for member in hint if member.value == value), None)
    elif hint is bool:
        converted = value if isinstance(value, bool) else {"yes": True, "no": False}.get(str(value))
    elif hint is str:
        converted = value if isinstance(value, str) and value else None
    elif isinstance(value, bool):
        converted = None
    elif hint is date:
        converted = _day(value)
    elif hint in (int, float) and isinstance(value, str | int | float):
        converted = _number(hint, value)
    return converted


def _number(hint: type, value: str | float) -> int | float | None:
    try:
        if hint is int:
            return int(value) if isinstance(value, str) or value == int(value) else None
        number = float(value)
    except (ValueError, OverflowError):
        return None
    return number if math.isfinite(number) else None


def _day(value: object) -> date | None:
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None


def decoded(path: Path, name: str = "", most: int = MOST_BYTES) -> str:
    """Returns the text of a file without a byte order mark; messages call it `name`, or its path.

    Raises:
        SourceError: Unreadable, more than `most` bytes, or not UTF-8; names the file.
    """
    name = name or str(path)
    try:
        if (size := path.stat().st_size) > most:
            wanted = f"wanted reviewable text of {most} bytes or less"
            raise SourceError(f"{name}: found {size} bytes, {wanted}")
        return path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{name}: not readable as UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
        ) from None
    except (OSError, ValueError) as error:
        raise SourceError(
            f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}"
        ) from None
