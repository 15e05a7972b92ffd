"""A packed copy of the small files that were read without errors, so that a build need not open ten
thousand files of one run.

The cache folder has one Parquet file per table. Its metadata list the recorded files in it: path,
size, time of last change and number of rows, in the order of the rows. If it is absent, damaged or
of another schema or code, the recorded files are read and it is silently rebuilt.
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import chain, compress, repeat
from pathlib import Path
from typing import Final

import pyarrow as pa  # type: ignore[import-untyped]  # it ships without type hints

from kernels.disk import put
from kernels.errors import StoreError
from kernels.store.parquet import check_seal, damage_named, parquet_bytes, parsed
from kernels.store.schema import SCHEMA_VERSION, TABLES, TableSchema

_LIST: Final = "touchstone.cache.files"
_SCHEMA: Final = "touchstone.cache.schema"


@dataclass(frozen=True, slots=True)
class Place:
    """A recorded file: path below `runs/`, size in bytes, time of last change in ns."""

    path: str
    size: int
    mtime_ns: int


@dataclass(frozen=True, slots=True)
class Pack:
    """Rows of one table from many files, one file after the other; `counts` are rows per file."""

    table: TableSchema
    rows: pa.Table
    places: tuple[Place, ...]
    counts: tuple[int, ...]

    def only(self, wanted: Collection[Place]) -> "Pack":
        """Returns the pack without files that have changed or gone."""
        keep = [place in wanted for place in self.places]
        if all(keep):
            return self
        mask = chain.from_iterable(map(repeat, keep, self.counts))
        return Pack(
            self.table,
            self.rows.filter(pa.array(mask, pa.bool_())),
            tuple(compress(self.places, keep)),
            tuple(compress(self.counts, keep)),
        )


def packed(parts: Iterable[tuple[Place, TableSchema, pa.Table]]) -> list[Pack]:
    """Returns one pack per table."""
    return merged(Pack(table, rows, (place,), (rows.num_rows,)) for place, table, rows in parts)


def merged(packs: Iterable[Pack]) -> list[Pack]:
    """Merges the packs of each table."""
    by_table: dict[str, list[Pack]] = {}
    for pack in packs:
        by_table.setdefault(pack.table.name, []).append(pack)
    return [
        Pack(
            group[0].table,
            pa.concat_tables([pack.rows for pack in group]),
            tuple(chain.from_iterable(pack.places for pack in group)),
            tuple(chain.from_iterable(pack.counts for pack in group)),
        )
        for group in by_table.values()
    ]


def _file(folder: Path, runs_dir: Path, table: TableSchema) -> Path:
    # Two runs folders may share a cache folder, as tests and their repository do.
    whose = hashlib.sha256(str(runs_dir.resolve()).encode()).hexdigest()[:12]
    return folder / f"{table.name}-{whose}.parquet"


def _fingerprint(table: TableSchema) -> str:
    return hashlib.sha256(f"{SCHEMA_VERSION}\n{table.arrow}\n{_code()}".encode()).hexdigest()


@cache
def _code() -> str:
    """Returns a hash of the code that may refuse a row."""
    kernels = Path(__file__).parents[1]
    files = sorted(
        (*kernels.glob("*.py"), *kernels.glob("records/*.py"), *kernels.glob("store/*.py"))
    )
    return "".join(file.read_text("utf-8") for file in files)


def load(folder: Path, runs_dir: Path) -> list[Pack]:
    """Returns the packs of the last reading; none if absent, damaged or outdated."""
    packs = []
    for table in TABLES.values():
        with suppress(StoreError), damage_named():
            content = _file(folder, runs_dir, table).read_bytes()
            file, labels = parsed(content)
            check_seal(content, labels)
            if labels[_SCHEMA] != _fingerprint(table):
                continue
            listed = json.loads(labels[_LIST])
            places = tuple(
                Place(str(path), int(size), int(mtime_ns)) for path, size, mtime_ns, _ in listed
            )
            counts = tuple(int(count) for _, _, _, count in listed)
            rows = file.read()
            if rows.num_rows == sum(counts) and min(counts) > 0 and rows.schema.equals(table.arrow):
                packs.append(Pack(table, rows, places, counts))
    return packs


def save(folder: Path, runs_dir: Path, packs: Sequence[Pack]) -> None:
    """Replaces the packs; a folder that cannot be written is ignored."""
    with suppress(OSError):
        folder.mkdir(parents=True, exist_ok=True)
        for pack in packs:
            listed = [
                (place.path, place.size, place.mtime_ns, count)
                for place, count in zip(pack.places, pack.counts, strict=True)
            ]
            labels = {_SCHEMA: _fingerprint(pack.table), _LIST: json.dumps(listed)}
            put(
                _file(folder, runs_dir, pack.table), parquet_bytes(pack.rows, labels), durable=False
            )
        for table in TABLES.values():
            if table.name not in {pack.table.name for pack in packs}:
                _file(folder, runs_dir, table).unlink(missing_ok=True)
