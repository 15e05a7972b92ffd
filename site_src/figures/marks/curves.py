"""Curves of quality: lines and bands over seeds, targets, the ends of runs."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import altair as alt

from site_src import tables
from site_src.figures import theme as themes
from site_src.figures.base import Sketch
from site_src.figures.marks import bars
from site_src.figures.targets import ChartTarget
from site_src.tables import curve

ALL: Final = "all"
"""All kinds of accelerators, beside those that a reader may choose."""

MANY: Final = 300
"""Evaluations from which only the curves are drawn: more take a phone a second. The pointer then
finds the nearest (assets/runtime/nearest.js, by the name of their layer).
"""

CROWD: Final = 30
"""Runs from which curves are hairlines."""

ABOVE: Final = 9
"""Px from a target's line to the middle of its words; about half their height."""

CLOCKS: Final[Mapping[str, str]] = {
    "time": "axis.since_start",
    "time-log": "axis.since_start",
    "training": "axis.training",
    "cost": "axis.spent",
    "energy": "axis.drawn",
}
"""Choices of the axis along which runs do not meet, and their titles."""

PLACED: Final = "isValid(datum.along)"
READ: Final = f"datum.kind === 'evaluation' && {PLACED}"
"""Tests in Vega: a point has a place along the axis; such a point is an evaluation."""

ENDS: Final[dict[str, Any]] = {"size": 60, "strokeWidth": 1.8}
"""The mark at the last evaluation of a run, if there are few runs."""

PLOT: Final = 270
"""Approximate height in px of the plot of a picture: below legend, above axis."""

NEAR: Final = 0.08
"""The part of a target's level that the axis near it shows on the worse side."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How curves are drawn.

    Attributes:
        targets: Targets by metric and kind of accelerator.
        along: The unit of progress of evaluations.
        unit: Unit of the time axis; empty for none.
        many: True if a series has several runs: their curves are thin, to be told apart.
        cut: True if the axis begins near the lowest value.
        near: True if the axis is first drawn near the targets.
        currency: Currency of the axis of cost; empty for none.
    """

    targets: Mapping[tuple[str, str], Sequence[ChartTarget]]
    along: str
    unit: str
    many: bool
    cut: bool
    near: bool
    currency: str = ""

    def draw(self, sketch: Sketch) -> list[alt.Chart]:
        """Bands, curves, points, targets, and ticks where the learning rate changes."""
        state = {control.key: control.choice(sketch.state) for control in sketch.figure.controls}
        metric = state.get("quality", next(iter(self.targets))[0])
        names = [name for one, name in self.targets if one == metric]
        targets = self.targets[
            metric,
            next((name for name in names if tables.slug(name) == state.get("family", ALL)), ALL),
        ]
        domain = self._domain(sketch, metric) if state.get("range") == "target" else None
        plot = _Plot(sketch, self._along(sketch, state), self._quality(sketch, domain), domain)
        marked = alt.InlineData(values=self._marked(sketch, targets, domain), name="goals")
        read = "false" if state.get("axis", "") in CLOCKS else READ
        return [
            *self._band(sketch, plot.along, read, plot.clip),
            *self._target_lines(sketch, marked),
            *self._curves(plot),
            *_points(plot),
            *self._words(sketch, marked),
            bars.layer("rates", f"datum.kind === 'rate' && {PLACED}")
            .mark_point(size=60, filled=True, opacity=1, shape="triangle-up", yOffset=-5)
            .encode(
                x=plot.along, y=bars.down("height"), fill=bars.filling(sketch), tooltip=bars.tip()
            ),
        ]

    def _along(self, sketch: Sketch, state: Mapping[str, str]) -> alt.X:
        counted = "axis.samples" if self.along == "samples" else "axis.epoch"
        title = CLOCKS.get(state.get("axis", ""), counted)
        return bars.x(
            "along",
            scale=alt.Scale(type="log", nice=False, padding=14)
            if state.get("axis") == "time-log"
            else alt.Scale(zero=True, nice=True),
            axis=bars.count_axis(sketch, title, self.unit or "1", currency=self.currency),
        )

    def _quality(self, sketch: Sketch, domain: list[float] | None) -> alt.Y:
        extent = (
            alt.Scale(domain=domain, nice=True, zero=False)
            if domain
            else alt.Scale(zero=False, nice=True, padding=14)
            if self.cut
            else alt.Scale(zero=True, nice=True)
        )
        return bars.y("value", scale=extent, axis=bars.value_axis(sketch))

    def _curves(self, plot: "_Plot") -> list[alt.Chart]:
        sketch = plot.sketch
        crowd = len({row["run_series"] for row in sketch.rows}) > CROWD
        evaluations = sum(row["kind"] == "evaluation" for row in sketch.rows)
        point: dict[str, Any] = {"size": 14 if self.many else 30, "strokeWidth": 1.5, "opacity": 1}
        ends: dict[str, Any] = {"size": 26, "strokeWidth": 1.2} if crowd else ENDS
        curves = (
            bars.layer("curves", READ)
            .mark_line(
                strokeWidth=0.7 if crowd else 1.2 if self.many else 2,
                opacity=0.5 if crowd else 0.75 if self.many else 1,
                **plot.clip,
            )
            .encode(
                **plot.place,
                color=bars.colour(sketch),
                detail=alt.Detail(field="run_series", type="nominal"),
                strokeDash=bars.dash(sketch),
            )
        )
        few = evaluations <= MANY
        # on a page all states have the same layers
        marks = [("evaluations", READ if few else "false", point)] * (few or sketch.interactive)
        marks += [("ends", f"{READ} && datum.last", {**ends, "opacity": 1})] if self.many else []
        return [
            curves,
            *(
                bars.layer(name, f"{when}{plot.inside}")
                .mark_point(**look)
                .encode(**plot.place, **bars.points(sketch))
                for name, when, look in marks
            ),
        ]

    def _domain(self, sketch: Sketch, metric: str) -> list[float]:
        """The axis near the targets: part of their level on the worse side, all on the better."""
        targets = self.targets[metric, ALL]
        levels = [target.value for target in targets]
        table = sketch.figure.table
        read = table.loc[table["metric"] == metric, "quality"]
        if targets[0].metric in curve.LOWER:
            return [min([*read, *levels]), max(levels) * (1 + NEAR)]
        return [min(levels) * (1 - NEAR), max([*read, *levels])]

    def _band(
        self, sketch: Sketch, along: alt.X, read: str, clip: Mapping[str, Any]
    ) -> list[alt.Chart]:
        """A band from the lowest to the highest of several runs of a series at each place."""
        if not self.many:
            return []
        ends = [
            alt.AggregatedFieldDef(op="min", field="value", **{"as": "least"}),
            alt.AggregatedFieldDef(op="max", field="value", **{"as": "most"}),
            alt.AggregatedFieldDef(op="distinct", field="run_series", **{"as": "several"}),
            alt.AggregatedFieldDef(op="count", **{"as": "readings"}),
        ]
        band = (
            bars.layer("bands", read)
            .transform_aggregate(ends, groupby=["series", "along"])
            .transform_filter("datum.several > 1 && datum.readings === datum.several")
            .mark_area(opacity=0.2, **clip)
            .encode(
                x=along,
                y=bars.y("least"),
                y2=alt.Y2(field="most"),
                fill=bars.filling(sketch),
            )
        )
        return [band]

    def _marked(
        self, sketch: Sketch, targets: Sequence[ChartTarget], domain: list[float] | None
    ) -> list[dict[str, object]]:
        """Targets with their words above their lines, or below if the next line is near."""
        article = any(not target.stated for target in targets)
        read = sketch.figure.table["quality"].dropna()
        low, high = domain or [0.0, max([*read, 0.0])]
        marked: list[dict[str, object]] = []
        free = -math.inf  # where the last words end
        for target in sorted(targets, key=lambda target: -target.value):
            px = (high - target.value) / ((high - low) or 1) * PLOT
            drop = -ABOVE if px - 2 * ABOVE >= free else max(ABOVE, free - px + ABOVE)
            free = px + drop + ABOVE - 3
            place = {"drop": round(drop)} if drop > 0 else {}
            marked.append(
                {
                    "goal": target.value,
                    "words": sketch.words.said(partial(target.text, article=article)),
                    **place,
                }
            )
        return marked

    def _target_lines(self, sketch: Sketch, marked: alt.InlineData) -> list[alt.Chart]:
        if not any(self.targets.values()):
            return []
        rule = alt.Chart(marked, name="goals").mark_rule(
            strokeDash=[2, 3], strokeWidth=1.5, color=themes.QUIET[sketch.theme]
        )
        return [rule.encode(y=bars.y("goal"))]

    def _words(self, sketch: Sketch, marked: alt.InlineData) -> list[alt.Chart]:
        """Words at the left, where curves are still below, on a background."""
        if not any(self.targets.values()):
            return []
        quiet = themes.QUIET[sketch.theme]
        grounds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("goal_ground", {"stroke": sketch.paper, "strokeWidth": 4, "strokeJoin": "round"}),
            ("goal_words", {}),
        )
        drop = alt.ExprRef(f"isValid(datum.drop) ? datum.drop : -{ABOVE}")
        return [
            alt.Chart(marked, name=name)
            .mark_text(align="left", dx=6, dy=drop, fontSize=12, color=quiet, **ground)
            .encode(
                x=bars.along(0),
                y=bars.y("goal"),
                text=bars.said("words"),
            )
            for name, ground in grounds
        ]


@dataclass(frozen=True, slots=True)
class _Plot:
    """The axes, and the part of the quality axis that is drawn."""

    sketch: Sketch
    along: alt.X
    quality: alt.Y
    domain: list[float] | None

    @property
    def place(self) -> dict[str, Any]:
        """The position of a mark."""
        return {"x": self.along, "y": self.quality}

    @property
    def clip(self) -> dict[str, Any]:
        """Clips lines at the edge if only a part is drawn."""
        return {"clip": True} if self.domain else {}

    @property
    def inside(self) -> str:
        """The test that a mark is not at the edge: it is drawn whole or not at all."""
        if not self.domain:
            return ""
        low, high = self.domain
        return f" && datum.value >= {low!r} && datum.value <= {high!r}"


def _points(plot: _Plot) -> list[alt.Chart]:
    """Printed targets and final values."""
    sketch = plot.sketch
    points = (
        bars.layer(
            "points",
            f"(datum.kind === 'target' || datum.kind === 'final') && {PLACED}{plot.inside}",
        )
        .mark_point(size=110, strokeWidth=2, opacity=1)
        .encode(**plot.place, **bars.points(sketch), strokeDash=bars.dash(sketch))
    )
    return [
        points,
        *(
            # the end of training is marked below: it is often within a few epochs of the
            # best value
            bars.layer(
                f"epochs_{kind}",
                f"datum.kind === '{kind}' && datum.points_only && {PLACED}{plot.inside}",
            )
            .mark_text(dy=up, fontSize=12, fontWeight="bold")
            .encode(
                **plot.place,
                text=alt.Text(field="epoch", type="quantitative", format=bars.NUMBER),
            )
            for kind, up in (("target", -15), ("final", 17))
        ),
    ]
