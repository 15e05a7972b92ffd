"""The only access to recorded data: reads and writes whole Parquet files of records, and names
every file that cannot be read.

A file has records of one table; its metadata name the table (`touchstone.table`), version
(`touchstone.schema_version`) and writer (`touchstone.writer`). It contains its own checksum, so
that a flipped bit is an error and not another figure.
"""

import gc
import os
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from itertools import accumulate, pairwise
from operator import attrgetter, is_not
from pathlib import Path
from typing import Any, Final

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints

from kernels.disk import put
from kernels.errors import StoreError
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
from kernels.store import cache as store_cache
from kernels.store import schema
from kernels.store.cache import Pack, Place
from kernels.store.join import attached
from kernels.store.lift import lifted
from kernels.store.parquet import (
    check_seal,
    damage_named,
    opened,
    parsed,
    table_bytes,
    version_of,
)
from kernels.store.rows import to_arrow, to_records
from kernels.store.schema import SCHEMA_VERSION, TABLES, Record, TableSchema

ADDED_ONLY: Final = frozenset({"measured", "submitted"})
"""Folders of `runs/` whose files are added and never rewritten."""

FOLDERS: Final = ADDED_ONLY | {"published", "imported", "prices", "sources"}
"""Folders of `runs/`; the one nearest to a file counts."""

RETIRED: Final = "retired"
"""Folder of charts that the site no longer draws; its tables are no records."""


PACK: Final = "packed-"
"""Prefix of files that hold many runs in place of one."""

TOGETHER: Final = 256
"""Files open at once: each takes a quarter of a megabyte of arrow's memory, however small."""

SMALL: Final = 1 << 24
"""Largest file in bytes that is packed in the cache."""

LATER: Final = frozenset({"steps", "epochs", "evaluations", "telemetry"})
"""Large columns of runs that are decoded on demand, if they were read without errors before."""

_Part = tuple[Place, TableSchema, pa.Table]


@dataclass(frozen=True, slots=True)
class Problem:
    """A file, or a record in it, that was not read, and why; the others were."""

    path: Path
    reason: str

    def __str__(self) -> str:
        return f"{self.path}: {self.reason}"


@dataclass(frozen=True, slots=True)
class Archive:
    """Everything recorded below a folder.

    Attributes:
        runs: By run_id, lifted to today's schema (`lift.py`), with withdrawals and recordings
            joined; the other tables by path and row.
        recordings: Recordings that are part of a run here.
        problems: Files and records that could not be read, by path.
        files: Path of each run's file, relative to the folder, by run_id.
        others: Path of each other record, by the name of its table and its key.
    """

    runs: tuple[Run, ...] = ()
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    reviews: tuple[Review, ...] = ()
    cells: tuple[PrintedCell, ...] = ()
    prices: tuple[Price, ...] = ()
    rates: tuple[Rate, ...] = ()
    tariffs: tuple[Tariff, ...] = ()
    withdrawals: tuple[Withdrawal, ...] = ()
    recordings: tuple[Recording, ...] = ()
    problems: tuple[Problem, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)
    others: Mapping[tuple[str, object], Path] = field(default_factory=dict)

    def file(self, record: Record) -> Path | None:
        """Returns the path of a record's file, relative to the folder; None if it has none."""
        if isinstance(record, Run):
            return self.files.get(record.run_id)
        table = TABLES[type(record)]
        return self.others.get((table.name, attrgetter(*table.key)(record)))


@dataclass(frozen=True, slots=True)
class Migrated:
    """A file of an older schema version before and after; records in the same order."""

    path: Path
    version: str
    before: tuple[Any, ...]
    after: tuple[Any, ...]


def write(path: Path, records: Sequence[Record]) -> None:
    """Writes all records to one file, or nothing.

    The same records give the same bytes. An existing file is replaced, except in `measured/` and
    `submitted/`.

    Args:
        path: Ends in `.parquet`; a missing folder is created.
        records: One or more, all of one type.

    Raises:
        StoreError: Nothing was written; says what was found, what was wanted, and what to do.
    """
    if path.suffix != ".parquet":
        raise StoreError(
            f"{path}: a recorded file ends in '.parquet', or the next reader passes it over; give "
            "it that name"
        )
    with _named(path):
        content = encoded(records)
    parents = (parent.name for parent in path.absolute().parents)
    nearest = next((name for name in parents if name in FOLDERS), None)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, content, replace=nearest not in ADDED_ONLY)
    except FileExistsError as error:
        raise StoreError(
            f"{path} is there already, and files in {nearest}/ are only added: give the new run a "
            "name of its own"
        ) from error
    except OSError as error:
        raise StoreError(
            f"{path} cannot be written ({error.strerror or error}); nothing was recorded: free "
            "space, or choose another --runs"
        ) from error


@contextmanager
def _named(path: Path) -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        raise StoreError(f"{path}: {error}") from error


def migrated(path: Path, *, dry: bool = False) -> Migrated | None:
    """Rewrites a file of runs with an older schema as of today; None if nothing changes.

    The only way to replace a file in `measured/` or `submitted/`.

    Raises:
        StoreError: The file is damaged, or cannot be written; it stays unchanged.
    """
    before = read_file(path)
    version = version_of(path)
    if schema.is_newer(version):
        return None
    after = tuple(lifted(record) if isinstance(record, Run) else record for record in before)
    # a pack of today may hold older runs, row for row
    if version == SCHEMA_VERSION and after == before:
        return None
    if not dry:
        try:
            put(path, encoded(after), replace=True)
        except OSError as error:
            raise StoreError(
                f"{path} cannot be written ({error.strerror or error}); it is as it was: free "
                "space, then do this again"
            ) from error
    return Migrated(path, version, before, after)


def encoded(records: Sequence[Record]) -> bytes:
    """Returns the bytes of a file of these records; the same for the same records.

    Raises:
        StoreError: No records, several types, or two with the same name.
    """
    kinds = {type(record) for record in records}
    if len(kinds) != 1 or not kinds <= set(TABLES):
        found = ", ".join(sorted(kind.__name__ for kind in kinds)) or "no records"
        raise StoreError(f"found {found}, wanted one or more records of one recorded type")
    table = TABLES[kinds.pop()]
    seen: set[object] = set()
    for name in map(attrgetter(*table.key), records):
        if name in seen:
            raise StoreError(
                f"{', '.join(table.key)} {name!r} is given twice, wanted once: rename or drop one"
            )
        seen.add(name)
    return table_bytes(table, to_arrow(table, records))


def read_file(path: Path) -> tuple[Any, ...]:
    """Returns the records of a file; a StoreError names it, the fault, and what to do."""
    with _named(path):
        return tuple(to_records(*opened(path)))


def is_pack(path: Path) -> bool:
    """Returns True if a file of `measured/` or `submitted/` is a pack of runs (`packs`)."""
    return path.name.startswith(PACK) and path.parent.name in ADDED_ONLY


def is_damaged(path: Path) -> bool:
    """Returns True if it is no complete Parquet file, or one of ours that was changed."""
    try:
        content = path.read_bytes()
        labels = parsed(content)[1]
        if labels:
            check_seal(content, labels)
    except (OSError, StoreError):
        return True
    return False


def is_newer(path: Path) -> bool:
    """Returns True if a newer version wrote the file, which may have unknown columns."""
    return schema.is_newer(version_of(path))


def run_ids(path: Path) -> frozenset[str]:
    """Returns the names of the runs in a file, without reading the rest."""
    with _named(path), damage_named():
        ids = parsed(path.read_bytes())[0].read(columns=["run_id"])["run_id"]
        return frozenset(ids.to_pylist())


def read(
    runs_dir: Path, cache: Path | None = None, progress: Callable[[int, int], None] | None = None
) -> Archive:
    """Reads everything recorded below a folder; unreadable files become problems.

    `cache` keeps files packed, so that the next read opens only changed ones. `progress` is told
    files done and files to open.
    """
    if not runs_dir.is_dir():
        raise StoreError(
            f"{runs_dir} is no folder: give the folder with the recorded runs by --runs, or make it"
        )
    problems: list[Problem] = []
    places = list(_listed(runs_dir, cache, problems))
    with _without_collector():
        records = _read(places, runs_dir, cache, problems, progress)
    pa.default_memory_pool().release_unused()  # a third of the memory of reading 21,000 runs
    return _archive(runs_dir, places, records, problems)


def _read(
    places: Sequence[Place],
    runs_dir: Path,
    cache: Path | None,
    problems: list[Problem],
    progress: Callable[[int, int], None] | None,
) -> dict[Place, list[Any]]:
    records: dict[Place, list[Any]] = {}
    before = store_cache.load(cache, runs_dir) if cache else []
    there = set(places)
    packs = [
        pack
        for old in before
        if (pack := old.only(there)).places and _decode(pack, records, later=LATER)
    ]
    wanted = [place for place in places if place not in records]
    fresh: list[Pack] = []
    for start in range(0, len(wanted), TOGETHER):
        parts = _open(wanted, start, runs_dir, problems, progress)
        for pack in store_cache.packed(parts):
            if not _decode(pack, records):
                _decode_each(pack.table, parts, runs_dir, records, problems)
        small = (part for part in parts if part[0].size <= SMALL and part[0] in records)
        fresh += store_cache.packed(small)
    if cache and (fresh or len(packs) != len(before) or any(map(is_not, packs, before))):
        store_cache.save(cache, runs_dir, store_cache.merged([*packs, *fresh]))
    return records


@contextmanager
def _without_collector() -> Iterator[None]:
    """The collector would walk over millions of new records and find no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def _listed(runs_dir: Path, cache: Path | None, problems: list[Problem]) -> Iterator[Place]:
    """Yields the recorded files by path; leftovers of stopped writers become problems."""
    passed_over = {path.resolve() for path in (cache, runs_dir / RETIRED) if path}
    for folder, folders, names in os.walk(runs_dir):
        here = Path(folder)
        folders[:] = sorted(name for name in folders if (here / name).resolve() not in passed_over)
        for path in (here / name for name in sorted(names)):
            if path.name.endswith(".tmp"):
                reason = (
                    "is half-written: its writer was stopped, or is at work still; delete it "
                    "once no writer runs"
                )
                problems.append(Problem(path, reason))
            elif path.name.endswith(".parquet"):
                try:
                    state = path.stat()
                except OSError as error:
                    reason = (
                        f"cannot be read ({error.strerror or error}): check where it leads and who "
                        "may read it"
                    )
                    problems.append(Problem(path, reason))
                    continue
                place = path.relative_to(runs_dir).as_posix()
                yield Place(place, state.st_size, state.st_mtime_ns)


def _open(
    places: Sequence[Place],
    start: int,
    runs_dir: Path,
    problems: list[Problem],
    progress: Callable[[int, int], None] | None,
) -> list[_Part]:
    parts = []
    for done, place in enumerate(places[start : start + TOGETHER], start=start + 1):
        try:
            parts.append((place, *opened(runs_dir / place.path)))
        except StoreError as error:
            problems.append(Problem(runs_dir / place.path, str(error)))
        if progress:
            progress(done, len(places))
    return parts


def _decode(pack: Pack, records: dict[Place, list[Any]], *, later: Collection[str] = ()) -> bool:
    """Adds a pack's records by file; returns False and adds nothing if a row is refused."""
    try:
        rows = to_records(pack.table, pack.rows, later=later)
    except StoreError:
        return False
    ends = pairwise(accumulate(pack.counts, initial=0))
    records.update(
        (place, rows[start:end]) for place, (start, end) in zip(pack.places, ends, strict=True)
    )
    return True


def _decode_each(
    table: TableSchema,
    parts: Sequence[_Part],
    runs_dir: Path,
    records: dict[Place, list[Any]],
    problems: list[Problem],
) -> None:
    """Adds records file by file, to find the one with the refused row."""
    for place, of, rows in parts:
        if of is table:
            try:
                records[place] = to_records(table, rows)
            except StoreError as error:
                problems.append(Problem(runs_dir / place.path, str(error)))


def _first(
    runs_dir: Path, places: Sequence[Place], records: Mapping[Place, list[Any]]
) -> tuple[dict[tuple[str, object], tuple[Place, Any]], list[Problem]]:
    first: dict[tuple[str, object], tuple[Place, Any]] = {}
    problems = []
    names = {record: (table, attrgetter(*table.key)) for record, table in TABLES.items()}
    for place, record in ((at, each) for at in places for each in records.get(at, ())):
        table, name = names[type(record)]
        key = (table.name, name(record))
        there, same = first.setdefault(key, (place, record))
        if same is record:
            continue
        both = [runs_dir / there.path, runs_dir / place.path]
        packed = any(map(is_pack, both)) and both[0].parent == both[1].parent
        if packed and there is not place and same == record:
            continue
        where = "this file" if there is place else str(both[0])
        what = f"{', '.join(table.key)} {key[1]!r} of table {table.name} is in {where} already"
        reason = f"{what}, and counts once: delete one of the two, or rename it"
        problems.append(Problem(both[1], reason))
    return first, problems


def _archive(
    runs_dir: Path,
    places: Sequence[Place],
    records: Mapping[Place, list[Any]],
    problems: list[Problem],
) -> Archive:
    """Returns all records by table. Of several with the same key the first by path is kept, and the
    others are problems, except a run both in a pack and beside it: packing may have been
    interrupted.
    """
    first, repeated = _first(runs_dir, places, records)
    problems += repeated
    rows: dict[str, list[Any]] = defaultdict(list)
    for (table, _), (_, record) in first.items():
        rows[table].append(record)
    rows["runs"].sort(key=attrgetter("run_id"))
    files = {run.run_id: Path(first["runs", run.run_id][0].path) for run in rows["runs"]}
    others = {
        key: Path(place.path)
        for key, (place, record) in first.items()
        if not isinstance(record, Run)
    }

    def refuse(table: str, name: str, reason: str) -> None:
        problems.append(Problem(runs_dir / first[table, name][0].path, reason))

    withdrawn = {withdrawal.run_id: withdrawal.why for withdrawal in rows["withdrawals"]}
    for name in sorted(withdrawn.keys() - files.keys()):
        reason = (
            f"withdraws run {name!r}, which is not recorded here: bring its file back, since "
            "a published run stays reachable"
        )
        refuse("withdrawals", name, reason)
    runs = [
        replace(run, withdrawn=withdrawn[run.run_id]) if run.run_id in withdrawn else run
        for run in map(lifted, rows["runs"])
    ]
    rows["runs"], refused = attached(runs, rows["recordings"])
    rows["recordings"] = [each for each in rows["recordings"] if each.run_id not in refused]
    for name, reason in refused.items():
        refuse("recordings", name, reason)
    tables = {name: tuple(found) for name, found in rows.items()}
    problems.sort(key=lambda problem: (str(problem.path), problem.reason))
    return Archive(**tables, problems=tuple(problems), files=files, others=others)
