"""Packs: many runs of this harness in one file, since ten thousand files of one run each are slow
to open.

A pack is a recorded file like any other, `packed-<hash of its runs' names>.parquet` in `measured/`
or `submitted/`: row for row what the files of one run held. It is written, read again and compared
before they go, so that wherever a crash falls each run is there once or twice, never less; a reader
counts a run once, and the next packing removes what was left. A pack is never written to again.
"""

import hashlib
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from kernels import store
from kernels.errors import StoreError
from kernels.records import Run
from kernels.store import Problem

MOST: Final = 1000
"""Runs in one pack: a build reads them at once."""


NEWER: Final = (
    "was written by a newer version, which may have columns that this one would lose: "
    "use that version"
)


@dataclass(frozen=True, slots=True)
class Packing:
    """What is, or would be, done: `pack` stands for `files` of one run from now on."""

    pack: Path
    runs: int
    files: tuple[Path, ...]


def _packs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.parquet") if store.is_pack(path))


def pack(folder: Path, problems: list[Problem], *, dry: bool = False) -> Iterator[Packing]:
    """Put the files of one run into packs, and remove those that a pack holds already.

    The folder's lock is held; `problems` takes the files that stay as they are.
    """
    packed = {name: path for path in _packs(folder) for name in store.run_ids(path)}
    read = cache(store.read_file)
    rest = [path for path in sorted(folder.glob("*.parquet")) if not store.is_pack(path)]
    for start in range(0, len(rest), MOST):
        fresh: dict[str, tuple[Path, Run]] = {}
        done: dict[Path, list[Path]] = {}
        for path in rest[start : start + MOST]:
            try:
                run = _single(path)
                if run is None:
                    continue
                if run.run_id in fresh:
                    raise StoreError(
                        f"holds run {run.run_id!r}, as {fresh[run.run_id][0]} does: delete one of "
                        "the two, or rename it"
                    )
                where = packed.get(run.run_id)
                if where is None:
                    fresh[run.run_id] = path, run
                else:
                    _refuse_another(run, where, read(where))
                    done.setdefault(where, []).append(path)
            except StoreError as error:
                problems.append(Problem(path, str(error).removeprefix(f"{path}: ")))
        for where, files in done.items():
            if not dry:
                _remove(files)
            yield Packing(where, len(files), tuple(files))
        if len(fresh) > 1:
            files = [path for path, _ in fresh.values()]
            target = _target(folder, fresh)
            if not dry:
                write(folder, [run for _, run in fresh.values()])
                _remove(files)
            yield Packing(target, len(fresh), tuple(files))


def _refuse_another(run: Run, where: Path, records: Sequence[Run]) -> None:
    same = [each for each in records if each.run_id == run.run_id]
    if store.encoded([run]) != store.encoded(same):
        raise StoreError(
            f"holds another run {run.run_id!r} than {where}: delete one of the two, or rename it"
        )


def _single(path: Path) -> Run | None:
    records = store.read_file(path)
    if len(records) != 1 or not isinstance(records[0], Run):
        return None
    if store.is_newer(path):
        raise StoreError(NEWER)
    return records[0]


def write(folder: Path, runs: Iterable[Run]) -> Path:
    """Record runs in a pack, or one alone in a file of its own, and read them back.

    A file that is there already is held against them.

    Raises:
        StoreError: The file cannot be written, or holds something else; nothing may be deleted
            then.
    """
    rows = sorted(runs, key=lambda run: run.run_id)
    target = _target(folder, [run.run_id for run in rows])
    if not target.exists():
        store.write(target, rows)
    if store.encoded(store.read_file(target)) != store.encoded(rows):
        raise StoreError(
            f"{target}: holds other runs than were to be packed; no file was removed: move it "
            "away, then pack again"
        )
    return target


def take_out(path: Path, names: Collection[str]) -> None:
    """Remove runs that are recorded elsewhere; what else the file holds gets another file."""
    left = [run for run in store.read_file(path) if run.run_id not in names]
    if left and store.is_newer(path):
        raise StoreError(f"{path}: {NEWER}")
    if left:
        write(path.parent, left)
    path.unlink()


def holds(folder: Path, name: str) -> bool:
    """Whether a run of that name is in a pack of the folder."""
    for path in _packs(folder):
        # nobody can tell; a damaged pack must not keep a new run from being recorded
        with suppress(StoreError):
            if name in store.run_ids(path):
                return True
    return False


def _target(folder: Path, names: Collection[str]) -> Path:
    if len(names) == 1:
        return folder / f"{next(iter(names))}.parquet"
    listed = "\n".join(sorted(names))
    return folder / f"{store.PACK}{hashlib.sha256(listed.encode()).hexdigest()[:12]}.parquet"


def _remove(files: Iterable[Path]) -> None:
    for path in files:
        path.unlink(missing_ok=True)
