"""Rows below each other: words and figure above, the mark below, so that a phone has the whole
width for both.
"""

from collections.abc import Sequence
from typing import Any, Final

import altair as alt

from site_src.figures import theme as themes
from site_src.figures.base import WORDS, Sketch
from site_src.figures.fonts import letters
from site_src.figures.marks import bars

LINE: Final = 66
"""Height in px of one row."""

BAR: Final = 13
"""Height of a bar in px."""

ROOM: Final = 340
"""Width in px for words on a phone."""

FIGURE: Final = 56
"""The part of it for the figure to the right of a name."""

HOLDER: Final = "\u200b"
"""A letter without width, which pictures leave out: it keeps the space at a break, which Vega would
remove from copied words.
"""

SPACED: Final = f" {HOLDER}\n"
"""A line break that replaces a space."""

_LETTERS: Final = 13

_DROP: Final = 17
_NAME: Final = -20
_UNDER: Final = -4


def wrapped(name: tuple[str, str], told: Sequence[str]) -> tuple[str, str]:
    """The words of a row in lines for a phone: a name in two halves, and the line below it."""
    under = [""]
    for part in told:
        longer = " · ".join(filter(None, (under[-1], part)))
        if under[-1] and letters(longer) * _LETTERS > ROOM:
            under.append(part)
        else:
            under[-1] = longer
    whole = "".join(name)
    fits = letters(whole) * _LETTERS <= ROOM - FIGURE
    first, second = (half.strip() for half in name)
    between = SPACED if whole.removeprefix(name[0].rstrip())[:1].isspace() else "\n"
    return whole if fits else f"{first}{between}{second}", SPACED.join(under)


def drop(sketch: Sketch) -> int:
    """The distance of a mark below the middle of its row."""
    return _DROP + _raised(sketch)


def _raised(sketch: Sketch) -> int:
    return WORDS // 2 * sketch.words.decided(sketch.figure.further)


def order() -> alt.Chart:
    """An invisible layer with every row: the first layer decides the order."""
    chart: alt.Chart = alt.Chart(name="order").mark_point(opacity=0, size=0).encode(y=bars.band())
    return chart


def bar_layers(
    sketch: Sketch, name: str, test: str, begin: alt.X, finish: alt.X2 | alt.X2Datum, **outline: Any
) -> list[alt.Chart]:
    """Bars from one place to another."""
    place = {"x": begin, "x2": finish, "y": bars.band()}
    look = {"size": BAR, "yOffset": drop(sketch)}
    names = f"{name}_fills", f"{name}_outlines"
    return bars.outlined(sketch, test, place, look, names=names, **outline)


def ends(sketch: Sketch, test: str, place: alt.X) -> alt.Chart:
    """End marks in their series' shape."""
    chart: alt.Chart = (
        bars.layer("ends", test)
        .mark_point(size=90, strokeWidth=2, opacity=1, yOffset=drop(sketch))
        .encode(x=place, y=bars.band(), **bars.points(sketch))
    )
    return chart


def words(sketch: Sketch, has: str = bars.HAS_VALUE) -> list[alt.Chart]:
    """Name and the line below it at the left, the figure at the right if `has` holds."""
    size, raised = bars.letters(sketch), _raised(sketch)
    rows, left, right = bars.band(), bars.along(0), bars.along("width")
    several: dict[str, Any] = {"lineBreak": "\n", "lineHeight": WORDS} if raised else {}
    under = (
        alt.ExprRef(f"{_UNDER - raised} + {WORDS} * (length(split(datum.name, '\\n')) - 1)")
        if raised
        else _UNDER
    )
    return [
        alt.Chart(name="names")
        .mark_text(align="left", dy=_NAME - raised, **size, **several)
        .encode(y=rows, x=left, text=bars.said("name")),
        alt.Chart(name="unders")
        .mark_text(align="left", dy=under, color=themes.QUIET[sketch.theme], **size, **several)
        .encode(y=rows, x=left, text=bars.said("under")),
        bars.layer("texts", has)
        .mark_text(align="right", dy=_NAME - raised, fontWeight="bold", **size)
        .encode(y=rows, x=right, text=bars.said("text")),
    ]


def missing(sketch: Sketch, none: str = bars.NO_VALUE) -> list[alt.Chart]:
    """A cross at the left, and the reason for the missing figure, if `none` holds."""
    return bars.missing(sketch, none, drop(sketch))


def ticks(sketch: Sketch, place: alt.X | alt.XDatum) -> alt.Chart:
    """A tick across each bar, at the value it is compared with."""
    chart: alt.Chart = (
        bars.layer("held_against", bars.HAS_VALUE)
        .mark_tick(
            orient="vertical",
            size=24,
            thickness=3,
            opacity=1,
            color=sketch.ink,
            yOffset=drop(sketch),
        )
        .encode(x=place, y=bars.band())
    )
    return chart
