"""Which batch size fits into memory?"""

from collections import Counter
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import Status
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Cell, Row
from site_src.tables.batch import shared, swept

LARGEST, FITS = "largest", "fits"
"""Outcomes of a size that was trained at; others are the run's status."""

_FAILED: Final = (Status.OOM, Status.NOT_REPORTED)


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per series, workload and batch size of a sweep in which a size ran out of memory; the
    workload with most failures first.

    Columns beside those of `tables.batch.shared`: `outcome`: `largest` for the largest size of its
    series that fits, `fits`, or the status; `fits`: the size if it fits, else None; `per_chip`: the
    same for one accelerator.
    """
    runs = [run for run in swept(evidence.archive, source) if run.status in (Status.OK, *_FAILED)]
    if not any(run.status is Status.OOM for run in runs):
        return pd.DataFrame()
    largest: dict[tuple[str, str], int] = {}
    for run in runs:
        if run.status is Status.OK:
            key = (tables.series_id(run), run.workload)
            largest[key] = max(largest.get(key, 0), run.global_batch_size or 0)
    rows: dict[tuple[str, str, int | None], Row] = {}
    # of several runs at one size, one that fits decides
    for run in sorted(runs, key=lambda run: run.status is Status.OK):
        key = (tables.series_id(run), run.workload)
        fits = run.status is Status.OK
        outcome = (
            run.status.value
            if not fits
            else LARGEST
            if run.global_batch_size == largest[key]
            else FITS
        )
        rows[(*key, run.global_batch_size)] = {
            **shared(run, None, runs, evidence.catalog),
            "status": run.status.value,
            "n": 1 if run.metrics and all(metric.n == 1 for metric in run.metrics) else None,
            "outcome": outcome,
            "fits": tables.stated(run, "global_batch_size") if fits else Cell(),
            "per_chip": Cell(
                run.batch_size_per_accelerator, f"run:{run.run_id}:batch_size_per_accelerator"
            )
            if fits and run.batch_size_per_accelerator
            else Cell(),
        }
    failed = Counter(run.workload for run in runs if run.status is Status.OOM)
    runs.sort(key=lambda run: -failed[run.workload])
    order = [(tables.series_id(run), run.workload, run.global_batch_size) for run in runs]
    return tables.frame(rows[key] for key in dict.fromkeys(order))


BAND = 84
"""Height in px of one system: its name, its marks, and a word below each."""

ROOM = 440
"""Width in px from which a word fits below each mark."""


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    common.BATCH,
    Column("outcome", "column.outcome", "key", prefix="outcome"),
    Column("per_chip", "column.batch_per_chip", "number", unit="images", decimals=0),
    Column("fits", "column.batch_that_fits", "number", unit="images", decimals=0, shown=False),
    common.COLLAPSED,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Every batch size tried, and the largest that fits; None if memory always sufficed."""
    table = common.by_precision(rows_of(evidence, source))
    if table.empty:
        return None
    table["category"] = table["series"]
    series = common.series(table)
    return Figure(
        id=f"{source}-largest-batch",
        page=page,
        key="largest_batch",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=series,
        fields={"value": "fits", "category": "category", "batch": "batch"},
        draw=draw,
        **common.by_workload(table, "fits", partial(extremes, evidence.facts)),
        presets=common.further_workloads(table, "fits"),
        axis={"fits": "axis.batch"},
        controls=(common.workload_control(table, evidence.catalog),),
        notes=lambda locale: [
            MarkNote(locale.say("figure.largest_batch.marks")),
            locale.say("figure.largest_batch.between"),
            *common.collapse_notes(table, locale),
            *common.precision_notes(table, locale),
        ],
        count=False,
        height=BAND * len(series) + 60,
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A line per system: points where the size fits, the largest with its figure, crosses."""
    band = bars.band()
    batch = _batch_axis(sketch)
    place = {"x": batch, "y": band}
    return [
        *_lines(sketch, band),
        *_points(sketch, place),
        bars.layer("failed", "datum.outcome === 'oom'")
        .mark_point(size=90, filled=True, opacity=1, shape=bars.CROSS)
        .encode(**place, fill=bars.filling(sketch), tooltip=bars.tip()),
        *_without_figure(sketch, place),
    ]


def _batch_axis(sketch: Sketch) -> alt.X:
    sizes = [int(size) for size in sorted(sketch.figure.table["batch"].unique())]
    return alt.X(
        field="batch",
        type="ordinal",
        scale=alt.Scale(type="point", domain=sizes, padding=0.5),
        axis=alt.Axis(
            title=sketch.say("axis.batch"),
            format=bars.NUMBER,
            labelAngle=0,
            ticks=False,
            domain=False,
        ),
    )


def _lines(sketch: Sketch, band: alt.Y) -> list[alt.Chart]:
    marks = [alt.AggregatedFieldDef(op="count", **{"as": "marks"})]
    return [
        alt.Chart(name="lines")
        .transform_aggregate(marks, groupby=["category"])
        .mark_rule(color=themes.GRID[sketch.theme], strokeWidth=2)
        .encode(y=band),
        alt.Chart(name="names")
        .transform_aggregate(marks, groupby=["category", "label"])
        .mark_text(align="left", dy=-29, **bars.letters(sketch))
        .encode(y=band, x=bars.along(0), text=bars.said("label")),
    ]


def _points(sketch: Sketch, place: Mapping[str, Any]) -> list[alt.Chart]:
    """The sizes that fit; a dagger for a run that collapsed."""
    series = bars.points(sketch, legend=False)
    return [
        bars.layer("fitting", f"{bars.HAS_VALUE} && datum.outcome === 'fits'")
        .mark_point(size=70, strokeWidth=2, opacity=1)
        .encode(**place, **series),
        bars.layer("largest", "datum.outcome === 'largest'")
        .mark_point(size=230, strokeWidth=4, opacity=1)
        .encode(**place, **series),
        bars.layer("figures", "datum.outcome === 'largest'")
        .mark_text(dy=23, fontSize=13, fontWeight="bold")
        .encode(**place, text=bars.said("text")),
        bars.layer("daggers", f"{bars.HAS_VALUE} && isValid(datum.collapsed)")
        .mark_text(text="†", dx=17, dy=-8, fontSize=16, fontWeight="bold")
        .encode(**place),
    ]


def _without_figure(sketch: Sketch, place: Mapping[str, Any]) -> list[alt.Chart]:
    """A question mark for an unreported size, and words if there is room."""
    words = {status: sketch.quoted(f"outcome.{status}") for status in ("oom", "not_reported")}
    said = " : ".join(
        [*(f"datum.outcome === '{status}' ? {word}" for status, word in words.items()), "''"]
    )
    quiet = themes.QUIET[sketch.theme]
    return [
        bars.layer("unreported", "datum.outcome === 'not_reported'")
        .mark_text(text="?", fontSize=16, fontWeight="bold", color=quiet)
        .encode(**place, tooltip=bars.tip()),
        bars.layer("words", f"!({bars.HAS_VALUE})")
        .transform_calculate(word=said)
        .mark_text(dy=22, fontSize=12, color=quiet, opacity=alt.ExprRef(f"width < {ROOM} ? 0 : 1"))
        .encode(**place, text=bars.said("word")),
    ]


def extremes(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    """The systems of one workload with the largest and the smallest size that fits."""
    spoken = common.Spoken(facts, locale)
    tops = [row for row in rows if row["outcome"] == LARGEST]
    first, last = (pick(tops, key=_size) for pick in (max, min))

    def labels(top: Row) -> str:
        return locale.join([row["label"] for row in tops if row["batch"] == top["batch"]])

    names = {"workload": first["workload_name"], "first": labels(first)}
    top = spoken.number("first_value", first["batch_ref"])
    if _size(first) == _size(last):
        return Sentence("headline.equal", (top,), names)
    names["second"] = labels(last)
    figures = (top, spoken.number("second_value", last["batch_ref"]))
    over = [row for row in rows if row["series"] == last["series"] and row["status"] == "oom"]
    if not over:
        return Sentence("headline.first", figures, names)
    failed = spoken.number("failed", min(over, key=_size)["batch_ref"])
    return Sentence("headline.failed", (*figures, failed), names)


def _size(row: Row) -> int:
    return int(str(row["batch"]))
