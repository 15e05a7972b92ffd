"""One run over time: tracks below each other; epochs and learning rate drops cross them."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import altair as alt

from kernels.records import Run, Target
from site_src import tables
from site_src.figures import theme as themes
from site_src.figures.base import Sketch
from site_src.figures.marks import bars
from site_src.figures.targets import ChartTarget
from site_src.locales import Locale
from site_src.tables import Row, curve, timeline
from site_src.tables.timeline import QUALITY, RATE, SENSORS, Track

TOP: Final = 18.0
HEAD: Final = 22.0
TALL: Final = 120.0
LOW: Final = 52.0
BETWEEN: Final = 10.0
"""Heights in px: of epochs' numbers, a track's words, the quality track, any other, and the gap."""

MOST_READINGS: Final = 480
"""Points of all sensors together: the page contains the drawing."""

LEAST_READINGS: Final = 24
"""The fewest points of a line."""

ABOVE: Final = 9
"""Px from the target's line to the middle of its words."""

GB: Final = 1e9
MHZ: Final = 1e6


@dataclass(frozen=True, slots=True)
class Placed:
    """A track with its `top` and `bottom` in px from the top of the plot."""

    track: Track
    top: float
    bottom: float

    def at(self, value: float) -> float:
        """The position of a reading."""
        share = (value - self.track.low) / (self.track.high - self.track.low)
        return round(self.bottom - share * (self.bottom - self.top), 1)


@dataclass(frozen=True, slots=True)
class Timeline:
    """One run in tracks.

    Attributes:
        end: End of its clock, in `unit`.
        unit: s, min or h.
    """

    run: Run
    tracks: Sequence[Placed]
    end: float
    unit: str

    @classmethod
    def of(cls, run: Run) -> "Timeline":
        """The run's tracks below each other."""
        found: list[Placed] = []
        below = TOP
        for track in timeline.tracks(run):
            top = below + HEAD
            below = top + (TALL if track.name == QUALITY else LOW)
            found.append(Placed(track, top, below))
            below += BETWEEN
        longest = timeline.end(run)
        unit = curve.unit_of(longest)
        return cls(run, found, longest / curve.SIZES[unit][0], unit)

    @property
    def most(self) -> int:
        """The most points of a sensor's line."""
        lines = sum(len(each.track.lines) for each in self.tracks if each.track.name in SENSORS)
        return max(LEAST_READINGS, MOST_READINGS // max(lines, 1))

    @property
    def target(self) -> Target | None:
        """The target in the quality drawn."""
        return next(
            (
                target
                for target in self.run.targets
                if target.metric == timeline.measured_by(self.run)
            ),
            None,
        )

    def moment(self, seconds: float) -> float:
        """A time in the unit of the axis, to the millisecond."""
        size, decimals = curve.SIZES[self.unit]
        return round(seconds / size, decimals)


def read(track: Track, value: float, run: Run) -> Row:
    """A reading as text: `reading` with its `unit`, or `plain` without one."""
    if track.name == RATE or (track.name == QUALITY and not is_fraction(run)):
        return {"plain": value, "unit": "1"}
    if track.unit == "byte":
        return {"reading": round(value / GB, 3), "unit": "GB", "reading_decimals": 2}
    return {
        "reading": value,
        "unit": track.unit,
        "reading_decimals": {QUALITY: 2, "power_w": 1}.get(track.name, 0),
    }


def is_fraction(run: Run) -> bool:
    """Returns True if the run's quality is written as a percentage."""
    return timeline.measured_by(run) not in {tables.BLEU, *curve.PLAIN}


def named(track: Track, run: Run, locale: Locale) -> str:
    """The name of a track's quantity."""
    if track.name == QUALITY:
        return locale.metric(timeline.measured_by(run))
    return locale.say(f"telemetry.{timeline.word(track.name, run)}")


def ends(track: Track, run: Run, locale: Locale) -> tuple[str, str]:
    """The lower and upper end of a track's axis; both are round, so they need few decimals."""

    def write(value: float) -> str:
        told = read(track, value, run)
        if "plain" in told:
            return locale.number(value, digits=3, strip=True)
        if told["unit"] == "1":
            return locale.percent(value, 0 if round(100 * value, 6) % 1 == 0 else 1)
        if track.unit == "Hz":
            return locale.quantity(value / MHZ, "MHz")
        if track.unit == "s":
            return locale.quantity(value, "s")  # one unit at both ends
        return locale.quantity(told["reading"], told["unit"])

    return write(track.low), write(track.high)


def draw(sketch: Sketch, line: Timeline) -> list[alt.Chart]:
    """Tracks with their lines; ends of epochs and drops of the learning rate through all."""
    scale = alt.Scale(domain=[line.tracks[-1].bottom, 0], nice=False, zero=False)
    y = bars.y("y", scale=scale, axis=None)
    axis = bars.count_axis(sketch, "axis.since_start", line.unit)
    x = bars.x(
        "time",
        scale=alt.Scale(domain=[0, line.end], nice=False),
        axis=axis,
    )
    quiet = themes.QUIET[sketch.theme]
    place = {"x": x, "y": y}
    series = {**place, "color": bars.colour(sketch)}
    return [
        *_ground(sketch, line),
        bars.layer("epochs", "datum.kind === 'epoch'")
        .mark_rule(strokeWidth=1, opacity=0.5, color=quiet)
        .encode(x=x, y=bars.down(TOP), y2=_foot(), tooltip=bars.tip()),
        bars.layer("numbers", "isValid(datum.number)")
        .mark_text(fontSize=11, color=quiet, baseline="top")
        .encode(x=x, y=bars.down(2), text=bars.said("number")),
        bars.layer("drops", "datum.kind === 'rate'")
        .mark_rule(strokeWidth=1.5, strokeDash=[4, 3], color=sketch.ink)
        .encode(x=x, y=bars.down(TOP), y2=_foot(), tooltip=bars.tip()),
        bars.layer("rates", "datum.kind === 'rate_held'")
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(**series),
        bars.layer("sensors", "datum.kind === 'sensor'")
        .mark_line(strokeWidth=1.2)
        .encode(
            **series,
            detail=[alt.Detail(field=name, type="nominal") for name in ("strip", "device")],
        ),
        bars.layer("curve", "datum.kind === 'evaluation'")
        .mark_line(strokeWidth=2)
        .encode(**series),
        bars.layer("evaluations", "datum.kind === 'evaluation'")
        .mark_point(size=45, strokeWidth=1.5, opacity=1)
        .encode(**place, **bars.points(sketch)),
        *(
            [
                bars.layer("readings", "datum.kind === 'sensor' || datum.kind === 'rate_held'")
                .mark_point(size=40, opacity=0)  # for the pointer
                .encode(**series, tooltip=bars.tip())
            ]
            if sketch.interactive
            else []
        ),
        *_words(sketch, line),
    ]


def _foot() -> Any:
    return alt.Y2Value("height")  # type: ignore[no-untyped-call]  # Altair's value channels have no types


def _span(track: Track, run: Run, locale: Locale) -> str:
    low, high = ends(track, run, locale)
    return locale.say("range_wide", low=low, high=high)


def _headings(sketch: Sketch, line: Timeline) -> alt.InlineData:
    told = [
        {
            "title": sketch.words.said(partial(named, each.track, line.run)),
            "span": sketch.words.said(partial(_span, each.track, line.run)),
            "head": each.top,
            "foot": each.bottom,
        }
        for each in line.tracks
    ]
    return alt.InlineData(values=told, name="strips")


def _target(sketch: Sketch, line: Timeline) -> alt.InlineData | None:
    """The position of the target in the quality track; None if missing or beyond its ends."""
    quality = next(each for each in line.tracks if each.track.name == QUALITY)
    target = (
        None
        if line.target is None
        else ChartTarget(
            tables.level(line.target.metric, line.target.value), 0, 0, metric=line.target.metric
        )
    )
    if target is None or not quality.track.low <= target.value <= quality.track.high:
        return None
    aim = quality.at(target.value)
    words = {
        "words": sketch.words.said(
            lambda locale: locale.say("figure.timeline.target", target=target.level(locale))
        ),
        "drop": -ABOVE if aim - quality.top > 2 * ABOVE else ABOVE,
    }
    return alt.InlineData(values=[{"aim": aim, **words}], name="target")


def _ground(sketch: Sketch, line: Timeline) -> list[alt.Chart]:
    wide: Any = alt.X2Value("width")  # type: ignore[no-untyped-call]  # Altair's value channels have no types
    head, foot = bars.y("head", axis=None), alt.Y2(field="foot")
    marks = [
        alt.Chart(_headings(sketch, line), name="grounds")
        .mark_rect(color=themes.GRID[sketch.theme], opacity=0.35)
        .encode(x=bars.along(0), x2=wide, y=head, y2=foot)
    ]
    if (target := _target(sketch, line)) is not None:
        rule = alt.Chart(target, name="target").mark_rule(
            strokeDash=[2, 3], strokeWidth=1.5, color=themes.QUIET[sketch.theme]
        )
        marks.append(rule.encode(y=bars.y("aim", axis=None)))
    return marks


def _words(sketch: Sketch, line: Timeline) -> list[alt.Chart]:
    """Words on a background, so that no line crosses them."""
    quiet = themes.QUIET[sketch.theme]
    grounds: tuple[tuple[str, dict[str, Any]], ...] = (
        ("_ground", {"stroke": sketch.paper, "strokeWidth": 4, "strokeJoin": "round"}),
        ("", {}),
    )
    data, target = _headings(sketch, line), _target(sketch, line)
    head = bars.y("head", axis=None)
    marks = []
    for name, ground in grounds:
        looks: dict[str, Any] = {"fontSize": 12, **ground}
        marks += [
            alt.Chart(data, name=f"titles{name}")
            .mark_text(align="left", fontWeight="bold", baseline="bottom", dy=-4, **looks)
            .encode(x=bars.along(0), y=head, text=bars.said("title")),
            alt.Chart(data, name=f"spans{name}")
            .mark_text(align="right", color=quiet, baseline="bottom", dy=-4, **looks)
            .encode(x=bars.along("width"), y=head, text=bars.said("span")),
        ]
        if target is not None:
            words = alt.Chart(target, name=f"target_words{name}").mark_text(
                align="left", dx=6, dy=alt.ExprRef("datum.drop"), color=quiet, **looks
            )
            marks.append(
                words.encode(
                    x=bars.along(0),
                    y=bars.y("aim", axis=None),
                    text=bars.said("words"),
                )
            )
    return marks
