"""Parts of drawings: scales by series, the value axis, bars with their marks and words. Encodings
are typed: Altair's shorthand is 40 times slower. A series has one colour channel in every layer,
since a legend switched off in one layer is off in all.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from math import ceil
from typing import Any, Final, Literal

import altair as alt

from site_src.figures import theme as themes
from site_src.figures.base import Sketch
from site_src.figures.columns import present
from site_src.figures.text_width import line_width, width
from site_src.locales import Locale

HAS_VALUE: Final = "isValid(datum.value)"
NO_VALUE: Final = "!isValid(datum.value)"
CROSS: Final = "M-.7,-1L0,-.3L.7,-1L1,-.7L.3,0L1,.7L.7,1L0,.3L-.7,1L-1,.7L-.3,0L-1,-.7Z"
"""A cross, for missing values."""

NUMBER: Final = ",.12~g"
"""d3's format of plain axis labels; with fewer digits it would turn to powers of ten."""


def _legend(sketch: Sketch) -> alt.Legend | None:
    """Above the picture; the page has buttons instead."""
    alone = len(sketch.figure.series) == 1
    # the words of each row name its series
    if sketch.interactive or not sketch.figure.legend or (alone and sketch.figure.line is not None):
        return None
    # series that the choices leave out have nothing to show: no row, or no figure where the usual
    # choice has one
    fields = [
        (sketch.figure.field_of(channel, sketch.state), usual)
        for channel, usual in sketch.figure.fields.items()
    ]
    drawn = {
        row["series"]
        for row in sketch.rows
        if all(present(row[name]) or not present(row[usual]) for name, usual in fields)
    }
    labels = [series.label for series in sketch.figure.series if series.id in drawn] or [
        one.label for one in sketch.figure.series
    ]
    # labels are not measured here: 7.5 px a letter and 34 px for symbol and gap hold the widest
    columns = (
        1 if sketch.narrow else max(1, int(sketch.width // (7.5 * max(map(len, labels)) + 34)))
    )
    chosen: dict[str, Any] = {"values": labels} if len(labels) < len(sketch.figure.series) else {}
    if sketch.narrow and max(map(len, labels)) > LONG_LABEL:
        chosen["labelFontSize"] = 11
    return alt.Legend(
        columns=columns,
        **chosen,
        symbolFillColor=_insides(sketch),
        symbolOpacity=1,
        symbolStrokeWidth=2,
    )


def _insides(sketch: Sketch) -> str | alt.ExprRef:
    """The fill of the legend's symbols: nothing, the series' colour, or a tint for both."""
    filled = {}
    for series in sketch.figure.series:
        if (filling := sketch.figure.filling(series, sketch.rows)) != "hollow":
            filled[series.label] = (
                series.look.colour(sketch.theme)
                if filling == "filled"
                else series.look.tint(sketch.theme)
            )
    return (
        alt.ExprRef(f"({json.dumps(filled, ensure_ascii=False)})[datum.label] || 'transparent'")
        if filled
        else "transparent"
    )


LONG_TITLE: Final = 310
"""Px from which an axis title is smaller on a phone."""

LONG_LABEL: Final = 40
"""Letters from which a phone's legend is smaller."""


def _by(
    sketch: Sketch,
    field: Literal["series", "label"],
    values: Sequence[object],
    *,
    legend: bool = False,
    scale: Callable[..., object] = alt.Scale,
) -> dict[str, Any]:
    """A channel by series."""
    names = [series.id if field == "series" else series.label for series in sketch.figure.series]
    return {
        "field": field,
        "type": "nominal",
        "scale": scale(type="ordinal", domain=names, range=list(values)),
        "legend": _legend(sketch) if legend else None,
    }


def _colours(sketch: Sketch) -> list[str]:
    return [series.look.colour(sketch.theme) for series in sketch.figure.series]


def colour(sketch: Sketch, *, legend: bool = True) -> alt.Color:
    """Colour by series; without a legend if each row of marks carries its name."""
    return alt.Color(**_by(sketch, "label", _colours(sketch), legend=legend))


def colour_by_id(sketch: Sketch) -> dict[str, Any]:
    """The same by the series' id: a legend of outlines stays one of outlines."""
    return _by(sketch, "series", _colours(sketch))


def filling(sketch: Sketch) -> alt.Fill:
    """The colour of fills."""
    return alt.Fill(**colour_by_id(sketch))


def inside(sketch: Sketch) -> alt.Fill:
    """The series' colour if this archive's harness measured, else the paper's."""
    test = "datum.origin === 'measured' || datum.origin === 'submitted'"
    own = _by(sketch, "series", _colours(sketch), scale=dict)
    return alt.Fill(condition={"test": test, **own}, value=sketch.paper)


def shape(sketch: Sketch, *, legend: bool = True) -> alt.Shape:
    """Shape by series; `legend` as of `colour`."""
    values = [series.look.shape for series in sketch.figure.series]
    return alt.Shape(**_by(sketch, "label", values, legend=legend))


def dash(sketch: Sketch) -> alt.StrokeDash:
    """Line style by series: variants of a system are dashed."""
    values = [list(series.look.dash) for series in sketch.figure.series]
    return alt.StrokeDash(**_by(sketch, "label", values, legend=True))


def hollow() -> alt.FillOpacity:
    """Opacity of fills: filled if this archive's harness measured, else hollow."""
    scale = alt.Scale(
        type="ordinal",
        domain=["measured", "submitted", "imported", "published"],
        range=[0.9, 0.9, themes.HOLLOW, themes.HOLLOW],
    )
    return alt.FillOpacity(field="origin", type="nominal", scale=scale, legend=None)


ROOM: Final = 14
ROOM_FOR_FIGURES: Final = 44
"""Free px at the ends of a logarithmic axis: for marks, and for figures."""


def along(place: float | Literal["width"]) -> alt.XValue:
    """A fixed x, in px."""
    return alt.XValue(place)  # type: ignore[no-untyped-call]  # Altair's value channels have no types


def down(place: float | Literal["height"]) -> alt.YValue:
    """A fixed y, in px."""
    return alt.YValue(place)  # type: ignore[no-untyped-call]  # Altair's value channels have no types


def x(field: str, **more: Any) -> alt.X:
    """A column of figures from left to right."""
    return alt.X(field=field, type="quantitative", **more)


def y(field: str, **more: Any) -> alt.Y:
    """A column of figures upwards."""
    return alt.Y(field=field, type="quantitative", **more)


def layer(name: str, test: str) -> alt.Chart:
    """Marks of the rows that pass a test in Vega."""
    chart: alt.Chart = alt.Chart(name=name).transform_filter(test)
    return chart


def said(field: str) -> alt.TextValue:
    """The words of a column, which are text already."""
    return alt.TextValue(alt.ExprRef(f"datum.{field}"))


def tip() -> alt.TooltipValue:
    """The tooltip: lines that Babel wrote."""
    return alt.TooltipValue(alt.ExprRef("datum.tip"))


X_TITLE: Final = "\ue001"
Y_TITLE: Final = "\ue002"
"""Placeholders of axis titles that the browser knows."""


def plain_axis(title: str, ticks: int) -> alt.Axis:
    """An axis of numbers whose title the browser fills in."""
    return alt.Axis(title=title, format=NUMBER, tickCount=ticks, domain=False, ticks=False, **APART)


def value_scale(sketch: Sketch, *, zero: bool = True, room: int = ROOM) -> alt.Scale:
    """The value scale: from 0 for lengths; logarithmic from the lowest to the highest value with
    `room` in px at both ends, as with whole powers of ten ratios of 1 to 1.3 would crowd.
    """
    return (
        alt.Scale(type="log", nice=False, padding=room)
        if sketch.log
        else alt.Scale(type="linear", zero=zero, nice=True)
    )


def value_axis(sketch: Sketch, **more: Any) -> alt.Axis:
    """The value axis: grid, few ticks, the unit in the title."""
    title = partial(sketch.figure.axis_title, state=sketch.state)
    long = sketch.narrow and sketch.words.decided(
        lambda locale: width(title(locale), 13) > LONG_TITLE
    )
    return alt.Axis(
        **{
            "title": sketch.words.said(title),
            **({"titleFontSize": 11} if long else {}),
            "format": _format(sketch),
            # on a logarithmic axis more ticks would draw a line for each digit of each power of ten
            "tickCount": 3 if sketch.log else 4 if sketch.narrow else 6,
            "domain": False,
            "ticks": False,
            **APART,
            **more,
        }
    )


FEW_TICKS: Final = 5


def log_ticks(sketch: Sketch, scale: Literal["x", "y"]) -> dict[str, Any]:
    """Ticks of a logarithmic axis by the range of the data; `scale` is its name in Vega. Over
    decades the powers of ten, within one or two the digits; within half of one, where Vega labels
    digits only up to 3, all.
    """
    if not sketch.log:
        return {}
    orders = f"(log(domain('{scale}')[1] / domain('{scale}')[0]) / LN10)"
    return {
        # with as many ticks as powers of ten d3 would draw every digit
        "tickCount": alt.ExprRef(f"{orders} > {DECADES} ? 0.99 * {orders} : {FEW_TICKS}"),
        "labelExpr": f"{orders} < {HALF_A_DECADE} ? format(datum.value, '{_format(sketch)}') : "
        "datum.label",
        # lines of text need smaller gaps than words
        **({"labelSeparation": 2} if scale == "y" else {}),
    }


DECADES: Final = 2.0
HALF_A_DECADE: Final = 0.5
"""Orders of magnitude: above the first only powers of ten have ticks; below the second every tick
has its label.
"""


def _format(sketch: Sketch) -> str:
    fraction = (
        sketch.baseline is None
        and sketch.figure.column(sketch.figure.field_of("value", sketch.state)).kind == "fraction"
    )
    return ".12~%" if fraction else NUMBER


def count_axis(sketch: Sketch, key: str, unit: str = "1", **values: object) -> alt.Axis:
    """The axis of progress: epochs or steps, or time in that unit."""
    return alt.Axis(
        title=sketch.words.said(lambda locale: locale.say(key, unit=locale.unit(unit), **values)),
        format=NUMBER,
        grid=False,
        tickCount=5 if sketch.narrow else 10,
        **APART,
    )


APART: Final[dict[str, Any]] = {"labelOverlap": "parity", "labelSeparation": 8}
"""The gap between axis labels in px; every other label is dropped if they do not fit."""

HEADROOM: Final = 1.1
HEADROOM_TURNED: Final = 1.25
"""The axis's length relative to the highest bar; more where figures may be vertical."""


TURNED: Final = 46
"""Width in px that a bar among many needs for its figure."""


def groups(title: str, domain: Sequence[int] = (), **labels: Any) -> alt.X:
    """The axis of groups of bars; a `domain` keeps the place of groups without a bar."""
    kept: dict[str, Any] = {"domain": list(domain)} if domain else {}
    return alt.X(
        field="category",
        type="ordinal",
        sort=None,
        scale=alt.Scale(**kept, paddingInner=0.16, paddingOuter=0.08),
        axis=alt.Axis(title=title, **(labels or {"format": NUMBER}), labelAngle=0, ticks=False),
    )


def offset(sketch: Sketch) -> alt.XOffset:
    """Where in its group a series stands."""
    labels = [series.label for series in sketch.figure.series]
    return alt.XOffset(
        field="label", type="nominal", sort=labels, scale=alt.Scale(paddingInner=0.12)
    )


def daggers(sketch: Sketch, category: alt.X, up: int = 12) -> alt.Chart:
    """A dagger, so many px above the foot of its bar, for a run that collapsed."""
    chart: alt.Chart = (
        layer("daggers", f"{HAS_VALUE} && isValid(datum.collapsed)")
        .mark_text(text="†", fontSize=18, fontWeight="bold", yOffset=-up)
        .encode(x=category, xOffset=offset(sketch), y=down("height"))
    )
    return chart


def grouped_bars(sketch: Sketch, category: alt.X, turned: int = 0) -> list[alt.Chart]:
    """Vertical bars in groups with their figures; a cross and the reason where one is missing. On a
    logarithmic axis only end marks, as lengths would mean nothing. With `turned` places for bars
    the figures are vertical if the picture is narrow.
    """
    value = y(
        "value",
        scale=value_scale(sketch, room=ROOM_FOR_FIGURES),
        axis=value_axis(sketch, **log_ticks(sketch, "y")),
        stack=None,
    )
    place = {"x": category, "xOffset": offset(sketch)}
    return [
        # a background for each group, since its only bar may be off its middle
        alt.Chart(name="groups")
        .transform_aggregate(
            [alt.AggregatedFieldDef(op="count", **{"as": "marks"})], groupby=["category"]
        )
        .mark_rect(color=themes.GRID[sketch.theme], opacity=0.35)
        .encode(x=category),
        # nothing to see, but it extends the axis above the highest bar for its figure
        layer("headroom", HAS_VALUE)
        .transform_calculate(headroom=f"datum.value * {HEADROOM_TURNED if turned else HEADROOM}")
        .mark_point(opacity=0, size=0)
        .encode(**place, y=y("headroom")),
        *outlined(
            sketch,
            HAS_VALUE,
            {**place, "y": value},
            {"opacity": 0 if sketch.log else 1},
            dashed=True,
        ),
        *intervals(sketch, {**place, "y": y("low"), "y2": alt.Y2(field="high")}),
        layer("ends", HAS_VALUE)
        .mark_point(size=70, strokeWidth=2, opacity=1)
        .encode(**place, y=value, **points(sketch)),
        *_figures(sketch, {**place, "y": value}, turned),
        *missing_columns(sketch, place),
    ]


def points(sketch: Sketch, *, legend: bool = True) -> dict[str, Any]:
    """The look of points: shape and colour of their series, filled or hollow."""
    return {
        "shape": shape(sketch, legend=legend),
        "fill": inside(sketch),
        "color": colour(sketch, legend=legend),
        "tooltip": tip(),
    }


def outlined(
    sketch: Sketch,
    test: str,
    place: Mapping[str, Any],
    look: Mapping[str, Any],
    *,
    names: tuple[str, str] = ("fills", "outlines"),
    dashed: bool = False,
    **outline: Any,
) -> list[alt.Chart]:
    """Bars, hollow if the figures are another's, and their outlines: `dashed` by series."""
    variant = {"strokeDash": dash(sketch)} if dashed else {}
    return [
        layer(names[0], test)
        .mark_bar(**look)
        .encode(**place, fill=filling(sketch), fillOpacity=hollow(), tooltip=tip()),
        layer(names[1], test)
        .mark_bar(filled=False, strokeWidth=2, **look, **outline)
        .encode(**place, color=colour(sketch), tooltip=tip(), **variant),
    ]


def _figures(sketch: Sketch, place: dict[str, Any], turned: int) -> list[alt.Chart]:
    bold: dict[str, Any] = {"fontWeight": "bold"}
    quiet: dict[str, Any] = {"color": themes.QUIET[sketch.theme]}
    return [
        layer(name, f"{HAS_VALUE} && {when}")
        .mark_text(fontSize=size, **look, **(_upwards(turned) if turned else {"dy": up}))
        .encode(**place, text=said(text))
        for name, when, up, size, look, text in (
            ("texts", "!isValid(datum.one)", -16, 13, bold, "text"),
            ("texts_of_one", "isValid(datum.one)", -29, 13, bold, "text"),
            ("ones", "isValid(datum.one)", -16, 11, quiet, "one"),
        )
        if name == "texts" or any(row.get("n") == 1 for row in sketch.figure.plain)
    ]


def _upwards(bars: int) -> dict[str, Any]:
    """A vertical figure where so many bars leave too little width."""
    narrow = f"width < {bars * TURNED}"
    return {
        "angle": alt.ExprRef(f"{narrow} ? 270 : 0"),
        "align": alt.ExprRef(f"{narrow} ? 'left' : 'center'"),
        "dx": alt.ExprRef(f"{narrow} ? 9 : 0"),
        "dy": alt.ExprRef(f"{narrow} ? 0 : -16"),
        "baseline": "middle",
    }


def intervals(sketch: Sketch, place: dict[str, Any], drop: float = 0) -> list[alt.Chart]:
    """Rules from low to high; no layer if no row has an interval."""
    table = sketch.figure.table
    if not any(table[name].notna().any() for name in map(str, table) if name.endswith("_low")):
        return []
    rule = layer("intervals", "isValid(datum.low)")
    return [rule.mark_rule(color=sketch.ink, strokeWidth=2, yOffset=drop).encode(**place)]


def missing_columns(sketch: Sketch, place: dict[str, Any]) -> list[alt.Chart]:
    """A cross on the base line at its batch size, with the reason, vertical."""
    floor = down("height")
    return [
        # rows that cannot have this figure did not fail
        layer("missing", f"{NO_VALUE} && !isValid(datum.why)")
        .mark_point(size=45, filled=True, opacity=1, shape=CROSS, yOffset=-9)
        .encode(**place, y=floor, fill=filling(sketch), tooltip=tip()),
        layer("reasons", NO_VALUE)
        .mark_text(angle=270, align="left", baseline="middle", dx=22, fontSize=12)
        .encode(**place, y=floor, text=said("text")),
    ]


LINE: Final = 72
"""Height in px of one horizontal bar with its two lines of words."""


DROP: Final = 20
"""The distance in px of a horizontal bar below the middle of its line."""


def letters(sketch: Sketch) -> dict[str, Any]:
    """Words in the middle of their line, smaller on a phone."""
    return {"baseline": "middle", "fontSize": 12 if sketch.narrow else 13}


def band() -> alt.Y:
    """The lines of marks below each other, in the order of the first layer."""
    return alt.Y(
        field="category",
        type="nominal",
        sort=None,
        axis=None,
        scale=alt.Scale(paddingInner=0, paddingOuter=0),
    )


def lying_bars(sketch: Sketch) -> list[alt.Chart]:
    """Horizontal bars below their words, so that a phone has the whole width for both."""
    axis = value_axis(sketch, **log_ticks(sketch, "x"))
    place = {"x": x("value", scale=value_scale(sketch), axis=axis, stack=None), "y": band()}
    bar = {"size": 18, "opacity": 0 if sketch.log else 1, "yOffset": DROP}
    return [
        *outlined(sketch, HAS_VALUE, place, bar, dashed=True),
        *intervals(sketch, {"y": band(), "x": x("low"), "x2": alt.X2(field="high")}, DROP),
        layer("ends", HAS_VALUE)
        .mark_point(size=70, strokeWidth=2, opacity=1, yOffset=DROP)
        .encode(**place, **points(sketch)),
        *_lines(sketch),
    ]


def _room(sketch: Sketch, locale: Locale) -> str:
    rows = sketch.figure.rows(locale, sketch.state)
    widest = max((line_width(row["text"], 13, bold=True) for row in rows), default=0.0)
    return str(ceil(widest) + 8)


def _lines(sketch: Sketch) -> list[alt.Chart]:
    words = letters(sketch)
    quiet: dict[str, Any] = {"dy": -2, "color": themes.QUIET[sketch.theme]}
    left, right = {"x": along(0), "y": band()}, {"x": along("width"), "y": band()}
    # a page's column may be narrower than any picture: there the end of a name gives way to the
    # figure
    held: dict[str, Any] = (
        {"limit": alt.ExprRef(f"max(60, width - {sketch.words.said(partial(_room, sketch))})")}
        if sketch.interactive
        else {}
    )
    whole: dict[str, Any] = {"limit": alt.ExprRef("width")} if sketch.interactive else {}
    return [
        alt.Chart(name="names")
        .mark_text(align="left", dy=-20, **words, **held)
        .encode(**left, text=said("name")),
        layer("unders", "isValid(datum.under)")  # the browser is not given lines that no row has
        .mark_text(align="left", **quiet, **words, **whole)
        .encode(**left, text=said("under")),
        layer("texts", HAS_VALUE)
        .mark_text(align="right", dy=-20, fontWeight="bold", **words)
        .encode(**right, text=said("text")),
        layer("ones", f"{HAS_VALUE} && isValid(datum.one)")
        .mark_text(align="right", **quiet, **words)
        .encode(**right, text=said("one")),
        *missing(sketch, NO_VALUE, DROP),
    ]


def missing(sketch: Sketch, test: str, drop: int) -> list[alt.Chart]:
    """A cross at the left, with the reason, so far below the middle of its line."""
    left = {"x": along(0), "y": band()}
    return [
        layer("missing", test)
        .mark_point(size=45, filled=True, opacity=1, shape=CROSS, xOffset=9, yOffset=drop)
        .encode(**left, fill=filling(sketch), tooltip=tip()),
        layer("reasons", test)
        .mark_text(align="left", dx=20, dy=drop, **letters(sketch))
        .encode(**left, text=said("text")),
    ]


def worded(sketch: Sketch, prefix: str, values: Iterable[str]) -> str:
    """An expression for the label of an axis or a legend, each value by its string."""
    told = [f"datum.value === '{one}' ? {sketch.quoted(f'{prefix}.{one}')}" for one in values]
    return " : ".join([*told, "datum.value"])
