"""Which platforms are on the Pareto frontier of time and cost?"""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import altair as alt

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.cost import platforms
from site_src.tables import Row
from site_src.tables import platforms as tables_platforms

ORDERS = 5
"""From this ratio of figures, points on linear axes would crowd in a corner."""

ROOM = 1.3
"""How far the axes extend beyond the outermost points."""

ON, OFF = "yes", "no"


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Cost against time, with the Pareto frontier; None without offers in one currency."""
    table = tables_platforms.platforms(evidence, source)
    if table.empty or table["currency"].nunique() != 1:
        return None
    currency = str(table["currency"].dropna().iloc[0])
    rows = tables.rows(table)
    costs = [row["cost"] for row in rows if present(row["cost"])]

    def notes(locale: Locale) -> list[str]:
        said = [
            MarkNote(locale.say("figure.frontier.marks")),
            *_missing(rows, locale),
            locale.say("figure.recomputed"),
        ]
        return [*said, *common.run_notes(table, locale), *common.offer_notes(table, locale)]

    return Figure(
        id=f"{source}-frontier",
        page=page,
        key="frontier",
        subject=source,
        table=table,
        columns=(
            *(
                column
                for column in platforms.columns(rows, currency)
                if column.name not in {"printed", "verdict", "quality", "cents"}
            ),
            Column("frontier", "column.frontier", "key", prefix="frontier"),
            *common.offer_columns(currency),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "cost", "time": "time"},
        draw=draw,
        axis={"cost": "axis.cost_recomputed"},
        axis_names={"currency": currency},
        controls=(common.workload_control(table, evidence.catalog),),
        notes=notes,
        texts=False,
        dashed=False,
        **common.by_workload(table, "cost", partial(sentence, evidence.facts)),
        presets=common.further_workloads(table, "cost"),
        log_first=max(costs) > ORDERS * min(costs),
        height=400,
        log=True,
    )


def best(rows: list[Row], workload: object) -> list[Row]:
    """The rows of a workload on its frontier, fastest first."""
    return [row for row in rows if row["workload"] == workload and row["frontier"] == ON]


def sentence(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    """The platforms on the frontier of one workload, and the range of the frontier."""
    found = best(rows, rows[0]["workload"])
    names = {"workload": found[0]["workload_name"], "platforms": _names(found, locale)}
    fast = platforms.point("fast", found[0], facts, locale)
    if len(found) == 1:
        return Sentence("headline.single", fast, names)
    return Sentence(
        "headline.first", (*fast, *platforms.point("slow", found[-1], facts, locale)), names
    )


def _missing(rows: list[Row], locale: Locale) -> list[str]:
    """The rows without a point, by workload."""
    found: dict[str, list[Row]] = {}
    for row in rows:
        if row["frontier"] is None:
            found.setdefault(row["workload_name"], []).append(row)
    return [
        locale.say("figure.frontier.missing", workload=name, platforms=_names(own, locale))
        for name, own in found.items()
    ]


def _names(rows: list[Row], locale: Locale) -> str:
    return locale.join(list(dict.fromkeys(row["label"] for row in rows)))


def ticks(low: float, high: float) -> Iterator[float]:
    """1, 2 and 5 times the powers of ten from below `low` to above `high`."""
    for power in range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1):
        for digit in (1, 2, 5):
            yield float(f"{digit}e{power}")


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Training time and cost of platforms."""
    return scatter(sketch, "axis.train_seconds", "s")


def sizes(on: float, off: float) -> alt.Scale:
    """A size for points on the frontier, and one for the others."""
    return alt.Scale(type="ordinal", domain=[ON, OFF], range=[on, off])


def _title(log: bool, key: str, unit: str, locale: Locale) -> str:
    title = locale.say(key, unit=locale.unit(unit))
    return locale.say("axis.log", title=title) if log else title


def scatter(sketch: Sketch, key: str, unit: str) -> list[alt.Chart]:
    """Points by time and cost, and the frontier as a stepped line; `key` titles the time axis."""

    def axis(name: str, **more: Any) -> dict[str, Any]:
        # the same for every workload, so that they can be compared and a platform keeps its place
        values = [float(value) for value in sketch.figure.table[name] if present(value)]
        low, high = min(values) / ROOM if sketch.log else 0.0, max(values) * ROOM
        if sketch.log:
            at = [tick for tick in ticks(low, high) if low <= tick <= high]
            more |= {"values": at, "tickCount": len(at)}
        return {
            "scale": alt.Scale(
                type="log" if sketch.log else "linear", domain=[low, high], nice=False
            ),
            "axis": bars.value_axis(sketch, **more),
        }

    title = sketch.words.said(partial(_title, sketch.log, key, unit))
    time, cost = bars.x("time", **axis("time", title=title)), bars.y("value", **axis("cost"))
    return [
        bars.layer("frontier", f"datum.frontier === '{ON}'")
        .mark_line(interpolate="step-after", strokeWidth=2, color=themes.QUIET[sketch.theme])
        .encode(x=time, y=cost),
        bars.layer("points", bars.HAS_VALUE)
        .mark_point(opacity=1)
        .encode(
            x=time,
            y=cost,
            size=alt.Size(field="frontier", type="nominal", scale=sizes(240, 60), legend=None),
            strokeWidth=alt.StrokeWidth(
                field="frontier", type="nominal", scale=sizes(2.5, 1.5), legend=None
            ),
            **bars.points(sketch),
        ),
    ]
