"""How many epochs does a model need to reach its target, on one accelerator and on several?"""

from functools import partial
from typing import Final

import altair as alt

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row, epochs

COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    Column("cards", "column.chips", "number", decimals=0, counted=True),
    Column(
        "epochs",
        "column.epochs_to_target",
        "number",
        unit="epochs",
        decimals=0,
        counted=True,
    ),
    Column("time", "column.time_to_target", "quantity", absent="figure.epochs_by_cards.no_time"),
    common.UNIT,
    common.WORKLOAD_ID,
    Column("target_value", "column.target", "fraction", decimals=1, shown=False),
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Epochs by number of accelerators, a workload at a time; None if a source varies none."""
    table = epochs.by_cards(evidence, source)
    if table.empty:
        return None
    printed = all(row["printed"] for row in tables.rows(table))
    return Figure(
        id=f"{source}-epochs",
        page=page,
        key="epochs_by_cards",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "epochs", "category": "cards"},
        draw=draw,
        axis={"epochs": "axis.epochs_to_target"},
        controls=(common.workload_control(table, evidence.catalog),),
        **common.by_workload(table, "epochs", partial(_sentence, evidence.facts)),
        presets=common.further_workloads(table, "epochs"),
        notes=lambda locale: [
            MarkNote(locale.say("figure.epochs_by_cards.gap")),
            *([] if printed else [locale.say("figure.epochs_by_cards.rules")]),
        ],
        group="cards",
        count=False,
        relative=True,
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars in groups by number of accelerators; untried numbers keep their place."""
    counts = [row["cards"] for row in tables.rows(sketch.figure.table)]
    category = bars.groups(sketch.say("axis.cards"), domain=range(min(counts), max(counts) + 1))
    return bars.grouped_bars(sketch, category)


def _sentence(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    """Epochs on the fewest and on the most accelerators, of the first two systems."""
    spoken = common.Spoken(facts, locale)
    figures = []
    names = {"workload": rows[0]["workload_name"]}
    series = list(dict.fromkeys(row["series"] for row in rows))[:2]
    for ordinal, one in zip(("first", "second"), series, strict=False):
        own = sorted((row for row in rows if row["series"] == one), key=lambda row: row["cards"])
        names[ordinal] = own[0]["label"]
        for end, row in (("few", own[0]), ("many", own[-1])):
            figures.append(spoken.number(f"{ordinal}_{end}", row["cards_ref"]))
            figures.append(spoken.quantity(f"{ordinal}_{end}_value", row["epochs_ref"], "epochs"))
    key = "headline.first" if len(series) > 1 else "headline.single"
    return Sentence(key, tuple(figures), names)
