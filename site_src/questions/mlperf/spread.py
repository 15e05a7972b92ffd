"""How far could seeds alone explain an article's speed-up above the number of its accelerators?"""

from typing import Final

from kernels.audit.facts import Facts
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, Sentence, StateNote
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.tables import Row, rounds, superlinear

NOTES: Final = ("spread.factor", "spread.seeds", "spread.whole", "spread.conditions")


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    Column("part", "column.part", "key", prefix="figure.spread.part"),
    Column("factor", "column.ratio", "times"),
    Column("epochs_low", "column.epochs_lowest", "number", counted=True),
    Column("epochs_high", "column.epochs_highest", "number", counted=True),
    Column("cards_low", "column.cards_from", "number", decimals=0, counted=True),
    Column("cards_high", "column.cards_to", "number", decimals=0, counted=True),
    Column("target", "column.target_quality", "fraction", decimals=1),
    Column("batch", "column.global_batch_size", "number", decimals=0),
    Column("workload", "column.workload_id", shown=False),
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Most over fewest epochs: over numbers of cards in the article, over seeds in the logs; None
    without both or without a speed-up.
    """
    speedups = superlinear.split(evidence, source)
    table = rounds.spreads(evidence, source)
    if speedups.empty or table.empty:
        return None
    last = speedups.to_dict("records")[-1]
    asked = str(last["workload"])  # the benchmark of the speed-up first
    table = table.iloc[
        sorted(range(len(table)), key=lambda place: table["workload"].iloc[place] != asked)
    ].reset_index(drop=True)
    records: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings
    if records[0]["workload"] != asked:
        return None
    table["category"] = [f"{row['workload']} {row['part']} {row['run_id']}" for row in records]
    names = {str(row["workload"]): str(row["workload_name"]) for row in records}

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
        sentence=lambda locale: _sentence(
            records,
            str(last["workload"]),
            speedups.to_dict("records"),  # type: ignore[arg-type]
            evidence.facts,
            locale,
        ),
        axis={"factor": "axis.times_equal"},
        controls=(
            Control(
                "workload",
                tuple(Choice(key, lambda _, name=name: name) for key, name in names.items()),  # type: ignore[misc]
                filters="workload",
            ),
        ),
        notes=lambda locale: [
            *(locale.say(f"figure.{key}") for key in NOTES),
            StateNote(locale.say("figure.convergence.unverified")),
        ],
        name=_name,
        log=False,
        relative=False,
        count=False,
        line=bars.LINE,
        legend=False,
    )


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    """The system or the submission; below it what varies, from the fewest epochs to the most."""
    number = {name: locale.number(float(str(row[name])), 0) for name in ("cards_low", "cards_high")}
    epochs = {name: locale.number(float(str(row[name]))) for name in ("epochs_low", "epochs_high")}
    if row["part"] == "cards":
        return str(row["label"]), locale.say("figure.spread.under_cards", **number, **epochs)
    runs = locale.number(float(str(row["n"])), 0)
    key = "under_seeds" if row["epochs_low"] != row["epochs_high"] else "under_seeds_equal"
    return str(row["label"]), locale.say(f"figure.spread.{key}", runs=runs, **epochs)


def _sentence(
    rows: list[Row], workload: str, speedups: list[Row], facts: Facts, locale: Locale
) -> Sentence:
    """The speed-up on the most accelerators as a multiple of linear, its factor from epochs, and
    the widest spread over seeds.
    """
    of = {
        str(row["part"]): row
        for row in speedups
        if row["cards"] == speedups[-1]["cards"] and row["workload"] == workload
    }
    seeds = [
        row
        for row in rows
        if row["part"] == "seeds" and row["workload"] == workload and present(row["factor"])
    ]
    widest = max(seeds, key=lambda row: float(str(row["factor"])))
    runs = sum(int(str(row["n"])) for row in seeds)

    def times(name: str, ref: object) -> tuple[str, str, float, str]:
        return common.told(name, facts, str(ref), locale, lambda value: common.times(value, locale))

    figures = (
        common.told(
            "cards",
            facts,
            str(speedups[-1]["cards_ref"]),
            locale,
            lambda value: locale.number(value, 0),
        ),
        times("beyond", of["speedup"]["efficiency_ref"]),
        times("convergence", of["convergence"]["factor_ref"]),
        times("seeds", widest["factor_ref"]),
        ("runs", locale.number(runs, 0), float(runs), f"number:{runs}"),
        ("submissions", locale.number(len(seeds), 0), float(len(seeds)), f"number:{len(seeds)}"),
    )
    names = {
        "system": str(speedups[-1]["label"]),
        "workload": str(widest["workload_name"]),
        "first": str(widest["label"]),
    }
    less = float(str(widest["factor"])) < float(str(of["convergence"]["factor"]))
    return Sentence("headline.less" if less else "headline.more", figures, names)
