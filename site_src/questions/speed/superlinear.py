"""Where does a speed-up beyond linear come from?"""

from typing import Final

import altair as alt

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.tables import Row
from site_src.tables import epochs as tables_epochs

ROOM = 1.06
"""How far the axis extends beyond the highest figure."""


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    Column("cards", "column.chips", "number", decimals=0, counted=True),
    Column("part", "column.part", "key", prefix="part"),
    Column("factor", "column.factor", "times"),
    Column("linear", "column.linear", "times", of_same="cards"),
    Column("efficiency", "column.efficiency", "fraction", decimals=0),
    Column("epochs_one", "column.epochs_one", "number", unit="epochs", decimals=0, counted=True),
    Column("epochs", "column.epochs_to_target", "number", unit="epochs", decimals=0, counted=True),
    common.CLAIM,
    common.WORKLOAD,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Printed speed-ups with their two factors; None if a source prints none, or no epochs."""
    table = tables_epochs.speedups(evidence, source)
    if table.empty:
        return None
    table["category"] = table["part"] + " " + table["run_id"]
    records = tables.rows(table)

    return Figure(
        id=f"{source}-superlinear",
        page=page,
        key="superlinear",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "factor"},
        draw=draw,
        sentence=lambda locale: _sentence(records, evidence.facts, locale),
        axis={"factor": "axis.times_one_log"},
        notes=lambda locale: [
            *(MarkNote(locale.say(f"figure.superlinear.{key}")) for key in ("factors", "linear")),
            locale.say("figure.superlinear.derived"),
        ],
        name=_name,
        # factors multiply: their lengths add up only on a logarithmic axis, so there is no other
        count=False,
        line=rows.LINE,
    )


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    cards = locale.number(row["cards"], 0)
    part = locale.say(f"part.{row['part']}")
    title = locale.say("join.colon", what=f"{cards} × {row['label']}", text=part)
    if not present(row["efficiency"]):
        epochs = [locale.number(row[column], 0) for column in ("epochs_one", "epochs")]
        return title, locale.say(
            "figure.superlinear.under_convergence", before=epochs[0], after=epochs[1]
        )
    kind = "above" if row["efficiency"] > 1 else "linear"
    return title, locale.say(
        f"figure.superlinear.under_{kind}", efficiency=locale.percent(row["efficiency"])
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A bar from 1 to each speed-up, below it its factors end to end; a rule at linear."""
    highest = max(row["finish"] for row in tables.rows(sketch.figure.table))
    scale = alt.Scale(type="log", base=2, domain=[1, highest * ROOM], nice=False)
    axis = bars.value_axis(sketch, tickCount=5)
    begin, finish, linear = (
        bars.x(name, scale=scale, axis=axis) for name in ("begin", "finish", "linear")
    )
    lying = [
        bar
        for part, look in (
            ("speedup", {}),
            ("throughput", {}),
            ("convergence", {"strokeDash": [4, 3]}),
        )
        for bar in rows.bar_layers(
            sketch,
            part,
            f"{bars.HAS_VALUE} && datum.part === '{part}'",
            begin,
            alt.X2(field="finish"),
            **look,
        )
    ]
    end = rows.ends(sketch, f"{bars.HAS_VALUE} && datum.part === 'speedup'", finish)
    return [rows.order(), *lying, rows.ticks(sketch, linear), end, *rows.words(sketch)]


def _sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    parts_of = {
        row["part"]: row
        for row in rows
        if row["cards"] == rows[-1]["cards"] and row["workload"] == rows[-1]["workload"]
    }
    figures = [spoken.number("cards", rows[-1]["cards_ref"])]
    for part, row in parts_of.items():
        figures.append(spoken.times(part, row["factor_ref"]))
        if present(row["efficiency_ref"]):
            figures.append(spoken.percent(f"{part}_efficiency", row["efficiency_ref"], 0))
    names = {"system": rows[-1]["label"], "workload": rows[-1]["workload_name"]}
    above = parts_of["speedup"]["efficiency"] > 1
    return Sentence("headline.first" if above else "headline.below", tuple(figures), names)
