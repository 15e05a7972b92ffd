"""What every importer gives: the parts that it finds at a path, and the records of each part."""

import argparse
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from kernels.records import (
    NO_LICENCE,
    Cell,
    Claim,
    Origin,
    Price,
    Rate,
    Recording,
    Review,
    Run,
    Source,
)

__all__ = ["NO_LICENCE", "Imported", "Importer", "Part", "Refused"]


@dataclass(frozen=True, slots=True)
class Part:
    """What is read at once, in one process: files that belong together, few enough to be held in
    memory.

    Attributes:
        name: How messages call it: its path below what was given.
        files: What is read, in order.
        options: What the command line said, by the name of the option; of plain values, since it
            travels between processes.
    """

    name: str
    files: tuple[Path, ...]
    options: Mapping[str, str | None] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refused:
    """A row that was not taken, while the rest of its file was.

    Attributes:
        reason: In few words, the same for all rows of its kind; reports count by it.
        text: The whole: file, line, what was found and what was wanted.
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
        doubts: What was guessed or left open, one sentence each, with file and line.
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
    cells: tuple[Cell, ...] = ()
    prices: tuple[Price, ...] = ()
    rates: tuple[Rate, ...] = ()
    recordings: tuple[Recording, ...] = ()
    doubts: tuple[str, ...] = ()
    refused: tuple[str, ...] = ()
    left_out: tuple[Refused, ...] = ()


class Importer(Protocol):
    """A module that reads one format."""

    SUMMARY: str
    """What the format is, for `--help`."""

    def arguments(self, parser: argparse.ArgumentParser) -> None:
        """Add the options that only this format has; their values are texts."""

    def parts(self, path: Path, options: Mapping[str, str | None]) -> Iterable[Part]:
        """What there is to read at a path, without reading it.

        Raises:
            SourceError: Nothing of this format is there.
        """

    def read(self, part: Part) -> Imported:
        """The records of a part; nothing is written.

        Raises:
            SourceError: Nothing of the part can be taken; names file, line, what was found and what
                was wanted.
        """
