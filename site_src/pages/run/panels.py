"""The picture of a monitoring log: a row for each quantity, a column for each accelerator, on one
time axis.

Text is HTML around the lines, so that it has the same size on a phone.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

from markupsafe import Markup, escape

from kernels.records import Run
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run.drawing import bent
from site_src.tables import timeline
from site_src.tables.curve import thinned
from site_src.tables.recorded import CARD_NAME, extra

WIDTH: Final = 560
TALL: Final = 44
_BETWEEN: Final = 14

ASKED: Final[Mapping[str, str]] = {
    "utilisation": "1",
    "power_w": "W",
    "temperature_c": "degC",
    "clock_hz": "Hz",
    "memory_clock_hz": "Hz",
    "memory_bytes": "byte",
    "fan": "1",
}
"""Quantities that monitors of accelerators usually read, with units; missing ones are named."""

DRAWN: Final[Mapping[str, str]] = {
    **ASKED,
    "memory_utilisation": "1",
    "memory_temperature_c": "degC",
    "energy_j": "J",
    timeline.LOWERED: "1",
}
"""Quantities that are drawn if recorded, in the order of rows."""

LEAST_POINTS: Final = 6
"""Fewest points of a line."""

MOST_NAMED: Final = 4
"""Most columns that are wide enough for a name and times; more have the accelerator's number."""

_PARTED: Final = 2.05
"""Lines break at gaps above this multiple of the usual interval: two, plus a sampler's delay."""

_SEEN: Final = 2.0
"""Width of the narrowest visible gap."""

_MOST_GAPS: Final = 40
"""Most gaps drawn in a line, longest first."""

Points = Sequence[tuple[float, float]]


@dataclass(frozen=True, slots=True)
class Row:
    """A quantity: its name, its lowest and highest reading as text, and the path of its lines."""

    name: Markup
    range: Markup
    path: str


@dataclass(frozen=True, slots=True)
class Panels:
    """The rows and what is around them.

    Attributes:
        headings: Headings of the columns; empty if there is one column.
        ends: Both ends of the time axis of each column; empty where columns are too narrow.
        frame: Path of the axes, the same in each row.
        notes: What the picture lacks.
    """

    rows: Sequence[Row]
    headings: Sequence[str]
    ends: Sequence[tuple[str, str]]
    frame: str
    caption: Markup
    notes: Sequence[Markup]
    width: int = WIDTH
    height: int = TALL


def drawing(writer: Writer, run: Run, most: int, *, first_alone: bool = False) -> Panels | None:
    """The picture of all quantities read twice or more; None without any.

    Args:
        writer: Of the page.
        run: With telemetry.
        most: Points of all lines together, about.
        first_alone: True if only the first quantity fits.
    """
    read = {name: lines for name in DRAWN if (lines := timeline.lines_of(run.telemetry, name))}
    found = {
        name: lines
        for name, lines in read.items()
        if any(len(points) > 1 for points in lines.values())
    }
    if not found:
        return None
    shown = list(found)[:1] if first_alone else list(found)
    devices = sorted({sample.device for sample in run.telemetry})
    start = run.telemetry[0].time_s
    # the last reading of a long log may be dropped
    whole = run.metric("monitored_time_s")
    last = max(sample.time_s for sample in run.telemetry)
    span = start, max(last, start + whole.value if whole and whole.value else last)
    each = max(LEAST_POINTS, most // (len(shown) * len(devices)))
    columns = _columns(len(devices))
    rows = [
        _row(writer, name, [found[name].get(device, ()) for device in devices], span, each)
        for name in shown
    ]
    wide = len(devices) <= MOST_NAMED
    ends = writer.locale.duration(span[0]), writer.locale.duration(span[1])
    return Panels(
        rows,
        _headings(writer, run, devices) if len(devices) > 1 else (),
        [ends for _ in devices] if wide else (),
        "".join(f"M{left:.0f} 0V{TALL}H{right:.0f}" for left, right in columns),
        writer.t("telemetry.read", time=writer.locale.duration(span[1] - span[0])),
        list(_notes(writer, set(read), [name for name in found if name not in shown])),
    )


def _notes(writer: Writer, read: set[str], left_out: Sequence[str]) -> Iterator[Markup]:
    for key, names in (
        ("telemetry.undrawn", left_out),
        ("telemetry.missing", [name for name in ASKED if name not in read]),
    ):
        if names:
            yield writer.t(key, names=writer.locale.join([str(_name(writer, n)) for n in names]))


def _name(writer: Writer, name: str) -> Markup:
    if name == "energy_j":
        return writer.quantity_name(name)
    return writer.t(f"telemetry.{name}")


def _headings(writer: Writer, run: Run, devices: Sequence[int]) -> list[str]:
    numbers = [writer.locale.number(device) for device in devices]
    if len(devices) > MOST_NAMED:
        return numbers
    names = (extra(run, f"{CARD_NAME}{device}") or _card(writer, run) for device in devices)
    both = zip(numbers, names, strict=True)
    return [f"{number} · {name}" if name else number for number, name in both]


def _card(writer: Writer, run: Run) -> str:
    """The common name of a run's accelerators; empty if there are several kinds."""
    told = run.environment.accelerator_name if run.environment is not None else None
    if told and " + " in told:
        return ""
    return writer.site.catalog.hardware[run.accelerator].name if run.accelerator else told or ""


def _columns(count: int) -> list[tuple[float, float]]:
    panel = (WIDTH + _BETWEEN) / count
    return [(place * panel, (place + 1) * panel - _BETWEEN) for place in range(count)]


def _row(
    writer: Writer,
    name: str,
    series: Sequence[Points],
    span: tuple[float, float],
    most: int,
) -> Row:
    values = [value for points in series for _, value in points]
    low, high = min(values), max(values)
    first, last = span
    path = []
    for points, (left, right) in zip(series, _columns(len(series)), strict=True):
        scale = (right - left) / ((last - first) or 1.0)
        for piece in pieces(points, most, _SEEN / scale):
            placed = dict.fromkeys(
                (
                    f"{left + (time - first) * scale:.0f}",
                    f"{(1 - (value - low) / ((high - low) or 1.0)) * TALL:.0f}",
                )
                for time, value in piece
            )
            line = " ".join(map(" ".join, bent(list(placed))))
            path.append(f"M{line}" + ("h0" if len(placed) == 1 else ""))
    shown = writer.t("range_wide", low=_said(writer, name, low), high=_said(writer, name, high))
    if low == high:
        shown = escape(_said(writer, name, low))
    return Row(capital(_name(writer, name)), shown, "".join(path))


def _said(writer: Writer, name: str, value: float) -> str:
    unit = DRAWN[name]
    if unit == "1":
        return writer.locale.percent(value, 0)
    return writer.locale.quantity(*writer.locale.scaled(value, unit), digits=3)


def pieces(points: Points, most: int, seen_s: float) -> Iterator[Points]:
    """A line split at gaps of more than two usual intervals and `seen_s`, with about `most` points
    in all.
    """
    steps = [after[0] - before[0] for before, after in pairwise(points)]
    passed = [step for step in steps if step > 0]
    limit = max(_PARTED * median(passed), seen_s) if passed else 0.0
    gaps = sorted(
        (place + 1 for place, step in enumerate(steps) if step > limit),
        key=lambda place: -steps[place - 1],
    )
    for start, end in pairwise([0, *sorted(gaps[:_MOST_GAPS]), len(points)]):
        if piece := points[start:end]:
            yield thinned(piece, max(2, most * len(piece) // len(points)))
