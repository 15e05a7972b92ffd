"""What does it take to reach a target accuracy: how many epochs, how many hours, how much money?"""

from collections.abc import Callable
from functools import partial

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from site_src.figures import common
from site_src.figures.base import Figure, Sentence
from site_src.figures.columns import Column, Row, present
from site_src.figures.controls import Choice, Control, Preset, Said
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.quality import target_rows


def figure(
    archive: Archive, catalog: Catalog, facts: Facts, source: str, page: str
) -> Figure | None:
    """Epochs, hours and cost to a target chosen by the reader; None without one, or with several
    workloads or currencies.
    """
    table = target_rows.to_target(archive, catalog, facts, source)
    if table.empty or table["currency"].nunique() > 1 or common.workloads(table, archive) > 1:
        return None
    table["category"] = table["run_id"] + " " + table["price_id"].fillna("")
    wanted = [str(value) for value in dict.fromkeys(table["target"])]
    workload = next(run.workload for run in archive.runs if run.run_id == table["run_id"].iloc[0])
    if workload not in catalog.workloads:
        return None
    currency = next(iter(table["currency"].dropna()), "USD")
    samples = f"workload:{workload}:train_samples"

    def sentence(target: str, locale: Locale) -> Sentence:
        ranked = target_rows.reached(table, target, "cost") or target_rows.reached(
            table, target, "epochs"
        )
        sound = [row for row in ranked if "other-machine" not in str(row["remarks"]).split()]
        first = sound[0]
        second = next((row for row in sound if row["system"] != first["system"]), first)
        level = float(target)
        goal = ("target", locale.percent(level, 1), level, f"number:{target}")
        top = common.told(
            "first_value", facts, str(first["value_ref"]), locale, _writer(first, locale)
        )
        names = {"first": str(first["label"]), "second": str(second["label"])}
        kind = str(first["measure"])
        if kind == "cost":
            names |= {
                "first_offer": common.offer(first, locale),
                "second_offer": common.offer(second, locale),
            }
        if second is first:
            return Sentence(f"headline.{kind}_single", (goal, top), names)
        if first["value"] == second["value"]:
            return Sentence(f"headline.{kind}_equal", (goal, top), names)
        last = common.told(
            "second_value", facts, str(second["value_ref"]), locale, _writer(second, locale)
        )
        return Sentence(f"headline.{kind}", (goal, top, last), names)

    def notes(locale: Locale) -> list[str]:
        count = facts.get(samples).value
        said = [locale.say("figure.target.excluded")]
        if count is not None:
            said.append(locale.say("figure.target.samples", samples=locale.number(count, 0)))
        return [*said, *common.offer_notes(table, locale)]

    def name(row: Row, locale: Locale) -> tuple[str, str]:
        return str(row["label"]), common.offer(row, locale, below=True) if present(
            row["price_id"]
        ) else ""

    def reason(row: Row, locale: Locale) -> str | None:
        if row["status"] == "not_converged" and present(row["best"]):
            return locale.say("figure.target.best", best=locale.percent(float(str(row["best"])), 1))
        return None

    return Figure(
        id=f"{source}-target",
        page=page,
        key="target",
        subject=source,
        table=table,
        columns=(
            common.SERIES,
            Column("target_value", "column.target", "fraction", decimals=1),
            Column("measure", "column.measure", "key", prefix="measure"),
            *common.offer_columns(currency),
            Column("value", "column.value", "quantity", ref="value_ref"),
            Column("unit", "column.unit", shown=False),
            Column("best", "column.best", "fraction", decimals=1, ref="best_ref"),
            Column("clock_scope", "column.clock_scope", "key", prefix="clock_scope", shown=False),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "value"},
        draw=bars.lying_bars,
        sentence=partial(sentence, wanted[0]),
        axis={"value": "axis.cost_to_target"},
        axis_names={"currency": currency},
        axis_by={
            "measure": {
                "cost": "axis.cost_to_target",
                "hours": "axis.hours",
                "epochs": "axis.epochs",
            }
        },
        controls=(
            Control("target", tuple(_level(value) for value in wanted), filters="target"),
            Control(
                "measure",
                tuple(common.choice(m, f"measure.{m}") for m in target_rows.MEASURES),
                filters="measure",
            ),
        ),
        notes=notes,
        name=name,
        reason=reason,
        line=bars.LINE,
        sentences=tuple(Said({"target": value}, partial(sentence, value)) for value in wanted[1:]),
        presets=(
            Preset("hours", {"measure": "hours"}),
            *(
                Preset(f"target-{value.replace('.', '-')}", {"target": value})
                for value in wanted[1:]
            ),
        ),
    )


def _level(value: str) -> Choice:
    return Choice(value, lambda locale: locale.percent(float(value), 1))


def _writer(row: Row, locale: Locale) -> Callable[[float], str]:
    unit = str(row["unit"])
    return lambda value: locale.quantity(value, unit, int(str(row["value_decimals"])))
