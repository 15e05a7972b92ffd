"""Verdicts on printed figures: the rule, and what the words around a figure allow."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Protocol

from kernels.audit.formulas import Fact
from kernels.errors import FactError
from kernels.printed import half_unit
from kernels.records import Bound, Claim, Verdict


@dataclass(frozen=True, slots=True)
class Tolerance:
    """Largest difference of a recomputed figure that still reproduces the printed one.

    Attributes:
        digits: In units of the last printed digit, in either direction.
        relative: As a fraction of the printed figure; the wider of the two applies.
        below: True if anything below the printed figure passes; `above` likewise.
        factor: Largest factor that passes, up or down.
    """

    digits: float
    relative: float
    below: bool = False
    above: bool = False
    factor: float = 1.0


TOLERANCE: Final[Mapping[Bound, Tolerance]] = {
    Bound.EQ: Tolerance(0.5, 0.0),  # rounded as printed
    # "about", "almost", "as fast as": a unit of the last digit, or 5 %
    Bound.APPROX: Tolerance(1.0, 0.05),
    # "less than", "within": below the printed figure
    Bound.LT: Tolerance(0.0, 0.0, below=True),
    Bound.GT: Tolerance(0.0, 0.0, above=True),  # "more than": above the printed figure
}
"""Tolerance by the word before a printed figure."""

ORDER: Final = Tolerance(0.0, 0.0, factor=math.sqrt(10.0))
"""Tolerance of "an order of magnitude", whatever word is before it (`Claim.order`): the printed
power of ten is the nearest on a logarithmic scale.
"""


@dataclass(frozen=True, slots=True)
class Judgement:
    """A claim with the result of its formula, at full precision, and the verdict of `judge`.

    `recomputed` is None for a range and for a claim that cannot be checked; its ends are those of a
    range, or of what the rounding of the inputs allows.
    """

    claim: Claim
    recomputed: float | None
    recomputed_low: float | None
    recomputed_high: float | None
    verdict: Verdict


class Lookup(Protocol):
    """An object that resolves references, such as `Facts`."""

    def get(self, ref: str) -> Fact:
        """Returns the figure of a reference."""
        ...


def judge(claim: Claim, facts: Lookup) -> Judgement:
    """Compares a claim with the result of its formula.

    `reproduces`: the recomputed figure, rounded as printed, is the printed one, lies in the printed
    range, or keeps to what the word before it allows (`TOLERANCE`, or `ORDER` for an order of
    magnitude). `rounding`: not reproduced, but the interval that the printed inputs' rounding
    allows overlaps with what the printed figure allows. `estimate`: the formula is an estimator;
    the difference is shown. `contradicts`: none of these. `not_checkable`: no formula, or an input
    that no source gives. An input printed as "about" counts with its rounding only: else every
    claim based on it would pass as rounding.

    Raises:
        FactError: Unknown reference or formula, or a result in another unit than the claim's.
    """
    if claim.formula == "none":
        return Judgement(claim, None, None, None, Verdict.NOT_CHECKABLE)
    fact = facts.get(f"{claim.formula}({', '.join(claim.inputs)})")
    if fact.missing:
        return Judgement(claim, None, None, None, Verdict.NOT_CHECKABLE)
    if fact.unit != claim.unit:
        raise FactError(
            f"claim {claim.claim_id}: printed in {claim.unit}, recomputed in {fact.unit}; wanted "
            "one unit"
        )
    return Judgement(claim, fact.value, fact.low, fact.high, _verdict(claim, fact))


def _verdict(claim: Claim, fact: Fact) -> Verdict:
    if claim.estimate:
        return Verdict.ESTIMATE
    low, high = _allowed(claim)
    # binary fractions
    slack = 1e-9 * max(
        1.0, abs(low) if math.isfinite(low) else 0.0, abs(high) if math.isfinite(high) else 0.0
    )
    if claim.bound is Bound.GT and fact.bound is not Bound.GT:  # twice "more than 1" is more than 2
        low, slack = math.nextafter(low, math.inf), 0.0
    if claim.bound is Bound.LT and fact.bound is not Bound.LT:
        high, slack = math.nextafter(high, -math.inf), 0.0
    low, high = low - slack, high + slack
    ends = [end for end in (fact.low, fact.high) if end is not None]
    values = [fact.value] if fact.value is not None else ends
    if all(low <= value <= high for value in values):
        return Verdict.REPRODUCES
    if ends and min(ends) <= high and max(ends) >= low:
        return Verdict.ROUNDING
    return Verdict.CONTRADICTS


def _allowed(claim: Claim) -> tuple[float, float]:
    """Returns the interval in which a recomputed figure reproduces the printed one."""
    tolerance = ORDER if claim.order else TOLERANCE[claim.bound]
    low = claim.printed if claim.printed is not None else claim.printed_low
    high = claim.printed if claim.printed is not None else claim.printed_high
    if low is None or high is None:
        raise FactError(f"claim {claim.claim_id}: neither a printed figure nor a printed range")
    digits = tolerance.digits * 2.0 * half_unit(claim.decimals)
    return (
        -math.inf
        if tolerance.below
        else low / tolerance.factor - max(digits, tolerance.relative * abs(low)),
        math.inf
        if tolerance.above
        else high * tolerance.factor + max(digits, tolerance.relative * abs(high)),
    )
