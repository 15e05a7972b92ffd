"""The cost of training to a target at the cheapest on-demand hour of each day."""

from collections.abc import Container
from dataclasses import dataclass, replace
from datetime import date
from typing import Final

import pandas as pd

from kernels.catalog.cost import by_time, per_hour
from kernels.reading import named
from kernels.records import Price, PriceKind, Run
from kernels.units import SECONDS_AN_HOUR
from site_src.costs.references import cost_ref
from site_src.costs.setup import Case
from site_src.costs.shop import Shop, ran
from site_src.evidence import Evidence
from site_src.tables import Row, cell, common, frame
from site_src.tables.price_history import FIRST, Held, along, changes, held, last_read


@dataclass(frozen=True, slots=True)
class TimedSetup:
    """A setup that reached a target: its time, with the reference, and the day it became known."""

    run: Run
    seconds: float
    ref: str
    since: date


def timed_setups(case: Case, evidence: Evidence) -> list[TimedSetup]:
    """The setups whose timed runs all reached the first question's target."""
    asked, sources = case.question, named(evidence.archive.sources, "source")
    found = []
    for setup in case.setups:
        ref = setup.time_ref(asked.target, asked.direction)
        fact = evidence.facts.get(ref) if ref else None
        since = ran(setup.run, sources)
        if ref and fact and fact.value and since and fact.unit in {"s", "h"}:
            by = SECONDS_AN_HOUR if fact.unit == "h" else 1.0
            found.append(TimedSetup(setup.run, fact.value * by, ref, since))
    return found


def trainings(evidence: Evidence, case: Case, shop: Shop, warned: Container[str]) -> pd.DataFrame:
    """A row per day on which the lowest cost of training to the target changed: over setups known
    by then, each at the cheapest on-demand hour of its machine, or of another with as many of its
    accelerators.

    Series are years, also named by their cheapest provider, so that each begins on its first day
    and ends on its last. Only providers that a source followed until the newest year count, and
    only while all of them are known: else the lowest cost would rise where a list ends.
    """
    known: list[tuple[TimedSetup, Held]] = []
    looked = last_read(shop.prices)
    newest = max((year for years in shop.read.values() for year in years), default=0)
    followed = {
        who for who, years in shop.read.items() if newest in years and len(years) >= _FOLLOWED
    }
    until = min((looked[who] for who in followed), default=FIRST)
    for setup in timed_setups(case, evidence):
        fitting = [
            price
            for price in shop.fitting(setup.run)
            if price.kind is PriceKind.ON_DEMAND
            and by_time(price)
            and (price.source, price.provider) in followed
            and price.currency == "USD"
            and price.accelerators == setup.run.accelerators
            and price.price_id not in warned
        ]
        known += [
            (setup, replace(one, first=max(one.first, setup.since), last=min(one.last, until)))
            for one in held(fitting, looked)
            if max(one.first, setup.since, FIRST) <= min(one.last, until)
        ]
    days = changes(one for _, one in known)
    years = range(days[0].year, days[-1].year + 1) if days else ()
    ends = {end for year in years for end in (date(year, 1, 1), date(year, 12, 31))}
    told: list[tuple[date, TimedSetup, Price]] = []
    for day in sorted({*days, *(end for end in ends if days and days[0] <= end <= days[-1])}):
        there = [(setup, one.price) for setup, one in known if one.first <= day <= one.last]
        if there:
            setup, price = min(
                there, key=lambda pair: (pair[0].seconds * per_hour(pair[1]), pair[1].price_id)
            )
            same = bool(told) and (told[-1][1], told[-1][2]) == (setup, price)
            if not same or day in ends or day == days[-1]:
                told.append((day, setup, price))
    return frame(_training(evidence, *one) | {"label": str(one[0].year)} for one in told)


def _training(evidence: Evidence, day: date, setup: TimedSetup, price: Price) -> Row:
    hourly = f"price:{price.price_id}:per_hour"
    run = common(setup.run, None, evidence.catalog)
    year = str(day.year)
    return {
        **run,
        "series": year,
        "system_label": run["label"],
        "round": None,
        "framework": None,
        "day": day.isoformat(),
        "along": along(day),
        "cost": cell(evidence.facts, cost_ref(setup.ref, hourly)),
        "hourly": cell(evidence.facts, hourly),
        "provider": price.provider,
        "offer": price.offer,
        "price_id": price.price_id,
    }


_FOLLOWED: Final = 3
"""Years in which a source must have looked at a provider."""
