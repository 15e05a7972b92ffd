"""Monitoring logs as readings: nvidia-smi's CSV in its variants, GPU-Z's sensor logs, and tables of
one's own with such columns.

A file is read once, in blocks, and told by its header and never by its name:

    timestamp, index, power.draw [W], memory.used [MiB]      nvidia-smi --query-gpu=... --format=csv
    2025/06/13 00:27:52.195, 0, 22.89 W, 1 MiB               a unit in each cell, or none with
                                                             `nounits`
            Date        , GPU Clock [MHz] , GPU Load [%] ,   GPU-Z: padded, code page 1252, a comma
                        at the end, and this header
    2020-03-16 17:13:05 ,         789.0   ,          0   ,   again whenever logging was switched on

Columns go by their names (`telemetry.columns`). Blocks of NUL bytes, which a crash leaves, end a
line like a line feed.
"""

import codecs
import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta, tzinfo
from pathlib import Path
from typing import BinaryIO, Final

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

BLOCK: Final = 1 << 16
"""Bytes read at once."""

LONGEST: Final = 65_536
"""Bytes of a line beyond which the rest is passed over: the longest real one has two thousand."""

PREFACE: Final = 200
"""Lines that may stand before a header."""

MOST_DEVICES: Final = 256
"""Accelerators of one log: more are no accelerators but a column that was taken for their
number.
"""

_ENDS = re.compile(rb"\r\n|[\n\r]|\0+")
_TIME = re.compile(
    r"(\d{4})[-/](\d\d?)[-/](\d\d?)[T "
    r"]+(\d\d?):(\d\d):(\d\d)(?:[.,](\d+))?\s*(Z|UTC|[+-]\d\d:?\d\d)?",
    re.IGNORECASE,
)
_UNIX: Final = 1e8
"""A bare number above this is a Unix time, in seconds, or in milliseconds above a thousand times as
much.
"""

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MICRO: Final = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Line:
    """A line without its end; `whole` where a line end stood behind it."""

    number: int
    content: bytes
    whole: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """One row of one accelerator.

    `at_us` are microseconds on the log's clock: since 1970 where it has one, else since its first
    row. Values are those of `records.Sample`, in its units.
    """

    device: int
    at_us: int
    values: Mapping[str, float]
    line: int


@dataclass(slots=True)
class Seen:
    """What a log turned out to be, filled while it is read.

    Attributes:
        columns: Names of the columns that were taken, by field.
        unknown: Names of those that nobody knows here.
        twice: Names of those that stand there twice and of which the first was taken.
        headers: Lines of the headers.
        damaged: Lines that were passed over: cut off, or of another width than the header.
        absurd: Cells that no accelerator can have, by field.
        facts: `name`, `driver` and `memory_total` of the cards; only texts that name no single
            piece.
        names: What each accelerator is called, by its number.
        zoned: Whether its clock is known against UTC.
        timed: Whether it has a clock at all.
        identified: Whether a column tells the accelerators apart.
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
    """What a log itself may leave open: the zone of its clock, seconds between rows of one
    accelerator, accelerators whose rows take turns, names of the columns.
    """

    zone: tzinfo | None = None
    interval_s: float | None = None
    devices: int | None = None
    columns: tuple[str, ...] = ()


def lines(file: BinaryIO) -> Iterator[Line]:
    """The lines of a file in UTF-8, code page 1252 or UTF-16 (what PowerShell makes of `>`), a NUL
    block ending one like a line feed.
    """
    carry, count = b"", 1
    for block in _blocks(file):
        carry += block
        start = 0
        # A CR at the very end may be half of a line end.
        limit = len(carry) - carry.endswith(b"\r")
        for end in _ENDS.finditer(carry, 0, limit):
            yield Line(count, carry[start : end.start()][:LONGEST], whole=end[0][:1] != b"\0")
            count += end[0][:1] != b"\0"
            start = end.end()
        carry = carry[start:][: LONGEST + 1]
    if carry.strip(b"\r"):
        yield Line(count, carry.strip(b"\r")[:LONGEST], whole=carry.endswith(b"\r"))


def _blocks(file: BinaryIO) -> Iterator[bytes]:
    first = file.read(BLOCK)
    if first[:2] in {codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE}:
        decode = codecs.getincrementaldecoder("utf-16")(errors="replace")
        while first:
            yield decode.decode(first).encode("utf-8", errors="replace")
            first = file.read(BLOCK)
        return
    first = first.removeprefix(codecs.BOM_UTF8)
    while first:
        yield first
        first = file.read(BLOCK)


def _text(content: bytes) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError:
        return content.decode("cp1252", errors="replace")


def _cells(text: str, delimiter: str) -> list[str]:
    if '"' in text:
        try:
            return [
                cell.strip()
                for cell in next(csv.reader([text], delimiter=delimiter, skipinitialspace=True), [])
            ]
        except csv.Error:
            return []
    return [cell.strip() for cell in text.split(delimiter)]


@dataclass(frozen=True, slots=True)
class _Header:
    """A header as it is applied to rows: places of time and devices, and what the other columns
    mean.
    """

    width: int
    delimiter: str
    closed: bool
    time: int | None
    elapsed: tuple[int, float] | None
    devices: tuple[int, ...]
    columns: tuple[tuple[int, Column], ...]
    facts: tuple[tuple[int, str], ...]
    names: tuple[str, ...]


def _header(text: str, seen: Seen) -> _Header | None:
    """The header that a line is, if it is one: two or more names that are known, one of them a
    reading, and no figures.
    """
    found: tuple[int, str, list[str]] | None = None
    for delimiter in (",", ";", "\t"):
        cells = _cells(text, delimiter)
        known = sum(column_of(cell) is not None for cell in cells)
        if known and (found is None or known > found[0]):
            found = (known, delimiter, cells)
    if found is None or any(
        number(cell, found[1]) is not None or _TIME.match(cell) for cell in found[2]
    ):
        return None
    made = _applied(found[2], found[1], seen)
    return made if made.columns and (found[0] > 1 or len(made.names) == 1) else None


def _applied(cells: Sequence[str], delimiter: str, seen: Seen) -> _Header:
    closed = len(cells) > 1 and not cells[-1]
    names = tuple(cells[:-1] if closed else cells)
    time: int | None = None
    elapsed: tuple[int, float] | None = None
    devices: list[int] = []
    facts: list[tuple[int, str]] = []
    chosen: dict[str, tuple[int, Column]] = {}
    for place, name in enumerate(names):
        column = column_of(name)
        if column is None:
            if name:
                seen.unknown.setdefault(name[:80])
        elif column.field == TIME:
            time = place if time is None else time
        elif column.field == ELAPSED:
            elapsed = (place, column.factor or 1.0) if elapsed is None else elapsed
        elif column.field == DEVICE:
            devices.append(place)
        elif column.field in FACTS:
            facts.append((place, column.field))
        elif column.field:
            before = chosen.get(column.field)
            if before is not None and before[1].rank == column.rank:
                seen.twice.setdefault(name[:80])
            elif before is None or column.rank < before[1].rank:
                chosen[column.field] = (place, column)
    return _Header(
        len(names),
        delimiter,
        closed,
        time,
        elapsed,
        tuple(devices),
        tuple(chosen.values()),
        tuple(facts),
        names,
    )


def _is_data(text: str) -> bool:
    cells = [cell for cell in _cells(text, ",") if cell]
    return bool(cells) and all(
        number(cell) is not None or _TIME.match(cell) or cell.startswith("[") for cell in cells
    )


def is_log(path: Path) -> bool:
    """Whether a file's beginning is that of a monitoring log; False where it cannot be read."""
    for line in lines(io.BytesIO(head(path, LONGEST))):
        text = _text(line.content).strip()
        if not text:
            continue
        header = _header(text, Seen()) if _may_be_header(text) else None
        if header is not None:
            return header.time is not None or header.elapsed is not None or bool(header.devices)
        if _is_data(text):
            return lambda_columns(_cells(text, ",")) is not None
        if line.number > PREFACE:
            break
    return False


class Clock:
    """Times of one accelerator's rows as microseconds; keeps what is needed to tell the two hours
    that a change of clocks makes of one.
    """

    def __init__(self, zone: tzinfo | None) -> None:
        self.zone = zone
        self.zoned = False
        self.fine = False
        self._before: datetime | None = None
        self._second = False

    def read(self, cell: str) -> int | None:
        """Microseconds since 1970 (UTC where the zone is known, else as the clock showed); None for
        what is no time.
        """
        found = _TIME.fullmatch(cell)
        if found is None:
            return self._unix(cell)
        year, month, day, hour, minute, second, fraction, offset = found.groups()
        try:
            naive = datetime(
                int(year), int(month), int(day), int(hour), int(minute), int(second),
                int(((fraction or "") + "000000")[:6])
            )  # fmt: skip
            self.fine = self.fine or bool(fraction)
            return self._since(naive, offset)
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
        self.zoned = found[0] > _UNIX  # less is a time since some start
        return round(found[0] * 1e6)

    def _since(self, naive: datetime, offset: str | None) -> int:
        if offset:
            self.zoned = True
            plain = offset.upper().replace(":", "")
            ahead = timedelta(0)
            if plain not in {"Z", "UTC"}:
                ahead = timedelta(hours=int(plain[1:3]), minutes=int(plain[3:5])) * (
                    -1 if plain[0] == "-" else 1
                )
            return (naive.replace(tzinfo=UTC) - ahead - _EPOCH) // _MICRO
        if self.zone is None:
            return (naive.replace(tzinfo=UTC) - _EPOCH) // _MICRO
        self.zoned = True
        first, second = (naive.replace(tzinfo=self.zone, fold=fold) for fold in (0, 1))
        ambiguous = first.utcoffset() != second.utcoffset()
        # In the hour that comes twice, the clock's going back is what tells its second time from
        # the first.
        self._second = ambiguous and (
            self._second or (self._before is not None and naive < self._before)
        )
        self._before = naive
        return ((second if self._second else first).astimezone(UTC) - _EPOCH) // _MICRO


class _Devices:
    """Numbers of accelerators by what identifies their rows; serial numbers and addresses are
    compared here and kept nowhere.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.numbers: dict[tuple[str, ...], int] = {}

    def number(self, cells: tuple[str, ...]) -> int:
        """The card's own number where it has one that is free, else the lowest free one."""
        known = self.numbers.get(cells)
        if known is not None:
            return known
        if len(self.numbers) >= MOST_DEVICES:
            raise SourceError(
                f"{self.name}: more than {MOST_DEVICES} accelerators; wanted a column such as "
                "`index` that numbers them"
            )
        taken = set(self.numbers.values())
        own = [
            int(cell)
            for cell in cells
            if cell.isascii() and cell.isdigit() and len(cell) < 4 and int(cell) < MOST_DEVICES  # noqa: PLR2004
        ]
        free = [each for each in own if each not in taken]
        self.numbers[cells] = (
            free[0] if free else next(each for each in range(MOST_DEVICES) if each not in taken)
        )
        return self.numbers[cells]


def readings(file: BinaryIO, name: str, options: Options, seen: Seen) -> Iterator[Reading]:
    """The rows of a log, one by one; `seen` is filled on the way.

    Raises:
        SourceError: No header or times and no way to do without, or no column of an accelerator.
    """
    rows = _Rows(name, options, seen)
    for line in lines(file):
        text = _text(line.content).strip()
        if not text or rows.headed(line, text):
            continue
        if rows.header is None:
            if line.number > PREFACE:
                break
            continue
        reading = rows.reading(line, text, rows.header)
        if reading is None:
            seen.damaged.append(line.number)
        else:
            yield reading
    if rows.header is None:
        wanted = "wanted for example `timestamp, index, power.draw [W]`"
        raise SourceError(f"{name}: no header with columns of a monitoring log, {wanted}")
    rows.close(rows.header)


class _Rows:
    """What a log's rows need of those before them: the header in force, whose turn it is, each
    accelerator's clock.
    """

    def __init__(self, name: str, options: Options, seen: Seen) -> None:
        self.header: _Header | None = None
        self._name = name
        self._options = options
        self._seen = seen
        self._devices = _Devices(name)
        self._clocks: dict[int, Clock] = {}
        self._rows: Counter[int] = Counter()
        self._turn = 0
        self._before = ""

    def headed(self, line: Line, text: str) -> bool:
        """Whether the line was a header, which is in force from here on; a first row without one
        brings its own.
        """
        made = _header(text, self._seen) if _may_be_header(text) else None
        written = made is not None
        if written:
            self._seen.headers.append(line.number)
        elif self.header is None and _is_data(text):
            made = _without_header(self._name, line, text, self._before, self._options, self._seen)
        elif self.header is None:
            self._before = text[:80]
        if made is None:
            return False
        _check(self._name, line.number, made, self._options)
        self.header = made
        self._seen.columns.update(
            {column.field: made.names[place] for place, column in made.columns}
        )
        self._seen.identified = self._seen.identified or bool(made.devices)
        return written

    def reading(self, line: Line, text: str, header: _Header) -> Reading | None:
        """The row as a reading; None where it is damaged. A damaged row had its turn all the
        same.
        """
        turn, self._turn = self._turn, self._turn + 1
        cells = _row(text, header, whole=line.whole)
        if cells is None:
            return None
        if header.devices:
            device = self._devices.number(tuple(cells[place] for place in header.devices))
            row = self._rows[device]
            self._rows[device] += 1
        else:
            row, device = divmod(turn, self._options.devices or 1)
        clock = self._clocks.setdefault(device, Clock(self._options.zone))
        at = _at(cells, header, clock, row, self._options)
        if at is None:
            return None
        for place, fact in header.facts:
            if cells[place] and not cells[place].startswith("["):
                self._seen.facts.setdefault(fact, set()).add(cells[place][:80])
                if fact == "name":
                    self._seen.names.setdefault(device, cells[place][:80])
        return Reading(device, at, dict(_values(cells, header, self._seen)), line.number)

    def close(self, header: _Header) -> None:
        clocks = self._clocks.values()
        self._seen.timed = header.time is not None or header.elapsed is not None
        self._seen.zoned = (
            header.time is not None and bool(clocks) and all(clock.zoned for clock in clocks)
        )
        if header.time is not None:
            self._seen.grain_s = 0.001 if any(clock.fine for clock in clocks) else 1.0


def _may_be_header(text: str) -> bool:
    """Whether it is worth looking: a row begins with a figure, a header with a word."""
    return not text[:1].isdigit()


def _without_header(  # noqa: PLR0917 - it is told apart by all of them
    name: str, line: Line, text: str, before: str, options: Options, seen: Seen
) -> _Header:
    cells = _cells(text, ",")
    if options.columns:
        made = _applied(options.columns, ",", seen)
        if len(cells) != made.width:
            raise SourceError(
                f"{name}: line {line.number}: {len(cells)} cells, and --columns names "
                f"{made.width}: name each, in order"
            )
        return made
    shape = lambda_columns(cells)
    if shape is None and before:
        raise SourceError(
            f"{name}: no header with columns of a monitoring log before line {line.number}, found "
            f"{before!r}; wanted for example `timestamp, index, power.draw [W]`. Of another "
            "monitor, such as ELSA's, name each column in order: "
            "--columns timestamp,index,power.draw"
        )
    if shape is None:
        raise SourceError(
            f"{name}: line {line.number}: figures without a header: say what they are, as in "
            "--columns timestamp,index,power.draw"
        )
    return _applied(shape, ",", seen)


def _check(name: str, line: int, header: _Header, options: Options) -> None:
    if not header.columns:
        raise SourceError(
            f"{name}: line {line}: no column of power, temperature, clock, load or memory among "
            f"{', '.join(header.names)[:200]}"
        )
    if header.time is None and header.elapsed is None and options.interval_s is None:
        raise SourceError(
            f"{name}: line {line}: a log without times: give --interval SECONDS between the "
            "readings of one accelerator, and --devices N where rows of N of them take turns"
        )


def _row(text: str, header: _Header, *, whole: bool) -> list[str] | None:
    """The cells of a row; None where it has another width than the header, or its end may be cut
    off.
    """
    cells = _cells(text, header.delimiter)
    if header.closed and len(cells) == header.width + 1 and not cells[-1]:
        return cells[:-1]
    if len(cells) != header.width:
        return None
    # Without a line end behind it, `22` may have been `228`: only a unit or a closing comma shows
    # that nothing is missing.
    last = number(cells[-1], header.delimiter)
    return cells if whole or (last is not None and is_unit(last[1])) else None


def _at(
    cells: Sequence[str], header: _Header, clock: Clock, row: int, options: Options
) -> int | None:
    if header.time is not None:
        return clock.read(cells[header.time])
    if header.elapsed is not None:
        found = number(cells[header.elapsed[0]], header.delimiter)
        limit = 1e10
        return (
            None
            if found is None or abs(found[0]) > limit
            else round(found[0] * header.elapsed[1] * 1e6)
        )
    return round(row * (options.interval_s or 0.0) * 1e6)


def _values(cells: Sequence[str], header: _Header, seen: Seen) -> Iterator[tuple[str, float]]:
    for place, column in header.columns:
        value = column.value(cells[place], header.delimiter)
        if value is None:
            continue
        if is_possible(column.field, value):
            yield column.field, value
        else:
            seen.absurd[column.field] += 1
