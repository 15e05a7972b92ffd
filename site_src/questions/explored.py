"""How do two quantities of the results that a reader chose depend on each other?"""

from itertools import product
from typing import Any, Final

import altair as alt

from site_src.figures import theme as themes
from site_src.figures.marks import bars

X_TITLE: Final = "\ue001"
Y_TITLE: Final = "\ue002"
"""Stand for the titles of the axes, which the browser knows."""

SCALES: Final = tuple(product((False, True), repeat=2))
"""Whether each axis is logarithmic."""


def live(*, log_x: bool, log_y: bool) -> alt.Chart:
    """The chart of any of them: rows with `x`, `y`, `colour`, `shape` and `tip`."""
    x, y = (
        channel(
            field=field,
            type="quantitative",
            scale=_scale(log=log),
            axis=alt.Axis(
                title=title,
                format=bars.NUMBER,
                tickCount=4 if log else 5,
                domain=False,
                ticks=False,
                **bars.APART,
            ),
        )
        for channel, field, title, log in (
            (alt.X, "x", X_TITLE, log_x),
            (alt.Y, "y", Y_TITLE, log_y),
        )
    )
    chart: alt.Chart = (
        alt.Chart(
            alt.InlineData(values=[], name="rows"),
            width=720,
            height=400,
            autosize=alt.AutoSizeParams(type="fit", contains="padding"),
            config=themes.config("light"),
        )
        .mark_point(filled=True, opacity=0.75, size=36)
        .encode(
            x=x,
            y=y,
            color=alt.Color(field="colour", type="nominal", scale=None),
            shape=alt.Shape(field="shape", type="nominal", scale=None),
            tooltip=bars.tip(),
        )
    )
    return chart


def _scale(*, log: bool) -> alt.Scale:
    rest: dict[str, Any] = {"nice": True} if log else {"nice": True, "zero": True}
    return alt.Scale(type="log" if log else "linear", **rest)
