"""How long does training take on each platform, and what does it cost?"""

from functools import partial

import altair as alt

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Preset, Sentence, Shown
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row, platforms

MEASURES = ("time", "cost", "hourly")


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Time, cost and price by platform; None without offers paid by time in one currency."""
    table = platforms.platforms(evidence, source)
    if table.empty or table["currency"].nunique() != 1:
        return None
    table["category"] = table["run_id"] + " " + table["price_id"].fillna("")
    currency = str(table["currency"].dropna().iloc[0])
    rows = tables.rows(table)
    stroke = (table["verdict"] == "contradicts").any()

    return Figure(
        id=f"{source}-platforms",
        page=page,
        key="platforms",
        subject=source,
        table=table,
        columns=(*columns(rows, currency), *common.offer_columns(currency), *common.PROVENANCE),
        series=common.series(table),
        fields={"value": "time", "beside": "time"},
        draw=draw,
        axis={"time": "axis.train_seconds", "cost": "axis.cost_of_time", "hourly": "axis.hourly"},
        axis_names={"currency": currency},
        controls=(
            common.workload_control(table, evidence.catalog),
            common.measures(
                MEASURES,
                {
                    "time": "metric.train_time_s",
                    "cost": "term.cost_recomputed",
                    "hourly": "term.per_hour",
                },
                beside={name: name for name in MEASURES} | {"cost": "marked"},
            ),
        ),
        notes=lambda locale: [
            *([MarkNote(locale.say("figure.platforms.contradicts"))] if stroke else []),
            locale.say("figure.recomputed"),
            *qualities(rows, locale),
            *common.run_notes(table, locale),
            *common.offer_notes(table, locale),
        ],
        name=common.name_with_offer,
        remark=_remark,
        group="workload",
        line=bars.LINE,
        **common.by_workload(table, "cost", partial(sentence, evidence.facts)),
        presets=(
            Preset("cost", {"measure": "cost"}),
            *common.further_workloads(table, "cost"),
        ),
        relative=True,
        log=True,
    )


def _remark(row: Row, name: str, locale: Locale) -> str | None:
    if name != "cost" or row["verdict"] != "contradicts":
        return None
    printed = locale.money(row["printed"], row["currency"])
    return locale.say("figure.platforms.printed", cost=printed)


def columns(rows: list[Row], currency: str) -> tuple[Column, ...]:
    """The columns of workload, time, quality and cost."""
    cents = (
        (Column("cents", "column.cents", "number", unit="cent/s"),)
        if any(present(r["cents"]) for r in rows)
        else ()
    )
    return (
        common.SERIES,
        common.WORKLOAD,
        common.WORKLOAD_ID,
        common.TIME,
        *cents,
        Column("cost", "column.cost_recomputed", "money", unit=currency),
        Column("printed", "column.printed_cost", "money", unit=currency),
        Column("verdict", "column.audit", "key", prefix="verdict"),
        *quality(rows),
        Column("accelerators", "column.chips", "number", decimals=0),
        common.CLOCK,
    )


def quality(rows: list[Row]) -> tuple[Column, ...]:
    """The column of the final quality; none if the quality is unknown here."""
    metrics = {row["quality_metric"] for row in rows}
    if metrics == {"auc"}:
        return (Column("quality", "column.auc", "number"),)
    return (Column("quality", "column.final_top1", "fraction"),) if metrics == {"top1"} else ()


def qualities(rows: list[Row], locale: Locale) -> list[str]:
    """A note per workload: the platforms reach the same quality, or how much they differ."""
    column = next(iter(quality(rows)), None)
    if column is None:
        return []
    said = []
    for workload in dict.fromkeys(row["workload_name"] for row in rows):
        known = [
            row for row in rows if row["workload_name"] == workload and present(row["quality"])
        ]
        ordered = sorted(known, key=lambda row: row["quality"])
        if len(ordered) < 2:  # noqa: PLR2004 - one value equals nothing
            continue
        low, high = (column.write(row, locale) for row in (ordered[0], ordered[-1]))
        metric = locale.say(f"metric.final_{rows[0]['quality_metric']}")
        key = f"figure.platforms.quality_{'equal' if low == high else 'differs'}"
        said.append(locale.say(key, workload=workload, metric=metric, low=low, high=high))
    return said


def sentence(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    """The cheapest and the fastest platform for one workload."""
    own = [row for row in rows if present(row["cost"])]
    cheapest = min(own, key=lambda row: (row["cost"], row["time"]))
    fastest = min(own, key=lambda row: (row["time"], row["cost"]))
    names = {"workload": cheapest["workload_name"], "cheapest": cheapest["label"]}
    figures = point("cheapest", cheapest, facts, locale)
    if fastest is cheapest:
        return Sentence("headline.both", figures, names)
    return Sentence(
        "headline.first",
        (*figures, *point("fastest", fastest, facts, locale)),
        {**names, "fastest": fastest["label"]},
    )


def point(name: str, row: Row, facts: Facts, locale: Locale) -> tuple[Shown, Shown]:
    """A row's cost and time, for the placeholders `<name>_cost` and `<name>_time`."""
    spoken = common.Spoken(facts, locale)
    currency = row["currency"]
    return (
        spoken.money(f"{name}_cost", row["cost_ref"], currency),
        spoken.quantity(f"{name}_time", row["time_ref"], "s"),
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Horizontal bars; a vertical stroke if the source prints another cost."""
    differs = {"test": "datum.beside !== datum.value", "value": 1}
    mark = (
        bars.layer("printed", bars.HAS_VALUE)
        .mark_tick(orient="vertical", size=24, thickness=3, color=sketch.ink, yOffset=bars.DROP)
        .encode(
            x=bars.x("beside"),
            y=bars.band(),
            opacity=alt.Opacity(condition=differs, value=0),
        )
    )
    return [*bars.lying_bars(sketch), mark]
