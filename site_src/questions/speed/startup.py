"""How long does starting take, and when does a slow starter catch up?"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run, Status
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, MarkNote, Preset, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.speed import batch
from site_src.tables import Cell, Row
from site_src.tables.batch import figures, shared, swept

CAUSES: Final = {"first-epoch-compiles": "compilation"}
"""Causes of a longer first epoch, by the source's caveat."""

AHEAD, NEVER, ALONE = "ahead", "never", "alone"
"""Reasons for no break-even: it starts first, is no faster later, or ran alone."""


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per run of a sweep that states its first epoch and the median of the others.

    Columns beside those of `tables.batch.shared`, in seconds: `first`, `epoch` (the median),
    `startup` (their difference), `total`, `estimate` (first + (epochs - 1) x median) and
    `difference` (estimate - total); `share` of start-up in the total; `cause`, one of `CAUSES`, or
    `not_stated`; `break_even`: epochs after which the run has caught up with the one whose first
    epoch was the shortest at that batch size, the series `against`.
    """
    runs = [
        run
        for run in swept(evidence.archive, source)
        if run.metric("first_epoch_s") and run.metric("median_epoch_s")
    ]
    rows = []
    for run in runs:
        name = f"run:{run.run_id}"
        first, median, total = (
            f"{name}:first_epoch_s",
            f"{name}:median_epoch_s",
            f"{name}:train_time_s",
        )
        refs = {"first": first, "epoch": median, "startup": f"difference({first}, {median})"}
        if run.metric("train_time_s") is not None:
            refs |= {"total": total, "share": f"ratio(difference({first}, {median}), {total})"}
            refs["estimate"] = f"time_of_epochs({first}, {median}, {name}:epochs_planned)"
            refs["difference"] = f"difference({refs['estimate']}, {total})"
        rows.append(
            {
                **shared(run, run.metric("first_epoch_s"), runs, evidence.catalog),
                **dict.fromkeys(("total", "share", "estimate", "difference"), Cell()),
                **figures(evidence.facts, **refs),
                "cause": _cause(run),
                **_break_even(run, runs, evidence.facts),
            }
        )
    return tables.frame(rows)


def _cause(run: Run) -> str | None:
    """The cause of a run's longer first epoch."""
    return (
        next((CAUSES[caveat] for caveat in run.caveats if caveat in CAUSES), "not_stated")
        if run.status is Status.OK
        else None
    )


def _break_even(run: Run, runs: Sequence[Run], facts: Facts) -> Row:
    """The epochs after which a run has caught up with the quickest starter of its batch size, or
    why it has not.
    """
    row: Row = {"break_even": Cell(), "against": None}
    if run.status is not Status.OK:
        return row
    beside = [
        other
        for other in runs
        if (other.workload, other.global_batch_size) == (run.workload, run.global_batch_size)
    ]
    timed = [other for other in beside if None not in _times(other, facts)]
    quickest = min(timed, key=lambda other: _times(other, facts)[0] or 0.0)
    if len(timed) == 1 or quickest is run:
        return row | {"break_even": Cell(why=ALONE if len(timed) == 1 else AHEAD)}
    row["against"] = tables.series_id(quickest)
    if (_times(run, facts)[1] or 0.0) >= (_times(quickest, facts)[1] or 0.0):
        return row | {"break_even": Cell(why=NEVER)}
    inputs = ", ".join(
        f"run:{one.run_id}:{name}"
        for one in (run, quickest)
        for name in ("first_epoch_s", "median_epoch_s")
    )
    return row | figures(facts, break_even=f"break_even_epochs({inputs})")


def _times(run: Run, facts: Facts) -> tuple[float | None, float | None]:
    """First epoch and median of the others, in s."""
    first, median = (
        facts.get(f"run:{run.run_id}:{name}").value for name in ("first_epoch_s", "median_epoch_s")
    )
    return first, median


MEASURES = {
    "first": "axis.epoch_time",
    "startup": "axis.startup_seconds",
    "share": "axis.startup_share",
    "break_even": "axis.break_even",
}
"""The measures of the bars, the default first, with the title of the value axis."""

CAUSED = frozenset(CAUSES.values())
"""Causes that are written into a bar."""


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    common.BATCH,
    Column("first", "column.first_epoch_s", "number", unit="s", decimals=2),
    Column("epoch", "column.median_epoch", "number", unit="s", decimals=2),
    Column("startup", "column.startup", "number", unit="s", decimals=2),
    Column("cause", "column.cause", "key", prefix="cause"),
    Column("share", "column.startup_share", "fraction", decimals=1),
    Column("break_even", "column.break_even", "number", unit="epochs", decimals=1, counted=True),
    Column("against", "column.against"),
    Column("estimate", "column.estimate", "number", unit="s", decimals=2),
    Column("total", "column.train_time_s", "number", unit="s", decimals=0),
    Column("difference", "column.estimate_difference", "number", unit="s", decimals=2, signed=True),
    common.COLLAPSED,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """First epoch and median, share of start-up, break-even; None without times of first epochs."""
    table = common.by_precision(rows_of(evidence, source))
    if table.empty or table["share"].notna().sum() == 0:
        return None
    labels = dict(zip(table["series"], table["label"], strict=True))
    table["against"] = table["against"].map(labels)
    table["nothing"] = None  # only times have a median to mark

    return Figure(
        id=f"{source}-startup",
        page=page,
        key="startup",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={
            "value": "first",
            "category": "batch",
            "median": "epoch",
            "why": "nothing",
            "cause_shown": "cause",
        },
        draw=draw,
        **common.by_workload(table, "first", partial(slowest, evidence.facts)),
        presets=(
            Preset("share", {"measure": "share"}),
            *common.further_workloads(table, "first"),
        ),
        axis=MEASURES,
        controls=_controls(table, evidence.catalog),
        notes=partial(_notes, table),
        name=lambda row, locale: (
            row["label"],
            locale.say(f"cause.{row['cause']}") if row["cause"] in CAUSED else "",
        ),
        count=False,
    )


def _controls(table: pd.DataFrame, catalog: Catalog) -> tuple[Control, ...]:
    nothing = dict.fromkeys(MEASURES, "nothing")
    return (
        common.workload_control(table, catalog),
        common.measures(
            MEASURES,
            {"share": "term.startup_share"},
            median=nothing | {"first": "epoch"},
            cause_shown=dict.fromkeys(MEASURES, "cause") | {"break_even": "nothing"},
            why=nothing | {"break_even": "break_even_why"},
        ),
    )


def _notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    return [
        MarkNote(locale.say("figure.startup.tick")),
        *(locale.say(f"figure.startup.{key}") for key in ("break_even", "estimate")),
        *(
            [MarkNote(locale.say("figure.startup.cause"))]
            if table["cause"].isin(CAUSED).any()
            else []
        ),
        *common.oom_notes(table, locale),
        *common.collapse_notes(table, locale),
        *common.precision_notes(table, locale),
        *common.count_notes(table, "first", locale),
    ]


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars by batch size, a tick at the median of later epochs, and the cause of a long start."""
    category = batch.batches(sketch)
    place = {"x": category, "xOffset": bars.offset(sketch)}
    return [
        *bars.grouped_bars(sketch, category, turned=batch.most_bars(sketch.figure)),
        bars.layer("medians", "isValid(datum.median)")
        .mark_tick(thickness=3, color=sketch.ink, opacity=1, orient="horizontal")
        .encode(**place, y=bars.y("median")),
        bars.layer(
            "causes", f"{bars.HAS_VALUE} && isValid(datum.cause_shown) && datum.under !== ''"
        )
        .mark_text(angle=270, align="left", baseline="middle", dx=50, fontSize=12)
        .encode(**place, y=bars.down("height"), text=bars.said("under")),
        bars.daggers(sketch, category, up=32),
    ]


def slowest(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    """The run of one workload with the largest share of start-up, and when it catches up."""
    spoken = common.Spoken(facts, locale)
    worst, *_ = tables.ranked((row for row in rows if not present(row["collapsed"])), "share")
    figures = (
        spoken.number("batch", worst["batch_ref"]),
        spoken.quantity("first_epoch", worst["first_ref"], "s", 2),
        spoken.quantity("median", worst["epoch_ref"], "s", 2),
        spoken.percent("share", worst["share_ref"]),
    )
    names = {"workload": worst["workload_name"], "first": worst["label"]}
    if not present(worst["break_even"]):
        return Sentence("headline.first", figures, names)
    epochs = spoken.number("epochs", worst["break_even_ref"], 1)
    names["second"] = worst["against"]
    return Sentence("headline.catches_up", (*figures, epochs), names)
