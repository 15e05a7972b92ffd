"""What a training has cost and drawn by each of its evaluations: time at the price of an hour, and
time at a power.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass

import pandas as pd

from kernels.catalog.cost import cost, energy_kwh
from kernels.records import Price, PriceKind, Run, Status
from kernels.units import SECONDS_AN_HOUR
from site_src import costs
from site_src.costs import OTHER, Side
from site_src.costs.bills import asked
from site_src.costs.question import Offer
from site_src.evidence import Evidence

DECIMALS = 6
"""Decimals of amounts and of energies along an axis."""


@dataclass(frozen=True, slots=True)
class Spending:
    """The cost of an hour of a run, and its power.

    Attributes:
        price: The offer; None where none fits that is paid by time.
        hourly: What all that the run needs costs an hour, in the offer's currency.
        other: Whether the offer is one of another machine.
        power_w: Of all accelerators, or of what the run's meter counted; None where nobody says.
        metered: Whether that is the meter's average over the run.
    """

    price: Price | None
    hourly: float | None
    other: bool
    power_w: float | None
    metered: bool


def spendings(
    evidence: Evidence, source: str | None = None, workload: str | None = None
) -> dict[str, Spending]:
    """The spending of every run of a workload that can be priced or has a known power, by its id.

    Args:
        evidence: Runs, imported prices and recorded ones.
        source: Whose prices go before all others: a report retells its source's own, however old
            they are.
        workload: The one whose runs are asked for; None for all.
    """
    found = {}
    for case in costs.cases(evidence, least=1, only=workload):
        for side in case.sides:
            price, hourly, other = _offer(side, source)
            for run in side.runs:
                power = _metered(run)
                found[run.run_id] = Spending(
                    price, hourly, other, power or side.candidate.power_w, power is not None
                )
    return found


def _offer(side: Side, source: str | None) -> tuple[Price | None, float | None, bool]:
    """The offer by which a setup's time is priced: the newest before older ones, of its own machine
    before others, then on demand.
    """
    sound = [(price, offer) for price, offer in asked(side) if not offer.doubtful]
    rented = [
        (price, offer)
        for price, offer in sound
        if offer.hourly is not None and price.kind is not PriceKind.FREE
    ]
    if not rented:
        return None, None, False

    def order(pair: tuple[Price, Offer]) -> tuple[bool, bool, bool, bool]:
        price, offer = pair
        foreign = source is not None and price.source != source
        return (
            foreign,
            offer.id not in side.listed,
            OTHER in offer.remarks,
            price.kind is not PriceKind.ON_DEMAND,
        )

    price, offer = min(rented, key=order)
    return price, offer.hourly, OTHER in offer.remarks


def _metered(run: Run) -> float | None:
    """The average power over a run whose meter counted until its end, in W."""
    energy = run.metric("energy_j")
    ends = [evaluation.time_s for evaluation in run.evaluations if evaluation.time_s]
    if energy is None or energy.value is None or not ends or run.status is not Status.OK:
        return None
    return energy.value / max(ends)


def currency_of(spending: Mapping[str, Spending], table: pd.DataFrame) -> str:
    """The currency in which most runs of a table of curves have a price; empty where none has
    one.
    """
    runs = dict.fromkeys(
        str(row["run_id"])
        for row in table.to_dict("records")
        if row["kind"] == "evaluation" and pd.notna(row["time_s"])
    )
    found = Counter(
        one.price.currency
        for id_ in runs
        if (one := spending.get(id_)) is not None and one.price is not None
    )
    return found.most_common(1)[0][0] if found else ""


def spent(table: pd.DataFrame, spending: Mapping[str, Spending]) -> pd.DataFrame:
    """A table of curves with `cost`, in the currency of most, and `energy` in kWh up to each
    evaluation; none where it is not known.
    """
    currency = currency_of(spending, table)
    amounts: list[float | None] = []
    energies: list[float | None] = []
    for row in table.to_dict("records"):
        one, seconds = spending.get(str(row["run_id"])), row["time_s"]
        timed = one is not None and pd.notna(seconds)
        hourly = (
            one.hourly if one and timed and one.price and one.price.currency == currency else None
        )
        power = one.power_w if one and timed else None
        amounts.append(
            None
            if hourly is None
            else round(cost(float(seconds) / SECONDS_AN_HOUR, hourly), DECIMALS)
        )
        energies.append(
            None if power is None else round(energy_kwh(power, float(seconds)), DECIMALS)
        )
    made = {"cost": amounts, "energy": energies}
    return table.assign(
        **{
            name: pd.Series(values, index=table.index, dtype=object)
            for name, values in made.items()
        }
    )
