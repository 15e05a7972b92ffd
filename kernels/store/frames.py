"""Flat tables for downloads: a row per run, figure, evaluation, ..., with licence and credit."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, datetime
from enum import StrEnum
from typing import Any, Final, Literal

import pandas as pd
import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from kernels.records import Metric, Recording, Run, Source, Target
from kernels.store.parquet import parquet_bytes
from kernels.store.schema import TABLES, Column

Nested = Literal[
    "metrics",
    "targets",
    "steps",
    "epochs",
    "evaluations",
    "telemetry",
    "software",
    "settings",
    "doubts",
]
"""Columns of runs that are lists of records."""

_WHICH: Final = ("run_id", "origin", "source", "workload", "system")
_TERMS: Final = ("licence", "credit")
_TYPES: Final[Mapping[type, str]] = {
    int: "Int64",
    float: "float64",
    bool: "boolean",
    datetime: "datetime64[us, UTC]",
}


def _series(kind: type, values: Sequence[Any]) -> "pd.Series[Any]":
    """Makes a column of one type: a missing number leaves the others integers."""
    if kind is date:
        return pd.Series(values, dtype=pd.ArrowDtype(pa.date32()))
    if issubclass(kind, StrEnum):
        values = [None if value is None else str(value) for value in values]
    return pd.Series(values, dtype=_TYPES.get(kind, "str"))


def _frame(columns: Mapping[str, tuple[type, Sequence[Any]]]) -> pd.DataFrame:
    return pd.DataFrame({name: _series(kind, values) for name, (kind, values) in columns.items()})


def _text(value: Any) -> str:
    """Formats a nested record as one cell: `name=value`, `top1 at_least 0.757`, or a word."""
    if isinstance(value, Target):
        return f"{value.metric} {value.direction} {value.value!r}"
    if dataclasses.is_dataclass(value):
        name, what = (getattr(value, field.name) for field in dataclasses.fields(value)[:2])
        return str(name) if what is None else f"{name}={what}"
    return str(value)


def _flat(
    columns: Sequence[Column], records: Sequence[Any], prefix: str = ""
) -> dict[str, tuple[type, Sequence[Any]]]:
    """Flattens records: nested ones become `name_field` columns, lists are joined by `; `."""
    found: dict[str, tuple[type, Sequence[Any]]] = {}
    for column in columns:
        values = [None if record is None else getattr(record, column.name) for record in records]
        name = f"{prefix}{column.name}"
        if column.many:
            found[name] = (
                str,
                [None if not value else "; ".join(map(_text, value)) for value in values],
            )
        elif column.columns:
            found |= _flat(column.columns, values, f"{name}_")
        else:
            found[name] = (column.kind, values)
    return found


_LONG: Final = frozenset({"metrics", "steps", "epochs", "evaluations", "telemetry"})


def runs_frame(runs: Sequence[Run]) -> pd.DataFrame:
    """Returns a row per run: scalar columns, short lists as text, `batch_size_per_accelerator`."""
    columns = _flat([column for column in TABLES[Run].columns if column.name not in _LONG], runs)
    columns["batch_size_per_accelerator"] = (int, [run.batch_size_per_accelerator for run in runs])
    return _frame(columns)


def nested_frame(
    runs: Sequence[Run], name: Nested, recordings: Sequence[Recording] = ()
) -> pd.DataFrame:
    """Returns a row per entry of a run's list, between the run's identity and its terms.

    Clashing columns are prefixed with the list's name. Entries from a recording have its terms.
    """
    logs = {recording.run_id: recording for recording in recordings}

    def owner(run: Run, entry: object) -> Run | Recording:
        of_log = name == "telemetry" or (
            isinstance(entry, Metric) and entry.name.startswith("monitored_")
        )
        return logs.get(run.run_id, run) if of_log else run

    pairs = [(run, entry) for run in runs for entry in getattr(run, name)]
    columns: dict[str, tuple[type, Sequence[Any]]] = {
        key: (str, [getattr(run, key) for run, _ in pairs]) for key in _WHICH
    }
    (table,) = (column for column in TABLES[Run].columns if column.name == name)
    for key, column in _flat(table.columns, [entry for _, entry in pairs]).items():
        columns[f"{name}_{key}" if key in columns else key] = column
    if name == "metrics":
        columns["key"] = (str, [entry.key for _, entry in pairs])
    columns |= {
        key: (str, [getattr(owner(run, entry), key) for run, entry in pairs]) for key in _TERMS
    }
    return _frame(columns)


def records_frame(record: type, records: Sequence[Any], sources: Sequence[Source]) -> pd.DataFrame:
    """Returns a row per claim, price, rate, ...; licence and credit default to the source's."""
    columns = _flat(TABLES[record].columns, records)
    of = {source.source: source for source in sources}
    for key in _TERMS:
        if key not in columns:
            columns[key] = (str, [getattr(of.get(entry.source), key, None) for entry in records])
    return _frame(columns)


def frame_bytes(frame: pd.DataFrame, name: str, metadata: Mapping[str, str]) -> bytes:
    """Returns a frame as a Parquet file for download; the same input gives the same bytes.

    Its name and metadata are stored as `touchstone.download...`, so that `store.read` does not read
    it as a recorded table.
    """
    return _labelled(pa.Table.from_pandas(frame, preserve_index=False), name, metadata)


def joined_bytes(parts: Iterable[bytes], name: str, metadata: Mapping[str, str]) -> bytes:
    """Joins parts of a frame, each a file by `frame_bytes`, to one file."""
    tables = [pq.read_table(pa.BufferReader(part)) for part in parts]
    return _labelled(pa.concat_tables(tables).combine_chunks(), name, metadata)


def _labelled(table: pa.Table, name: str, metadata: Mapping[str, str]) -> bytes:
    labels = {"touchstone.download": name} | {
        f"touchstone.download.{key}": value for key, value in sorted(metadata.items())
    }
    return parquet_bytes(table, labels, "zstd")  # a fifth less than Snappy to load
