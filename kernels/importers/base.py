"""Interface of importers (the parts found at a path, and the records of each), and their shared
helpers: finding files, naming places, recognising accelerators.
"""

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final, Protocol

from kernels.errors import SourceError
from kernels.records import (
    Claim,
    Hardware,
    Origin,
    Price,
    PrintedCell,
    Recording,
    Review,
    Run,
    Source,
    SourceKind,
)
from kernels.tabular import Entry, build

Flags = Mapping[str, Mapping[str, Any]]
"""Options of a command by name, each as `ArgumentParser.add_argument` takes it."""

TEMPLATE_OPTION: Final[Flags] = {
    "--template": {
        "action": "store_true",
        "help": "write a table to fill in, with every column explained, and stop",
    }
}
"""Options that the command itself handles."""

_ADDRESS: Final = re.compile(
    r"(?<![^\s@,;:<>()\[\]'\"])[^\s@,;:<>()\[\]'\"]++@[^\s@,;:<>()\[\]'\"]++"
)
_FOLDERS: Final = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?[/\\](?:[^\s'\"/\\:]+[/\\])+")


@dataclass(frozen=True, slots=True)
class Part:
    """Files read at once, in one process: few enough to be held in memory. Messages name a part by
    its path below the given one.

    `options` has the command line's options as plain values, since it is passed between processes.
    """

    name: str
    files: tuple[Path, ...]
    options: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not taken, while the rest of its file was: a short reason, by which reports
    count, and the whole message with file, line, what was found and what was wanted.
    """

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """Records read from files by others.

    Attributes:
        source: Id of the source, used in file names.
        name: Name of the file of the runs; empty for `<source>-runs`.
        origin: `imported`, or `published` for a source that is transcribed whole and whose files
            are replaced.
        folder: Folder of `runs/` for the files; empty for that of the origin. Prices have their
            own.
        warnings: Guesses and open questions, one sentence each, with file and line.
        refused: Files that were not taken, each with the reason; the rest of the part is recorded.
        left_out: Rows that were not taken, of files that were.
    """

    source: str
    name: str = ""
    origin: Origin = Origin.IMPORTED
    folder: str = ""
    runs: tuple[Run, ...] = ()
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    reviews: tuple[Review, ...] = ()
    cells: tuple[PrintedCell, ...] = ()
    prices: tuple[Price, ...] = ()
    recordings: tuple[Recording, ...] = ()
    warnings: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    left_out: tuple[Refused, ...] = ()


class Importer(Protocol):
    """A module that reads one format."""

    SUMMARY: str
    """Description of the format, for `--help`."""

    OPTIONS: Flags
    """Options that only this format has; their values are texts."""

    def parts(self, path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
        """Returns the parts at a path, without reading them.

        Raises:
            SourceError: Nothing of this format is there.
        """

    def read(self, part: Part) -> Imported:
        """Returns the records of a part; nothing is written.

        Raises:
            SourceError: Nothing in the part can be taken; names file, line, what was found and what
                was wanted.
        """


def files(path: Path) -> Iterator[tuple[str, Path]]:
    """Yields the file, or a folder's visible files, each with its path below it, in order."""
    if not path.is_dir():
        yield path.name, path
        return
    for each in sorted(path.rglob("*")):
        name = each.relative_to(path).as_posix()
        if each.is_file() and not any(part.startswith(".") for part in name.split("/")):
            yield name, each


def head(path: Path, most: int) -> bytes:
    """Returns the first bytes of a file; none if it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError:
        return b""


def tables_of(module: str) -> dict[str, Any]:
    """Returns the TOML file beside a module."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def source_of(tables: Mapping[str, Any]) -> Source:
    """Returns the source described in a module's tables."""
    return build(Source, Entry("source", tables["source"]), {"kind": SourceKind.LOGS})


def place(name: str, line: int | None = None) -> str:
    """Returns a locator: the file and the line."""
    quoted = name.replace("'", "")
    return f"file '{quoted}'" if line is None else f"file '{quoted}', line {line}"


def lines(numbers: Sequence[int], most: int = 8) -> str:
    """Formats line numbers: `line 4`, `lines 2, 3, 5 and 40 more`."""
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}{more}"


def nothing_taken(name: str, refused: Sequence[str]) -> SourceError:
    """Returns the error for a table without valid rows, with the reason for the first."""
    return SourceError(f"{name}: no row can be taken" + (f"; {refused[0]}" if refused else ""))


def without_names(text: str) -> str:
    """Returns a text without mail addresses and without the folders of users."""
    return _FOLDERS.sub(".../", _ADDRESS.sub("(address)", text))


def has_address(text: str) -> bool:
    """Returns True if a text contains a mail address."""
    return _ADDRESS.search(text) is not None


@cache
def plain(name: str) -> str:
    """Returns a name for comparing spellings: letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def accelerator(name: str, hardware: Mapping[str, Hardware]) -> str | None:
    """Returns the id of the one accelerator in the catalogue with that name, ignoring blanks and
    hyphens; None for none or several.
    """
    wanted = plain(name)
    found = {
        each.hardware
        for each in hardware.values()
        for alias in (each.hardware, each.name, *each.aliases)
        if plain(alias) == wanted
    }
    return found.pop() if wanted and len(found) == 1 else None
