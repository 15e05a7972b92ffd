"""What can be saved of a damaged file. The file itself is only moved, and only what is proven to be
what was recorded takes its place.

The proof is the SHA-256 that the file carries: where one bit flipped, as disks and memories do, the
content with that bit turned back has it again. Of other damage the columns that still read are put
beside, for a person to look at.
"""

import hashlib
import re
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from dataclasses import dataclass
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints
import pyarrow.parquet as pq  # type: ignore[import-untyped]

from kernels import disk
from kernels.errors import StoreError
from kernels.store.parquet import check_seal, damage_named, parsed

DAMAGED: Final = ".damaged"
SAVED: Final = ".saved"
"""Endings of the two files beside; no reader of recorded files takes them."""

WORK: Final = 3 * 10**10
"""Bytes that may be hashed in search of a flipped bit, in a minute at most on a slow processor."""

_SEALED: Final = re.compile(rb"touchstone\.sha256.{1,8}?([0-9a-f]{64})", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Salvage:
    """What became of one damaged file.

    Attributes:
        restored: The file is again what was recorded, and what it was lies beside it.
        beside: The file with what it was, or with the columns that still read; None where none
            does.
        rows: How many rows those have.
        lost: Columns that do not read.
    """

    restored: bool
    beside: Path | None = None
    rows: int = 0
    lost: tuple[str, ...] = ()


def save(path: Path) -> Salvage | None:
    """Restore a damaged file of ours, or put beside it what still reads; None for any other file.

    Raises:
        OSError: It cannot be read, or nothing can be written.
    """
    content = path.read_bytes()
    if _sealed(content):
        return None
    if b"touchstone." not in content:
        return None if _foreign(content) else Salvage(restored=False)
    look = _look(content)
    mended = _mended(content, look.broken)
    if mended is not None:
        aside = _free(path, DAMAGED)
        disk.put(aside, content, replace=False)
        disk.put(path, mended)
        return Salvage(restored=True, beside=aside)
    if not look.columns:
        return Salvage(restored=False)
    aside = path.with_name(path.name + SAVED)
    if not aside.exists() or aside.read_bytes() != look.columns:
        aside = _free(path, SAVED)
        disk.put(aside, look.columns, replace=False)
    return Salvage(restored=False, beside=aside, rows=look.rows, lost=look.lost)


def _free(path: Path, ending: str) -> Path:
    number, free = 1, path.with_name(path.name + ending)
    while free.exists():
        number += 1
        free = path.with_name(f"{path.name}{ending}-{number}")
    return free


def _sealed(content: bytes) -> bool:
    try:
        check_seal(content, parsed(content)[1])
    except StoreError:
        return False
    return True


def _foreign(content: bytes) -> bool:
    """Whether it is a whole file of another program; a file cut short is none, and may have been
    one of ours.
    """
    try:
        parsed(content)
    except StoreError:
        return False
    return True


def _mended(content: bytes, broken: Sequence[tuple[int, int]]) -> bytes | None:
    """The content with one bit turned back to match its SHA-256; broken: where to look first."""
    found = list(_SEALED.finditer(content))
    if not found:
        return None
    start, end = found[-1].span(1)
    wanted = bytes.fromhex(content[start:end].decode())
    blank = memoryview(content[:start] + b"0" * (end - start) + content[end:])
    left = WORK
    footer = len(content) - 8 - int.from_bytes(content[-8:-4], "little")
    for first, last in (*broken, (footer, len(content)), (0, len(content))):
        work = 8 * (last - first) * (len(content) - first)
        if not 0 <= first < last or work > left:
            continue
        left -= work
        before = hashlib.sha256(blank[:first])
        for place in range(first, last):
            if (bit := _turned(blank, place, before, wanted)) is not None:
                mended = bytes([content[place] ^ 1 << bit])
                return content[:place] + mended + content[place + 1 :]
            before.update(blank[place : place + 1])
    return None


def _turned(blank: memoryview, place: int, before: "hashlib._Hash", wanted: bytes) -> int | None:
    """The bit of a byte with which, turned, the whole has the hash that is wanted; `before` is the
    hash of what comes before the byte.
    """
    for bit in range(8):
        tried = before.copy()
        tried.update(bytes([blank[place] ^ 1 << bit]))
        tried.update(blank[place + 1 :])
        if tried.digest() == wanted:
            return bit
    return None


@dataclass(frozen=True, slots=True)
class _Look:
    """What of a file reads without its seal.

    Attributes:
        broken: Where the chunks of columns lie that do not read, from and to.
        columns: The others as a Parquet file; empty where there are none.
        rows: How many rows those have.
        lost: Names of the columns that do not read.
    """

    broken: tuple[tuple[int, int], ...] = ()
    columns: bytes = b""
    rows: int = 0
    lost: tuple[str, ...] = ()


def _look(content: bytes) -> _Look:
    """Read what reads, in a process of its own: arrow ends its process over some damaged files."""
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        try:
            return pool.submit(_looked, content).result()
        except BrokenProcessPool:
            return _Look()


def _looked(content: bytes) -> _Look:
    broken = []
    try:
        with damage_named():
            file, _ = parsed(content)
            for group, number in product(
                range(file.num_row_groups), range(file.metadata.num_columns)
            ):
                column = file.metadata.row_group(group).column(number)
                first = min(filter(None, (column.dictionary_page_offset, column.data_page_offset)))
                if not _reads(file, column.path_in_schema):
                    broken.append((first, min(first + column.total_compressed_size, len(content))))
            names = list(file.schema_arrow.names)
            whole = [name for name in names if _reads(file, name)]
            lost = tuple(name for name in names if name not in whole)
            if not whole:
                return _Look(tuple(broken), lost=lost)
            table = file.read(columns=whole, use_threads=False)
            sink = pa.BufferOutputStream()
            pq.write_table(table, sink)
            return _Look(tuple(broken), sink.getvalue().to_pybytes(), table.num_rows, lost)
    except StoreError:
        return _Look(tuple(broken))


def _reads(file: pq.ParquetFile, column: str) -> bool:
    try:
        with damage_named():
            file.read(columns=[column], use_threads=False).validate(full=True)
    except StoreError:
        return False
    return True
