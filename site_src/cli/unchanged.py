"""Tells if a build would change nothing, from the state of files before any is read.

A successful build leaves a note in the cache: its options, its input files and its output files,
each with size, times and hash. If all are unchanged, so is the site. If only the times of a file
differ, as after a checkout, its hash is compared.
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
"""Options that affect the bytes of a site."""

_MORE: Final = ("verify", "ledger", "retire", "freeze", "clean")
"""Options that request more than the site as it is."""

_PASSING: Final = frozenset({"__pycache__", "journals", ".lock"})
"""Files that Python and running measurements leave among the inputs."""

State = tuple[int, int, int, int]
"""Permissions, size, and the times of the last change of content and of entry, in ns."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Files by path, with state and hash."""

    states: Mapping[str, State]
    hashes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Note:
    """The note of a build.

    Attributes:
        asked: Options and versions.
        read: Input files.
        wrote: Output files, below the folder of the site.
        marker: Hash of the list of them, which has theirs.
        said: Lines for the user.
        built: Description of the site for the last line.
    """

    asked: Sequence[str]
    read: Seen
    wrote: Mapping[str, State]
    marker: str
    said: Sequence[str]
    built: str


def asked(given: Namespace) -> list[str]:
    """Dependencies of a site besides files: options, this Python, the installed packages with their
    versions.
    """
    packages = {
        path.name
        for folder in {sysconfig.get_path("purelib"), sysconfig.get_path("platlib")}
        for path in Path(folder).glob("*.dist-info")
    }
    options = [f"{name}={getattr(given, name)}" for name in _ASKED]
    return [*options, str(given.runs.resolve()), sys.version, *sorted(packages)]


def sources(given: Namespace) -> Seen:
    """The current source files of a site."""
    states = dict(_read(given))
    return Seen(states, {path: _hash(Path(path)) for path in states})


def state(given: Namespace, read: Seen) -> str:
    """A hash of the dependencies of all parts of a site: `asked` except the date, and all files
    whose reading is not noted (`kernels.reading`).
    """
    parts = [one for one in asked(given) if not one.startswith("verify")]
    files = [
        (path, hash_) for path, hash_ in sorted(read.hashes.items()) if not _noted(given, path)
    ]
    return hashlib.sha256(json.dumps([parts, files]).encode()).hexdigest()


def _noted(given: Namespace, path: str) -> bool:
    """True if the reading of a file, or of its contents, is noted."""
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
    """If another build into this folder would change nothing, print the last one's messages again
    and return its result; else None.
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
    """Remove the note, as the site will change."""
    _path(given.out.resolve()).unlink(missing_ok=True)


def written(given: Namespace) -> Mapping[str, State]:
    """The files of the built site."""
    out = given.out.resolve()
    return {path: _state(out / path) for path in json.loads((out / MARKER).read_bytes())["files"]}


def keep(
    given: Namespace, read: Seen, wrote: Mapping[str, State], said: Sequence[str], built: str
) -> None:
    """Write the note of a successful build; remove those of sites that are gone, with their
    data.
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
    """True if the site of a note, named by its first line, still exists."""
    with note.open(encoding="utf-8") as file:
        first = file.readline().rstrip("\n")
    try:
        return (Path(first) / MARKER).exists()
    except OSError:  # not a folder name
        return False


def _tuples(states: Mapping[str, Sequence[int]]) -> dict[str, State]:
    return {path: (mode, size, put, moved) for path, (mode, size, put, moved) in states.items()}


def _path(out: Path) -> Path:
    return CACHE / "built" / hashlib.sha256(str(out).encode()).hexdigest()[:16]


def _same(now: Mapping[str, State], then: Seen, folder: Path) -> bool:
    """True if files are unchanged: in their state, or else in permissions and hash."""
    for path, state in now.items():
        known = then.states[path]
        if state != known and (state[0] != known[0] or _hash(folder / path) != then.hashes[path]):
            return False
    return True


def _read(given: Namespace) -> Iterator[tuple[str, State]]:
    """Yields every file that a build may read, with its state; the build reports unreadable
    ones.
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
    """The hash of a file; unequal to any other if it cannot be read."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError:
        return ""
