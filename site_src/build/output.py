"""Files of the site, written whole or not at all: the only place that writes below site/.

A first or clean build is made aside and swapped in by renaming. A later one puts the files whose
bytes changed aside, writes down what is to be renamed and removed, and only then does it; a build
that finds such a list finishes it first, so a killed build leaves no half-changed site. What a
build has written is listed in `.touchstone`, with hashes that `verify` holds the files against; a
folder without it is somebody else's and is never touched. No page, picture or feed with a link that
runs something gets through. All may read what a build wrote, whatever the umask of who built it: a
server is often somebody else.
"""

import fcntl
import hashlib
import json
import os
import shutil
from collections.abc import Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
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
    """Files on their way: compared with what is there, and put aside where they differ.

    A stage is handed to each process of a build; what they put is joined with `merge`.
    """

    out: Path
    aside: Path
    keep: frozenset[str] | None
    paths: dict[str, bool] = field(default_factory=dict)

    def put(self, path: str, content: bytes) -> None:
        """Put one file; the same path twice is an error of the caller, and of a site whose pages
        collide.
        """
        if path in self.paths:
            raise OutputError(f"{path}: two parts of the site want to write this file")
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

    def merge(self, paths: dict[str, bool]) -> None:
        """Take over what another process has put."""
        both = self.paths.keys() & paths.keys()
        if both:
            raise OutputError(f"{min(both)}: two parts of the site want to write this file")
        self.paths |= paths


def _same(path: Path, content: bytes) -> bool:
    """Whether the file is there with this content, for all to read."""
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
    """Let all look into the folders of these files."""
    for name in sorted(
        {parent.as_posix() for path in paths for parent in PurePosixPath(path).parents}
    ):
        if not _open_to((folder / name).stat().st_mode, LOOK):
            (folder / name).chmod(FOLDER)


def _around(out: Path, what: str) -> Path:
    return out.parent / f".{out.name}.{what}"


@contextmanager
def writing(out: Path, *, incremental: bool = True) -> Iterator[Stage]:
    """Hand out a stage for `out`; at the end of the block all of it appears, after an error in it
    nothing does.

    Raises:
        OutputError: Another build is writing there, or the folder holds what no build has written.
    """
    out = out.resolve()
    with _room(out):
        out.parent.mkdir(parents=True, exist_ok=True)
    with _locked(out):
        with _room(out):
            _finish(out)
        known = _known(out)
        aside = _around(out, "new")
        _clear(aside)
        with _room(out):
            aside.mkdir()
        try:
            keep = frozenset(known) if incremental and known is not None else None
            stage = Stage(out, aside, keep)
            yield stage
            with _room(out):
                if stage.keep is None:
                    _swap(stage, known)
                else:
                    _apply(stage, stage.keep)
        finally:
            # once the list is written, the files aside belong to it
            if not _around(out, "journal").exists():
                _clear(aside)


def written(out: Path) -> Mapping[str, str]:
    """Hashes of what the last build wrote below `out`, by path; empty ones where it wrote none.

    Raises:
        OutputError: Nobody has built there.
    """
    known = _known(out)
    if known is None:
        raise OutputError(f"{out}: no site has been built there")
    return known


def _known(out: Path) -> Mapping[str, str] | None:
    """What the last build wrote, with hashes; None where nothing is. A folder with foreign files
    alone is refused.
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
        path: digest((stage.aside if changed else stage.out) / path)
        for path, changed in sorted(stage.paths.items())
    }
    listed = {"schema_version": "1", "files": list(hashes), "sha256": hashes}
    return f"{json.dumps(listed, ensure_ascii=False, indent=0)}\n".encode()


def digest(path: Path) -> str:
    """The hash of a file as the list of files has it."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _swap(stage: Stage, known: Mapping[str, str] | None) -> None:
    """Put the new folder in the place of the old one; files that the owner laid beside ours move
    along.
    """
    _write(stage.aside / MARKER, _marker(stage))
    if known is not None:
        for file in sorted(
            path for path in stage.out.rglob("*") if path.is_file() or path.is_symlink()
        ):
            name = file.relative_to(stage.out).as_posix()
            if name in known or name == MARKER:
                continue
            if name in stage.paths:
                raise OutputError(
                    f"{file}: was not written by a build; move it away and build again"
                )
            (stage.aside / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(file, stage.aside / name, follow_symlinks=False)
    _open_folders(stage.aside, stage.paths)
    old = _around(stage.out, "old")
    _clear(old)
    _record(stage.out, {"swap": True})
    _finish(stage.out)


def _apply(stage: Stage, keep: frozenset[str]) -> None:
    """Rename the changed files into place and remove those that are no longer of the site."""
    changed = sorted(path for path, differs in stage.paths.items() if differs)
    gone = sorted(keep - stage.paths.keys())
    marker = _marker(stage)
    if changed or gone or not _same(stage.out / MARKER, marker):
        _write(stage.aside / MARKER, marker)
        _record(stage.out, {"rename": [*changed, MARKER], "remove": gone})
        _finish(stage.out)
    _open_folders(stage.out, stage.paths)


def _record(out: Path, plan: dict[str, object]) -> None:
    """Write down what is to be done, on the disk itself, under its final name only when
    complete.
    """
    disk.put(_around(out, "journal"), json.dumps(plan).encode())


def _finish(out: Path) -> None:
    """Do what the journal says, from wherever an earlier build left off; every step may be done
    twice.
    """
    journal, aside = _around(out, "journal"), _around(out, "new")
    if not journal.exists():
        old = _around(out, "old")
        _clear(old)
        return
    plan = json.loads(journal.read_text(encoding="utf-8"))
    if plan.get("swap"):
        old = _around(out, "old")
        if aside.exists():
            if out.exists():
                _clear(old)
                out.rename(old)
            aside.rename(out)
        journal.unlink()
        _clear(old)
        return
    for path in plan["remove"]:
        (out / path).unlink(missing_ok=True)
        for folder in (out / path).parents:
            if folder == out:
                break
            with suppress(OSError):  # not empty, or gone already
                folder.rmdir()
    for path in plan["rename"]:
        source, target = aside / path, out / path
        if source.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            source.replace(target)
    journal.unlink()
    _clear(aside)


def _clear(folder: Path) -> None:
    if folder.is_dir() and not folder.is_symlink():
        shutil.rmtree(folder)
    else:
        folder.unlink(missing_ok=True)


@contextmanager
def _locked(out: Path) -> Iterator[None]:
    """Keep a second build away from the same folder; the lock falls with its process, however that
    ends.
    """
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
