"""How do two quantities depend on each other, over results that the reader chooses?"""

from itertools import product
from typing import Any, Final

import altair as alt

from site_src.figures import theme as themes
from site_src.figures.marks import bars
from site_src.figures.marks.bars import X_TITLE, Y_TITLE

SCALES: Final = tuple(product((False, True), repeat=2))
"""Logarithmic or not, for each of the two axes."""


def live(*, log_x: bool, log_y: bool) -> alt.Chart:
    """The chart for any two: rows with `x`, `y`, `colour`, `shape` and `tip`."""

    def axis(title: str, *, log: bool) -> dict[str, Any]:
        rest: dict[str, Any] = {"nice": True} if log else {"nice": True, "zero": True}
        return {
            "scale": alt.Scale(type="log" if log else "linear", **rest),
            "axis": bars.plain_axis(title, 4 if log else 5),
        }

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
            x=bars.x("x", **axis(X_TITLE, log=log_x)),
            y=bars.y("y", **axis(Y_TITLE, log=log_y)),
            color=alt.Color(field="colour", type="nominal", scale=None),
            shape=alt.Shape(field="shape", type="nominal", scale=None),
            tooltip=bars.tip(),
        )
    )
    return chart
