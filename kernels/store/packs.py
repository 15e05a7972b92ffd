"""Packs: many runs of this harness in one file, since ten thousand small files are slow to open.

A pack is an ordinary recorded file, `packed-<hash of its runs' names>.parquet` in `measured/` or
`submitted/`, with the same rows as the files of one run. It is written, read again and compared
before they are deleted, so that after a crash each run exists once or twice; readers count it once,
and the next packing removes leftovers. A pack is never rewritten.
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
"""Most runs in a pack: a build reads them at once."""


NEWER: Final = (
    "was written by a newer version, which may have columns that this one would lose: "
    "use that version"
)


@dataclass(frozen=True, slots=True)
class Packing:
    """A packing done or planned: `pack` replaces `files` of one run."""

    pack: Path
    runs: int
    files: tuple[Path, ...]


def _packs(folder: Path) -> list[Path]:
    return sorted(path for path in folder.glob("*.parquet") if store.is_pack(path))


def pack(folder: Path, problems: list[Problem], *, dry: bool = False) -> Iterator[Packing]:
    """Puts the files of one run into packs, and removes those that a pack already has.

    The caller holds the folder's lock; files that stay are added to `problems`.
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
    """Writes runs to a pack, or a single one to its own file, and reads them back.

    An existing file is compared with them.

    Raises:
        StoreError: The file cannot be written, or differs; nothing may be deleted then.
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
    """Removes runs that are recorded in another file; the rest gets a new file."""
    left = [run for run in store.read_file(path) if run.run_id not in names]
    if left and store.is_newer(path):
        raise StoreError(f"{path}: {NEWER}")
    if left:
        write(path.parent, left)
    path.unlink()


def holds(folder: Path, name: str) -> bool:
    """Returns True if a run of that name is in a pack of the folder."""
    for path in _packs(folder):
        # unknown; a damaged pack must not keep a new run from being recorded
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
