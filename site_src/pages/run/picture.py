"""The small picture of a run's curve or steps."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from kernels.records import Phase, Run
from site_src.pages.components.writer import Writer, capital
from site_src.tables import BLEU, level
from site_src.tables.curve import PLAIN, thinned

WIDTH: Final = 560
HEIGHT: Final = 180
_LEFT: Final = 56
_BOTTOM: Final = 26
MOST_POINTS: Final = 120
"""Most points of a picture; longer series keep the smallest and the largest of each stretch."""

LEAST_POINTS: Final = 16
"""Fewest points of each of many lines."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A small line drawing: points of each line, ends of both axes as text, and the quantity."""

    title: Markup
    lines: list[str]
    bottom: str
    top: str
    left: str
    right: str
    across: Markup
    width: int = WIDTH
    height: int = HEIGHT


def drawn(writer: Writer, *runs: Run) -> Picture | None:
    """Quality over epochs, or over samples where a log counts those, a line for each run; else the
    durations of the measured steps of one run; None without either.
    """
    for field, across in (("epoch", "head.epoch"), ("samples", "axis.samples")):
        curves = [curve for run in runs if len(curve := _quality(run, field)) > 1]
        if not curves:
            continue
        of = next(run.evaluations[0].metric for run in runs if run.evaluations)
        fraction = of not in {BLEU, *PLAIN} and all(
            0 <= value <= 1 for curve in curves for _, value in curve
        )
        name = writer.name("metric", of)
        title = writer.t("run.curve", metric=name) if field == "epoch" else capital(name)
        return _scaled(writer, curves, title, capital(writer.t(across)), fraction=fraction)
    steps = [
        (float(step.index), step.duration_s)
        for step in runs[0].steps
        if step.phase is Phase.MEASURE and len(runs) == 1
    ]
    if len(steps) > 1:
        return _scaled(writer, [steps], writer.t("run.steps"), writer.t("head.step"), clocked=True)
    return None


def _quality(run: Run, field: str) -> list[tuple[float, float]]:
    of = run.evaluations[0].metric if run.evaluations else ""
    return [
        (float(at), level(of, e.value))
        for e in run.evaluations
        if e.metric == of and (at := getattr(e, field)) is not None
    ]


def _scaled(
    writer: Writer,
    series: Sequence[Sequence[tuple[float, float]]],
    title: Markup,
    across: Markup,
    *,
    fraction: bool = False,
    clocked: bool = False,
) -> Picture:
    most = max(LEAST_POINTS, MOST_POINTS // len(series))
    lines = [thinned(one, most) for one in series]
    every = [point for line in lines for point in line]
    left, right = min(x for x, _ in every), max(x for x, _ in every)
    low, high = min(y for _, y in every), max(y for _, y in every)
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
    drawn_lines = [" ".join(map(at, line)) for line in lines]
    return Picture(title, drawn_lines, say(low), say(high), ends[0], ends[1], across)
