"""How much throughput remains with real data?"""

from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import DataKind
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Cell, Row


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """Throughput with synthetic and with real data: two rows for each series that has both at one
    batch size.

    `feed` is synthetic or real; `share` is real over synthetic, in the row of the real one.
    """
    runs = [
        run
        for run in tables.runs_in_force(evidence.archive, source=source)
        if tables.has_speed(run)
    ]
    rows = []
    for real in runs:
        if real.data is not DataKind.REAL:
            continue
        made = next(
            (
                run
                for run in runs
                if run.data in tables.SYNTHETIC
                and tables.series_id(run) == tables.series_id(real)
                and run.global_batch_size == real.global_batch_size
            ),
            None,
        )
        if made is None:
            continue
        for run in (made, real):
            metric = tables.throughput_metric(run)
            assert metric is not None  # noqa: S101 - both have a tables.figure
            ref = f"run:{run.run_id}:{metric.key}"
            share = f"ratio({ref}, run:{made.run_id}:{metric.key})" if run is real else None
            rows.append(
                {
                    **tables.common(run, metric, evidence.catalog),
                    **tables.feed(run),
                    "batch": tables.stated(run, "global_batch_size"),
                    "throughput": Cell(
                        metric.value, ref, tables.interval(metric), metric.bound.value
                    ),
                    "share": tables.cell(evidence.facts, share, bound=True),
                }
            )
    return tables.frame(sorted(rows, key=lambda row: row["feed"] != "synthetic"))


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    Column("feed", "column.data", "key", prefix="feed"),
    common.BATCH,
    Column("augmentation", "column.augmentation", "key", prefix="augmentation"),
    common.THROUGHPUT,
    Column("share", "column.share", "fraction", decimals=1),
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Synthetic against real data at one batch size; None if a source has no such pair."""
    table = common.by_precision(rows_of(evidence, source))
    if table.empty:
        return None
    shares = [row for row in tables.rows(table) if present(row["share"])]

    augmented = (table["augmentation"] == "on").any()
    return Figure(
        id=f"{source}-data",
        page=page,
        key="data",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "throughput", "category": "feed"},
        draw=draw,
        sentence=partial(_sentence, evidence.facts, tables.ranked(shares, "share")),
        axis={"throughput": "axis.images_per_second"},
        notes=lambda locale: [locale.say("figure.data.augmentation")] if augmented else [],
        group="feed",
        presets=common.relative(table, "throughput"),
        relative=True,
        log=True,
    )


def _sentence(facts: Facts, ranked: list[Row], locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    names = {"first": ranked[0]["label"], "second": ranked[-1]["label"]}
    first = spoken.percent("first_value", ranked[0]["share_ref"])
    second = spoken.percent("second_value", ranked[-1]["share_ref"])
    if len(ranked) == 1:
        return Sentence("headline.single", (first,), names)
    return Sentence("headline.first", (first, second), names)


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars in groups, synthetic data first."""
    feeds = dict.fromkeys(map(str, sketch.figure.table["feed"]))
    words = bars.worded(sketch, "feed", feeds)
    return bars.grouped_bars(sketch, bars.groups(sketch.say("axis.data"), labelExpr=words))
