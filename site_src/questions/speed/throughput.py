"""Which system trains fastest, and at which batch size?"""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels.catalog import Catalog
from kernels.records import Run
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column
from site_src.figures.controls import Control, MarkNote, Preset, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Cell


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """Training throughput on synthetic data by batch size: one row per run of the source, failed
    ones included.

    Columns beside `COMMON`: `batch` and `batch_per_chip` in samples, `throughput` in images/s (or
    what the runs count) over all chips, `throughput_per_chip`, `recommended` by the vendor,
    `reference`: the row that a baseline takes of its series.
    """
    runs = tables.runs_in_force(
        evidence.archive,
        lambda run: run.data in tables.SYNTHETIC and run.global_batch_size is not None,
        source=source,
    )
    best = {tables.series_id(run): run for run in sorted(runs, key=_order)}
    rows = []
    for run in sorted(runs, key=lambda run: run.global_batch_size or 0):
        metric = tables.throughput_metric(run)
        ref = f"run:{run.run_id}:{metric.key}" if metric is not None else None
        bound = metric.bound.value if metric else None
        own = tables.figure(evidence.facts, ref) if ref else None
        each = (
            f"per_chip({ref}, run:{run.run_id}:accelerators)" if ref and run.accelerators else None
        )
        per_chip = tables.cell(evidence.facts, each)
        if ref and each:
            worth = tables.worth(evidence.facts, each, ref, most=1)
            per_chip = replace(per_chip, bound=bound, decimals=worth)
        rows.append(
            {
                **tables.common(run, metric, evidence.catalog),
                "status": tables.ended(run, metric),
                "batch": tables.stated(run, "global_batch_size"),
                "batch_per_chip": Cell(
                    run.batch_size_per_accelerator, f"run:{run.run_id}:batch_size_per_accelerator"
                ),
                "throughput": Cell(own, ref, tables.interval(metric), bound),
                "throughput_per_chip": per_chip,
                "recommended": {True: "yes", False: "no", None: None}[run.batch_recommended],
                **tables.feed(run),
                "reference": best[tables.series_id(run)] is run,
                "unit": metric.unit if metric else None,
            }
        )
    return tables.frame(rows)


def _order(run: Run) -> tuple[bool, bool, int]:
    """Sort key: the last run represents its series."""
    metric = tables.throughput_metric(run)
    return (
        metric is not None and metric.value is not None,
        run.batch_recommended is True,
        run.global_batch_size or 0,
    )


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.BATCH,
    Column("batch_per_chip", "column.batch_per_chip", "number", unit="images", decimals=0),
    common.THROUGHPUT,
    Column(
        "throughput_per_chip", "column.throughput_per_chip", "number", unit="images/s", decimals=1
    ),
    Column("recommended", "column.recommended", "key", prefix="recommended"),
    *common.FEED,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Throughput by batch size of a source's runs on synthetic data; None if it has none."""
    table = common.by_precision(rows_of(evidence, source))
    if not _with_speed(evidence.archive, source):
        return None
    unreported = tables.not_reported(evidence.archive, source)
    controls = [
        replace(
            common.BASIS,
            fields={
                **common.BASIS.fields,
                "category": {"global": "batch", "chip": "batch_per_chip"},
            },
        )
    ]
    if ((table["recommended"] == "no") & table["throughput"].notna()).any():
        table["advised"] = [None if value != "no" else "all" for value in table["recommended"]]
        controls.append(
            Control(
                "advice",
                (
                    common.choice("all", "control.all"),
                    common.choice("recommended", "control.advice_recommended"),
                ),
                filters="advised",
            )
        )

    labels = dict(zip(table["run_id"], table["label"], strict=True))

    def sentence(locale: Locale) -> Sentence:
        return _compared(evidence, source, labels, locale)

    return Figure(
        id=f"{source}-throughput",
        page=page,
        key="throughput",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "throughput", "category": "batch"},
        draw=draw,
        sentence=sentence,
        axis={
            "throughput": "axis.images_per_second",
            "throughput_per_chip": "axis.images_per_second_per_chip",
        },
        controls=tuple(controls),
        notes=partial(_notes, unreported, table, evidence.catalog),
        presets=(
            *(Preset("chip", {"basis": "chip"}) for control in controls if control.key == "basis"),
            *common.relative(table, "throughput"),
        ),
        relative=True,
        log=True,
    )


def _notes(
    unreported: list[Run], table: pd.DataFrame, catalog: Catalog, locale: Locale
) -> list[str]:
    said: list[str] = []
    if (table["recommended"] == "yes").any():
        said.append(MarkNote(locale.say("figure.throughput.recommended")))
    if "advised" in table:
        said.append(MarkNote(locale.say("figure.throughput.advised_against")))
    if (table["status"] == "oom").any():
        said.append(locale.say("figure.missing_oom"))
    if unreported:
        labels = list(dict.fromkeys(tables.series_label(run, catalog) for run in unreported))
        said.append(locale.say("figure.throughput.unreported", series=locale.join(labels)))
    return said


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars by batch size; a diamond if the vendor recommends it, a cross for out of memory."""
    per_chip = sketch.figure.field_of("category", sketch.state) == "batch_per_chip"
    title = sketch.say("axis.batch_per_chip" if per_chip else "axis.batch")
    category = bars.groups(title)
    offset = alt.XOffset(
        field="label", type="nominal", sort=[series.label for series in sketch.figure.series]
    )
    look: dict[str, Any] = {"shape": "diamond", "size": 90, "opacity": 1, "yOffset": -14}
    advice = [
        bars.layer(name, f"datum.recommended == '{said}' && isValid(datum.value)")
        .mark_point(filled=said == "yes", color=sketch.ink, **look)
        .encode(x=category, xOffset=offset, y=bars.down("height"))
        for name, said in (("recommended", "yes"), ("not_recommended", "no"))
        if (sketch.figure.table["recommended"] == said).any()
    ]
    return [*bars.grouped_bars(sketch, category), *advice]


def _with_speed(archive: Archive, source: str) -> list[Run]:
    """The source's runs on synthetic data with a speed."""

    def drawn(run: Run) -> bool:
        return (
            run.data in tables.SYNTHETIC
            and run.global_batch_size is not None
            and tables.has_speed(run)
        )

    return tables.runs_in_force(archive, drawn, source=source)


def _compared(
    evidence: Evidence, source: str, labels: Mapping[str, str], locale: Locale
) -> Sentence:
    """The two fastest at the largest batch size that all ran; else the fastest alone."""
    spoken = common.Spoken(evidence.facts, locale)
    runs = _with_speed(evidence.archive, source)
    shared = tables.common_batch(runs)
    runs = shared or runs
    refs = {
        run.run_id: f"run:{run.run_id}:{metric.key}"
        for run in runs
        if (metric := tables.throughput_metric(run)) is not None
    }
    ranked = sorted(
        runs, key=lambda run: evidence.facts.get(refs[run.run_id]).value or 0, reverse=True
    )

    first = ranked[0]
    batch = spoken.number("batch", f"run:{first.run_id}:global_batch_size")
    top = spoken.quantity("first_value", refs[first.run_id], "images/s")
    names = {"first": labels[first.run_id]}
    if len(ranked) == 1 or not shared:
        return Sentence("headline.single", (batch, top), names)
    second = ranked[1]
    names["second"] = labels[second.run_id]
    ref = f"percent_more({refs[first.run_id]}, {refs[second.run_id]})"
    gap = spoken.quantity("gap", ref, "percent", 1)
    if gap[2] == 0:
        return Sentence("headline.equal", (batch, top), names)
    last = spoken.quantity("second_value", refs[second.run_id], "images/s")
    return Sentence("headline.first", (batch, top, gap, last), names)
