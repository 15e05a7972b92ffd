"""The axes of cost and energy of a chart of curves: columns, choices and sources."""

from collections.abc import Collection, Mapping, Sequence

import pandas as pd

from kernels.records import Run
from site_src import tables
from site_src.costs import words
from site_src.costs.spent import Spending
from site_src.figures.columns import BOUNDS, Column, present
from site_src.figures.controls import StateNote
from site_src.locales import Locale


def known(table: pd.DataFrame) -> list[str]:
    """`cost` and `energy`, each if a table of curves has it for any evaluation."""
    return [name for name in ("cost", "energy") if name in table and any(map(present, table[name]))]


def columns(table: pd.DataFrame, currency: str) -> list[Column]:
    """The columns for tables, downloads and tooltips."""
    made = {
        "cost": Column("cost", "column.spent", "money", unit=currency),
        "energy": Column("energy", "column.drawn", "number", unit="kWh", decimals=2),
    }
    return [made[name] for name in known(table)]


def notes(
    table: pd.DataFrame,
    runs: Sequence[Run],
    spending: Mapping[str, Spending],
    names: Mapping[str, tuple[str, str]],
    locale: Locale,
) -> list[str]:
    """The notes on the price behind the cost and the power behind the energy."""
    said: list[str] = []
    found = known(table)
    placed = {
        name: {row["run_id"] for row in tables.rows(table) if present(row.get(name))}
        for name in found
    }
    drawn = set().union(*placed.values())
    shown = {
        names[run.run_id][1]: spending[run.run_id]
        for run in runs
        if run.run_id in drawn and run.run_id in spending
    }
    if "cost" in found:
        offers = [
            _offer(label, one, locale) for label, one in shown.items() if one.price is not None
        ]
        rests = locale.say("figure.convergence.spent")
        said += [
            StateNote(told, axis="cost")
            for told in (_with_count(rests, table, placed["cost"], locale), *offers)
        ]
    if "energy" in found:
        rests = locale.say("figure.convergence.drawn")
        said.append(StateNote(_with_count(rests, table, placed["energy"], locale), axis="energy"))
    return said


def _with_count(rests: str, table: pd.DataFrame, placed: Collection[str], locale: Locale) -> str:
    """The note of an axis, with the number of runs that have no place along it."""
    runs = set(map(str, table["run_id"]))
    left = len(runs.difference(placed))
    counted = locale.say("figure.convergence.not_along", left=left, runs=len(runs)) if left else ""
    return locale.joined("sentences", (rests, counted))


def _offer(label: str, one: Spending, locale: Locale) -> str:
    assert one.price is not None and one.hourly is not None  # noqa: S101 - asked by those who saw one
    day = (
        locale.say("costs.price_day", day=one.price.valid_from)
        if one.price.valid_from
        else locale.say("costs.price_undated")
    )
    other = locale.say("figure.convergence.other_machine") if one.other else ""
    told = locale.joined(
        "terms",
        (
            words.offer_name(one.price, locale),
            locale.say(f"price_kind.{one.price.kind}"),
            day,
            other,
        ),
    )
    price = words.money(one.hourly, one.price.currency).text(locale)
    if one.price.bound in BOUNDS:
        price = locale.say(BOUNDS[one.price.bound][0], n=price)
    return locale.say("figure.convergence.spent_offer", series=label, price=price, offer=told)
