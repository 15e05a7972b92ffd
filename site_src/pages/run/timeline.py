"""One run over time, as a small picture: its curve or its steps, its learning rate and the
machine's sensors below each other.
"""

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final

from markupsafe import Markup, escape

from kernels.analysis.repetitions import OWN
from kernels.records import Run
from site_src.figures.marks import tracks
from site_src.minify import slim
from site_src.pages.components.writer import Writer, capital
from site_src.pages.run.drawing import ABOVE, LEFT, RIGHT, Drawing, Row, bent
from site_src.pages.run.telemetry import is_monitored
from site_src.tables import timeline
from site_src.tables.curve import thinned
from site_src.tables.timeline import QUALITY, STEP, Point, Track
from site_src.templates import html

_TALL: Final = 90
_LOW: Final = 36

MOST_POINTS: Final = 160
"""Most points of the picture over all rows: a page of a run is small."""

MOST_TIGHT: Final = 48
"""Most points if some rows are left out for want of room."""

LINED: Final = 24
"""From this many points on, the picture also marks the ends of epochs."""

BUDGETS: Final = (MOST_POINTS, 96, MOST_TIGHT, LINED, 12, 0)
"""Numbers of points, tried in turn until the picture fits; the last one leaves out the learning
rate.
"""

_SPARED: Final = frozenset({timeline.MEMORY, "clock_hz", "temperature_c"})
"""Sensors left out in little room; the smallest picture has only the curve and the load."""

LEAST_POINTS: Final = 8
MOST_EPOCHS: Final = 25
"""Most ends of epochs drawn; of more every second, third, ... one."""

FEW_EPOCHS: Final = 6
"""Most ends of epochs drawn in little room."""


def has(run: Run) -> bool:
    """True for a run of this harness with its own sensors and no monitoring log."""
    return run.origin in OWN and bool(run.telemetry) and not any(map(is_monitored, run.metrics))


def block(writer: Writer, run: Run, room: int) -> Markup:
    """The picture, with as many points as fit; empty if nothing was read twice.

    Args:
        writer: Of the page.
        run: With telemetry.
        room: Bytes left on the page.
    """
    made = Markup("")
    for most in BUDGETS:
        picture = drawing(writer, run, most)
        made = html.clock(writer.t("telemetry.clock_heading"), picture)
        if len(slim(str(made)).encode()) <= room:
            break
    return made


def small(writer: Writer, run: Run, links: Sequence[tuple[str, str]] = ()) -> Markup:
    """The picture on another page, with links to the run and its charts."""
    own = (writer.url(f"runs/{run.run_id}/"), writer.t("telemetry.of_run"))
    picture = drawing(writer, run)
    return (html.drawing(picture) if picture else Markup("")) + writer.links([own, *links])


def drawing(writer: Writer, run: Run, most: int = MOST_POINTS) -> Drawing | None:
    """The rows of a run over its time; None if nothing was read twice."""
    found = [row for row in timeline.tracks(run) if row.name not in _left_out(most)]
    last = timeline.end(run)
    if not found or last <= 0:
        return None
    each = max(LEAST_POINTS, most // sum(len(row.lines) for row in found))

    def across(time: float) -> float:
        return LEFT + time / last * (RIGHT - LEFT)

    rows: list[Row] = []
    top = ABOVE
    for one in found:
        bottom = top + (_TALL if one.name in {QUALITY, STEP} else _LOW)
        lines = [
            _line(one, thinned(_steps(one, points), each), across, top, bottom)
            for points in one.lines.values()
            if len(points) > 1
        ]
        name = escape(tracks.named(one, run, writer.locale))
        rows.append(Row(name, *tracks.ends(one, run, writer.locale), top, bottom, lines))
        top = bottom + ABOVE
    ends, drops = _marks(run, most)
    foot = rows[-1].bottom

    def path(times: Sequence[float]) -> str:
        return "".join(f"M{across(time):.0f} {ABOVE}V{foot}" for time in times)

    names = writer.locale.join([str(row.name) for row in rows])
    span = writer.locale.duration(last)
    key = "clock_caption" if ends else "clock_caption_bare"
    caption = capital(writer.t(f"telemetry.{key}", names=names, time=span))
    return Drawing(rows, caption, foot + ABOVE, epochs=path(ends), drops=path(drops), end=span)


def _left_out(most: int) -> frozenset[str]:
    if most > MOST_TIGHT:
        return frozenset()
    return _SPARED if most else _SPARED | {timeline.RATE, "power_w"}


def _marks(run: Run, most: int) -> tuple[list[float], list[float]]:
    if most < LINED:
        return [], []
    ends = timeline.ends_of_epochs(run)
    drops = {time for _, time in timeline.drops(run)}
    every = max(1, -(-len(ends) // (MOST_EPOCHS if most > MOST_TIGHT else FEW_EPOCHS)))
    shown = [time for number, (_, time) in enumerate(ends, 1) if number % every == 0]
    return [time for time in shown if time not in drops], sorted(drops)


def _steps(track: Track, points: Sequence[Point]) -> Sequence[Point]:
    """Adds a corner at each change of a rate, which holds until the next."""
    if track.name != timeline.RATE:
        return points
    found = [points[0]]
    for (_, held), point in pairwise(points):
        found += [(point[0], held), point] if point[1] != held else []
    return [*found, points[-1]]


def _line(
    track: Track, points: Sequence[Point], across: Callable[[float], float], top: int, bottom: int
) -> str:
    def down(value: float) -> float:
        return bottom - (value - track.low) / (track.high - track.low) * (bottom - top)

    placed = [(f"{across(time):.0f}", f"{down(value):.0f}") for time, value in points]
    return " ".join(map(",".join, bent(placed)))
