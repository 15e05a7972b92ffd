"""From files of others to recorded files: read part by part, several at once, and merged into what is there.

Each part is read in a process of its own and written when it comes back, so memory holds a few parts and never a folder, and
Ctrl-C leaves whole files. Records that are there already and are no longer found stay: an import adds and corrects, it never drops.
"""

from collections import deque
from collections.abc import Generator, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice
from multiprocessing import get_context
from operator import attrgetter
from pathlib import Path
from typing import Final

from kernels import store
from kernels.errors import SourceError, StoreError
from kernels.importers import FORMATS
from kernels.importers.base import Imported, Part
from kernels.records import Origin
from kernels.schema import TABLES, Record

AHEAD: Final = 2
"""Parts in work or waiting, for each process: enough that none is idle, few enough that they fit."""


class Change(StrEnum):
    """What became of a file."""

    WRITTEN = "written"
    UNCHANGED = "unchanged"
    WOULD_BE_WRITTEN = "would be written"


@dataclass(frozen=True, slots=True)
class Kept:
    """One file of an import: how many records of which kind it holds now, and how many of them are new or changed."""

    path: Path
    kind: str
    records: int
    fresh: int
    change: Change


def outcomes(format_: str, parts: Sequence[Part], jobs: int) -> Generator[tuple[Part, Imported | SourceError], None, None]:
    """What each part holds, or why nothing of it can be taken, in the order of the parts.

    Args:
        format_: One of `importers.FORMATS`.
        parts: As the importer found them.
        jobs: Processes; 1 reads them here.
    """
    if jobs < 2 or len(parts) < 2:  # noqa: PLR2004 - one process pays for nothing
        yield from ((part, _read(format_, part)) for part in parts)
        return
    # A fresh process, because a copy of one that has threads can hang; it lives as long as the import.
    with ProcessPoolExecutor(min(jobs, len(parts)), get_context("spawn")) as pool:
        waiting: deque[tuple[Part, Future[Imported | SourceError]]] = deque()
        todo = iter(parts)
        try:
            while True:
                waiting.extend((part, pool.submit(_read, format_, part)) for part in islice(todo, jobs * AHEAD - len(waiting)))
                if not waiting:
                    return
                part, future = waiting.popleft()
                yield part, future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def _read(format_: str, part: Part) -> Imported | SourceError:
    try:
        return FORMATS[format_].read(part)
    except SourceError as error:
        return error
    except OSError as error:
        return SourceError(f"{part.name}: cannot be read ({error.strerror or error})")


def keep(found: Imported, runs: Path, *, dry: bool = False) -> Iterator[Kept]:
    """Merge records into the files that their names lead to; nothing is written where nothing changed.

    Args:
        found: What an importer read.
        runs: Folder of the recorded runs.
        dry: Say what would be written, and write nothing.
    """
    for path, records in _files(found, runs):
        merged, fresh = _merged(path, records)
        change = Change.UNCHANGED if not fresh else Change.WOULD_BE_WRITTEN if dry else Change.WRITTEN
        if fresh and not dry:
            store.write(path, merged)
        yield Kept(path, type(records[0]).__name__.lower(), len(merged), fresh, change)


def _files(found: Imported, runs: Path) -> Iterator[tuple[Path, tuple[Record, ...]]]:
    """Where the records of an import go: one file a table."""
    folder = runs / found.origin
    tables: dict[str, tuple[Record, ...]] = {
        "runs": found.runs,
        "claims": found.claims,
        "sources": found.sources,
        "reviews": found.reviews,
        "cells": found.cells,
        "prices": found.prices,
        "rates": found.rates,
        "recordings": found.recordings,
    }
    for name, records in tables.items():
        if records:
            yield folder / (f"{found.name}.parquet" if name == "runs" and found.name else f"{found.source}-{name}.parquet"), records


def _merged(path: Path, records: Sequence[Record]) -> tuple[tuple[Record, ...], int]:
    """The records of a file with new ones put in, sorted where the file grew, and how many are new or other than before.

    A published source is transcribed whole, so its file is replaced; of logs any part may be imported again.
    """
    before = _before(path)
    if path.parent.name == Origin.PUBLISHED:
        return tuple(records), 0 if before == tuple(records) else len(records)
    name = attrgetter(*TABLES[type(records[0])].key)
    known = {name(record): record for record in before}
    fresh = sum(known.get(name(record)) != record for record in records)
    known.update((name(record), record) for record in records)
    return tuple(known[key] for key in sorted(known)), fresh


def _before(path: Path) -> tuple[Record, ...]:
    if not path.exists():
        return ()
    try:
        return store.read_file(path)
    except StoreError:
        return ()  # damaged: it is made again
