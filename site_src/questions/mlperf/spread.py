"""How much of an article's speed-up beyond linear could seeds alone explain?"""

from functools import partial
from typing import Final

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Sentence, StateNote
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.questions.mlperf.seeds import ends
from site_src.tables import Row, rounds
from site_src.tables import epochs as tables_epochs

NOTES: Final = ("spread.factor", "spread.seeds", "spread.whole", "spread.conditions")


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    Column("part", "column.part", "key", prefix="figure.spread.part"),
    Column("factor", "column.ratio", "times"),
    Column("epochs_low", "column.epochs_to_target_low", "number", counted=True),
    Column("epochs_high", "column.epochs_to_target_high", "number", counted=True),
    Column("cards_low", "column.cards_from", "number", decimals=0, counted=True),
    Column("cards_high", "column.cards_to", "number", decimals=0, counted=True),
    Column("target", "column.target", "fraction", decimals=1),
    common.BATCH_SIZE,
    common.WORKLOAD_ID,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Most over fewest epochs, over numbers of cards and over seeds; None unless both are known."""
    speedups = tables_epochs.speedups(evidence, source)
    table = rounds.spreads(evidence, source)
    if speedups.empty or table.empty:
        return None
    last = tables.rows(speedups)[-1]
    asked = last["workload"]  # the benchmark of the speed-up first
    table = table.iloc[
        sorted(range(len(table)), key=lambda place: table["workload"].iloc[place] != asked)
    ].reset_index(drop=True)
    records = tables.rows(table)
    if records[0]["workload"] != asked:
        return None
    table["category"] = [f"{row['workload']} {row['part']} {row['run_id']}" for row in records]

    return Figure(
        id=f"{source}-spread",
        page=page,
        key="spread",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "factor"},
        draw=lambda sketch: [rows.order(), *bars.lying_bars(sketch)],
        sentence=partial(_sentence, records, asked, tables.rows(speedups), evidence.facts),
        axis={"factor": "axis.times_equal"},
        controls=(common.workload_control(table, evidence.catalog),),
        notes=lambda locale: [
            *(locale.say(f"figure.{key}") for key in NOTES),
            StateNote(locale.say("figure.unverified")),
        ],
        name=_name,
        count=False,
        line=bars.LINE,
        legend=False,
    )


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    if row["part"] == "cards":
        number = {name: locale.number(row[name], 0) for name in ("cards_low", "cards_high")}
        epochs = {name: locale.number(row[name]) for name in ("epochs_low", "epochs_high")}
        return row["label"], locale.say("figure.spread.under_cards", **number, **epochs)
    runs = locale.say("runs.count", n=row["n"])
    took = ends(row["epochs_low"], row["epochs_high"], "epochs", locale, None)
    return row["label"], f"{runs} · {took}"


def _sentence(
    rows: list[Row], workload: str, speedups: list[Row], facts: Facts, locale: Locale
) -> Sentence:
    """The speed-up as a multiple of linear, its factor from epochs, and the spread over seeds."""
    spoken = common.Spoken(facts, locale)
    of = {
        row["part"]: row
        for row in speedups
        if row["cards"] == speedups[-1]["cards"] and row["workload"] == workload
    }
    seeds = [
        row
        for row in rows
        if row["part"] == "seeds" and row["workload"] == workload and present(row["factor"])
    ]
    widest = max(seeds, key=lambda row: row["factor"])
    runs = sum(row["n"] for row in seeds)
    figures = (
        spoken.number("cards", speedups[-1]["cards_ref"]),
        spoken.times("beyond", of["speedup"]["efficiency_ref"]),
        spoken.times("convergence", of["convergence"]["factor_ref"]),
        spoken.times("seeds", widest["factor_ref"]),
        common.count("runs", runs, locale),
        common.count("submissions", len(seeds), locale),
    )
    names = {
        "system": speedups[-1]["label"],
        "workload": widest["workload_name"],
        "first": widest["label"],
    }
    less = widest["factor"] < of["convergence"]["factor"]
    return Sentence("headline.less" if less else "headline.more", figures, names)
