"""Lying bars from 0 to a value, or from the low to the high end of a range, with their words above
them.
"""

from typing import Any, Final

import altair as alt

from site_src.figures.base import Sketch
from site_src.figures.marks import bars, rows

RANGE: Final = "isValid(datum.low)"
_EITHER: Final = f"({bars.HAS_VALUE} || {RANGE})"


def draw(sketch: Sketch, axis: alt.Axis, *, from_zero: bool) -> list[alt.Chart]:
    """A line a row: a range as a bar between its ends, a value as a point, at the end of a
    bar `from_zero`; a cross for neither.
    """
    band = rows.band()
    value = alt.X(
        field="value", type="quantitative", scale=bars.value_scale(sketch), axis=axis, stack=None
    )
    between = {"x": alt.X(field="low", type="quantitative"), "x2": alt.X2(field="high")}
    series = {"y": band, "color": bars.colour(sketch), "tooltip": bars.tip()}
    bar: dict[str, Any] = {"size": 18, "yOffset": rows.drop(sketch)}
    fill = {
        "y": band,
        "fill": bars.filling(sketch),
        "fillOpacity": bars.hollow(),
        "tooltip": bars.tip(),
    }
    kinds: list[tuple[str, str, dict[str, Any]]] = [
        ("ranges", RANGE, between),
        *([("values", bars.HAS_VALUE, {"x": value})] if from_zero else []),
    ]
    # the words first: they have every row, so that their order is that of the lines
    words = rows.words(sketch, _EITHER)
    return [
        *words,
        *(
            alt.Chart(name=name).transform_filter(when).mark_bar(**bar).encode(**place, **fill)
            for name, when, place in kinds
        ),
        *(
            alt.Chart(name=f"{name}_outlines")
            .transform_filter(when)
            .mark_bar(filled=False, strokeWidth=2, **bar)
            .encode(**place, **series)
            for name, when, place in kinds
        ),
        alt.Chart(name="ends")
        .transform_filter(bars.HAS_VALUE)
        .mark_point(size=80, strokeWidth=2, opacity=1, yOffset=rows.drop(sketch))
        .encode(x=value, shape=bars.shape(sketch), fill=bars.inside(sketch), **series),
        *rows.missing(sketch, f"!{_EITHER}"),
    ]
