"""How fast does each system train at each batch size?"""

from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Sentence, Shown
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row
from site_src.tables import batch as tables_batch

MEASURES = {
    "throughput": "axis.images_per_second",
    "epoch": "axis.epoch_seconds",
    "total": "axis.train_seconds",
}
"""The measures of the bars, the default first, with the title of the value axis."""


LOAD: Final = Column(tables_batch.LOAD, "column.monitored_mean_utilisation", "fraction", decimals=0)
"""The column beside the throughput, if a run's sensors were read."""

COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    common.BATCH,
    common.THROUGHPUT,
    LOAD,
    Column("epoch", "column.median_epoch", "number", unit="s", decimals=2),
    Column("total", "column.train_time_s", "number", unit="s", decimals=0),
    Column("samples", "column.samples", "number", unit="images", decimals=0),
    *common.FEED,
    common.COLLAPSED,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Images/s, seconds per epoch and total by batch size; None without a timed sweep."""
    table = common.by_precision(tables_batch.sweep(evidence, source))
    if table.empty or table["throughput"].notna().sum() == 0:
        return None
    return Figure(
        id=f"{source}-batch",
        page=page,
        key="batch",
        subject=source,
        table=table,
        columns=tuple(column for column in COLUMNS if column.name in table or column is not LOAD),
        series=common.series(table),
        fields={"value": "throughput", "category": "batch"},
        draw=draw,
        **common.by_workload(table, "throughput", partial(compare, evidence.facts)),
        presets=(
            *common.further_workloads(table, "throughput"),
            *common.relative(table, "throughput"),
        ),
        axis=MEASURES,
        controls=(
            common.workload_control(table, evidence.catalog),
            common.measures(MEASURES),
        ),
        notes=lambda locale: [
            *sample_notes(table, locale),
            *common.oom_notes(table, locale),
            *common.collapse_notes(table, locale),
            *common.precision_notes(table, locale),
            *common.count_notes(table, "epoch", locale),
        ],
        group="batch",
        count=False,
        relative=True,
        log=True,
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars in groups by batch size; a dagger in the bar of a run that collapsed."""
    category = batches(sketch)
    columns = bars.grouped_bars(sketch, category, turned=most_bars(sketch.figure))
    return [*columns, bars.daggers(sketch, category)]


def batches(sketch: Sketch) -> alt.X:
    """The axis of batch sizes."""
    return bars.groups(sketch.say("axis.batch"))


def most_bars(figure: Figure) -> int:
    """The number of adjacent bars, in the workload that has most of them."""
    sizes = figure.table.groupby("workload")["batch"].nunique()
    return int(sizes.max()) * len(figure.series)


def sample_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The notes on the images assumed per epoch, and on whether the source prints it."""
    found: dict[tuple[float, bool], dict[str, None]] = {}
    for row in tables.rows(table):
        if present(row["samples"]):
            printed = row["samples_ref"].startswith("run:")
            found.setdefault((row["samples"], printed), {})[row["workload_name"]] = None
    return [
        locale.say(
            f"figure.batch.samples_{'printed' if printed else 'of_data_set'}",
            workloads=locale.join(list(names)),
            samples=locale.number(count, 0),
        )
        for (count, printed), names in found.items()
    ]


def compare(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    """The two fastest of one workload at the largest common batch size; else the fastest."""
    spoken = common.Spoken(facts, locale)
    usable = tables.ranked((row for row in rows if not present(row["collapsed"])), "throughput")
    shared = set.intersection(
        *(
            {row["batch"] for row in usable if row["series"] == series}
            for series in {row["series"] for row in rows}
        )
    )
    first, *rest = [row for row in usable if not shared or row["batch"] == max(shared)]
    figures: tuple[Shown, ...] = (
        spoken.number("batch", first["batch_ref"]),
        spoken.quantity("first_value", first["throughput_ref"], "images/s"),
    )
    names = {"workload": first["workload_name"], "first": first["label"]}
    if not rest or not shared:
        return Sentence("headline.single", figures, names)
    second = rest[0]
    figures += (
        spoken.quantity(
            "times", f"ratio({first['throughput_ref']}, {second['throughput_ref']})", "times", 2
        ),
        spoken.quantity("second_value", second["throughput_ref"], "images/s"),
    )
    return Sentence("headline.first", figures, {**names, "second": second["label"]})
