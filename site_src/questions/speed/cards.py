"""What is the gain of several cards over one of the same kind?"""

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.reading import chosen
from kernels.records import Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, MarkNote, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row, printed
from site_src.tables.batch import figures
from site_src.tables.collapsed import collapsed

TIMES: Final = ("train_time_s", "median_epoch_s")
_COUNTS: Final = {1: "one", 2: "two", 3: "three", 4: "four"}
_FIGURES: Final = (
    "speedup",
    "speedup_steady",
    "efficiency",
    "efficiency_steady",
    "cost_change",
    "power_one_low",
    "power_one_high",
    "power_all_low",
    "power_all_high",
)


def pairs(runs: Sequence[Run], catalog: Catalog) -> Iterable[tuple[Run, Run]]:
    """Runs on several cards, each with the run on one card of the same kind that differs in nothing
    else that a source states.

    Workload, accelerator, kind of server, framework, precision and batch size are the same.
    """
    alone = {_conditions(run, catalog): run for run in runs if run.accelerators == 1}
    for run in runs:
        one = alone.get(_conditions(run, catalog))
        if (run.accelerators or 0) > 1 and one is not None:
            yield one, run


def _conditions(run: Run, catalog: Catalog) -> tuple[object, ...]:
    system = catalog.systems.get(run.system)
    server = None if system is None else system.server_kind
    return (
        run.workload,
        run.accelerator,
        server,
        run.framework,
        run.precision,
        run.global_batch_size,
    )


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per run on several cards that has its partner on one; empty if no pair states a time.

    Columns beside `COMMON`, which are those of the run on several cards: `workload` with its name,
    `cards`, `batch`; `one_run`, the run on one card, with its label and status; `speedup` (of the
    whole run), `speedup_steady` (of the median epoch), and the `efficiency` of each, as fractions
    of a linear speed-up; `cost_change` as a fraction; the power of all cards in W, from low to
    high, with one at work (`power_one_...`) and with all (`power_all_...`); `par_...`: equal to one
    card; `linear_...`: linear; `pace`: `slower`, `faster` or `alike`; `missing`: the run that has
    no figures, with its status.
    """
    runs = tables.runs_in_force(
        evidence.archive,
        source=source,
        keep=lambda run: any(run.metric(name) is not None for name in TIMES),
    )
    workloads = list(dict.fromkeys(run.workload for run in runs))

    def order(pair: tuple[Run, Run]) -> tuple[int, int, str]:
        run = pair[1]
        return workloads.index(run.workload), run.global_batch_size or 0, run.run_id

    return tables.frame(
        _row(one, several, runs, evidence)
        for one, several in sorted(pairs(runs, evidence.catalog), key=order)
    )


def _row(one: Run, several: Run, runs: Sequence[Run], evidence: Evidence) -> Row:
    metric = several.metric("train_time_s") or several.metric("median_epoch_s")
    failed = next((run for run in (one, several) if run.status is not Status.OK), None)
    compared = failed is None and not any(collapsed(run, runs) for run in (one, several))
    refs = _compared(one, several, evidence) if compared else {}
    found = figures(evidence.facts, **refs, **_power(one, several, evidence.archive))
    return {
        **tables.common(several, metric, evidence.catalog),
        **tables.workload(several, evidence.catalog),
        "cards": tables.stated(several, "accelerators"),
        "batch": tables.stated(several, "global_batch_size"),
        "one_run": one.run_id,
        "one_label": tables.series_label(one, evidence.catalog),
        "one_status": one.status.value,
        "missing": tables.series_label(failed, evidence.catalog) if failed else None,
        "missing_status": failed.status.value if failed else None,
        **dict.fromkeys(_FIGURES, tables.Cell()),
        **found,
        "par_speedup": 1.0,
        "par_efficiency": 1.0 / (several.accelerators or 1),
        "par_cost": 0.0,
        "linear_speedup": float(several.accelerators or 1),
        "linear_efficiency": 1.0,
        "nothing": None,
        "pace": _pace(found["speedup"].value) if "speedup" in found else None,
    }


def _pace(speedup: float | None) -> str | None:
    if speedup is None:
        return None
    shown = round(speedup, 2)
    return "slower" if shown < 1 else "faster" if shown > 1 else "alike"


def _compared(one: Run, several: Run, evidence: Evidence) -> dict[str, str]:
    """References to figures derived from two timed runs; to costs if each has one offer."""
    found = {}
    for name, end in zip(TIMES, ("", "_steady"), strict=True):
        times = [f"run:{run.run_id}:{name}" for run in (one, several)]
        if all(
            run.metric(name) is not None and not evidence.facts.get(ref).missing
            for run, ref in zip((one, several), times, strict=True)
        ):
            found[f"speedup{end}"] = f"ratio({', '.join(times)})"
            found[f"efficiency{end}"] = (
                f"efficiency({', '.join(times)}, run:{several.run_id}:accelerators)"
            )
    offers = [tables.offers(run, evidence, several.source) for run in (one, several)]
    if "speedup" in found and all(len(each) == 1 and each[0].amount > 0 for each in offers):
        prices = [each[0] for each in offers]
        costs = [
            f"cost_of_time(run:{run.run_id}:train_time_s, price:{price.price_id}:per_hour)"
            for run, price in zip((one, several), prices, strict=True)
        ]
        if prices[0].currency == prices[1].currency:
            found["cost_change"] = f"difference(ratio({costs[1]}, {costs[0]}), number:1)"
    return found


def _power(one: Run, several: Run, archive: Archive) -> dict[str, str]:
    """References to the power of all cards with one at work and with all: readings of the table
    `monitoring`, added up, or the totals in the table `power`.
    """
    readings = printed.cells(archive, several.source, "monitoring")
    wholes = printed.cells(archive, several.source, "power")
    found = {}
    for name, run in (("power_one", one), ("power_all", several)):
        part = run.run_id.removeprefix(f"{run.source}-").rpartition("-")[0]
        for end in ("low", "high"):
            read = [
                printed.ref(cell)
                for (row, column), cell in readings.items()
                if column == f"power-{end}" and row.startswith(f"{part}-")
            ]
            whole = wholes.get((f"gpu-{_COUNTS.get(run.accelerators or 0)}", f"measured-{end}"))
            if read:
                found[f"{name}_{end}"] = f"sum({', '.join(read)})" if len(read) > 1 else read[0]
            elif f"power_one_{end}" in found and whole is not None:
                found[f"{name}_{end}"] = printed.ref(whole)
    return found


MEASURES = {
    "speedup": ("par_speedup", "linear_speedup"),
    "speedup_steady": ("par_speedup", "linear_speedup"),
    "efficiency": ("par_efficiency", "linear_efficiency"),
    "efficiency_steady": ("par_efficiency", "linear_efficiency"),
    "cost_change": ("par_cost", "nothing"),
}
"""The measures of the bars, each with the columns for equal to one card and for linear."""

POWER = ("power_one_low", "power_one_high", "power_all_low", "power_all_high")
"""Columns of power, in W."""


COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    Column("cards", "column.chips", "number", unit="chips", decimals=0, counted=True),
    Column(
        "batch",
        "column.global_batch_size",
        "number",
        unit="images",
        decimals=0,
        absent="not_stated",
    ),
    Column("speedup", "column.speedup", "times", decimals=2),
    Column("efficiency", "column.efficiency", "fraction", decimals=1),
    Column("speedup_steady", "column.speedup_steady", "times", decimals=2),
    Column("efficiency_steady", "column.efficiency_steady", "fraction", decimals=1),
    Column("pace", "column.pace", "key", prefix="pace"),
    Column("cost_change", "column.cost_change", "fraction", decimals=1, signed=True),
    *(Column(name, f"column.{name}", "number", unit="W", decimals=0) for name in POWER),
    Column("one_run", "column.one_card", "run"),
    Column("one_status", "column.one_card_status", "key", prefix="status"),
    *common.PROVENANCE,
)


def _cards(evidence: Evidence, table: pd.DataFrame) -> str:
    runs = chosen(evidence.archive.runs, "run_id", list(table["run_id"]))
    known = evidence.catalog.hardware
    names = (known[id_].name for run in runs if (id_ := run.accelerator or "") in known)
    return ", ".join(dict.fromkeys(names))


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Speed-up, efficiency and change of cost of several cards; None without a timed pair."""
    table = rows_of(evidence, source)
    if table.empty or table["speedup"].notna().sum() == 0:
        return None
    table = common.without_shared(table, "label", "one_label", "missing")
    table["category"] = table["run_id"]
    measures = {name: about for name, about in MEASURES.items() if table[name].notna().any()}

    return Figure(
        id=f"{source}-cards",
        page=page,
        key="cards",
        subject=source,
        whose=_cards(evidence, table),
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={
            "value": "speedup",
            "par": MEASURES["speedup"][0],
            "linear": MEASURES["speedup"][1],
        },
        draw=draw,
        sentence=partial(
            span, evidence.facts, common.of_first_workload(table[table["speedup"].notna()])
        ),
        sentences=common.of_further(table, "speedup", partial(span, evidence.facts)),
        presets=common.further_workloads(table, "speedup"),
        axis={name: f"axis.{name}" for name in measures},
        controls=_controls(table, evidence.catalog, measures),
        notes=partial(_notes, table, measures),
        name=name,
        reason=_reason,
        count=False,
        line=bars.LINE,
    )


def _controls(
    table: pd.DataFrame, catalog: Catalog, measures: Mapping[str, tuple[str, str]]
) -> tuple[Control, ...]:
    return (
        *([common.workload_control(table, catalog)] if table["workload"].nunique() > 1 else []),
        common.measures(
            measures,
            par={name: par for name, (par, _) in measures.items()},
            linear={name: linear for name, (_, linear) in measures.items()},
        ),
    )


def _notes(
    table: pd.DataFrame, measures: Mapping[str, tuple[str, str]], locale: Locale
) -> list[str]:
    return [
        MarkNote(locale.say("figure.cards.par")),
        *([locale.say("figure.cards.cost")] if "cost_change" in measures else []),
        *power_notes(table, locale),
        *common.precision_notes(table, locale),
        *common.count_notes(table, "speedup", locale),
    ]


def _reason(row: Row, locale: Locale) -> str | None:
    if not present(row["missing"]):
        return None
    return locale.say(
        "join.colon", what=row["missing"], text=locale.say(f"status.{row['missing_status']}")
    )


def name(row: Row, locale: Locale) -> tuple[str, str]:
    """The system; below it the batch size, and a note if it is slower than one card."""
    batch = (
        locale.say("run.batch", batch=locale.number(row["batch"], 0))
        if present(row["batch"])
        else ""
    )
    pace = locale.say("pace.slower") if row["pace"] == "slower" else ""
    return row["label"], locale.say(
        "join.terms", first=batch, second=pace
    ) if batch and pace else batch or pace


def power_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """Notes on the power of all cards with one at work and with all, by workload."""
    known = [row for row in tables.rows(table) if all(present(row[name]) for name in POWER)]
    said = []
    for row in {row["workload"]: row for row in known}.values():
        watts = {name: locale.quantity(row[name], "W", 0) for name in POWER}
        said.append(locale.say("figure.cards.power", workload=row["workload_name"], **watts))
    return said


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Horizontal bars, a thick line at the level of one card and a thin one at linear."""
    band = bars.band()
    marks = (("par", 3, 30, sketch.ink), ("linear", 2, 24, themes.QUIET[sketch.theme]))
    lines = [
        bars.layer(name, f"{bars.HAS_VALUE} && isValid(datum.{name})")
        .mark_tick(
            thickness=thick, color=colour, opacity=1, orient="vertical", size=size, yOffset=20
        )
        .encode(x=bars.x(name), y=band)
        for name, thick, size, colour in marks
    ]
    return [*bars.lying_bars(sketch), *lines]


def span(facts: Facts, rows: Sequence[Row], locale: Locale) -> Sentence:
    """The lowest to the highest speed-up of one workload, or the only one with its cost."""
    spoken = common.Spoken(facts, locale)
    rows = tables.ranked(rows, "speedup")
    least, most = rows[-1], rows[0]
    names = {"workload": most["workload_name"], "first": most["label"], "second": most["one_label"]}
    high = spoken.number("high", most["speedup_ref"], 2)
    share = spoken.percent("efficiency", most["efficiency_ref"])
    if len(rows) > 1 and all(present(row["batch"]) for row in (least, most)):
        figures = (
            spoken.number("low", least["speedup_ref"], 2),
            spoken.number("low_batch", least["batch_ref"]),
            high,
            spoken.number("high_batch", most["batch_ref"]),
            share,
        )
        return Sentence("headline.range", figures, names)
    if not present(most["cost_change"]):
        return Sentence("headline.single", (high, share), names)
    cost = spoken.put(
        "cost", most["cost_change_ref"], lambda n: locale.signed(locale.percent(n, 1), n)
    )
    return Sentence("headline.cost", (high, share, cost), names)
