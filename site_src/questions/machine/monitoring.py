"""What did the monitor read on each card, and how near to its limits?"""

from collections.abc import Iterator, Mapping
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import READ_IN, Column, Row, present
from site_src.figures.controls import Control, Preset, Series
from site_src.figures.marks import bars, ranges
from site_src.figures.marks import rows as lines
from site_src.figures.theme import Look
from site_src.locales import Locale
from site_src.questions.machine import monitoring_rows

LOOKS: Final[Mapping[str, Look]] = {
    monitoring_rows.TOGETHER: Look("#00795a", "#2fc79a", "diamond"),
    monitoring_rows.SPECIFIED: Look("#57606a", "#a7b0bd", "triangle-down"),
}
CARDS: Final = (
    Look("#a8283c", "#f28a96", "square"),
    Look("#2a62b8", "#7db3ff", "circle"),
    Look("#8a6d00", "#e3c545", "triangle-up"),
    Look("#a23f83", "#e08fc4", "triangle-right"),
)
"""Cards of one kind differ by number alone, so they take these in turn."""

STROKE: Final = "stroke_"
"""How the table's columns begin that hold the limits of a row's quantity, for the drawing alone."""


def figure(
    archive: Archive, catalog: Catalog, facts: Facts, source: str, page: str
) -> Figure | None:
    """Readings per card beside the specified limits, a quantity at a time; None where a source has
    no readings by card.
    """
    table = monitoring_rows.readings(archive, catalog, facts, source)
    if table.empty:
        return None
    table["category"] = [str(index) for index in table.index]
    for name, column in _strokes(table).items():
        table[name] = column
    rows: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings
    quantities = list(dict.fromkeys(str(quantity) for quantity in table["quantity"]))

    def value(name: str, heading: str) -> Column:
        return Column(name, heading, "quantity", ref=f"{name}_ref", fractions=True)

    return Figure(
        id=f"{source}-monitoring",
        page=page,
        key="monitoring",
        subject=source,
        table=table,
        columns=(
            Column("label", "column.card", "series"),
            Column("quantity", "column.quantity", "key", prefix="quantity"),
            Column("reading", "column.reading", "key", prefix="reading"),
            Column("limit", "column.limit", "key", prefix="limit"),
            Column("system_name", "column.in_use"),
            Column("workload_name", "column.workload"),
            value("value", "column.value"),
            value("value_low", "column.low"),
            value("value_high", "column.high"),
            Column("over", "column.over", "number", unit="percent", decimals=0, ref="over_ref"),
            Column("unit", "column.unit", shown=False),
            common.STATUS,
            *common.WITHOUT_RUN,
        ),
        series=tuple(_series(rows)),
        fields={"value": "value"},
        draw=draw,
        sentence=lambda locale: sentence(rows, facts, locale),
        axis={"value": f"axis.{quantities[0]}"},
        axis_by={"quantity": {quantity: f"axis.{quantity}" for quantity in quantities}},
        controls=(
            Control(
                "quantity",
                tuple(common.choice(quantity, f"quantity.{quantity}") for quantity in quantities),
                filters="quantity",
            ),
        ),
        notes=lambda locale: list(_notes(archive, rows, facts, source, locale)),
        name=_name,
        reason=_reason,
        log=False,
        relative=False,
        count=False,
        line=lines.LINE,
        presets=(Preset("load", {"quantity": "load"}),) if "load" in quantities[1:] else (),
    )


def _strokes(table: pd.DataFrame) -> dict[str, list[float | None]]:
    """Columns with the limits of each row's quantity, one for each that a quantity has: every line
    shows them all.
    """
    held = {
        quantity: [
            float(v) for v in rows.loc[rows["reading"] == monitoring_rows.SPECIFIED, "value"]
        ]
        for quantity, rows in table.groupby("quantity")
    }
    most = max((len(values) for values in held.values()), default=0)
    return {
        f"{STROKE}{index}": [
            (held[q][index] if index < len(held[q]) else None) for q in table["quantity"]
        ]
        for index in range(most)
    }


def _series(rows: list[Row]) -> Iterator[Series]:
    found = dict.fromkeys((str(row["series"]), str(row["label"])) for row in rows)
    cards = [name for name, _ in found if name not in LOOKS]
    for name, label in sorted(
        found, key=lambda pair: (pair[0] in LOOKS, pair[0] == monitoring_rows.SPECIFIED)
    ):
        yield Series(name, label, LOOKS.get(name) or CARDS[cards.index(name) % len(CARDS)])


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    if present(row["limit"]):
        return str(row["label"]), locale.say(f"limit.{row['limit']}")
    known = [str(row[name]) for name in ("system_name", "workload_name") if present(row[name])]
    trained = (
        locale.say(
            f"figure.monitoring.under_{len(known)}",
            **dict(zip(("system", "workload"), known, strict=False)),
        )
        if known
        else ""
    )
    if row["reading"] == "usual" or not trained:
        return str(row["label"]), trained
    return lines.wrapped(
        (str(row["label"]), ""), [trained, locale.say(f"reading.{row['reading']}")]
    )


def _reason(row: Row, locale: Locale) -> str | None:
    """A range as text; it has no value of its own."""
    if not present(row["value_low"]) or not present(row["value_high"]):
        return None
    high = Column("value_high", "column.high", "quantity", fractions=True)
    low = locale.number(_read(row, "value_low"), int(str(row["value_low_decimals"])))
    return locale.say("range", low=low, high=high.write(row, locale))


def _read(row: Row, name: str) -> float:
    """A figure in the multiple in which it is written."""
    scale = 0.01 if row["unit"] == "1" else READ_IN.get(str(row["unit"]), (1.0, ""))[0]
    return float(str(row[name])) / scale


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Ranges as bars, single readings as points, limits as strokes in each line; a triangle where a
    reading is above its limit.
    """
    unit = next((str(row["unit"]) for row in sketch.rows if present(row["unit"])), "1")
    size = READ_IN.get(unit, (1.0, ""))[0]
    written: dict[str, Any] = (
        {"labelExpr": f"format(datum.value / {size:g}, '{bars.NUMBER}')"} if size > 1 else {}
    )
    if unit == "1":
        written["format"] = ".12~%"
    strokes = [
        # at the marks alone, so that no words are crossed
        alt.Chart(name=f"limits_{name}")
        .transform_filter(f"isValid(datum.{name})")
        .mark_tick(
            orient="vertical",
            size=30,
            thickness=2,
            yOffset=lines.drop(sketch),
            color=themes.QUIET[sketch.theme],
        )
        .encode(x=alt.X(field=name, type="quantitative"), y=lines.band())
        for name in map(str, sketch.figure.table)
        if name.startswith(STROKE)
    ]
    above = (
        alt.Chart(name="above")
        .transform_filter("isValid(datum.over)")
        .mark_point(
            shape="triangle-up",
            size=70,
            filled=True,
            opacity=1,
            color=sketch.ink,
            yOffset=lines.drop(sketch),
            xOffset=16,
        )
        .encode(x=alt.X(field="value", type="quantitative"), y=lines.band())
    )
    marks = ranges.draw(sketch, bars.value_axis(sketch, **written), bars=False)
    return [*marks, *strokes, above]


def sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    """What each of two cards drew and both together, and the highest reading above the specified
    power; else the count of readings.
    """
    power = [row for row in rows if row["quantity"] == "power"]
    total = next((row for row in power if row["reading"] == "sum"), None)
    drawn = [
        row
        for row in power
        if total and row["setting"] == total["setting"] and row["reading"] == "usual"
    ]
    over = max(
        (row for row in power if present(row["over"])),
        key=lambda row: float(str(row["over"])),
        default=None,
    )
    limit = next((row for row in power if row["reading"] == monitoring_rows.SPECIFIED), None)

    def watts(name: str, ref: object) -> tuple[str, str, float, str]:
        return common.told(
            name, facts, str(ref), locale, lambda value: locale.quantity(value, "W", 0)
        )

    def bare(name: str, ref: object) -> tuple[str, str, float, str]:
        return common.told(name, facts, str(ref), locale, lambda value: locale.number(value, 0))

    if total is None or len(drawn) != 2 or over is None or limit is None:  # noqa: PLR2004 - the sentence has two places
        known = [
            row
            for row in rows
            if row["reading"] != monitoring_rows.SPECIFIED and row["status"] == "ok"
        ]
        return Sentence(
            "headline.count",
            (
                (
                    "readings",
                    locale.number(len(known), 0),
                    float(len(known)),
                    f"number:{len(known)}",
                ),
            ),
        )
    figures = [
        figure
        for name, row in (("first", drawn[0]), ("second", drawn[1]), ("both", total))
        for figure in (
            bare(f"{name}_low", row["value_low_ref"]),
            watts(f"{name}_high", row["value_high_ref"]),
        )
    ]
    more = common.told(
        "over",
        facts,
        str(over["over_ref"]),
        locale,
        lambda value: locale.quantity(value, "percent", 0),
    )
    peak = watts("peak", over["value_ref"] or over["value_high_ref"])
    names = {
        "first": str(drawn[0]["label"]),
        "second": str(drawn[1]["label"]),
        "workload": str(total["workload_name"]),
    }
    names |= {
        "system": str(total["system_name"]),
        "third": str(over["label"]),
        "third_workload": str(over["workload_name"]),
    }
    return Sentence(
        "headline.first", (*figures, peak, more, watts("limit", limit["value_ref"])), names
    )


def _notes(
    archive: Archive, rows: list[Row], facts: Facts, source: str, locale: Locale
) -> Iterator[str]:
    interval = f"cell:{source}:monitoring-tool:sampling-interval:value"
    if any(
        (cell.source, cell.table, cell.row) == (source, "monitoring-tool", "sampling-interval")
        for cell in archive.cells
    ):
        yield locale.say(
            "figure.monitoring.sampled",
            interval=locale.quantity(facts.get(interval).value or 0.0, "s", 0),
        )
    yield locale.say("figure.monitoring.limits")
    if any(present(row["over"]) for row in rows):
        yield locale.say("figure.monitoring.over")
    if any(row["reading"] == "sum" for row in rows):
        yield locale.say("figure.monitoring.sum")
    if any(row["reading"] == "printed" for row in rows):
        yield locale.say("figure.monitoring.printed")
    if any(row["quantity"] == "memory" for row in rows):
        yield locale.say("figure.monitoring.memory")
    yield locale.say("figure.monitoring.absent")
