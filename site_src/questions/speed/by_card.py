"""How many images a second does one card train, or classify?"""

import re
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.analysis.repetitions import OWN
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.reading import where
from kernels.records import Hardwares, Mode, Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, Said, Sentence
from site_src.figures.marks import bars, ranges, rows
from site_src.locales import Locale
from site_src.tables import Cell, Row, settings

PAGE: Final = "throughput/"
SUBJECT: Final = "throughput"

FIRST: Final = "resnet50-imagenet"
"""The workload drawn first: the usual yardstick."""

TASK: Final = "image-classification"

FORMATS: Final = {
    "fp16": ("amp_fp16", "fp16"),
    "bf16": ("amp_bf16", "bf16"),
    "tf32": ("tf32",),
    "fp32": ("fp32",),
}
"""Precisions that share a choice, by its value in addresses; the first is drawn first."""


def figures(evidence: Evidence) -> list[Figure]:
    """Training and inference as separate figures, if cards have data."""
    return [
        _figure(table, mode, evidence)
        for mode in Mode
        if not (table := rows_of(evidence, mode)).empty
    ]


def rows_of(evidence: Evidence, mode: Mode) -> pd.DataFrame:
    """One row per configuration of one accelerator, on synthetic data: by workload, training code,
    and throughput.

    A configuration is training code, system, precision, memory layout and compilation; of several
    versions of a framework the newest, of several batch sizes the fastest. Processors are left out.
    Columns beside `COMMON`: `workload`, `workload_name`, `throughput` in images/s, `batch`, `code`,
    `version`, `layout`, `compiled`, `format`: one of `FORMATS`, and `conditions`, which comparable
    rows share.
    """
    best: dict[tuple[object, ...], Run] = {}
    for run in sorted(_runs(evidence, mode), key=_order):
        best[run.workload, run.system, *_conditions(run)] = run
    made = [_row(run, evidence) for run in best.values()]
    return tables.frame(
        sorted(
            made,
            key=lambda row: (
                row["workload"] != FIRST,
                row["workload_name"],
                row["code"] or "",
                -row["throughput"].value,
            ),
        )
    )


def _runs(evidence: Evidence, mode: Mode) -> list[Run]:
    catalog = evidence.catalog
    return [
        run
        for workload in catalog.workloads.values()
        if workload.task == TASK
        for run in where(evidence.archive.runs, workload=workload.workload)
        if run.mode is mode and run.withdrawn is None and _is_of_one_card(run, catalog)
    ]


def _is_of_one_card(run: Run, catalog: Catalog) -> bool:
    metric = tables.throughput_metric(run)
    hardware = catalog.hardware.get(run.accelerator or "")
    return (
        hardware is not None
        and hardware.kind is not Hardwares.CPU
        and run.accelerators == 1
        and run.origin not in OWN
        and run.data in tables.SYNTHETIC
        and tables.has_speed(run)
        and metric is not None
        and metric.unit == "images/s"
    )


def _order(run: Run) -> tuple[list[int], float]:
    metric = tables.throughput_metric(run)
    version = [int(part) for part in re.findall(r"\d+", run.framework_version or "")]
    return version, (metric.value if metric else None) or 0.0


def _conditions(run: Run) -> tuple[str | None, ...]:
    compiled = "inductor" if settings.is_compiled(run) else "eager"
    layout = settings.layout_of(run)
    return run.implementation, run.framework, run.precision.value, layout, compiled


def _row(run: Run, evidence: Evidence) -> Row:
    metric = tables.throughput_metric(run)
    assert metric is not None  # noqa: S101 - rows are made of runs with a figure
    ref = f"run:{run.run_id}:{metric.key}"
    code, _, precision, layout, compiled = _conditions(run)
    version = run.framework_version
    return {
        **tables.common(run, metric, evidence.catalog),
        **tables.workload(run, evidence.catalog),
        "category": run.run_id,
        "throughput": Cell(tables.figure(evidence.facts, ref), ref, bound=metric.bound.value),
        "batch": tables.stated(run, "global_batch_size"),
        **tables.feed(run),
        "code": code,
        "version": version,
        "layout": layout,
        "compiled": compiled,
        "format": next((name for name, known in FORMATS.items() if precision in known), None),
        "conditions": " ".join(map(str, (*_conditions(run), version))),
    }


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    common.WORKLOAD_ID,
    common.THROUGHPUT,
    common.BATCH,
    Column("layout", "column.memory_layout", absent="not_stated"),
    Column("compiled", "column.compiled", "key", prefix="setting_side"),
    Column("version", "column.framework_version", absent="not_stated"),
    Column("code", "column.code", absent="not_stated"),
    Column("format", "column.precision", shown=False),
    *common.FEED,
    *common.PROVENANCE,
)


def _figure(table: pd.DataFrame, mode: Mode, evidence: Evidence) -> Figure:
    table = common.without_shared(table, "label")
    found = tables.rows(table)
    workloads = common.workload_control(table, evidence.catalog)
    formats = [name for name in FORMATS if (table["format"] == name).any()]
    controls = (workloads, *([_formats(formats)] if len(formats) > 1 else []))
    states = [
        {"workload": workload.value, "precision": name}
        for workload in workloads.choices
        for name in formats
    ]
    first = {"workload": workloads.default, "precision": formats[0]}
    return Figure(
        id=f"{SUBJECT}-{mode}",
        page=PAGE,
        key=f"by_card_{mode}",
        subject=SUBJECT,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "throughput"},
        draw=draw,
        sentence=partial(_sentence, _of_state(found, first), evidence.facts),
        sentences=tuple(
            Said(
                {key: value for key, value in state.items() if value != first[key]},
                partial(_sentence, kept, evidence.facts),
            )
            for state in states
            if state != first and (kept := _of_state(found, state))
        ),
        axis={"throughput": "axis.images_per_second"},
        controls=controls,
        notes=partial(_notes, table),
        name=_name,
        count=False,
        line=rows.LINE,
        legend=False,
    )


def _formats(found: Sequence[str]) -> Control:

    def named(name: str) -> Choice:
        return Choice(name, lambda _: tables.FORMATS[FORMATS[name][-1]])

    return Control("precision", tuple(map(named, found)), filters="format")


def _of_state(found: Sequence[Row], state: Mapping[str, str]) -> list[Row]:
    return [
        row
        for row in found
        if (row["workload"], row["format"]) == (state["workload"], state["precision"])
    ]


def _notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    several = table["code"].nunique(dropna=False) > 1
    return [
        locale.say("figure.by_card.conditions"),
        *([locale.say("figure.by_card.codes")] if several else []),
        *common.count_notes(table, "throughput", locale),
    ]


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    return rows.wrapped((row["label"], ""), told(row, locale, batch=True))


def told(row: Row, locale: Locale, *, batch: bool = False) -> list[str]:
    """The conditions of a figure, in words."""
    return [
        *(row[name] for name in ("code", "layout") if present(row[name])),
        *([locale.say("setting_side.inductor")] if row["compiled"] == "inductor" else []),
        " ".join(row[name] for name in ("framework", "version") if present(row[name])),
        *([locale.say("run.batch", batch=row["batch"])] if batch and present(row["batch"]) else []),
        locale.say(f"precision.{row['precision']}"),
    ]


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Horizontal bars, in the order of the rows."""
    return [rows.order(), *ranges.draw(sketch, bars.value_axis(sketch), from_zero=True)]


def _sentence(found: Sequence[Row], facts: Facts, locale: Locale) -> Sentence:
    """The two fastest under the most common conditions; else only the fastest."""
    spoken = common.Spoken(facts, locale)
    groups: dict[str, list[Row]] = {}
    for row in found:
        groups.setdefault(row["conditions"], []).append(row)
    first, *others = max(groups.values(), key=lambda each: (len(each), each[0]["throughput"]))
    top = spoken.quantity("first_value", first["throughput_ref"], "images/s")
    names = {
        "workload": first["workload_name"],
        "first": first["label"],
        "conditions": " · ".join(told(first, locale)),
    }
    if not others:
        return Sentence("headline.single", (top,), names)
    second = others[0]
    names["second"] = second["label"]
    ref = f"percent_more({first['throughput_ref']}, {second['throughput_ref']})"
    gap = spoken.quantity("gap", ref, "percent", 1)
    if gap[2] == 0:
        return Sentence("headline.equal", (top,), names)
    last = spoken.quantity("second_value", second["throughput_ref"], "images/s")
    return Sentence("headline.first", (top, gap, last), names)
