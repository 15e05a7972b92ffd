"""Rows of dots: words above, one dot per run below, and a cross at the right end for a run that
missed its target.
"""

from typing import Any, Final

import altair as alt

from site_src.figures import theme as themes
from site_src.figures.base import Sketch
from site_src.figures.marks import bars, rows

LINE: Final = 62
"""Height in px of one row."""

_HEAD: Final = "isValid(datum.head)"
_NAME: Final = -18
_UNDER: Final = -2
_DROP: Final = 19


def draw(
    sketch: Sketch, *, level: float | None = None, medians: bool = False, texts: bool = False
) -> list[alt.Chart]:
    """Dots by row.

    Args:
        sketch: The rows and how to draw them.
        level: A value that each row marks with a stroke.
        medians: True draws rows of the kind `submission` as strokes among the dots.
        texts: True shows each row's figure at the right.
    """
    band = bars.band()
    scale = alt.Scale(type="linear", zero=level is None, nice=True, padding=8)
    value = bars.x("value", scale=scale, axis=bars.value_axis(sketch))
    quiet = themes.QUIET[sketch.theme]
    run = "datum.kind !== 'submission'" if medians else "true"
    look = {"shape": bars.shape(sketch), "color": bars.colour(sketch), "tooltip": bars.tip()}
    chart = [rows.order()]
    if level is not None:
        chart.append(
            # a stroke per row, not a line through all: it would cross the words
            bars.layer("level", _HEAD)
            .mark_tick(
                orient="vertical", size=24, thickness=2, opacity=1, color=quiet, yOffset=_DROP
            )
            .encode(x=alt.XDatum(level), y=band)
        )
    chart += [
        # from the fastest to the slowest: a row of two distant dots is one row
        bars.layer("spans", f"{bars.HAS_VALUE} && {run}")
        .mark_line(strokeWidth=1.5, color=quiet, opacity=0.5, yOffset=_DROP)
        .encode(x=value, y=band, detail=alt.Detail(field="category", type="nominal")),
        bars.layer("dots", f"{bars.HAS_VALUE} && {run}")
        .mark_point(size=70, strokeWidth=1.6, opacity=0.85, fillOpacity=0.25, yOffset=_DROP)
        .encode(x=value, y=band, fill=bars.filling(sketch), **look),
    ]
    if medians:
        chart.append(
            bars.layer("medians", f"{bars.HAS_VALUE} && datum.kind === 'submission'")
            .mark_tick(
                orient="vertical", size=24, thickness=3, opacity=1, color=sketch.ink, yOffset=_DROP
            )
            .encode(x=value, y=band, tooltip=bars.tip())
        )
    chart += [
        bars.layer("missing", f"{bars.NO_VALUE} && {run}")
        .mark_point(size=45, filled=True, opacity=1, shape=bars.CROSS, xOffset=-9, yOffset=_DROP)
        .encode(x=bars.along("width"), y=band, fill=bars.filling(sketch), tooltip=bars.tip()),
    ]
    return [*chart, *_words(sketch, texts=texts)]


def _words(sketch: Sketch, *, texts: bool) -> list[alt.Chart]:
    size = bars.letters(sketch)
    bold: dict[str, Any] = {"dy": _NAME, "fontWeight": "bold"}
    quiet: dict[str, Any] = {"dy": _UNDER, "color": themes.QUIET[sketch.theme]}
    band, left, right = bars.band(), bars.along(0), bars.along("width")
    words = [
        bars.layer("names", _HEAD)
        .mark_text(align="left", **bold, **size)
        .encode(y=band, x=left, text=bars.said("name")),
        bars.layer("unders", _HEAD)
        .mark_text(align="left", **quiet, **size)
        .encode(y=band, x=left, text=bars.said("under")),
        bars.layer("texts", f"{_HEAD} && {bars.HAS_VALUE}")
        .mark_text(align="right", **bold, **size)
        .encode(y=band, x=right, text=bars.said("text")),
    ]
    return words if texts else words[:-1]
