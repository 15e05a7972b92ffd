"""How much accuracy does a larger batch cost, and on which system?"""

from functools import partial
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, Preset, Sentence, Shown
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.speed import batch
from site_src.tables import Row, quality

PAD = 26
"""Room in px below the lowest and above the highest value, for crosses and their words."""

FAR = 0.25
"""If the lowest accuracy exceeds this share of the highest, an axis from 0 is mostly empty."""


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    common.BATCH,
    Column("accuracy", "column.final_top1", "fraction", decimals=2),
    Column("points", "column.points", "number", unit="percentage_points", decimals=2, signed=True),
    Column("epochs", "column.epochs", "number", unit="epochs", decimals=0, counted=True),
    common.COLLAPSED,
    Column("representative", "column.representative", "key", prefix="representative"),
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Final accuracy by batch size, or its difference from a base; None without a sweep."""
    runs = quality.sweeps(evidence.archive, source)
    if not runs:
        return None
    table = common.by_precision(quality.by_batch(evidence, source))
    against = quality.base(runs)
    held = next((row["label"] for row in tables.rows(table) if row["series"] == against), "")
    caveats = list(dict.fromkeys(caveat for run in runs for caveat in quality.loose(run)))

    measures = (
        common.choice("accuracy", "measure.accuracy"),
        Choice("points", lambda locale: locale.say("figure.quality.against", series=held)),
    )
    return Figure(
        id=f"{source}-accuracy",
        page=page,
        key="quality",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "accuracy", "category": "batch"},
        draw=draw,
        **common.by_workload(table, "accuracy", partial(compare, evidence.facts, against, held)),
        presets=(
            *([Preset("points", {"measure": "points"})] if against else []),
            *common.further_workloads(table, "accuracy"),
        ),
        axis={"accuracy": "axis.top1_cut", "points": "axis.points"},
        controls=_controls(table, evidence.catalog, against, measures),
        notes=partial(_notes, table, caveats),
        reason=lambda row, locale: (
            locale.say("figure.no_baseline") if row["status"] == "ok" else None
        ),
        count=False,
    )


def _controls(
    table: pd.DataFrame, catalog: Catalog, against: str | None, measures: tuple[Choice, ...]
) -> tuple[Control, ...]:
    fields = {"value": {"accuracy": "accuracy", "points": "points"}}
    measure = [Control("measure", measures, fields=fields)] if against else []
    return (common.workload_control(table, catalog), *measure)


def _notes(table: pd.DataFrame, caveats: list[str], locale: Locale) -> list[str]:
    return [
        *(locale.say(f"caveat.{caveat}") for caveat in caveats),
        *common.collapse_notes(table, locale),
        *common.oom_notes(table, locale),
        *common.precision_notes(table, locale),
        *common.count_notes(table, "accuracy", locale),
    ]


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A line per series through its sound runs; words at collapsed runs, crosses without figure."""
    place = {"x": batch.batches(sketch), "xOffset": bars.offset(sketch)}
    points = sketch.figure.field_of("value", sketch.state) == "points"
    known = [row["value"] for row in sketch.rows if present(row["value"])]
    cut = not points and min(known) > FAR * max(known)
    extent = alt.Scale(zero=not cut, nice=True, padding=PAD if cut or points else 0)
    title = {} if cut or points else {"title": sketch.say("axis.top1")}
    value = bars.y("value", scale=extent, axis=bars.value_axis(sketch, **title))
    upwards: dict[str, Any] = {"angle": 270, "align": "left", "baseline": "middle", "fontSize": 12}
    sound = f"{bars.HAS_VALUE} && !isValid(datum.collapsed)"
    return [
        bars.layer("lines", sound)
        .mark_line(strokeWidth=2, opacity=0.6)
        .encode(**place, y=value, color=bars.colour(sketch), strokeDash=bars.dash(sketch)),
        bars.layer("points", bars.HAS_VALUE)
        .mark_point(size=90, strokeWidth=2, opacity=1)
        .encode(**place, y=value, **bars.points(sketch)),
        bars.layer("not_meaningful", f"{bars.HAS_VALUE} && isValid(datum.collapsed)")
        .mark_text(text=sketch.say("figure.quality.not_meaningful"), dx=12, **upwards)
        .encode(**place, y=value),
        # a background for the words of crosses, where lines may pass
        bars.layer("ground", bars.NO_VALUE)
        .mark_text(dx=22, stroke=sketch.paper, strokeWidth=5, **upwards)
        .encode(**place, y=bars.down("height"), text=bars.said("text")),
        *bars.missing_columns(sketch, place),
    ]


def compare(
    facts: Facts, against: str | None, held: str, rows: list[Row], locale: Locale
) -> Sentence:
    """The largest differences of the fullest other series to the base; else the best value."""
    spoken = common.Spoken(facts, locale)
    names = {"workload": rows[0]["workload_name"], "second": held}
    rows = [row for row in rows if present(row["accuracy"]) and not present(row["collapsed"])]
    others = [row for row in rows if present(row["points"]) and row["series"] != against]
    series = [row["series"] for row in others]
    subject = max(series, key=lambda one: (series.count(one), series.index(one)), default=None)
    if subject is None:
        best = max(rows, key=lambda row: row["accuracy"])
        figures = (
            spoken.percent("first_value", best["accuracy_ref"], 2),
            spoken.number("batch", best["batch_ref"]),
        )
        return Sentence("headline.single", figures, {**names, "first": best["label"]})
    own = tables.ranked((row for row in others if row["series"] == subject), "points", least=True)
    least, most = own[0], own[-1]
    names["first"] = least["label"]
    low = (_points("low", least, spoken), spoken.number("low_batch", least["batch_ref"]))
    if least is most:
        key = "below" if least["points"] < 0 else "above"
        return Sentence(f"headline.one_{key}", low, names)
    high = (_points("high", most, spoken), spoken.number("high_batch", most["batch_ref"]))
    key = "below" if most["points"] <= 0 else "above" if least["points"] >= 0 else "across"
    return Sentence(f"headline.{key}", (*low, *high), names)


def _points(name: str, row: Row, spoken: common.Spoken) -> Shown:
    """The difference without a sign: the words say which is higher."""
    own, ref = row["accuracy_ref"], row["points_ref"]
    other = ref.removeprefix(f"points_more({own}, ").removesuffix(")")
    apart = ref if row["points"] >= 0 else f"points_more({other}, {own})"
    return spoken.quantity(name, apart, "percentage_points", 2)
