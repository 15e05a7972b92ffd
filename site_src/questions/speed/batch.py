"""How fast does each system train at each batch size?"""

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, Sentence, Shown
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import batch as tables_batch

MEASURES = {
    "throughput": "axis.images_per_second",
    "epoch": "axis.epoch_seconds",
    "total": "axis.train_seconds",
}
"""What the bars can show, the default first, with the title of the value axis."""


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Images/s, seconds per epoch and seconds in all by batch size; None where a source has no
    sweep with times of epochs.
    """
    table = common.by_precision(tables_batch.sweep(evidence, source))
    if table.empty or table["throughput"].notna().sum() == 0:
        return None

    def notes(locale: Locale) -> list[str]:
        return [
            *sample_notes(table, locale),
            *common.oom_notes(table, locale),
            *common.collapse_notes(table, locale),
            *common.precision_notes(table, locale),
            *common.count_notes(table, "epoch", locale),
        ]

    return Figure(
        id=f"{source}-batch",
        page=page,
        key="batch",
        subject=source,
        table=table,
        columns=(
            common.SERIES,
            common.WORKLOAD,
            common.BATCH,
            common.THROUGHPUT,
            Column("epoch", "column.median_epoch", "number", unit="s", decimals=2),
            Column("total", "column.train_time_s", "number", unit="s", decimals=0),
            Column("samples", "column.samples", "number", unit="images", decimals=0),
            *common.FEED,
            common.COLLAPSED,
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "throughput", "category": "batch"},
        draw=draw,
        sentence=lambda locale: compare(table, evidence.facts, locale),
        sentences=common.of_further(
            table, "throughput", lambda own, locale: compare(own, evidence.facts, locale)
        ),
        presets=(
            *common.further_workloads(table, "throughput"),
            *common.relative(table, "throughput"),
        ),
        axis=MEASURES,
        controls=(
            common.workload_control(table, evidence.catalog),
            Control(
                "measure",
                tuple(common.choice(name, f"measure.{name}") for name in MEASURES),
                fields={"value": {name: name for name in MEASURES}},
            ),
        ),
        notes=notes,
        group="batch",
        count=False,
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars in groups by batch size; a dagger in the bar of a run whose training collapsed."""
    category = batches(sketch)
    columns = bars.grouped_bars(sketch, category, turned=most_bars(sketch.figure))
    return [*columns, bars.daggers(sketch, category)]


def batches(sketch: Sketch) -> alt.X:
    """The axis of batch sizes."""
    return alt.X(
        field="category",
        type="ordinal",
        sort=None,
        scale=alt.Scale(paddingInner=0.16, paddingOuter=0.08),
        axis=alt.Axis(
            title=sketch.locale.say("axis.batch"), format=bars.NUMBER, labelAngle=0, ticks=False
        ),
    )


def most_bars(figure: Figure) -> int:
    """Places for bars beside each other, with the workload that has most of them."""
    sizes = figure.table.groupby("workload")["batch"].nunique()
    return int(sizes.max()) * len(figure.series)


def sample_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """Which number of images a throughput counts, with which workloads, and whether the source
    prints it.
    """
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


def compare(table: pd.DataFrame, facts: Facts, locale: Locale) -> Sentence:
    """The two fastest systems with the first workload, at the largest batch size that all of them
    trained at; else the fastest alone.
    """
    spoken = common.Spoken(facts, locale)
    rows = common.of_first_workload(table)
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
        spoken.number("times", f"ratio({first['throughput_ref']}, {second['throughput_ref']})", 2),
        spoken.quantity("second_value", second["throughput_ref"], "images/s"),
    )
    return Sentence("headline.first", figures, {**names, "second": second["label"]})
