"""Which setup reaches a target first, for least money or least energy, within the reader's limits:
one pure function, `answer`.

`site_src/assets/cost.js` holds the same function for the browser, over the same records as `plain`
writes them; a test holds the two against each other on random questions, so a change here is a
change there.

Times are those of the runs that reached the target: their median, from the fastest to the slowest.
Money is worked out from that time and what the offer bills beside it, energy from what the runs
drew or from a power. Two rows share a rank where their intervals overlap: rank 1 + the number of
rows whose intervals end before its own begins. A target between two that a source prints was
reached after the easier of them: there its interval begins. Where no easier one is known, the
figure stands for itself and is marked `at-most`.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import inf
from statistics import median
from typing import Final

from kernels.catalog import cost, exchange
from kernels.catalog.cost import Spread
from kernels.catalog.question import (
    REMARKS,
    Basis,
    By,
    Candidate,
    Excess,
    Offer,
    Point,
    Question,
    Row,
    State,
    Trial,
    offer_of,
    plain,
)
from kernels.errors import FactError
from kernels.records import Direction, PriceKind, Rate, Status

__all__ = [
    "REMARKS", "Basis", "By", "Candidate", "Excess", "Offer", "Point", "Question", "Row", "State",
    "Trial", "answer", "nearest", "offer_of",
    "plain",
]  # fmt: skip

OLD_YEARS: Final = 2
"""Years after which a price is called old."""

FAILED: Final = frozenset(
    {
        Status.OOM,
        Status.TIMEOUT,
        Status.KILLED,
        Status.FAILED,
        Status.UNFINISHED,
        Status.NOT_SUPPORTED,
    }
)
"""How a trial ends that says nothing of whether the target can be reached."""


@dataclass(frozen=True, slots=True)
class _Reached:
    """A trial's time to the target, with what rounding allows, and its energy.

    Attributes:
        beyond: The quality at that time is better than the target, and nothing says when the target
            itself was reached.
        after: Likewise, and `low` is when an easier target was reached.
    """

    seconds: float
    low: float
    high: float
    energy_j: float | None
    beyond: bool
    after: bool


def answer(
    question: Question,
    pairs: Iterable[tuple[Candidate, Offer | None]],
    rates: Sequence[Rate],
    today: date,
) -> tuple[Row, ...]:
    """Rows that answer the question, best first, then those that do not, by `State`; a candidate
    has a row for each of its offers.

    Limits are held against the figure itself; where they lie within its interval, the remark
    `maybe` says so.

    Args:
        question: Target, limits, and what is to be least.
        pairs: Candidates with an offer that applies, or None; which offers apply is the caller's to
            say.
        rates: Exchange rates; nothing is converted without one.
        today: Day from which the age of prices counts.
    """
    rows = [_row(question, candidate, offer, rates, today) for candidate, offer in pairs]
    ranked = [row for row in rows if row.state is State.OK]
    mixed = len({row.candidate.clock_scope for row in ranked}) > 1
    found = [
        _placed(row, ranked, question.by, mixed=mixed) if row.state is State.OK else row
        for row in rows
    ]
    return tuple(sorted(found, key=lambda row: _order(row, question.by)))


def _row(
    question: Question,
    candidate: Candidate,
    offer: Offer | None,
    rates: Sequence[Rate],
    today: date,
) -> Row:
    reached = [found for trial in candidate.trials if (found := _reach(trial, question))]
    said = _said(question, candidate, offer, reached, today)
    row = Row(
        candidate,
        offer,
        None,
        None,
        len(reached),
        len(candidate.trials),
        None,
        None,
        None,
        None,
        State.OK,
        None,
        False,
        (),
    )
    if not reached:
        return replace(row, state=_unreached(candidate, question), remarks=_sorted(said))
    own = Spread(
        median(each.seconds for each in reached),
        min(each.low for each in reached),
        max(each.high for each in reached),
    )
    seconds = own.rising(lambda time: time + _preparation(question, offer))
    row = replace(row, seconds=seconds, energy_kwh=_energy(question, candidate, reached, own))
    row = _priced(row, question, reached, rates)
    state, maybe, excess = _state(row, question)
    said |= {"estimate-energy"} if row.energy_kwh and not _metered(reached) else set()
    said |= {"session-limit"} if state is State.SESSION_TOO_SHORT else set()
    said |= {"no-electricity"} if _unlit(question, candidate, offer, reached) else set()
    said |= {"maybe"} if maybe else set()
    return replace(row, state=state, remarks=_sorted(said), excess=excess)


def nearest(rows: Iterable[Row]) -> Row | None:
    """Of the rows that break a limit the one that misses by least, as a share of the limit: its
    worst miss counts; None where none does.
    """

    def miss(row: Row) -> tuple[float, str, str]:
        worst = max(each.over / each.limit if each.limit else inf for each in row.excess)
        return worst, row.candidate.id, row.offer.id if row.offer else ""

    return min((row for row in rows if row.excess), key=miss, default=None)


def _meets(quality: float, question: Question) -> bool:
    return (
        quality >= question.target
        if question.direction is Direction.AT_LEAST
        else quality <= question.target
    )


def _reach(trial: Trial, question: Question) -> _Reached | None:
    """The first evaluation at the target or beyond it."""
    for place, point in enumerate(trial.points):
        if _meets(point.quality, question):
            low = point.seconds if point.low_s is None else point.low_s
            high = point.seconds if point.high_s is None else point.high_s
            # a source's few targets: what lies between two of them was reached before the second
            printed = point.low_s is not None
            beyond = (place == 0 or printed) and point.quality != question.target
            after = beyond and place > 0
            if after:
                before = trial.points[place - 1]
                low = min(low, before.seconds if before.low_s is None else before.low_s)
            return _Reached(
                point.seconds,
                min(low, point.seconds),
                max(high, point.seconds),
                point.energy_j,
                beyond and not after,
                after,
            )
    return None


def _unreached(candidate: Candidate, question: Question) -> State:
    """Why no trial reached the target: all failed, nothing says how far they came, or they came
    short of it.
    """
    tried = [trial for trial in candidate.trials if trial.status not in FAILED]
    if candidate.trials and not tried:
        return State.FAILED
    short = tried and all(
        trial.best is not None and not _meets(trial.best, question) for trial in tried
    )
    return State.NOT_REACHED if short else State.NOT_STATED


def _said(
    question: Question,
    candidate: Candidate,
    offer: Offer | None,
    reached: Sequence[_Reached],
    today: date,
) -> set[str]:
    """What is to be said whatever the answer is."""
    said = {"n1"} if len(candidate.trials) == 1 and reached else set()
    said |= {"k-of-n"} if 0 < len(reached) < len(candidate.trials) else set()
    said |= {"at-most"} if any(each.beyond for each in reached) else set()
    said |= {"between"} if any(each.after for each in reached) else set()
    said |= {"preparation"} if reached and _preparation(question, offer) else set()
    said |= set(candidate.remarks) if reached else set()
    if offer is None:
        return said
    rented = offer.hourly is not None and offer.kind is not PriceKind.FREE
    seen = offer.day or offer.rate_day
    holds = {
        "undated": offer.day is None,
        "old-price": seen is not None
        and seen.isoformat() < f"{today.year - OLD_YEARS:04d}{today.isoformat()[4:]}",
        "free": offer.kind is PriceKind.FREE,
        "commitment": offer.term_months is not None,
        "spot": offer.kind is PriceKind.SPOT,
        "pro-rata": rented and not offer.granularity_s,
    }
    return said | set(offer.remarks) | {key for key, held in holds.items() if held}


def _preparation(question: Question, offer: Offer | None) -> float:
    """Seconds before training starts: as the offer says, else as the reader reckons."""
    return (
        question.preparation_s
        if offer is None or offer.preparation_s is None
        else offer.preparation_s
    )


def _sorted(said: set[str]) -> tuple[str, ...]:
    return (*(key for key in REMARKS if key in said), *sorted(said - set(REMARKS)))


def _metered(reached: Sequence[_Reached]) -> list[float]:
    return [each.energy_j for each in reached if each.energy_j is not None]


def _energy(
    question: Question, candidate: Candidate, reached: Sequence[_Reached], own: Spread
) -> Spread | None:
    """Kilowatt-hours of training with the building's share: metered where a trial has a meter, else
    of a power.
    """
    joules = _metered(reached)
    if joules:
        drawn = Spread(median(joules), min(joules), max(joules))
        return drawn.rising(lambda joule: cost.energy_kwh(joule, 1.0, question.pue))
    power = candidate.power_w
    return (
        None
        if power is None
        else own.rising(lambda time: cost.energy_kwh(power, time, question.pue))
    )


def _power(candidate: Candidate, reached: Sequence[_Reached]) -> float | None:
    """Watts in training: as stated, else what the trials drew over their time."""
    if candidate.power_w is not None:
        return candidate.power_w
    drawn = [
        each.energy_j / each.seconds
        for each in reached
        if each.energy_j is not None and each.seconds > 0
    ]
    return median(drawn) if drawn else None


def _unlit(
    question: Question, candidate: Candidate, offer: Offer | None, reached: Sequence[_Reached]
) -> bool:
    owned = offer is not None and offer.purchase is not None
    return owned and (question.tariff is None or _power(candidate, reached) is None)


def _priced(
    row: Row, question: Question, reached: Sequence[_Reached], rates: Sequence[Rate]
) -> Row:
    """The row with what it costs; as it is where it has no price, or no rate for its currency."""
    offer, seconds = row.offer, row.seconds
    amount = (
        None
        if offer is None
        else 0.0
        if offer.kind is PriceKind.FREE
        else offer.purchase
        if offer.hourly is None
        else offer.hourly
    )
    if offer is None or seconds is None or amount is None or offer.doubtful:
        return row
    converted = None
    if amount and offer.currency != question.currency:
        day = offer.rate_day or offer.day
        try:
            converted = (
                exchange.convert(amount, offer.currency, question.currency, day, rates)
                if day
                else None
            )
        except FactError:
            converted = None
        if converted is None:
            return row
        amount = converted.amount
    hourly = amount
    if offer.hourly is None and offer.kind is not PriceKind.FREE:
        hourly = cost.owned_per_hour(
            amount,
            question.months,
            question.utilisation,
            power_w=_power(row.candidate, reached) or 0.0,
            tariff=question.tariff or 0.0,
            pue=question.pue,
        )
    billed = seconds.rising(lambda time: cost.billed_seconds(time, offer.granularity_s))
    return replace(
        row,
        billed_s=billed,
        hourly=hourly,
        cost=billed.rising(lambda time: cost.job_cost(time, hourly)),
        converted=converted,
    )


def _state(row: Row, question: Question) -> tuple[State, bool, tuple[Excess, ...]]:
    """Whether a row that reached the target answers the question, whether a limit lies within an
    interval, and which limits it breaks.
    """
    offer, seconds = row.offer, row.seconds
    limits = (
        (row.cost, question.budget, State.OVER_BUDGET),
        (seconds, question.deadline_s, State.TOO_LATE),
        (row.energy_kwh, question.energy_kwh, State.OVER_ENERGY),
        (seconds, offer.session_limit_s if offer else None, State.SESSION_TOO_SHORT),
    )
    maybe = any(
        spread is not None and limit is not None and spread.low <= limit < spread.high
        for spread, limit, _ in limits
    )
    if row.cost is None and (question.by is By.COST or question.budget is not None):
        if offer is not None and offer.doubtful:
            return State.DOUBTFUL_PRICE, maybe, ()
        unpriced = offer is None or (offer.hourly is None and offer.purchase is None)
        return State.NO_PRICE if unpriced else State.NO_RATE, maybe, ()
    if row.energy_kwh is None and (question.by is By.ENERGY or question.energy_kwh is not None):
        return State.NO_ENERGY, maybe, ()
    broken = tuple(
        Excess(state, limit, spread.value - limit)
        for spread, limit, state in limits
        if spread is not None and limit is not None and spread.value > limit
    )
    return broken[0].state if broken else State.OK, maybe, broken


def _by(row: Row, by: By) -> Spread:
    found = {By.COST: row.cost, By.TIME: row.seconds, By.ENERGY: row.energy_kwh}[by]
    assert found is not None  # noqa: S101 - a row without it is not in the state `ok`
    return found


def _placed(row: Row, ranked: Sequence[Row], by: By, *, mixed: bool) -> Row:
    better = sum(_by(other, by).high < _by(row, by).low for other in ranked)
    remarks = _sorted({*row.remarks, "mixed-clocks"}) if mixed else row.remarks
    return replace(
        row,
        rank=1 + better,
        frontier=not any(_beats(other, row) for other in ranked) and row.cost is not None,
        remarks=remarks,
    )


def _beats(other: Row, row: Row) -> bool:
    if not (other.cost and row.cost and other.seconds and row.seconds):
        return False
    mine, theirs = (row.seconds.value, row.cost.value), (other.seconds.value, other.cost.value)
    return theirs != mine and theirs[0] <= mine[0] and theirs[1] <= mine[1]


def _order(row: Row, by: By) -> tuple[int, int, float, float, str, str]:
    """Ranked rows by rank and figure, of those that cost the same the faster first; the others by
    state; those that are alike by name.
    """
    figure, time = (
        (_by(row, by).value, _by(row, By.TIME).value) if row.rank is not None else (0.0, 0.0)
    )
    return (
        list(State).index(row.state),
        row.rank or 0,
        figure,
        time,
        row.candidate.id,
        row.offer.id if row.offer else "",
    )
