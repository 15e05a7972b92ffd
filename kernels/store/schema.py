"""The recorded tables and their version: type, unit and meaning of columns, from the records.

The version is two numbers. The second rises when a column is added: older files lack it and read as
its default, and an older reader ignores it. The first rises when a column is removed, renamed or
retyped or changes its meaning; a reader refuses files of another first number by name. If a figure
changes its meaning but no column does, its `stat` changes, the second number rises too, and older
files are lifted from their raw steps when read (`store/lift.py`).

Enumerations are plain strings: Parquet's own dictionary encoding stores each word once. Times are
microseconds in UTC.
"""

import dataclasses
import re
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import MISSING, dataclass
from datetime import date, datetime
from enum import StrEnum
from typing import Final, Union, get_args, get_origin, get_type_hints

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints

from kernels import texts
from kernels.errors import StoreError
from kernels.metrics import METRICS
from kernels.records import (
    Claim,
    Price,
    PrintedCell,
    Rate,
    Recording,
    Review,
    Run,
    Source,
    Tariff,
    Withdrawal,
)

SCHEMA_VERSION: Final = "1.4"

WRITER: Final = "touchstone 0.1.0"
"""Metadata `touchstone.writer` of each file."""

Record = (
    Run | Claim | Source | Review | PrintedCell | Price | Rate | Tariff | Withdrawal | Recording
)
"""Types that can be stored: one table for each."""

_SCALARS: Final[Mapping[type, pa.DataType]] = {
    str: pa.string(),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    date: pa.date32(),
    datetime: pa.timestamp("us", tz="UTC"),
}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of a table, or one field of its nested records.

    Attributes:
        type: Arrow type in the file, nullable; the store checks what is `required`.
        unit: One of `units.UNITS`, `-` for none, `(unit)` or `(currency)` for the neighbouring
            column, `UTC` or `day`.
        kind: Python type of one value: a scalar, an enumeration, or a record.
        many: True for a tuple of such values, a list in the file.
        default: Value for a file without the column; MISSING if it is required.
        columns: Fields of the nested record.
        rule: Rule for its texts; None for a column without texts.
    """

    name: str
    type: pa.DataType
    unit: str
    meaning: str
    kind: type
    many: bool
    required: bool
    default: object
    columns: tuple["Column", ...]
    rule: texts.Rule | None = None


@dataclass(frozen=True, slots=True)
class TableSchema:
    """One table; `key` names the columns that identify rows, `arrow` is its arrow schema."""

    name: str
    record: type
    key: tuple[str, ...]
    columns: tuple[Column, ...]
    arrow: pa.Schema

    @property
    def singular(self) -> str:
        """Word for one of its records in a message: `run`, `cell`."""
        return self.name.removesuffix("s")


def _unwrap(hint: object) -> tuple[type, bool, bool]:
    """Returns kind, many, required: `tuple[Step, ...]` is (Step, True, True), `int | None` (int,
    False, False).
    """
    required = True
    if get_origin(hint) in {Union, types.UnionType}:
        (hint,) = (part for part in get_args(hint) if part is not types.NoneType)
        required = False
    if get_origin(hint) is tuple:
        return get_args(hint)[0], True, required
    if not isinstance(hint, type):
        raise TypeError(f"{hint} cannot be a column")
    return hint, False, required


def _scalar(kind: type, columns: tuple[Column, ...]) -> pa.DataType:
    if columns:
        return pa.struct([pa.field(column.name, column.type) for column in columns])
    return pa.string() if issubclass(kind, StrEnum) else _SCALARS[kind]


def _columns(record: type) -> tuple[Column, ...]:
    hints = get_type_hints(record)
    columns = []
    for field in dataclasses.fields(record):
        kind, many, required = _unwrap(hints[field.name])
        nested = _columns(kind) if dataclasses.is_dataclass(kind) else ()
        one = _scalar(kind, nested)
        # A nullable value is null if an older file lacks it, whatever the record's own
        # default.
        default = field.default if field.default is not MISSING or required else None
        columns.append(
            Column(
                field.name,
                pa.list_(pa.field("element", one)) if many else one,
                field.metadata["unit"],
                field.metadata["meaning"],
                kind,
                many,
                required,
                default,
                nested,
                texts.rule(record, field.name) if kind is str else None,
            )
        )
    return tuple(columns)


def _table(name: str, record: type, *key: str) -> TableSchema:
    columns = _columns(record)
    fields = [pa.field(column.name, column.type) for column in columns]
    return TableSchema(name, record, key, columns, pa.schema(fields))


TABLES: Final[Mapping[type, TableSchema]] = {
    table.record: table
    for table in (
        _table("runs", Run, "run_id"),
        _table("claims", Claim, "claim_id"),
        _table("sources", Source, "source"),
        _table("reviews", Review, "source", "party", "role", "date", "locator"),
        _table("cells", PrintedCell, "source", "table", "row_index", "column"),
        _table("prices", Price, "price_id"),
        _table("rates", Rate, "base", "quote", "day", "source"),
        _table("tariffs", Tariff, "tariff_id"),
        _table("withdrawals", Withdrawal, "run_id"),
        _table("recordings", Recording, "run_id"),
    )
}
"""Table of each record type."""

_BY_NAME: Final = {table.name: table for table in TABLES.values()}


def table_of(name: str, version: str) -> TableSchema:
    """Returns the table named in a file's metadata, if this reader can read its version.

    Raises:
        StoreError: Unknown table, or unknown first number of the version.
    """
    if name not in _BY_NAME:
        raise StoreError(
            f"table {name!r} is unknown, wanted one of {', '.join(_BY_NAME)}: update Touchstone or "
            "remove the file"
        )
    numbers = re.fullmatch(r"(\d{1,9})\.(\d{1,9})", version)
    if not numbers:
        raise StoreError(
            f"schema version {version!r} is not of the form '1.0': the file is damaged or foreign, "
            "make it again"
        )
    ours, theirs = int(SCHEMA_VERSION.split(".")[0]), int(numbers[1])
    if theirs != ours:
        again = "import or record it again, or read it with the version that wrote it"
        advice = "update Touchstone" if theirs > ours else again
        reads = f"this Touchstone reads {ours}.x: {advice}"
        raise StoreError(f"schema version {version} of table {name!r}, and {reads}")
    return _BY_NAME[name]


def is_newer(version: str) -> bool:
    """Returns True if a readable version is newer than ours: unknown columns are ignored."""
    return int(version.split(".")[1]) > int(SCHEMA_VERSION.split(".")[1])


def _type_name(column: Column) -> str:
    """Returns the type as in the README: `list of struct`, `string (ok, oom, ...)`."""
    one = str(column.type.value_type if column.many else column.type)
    name = {"double": "float64", "date32[day]": "date32"}.get(one, one)
    if column.columns:
        name = "struct"
    if issubclass(column.kind, StrEnum):
        name += f" ({', '.join(column.kind)})"
    name = f"list of {name}" if column.many else name
    return name if column.required else f"{name}, null"


def _rows(columns: tuple[Column, ...], prefix: str = "") -> Iterator[str]:
    for column in columns:
        path = f"{prefix}{column.name}"
        yield f"| `{path}` | {_type_name(column)} | {column.unit} | {column.meaning} |"
        yield from _rows(column.columns, f"{path}.")


def columns_markdown() -> str:
    """Returns the part of `runs/README.md` that follows from records and `metrics.py`."""
    lines = []
    for table in TABLES.values():
        key = ", ".join(f"`{name}`" for name in table.key)
        lines += [f"### Table `{table.name}`", "", f"One row is told from another by {key}.", ""]
        lines += ["| column | type | unit | meaning |", "|---|---|---|---|"]
        lines += [*_rows(table.columns), ""]
    lines += [
        "### Names of metrics",
        "",
        "`*` stands for the name of a quality metric.",
        "",
        "| name | unit | meaning |",
        "|---|---|---|",
    ]
    lines += [f"| `{name}` | {unit} | {meaning} |" for name, (unit, meaning) in METRICS.items()]
    return "\n".join(lines) + "\n"


if __name__ == "__main__":
    sys.stdout.write(columns_markdown())
