"""How long does each platform train, and what does that cost?"""

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, Preset, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row, platforms

MEASURES = ("time", "cost", "hourly")


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Training time, its recomputed cost and the price by platform; None where a source has no
    offers paid by time in one currency.
    """
    table = platforms.platforms(evidence, source)
    if table.empty or table["currency"].nunique() != 1:
        return None
    table["category"] = table["run_id"] + " " + table["price_id"].fillna("")
    currency = str(table["currency"].dropna().iloc[0])
    rows = _rows(table)

    def remark(row: Row, name: str, locale: Locale) -> str | None:
        if name != "cost" or row["verdict"] != "contradicts":
            return None
        return locale.say(
            "figure.platforms.printed", cost=locale.money(float(str(row["printed"])), currency)
        )

    def notes(locale: Locale) -> list[str]:
        said = [locale.say("figure.recomputed")]
        if (table["verdict"] == "contradicts").any():
            said.append(locale.say("figure.platforms.contradicts"))
        return [
            *said,
            *qualities(rows, locale),
            *common.run_notes(table, locale),
            *common.offer_notes(table, locale),
        ]

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
        sentence=lambda locale: sentence(rows, evidence.facts, locale),
        axis={"time": "axis.train_seconds", "cost": "axis.cost_of_time", "hourly": "axis.hourly"},
        axis_names={"currency": currency},
        controls=(
            common.workload_control(table, evidence.catalog),
            Control(
                "measure",
                tuple(common.choice(name, f"control.measure_{name}") for name in MEASURES),
                fields={
                    "value": {name: name for name in MEASURES},
                    "beside": {name: "marked" if name == "cost" else name for name in MEASURES},
                },
            ),
        ),
        notes=notes,
        name=lambda row, locale: (
            str(row["label"]),
            common.offer(row, locale, below=True) if present(row["price_id"]) else "",
        ),
        remark=remark,
        group="workload",
        line=bars.LINE,
        sentences=common.of_further(
            table, "cost", lambda own, locale: sentence(_rows(own), evidence.facts, locale)
        ),
        presets=(
            Preset("cost", {"measure": "cost"}),
            *common.further_workloads(table, "cost"),
        ),
    )


def _rows(table: pd.DataFrame) -> list[Row]:
    return table.to_dict("records")  # type: ignore[return-value]  # columns are named by strings


def columns(rows: list[Row], currency: str) -> tuple[Column, ...]:
    """What was trained how long, to which quality, for how much; the price a second where it is
    one.
    """
    cents = (
        (Column("cents", "column.cents", "number", unit="cent/s"),)
        if any(present(r["cents"]) for r in rows)
        else ()
    )
    return (
        common.SERIES,
        Column("workload_name", "column.workload"),
        Column("workload", "column.workload_id", shown=False),
        Column("time", "column.train_time_s", "number", unit="s", decimals=0),
        *cents,
        Column("cost", "column.cost", "money", unit=currency),
        Column("printed", "column.printed_cost", "money", unit=currency),
        Column("verdict", "column.audit", "key", prefix="verdict"),
        *quality(rows),
        Column("accelerators", "column.chips", "number", decimals=0),
        Column("clock_scope", "column.clock_scope", "key", prefix="clock_scope", shown=False),
    )


def quality(rows: list[Row]) -> tuple[Column, ...]:
    """The column of the quality that the runs ended at; none where the workloads are not measured
    by one that is known here.
    """
    metrics = {str(row["quality_metric"]) for row in rows}
    if metrics == {"auc"}:
        return (Column("quality", "column.auc", "number"),)
    return (Column("quality", "column.final_top1", "fraction"),) if metrics == {"top1"} else ()


def qualities(rows: list[Row], locale: Locale) -> list[str]:
    """For each workload that the platforms end at the same quality, or how far they differ; nothing
    where a quality has no column.
    """
    column = next(iter(quality(rows)), None)
    if column is None:
        return []
    said = []
    for workload in dict.fromkeys(str(row["workload_name"]) for row in rows):
        known = [
            row for row in rows if row["workload_name"] == workload and present(row["quality"])
        ]
        ordered = sorted(known, key=lambda row: float(str(row["quality"])))
        if len(ordered) < 2:  # noqa: PLR2004 - one value equals nothing
            continue
        low, high = (column.write(row, locale) for row in (ordered[0], ordered[-1]))
        names = {
            "workload": workload,
            "metric": locale.say(f"metric.final_{rows[0]['quality_metric']}"),
            "low": low,
            "high": high,
        }
        said.append(
            locale.say(f"figure.platforms.quality_{'equal' if low == high else 'differs'}", **names)
        )
    return said


def sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    """The cheapest and the fastest platform for the first workload."""
    own = [row for row in rows if row["workload"] == rows[0]["workload"] and present(row["cost"])]
    cheapest = min(own, key=lambda row: (row["cost"], row["time"]))
    fastest = min(own, key=lambda row: (row["time"], row["cost"]))
    names = {"workload": str(cheapest["workload_name"]), "cheapest": str(cheapest["label"])}
    figures = point("cheapest", cheapest, facts, locale)
    if fastest is cheapest:
        return Sentence("headline.both", figures, names)
    return Sentence(
        "headline.first",
        (*figures, *point("fastest", fastest, facts, locale)),
        {**names, "fastest": str(fastest["label"])},
    )


def point(
    name: str, row: Row, facts: Facts, locale: Locale
) -> tuple[tuple[str, str, float, str], tuple[str, str, float, str]]:
    """A row's cost and time, for the placeholders `<name>_cost` and `<name>_time`."""
    currency = str(row["currency"])
    return (
        common.told(
            f"{name}_cost",
            facts,
            str(row["cost_ref"]),
            locale,
            lambda value: locale.money(value, currency),
        ),
        common.told(
            f"{name}_time",
            facts,
            str(row["time_ref"]),
            locale,
            lambda value: locale.quantity(value, "s", 0),
        ),
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Lying bars; an upright stroke where the source prints another cost than its own time and
    price give.
    """
    differs = {"test": "datum.beside !== datum.value", "value": 1}
    mark = (
        alt.Chart(name="printed")
        .transform_filter(bars.HAS_VALUE)
        .mark_tick(orient="vertical", size=24, thickness=3, color=sketch.ink, yOffset=bars.DROP)
        .encode(
            x=alt.X(field="beside", type="quantitative"),
            y=bars.lines_of_words(),
            opacity=alt.Opacity(condition=differs, value=0),
        )
    )
    return [*bars.lying_bars(sketch), mark]
