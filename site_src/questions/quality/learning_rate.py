"""Which learning rate does each batch size use, and when does it drop?"""

from collections.abc import Iterator
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import Run
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column
from site_src.figures.controls import Sentence, Series
from site_src.figures.marks import bars
from site_src.figures.theme import Look
from site_src.locales import Locale
from site_src.tables import Row, printed

NEEDED = ("base-rate", "base-batch", "factor", "epochs")


def cell_refs(archive: Archive, source: str) -> dict[str, str]:
    """References to the rule's figures by row."""
    return {
        row: printed.ref(cell)
        for (row, column), cell in printed.cells(archive, source, "learning-rate").items()
        if column == "value" and cell.value is not None
    }


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per batch size of the source's runs and stretch of epochs with one rate; empty if the
    source prints no such rule.

    Columns beside `COMMON`: `batch` in images, `start` and `end` in epochs, `rate`, `next`: the
    rate that follows, None for the last.
    """
    refs = cell_refs(evidence.archive, source)
    if not refs.keys() >= set(NEEDED):
        return tables.frame(())
    sizes: dict[int, Run] = {}
    for run in tables.runs_in_force(evidence.archive, source=source):
        if run.global_batch_size is not None:
            sizes.setdefault(run.global_batch_size, run)
    drops = (ref for row, ref in refs.items() if row.endswith("-drop"))
    ends = [*sorted(drops, key=lambda ref: evidence.facts.get(ref).value or 0.0), refs["epochs"]]
    origin = printed.source_of(evidence.archive, source)
    locators = {printed.ref(c): c.locator for c in evidence.archive.cells if c.source == source}
    shared = printed.of_source(origin)
    rows: list[Row] = []
    for size in sorted(sizes):
        batch = f"run:{sizes[size].run_id}:global_batch_size"
        if evidence.facts.get(batch).unit != evidence.facts.get(refs["base-batch"]).unit:
            continue  # the rule does not cover batches that count something else
        rate = f"scaled_rate({refs['base-rate']}, {batch}, {refs['base-batch']})"
        start = "number:0"
        for end in ends:
            falls = f"product({rate}, {refs['factor']})"
            rows.append(
                {
                    **shared,
                    "series": f"batch-{size}",
                    "label": str(size),
                    "locator": locators[end],
                    "batch": tables.Cell(size, batch),
                    "start": tables.cell(evidence.facts, start),
                    "end": tables.cell(evidence.facts, end),
                    "rate": tables.cell(evidence.facts, rate),
                    "next": tables.figure(evidence.facts, falls) if end is not ends[-1] else None,
                }
            )
            start, rate = end, falls
    return tables.frame(rows)


LOOKS: Final = (
    Look("#8a6d00", "#e3c545", "diamond"),
    Look("#a8283c", "#f28a96", "square"),
    Look("#a23f83", "#e08fc4", "triangle-down"),
    Look("#2a62b8", "#7db3ff", "circle"),
    Look("#00795a", "#2fc79a", "triangle-up"),
)
"""Looks that batch sizes take in turn."""


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """The rate as steps by epoch, a series per batch size; None if a source prints no rule."""
    table = rows_of(evidence, source)
    if table.empty:
        return None
    refs = cell_refs(evidence.archive, source)
    rows = tables.rows(table)

    def sentence(locale: Locale) -> Sentence:
        return _sentence(rows, refs, evidence.facts, locale)

    return Figure(
        id=f"{source}-learning-rate",
        page=page,
        key="learning_rate",
        subject=source,
        table=table,
        columns=(
            Column("label", "column.global_batch_size", "series"),
            Column(
                "batch",
                "column.global_batch_size",
                "number",
                unit="images",
                decimals=0,
                shown=False,
            ),
            Column("start", "column.start", "number", unit="epochs", decimals=0, counted=True),
            Column("end", "column.end", "number", unit="epochs", decimals=0, counted=True),
            Column("rate", "column.learning_rate", "number"),
            *common.WITHOUT_RUN,
        ),
        series=tuple(_series(rows)),
        fields={"value": "rate"},
        draw=draw,
        sentence=sentence,
        axis={"rate": "axis.learning_rate"},
        notes=lambda locale: list(_notes(refs, evidence.facts, locale)),
        name=_name,
        count=False,
        log_first=True,
        log=True,
    )


def _series(rows: list[Row]) -> Iterator[Series]:
    for index, (name, label) in enumerate(
        dict.fromkeys((row["series"], row["label"]) for row in rows)
    ):
        yield Series(name, label, LOOKS[index % len(LOOKS)])


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    batch, rate = row["batch"], row["rate"]
    words = locale.say(
        "figure.learning_rate.batch", batch=locale.number(batch, 0), rate=locale.number(rate)
    )
    return row["label"], words if row["start"] == 0 else ""


def _notes(refs: dict[str, str], facts: Facts, locale: Locale) -> Iterator[str]:
    rate, batch, momentum = (
        facts.get(refs[name]).value if name in refs else None
        for name in ("base-rate", "base-batch", "momentum")
    )
    yield locale.say(
        "figure.learning_rate.rule",
        rate=locale.number(rate or 0.0),
        batch=locale.number(batch or 0.0, 0),
    )
    if momentum is not None:
        yield locale.say("figure.learning_rate.momentum", momentum=locale.number(momentum))
    yield locale.say("figure.learning_rate.computed")


def _sentence(rows: list[Row], refs: dict[str, str], facts: Facts, locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    first = min(rows, key=lambda row: (row["batch"], row["start"]))
    last = min(rows, key=lambda row: (-row["batch"], row["start"]))
    figures = [
        spoken.number("first_value", first["rate_ref"], None),
        spoken.number("first_batch", first["batch_ref"]),
        spoken.number("second_value", last["rate_ref"], None),
        spoken.number("second_batch", last["batch_ref"]),
    ]
    drops = [
        row["end_ref"]
        for row in rows
        if row["series"] == first["series"] and row["next"] is not None
    ]
    if len(drops) != 2:  # noqa: PLR2004 - the sentence has two places
        return Sentence("headline.rule", tuple(figures))
    figures += [
        spoken.number("factor", refs["factor"], None),
        spoken.number("first_drop", drops[0]),
        spoken.number("second_drop", drops[1]),
        spoken.number("epochs", refs["epochs"]),
    ]
    return Sentence("headline.first", tuple(figures))


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A step per stretch of epochs, its rate beside it; the batch size is at the first."""
    longest = float(sketch.figure.table["end"].max())
    start = bars.x(
        "start",
        scale=alt.Scale(domain=[0, longest], nice=False),
        axis=bars.count_axis(sketch, "axis.epoch"),
    )
    scale = (
        alt.Scale(type="log", nice=False, padding=18) if sketch.log else bars.value_scale(sketch)
    )
    rate = bars.y("value", scale=scale, axis=bars.value_axis(sketch))
    colour = alt.Color(**bars.colour_by_id(sketch))  # without a legend: the words are at steps
    words: dict[str, Any] = {"align": "left", "dx": 5, "dy": -8, "fontSize": 12}
    return [
        alt.Chart(name="steps")
        .mark_rule(strokeWidth=3)
        .encode(x=start, x2=alt.X2(field="end"), y=rate, color=colour, tooltip=bars.tip()),
        bars.layer("falls", "isValid(datum.next)")
        .mark_rule(strokeWidth=1.5, opacity=0.6, strokeDash=[2, 3])
        .encode(x=bars.x("end"), y=rate, y2=alt.Y2(field="next"), color=colour),
        bars.layer("batches", "datum.start === 0")
        .mark_text(**words)
        .encode(x=start, y=rate, text=bars.said("under")),
        # on a linear axis the later rates would coincide
        bars.layer("rates", "datum.start > 0")
        .mark_text(opacity=1 if sketch.log else 0, **words)
        .encode(x=start, y=rate, text=bars.said("text")),
    ]
