"""Whether a build would change nothing, found from the state of files before anything is read.

A build that went well leaves a note beside the site: what it was asked for, which files it was made
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
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Final

from kernels import disk
from site_src.cli import say
from site_src.cli.arguments import MADE_FROM, ROOT
from site_src.model import MARKER

_ASKED: Final = ("runs", "out", "lang", "base_url", "date", "runtime", "draft", "unlicensed")
"""Options that the bytes of a site depend on."""

_MORE: Final = ("verify", "ledger", "retire", "clean")
"""Options that ask for more than the site as it is."""

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
        wrote: Its files, below the folder of the site; their hashes are in `MARKER`.
        said: Lines for who waits.
        built: What the last line says of the site.
    """

    asked: Sequence[str]
    read: Seen
    wrote: Mapping[str, State]
    said: Sequence[str]
    built: str


def asked(given: Namespace) -> list[str]:
    """Returns all but files that a site depends on: options, this Python, the installed packages
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
    states = dict(_states([*(ROOT / name for name in MADE_FROM), given.runs]))
    return Seen(states, {path: _hash(Path(path)) for path in states})


def told(given: Namespace) -> tuple[str, bool] | None:
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
        noted = json.loads(_path(out).read_bytes())
        read = Seen(_tuples(noted["read"]["states"]), noted["read"]["hashes"])
        note = Note(**{**noted, "read": read, "wrote": _tuples(noted["wrote"])})
        now = dict(_states([*(ROOT / name for name in MADE_FROM), given.runs]))
        if note.asked != asked(given) or now.keys() != note.read.states.keys():
            return None
        listed = json.loads((out / MARKER).read_bytes())["sha256"]
        wrote = {path: _state(out / path) for path in listed}
        same = _same(now, note.read, Path()) and _same(wrote, Seen(note.wrote, listed), out)
    except (OSError, ValueError, TypeError, KeyError):
        return None  # no build, an older one's note, or a file is gone
    return note if same else None


def keep(given: Namespace, made_from: Seen, said: Sequence[str], built: str) -> None:
    """Leave the note of a build that went well."""
    out = given.out.resolve()
    listed = json.loads((out / MARKER).read_bytes())["files"]
    wrote = {path: _state(out / path) for path in listed}
    path = _path(out)
    with disk.named(path):
        note = asdict(Note(asked(given), made_from, wrote, said, built))
        disk.put(path, json.dumps(note).encode(), durable=False)


def _tuples(states: Mapping[str, Sequence[int]]) -> dict[str, State]:
    return {
        path: (mode, size, content, entry) for path, (mode, size, content, entry) in states.items()
    }


def _path(out: Path) -> Path:
    return out.parent / f".{out.name}.built"


def _same(now: Mapping[str, State], then: Seen, folder: Path) -> bool:
    """Whether files are what they were: in their state, or else by permissions and hash."""
    for path, state in now.items():
        known = then.states[path]
        if state != known and (state[0] != known[0] or _hash(folder / path) != then.hashes[path]):
            return False
    return True


def _states(places: Sequence[Path]) -> Iterator[tuple[str, State]]:
    """Yields the state of every file in or below these places, but for what Python keeps there."""
    for place in places:
        if not place.is_dir():
            yield str(place), _state(place)
        for folder, folders, names in os.walk(place):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in names:
                path = f"{folder}{os.sep}{name}"
                yield path, _state(path)


def _state(path: str | Path) -> State:
    found = os.stat(path)  # noqa: PTH116 - 9,000 files; a Path for each takes longer than the state
    return found.st_mode, found.st_size, found.st_mtime_ns, found.st_ctime_ns


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
