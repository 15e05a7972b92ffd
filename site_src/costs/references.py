"""References of the figures of an answer on costs: formulas over records that give the same
figures, so that `verify` can check them.
"""

import math
from typing import Final

from kernels.audit.facts import Facts
from kernels.errors import FactError
from kernels.records import Per
from site_src.costs.question import Row
from site_src.costs.setup import Case, Setup
from site_src.tables.curve import IN_UNIT, SIZES


def refs(
    facts: Facts, case: Case, setup: Setup, row: Row, unit: str
) -> tuple[str | None, str | None]:
    """The references of a row's time, in s, min or h, and cost; None if no formula gives it."""
    base = setup.time_ref(case.question.target, case.question.direction)
    if base is None or row.seconds is None:
        return None, None
    time = base if base.startswith(_OF_HOURS) else IN_UNIT[unit].format(base)
    said = exact(facts, time, row.seconds.value / SIZES[unit][0])
    money = hourly_ref(facts, setup, row)
    if money is None or row.cost is None:
        return said, None
    return said, exact(facts, cost_ref(base, money), row.cost.value)


_OF_HOURS: Final = "hours_to_target("


def cost_ref(time: str, hourly: str) -> str:
    """The reference of a cost, from those of time and price; hours follow from epochs."""
    if time.startswith(_OF_HOURS):
        return f"cost_to_target({time[len(_OF_HOURS) : -1]}, {hourly})"
    return f"cost_of_time({time}, {hourly})"


def hourly_ref(facts: Facts, setup: Setup, row: Row) -> str | None:
    """The reference of a row's hourly price; None for purchases and converted prices."""
    price = setup.price(row.offer.id) if row.offer else None
    if price is None:
        return None
    base = f"price:{price.price_id}:per_hour"
    one = facts.get(base).value if price.per is not Per.PURCHASE else None
    if not one or not row.hourly or row.converted is not None:
        return None
    times = round(row.hourly / one)
    return base if times == 1 else f"product({base}, number:{times})"


def exact(facts: Facts, ref: str, value: float | None) -> str | None:
    """The reference, if it gives that figure."""
    try:
        known = facts.get(ref).value
    except FactError:
        # units that no formula takes, such as minutes of hours: the figure then has no reference
        return None
    same = None not in (known, value) and math.isclose(known or 0.0, value or 0.0, rel_tol=1e-9)
    return ref if same else None
