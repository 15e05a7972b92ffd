"""Points of curves as shown and summed up."""

from collections.abc import Sequence

import pandas as pd

from site_src import tables
from site_src.figures import common, own_runs
from site_src.figures.base import Digest
from site_src.figures.columns import Column, present
from site_src.tables import curve


def timed(table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The table with `time` and `train_time` in its longest run's unit; empty without a clock."""
    seconds = [float(value) for value in table["time_s"] if present(value)]
    unit = curve.unit_of(max(seconds, default=0.0))
    size, decimals = curve.SIZES[unit]
    for name in ("time", "train_time"):
        found = [
            round(float(value) / size, decimals) if present(value) else None
            for value in table[f"{name}_s"]
        ]
        table = table.assign(**{name: _objects(found, table)})
    return table, unit if seconds else ""


def read_in(table: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The table with qualities as shown: BLEU from 0 to 100."""
    if tuple(metrics) != (tables.BLEU,):
        return table
    values = [
        tables.level(tables.BLEU, float(value)) if present(value) else None
        for value in table["quality"]
    ]
    refs = [f"product({ref}, number:100)" if present(ref) else None for ref in table["quality_ref"]]
    return table.assign(quality=_objects(values, table), quality_ref=_objects(refs, table))


def _objects(values: Sequence[object], table: pd.DataFrame) -> pd.Series:
    return pd.Series(values, index=table.index, dtype=object)


def _read(table: pd.DataFrame, along: str) -> pd.DataFrame:
    return table[(table["kind"] == "evaluation") & table[along].notna()]


def banded(table: pd.DataFrame, along: str) -> bool:
    """Returns True if several runs of a series have a reading at the same place."""
    read = _read(table, along)
    return bool((read.groupby(["series", "metric", along])["run_series"].nunique() > 1).any())


def digest(
    table: pd.DataFrame, drawn: pd.DataFrame, metrics: Sequence[str], along: str, unit: str
) -> Digest:
    """The page's table of a chart of very many marks."""
    labels = dict(zip(drawn["series"], drawn["label"], strict=True))
    table = table.assign(
        family_id=[tables.slug(str(name)) for name in table["family"]],
        label=[labels[name] for name in table["series"]],
    )
    counted = "epochs" if along == "epoch" else along
    target = Column("target", "column.target", "fraction", decimals=1)
    if not curve.PLAIN.isdisjoint(metrics):
        target = Column("target", "column.target", "number")
    elif tables.BLEU in metrics:
        target = Column("target", "column.target", "number", decimals=1)
        table["target"] = [tables.level(tables.BLEU, float(value)) for value in table["target"]]
    ends = ("low", "mid", "high")
    return Digest(
        table,
        (
            common.SERIES,
            *(
                [Column("metric", "control.measure", "key", prefix="metric")]
                if len(metrics) > 1
                else []
            ),
            target,
            Column("n", "column.n", "number", decimals=0),
            Column("hits", "column.converged", "number", decimals=0),
            *own_runs.sizes(table),
            *common.warned(table),
            *(
                Column(f"reach_{end}", f"column.{counted}_to_target_{end}", "number", counted=True)
                for end in ends
            ),
            *(
                Column(
                    f"time_{end}", f"column.time_to_target_{end}", "number", unit=unit, decimals=2
                )
                for end in (ends if unit else ())
            ),
            common.BATCH_SIZE,
            Column("software", "column.framework"),
            Column("submitter", "column.submitter"),
            Column("division", "column.division", "key", prefix="division"),
            Column("page", "column.source", "link", prefix="figure.convergence.round_page"),
        ),
    )
