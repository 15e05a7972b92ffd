"""Files of the site, written whole or not at all: the only module that writes below site/.

A build makes its site in a folder beside the old one, from changed files and links to unchanged
ones, and then swaps the two folders in one step: readers, and a killed build, leave the old site or
the new one, each whole. `.touchstone` lists the files with hashes, which `verify` checks; a folder
without that list belongs to somebody else and is never touched. Pages, pictures and feeds with
links that run code are refused. Everyone can read the written files, whatever the umask: the server
is often another user.
"""

import ctypes
import fcntl
import hashlib
import json
import os
import shutil
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from kernels import disk
from kernels.errors import TouchstoneError
from site_src.links import unsafe_file
from site_src.model import MARKER

FILE: Final = 0o644
FOLDER: Final = 0o755
READ: Final = 0o444
LOOK: Final = 0o555


class OutputError(TouchstoneError):
    """The output folder cannot be written as it is; says why and what to do."""


@dataclass(slots=True)
class Stage:
    """New files: compared with the old ones, and written to the new folder if they differ."""

    out: Path
    aside: Path
    keep: frozenset[str] | None
    paths: dict[str, bool] = field(default_factory=dict)
    hashes: dict[str, str] = field(default_factory=dict)

    def stays(self, path: str, hash_: str) -> bool:
        """Keep a file of the old site if it has that hash and everyone can read it."""
        place = self.out / path
        try:
            known = self.keep is not None and path in self.keep and path not in self.paths
            if not (known and _open_to(place.stat().st_mode, READ) and digest(place) == hash_):
                return False
        except OSError:
            return False
        self.paths[path], self.hashes[path] = False, hash_
        return True

    def claim(self, path: str) -> None:
        """Refuse a path that is taken."""
        if path in self.paths:
            raise OutputError(f"{path}: two parts of the site want to write this file")

    def put(self, path: str, content: bytes) -> str:
        """Put one file, and return its hash. The same path twice is an error of the caller, or of a
        site whose pages collide.
        """
        self.claim(path)
        if path.startswith("/") or ".." in path.split("/"):
            raise OutputError(f"{path}: a file of the site stays below its folder")
        changed = self.keep is None or not _same(self.out / path, content)
        if changed:
            if self.keep is not None and path not in self.keep and (self.out / path).exists():
                raise OutputError(
                    f"{self.out / path}: was not written by a build; move it away and build again"
                )
            if wrong := unsafe_file(path, content):
                raise OutputError(
                    f"{path}: {wrong} leads to no page and no file; wanted an address with http, "
                    "https or none: mend it"
                )
            target = self.aside / path
            with _room(self.out / path):
                target.parent.mkdir(parents=True, exist_ok=True)
                _write(target, content)
        self.paths[path] = changed
        self.hashes[path] = hashlib.sha256(content).hexdigest()
        return self.hashes[path]


def _same(path: Path, content: bytes) -> bool:
    """True if the file has this content and everyone can read it."""
    try:
        state = path.stat()
        return (
            state.st_size == len(content)
            and _open_to(state.st_mode, READ)
            and path.read_bytes() == content
        )
    except OSError:
        return False


def _open_to(mode: int, wanted: int) -> bool:
    return mode & wanted == wanted


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        os.fchmod(file.fileno(), FILE)
        file.write(content)


def _room(path: Path) -> AbstractContextManager[None]:
    return disk.named(
        path,
        "free space, or give another --out, then build again; the site that is there stands as it "
        "was",
    )


def _open_folders(folder: Path, paths: Iterable[str]) -> None:
    """Let everyone list the folders of these files."""
    for name in sorted({"", *(parent for path in paths for parent in _folders(path))}):
        if not _open_to((folder / name).stat().st_mode, LOOK):
            (folder / name).chmod(FOLDER)


def _around(out: Path, what: str) -> Path:
    return out.parent / f".{out.name}.{what}"


@contextmanager
def writing(out: Path, *, incremental: bool = True) -> Iterator[Stage]:
    """Yields a stage for `out`; its files appear together at the end of the block, or not at all
    after an error.

    Raises:
        OutputError: Another build is writing there, or the folder has files that no build wrote.
    """
    out = out.resolve()
    with _room(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    with _locked(out):
        with _room(out):
            _tidy(out)
        known = _known(out)
        aside = _around(out, "new")
        with _room(out):
            aside.mkdir()
            _as_open(out, aside)
        try:
            keep = frozenset(known) if incremental and known is not None else None
            stage = Stage(out, aside, keep)
            yield stage
            with _room(out):
                _publish(stage, known)
        finally:
            _tidy(out)


def written(out: Path) -> Mapping[str, str]:
    """Hashes of the last build's files below `out`, by path.

    Raises:
        OutputError: There was no build.
    """
    known = _known(out)
    if known is None:
        raise OutputError(f"{out}: no site has been built there")
    return known


def _known(out: Path) -> Mapping[str, str] | None:
    """The files of the last build with their hashes; None if there is nothing. A folder with
    only foreign files is refused.
    """
    if not out.exists() and not out.is_symlink():
        return None
    if not out.is_dir():
        raise OutputError(f"{out}: is not a folder; give --out another name")
    try:
        listed = json.loads((out / MARKER).read_text(encoding="utf-8"))
        paths: Iterable[str] = listed["files"]
        hashes: Mapping[str, str] = listed.get("sha256", {})
        return {path: hashes.get(path, "") for path in paths}
    except FileNotFoundError:
        if any(out.iterdir()):
            raise OutputError(
                f"{out}: holds files that no build has written (there is no {MARKER}); give --out "
                "another folder or move them away"
            ) from None
        return None
    except (ValueError, KeyError, TypeError) as error:
        raise OutputError(
            f"{out / MARKER}: cannot be read ({error}); move {out} away and build again"
        ) from None


def _marker(stage: Stage) -> bytes:
    hashes = {
        path: stage.hashes.get(path) or digest((stage.aside if changed else stage.out) / path)
        for path, changed in sorted(stage.paths.items())
    }
    listed = {"schema_version": "1", "files": list(hashes), "sha256": hashes}
    return f"{json.dumps(listed, ensure_ascii=False, indent=0)}\n".encode()


def digest(path: Path) -> str:
    """The hash of a file as in the list of files."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _publish(stage: Stage, known: Mapping[str, str] | None) -> None:
    """Put the new site in the place of the old one, if it differs."""
    marker = _marker(stage)
    same = stage.keep == stage.paths.keys() and not any(stage.paths.values())
    if same and _same(stage.out / MARKER, marker):
        _open_folders(stage.out, stage.paths)
        return
    half = stage.aside / f"{MARKER}.part"
    _write(half, marker)
    half.rename(stage.aside / MARKER)  # under its name, it is whole
    for path, changed in stage.paths.items():
        if not changed:
            _link(stage.out / path, stage.aside / path)
    _open_folders(stage.aside, stage.paths)
    if known is not None:
        _hold_owners(stage)
    if not stage.out.exists():
        stage.aside.rename(stage.out)
    elif not _exchanged(stage.aside, stage.out):
        stage.out.rename(_around(stage.out, "old"))
        stage.aside.rename(stage.out)


def _as_open(out: Path, aside: Path) -> None:
    """Give the new folder the permissions and the group of the old one, if there is one."""
    if out.exists():
        with suppress(PermissionError):
            os.chown(aside, -1, out.stat().st_gid)
        shutil.copymode(out, aside)


def _owners(old: Path, new: Path) -> Iterator[str]:
    """Yields the owner's own files beside ours; a folder entirely of such files is one item."""
    known = _known(old) or {}
    ours = {folder for path in known for folder in _folders(path)}
    start = len(f"{old}/")
    for folder, folders, names in os.walk(old):
        within = f"{folder}/"[start:]
        yield from (
            path for name in names if (path := within + name) not in known and path != MARKER
        )
        for name in list(folders):
            path = within + name
            if (old / path).is_symlink() or (path not in ours and not (new / path).is_dir()):
                folders.remove(name)
                yield path


def _folders(path: str) -> Iterator[str]:
    """Yields the folders above a file."""
    while path := path.rpartition("/")[0]:
        yield path


def _hold_owners(stage: Stage) -> None:
    """Refuse owner's files that cannot be moved to the new site."""
    for path in _owners(stage.out, stage.aside):
        place, target = stage.out / path, stage.aside / path
        taken = os.path.lexists(target) and stage.paths.get(path, True)
        if taken or any(parent.is_file() for parent in target.parents):
            raise OutputError(f"{place}: was not written by a build; move it away and build again")
        whole = place.is_dir() and not place.is_symlink()
        if whole and (place.is_mount() or not os.access(place, os.W_OK)):
            raise OutputError(
                f"{place}: cannot move to the next site, for it is somebody else's or a mounted "
                "disk; keep it outside, and let your server answer for it"
            )


def _bring_along(old: Path, new: Path) -> None:
    """Move the owner's files from the old site to the new one."""
    for path in list(_owners(old, new)):
        if not os.path.lexists(new / path):
            (new / path).parent.mkdir(parents=True, exist_ok=True)
            (old / path).rename(new / path)


def _link(source: Path, target: Path) -> None:
    """Hard-link a file, or copy it where the file system has no links."""
    target.parent.mkdir(parents=True, exist_ok=True)
    try:
        os.link(source, target)
    except OSError as error:
        if error.errno not in disk.NO_LINKS:
            raise
        shutil.copy2(source, target)


_AT_ONCE: Final = 16
"""Folders that are removed at a time."""

_HERE: Final = -100
_EXCHANGE: Final = 2
"""`AT_FDCWD` and `RENAME_EXCHANGE` of Linux's renameat2."""


def _exchanged(one: Path, other: Path) -> bool:
    """Swap two folders in one step; False if the system cannot."""
    rename = getattr(ctypes.CDLL(None), "renameat2", None)
    paths = os.fsencode(one), os.fsencode(other)
    return rename is not None and rename(_HERE, paths[0], _HERE, paths[1], _EXCHANGE) == 0


def _tidy(out: Path) -> None:
    """Remove leftovers of builds, also of killed ones, after moving the owner's files along. If a
    build was killed between two renames, the old site gets its name back.
    """
    old, new = _around(out, "old"), _around(out, "new")
    if old.exists() and not out.exists():
        old.rename(out)
    for folder in (old, new):
        if (folder / MARKER).exists() and out.exists():
            _bring_along(folder, out)
        try:
            _clear(folder)
        except OSError as error:
            raise OutputError(
                f"{folder}: cannot be removed ({error.strerror}); the site stands, remove the "
                "folder and build again"
            ) from error


def _clear(folder: Path) -> None:
    """Remove a folder; its subfolders several at a time, as some systems take 3 ms for each."""
    if not folder.is_dir() or folder.is_symlink():
        folder.unlink(missing_ok=True)
        return
    depths = defaultdict(list)
    for place, folders, names in os.walk(folder):
        depths[place.count(os.sep)].append(place)
        for name in (*names, *(name for name in folders if Path(place, name).is_symlink())):
            Path(place, name).unlink()
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        for _, places in sorted(depths.items(), reverse=True):
            list(pool.map(_remove, (places[each::_AT_ONCE] for each in range(_AT_ONCE))))


def _remove(folders: Iterable[str]) -> None:
    for folder in folders:
        Path(folder).rmdir()


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Keep other builds away from the folder; the lock ends with its process."""
    path = _around(out, "lock")
    while True:
        with _room(path):
            handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o644)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            os.close(handle)
            raise OutputError(
                f"{out}: another build is writing there; wait for it or give another --out"
            ) from None
        try:
            same = path.stat().st_ino == os.fstat(handle).st_ino
        except FileNotFoundError:
            same = False
        if same:  # else its last holder removed it between our two calls
            break
        os.close(handle)
    try:
        yield
    finally:
        path.unlink(missing_ok=True)
        os.close(handle)
