"""How fast does each system train one workload, whoever measured it?"""

from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import Run, Status
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Preset, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Cell, Row
from site_src.tables.settings import layout_of


def rows_of(evidence: Evidence, workload: str) -> pd.DataFrame:
    """Training throughput on synthetic data of every configuration of a workload, fastest first;
    the newest run of each.

    A configuration is system, framework, batch size, precision, origin, and the memory layout if a
    table of others states it. Columns beside `COMMON`: `batch` in samples, `throughput` in images/s
    over all chips with its interval, `throughput_per_chip`, and `layout`.
    """
    runs = tables.runs_in_force(
        evidence.archive, workload=workload, keep=lambda run: run.data in tables.SYNTHETIC
    )
    latest: dict[tuple[object, ...], Run] = {}
    for run in sorted(
        runs,
        key=lambda run: (
            run.started_at is not None,
            run.started_at.timestamp() if run.started_at else 0.0,
        ),
    ):
        metric = tables.throughput_metric(run)
        if (
            run.status is Status.OK
            and metric is not None
            and metric.unit == "images/s"
            and metric.value is not None
        ):
            latest[
                tables.series_id(run),
                run.global_batch_size,
                run.precision,
                run.origin,
                layout_of(run),
            ] = run
    rows = [_row(run, evidence) for run in latest.values()]
    return tables.frame(sorted(rows, key=lambda row: row["throughput"].value, reverse=True))


def _row(run: Run, evidence: Evidence) -> Row:
    metric = tables.throughput_metric(run)
    assert metric is not None  # noqa: S101 - rows are made of runs with a figure
    ref = f"run:{run.run_id}:{metric.key}"
    per_chip = f"per_chip({ref}, run:{run.run_id}:accelerators)" if run.accelerators else None
    bound, whole = metric.bound.value, tables.figure(evidence.facts, ref)
    each = tables.cell(evidence.facts, per_chip)
    if per_chip:
        worth = tables.worth(evidence.facts, per_chip, ref, most=_decimals(each.value))
        each = replace(each, decimals=worth)
    return {
        **tables.common(run, metric, evidence.catalog),
        "batch": tables.stated(run, "global_batch_size"),
        "layout": layout_of(run),
        **tables.feed(run),
        "throughput": Cell(whole, ref, tables.interval(metric), bound, _decimals(whole)),
        "throughput_per_chip": replace(each, bound=bound),
    }


def _decimals(value: float | None) -> int:
    """Decimals that leave at least three digits."""
    return 0 if value is None or value >= 100 else 1 if value >= 10 else 2  # noqa: PLR2004 - the digits before the point


ORDERS = 20
"""From this ratio of figures, bars on a linear axis would hide the small ones."""


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.BATCH,
    Column("layout", "column.memory_layout", shown=False),
    Column("throughput", "column.throughput_images_per_s", "number", unit="images/s"),
    Column("throughput_per_chip", "column.throughput_per_chip", "number", unit="images/s"),
    *common.FEED,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, workload: str, page: str) -> Figure | None:
    """Throughput over all sources; None for only one, whose report has its figure."""
    table = common.by_precision(rows_of(evidence, workload))
    if table.empty or table["source"].nunique() < 2:  # noqa: PLR2004 - one source is no comparison
        return None
    table["category"] = table["run_id"]
    rows = tables.rows(table)

    values = [row["throughput"] for row in rows]
    apart = max(values) > ORDERS * min(values)
    by_chip = table["throughput_per_chip"].notna().all()

    return Figure(
        id=f"{workload}-throughput",
        page=page,
        key="speed",
        subject=workload,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "throughput"},
        draw=bars.lying_bars,
        sentence=partial(_sentence, rows, evidence.facts),
        axis={
            "throughput": "axis.images_per_second",
            "throughput_per_chip": "axis.images_per_second_per_chip",
        },
        controls=(common.BASIS,) if by_chip else (),
        notes=lambda locale: [locale.say("figure.speed.conditions")],
        name=_name,
        log_first=apart,
        presets=(Preset("chip", {"basis": "chip"}),) if by_chip else (),
        line=bars.LINE,
        relative=True,
        log=True,
    )


def _sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    first = rows[0]
    figures = (
        common.count("runs", len(rows), locale),
        spoken.quantity("first_value", first["throughput_ref"], "images/s"),
        spoken.number("batch", first["batch_ref"]),
    )
    return Sentence("headline.first", figures, {"first": first["label"]})


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    batch = locale.number(row["batch"], 0) if present(row["batch"]) else locale.say("not_stated")
    precision = locale.say(
        "run.precision_unknown"
        if row["precision"] == "unknown"
        else f"precision.{row['precision']}"
    )
    origin = locale.say(f"origin.{row['origin']}")
    under = locale.say("figure.speed.under", batch=batch, precision=precision, origin=origin)
    return row["label"], f"{row['layout']} · {under}" if present(row["layout"]) else under
