"""The small picture of a run's curve or of its steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from kernels.records import Phase, Run
from site_src.pages.components.writer import Writer
from site_src.tables import BLEU, level
from site_src.tables.curve import thinned

WIDTH: Final = 560
HEIGHT: Final = 180
_LEFT: Final = 56
_BOTTOM: Final = 26
MOST_POINTS: Final = 120
"""Points of a picture; longer series show the smallest and the largest of each stretch."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A small line drawing: `points` for a polyline, ends of both axes as text, and what is
    drawn.
    """

    title: Markup
    points: str
    bottom: str
    top: str
    left: str
    right: str
    across: Markup
    width: int = WIDTH
    height: int = HEIGHT


def drawn(writer: Writer, run: Run) -> Picture | None:
    """The quality over the epochs; where there is none, the duration of the measured steps; None
    without either.
    """
    quality = [
        (e.epoch, e.value)
        for e in run.evaluations
        if e.epoch is not None and e.metric == run.evaluations[0].metric
    ]
    if len(quality) > 1:
        name = writer.name("metric", run.evaluations[0].metric)
        of = run.evaluations[0].metric
        quality = [(epoch, level(of, value)) for epoch, value in quality]
        fraction = of != BLEU and all(0 <= value <= 1 for _, value in quality)
        title = writer.t("run.curve", metric=name)
        return _scaled(writer, quality, title, writer.t("head.epoch"), fraction=fraction)
    steps = [
        (float(step.index), step.duration_s) for step in run.steps if step.phase is Phase.MEASURE
    ]
    if len(steps) > 1:
        return _scaled(writer, steps, writer.t("run.steps"), writer.t("head.step"), clocked=True)
    return None


def _scaled(
    writer: Writer,
    series: Sequence[tuple[float, float]],
    title: Markup,
    across: Markup,
    *,
    fraction: bool = False,
    clocked: bool = False,
) -> Picture:
    points = thinned(series, MOST_POINTS)
    (left, right), low, high = (
        (points[0][0], points[-1][0]),
        min(y for _, y in points),
        max(y for _, y in points),
    )
    wide, tall = (right - left) or 1.0, (high - low) or 1.0

    def say(value: float) -> str:
        if fraction:
            return writer.locale.percent(value, 1)
        return writer.locale.duration(value) if clocked else writer.locale.number(value, digits=3)

    def at(point: tuple[float, float]) -> str:
        x = _LEFT + (point[0] - left) / wide * (WIDTH - _LEFT - 10)
        y = 10 + (1 - (point[1] - low) / tall) * (HEIGHT - _BOTTOM - 20)
        return f"{x:.0f},{y:.0f}"

    ends = [writer.locale.number(end) for end in (left, right)]
    return Picture(title, " ".join(map(at, points)), say(low), say(high), ends[0], ends[1], across)
