"""MLPerf Training result logs as a list of events, whatever the dialect.

Three compliance dialects, told by their marker and never by the round or the file's name:

    :::MLPv0.5.0 resnet 1541660914.084755421 (resnet_main.py:523) run_start            v0.5; a value stands after ": ", as JSON
    :::MLL 1558420845.819 run_start: {"value": null, "metadata": {...}}                v0.6
    :::MLLOG {"time_ms": 1593141109250, "key": "run_start", "value": null, ...}        v0.7 on; some write "time_s"

The marker may stand anywhere in a line, after a rank's number, a progress bar with carriage returns or bytes that are no text.
"""

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

from kernels.errors import SourceError

LONGEST: Final = 1_000_000
"""Bytes of a line beyond which it is not looked at: the longest real event has a few thousand."""

_MARK = re.compile(r":::(MLPv0\.5\.0|MLLOG|MLL)(?![A-Za-z0-9])")
_V05 = re.compile(r"\s+(\S+)\s+([\d.]+)\s+\((.*?)\)\s+([A-Za-z_][\w.]*)\s*(?::\s*(.*))?$", re.DOTALL)
_V06 = re.compile(r"\s+([\d.]+)\s+([A-Za-z_][\w.]*)\s*:\s*(\{.*)$", re.DOTALL)
_ALIBABA = re.compile(r"MLPerf: \w+ \[\d\d/\d\d/\d\d \d\d:\d\d:\d\d\]")

_KEPT = re.compile(
    r"(run_|eval_|train_epoch|train_samples|train_loop|epoch_|block_|seed|opt_|submission_|global_batch|local_batch|input_batch|target"
    r"|num_train|preproc_num_train|gradient_accum|lowest_num|status)"
)
"""Keys that say something about a run; models log thousands of others (every layer, every crop)."""

_DECODER = json.JSONDecoder()


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a log.

    Attributes:
        time_s: Unix seconds; None where the log writes 0, as headers do.
        line: Number of the line in the file, from 1.
    """

    time_s: float | None
    key: str
    value: Any
    metadata: Mapping[str, Any]
    line: int


@dataclass(frozen=True, slots=True)
class Events:
    """A log, read.

    Attributes:
        dialect: `MLPv0.5.0`, `MLL` or `MLLOG`.
        benchmark: As v0.5 writes it in every line; None in later dialects, which have an event for it.
        events: In the order of the file.
        resolution_s: Grain of the clock: 1 where no time has a fraction.
        damaged: Lines with a marker and nothing readable behind it.
    """

    dialect: str
    benchmark: str | None
    events: tuple[Event, ...]
    resolution_s: float
    damaged: tuple[int, ...]

    def all(self, *keys: str) -> Iterator[Event]:
        """Events of these keys, in the order of the file."""
        return (event for event in self.events if event.key in keys)

    def first(self, *keys: str) -> Any:
        """The value of the first such event that has one."""
        return next((event.value for event in self.all(*keys) if event.value is not None), None)


def parse(lines: Iterable[bytes], name: str = "log") -> Events:
    """Read a log's lines.

    Args:
        lines: As a file opened for bytes gives them.
        name: How errors call the file.

    Raises:
        SourceError: Not a compliance log, or several dialects in one file.
    """
    events: list[Event] = []
    damaged: list[int] = []
    dialects: set[str] = set()
    benchmark: str | None = None
    grain = 1.0
    foreign = False
    for number, raw in enumerate(lines, 1):
        if b":::ML" not in raw:
            foreign = foreign or (b"MLPerf: " in raw and _ALIBABA.search(raw[:LONGEST].decode(errors="replace")) is not None)
            continue
        for dialect, text in _segments(raw[:LONGEST].decode("utf-8", errors="replace")):
            dialects.add(dialect)
            found = _event(dialect, text, number)
            if found is None:
                damaged.append(number)
                continue
            event, finest, named = found
            grain = min(grain, finest)
            benchmark = benchmark or named
            if _KEPT.match(event.key):
                events.append(event)
    if not dialects:
        if foreign:
            raise SourceError(
                f"{name}: not a compliance log: its lines are of the form 'MLPerf: <benchmark> [date], <event>', without ':::ML' markers; "
                "its times have no zone and no fraction, so it is refused rather than guessed at"
            )
        raise SourceError(f"{name}: not an MLPerf result log: no line has ':::MLPv0.5.0', ':::MLL' or ':::MLLOG'")
    if len(dialects) > 1:
        raise SourceError(f"{name}: lines of several dialects in one file ({', '.join(sorted(dialects))}); wanted the log of one run")
    return Events(dialects.pop(), benchmark, tuple(events), grain, tuple(damaged))


def _segments(text: str) -> Iterator[tuple[str, str]]:
    """Dialect and rest of each marker in a line, up to the next marker."""
    marks = list(_MARK.finditer(text))
    ends = [*(mark.start() for mark in marks[1:]), len(text)]
    for mark, end in zip(marks, ends, strict=False):  # a line without a marker has an end and no beginning
        yield mark[1], text[mark.end() : end].rstrip("\r\n")


def _event(dialect: str, text: str, line: int) -> tuple[Event, float, str | None] | None:
    """The event, the grain of its time in seconds, and the benchmark where the line names it; None where it is damaged."""
    if dialect == "MLPv0.5.0":
        found = _V05.match(text)
        if found is None:
            return None
        benchmark, time, _, key, rest = found.groups()
        value = None if rest is None else _json(rest, rest.strip())
        return Event(_seconds(time), key, value, {}, line), _grain(time), benchmark
    found = _V06.match(text) if dialect == "MLL" else None
    body = _json(text if found is None else found[3], None)
    key = found[2] if found else body.get("key") if isinstance(body, dict) else None
    if not isinstance(body, dict) or not isinstance(key, str) or (dialect == "MLL") != (found is not None):
        return None
    metadata = body.get("metadata")
    time, per_second = (found[1], 1) if found else (body["time_ms"], 1000) if "time_ms" in body else (body.get("time_s"), 1)
    event = Event(_seconds(time, per_second), key, body.get("value"), metadata if isinstance(metadata, dict) else {}, line)
    return event, 0.001 if per_second > 1 else _grain(str(time)), None


def _json(text: str, otherwise: str | None) -> Any:
    """The JSON value that a text begins with; what a progress bar wrote behind it does not matter."""
    try:
        return _DECODER.raw_decode(text.lstrip())[0]
    except (ValueError, RecursionError):
        return otherwise


def _seconds(value: Any, per_second: int = 1) -> float | None:
    """Unix seconds; None for 0 and for what is no time."""
    seconds = number(value)
    return None if seconds is None or seconds <= 0 else seconds / per_second


def _grain(text: str) -> float:
    """The last decimal of a time as written: 0.001 for `1558420845.819`."""
    _, _, decimals = text.partition(".")
    return 1.0 if not decimals.strip("0") else 10.0 ** -len(decimals)


def number(value: Any) -> float | None:
    """A finite number, also where the log writes it as a string; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        found = float(value)
    except (ValueError, OverflowError):
        return None
    return found if math.isfinite(found) else None


def whole(value: Any) -> int | None:
    """A whole number that fits 64 bits; None for anything else."""
    found = number(value)
    if found is None or found % 1 or abs(found) >= 2**63:
        return None
    return int(value) if isinstance(value, int) else int(found)
