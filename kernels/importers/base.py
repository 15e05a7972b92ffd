"""What every importer gives: records, and what it would not take."""

from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from kernels.records import Cell, Claim, Price, Rate, Review, Run, Source


@dataclass(frozen=True, slots=True)
class Imported:
    """Records read from a file or folder that others made.

    Attributes:
        source: Id of the source, which names the files that the store makes of it.
        doubts: What was refused or guessed, one sentence each, with file and line.
    """

    source: str
    runs: tuple[Run, ...] = ()
    claims: tuple[Claim, ...] = ()
    sources: tuple[Source, ...] = ()
    reviews: tuple[Review, ...] = ()
    cells: tuple[Cell, ...] = ()
    prices: tuple[Price, ...] = ()
    rates: tuple[Rate, ...] = ()
    doubts: tuple[str, ...] = ()


class Importer(Protocol):
    """A module that reads one format."""

    def read(self, path: Path) -> Imported:
        """The records at a path; nothing is written.

        Raises:
            SourceError: What cannot be taken as it is; names file, line and field.
        """
        ...
