"""Cost and energy of a run up to each evaluation: time x hourly price, and time x power."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from kernels.records import Price, PriceKind, Run, Status
from kernels.units import JOULES_A_KWH, SECONDS_AN_HOUR
from site_src import costs
from site_src.costs.bills import asked
from site_src.costs.question import Offer
from site_src.costs.setup import Setup
from site_src.costs.shop import OTHER
from site_src.evidence import Evidence

DECIMALS = 6
"""Decimals of amounts and of energies along an axis."""


@dataclass(frozen=True, slots=True)
class Spending:
    """The hourly cost of a run at an offer, and its power; None if unknown. `other`: the offer is
    for another machine; `metered`: the power is the meter's average.
    """

    price: Price | None
    hourly: float | None
    other: bool
    power_w: float | None
    metered: bool


def spendings(
    evidence: Evidence, source: str | None = None, workload: str | None = None
) -> dict[str, Spending]:
    """The spending of every run with a price or a known power, of one workload or all, by id. The
    prices of `source` come first: a report uses its own, however old.
    """
    found = {}
    for case in costs.cases(evidence, least=1, only=workload):
        for setup in case.setups:
            price, hourly, other = _offer(setup, source)
            for run in setup.runs:
                power = _metered(run)
                found[run.run_id] = Spending(
                    price, hourly, other, power or setup.candidate.power_w, power is not None
                )
    return found


def _offer(setup: Setup, source: str | None) -> tuple[Price | None, float | None, bool]:
    """The offer that prices a setup's time: new, of its own machine, on demand first."""
    rented = [
        (price, offer)
        for price, offer in asked(setup)
        if not offer.doubtful and offer.hourly is not None and price.kind is not PriceKind.FREE
    ]
    if not rented:
        return None, None, False

    def order(pair: tuple[Price, Offer]) -> tuple[bool, bool, bool, bool]:
        price, offer = pair
        return (
            source is not None and price.source != source,
            offer.id not in setup.listed,
            OTHER in offer.remarks,
            price.kind is not PriceKind.ON_DEMAND,
        )

    price, offer = min(rented, key=order)
    return price, offer.hourly, OTHER in offer.remarks


def _metered(run: Run) -> float | None:
    """The power in W of a meter that counted until the run's end."""
    energy = run.metric("energy_j")
    ends = [evaluation.time_s for evaluation in run.evaluations if evaluation.time_s]
    if energy is None or energy.value is None or not ends or run.status is not Status.OK:
        return None
    return energy.value / max(ends)


def currency_of(spending: Mapping[str, Spending], table: pd.DataFrame) -> str:
    """The currency in which most of the curves' runs have a price; "" for none."""
    clocked = table[(table["kind"] == "evaluation") & table["time_s"].notna()]
    known = (spending.get(str(id_)) for id_ in clocked["run_id"].unique())
    found = Counter(one.price.currency for one in known if one and one.price)
    return found.most_common(1)[0][0] if found else ""


def spent(table: pd.DataFrame, spending: Mapping[str, Spending]) -> pd.DataFrame:
    """The curves with `cost` in the currency of most, and `energy` in kWh up to each evaluation."""
    currency = currency_of(spending, table)
    amounts: list[float | None] = []
    energies: list[float | None] = []
    for run, seconds in zip(table["run_id"], table["time_s"], strict=True):
        one = spending.get(str(run)) if pd.notna(seconds) else None
        hourly = one.hourly if one and one.price and one.price.currency == currency else None
        power = one.power_w if one else None
        spent = None if hourly is None else float(seconds) / SECONDS_AN_HOUR * hourly
        drawn = None if power is None else power * float(seconds) / JOULES_A_KWH
        amounts.append(None if spent is None else round(spent, DECIMALS))
        energies.append(None if drawn is None else round(drawn, DECIMALS))
    return table.assign(
        cost=pd.Series(amounts, index=table.index, dtype=object),
        energy=pd.Series(energies, index=table.index, dtype=object),
    )
