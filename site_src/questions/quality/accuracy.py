"""Which system ends with the most accurate model?"""

from functools import partial
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row
from site_src.tables import quality as tables_quality


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """Final accuracy of the runs of a source, with the epochs trained."""
    rows = []
    for run in tables.runs_in_force(evidence.archive, source=source):
        metric = run.metric("final_accuracy")
        if metric is None:
            continue
        ref = f"run:{run.run_id}:final_accuracy"
        rows.append(
            {
                **tables.common(run, metric, evidence.catalog),
                "accuracy": tables.Cell(metric.value, ref, tables.interval(metric)),
                "epochs": tables.stated(run, "epochs_planned"),
                "batch": tables.stated(run, "global_batch_size"),
            }
        )
    return tables.frame(rows)


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    Column("accuracy", "column.final_top1", "fraction", decimals=1),
    Column("epochs", "column.epochs", "number", unit="epochs", decimals=0, counted=True),
    common.BATCH,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Final accuracy of a source's runs; None without any, and for sweeps (`quality_by_batch`)."""
    if tables_quality.sweeps(evidence.archive, source):
        return None
    table = common.by_precision(rows_of(evidence, source))
    if table.empty or table["accuracy"].notna().sum() == 0:
        return None
    table["category"] = table["run_id"]
    rows = tables.rows(table)

    return Figure(
        id=f"{source}-accuracy",
        page=page,
        key="accuracy",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "accuracy"},
        draw=bars.lying_bars,
        sentence=partial(_sentence, evidence.facts, rows),
        axis={"accuracy": "axis.top1"},
        name=_name,
        line=bars.LINE,
        relative=True,
    )


def _sentence(facts: Facts, rows: list[Row], locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    ranked = tables.ranked(rows, "accuracy")
    first, second = ranked[0], ranked[-1]
    names = {"first": first["label"], "second": second["label"]}
    top = spoken.percent("first_value", first["accuracy_ref"])
    then = None
    if len({row["epochs"] for row in ranked}) == 1 and present(first["epochs"]):
        # said only if all trained equally long
        epochs = spoken.quantity("epochs", first["epochs_ref"], "epochs")
        then = Sentence("headline.epochs", (epochs,))
    if len(ranked) == 1:
        return Sentence("headline.single", (top,), names, then=then)
    ref = f"points_more({first['accuracy_ref']}, {second['accuracy_ref']})"
    gap = spoken.quantity("gap", ref, "percentage_points", 1)
    if gap[2] == 0:
        return Sentence("headline.equal", (top,), names, then=then)
    last = spoken.percent("second_value", second["accuracy_ref"])
    return Sentence("headline.first", (top, last, gap), names, then=then)


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    epochs = row["epochs"]
    return row["label"], locale.quantity(epochs, "epochs", 0) if present(epochs) else ""
