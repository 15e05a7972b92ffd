"""References of the figures of an answer on costs: formulas over records that give what the answer
says, so that `verify` holds it.
"""

import math

from kernels.audit.facts import Facts
from kernels.errors import FactError
from kernels.records import Per
from site_src.costs import Case, Side
from site_src.costs.question import Row


def refs(
    facts: Facts, case: Case, side: Side, row: Row, unit: str
) -> tuple[str | None, str | None]:
    """Those of a row's time, in s, min or h, and of its cost; None where no formula gives it."""
    base = side.time_ref(case.question.target, case.question.direction)
    if base is None or row.seconds is None:
        return None, None
    hours = base.startswith("hours_to_target(")
    time = (
        base if hours else {"h": f"in_hours({base})", "min": f"in_minutes({base})"}.get(unit, base)
    )
    shown = row.seconds.value / {"h": 3600.0, "min": 60.0}.get(unit, 1.0)
    money = hourly_ref(facts, side, row)
    if money is None or row.cost is None:
        return exact(facts, time, shown), None
    made = (
        f"cost_to_target({base[len('hours_to_target(') : -1]}, {money})"
        if hours
        else f"cost_of_time({base}, {money})"
    )
    return exact(facts, time, shown), exact(facts, made, row.cost.value)


def hourly_ref(facts: Facts, side: Side, row: Row) -> str | None:
    """That of a row's price of an hour: the offer's, as many times as the setup takes it; None for
    what is bought or converted.
    """
    price = side.price(row.offer.id) if row.offer else None
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
        # units that no formula takes, such as minutes of hours: the figure then stands without a
        # reference
        return None
    return (
        ref
        if known is not None and value is not None and math.isclose(known, value, rel_tol=1e-9)
        else None
    )
