"""Single Parquet files: encoded to bytes, opened with every kind of damage named."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from kernels.errors import StoreError
from kernels.store.rows import conform
from kernels.store.schema import SCHEMA_VERSION, WRITER, TableSchema, is_newer, table_of

SMALL: Final = 1 << 20
"""Bytes up to which a file is read by one thread."""


MOST_REPEATED: Final = 100_000
"""Most values of one column, nested lists included, regardless of their bytes."""

MOST_VALUES: Final = 2_000_000
"""Most values of one column: the steps of 90 epochs of ImageNet at a batch of 64."""

_SEAL: Final = "touchstone.sha256"
_BLANK: Final = b"0" * 64


def parquet_bytes(
    table: pa.Table, metadata: Mapping[str, str], compression: str = "snappy"
) -> bytes:
    """Returns a Parquet file in memory; the same table and metadata give the same bytes.

    Its metadata `touchstone.sha256` is the SHA-256 of the file with that value's 64 characters as
    zeros. Parquet's own checksums exclude the footer, where one flipped bit turns a column into
    nulls.
    """
    sink = pa.BufferOutputStream()
    # Snappy opens a file of one run in half the time of zstd, and all readers support it.
    # No statistics and no copy of arrow's schema: in a file of one run they would be larger than
    # the run.
    form = {"compression": compression, "store_schema": False, "write_statistics": False}
    form["write_page_checksum"] = True
    with pq.ParquetWriter(sink, table.schema.remove_metadata(), **form) as writer:
        writer.write_table(table.replace_schema_metadata(None))
        writer.add_key_value_metadata(dict(metadata) | {_SEAL: _BLANK.decode()})
    content: bytes = sink.getvalue().to_pybytes()
    place = content.index(_BLANK, content.rindex(_SEAL.encode()))
    return (
        content[:place]
        + hashlib.sha256(content).hexdigest().encode()
        + content[place + len(_BLANK) :]
    )


def check_seal(content: bytes, labels: Mapping[str, str]) -> None:
    """Refuses a file that differs in any bit from `parquet_bytes`; `labels` are its metadata."""
    seal = labels.get(_SEAL, "").encode()
    place = content.rfind(seal, max(content.rfind(_SEAL.encode()), 0))
    blank = content[:place] + _BLANK + content[place + len(_BLANK) :]
    why = None
    if len(seal) != len(_BLANK) or place < 0:
        why = f"{_SEAL!r} is not in its metadata"
    elif hashlib.sha256(blank).hexdigest().encode() != seal:
        why = "its SHA-256 is another"
    if why:
        raise StoreError(
            f"is damaged or was changed by another program ({why}): restore it or make it again"
        )


def check_size(metadata: pq.FileMetaData, size: int) -> None:
    """Refuses a file that states many more values than it has bytes for.

    Parquet writes a repeated value once: 27 kB can hold a million equal steps and take half a
    gigabyte of memory.
    """
    groups = [metadata.row_group(place) for place in range(metadata.num_row_groups)]
    counts = [
        sum(group.column(place).num_values for group in groups)
        for place in range(metadata.num_columns)
    ]
    found, most = max([metadata.num_rows, *counts]), min(MOST_VALUES, max(MOST_REPEATED, size))
    if found > most:
        raise StoreError(
            f"has {found} values in one column and {size} bytes, wanted {most} values or fewer: "
            "record it in several files"
        )


def table_bytes(table: TableSchema, rows: pa.Table) -> bytes:
    """Returns a recorded file: the rows with the metadata that identify the table."""
    labels = {
        "touchstone.table": table.name,
        "touchstone.schema_version": SCHEMA_VERSION,
        "touchstone.writer": WRITER,
    }
    content = parquet_bytes(rows, labels)
    check_size(pq.read_metadata(pa.py_buffer(content)), len(content))
    return content


_DAMAGE: Final = (
    pa.ArrowException, OSError, ValueError, LookupError, TypeError, ArithmeticError, MemoryError,
)  # fmt: skip


@contextmanager
def damage_named() -> Iterator[None]:
    """Turns arrow's errors about damaged files, which may be almost any, into a StoreError."""
    try:
        yield
    except _DAMAGE as error:
        said = str(error).strip().splitlines() or [type(error).__name__]
        raise StoreError(
            f"is damaged or no Parquet file ({said[0][:200]}): restore it from a copy or make it "
            "again"
        ) from error


def parsed(content: bytes) -> tuple[pq.ParquetFile, dict[str, str]]:
    """Returns a file ready to be read, and our part of its metadata."""
    with damage_named():
        file = pq.ParquetFile(
            pa.py_buffer(content), page_checksum_verification=True, pre_buffer=False
        )
        raw = file.metadata.metadata or {}
        return file, {
            key.decode(): value.decode()
            for key, value in raw.items()
            if key.startswith(b"touchstone.")
        }


def opened(path: Path) -> tuple[TableSchema, pa.Table]:
    """Returns table and rows of a recorded file, with the columns of this schema version.

    Raises:
        StoreError: Says the fault and what to do; the caller adds the path.
    """
    try:
        content = path.read_bytes()
    except OSError as error:
        raise StoreError(
            f"cannot be read ({error.strerror or error}): check its name and who may read it"
        ) from error
    if not content:
        raise StoreError(
            "is empty (0 bytes), its writing was cut short: make it again or delete it"
        )
    file, labels = parsed(content)
    if "touchstone.table" not in labels:
        raise StoreError(
            "was not recorded by Touchstone ('touchstone.table' is not in its metadata): import "
            "it, or move it elsewhere"
        )
    version = labels.get("touchstone.schema_version", "")
    table = table_of(labels["touchstone.table"], version)
    check_seal(content, labels)
    check_size(file.metadata, len(content))
    with damage_named():
        # Threads cost more than they bring on a file of one run.
        found = file.read(use_threads=len(content) > SMALL)
        found.validate(full=True)
    if found.num_rows == 0:
        raise StoreError("holds no record, wanted one or more: make it again or delete it")
    with damage_named():
        return table, conform(table, found, ignore_unknown=is_newer(version))


def version_of(path: Path) -> str:
    """Returns the schema version of a file that `opened` takes."""
    return parsed(path.read_bytes())[1].get("touchstone.schema_version", "")
