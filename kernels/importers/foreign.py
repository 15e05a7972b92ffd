"""What importers of others' tables and logs share: finding files, reading cells, knowing an
accelerator by its name.
"""

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kernels.errors import SourceError
from kernels.records import Hardware
from kernels.tabular import MOST_BYTES

_ADDRESS: Final = re.compile(
    r"(?<![^\s@,;:<>()\[\]'\"])[^\s@,;:<>()\[\]'\"]++@[^\s@,;:<>()\[\]'\"]++"
)
_FOLDERS: Final = re.compile(r"(?<![\w.])(?:~|[A-Za-z]:)?[/\\](?:[^\s'\"/\\:]+[/\\])+")
_NUMBER: Final = re.compile(r"[+-]?\d{1,18}(?:\.\d{1,18})?(?:[eE][+-]?\d{1,3})?", re.ASCII)


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table: its line in the file, and its cells by column, blanks around them left
    out.
    """

    line: int
    cells: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Table:
    """A table as it stands: `refused` says which rows do not fit its header."""

    columns: tuple[str, ...]
    rows: tuple[Row, ...]
    refused: tuple[str, ...]


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


def header(path: Path) -> tuple[str, ...]:
    """The column names in the first line of a file; nothing where it cannot be the header of a
    table.
    """
    try:
        with path.open("rb") as file:
            first = file.readline(4096)
        return tuple(
            cell.strip()
            for cell in next(csv.reader([first.decode("utf-8-sig").rstrip("\r\n")]), [])
        )
    except (OSError, UnicodeDecodeError, csv.Error):
        return ()


def table(path: Path, name: str, *, most: int = MOST_BYTES, comments: bool = False) -> Table:
    """A CSV file with a header and commas.

    Args:
        path: The file.
        name: What messages call it.
        most: Bytes that it may have.
        comments: Pass over lines that begin with #.

    Raises:
        SourceError: Too large, no UTF-8, or a column that is there twice.
    """
    if path.stat().st_size > most:
        raise SourceError(
            f"{name}: found {path.stat().st_size} bytes, wanted a table of {most} bytes or less"
        )
    try:
        text = path.read_bytes().decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SourceError(
            f"{name}: not readable as UTF-8: byte {error.start} is {error.object[error.start]:#04x}"
        ) from None
    reader = csv.reader(without_comments(text) if comments else io.StringIO(text, newline=""))
    rows: list[Row] = []
    refused: list[str] = []
    try:
        columns = tuple(cell.strip() for cell in next(filter(None, reader), []))
        twice = sorted({column for column in columns if columns.count(column) > 1})
        if twice:
            raise SourceError(f"{name}:1: the column {twice[0]!r} is there twice; wanted each once")
        for cells in reader:
            if not any(cell.strip() for cell in cells):
                continue
            if len(cells) != len(columns):
                refused.append(
                    f"{name}:{reader.line_num}: found {len(cells)} cells, wanted {len(columns)}; "
                    "the row is left out"
                )
                continue
            rows.append(
                Row(
                    reader.line_num,
                    {column: cell.strip() for column, cell in zip(columns, cells, strict=True)},
                )
            )
    except csv.Error as error:
        raise SourceError(f"{name}:{reader.line_num}: not readable as CSV: {error}") from None
    return Table(columns, tuple(rows), tuple(refused))


def without_comments(text: str) -> Iterator[str]:
    """The lines, one that begins with # empty: so the numbers of the others stay."""
    quoted = False
    for line in io.StringIO(text, newline=""):
        if not quoted and line.lstrip().startswith(("#", '"#')):
            yield "\n"
            continue
        quoted ^= line.count('"') % 2 == 1
        yield line


def number(text: str) -> float | None:
    """The number that a cell holds, with a point for decimals; None for anything else."""
    found = float(text) if _NUMBER.fullmatch(text) else math.nan
    return found if math.isfinite(found) else None


def whole(text: str, least: int = 1) -> int | None:
    """The whole number that a cell holds, written as `8` or `8.0`; None for anything else, or below
    `least`.
    """
    found = number(text)
    return (
        int(found) if found is not None and found.is_integer() and least <= found < 2**53 else None
    )


def place(name: str, line: int | None = None) -> str:
    """A locator: the file, and the line of it."""
    quoted = name.replace("'", "")
    return f"file '{quoted}'" if line is None else f"file '{quoted}', line {line}"


def lines(numbers: Sequence[int], most: int = 8) -> str:
    """`line 4`, `lines 2, 3, 5 and 40 more`."""
    shown = ", ".join(map(str, numbers[:most]))
    more = f" and {len(numbers) - most} more" if len(numbers) > most else ""
    return f"{'line' if len(numbers) == 1 else 'lines'} {shown}{more}"


def without_names(text: str) -> str:
    """A text without mail addresses, and without the folders in which someone's files lie."""
    return _FOLDERS.sub(".../", _ADDRESS.sub("(address)", text))


def has_address(text: str) -> bool:
    """Whether a mail address stands in a text."""
    return _ADDRESS.search(text) is not None


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
