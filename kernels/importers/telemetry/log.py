"""Monitoring logs as readings: nvidia-smi's CSV in its variants, GPU-Z's sensor logs, and other
tables with such columns.

A file is recognised by its header and never by its name:

    timestamp, index, power.draw [W], memory.used [MiB]      nvidia-smi --query-gpu=... --format=csv
    2025/06/13 00:27:52.195, 0, 22.89 W, 1 MiB               a unit in each cell, or none with
                                                             `nounits`
            Date        , GPU Clock [MHz] , GPU Load [%] ,   GPU-Z: padded, code page 1252, a comma
                        at the end, and this header
    2020-03-16 17:13:05 ,         789.0   ,          0   ,   again whenever logging was switched on

Columns are recognised by name (`telemetry.columns`). Blocks of NUL bytes, which a crash leaves, end
a line like a line feed.
"""

import codecs
import csv
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import Final

from kernels.errors import SourceError
from kernels.importers.base import head
from kernels.importers.telemetry.columns import (
    DEVICE,
    ELAPSED,
    FACTS,
    TIME,
    Column,
    column_of,
    is_possible,
    is_unit,
    lambda_columns,
    number,
)

LONGEST: Final = 65_536
"""Bytes of a line after which the rest is skipped: the longest real one has two thousand."""

PREFACE: Final = 200
"""Most lines before a header."""

MOST_DEVICES: Final = 256
"""Accelerators in a log at most: with more, a column was mistaken for their number."""

WANTED: Final = "wanted for example `timestamp, index, power.draw [W]`"

_ENDS = re.compile(rb"\r\n|[\n\r]|\0+")
_TIME = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)[T "
    r"]+(\d\d?):(\d\d:\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?",
    re.IGNORECASE | re.ASCII,
)
_UNIX: Final = 1e8
"""A bare number above this is Unix time: in seconds, or in milliseconds above a thousand times as
much.
"""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end; `whole` is True if it had one."""

    number: int
    text: str
    whole: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of one accelerator.

    `at_us` is in microseconds on the log's clock: since 1970 if it has one, else since its first
    row. Values are as in `records.Sample`.
    """

    device: int
    at_us: int
    values: Mapping[str, float]


@dataclass(slots=True)
class Seen:
    """Properties of a log, filled while it is read.

    Attributes:
        columns: Names of the columns that are used, by field.
        unknown: Names of unknown columns.
        twice: Names of duplicate columns, of which the first was used.
        headers: Line numbers of headers.
        damaged: Lines that were skipped: cut off, or of another width than the header.
        absurd: Impossible cells, by field.
        facts: `name`, `driver` and `memory_total` of the cards; nothing that identifies a single
            card.
        names: Name of each accelerator, by number.
        zoned: True if its clock is known relative to UTC.
        timed: True if it has a clock.
        identified: True if a column distinguishes the accelerators.
    """

    columns: dict[str, str] = field(default_factory=dict)
    unknown: dict[str, None] = field(default_factory=dict)
    twice: dict[str, None] = field(default_factory=dict)
    headers: list[int] = field(default_factory=list)
    damaged: list[int] = field(default_factory=list)
    absurd: Counter[str] = field(default_factory=Counter)
    facts: dict[str, set[str]] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)
    zoned: bool = False
    timed: bool = False
    grain_s: float | None = None
    identified: bool = False


@dataclass(frozen=True, slots=True)
class Options:
    """Options for what a log may leave open: the zone of its clock, seconds between rows of one
    accelerator, number of accelerators whose rows take turns, names of the columns.
    """

    zone: tzinfo | None = None
    interval_s: float | None = None
    devices: int | None = None
    columns: tuple[str, ...] = ()


def lines(content: bytes) -> Iterator[Line]:
    """Yields the lines of a file in UTF-8, code page 1252 or UTF-16 (PowerShell's `>`); a NUL block
    ends one like a line feed, empty ones are left out.
    """
    if content[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        content = content.decode("utf-16", errors="replace").encode(errors="replace")
    content = content.removeprefix(codecs.BOM_UTF8)
    count = start = 0
    while start < len(content):
        found = _ENDS.search(content, start)
        end, after = found.span() if found else (len(content), len(content))
        whole = found is not None and found[0][:1] != b"\0"
        if text := _text(content[start : min(end, start + LONGEST)]).strip():
            yield Line(count + 1, text, whole)
        count += whole
        start = after


def _text(content: bytes) -> str:
    try:
        return content.decode()
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _cells(text: str, delimiter: str) -> list[str]:
    cells = text.split(delimiter)
    if '"' in text:
        try:
            cells = next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])
        except csv.Error:
            cells = []
    return [cell.strip() for cell in cells]


@dataclass(slots=True)
class _Header:
    """A header as applied to rows: places of time and devices, and meaning of the other columns;
    `closed` if a delimiter follows the last name.
    """

    names: tuple[str, ...]
    delimiter: str
    closed: bool
    time: int | None = None
    elapsed: tuple[int, float] | None = None
    devices: list[int] = field(default_factory=list)
    facts: list[tuple[int, str]] = field(default_factory=list)
    columns: dict[str, tuple[int, Column]] = field(default_factory=dict)


def _header(text: str, seen: Seen) -> _Header | None:
    """Returns the header in a line, if it is one: two or more known names, one of them a reading,
    and no figures.
    """
    if text[0].isdigit():
        return None
    tried = [(delimiter, _cells(text, delimiter)) for delimiter in (",", ";", "\t")]
    known = [sum(column_of(cell) is not None for cell in cells) for _, cells in tried]
    delimiter, cells = tried[known.index(max(known))]
    if any(number(cell, delimiter) is not None or _TIME.match(cell) for cell in cells):
        return None
    made = _applied(cells, delimiter, seen) if max(known) else None
    return made if made and made.columns and (max(known) > 1 or len(made.names) == 1) else None


def _applied(cells: Sequence[str], delimiter: str, seen: Seen) -> _Header:
    closed = len(cells) > 1 and not cells[-1]
    made = _Header(tuple(cells[:-1] if closed else cells), delimiter, closed)
    for place, name in enumerate(made.names):
        column = column_of(name)
        if column is None:
            if name:
                seen.unknown.setdefault(name[:80])
        elif column.field == TIME:
            made.time = place if made.time is None else made.time
        elif column.field == ELAPSED:
            made.elapsed = made.elapsed or (place, column.factor or 1.0)
        elif column.field == DEVICE:
            made.devices.append(place)
        elif column.field in FACTS:
            made.facts.append((place, column.field))
        elif column.field:
            _, before = made.columns.get(column.field, (place, None))
            if before is not None and before.rank == column.rank:
                seen.twice.setdefault(name[:80])
            elif before is None or column.rank < before.rank:
                made.columns[column.field] = (place, column)
    return made


def _is_data(text: str) -> bool:
    cells = [cell for cell in _cells(text, ",") if cell]
    return bool(cells) and all(
        number(cell) is not None or _TIME.match(cell) or cell.startswith("[") for cell in cells
    )


def is_log(path: Path) -> bool:
    """Returns True if a file begins like a monitoring log; False if it cannot be read."""
    for line in lines(head(path, LONGEST)):
        header = _header(line.text, Seen())
        if header is not None:
            return header.time is not None or header.elapsed is not None or bool(header.devices)
        if _is_data(line.text):
            return lambda_columns(_cells(line.text, ",")) is not None
        if line.number > PREFACE:
            break
    return False


class Clock:
    """Times of one accelerator's rows in microseconds; remembers enough to distinguish the two
    hours when clocks are set back.
    """

    def __init__(self, zone: tzinfo | None) -> None:
        self.zone = zone
        self.zoned = False
        self.fine = False
        self._before: datetime | None = None
        self._second = False

    def read(self, cell: str) -> int | None:
        """Returns microseconds since 1970 (UTC if the zone is known, else by the clock); None if it
        is no time.
        """
        found = _TIME.fullmatch(cell)
        if found is None:
            return self._unix(cell)
        year, month, day, hour, rest, fraction, offset = found.groups()
        text = f"{year}-{month:0>2}-{day:0>2}T{hour:0>2}:{rest}.{(fraction or '')[:6]:0<6}"
        zone = (offset or "").upper().replace("UTC", "Z")
        try:
            at = datetime.fromisoformat(text + zone)
            self.fine = self.fine or bool(fraction)
            return (self._zoned(at) - _EPOCH) // _MICRO
        except (ValueError, OverflowError):
            return None

    def _unix(self, cell: str) -> int | None:
        found = number(cell)
        if found is None or found[1] or abs(found[0]) > _UNIX * 1e6:
            return None
        self.fine = self.fine or "." in cell
        if found[0] > _UNIX * 1e3:
            self.zoned = self.fine = True
            return round(found[0] * 1e3)
        self.zoned = found[0] > _UNIX  # less is a time since a start
        return round(found[0] * 1e6)

    def _zoned(self, at: datetime) -> datetime:
        """Returns the time in its zone if known; else as if in UTC."""
        if at.tzinfo is None and self.zone is None:
            return at.replace(tzinfo=UTC)
        self.zoned = True
        if at.tzinfo is not None:
            return at
        first, second = (at.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1))
        # In the repeated hour, the clock's going back distinguishes the second time from
        # the first.
        self._second = first.utcoffset() != second.utcoffset() and (
            self._second or (self._before is not None and at < self._before)
        )
        self._before = at
        return second if self._second else first


def readings(content: bytes, name: str, options: Options, seen: Seen) -> Iterator[Reading]:
    """Yields the rows of a log, one by one, and fills `seen`.

    Raises:
        SourceError: Header or times are missing and needed, or there is no column of an
            accelerator.
    """
    rows = _Rows(name, options, seen)
    for line in lines(content):
        if rows.headed(line):
            continue
        if rows.header is None:
            if line.number > PREFACE:
                break
            continue
        reading = rows.reading(line, rows.header)
        if reading is None:
            seen.damaged.append(line.number)
        else:
            yield reading
    if rows.header is None:
        raise SourceError(f"{name}: no header with columns of a monitoring log, {WANTED}")
    rows.close(rows.header)


class _Rows:
    """State while reading a log's rows: the header in force, whose turn it is, each accelerator's
    clock. Serial numbers and addresses are only compared, never kept.
    """

    def __init__(self, name: str, options: Options, seen: Seen) -> None:
        self.header: _Header | None = None
        self._name = name
        self._options = options
        self._seen = seen
        self._numbers: dict[tuple[str, ...], int] = {}
        self._clocks: dict[int, Clock] = {}
        self._rows: Counter[int] = Counter()
        self._turn = 0
        self._before = ""

    def headed(self, line: Line) -> bool:
        """Returns True if the line is a header, which is then in force; a first row without one
        brings its own.
        """
        made = _header(line.text, self._seen)
        written = made is not None
        if written:
            self._seen.headers.append(line.number)
        elif self.header is None and _is_data(line.text):
            made = self._without_header(line)
        elif self.header is None:
            self._before = line.text[:80]
        if made is None:
            return False
        self._check(line.number, made)
        self.header = made
        for place, column in made.columns.values():
            self._seen.columns[column.field] = made.names[place]
        self._seen.identified = self._seen.identified or bool(made.devices)
        return written

    def _without_header(self, line: Line) -> _Header:
        cells = _cells(line.text, ",")
        where = f"{self._name}: line {line.number}"
        names = self._options.columns or lambda_columns(cells)
        if names is None and self._before:
            raise SourceError(
                f"{self._name}: no header with columns of a monitoring log before line "
                f"{line.number}, found {self._before!r}; {WANTED}. Of another monitor, such as "
                "ELSA's, name each column in order: --columns timestamp,index,power.draw"
            )
        if names is None:
            raise SourceError(
                f"{where}: figures without a header: say what they are, as in --columns "
                "timestamp,index,power.draw"
            )
        made = _applied(names, ",", self._seen)
        if len(cells) != len(made.names):
            raise SourceError(
                f"{where}: {len(cells)} cells, and --columns names {len(made.names)}: name each, "
                "in order"
            )
        return made

    def _check(self, line: int, header: _Header) -> None:
        if not header.columns:
            raise SourceError(
                f"{self._name}: line {line}: no column of power, temperature, clock, load or "
                f"memory among {', '.join(header.names)[:200]}"
            )
        if header.time is None and header.elapsed is None and self._options.interval_s is None:
            raise SourceError(
                f"{self._name}: line {line}: a log without times: give --interval SECONDS between "
                "the readings of one accelerator, and --devices N where rows of N of them take "
                "turns"
            )

    def reading(self, line: Line, header: _Header) -> Reading | None:
        """Returns the row as a reading; None if it is damaged. A damaged row still has its turn."""
        turn, self._turn = self._turn, self._turn + 1
        cells = _row(line, header)
        if cells is None:
            return None
        if header.devices:
            device = self._number(tuple(cells[place] for place in header.devices))
            row = self._rows[device]
            self._rows[device] += 1
        else:
            row, device = divmod(turn, self._options.devices or 1)
        clock = self._clocks.setdefault(device, Clock(self._options.zone))
        at = _at(cells, header, clock, row * (self._options.interval_s or 0.0))
        if at is None:
            return None
        for place, fact in header.facts:
            if cells[place] and not cells[place].startswith("["):
                self._seen.facts.setdefault(fact, set()).add(cells[place][:80])
                if fact == "name":
                    self._seen.names.setdefault(device, cells[place][:80])
        return Reading(device, at, dict(self._values(cells, header)))

    def _number(self, cells: tuple[str, ...]) -> int:
        """Returns the card's own number if it has a free one, else the lowest free one."""
        if cells in self._numbers:
            return self._numbers[cells]
        own = [int(cell) for cell in cells if re.fullmatch(r"\d{1,3}", cell, re.ASCII)]
        free = set(range(MOST_DEVICES)) - set(self._numbers.values())
        if not free:
            raise SourceError(
                f"{self._name}: more than {MOST_DEVICES} accelerators; wanted a column such as "
                "`index` that numbers them"
            )
        self._numbers[cells] = next((each for each in own if each in free), min(free))
        return self._numbers[cells]

    def _values(self, cells: Sequence[str], header: _Header) -> Iterator[tuple[str, float]]:
        for place, column in header.columns.values():
            value = column.value(cells[place], header.delimiter)
            if value is None:
                continue
            if is_possible(column.field, value):
                yield column.field, value
            else:
                self._seen.absurd[column.field] += 1

    def close(self, header: _Header) -> None:
        """Notes the results of the clocks."""
        clocks = self._clocks.values()
        self._seen.timed = header.time is not None or header.elapsed is not None
        if header.time is not None:
            self._seen.zoned = bool(clocks) and all(clock.zoned for clock in clocks)
            self._seen.grain_s = 0.001 if any(clock.fine for clock in clocks) else 1.0


def _row(line: Line, header: _Header) -> list[str] | None:
    """Returns the cells of a row; None if its width differs from the header's, or its end may be
    cut off.
    """
    cells = _cells(line.text, header.delimiter)
    width = len(header.names)
    if header.closed and len(cells) == width + 1 and not cells[-1]:
        return cells[:-1]
    if len(cells) != width:
        return None
    # Without a line end, `22` may have been `228`: only a unit or a closing comma shows
    # that nothing is missing.
    last = number(cells[-1], header.delimiter)
    return cells if line.whole or (last is not None and is_unit(last[1])) else None


def _at(cells: Sequence[str], header: _Header, clock: Clock, otherwise: float) -> int | None:
    """Returns microseconds on the log's clock; for a log without times, from the row's number."""
    if header.time is not None:
        return clock.read(cells[header.time])
    if header.elapsed is None:
        return round(otherwise * 1e6)
    place, factor = header.elapsed
    found = number(cells[place], header.delimiter)
    return None if found is None or abs(found[0]) > 1e10 else round(found[0] * factor * 1e6)  # noqa: PLR2004 - centuries
