"""How many epochs, how many hours and how much money does it take to reach a target accuracy?"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.reading import named
from kernels.records import Direction, Metric, Run, Status, Target
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, Preset, Said, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Cell, Row, curve

MEASURES: Final = {
    "cost": "axis.cost_to_target",
    "hours": "axis.hours",
    "epochs": "axis.epochs_to_target",
}
"""The measures, the default first, with the value axis's title."""


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per target, measure and run; for `cost` an extra row for each offer.

    Columns beside `COMMON`: `target` (text of the fraction, as in addresses), `measure`, `value` in
    `unit` with `value_ref`; None if the run did not reach the target, then `best` is its best known
    quality. Evaluation and start-up are left out, as epochs, samples and throughput do not include
    them.
    """
    runs = tables.runs_in_force(
        evidence.archive,
        source=source,
        keep=lambda run: run.metric("final_accuracy") is not None,
    )
    rows: list[Row] = []
    for target in curve.targets(runs, "top1", {"epochs_to_target"}):
        for measure in MEASURES:
            for run in runs:
                rows.extend(_rows(run, target, measure, evidence, source))
    return tables.frame(rows)


def _rows(run: Run, target: Target, measure: str, evidence: Evidence, source: str) -> Iterable[Row]:
    hit = run.metric(f"epochs_to_target@{target.value:g}")
    best = best_quality(run)
    decimals = 0 if measure == "epochs" else 2
    row: Row = {
        **tables.common(run, hit, evidence.catalog),
        "status": status(run, hit, target, best.value).value,
        "target": f"{target.value:g}",
        "target_value": target.value,
        "measure": measure,
        "value": Cell(decimals=decimals),
        "unit": {"epochs": "epochs", "hours": "h"}.get(measure, "USD"),
        "best": best,
        "clock_scope": run.clock_scope.value,
        **tables.NO_OFFER,
    }
    name = f"run:{run.run_id}:epochs_to_target@{target.value:g}"
    if measure == "epochs":
        yield {**row, "value": Cell(hit.value if hit else None, name, decimals=decimals)}
        return

    def cell(ref: str) -> Cell:
        reached = hit is not None and hit.value is not None
        return tables.cell(evidence.facts, ref if reached else None, bound=True, decimals=decimals)

    speed = tables.throughput_metric(run)
    # else the samples of an epoch are unknown
    if speed is None or run.workload not in evidence.catalog.workloads:
        return
    inputs = f"{name}, workload:{run.workload}:train_samples, run:{run.run_id}:{speed.key}"
    if measure == "hours":
        yield {**row, "value": cell(f"hours_to_target({inputs})")}
        return
    for price in tables.offers(run, evidence, source):
        yield {
            **row,
            **tables.offer_columns(price, run, evidence.facts),
            "unit": price.currency,
            "value": cell(f"cost_to_target({inputs}, price:{price.price_id}:per_hour)"),
        }


def best_quality(run: Run) -> Cell:
    """The best known quality of a run."""
    for name in ("best_accuracy", "final_accuracy"):
        metric = run.metric(name)
        if metric is not None and metric.value is not None:
            return Cell(metric.value, f"run:{run.run_id}:{name}")
    return Cell()


def status(run: Run, hit: Metric | None, target: Target, best: float | None) -> Status:
    """The status of a run and a target: missed if the run's best is below it."""
    if hit is not None:
        return hit.status
    if best is None:
        return Status.NOT_REPORTED if run.status is Status.OK else run.status
    short = best < target.value if target.direction is Direction.AT_LEAST else best > target.value
    return Status.NOT_CONVERGED if short else Status.NOT_REPORTED


def reached(table: pd.DataFrame, target: str, measure: str) -> Sequence[Row]:
    """The rows of a target and measure that have a value, lowest first."""
    rows = tables.rows(table)
    found = [
        row
        for row in rows
        if row["target"] == target and row["measure"] == measure and row["value"] is not None
    ]
    return sorted(found, key=lambda row: row["value"])


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Epochs, hours and cost to a target; None without one, or with several workloads."""
    table = common.by_precision(rows_of(evidence, source))
    if (
        table.empty
        or table["currency"].nunique() > 1
        or common.workloads(table, evidence.archive) > 1
    ):
        return None
    table["category"] = table["run_id"] + " " + table["price_id"].fillna("")
    wanted = [str(value) for value in dict.fromkeys(table["target"])]
    workload = named(evidence.archive.runs, "run_id")[table["run_id"].iloc[0]].workload
    if workload not in evidence.catalog.workloads:
        return None
    currency = next(iter(table["currency"].dropna()), "USD")
    samples = f"workload:{workload}:train_samples"
    said = partial(_sentence, evidence.facts, table)

    return Figure(
        id=f"{source}-target",
        page=page,
        key="target",
        subject=source,
        table=table,
        columns=_columns(currency),
        series=common.series(table),
        fields={"value": "value"},
        draw=bars.lying_bars,
        sentence=partial(said, wanted[0]),
        axis={"value": "axis.cost_to_target"},
        axis_names={"currency": currency},
        axis_by={"measure": MEASURES},
        controls=(
            Control("target", tuple(map(_level, wanted)), filters="target"),
            replace(common.measures(MEASURES), filters="measure", fields={}),
        ),
        notes=partial(_notes, samples, evidence.facts, table),
        name=common.name_with_offer,
        reason=_reason,
        line=bars.LINE,
        sentences=tuple(Said({"target": value}, partial(said, value)) for value in wanted[1:]),
        presets=(
            Preset("hours", {"measure": "hours"}),
            *(
                Preset(f"target-{value.replace('.', '-')}", {"target": value})
                for value in wanted[1:]
            ),
        ),
        relative=True,
        log=True,
    )


def _columns(currency: str) -> tuple[Column, ...]:
    return (
        common.SERIES,
        Column("target_value", "column.target", "fraction", decimals=1),
        Column("measure", "control.measure", "key", prefix="measure"),
        *common.offer_columns(currency),
        Column("value", "column.value", "quantity"),
        common.UNIT,
        Column("best", "column.best", "fraction", decimals=1),
        common.CLOCK,
        *common.PROVENANCE,
    )


def _sentence(facts: Facts, table: pd.DataFrame, target: str, locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    ranked = reached(table, target, "cost") or reached(table, target, "epochs")
    sound = [row for row in ranked if not common.of_other_machine(row)]
    first = sound[0]
    second = next((row for row in sound if row["system"] != first["system"]), first)
    level = float(target)
    aim = ("target", locale.percent(level, 1), level, f"number:{target}")
    top = spoken.put("first_value", first["value_ref"], _writer(first, locale))
    names = {"first": first["label"], "second": second["label"]}
    kind = first["measure"]
    if kind == "cost":
        names |= {
            "first_offer": common.offer(first, locale),
            "second_offer": common.offer(second, locale),
        }
    if second is first:
        return Sentence(f"headline.{kind}_single", (aim, top), names)
    last = spoken.put("second_value", second["value_ref"], _writer(second, locale))
    return Sentence(f"headline.{kind}", (aim, top, last), names)


def _notes(samples: str, facts: Facts, table: pd.DataFrame, locale: Locale) -> list[str]:
    count = facts.get(samples).value
    said = [locale.say("figure.target.excluded")]
    if count is not None:
        said.append(locale.say("figure.target.samples", samples=locale.number(count, 0)))
    return [*said, *common.offer_notes(table, locale)]


def _reason(row: Row, locale: Locale) -> str | None:
    if row["status"] == "not_converged" and present(row["best"]):
        return locale.say("figure.target.best", best=locale.percent(row["best"], 1))
    return None


def _level(value: str) -> Choice:
    return Choice(value, lambda locale: locale.percent(float(value), 1))


def _writer(row: Row, locale: Locale) -> Callable[[float], str]:
    unit = row["unit"]
    return lambda value: locale.quantity(value, unit, row["value_decimals"])
