"""What has training to a target cost on each day, at the cheapest hour on demand?"""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Final

from kernels.catalog.price_warnings import price_warnings
from site_src import tables
from site_src.costs import Case, first_day, history, shop_of, words
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column
from site_src.figures.controls import MarkNote, Sentence
from site_src.locales import Locale
from site_src.questions.cost.price_history import CURRENCY, draw, in_turn
from site_src.tables import Row

WORKLOADS: Final = ("resnet50-imagenet", "bert-wikipedia")
"""Workloads that were submitted over many years."""

COLUMNS: Final = (
    Column("label", "column.year", names_row=True),
    Column("day", "column.day"),
    Column("cost", "column.cost_recomputed", "money", unit=CURRENCY),
    Column("system_label", "head.system"),
    Column("hourly", "column.per_hour", "money", unit=CURRENCY),
    Column("provider", "column.provider"),
    Column("offer", "column.offer"),
    Column("price_id", "column.price", "price", shown=False),
    Column("along", "column.year", shown=False),
    *common.PROVENANCE,
)


def figure(case: Case, evidence: Evidence) -> Figure | None:
    """The lowest cost to the first question's target, a line per year; None for fewer than two."""
    shop = shop_of(evidence)
    warned = price_warnings(shop.prices, evidence.catalog.systems)
    table = history.trainings(evidence, case, shop, warned)
    if table.empty or table["series"].nunique() < 2:  # noqa: PLR2004 - a history has two years
        return None
    workload, begins = case.workload.workload, min(table["series"])
    older = any(str(setup.since.year) < begins for setup in history.timed_setups(case, evidence))
    priced = first_day(case.setups)
    return Figure(
        id=f"{workload}-cost-history",
        page=f"workloads/{workload}/",
        key="cost_history",
        subject=workload,
        table=table,
        columns=COLUMNS,
        series=tuple(replace(one, year=True) for one in in_turn(table)),
        fields={"value": "cost", "along": "along"},
        draw=draw,
        sentence=partial(_sentence, tables.rows(table), case, evidence),
        axis={"cost": "axis.cost_to_target"},
        axis_names={"currency": CURRENCY},
        notes=lambda locale: [
            MarkNote(locale.say("figure.cost_history.cheapest")),
            *([_begins(begins, priced, locale)] if older and priced else []),
            MarkNote(locale.say("figure.cost_history.known")),
        ],
        count=False,
        texts=False,
        log=True,
    )


def _begins(year: str, priced: date, locale: Locale) -> MarkNote:
    told = locale.say("figure.cost_history.begins", year=year, day=locale.date(priced))
    return MarkNote(told)


def _sentence(rows: Sequence[Row], case: Case, evidence: Evidence, locale: Locale) -> Sentence:
    first, last = (end(rows, key=lambda row: row["day"]) for end in (min, max))
    spoken = common.Spoken(evidence.facts, locale)
    return Sentence(
        "headline",
        (
            spoken.money("first_value", first["cost_ref"], CURRENCY),
            spoken.money("last_value", last["cost_ref"], CURRENCY),
        ),
        {
            "goal": words.target_text(case, case.question.target, locale),
            "first_day": locale.date(date.fromisoformat(first["day"])),
            "last_day": locale.date(date.fromisoformat(last["day"])),
            **{
                name: locale.say("join.comma", first=row["system_label"], second=row["provider"])
                for name, row in (("first", first), ("last", last))
            },
        },
    )
