"""MLPerf Training result logs as a list of events, whatever the dialect.

Three compliance dialects, recognised by their marker and never by round or file name:

    :::MLPv0.5.0 resnet 1541660914.084755421 (resnet_main.py:523) run_start            v0.5; a value
                                                                                       stands after
                                                                                       ": ", as JSON
    :::MLL 1558420845.819 run_start: {"value": null, "metadata": {...}}                v0.6
    :::MLLOG {"time_ms": 1593141109250, "key": "run_start", "value": null, ...}        v0.7 on; some
                                                                                       write
                                                                                       "time_s"

The marker may be anywhere in a line, after a rank's number, a progress bar with carriage returns or
bytes that are no text.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, BinaryIO, Final

from kernels.errors import SourceError

LONGEST: Final = 100_000
"""Longest event in characters that is read: real ones have a few thousand."""

PIECE: Final = 1 << 20
"""Bytes of a line that are read at once; a progress bar may write a log without line ends."""

BUDGET: Final = 32_000_000
"""Characters of events that are kept per log. Real logs need some hundred thousand; without a limit
a log could fill the memory.
"""

_MARK = re.compile(r":::(MLPv0\.5\.0|MLLOG|MLL)(?![A-Za-z0-9])")
_V05 = re.compile(
    r"\s+(\S+)\s+([\d.]+)\s+\((.*?)\)\s+([A-Za-z_][\w.]*)\s*(?::\s*(.*))?$", re.DOTALL
)
_V06 = re.compile(r"\s+([\d.]+)\s+([A-Za-z_][\w.]*)\s*:\s*(\{.*)$", re.DOTALL)
_ALIBABA = re.compile(r"MLPerf: \w+ \[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\]")

_KEPT = re.compile(
    r"(run_|eval_|train_epoch|train_samples|train_loop|epoch_|block_|seed|opt_|submission_|global_batch|local_batch|input_batch|target"
    r"|cache_clear|num_train|preproc_num_train|gradient_accum|lowest_num|status|power_measurement)"
)
"""Keys about a run; models log thousands of others (every layer, every crop)."""

_KEY = re.compile(r'"key"\s*:\s*"([^"\\]*)"')
_LABELS: Final = (
    "epoch_num", "first_epoch_num", "epoch_count", "samples_count", "step_num", "step", "metric",
    "status", "timestamp",
)  # fmt: skip
"""Metadata that is used; the rest, such as file and line of the source code, is not kept."""

_DAMAGED: Final = 1000
"""Line numbers of damaged lines that are kept."""

_STRING: Final = 1000
"""Characters of a text that are kept; longer ones are command lines."""

_LATEST_S: Final = 4_102_444_800.0
"""The year 2100 in Unix seconds; a later time is a mistake, such as milliseconds."""

_LEVELS: Final = 4
"""Levels of lists and objects inside a value; Mask R-CNN's accuracies have two."""

_QUOTED = re.compile(r"'([^'\"\\]*)'")
"""A text as Python writes it; MiniGo's logs of v0.6 have such labels inside JSON."""

_ADDRESS = re.compile(r"(?<![^\s<>\"',;:])[^\s<>\"',;:][^\s<>\"',;:@]*+@[^\s<>\"',;:]++")

_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a log.

    Attributes:
        time_s: Unix seconds; None if the log writes 0, as headers do.
        line: Number of the line in the file, from 1.
    """

    time_s: float | None
    key: str
    value: Any
    metadata: Mapping[str, Any]
    line: int


@dataclass(frozen=True, slots=True)
class Events:
    """A parsed log.

    Attributes:
        dialect: `MLPv0.5.0`, `MLL` or `MLLOG`.
        benchmark: As in every line of v0.5; None in later dialects, which have an event for it.
        events: In the order of the file.
        resolution_s: Resolution of the clock: 1 if no time has a fraction.
        damaged: Lines with a marker but no readable event, the first few.
        passed: Number of events dropped because there were too many.
    """

    dialect: str
    benchmark: str | None
    events: tuple[Event, ...]
    resolution_s: float
    damaged: tuple[int, ...]
    passed: int = 0

    def all(self, *keys: str) -> Iterator[Event]:
        """Yields events of these keys, in the order of the file."""
        return (event for event in self.events if event.key in keys)

    def first(self, *keys: str) -> Any:
        """Returns the value of the first such event that has one."""
        return next((event.value for event in self.all(*keys) if event.value is not None), None)


class _Kept:
    """Events worth keeping, in limited memory.

    Hundreds of processes log one moment, and some logs write the learning rate at each step. Of
    equal events the first, the earliest and the latest are kept; of learning rates the first in
    each epoch.
    """

    def __init__(self) -> None:
        self._seen: dict[tuple[object, ...], list[Event]] = {}
        self._free: list[Event] = []
        self._left = BUDGET
        self._keys: set[str] = set()
        self.passed = 0

    def skips(self, text: str) -> bool:
        """Returns True if an event need not be read: none of its keys is kept, or it is a learning
        rate that is not the first and names no epoch.
        """
        keys = _KEY.findall(text)
        return bool(keys) and all(
            not _KEPT.match(key)
            or (key.startswith("opt_") and key in self._keys and '"epoch' not in text)
            for key in keys
        )

    def add(self, event: Event, size: int) -> None:
        self._keys.add(event.key)
        identity = _identity(event)
        known = None if identity is None else self._seen.get(identity)
        if known is not None:
            _extend(known, event)
            return
        if size > self._left and event.key not in {"run_start", "run_stop"}:
            self.passed += 1
            return
        self._left -= size
        if identity is None:
            self._free.append(event)
        else:
            self._seen[identity] = [event]

    def events(self) -> tuple[Event, ...]:
        each = {id(event): event for events in self._seen.values() for event in events}
        return tuple(sorted((*self._free, *each.values()), key=lambda event: event.line))


def _identity(event: Event) -> tuple[object, ...] | None:
    """Returns the key by which events count as equal; None for those that never do, such as
    evaluations without a label.
    """
    if event.key.startswith("opt_"):
        inside = event.value.get("epoch") if isinstance(event.value, dict) else None
        return event.key, repr(event.metadata.get("epoch_num", inside))[:40]
    label = tuple(
        (name, repr(event.metadata[name])[:40]) for name in _LABELS if name in event.metadata
    )
    if not label and event.value is None and not event.key.startswith("run_"):
        return None
    return event.key, label, repr(event.value)[:2000]


def _extend(known: list[Event], event: Event) -> None:
    if event.key.startswith("opt_"):
        return
    timed = sorted(
        (each for each in (*known, event) if each.time_s is not None),
        key=lambda each: each.time_s or 0.0,
    )
    known[1:] = [
        each
        for each in (timed[:1] + timed[-1:] if len(timed) > 1 else timed)
        if each is not known[0]
    ]


def lines_of(file: BinaryIO) -> Iterator[bytes]:
    """Yields lines with their ends; a very long one comes in pieces that never split a marker or an
    event.
    """
    rest = b""
    while piece := file.readline(PIECE):
        whole_ = rest + piece
        if whole_.endswith(b"\n"):
            rest = b""
            yield whole_
            continue
        cut = whole_.rfind(b":::ML")
        if cut < 0 or len(whole_) - cut > LONGEST:
            cut = max(len(whole_) - len(":::MLPv0.5.0"), 0)
        rest = whole_[cut:]
        yield whole_[:cut]
    yield rest


def parse(lines: Iterable[bytes], name: str = "log") -> Events:
    """Parses a log's lines, as from `lines_of`, in limited memory; errors call the file `name`.

    Raises:
        SourceError: Not a compliance log, or several dialects in one file.
    """
    kept = _Kept()
    damaged: list[int] = []
    dialects: set[str] = set()
    benchmark: str | None = None
    grain = 1.0
    foreign = False
    line = 1
    for raw in lines:
        number_, line = line, line + raw.endswith(b"\n")
        if b":::ML" not in raw:
            foreign = foreign or (
                b"MLPerf: " in raw
                and _ALIBABA.search(raw[:LONGEST].decode(errors="replace")) is not None
            )
            continue
        for dialect, text in _segments(raw.decode("utf-8", errors="replace")):
            dialects.add(dialect)
            if dialect == "MLLOG" and kept.skips(text):
                continue
            found = _event(dialect, text, number_)
            if found is None:
                if len(damaged) < _DAMAGED:
                    damaged.append(number_)
                continue
            event, finest, named = found
            grain = min(grain, finest)
            benchmark = benchmark or named
            if _KEPT.match(event.key):
                kept.add(event, len(text))
    if not dialects:
        raise _no_log(name, foreign=foreign)
    if len(dialects) > 1:
        raise SourceError(
            f"{name}: lines of several dialects in one file ({', '.join(sorted(dialects))}); "
            "wanted the log of one run"
        )
    return Events(dialects.pop(), benchmark, kept.events(), grain, tuple(damaged), kept.passed)


def _no_log(name: str, *, foreign: bool) -> SourceError:
    if foreign:
        return SourceError(
            f"{name}: not a compliance log: its lines are of the form 'MLPerf: <benchmark> "
            "[date], <event>', without ':::ML' markers; "
            "its times have no zone and no fraction, so it is refused rather than guessed at"
        )
    return SourceError(
        f"{name}: not an MLPerf result log: no line has ':::MLPv0.5.0', ':::MLL' or ':::MLLOG'"
    )


def _segments(text: str) -> Iterator[tuple[str, str]]:
    marks = list(_MARK.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    # a line without a marker is the end of a split line
    for mark, end in zip(marks, ends, strict=False):
        yield mark[1], text[mark.end() : min(end, mark.end() + LONGEST)].rstrip("\r\n")


def between(start: float, stop: float) -> float:
    """Returns the seconds between two Unix times of a log, without the digits below a microsecond
    that subtracting such large numbers leaves.
    """
    return round(stop - start, 6)


def _event(dialect: str, text: str, line: int) -> tuple[Event, float, str | None] | None:
    """Returns the event, the resolution of its time in seconds, and the benchmark if the line names
    it; None if damaged.
    """
    if dialect == "MLPv0.5.0":
        found = _V05.match(text)
        if found is None:
            return None
        benchmark, time, _, key, rest = found.groups()
        value = None if rest is None else _modest(_json(rest, rest.strip()))
        return Event(_seconds(time), key, value, {}, line), _grain(time), benchmark
    found = _V06.match(text) if dialect == "MLL" else None
    body = _json(text if found is None else found[3], None)
    key = found[2] if found else body.get("key") if isinstance(body, dict) else None
    if (
        not isinstance(body, dict)
        or not isinstance(key, str)
        or (dialect == "MLL") != (found is not None)
    ):
        return None
    metadata = body.get("metadata")
    time, per_second = (
        (found[1], 1)
        if found
        else (body["time_ms"], 1000)
        if "time_ms" in body
        else (body.get("time_s"), 1)
    )
    labels = (
        {name: _modest(metadata[name]) for name in _LABELS if name in metadata}
        if isinstance(metadata, dict)
        else {}
    )
    event = Event(_seconds(time, per_second), key, _modest(body.get("value")), labels, line)
    return event, 0.001 if per_second > 1 else _grain(str(time)), None


def _json(text: str, otherwise: str | None) -> Any:
    for each in (text, _QUOTED.sub(r'"\1"', text)) if "'" in text else (text,):
        try:
            return _DECODER.raw_decode(each.lstrip())[0]
        except (ValueError, RecursionError):
            continue
    return otherwise


def _modest(value: Any, levels: int = _LEVELS) -> Any:
    """Shortens a value: texts cut, and deeper levels dropped."""
    if isinstance(value, str):
        return value[:_STRING]
    if isinstance(value, dict):
        return (
            {name[:_STRING]: _modest(inner, levels - 1) for name, inner in value.items()}
            if levels
            else None
        )
    if isinstance(value, list):
        return [_modest(inner, levels - 1) for inner in value] if levels else None
    return value


def _seconds(value: Any, per_second: int = 1) -> float | None:
    seconds = number(value)
    return (
        None
        if seconds is None or not 0 < seconds / per_second < _LATEST_S
        else seconds / per_second
    )


def _grain(text: str) -> float:
    """Returns the last decimal of a time as written: 0.001 for `1558420845.819`."""
    _, _, decimals = text.partition(".")
    return 1.0 if not decimals.strip("0") else 10.0 ** -len(decimals)


def number(value: Any) -> float | None:
    """Returns a finite number, also if the log writes it as a string; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """Returns a whole number that fits 64 bits; None for anything else."""
    found = number(value)
    if found is None or found % 1 or abs(found) >= 2**63:
        return None
    return int(value) if isinstance(value, int) else int(found)


def events_of(lines: Iterable[bytes]) -> Iterator[Event]:
    """Yields all events in lines of any dialect; skips damaged ones."""
    line = 1
    for raw in lines:
        number_, line = line, line + raw.endswith(b"\n")
        if b":::ML" in raw:
            for dialect, text in _segments(raw.decode("utf-8", errors="replace")):
                if found := _event(dialect, text, number_):
                    yield found[0]


def plain(text: str) -> str:
    """Returns a text that may be recorded: no mail addresses, and no invalid characters such as
    half a surrogate pair.
    """
    return _ADDRESS.sub(
        "[address]", text.encode("utf-8", errors="replace").decode().replace("\0", "")
    ).strip()
