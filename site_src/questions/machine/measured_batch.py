"""How fast does this machine train, at each batch size?"""

from collections.abc import Sequence
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.analysis.repetitions import Setup
from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common, own_runs
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, MarkNote, Sentence, Series
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.speed.batch import LOAD, most_bars
from site_src.tables import Row, measured

AXES: Final = {
    "images/s": "axis.images_per_second",
    "samples/s": "axis.samples_per_second",
    "tokens/s": "axis.tokens_per_second",
}
"""Titles of the value axis by the unit that a throughput counts."""


def series_column(table: pd.DataFrame) -> Column:
    """The column of the series: precision, and framework if there are several."""
    several = table["framework"].nunique() > 1
    return Column(
        "label", "column.series_format_framework" if several else "column.precision", "series"
    )


def figure(found: Sequence[Setup], evidence: Evidence, system: str, page: str) -> Figure | None:
    """Throughput by batch size of each network; None if nothing was timed."""
    table = measured.batches(found, evidence)
    if table.empty or table["throughput"].notna().sum() == 0:
        return None
    rows = tables.rows(table)
    units = {row["workload"]: row["unit"] for row in reversed(rows) if present(row["unit"])}
    return Figure(
        id=f"{system}-batch",
        page=page,
        key="measured_batch",
        subject=system,
        table=table,
        columns=(
            series_column(table),
            common.WORKLOAD,
            Column("workload_id", "column.workload_id", shown=False),
            *common.FEED,
            Column("batch", "column.global_batch_size", "number", decimals=0, counted=True),
            Column("throughput", "column.throughput_images_per_s", "number"),
            Column("unit", "column.unit", "key", prefix="unit", absent="not_measured"),
            *([LOAD] if table["load"].notna().any() else []),
            Column("steps", "column.steps_timed", "number", decimals=0, counted=True),
            *own_runs.sizes(table),
            *common.warned(table),
            *common.PROVENANCE,
        ),
        series=series(table),
        fields={"value": "throughput", "category": "batch"},
        draw=draw,
        **common.by_workload(table, "throughput", partial(sentence, evidence.facts)),
        presets=common.relative(table, "throughput"),
        axis={"throughput": "axis.images_per_second"},
        axis_by={
            "workload": {
                name: AXES[units.get(name, "images/s")] for name in dict.fromkeys(table["workload"])
            }
        },
        controls=(Control("workload", choices(rows), filters="workload"),),
        notes=lambda locale: [*notes(table, locale), *own_runs.warning_notes(found, table, locale)],
        remark=lambda row, _, locale: own_runs.remark(row, few(row, "throughput", locale), locale),
        group="batch",
        count=False,
        whose=measured.name(found, evidence.catalog),
        relative=True,
        log=True,
    )


def series(table: pd.DataFrame) -> tuple[Series, ...]:
    """A series per precision, and per framework if there are several."""
    found: dict[str, Series] = {}
    for row in tables.rows(table):
        framework = row["framework"] if present(row["framework"]) else None
        look = themes.of_format(row["precision"].removeprefix("amp_"), framework)
        found.setdefault(row["series"], Series(row["series"], row["label"], look))
    return tuple(
        found[name]
        for name in sorted(found, key=lambda name: (found[name].look.dash == themes.DASH, name))
    )


def choices(rows: Sequence[Row]) -> tuple[Choice, ...]:
    """The workloads, with real and synthetic data as separate choices."""
    real = {row["workload"]: present(row["real"]) for row in rows}
    names = {row["workload"]: row["workload_name"] for row in rows}
    return tuple(
        Choice(key, lambda locale, key=key: _named(names[key], real[key], locale))  # type: ignore[misc]  # bound early
        for key in names
    )


def _named(name: str, real: bool, locale: Locale) -> str:
    return locale.say("join.paren", text=name, note=locale.say("data.real")) if real else name


def few(row: Row, name: str, locale: Locale) -> str | None:
    """The number of steps behind a figure, if too few for an interval."""
    if present(row[f"{name}_low"]) or not present(row["steps"]):
        return None
    return locale.say("n_is", n=row["steps"])


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars in groups by batch size, with intervals; a cross where memory ran out."""
    category = bars.groups(sketch.say("axis.global_batch_size"))
    return bars.grouped_bars(sketch, category, turned=most_bars(sketch.figure))


def notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The notes on intervals, on the settings drawn, and on marks without a figure."""
    signs = ["figure.measured.interval"]
    if any(few(row, "throughput", locale) for row in tables.rows(table)):
        signs.append("figure.measured_batch.few")
    return [
        *(MarkNote(locale.say(key)) for key in signs),
        locale.say("figure.measured_batch.settings"),
        *common.oom_notes(table, locale),
        *own_runs.size_notes(table, locale),
    ]


def sentence(facts: Facts, rows: Sequence[Row], locale: Locale) -> Sentence:
    """The fastest batch size, among the rows of one workload."""
    spoken = common.Spoken(facts, locale)
    own = [row for row in rows if present(row["throughput"])]
    best = max(own, key=lambda row: (present(row["throughput_low"]), row["throughput"]))
    unit = best["unit"]
    figures = (
        spoken.number("batch", best["batch_ref"]),
        spoken.quantity("value", best["throughput_ref"], unit, best["throughput_decimals"]),
    )
    # a faster figure of too few steps for an interval is next to it
    passed = present(best["throughput_low"]) and any(
        row["throughput"] > best["throughput"] for row in own
    )
    names = {"workload": best["workload_name"], "series": best["label"]}
    return Sentence("headline.interval" if passed else "headline.first", figures, names)
