"""Converts records to arrow columns and back, a whole column at a time.

A run has some two hundred fields, and thousands more in steps and readings: values are converted by
column, and records made by `map`, so that no Python statement runs per field.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import MISSING
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from functools import partial
from itertools import accumulate, chain, pairwise
from operator import attrgetter, index, is_
from types import NoneType
from typing import Any, Final

import numpy as np
import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints

from kernels.errors import RecordError, StoreError
from kernels.store.schema import Column, TableSchema
from kernels.texts import TextError

_is_none = partial(is_, None)
TOGETHER: Final = 64
"""Rows decoded together in a column that is decoded on demand."""

_FOREIGN = "the file is damaged or foreign, make it again"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def to_arrow(table: TableSchema, records: Sequence[object]) -> pa.Table:
    """Returns the records as an arrow table with exactly the table's schema."""
    arrays = [
        _array(column, column.name, list(map(attrgetter(column.name), records)))
        for column in table.columns
    ]
    return pa.Table.from_arrays(arrays, schema=table.arrow)


def _array(column: Column, path: str, values: list[Any]) -> pa.Array:
    if column.many:
        flat = list(chain.from_iterable(value or () for value in values))
        offsets = pa.array([0, *accumulate(len(value or ()) for value in values)], pa.int32())
        return pa.ListArray.from_arrays(offsets, _scalars(column, path, flat), type=column.type)
    return _scalars(column, path, values)


def _scalars(column: Column, path: str, values: list[Any]) -> pa.Array:
    if column.required and any(map(_is_none, values)):
        raise StoreError(f"column {path}: found None, wanted a value in each record")
    if column.columns:
        return _struct(column, path, values)
    try:
        if issubclass(column.kind, StrEnum):
            values = [None if value is None else column.kind(value) for value in values]
        elif column.kind is int and not set(map(type, values)) <= {int, NoneType}:
            # Arrow would silently cut 1.5 to 1, `index` refuses it; whole numbers of other
            # types, such as numpy's, are taken.
            values = [
                None if value is None else value if isinstance(value, bool) else index(value)
                for value in values
            ]
        _check(column, path, set(values) if column.rule else ())
        return pa.array(values, column.type.value_type if column.many else column.type)
    except (pa.ArrowException, TypeError, ValueError, OverflowError) as error:
        raise StoreError(f"column {path}: {error}; wanted {column.kind.__name__}") from error


def _check(column: Column, path: str, words: Iterable[object]) -> None:
    for word in words:
        if isinstance(word, str) and column.rule and (reason := column.rule.fault(word)):
            raise TextError(path, word, reason)


def _struct(column: Column, path: str, values: list[Any]) -> pa.Array:
    some = [value for value in values if value is not None]
    arrays = [
        _array(child, f"{path}.{child.name}", list(map(attrgetter(child.name), some)))
        for child in column.columns
    ]
    fields = [pa.field(child.name, child.type) for child in column.columns]
    dense = pa.StructArray.from_arrays(arrays, fields=fields)
    if len(some) == len(values):
        return dense
    places = iter(range(len(some)))
    return dense.take(
        pa.array([None if value is None else next(places) for value in values], pa.int64())
    )


def conform(table: TableSchema, found: pa.Table, ignore_unknown: bool) -> pa.Table:
    """Returns the table's columns in its order and types, with defaults for absent ones.

    Unknown columns are dropped (of a newer minor version) or refused.
    """
    found = found.replace_schema_metadata(None)
    if found.schema.equals(table.arrow):
        return found
    found = found.combine_chunks()
    by_name = {name: found.column(name).combine_chunks() for name in found.column_names}
    return pa.Table.from_arrays(
        _fitted(table.columns, "", by_name, found.num_rows, ignore_unknown), schema=table.arrow
    )


def _fitted(
    columns: tuple[Column, ...],
    prefix: str,
    found: dict[str, pa.Array],
    rows: int,
    ignore_unknown: bool,
) -> list[pa.Array]:
    unknown = sorted(set(found) - {column.name for column in columns})
    if unknown and not ignore_unknown:
        raise StoreError(f"column {prefix}{unknown[0]} is not in this schema version: {_FOREIGN}")
    arrays = []
    for column in columns:
        path = f"{prefix}{column.name}"
        if column.name in found:
            arrays.append(_fit(column, path, found[column.name], ignore_unknown))
        elif column.default is MISSING:
            raise StoreError(f"column {path} is absent and has no default: {_FOREIGN}")
        else:
            arrays.append(_array(column, path, [column.default] * rows))
    return arrays


def _fit(column: Column, path: str, array: pa.Array, ignore_unknown: bool) -> pa.Array:
    if array.type.equals(column.type):
        return array
    if (
        column.many
        and column.columns
        and pa.types.is_list(array.type)
        and pa.types.is_struct(array.type.value_type)
    ):
        values = _fit_struct(column, path, array.flatten(), ignore_unknown)
        lengths = [0 if length is None else length for length in array.value_lengths().to_pylist()]
        offsets = pa.array([0, *accumulate(lengths)], pa.int32())
        return pa.ListArray.from_arrays(offsets, values, type=column.type)
    if not column.many and column.columns and pa.types.is_struct(array.type):
        return _fit_struct(column, path, array, ignore_unknown)
    raise StoreError(
        f"column {path} has type {array.type}, wanted {column.type}: make the file again with this "
        "harness"
    )


def _fit_struct(column: Column, path: str, array: pa.Array, ignore_unknown: bool) -> pa.Array:
    names = [array.type.field(place).name for place in range(array.type.num_fields)]
    if len(names) != len(set(names)):
        raise StoreError(f"column {path} has a field twice: {_FOREIGN}")
    found = dict(zip(names, array.flatten(), strict=True))
    children = _fitted(column.columns, f"{path}.", found, len(array), ignore_unknown)
    fields = [pa.field(child.name, child.type) for child in column.columns]
    return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())


def to_records(table: TableSchema, found: pa.Table, *, later: Collection[str] = ()) -> list[Any]:
    """Returns the records of an arrow table by `conform`; columns decoded `later` must have been
    read without errors before.
    """
    found = found.combine_chunks()
    try:
        columns = [
            [()] * len(found)
            if column.name in later
            else _values(column, column.name, _whole(found.column(column.name)))
            for column in table.columns
        ]
    except TextError as error:
        raise StoreError(f"{_holder(table, found, error)}{error}") from error
    try:
        records = list(map(table.record, *columns))
    except RecordError as error:
        raise StoreError(str(error)) from error
    if wanted := {column.name: column for column in table.columns if column.name in later}:
        for start in range(0, len(records), TOGETHER):
            part = _Part(wanted, found.slice(start, TOGETHER))
            for place, record in enumerate(records[start : start + TOGETHER]):
                record.defer(wanted, partial(part.value, place))
    return records


class _Part:
    """Rows that are decoded together, column by column, on demand."""

    def __init__(self, columns: Mapping[str, Column], rows: pa.Table) -> None:
        self._columns, self._rows = columns, rows
        self._known: dict[str, list[Any]] = {}

    def value(self, place: int, name: str) -> Any:
        if name not in self._columns:
            raise AttributeError(name)
        if name not in self._known:
            array = _whole(self._rows.column(name))
            self._known[name] = _values(self._columns[name], name, array)
        return self._known[name][place]


def _holder(table: TableSchema, found: pa.Table, error: TextError) -> str:
    column = error.path.partition(".")[0]
    for place, value in enumerate(found.column(column).to_pylist()):
        if error.text in _texts(value):
            key = ((name, str(found.column(name)[place].as_py())[:80]) for name in table.key)
            return ", ".join(f"{name} {text!r}" for name, text in key) + ": "
    return ""


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for part in value.values() if isinstance(value, dict) else value:
            yield from _texts(part)


def _whole(column: pa.ChunkedArray) -> pa.Array:
    return column.chunk(0) if column.num_chunks == 1 else column.combine_chunks()


def _values(column: Column, path: str, array: pa.Array) -> list[Any]:
    if not column.many:
        return _flat(column, path, array)
    _refuse_null(column, path, array)
    flat = _flat(column, path, array.flatten())
    if not flat:
        return [()] * len(array)
    ends = accumulate(_numbers(array.value_lengths()), initial=0)
    return [tuple(flat[start:end]) for start, end in pairwise(ends)]


def _refuse_null(column: Column, path: str, array: pa.Array) -> None:
    if array.null_count and column.required:
        raise StoreError(
            f"column {path}: found null in {array.null_count} places, wanted values: the file is "
            "damaged or foreign"
        )


def _flat(column: Column, path: str, array: pa.Array) -> list[Any]:
    _refuse_null(column, path, array)
    if array.null_count == len(array):
        return [None] * len(array)
    if array.null_count:
        some = iter(_dense(column, path, array.drop_null()))
        return [next(some) if valid else None for valid in _numbers(array.is_valid())]
    return _dense(column, path, array)


def _dense(column: Column, path: str, array: pa.Array) -> list[Any]:
    """Returns the Python values of an array without nulls."""
    if column.columns:
        children = [
            _values(child, f"{path}.{child.name}", part)
            for child, part in zip(column.columns, array.flatten(), strict=True)
        ]
        try:
            return list(map(column.kind, *children))
        except RecordError as error:
            raise StoreError(str(error)) from error
    if column.kind is str or issubclass(column.kind, StrEnum):
        return _words(column, path, array)
    if column.kind is bool:
        return list(map(bool, _numbers(array)))
    if column.kind in {int, float}:
        return _numbers(array)
    if pa.types.is_timestamp(array.type):
        return [_EPOCH + timedelta(microseconds=n) for n in _numbers(array.cast(pa.int64()))]
    values: list[Any] = array.to_pylist()
    return values


def _words(column: Column, path: str, array: pa.Array) -> list[Any]:
    """Makes and checks each distinct string once: ids and enumerations repeat in every row."""
    coded = array.dictionary_encode()
    try:
        words = [column.kind(word) for word in coded.dictionary.to_pylist()]
        _check(column, path, words)
    except ValueError as error:
        raise StoreError(
            f"column {path}: {error}; the file is damaged, or a newer Touchstone wrote it"
        ) from error
    return [words[place] for place in _numbers(coded.indices)]


def _numbers(array: pa.Array) -> list[Any]:
    """Returns 1 and 0 for true and false; `to_numpy` would import pandas."""
    numbers = array.cast(pa.int8()) if pa.types.is_boolean(array.type) else array
    values: list[Any] = np.from_dlpack(numbers).tolist()
    return values
