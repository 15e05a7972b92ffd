"""What every importer gives: the parts that it finds at a path, and the records of each part; and
what several share: finding files, naming places, knowing an accelerator by its name.
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
"""What the command itself follows."""

_ADDRESS: Final = re.compile(
    r"(?<![^\s@,;:<>()\[\]'\"])[^\s@,;:<>()\[\]'\"]++@[^\s@,;:<>()\[\]'\"]++"
)
_FOLDERS: Final = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?[/\\](?:[^\s'\"/\\:]+[/\\])+")


@dataclass(frozen=True, slots=True)
class Part:
    """What is read at once, in one process: files that belong together, few enough to be held in
    memory. Messages call it by its path below what was given.

    `options` has what the command line said, as plain values, since it travels between processes.
    """

    name: str
    files: tuple[Path, ...]
    options: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not taken, while the rest of its file was: the reason in few words, by which
    reports count, and the whole with file, line, what was found and what was wanted.
    """

    reason: str
    text: str


@dataclass(frozen=True, slots=True)
class Imported:
    """Records read from files that others made.

    Attributes:
        source: Id of the source, which names the files that are made of it.
        name: Id that names the file of the runs; empty for `<source>-runs`.
        origin: `imported`, or `published` for a source that is transcribed whole, whose files are
            replaced and not added to.
        folder: Folder of `runs/` that takes the files; empty for that of the origin. Price
            catalogues have one of their own.
        warnings: What was guessed or left open, one sentence each, with file and line.
        refused: Files that were not taken, each with the reason; what else the part holds is
            recorded all the same.
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
    """What the format is, for `--help`."""

    OPTIONS: Flags
    """Options that only this format has; their values are texts."""

    def parts(self, path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
        """Returns what there is to read at a path, without reading it.

        Raises:
            SourceError: Nothing of this format is there.
        """

    def read(self, part: Part) -> Imported:
        """The records of a part; nothing is written.

        Raises:
            SourceError: Nothing of the part can be taken; names file, line, what was found and what
                was wanted.
        """


def files(path: Path) -> Iterator[tuple[str, Path]]:
    """The file, or each of those in a folder, by its path below the folder, in order; hidden ones
    are left out.
    """
    if not path.is_dir():
        yield path.name, path
        return
    for each in sorted(path.rglob("*")):
        name = each.relative_to(path).as_posix()
        if each.is_file() and not any(part.startswith(".") for part in name.split("/")):
            yield name, each


def head(path: Path, most: int) -> bytes:
    """The first bytes of a file; none where it cannot be read."""
    try:
        with path.open("rb") as file:
            return file.read(most)
    except OSError:
        return b""


def tables_of(module: str) -> dict[str, Any]:
    """The TOML file beside a module, which has its tables."""
    return tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))


def source_of(tables: Mapping[str, Any]) -> Source:
    """The source that the tables of a module describe."""
    return build(Source, Entry("source", tables["source"]), {"kind": SourceKind.LOGS})


def place(name: str, line: int | None = None) -> str:
    """A locator: the file, and the line of it."""
    quoted = name.replace("'", "")
    return f"file '{quoted}'" if line is None else f"file '{quoted}', line {line}"


def lines(numbers: Sequence[int], most: int = 8) -> str:
    """`line 4`, `lines 2, 3, 5 and 40 more`."""
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}{more}"


def nothing_taken(name: str, refused: Sequence[str]) -> SourceError:
    """The error of a table of which no row can be taken: it says why the first was refused."""
    return SourceError(f"{name}: no row can be taken" + (f"; {refused[0]}" if refused else ""))


def without_names(text: str) -> str:
    """A text without mail addresses, and without the folders in which someone's files lie."""
    return _FOLDERS.sub(".../", _ADDRESS.sub("(address)", text))


def has_address(text: str) -> bool:
    """Whether a mail address stands in a text."""
    return _ADDRESS.search(text) is not None


@cache
def plain(name: str) -> str:
    """A name by which spellings are compared: letters and digits alone."""
    return re.sub(r"[^a-z0-9]", "", name.lower())


def accelerator(name: str, hardware: Mapping[str, Hardware]) -> str | None:
    """The id of the one accelerator in the catalogue that is called so, whatever the blanks and
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
