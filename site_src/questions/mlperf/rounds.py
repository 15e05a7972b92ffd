"""How long do an article's benchmarks take in MLPerf's rounds, on the same accelerators?"""

from typing import Final

from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Sentence
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.tables import BLEU, Row, rounds

COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    Column("part", "column.part", "key", prefix="figure.rounds.part"),
    Column("cards", "column.chips", "number", decimals=0, counted=True, absent="not_stated"),
    Column("target", "column.target", "fraction", decimals=1),
    Column("target_second", "column.target_second", "fraction", decimals=1),
    Column("minutes", "column.score", "number", unit="min", decimals=1),
    Column("epochs_low", "column.epochs_to_target_low", "number", counted=True),
    Column("epochs_high", "column.epochs_to_target_high", "number", counted=True),
    common.BATCH_SIZE,
    common.WORKLOAD_ID,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Scores of submissions by benchmark, and the article's run; None without submissions."""
    table = rounds.scores(evidence, source)
    if table.empty:
        return None
    records = tables.rows(table)
    table["category"] = [f"{row['workload']} {row['run_id']}" for row in records]

    return Figure(
        id=f"{source}-rounds",
        page=page,
        key="rounds",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "minutes"},
        draw=lambda sketch: [rows.order(), *bars.lying_bars(sketch)],
        sentence=lambda locale: _sentence(records, records[0]["workload"], locale),
        sentences=tuple(
            said
            for said in common.of_further(
                table,
                "minutes",
                lambda own, locale: _sentence(records, own[0]["workload"], locale),
            )
            if len(_of_main_target(records, said.state["workload"])) > 1
        ),
        axis={"minutes": "axis.score_minutes"},
        controls=(common.workload_control(table, evidence.catalog),),
        notes=_notes,
        name=_name,
        reason=_reason,
        count=False,
        line=bars.LINE,
        legend=False,
    )


def _notes(locale: Locale) -> list[str]:
    return [
        locale.say(key)
        for key in (
            "score.note",
            "figure.rounds.protocol",
            "figure.targets_differ",
            "figure.rounds.software",
        )
    ]


def _level(row: Row, name: str, locale: Locale) -> str:
    """A target as shown: "75.9 %", "BLEU 24.0"."""
    bleu = row["target_metric"] == BLEU
    return f"BLEU {locale.number(row[name], 1)}" if bleu else locale.percent(row[name], 1)


def _reason(row: Row, locale: Locale) -> str | None:
    return locale.say("figure.rounds.kept_back") if row["status"] == "not_reported" else None


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    said = []
    if present(row["cards"]):
        said.append(locale.quantity(row["cards"], "chips", 0))
    targets = [
        _level(row, name, locale) for name in ("target", "target_second") if present(row[name])
    ]
    if targets:
        said.append(locale.say("figure.timeline.target", target=locale.join(targets)))
    if present(row["n"]):
        said.append(locale.say("runs.count", n=row["n"]))
    if row["part"] == "article":
        said.append(locale.say("figure.rounds.part.article"))
    return row["label"], " · ".join(said)


_ROUND: Final = "round"


def _of_main_target(rows: list[Row], workload: object) -> list[Row]:
    """A benchmark's submissions to its most frequent target, fastest first."""
    of = [row for row in rows if row["part"] == _ROUND and row["workload"] == workload]
    targets = [row["target"] for row in of]
    target = max(sorted(set(targets)), key=targets.count)
    return sorted((row for row in of if row["target"] == target), key=lambda row: row["minutes"])


def _sentence(rows: list[Row], workload: object, locale: Locale) -> Sentence:
    """The number of submissions; the fastest and the slowest of one benchmark."""
    found = [row for row in rows if row["part"] == _ROUND]
    told = _of_main_target(rows, workload)
    low, high = told[0], told[-1]
    target = low["target"]
    figures = (
        common.count("submissions", len(found), locale),
        common.count("benchmarks", len({row["workload"] for row in found}), locale),
        ("target", _level(low, "target", locale), target, f"number:{target:g}"),
        *(
            (f"{name}_value", locale.quantity(value, "min", 1), value, row["minutes_ref"])
            for name, row in (("first", low), ("second", high))
            for value in [row["minutes"]]
        ),
    )
    names = {"workload": low["workload_name"]}
    for name, row in (("first", low), ("second", high)):
        names[name] = row["label"]
        names[f"{name}_cards"] = locale.quantity(row["cards"], "chips", 0)
    return Sentence("headline.first", figures, names)
