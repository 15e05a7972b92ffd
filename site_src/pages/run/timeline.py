"""One run on its own clock, as a small picture: its curve or its steps, its learning rate and the
machine's sensors below each other.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.repetitions import OWN
from kernels.records import Run
from site_src.figures.marks import tracks
from site_src.minify import slim
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run.telemetry import Row, is_monitored
from site_src.tables import timeline
from site_src.tables.curve import thinned
from site_src.tables.timeline import QUALITY, STEP, Point, Strip

WIDTH: Final = 560
_LEFT: Final = 56
_RIGHT: Final = 554
_TALL: Final = 90
_LOW: Final = 36
_ABOVE: Final = 20

MOST_POINTS: Final = 160
"""Points of the whole picture, over all strips: a page of a run is small."""

MOST_TIGHT: Final = 48
"""The same where some strips are left out for want of room."""

LINED: Final = 24
"""Points from which on the picture also has the ends of epochs."""

BUDGETS: Final = (MOST_POINTS, 96, MOST_TIGHT, LINED, 12, 0)
"""Points that are tried one after the other until the picture fits; the last is the least picture,
which has no learning rate.
"""

_SPARED: Final = frozenset({timeline.MEMORY, "clock_hz", "temperature_c"})
"""Sensors that have no strip there; in the least picture only the curve and the load have one."""

LEAST_POINTS: Final = 8
MOST_EPOCHS: Final = 25
"""Ends of epochs that are drawn; of more every second, third, ... one."""

FEW_EPOCHS: Final = 6
"""The same where there is little room."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """The picture.

    Attributes:
        epochs: Path of the ends of epochs.
        drops: Path of the moments at which the learning rate fell.
        end: The time at the right end of the axis, as text.
    """

    rows: Sequence[Row]
    epochs: str
    drops: str
    caption: Markup
    end: str
    height: int
    width: int = WIDTH


def has(run: Run) -> bool:
    """Whether the run is one of this harness with sensors of its own, and not with a monitoring log
    beside it.
    """
    return run.origin in OWN and bool(run.telemetry) and not any(map(is_monitored, run.metrics))


def block(writer: Writer, run: Run, room: int) -> Markup:
    """The picture, with as many points as there is room for; empty where nothing was read twice.

    Args:
        writer: Of the page.
        run: With telemetry.
        room: Bytes that the rest of the page leaves.
    """
    made = Markup("")
    for most in BUDGETS:
        picture = drawing(writer, run, most)
        made = (
            Markup("")
            if picture is None
            else writer.render("blocks/timeline.html", picture=picture, heading=True)
        )
        if len(slim(str(made)).encode()) <= room:
            break
    return made


def small(writer: Writer, run: Run, links: Sequence[tuple[str, str]] = ()) -> Markup:
    """The picture on another page, with the ways to the run and to its charts."""
    picture = writer.render("blocks/timeline.html", picture=drawing(writer, run), heading=False)
    return picture + writer.links(
        [(writer.url(f"runs/{run.run_id}/"), writer.t("telemetry.of_run")), *links]
    )


def drawing(writer: Writer, run: Run, most: int = MOST_POINTS) -> Drawing | None:
    """The strips of a run on the axis of its clock; None where nothing was read twice."""
    left_out = (
        frozenset()
        if most > MOST_TIGHT
        else _SPARED
        if most
        else _SPARED | {timeline.RATE, "power_w"}
    )
    found = [strip for strip in timeline.strips(run) if strip.name not in left_out]
    last = timeline.end(run)
    if not found or last <= 0:
        return None
    sensors = sum(len(strip.lines) for strip in found)
    each = max(LEAST_POINTS, most // sensors)

    def across(time: float) -> float:
        return _LEFT + time / last * (_RIGHT - _LEFT)

    rows: list[Row] = []
    top = _ABOVE
    for strip in found:
        bottom = top + (_TALL if strip.name in {QUALITY, STEP} else _LOW)
        lines = [
            _line(strip, thinned(_steps(strip, points), each), across, top, bottom)
            for points in strip.lines.values()
            if len(points) > 1
        ]
        name = escape(tracks.named(strip, run, writer.locale))
        rows.append(Row(name, *tracks.ends(strip, run, writer.locale), top, bottom, lines))
        top = bottom + _ABOVE
    ends = timeline.ends_of_epochs(run) if most >= LINED else []
    dropped = {time for _, time in timeline.drops(run)} if most >= LINED else set()
    every = max(1, -(-len(ends) // (MOST_EPOCHS if most > MOST_TIGHT else FEW_EPOCHS)))
    foot = rows[-1].bottom

    def path(times: Sequence[float]) -> str:
        return "".join(f"M{across(time):.0f} {_ABOVE}V{foot}" for time in times)

    names = writer.locale.join([str(row.name) for row in rows])
    span = writer.locale.duration(last)
    said = "clock_caption_drops" if dropped else "clock_caption" if ends else "clock_caption_bare"
    caption = writer.t(f"telemetry.{said}", names=names, time=span)
    return Drawing(
        rows,
        path(
            [
                time
                for number, (_, time) in enumerate(ends, 1)
                if number % every == 0 and time not in dropped
            ]
        ),
        path(sorted(dropped)),
        capital(caption),
        span,
        foot + _ABOVE,
    )


def _steps(strip: Strip, points: Sequence[Point]) -> Sequence[Point]:
    """The points of a rate with a corner at each change: it holds until the next."""
    if strip.name != timeline.RATE:
        return points
    found = [points[0]]
    for (_, held), point in pairwise(points):
        found += [(point[0], held), point] if point[1] != held else []
    return [*found, points[-1]]


def _line(
    strip: Strip, points: Sequence[Point], across: Callable[[float], float], top: int, bottom: int
) -> str:
    """The line, without the points in the middle of level stretches."""

    def down(value: float) -> float:
        return bottom - (value - strip.low) / (strip.high - strip.low) * (bottom - top)

    placed = [(f"{across(time):.0f}", f"{down(value):.0f}") for time, value in points]
    inner = [
        here
        for before, here, after in zip(placed, placed[1:], placed[2:], strict=False)
        if not before[1] == here[1] == after[1]
    ]
    return " ".join(map(",".join, (placed[0], *inner, placed[-1])))
