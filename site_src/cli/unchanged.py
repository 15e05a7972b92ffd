"""Whether a build would change nothing, found from the state of files before anything is read.

A build that went well leaves a note in the cache: what it was asked for, which files it was made
from and which it wrote, each with size, times and hash. Where all of that still holds, so does the
site. A file whose times alone differ, as after a checkout, is held against its hash.
"""

import hashlib
import json
import os
import sys
import sysconfig
from argparse import Namespace
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from kernels import disk
from site_src.cli import say
from site_src.cli.arguments import CACHE, MADE_FROM, ROOT
from site_src.model import MARKER

_ASKED: Final = ("runs", "out", "lang", "base_url", "date", "runtime", "draft", "unlicensed")
"""Options that the bytes of a site depend on."""

_MORE: Final = ("verify", "ledger", "retire", "freeze", "clean")
"""Options that ask for more than the site as it is."""

_PASSING: Final = frozenset({"__pycache__", "journals", ".lock"})
"""What Python and runs that are being measured leave beside what is read."""

State = tuple[int, int, int, int]
"""Permissions, size, and the times of the last change of content and of entry, in ns."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Files by path, with state and hash."""

    states: Mapping[str, State]
    hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Note:
    """What a build leaves behind.

    Attributes:
        asked: Options and versions.
        read: What it was made from.
        wrote: Its files, below the folder of the site.
        marker: Hash of the list of them, which has theirs.
        said: Lines for who waits.
        built: What the last line says of the site.
    """

    asked: Sequence[str]
    read: Seen
    wrote: Mapping[str, State]
    marker: str
    said: Sequence[str]
    built: str


def asked(given: Namespace) -> list[str]:
    """Returns what a site depends on besides files: options, this Python, the installed packages
    with their versions.
    """
    packages = {
        path.name
        for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        for path in Path(folder).glob("*.dist-info")
    }
    options = [f"{name}={getattr(given, name)}" for name in _ASKED]
    return [*options, str(given.runs.resolve()), sys.version, *sorted(packages)]


def sources(given: Namespace) -> Seen:
    """Returns the files that a site is made from, as they are now."""
    states = dict(_read(given))
    return Seen(states, {path: _hash(Path(path)) for path in states})


def state(given: Namespace, read: Seen) -> str:
    """Returns a hash of what all of a site rests on: what `asked` has but the date, and every file
    that no part of a site notes as read (`kernels.reading`).
    """
    parts = [one for one in asked(given) if not one.startswith("verify")]
    files = [
        (path, hash_) for path, hash_ in sorted(read.hashes.items()) if not _noted(given, path)
    ]
    return hashlib.sha256(json.dumps([parts, files]).encode()).hexdigest()


def _noted(given: Namespace, path: str) -> bool:
    """Whether whoever reads a file notes it, or what stands in it."""
    place = Path(path)
    if place.is_relative_to(given.runs):
        return "retired" not in place.parts
    inside = place.relative_to(ROOT).parts
    texts = {".md", ".html"} if inside[0] == "site_src" else set()
    return (
        place.suffix in texts
        or place.name in {"words.csv", "terms.csv"}
        or (
            inside[:2] in {("site_src", "strings"), ("kernels", "catalog")}
            and place.suffix != ".py"
        )
    ) and inside[:2] != ("site_src", "overrides")


def last_result(given: Namespace) -> tuple[str, bool] | None:
    """Say again what the last build into this folder said, and return what stands there, where
    another build would change nothing; else None.
    """
    note = _still(given)
    if note is None:
        return None
    for line in note.said:
        say(line)
    return f"{note.built} (0 files written, 0 removed)", True


def _still(given: Namespace) -> Note | None:
    out = given.out.resolve()
    if any(getattr(given, name) for name in _MORE):
        return None
    try:
        noted = json.loads(_path(out).read_text("utf-8").partition("\n")[2])
        read = Seen(_tuples(noted["read"]["states"]), noted["read"]["hashes"])
        note = Note(**{**noted, "read": read, "wrote": _tuples(noted["wrote"])})
        now = dict(_read(given))
        if (
            note.asked != asked(given)
            or now.keys() != note.read.states.keys()
            or note.marker != _hash(out / MARKER)
        ):
            return None
        hashes = json.loads((out / MARKER).read_bytes())["sha256"]
        wrote = {path: _state(out / path) for path in hashes}
        same = _same(now, note.read, Path()) and _same(wrote, Seen(note.wrote, hashes), out)
    except (OSError, ValueError, TypeError, KeyError, AttributeError):
        return None  # no build, an older one's note, or a file is gone
    return note if same else None


def forget(given: Namespace) -> None:
    """Remove the note: what it says of the site will not hold."""
    _path(given.out.resolve()).unlink(missing_ok=True)


def written(given: Namespace) -> Mapping[str, State]:
    """Returns the files of the site that was built, as they are now."""
    out = given.out.resolve()
    return {path: _state(out / path) for path in json.loads((out / MARKER).read_bytes())["files"]}


def keep(
    given: Namespace, read: Seen, wrote: Mapping[str, State], said: Sequence[str], built: str
) -> None:
    """Leave the note of a build that went well; forget those of sites that are gone, and what they
    were made of.
    """
    out = given.out.resolve()
    path = _path(out)
    note = asdict(Note(asked(given), read, wrote, _hash(out / MARKER), said, built))
    with disk.named(path):
        path.parent.mkdir(parents=True, exist_ok=True)
        for other in path.parent.iterdir():
            if not _stands(other):
                other.unlink(missing_ok=True)
                for made in (CACHE / "made").glob(f"{other.name}*"):
                    made.unlink()
        disk.put(path, f"{out}\n{json.dumps(note)}".encode(), durable=False)


def _stands(note: Path) -> bool:
    """Whether the site that a note is of, named by its first line, is still there."""
    with note.open(encoding="utf-8") as file:
        first = file.readline().rstrip("\n")
    try:
        return (Path(first) / MARKER).exists()
    except OSError:  # no name of a folder
        return False


def _tuples(states: Mapping[str, Sequence[int]]) -> dict[str, State]:
    return {path: (mode, size, put, moved) for path, (mode, size, put, moved) in states.items()}


def _path(out: Path) -> Path:
    return CACHE / "built" / hashlib.sha256(str(out).encode()).hexdigest()[:16]


def _same(now: Mapping[str, State], then: Seen, folder: Path) -> bool:
    """Whether files are what they were: in their state, or else by permissions and hash."""
    for path, state in now.items():
        known = then.states[path]
        if state != known and (state[0] != known[0] or _hash(folder / path) != then.hashes[path]):
            return False
    return True


def _read(given: Namespace) -> Iterator[tuple[str, State]]:
    """Yields every file that a build may read, with its state; one that cannot be read is named by
    the build.
    """
    for place in [*(ROOT / name for name in MADE_FROM), given.runs]:
        paths = [str(place)] if place.is_file() else []
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if name not in _PASSING]
            paths += [f"{folder}{os.sep}{name}" for name in names if name not in _PASSING]
        for path in paths:
            with suppress(OSError):
                yield path, _state(path)


def _state(path: str | Path) -> State:
    found = os.stat(path)  # noqa: PTH116 - 9,000 files; a Path for each takes longer than the state
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _hash(path: Path) -> str:
    """The hash of a file; none of one that cannot be read, which equals no other."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
