"""Horizontal bars from 0 to a value or from end to end of a range, below their words."""

from typing import Any, Final

import altair as alt

from site_src.figures.base import Sketch
from site_src.figures.marks import bars, rows

RANGE: Final = "isValid(datum.low)"
_EITHER: Final = f"({bars.HAS_VALUE} || {RANGE})"


def draw(sketch: Sketch, axis: alt.Axis, *, from_zero: bool) -> list[alt.Chart]:
    """A range as a bar between its ends, a value as a point at the end of a bar `from_zero`."""
    value = bars.x("value", scale=bars.value_scale(sketch), axis=axis, stack=None)
    band, look = bars.band(), {"size": 18, "yOffset": rows.drop(sketch)}
    between: dict[str, Any] = {"x": bars.x("low"), "x2": alt.X2(field="high")}
    kinds = [("ranges", RANGE, between)]
    kinds += [("values", bars.HAS_VALUE, {"x": value})] if from_zero else []
    drawn = [
        bars.outlined(sketch, test, {**place, "y": band}, look, names=(name, f"{name}_outlines"))
        for name, test, place in kinds
    ]
    return [
        # the words first: they have every row, so that their order is that of the lines
        *rows.words(sketch, _EITHER),
        *(mark for marks in zip(*drawn, strict=True) for mark in marks),
        bars.layer("ends", bars.HAS_VALUE)
        .mark_point(size=80, strokeWidth=2, opacity=1, yOffset=rows.drop(sketch))
        .encode(x=value, y=band, **bars.points(sketch)),
        *rows.missing(sketch, f"!{_EITHER}"),
    ]
