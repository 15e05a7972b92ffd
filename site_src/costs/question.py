"""Questions and answers on costs: candidates, offers, questions and rows as records, and their form
in JSON.

`assets/cost.js` computes the rows (`answers`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, is_dataclass
from datetime import date
from enum import StrEnum
from typing import Any, Final

from kernels.catalog import cost
from kernels.catalog.cost import Spread
from kernels.catalog.exchange import Converted
from kernels.catalog.price_warnings import Reason
from kernels.records import Bound, ClockScope, Direction, Per, Price, PriceKind, Status
from site_src.graph import digested_within

REMARKS: Final = (
    *Reason,
    "other-machine",
    "form-not-named",
    "undated",
    "old-price",
    "later-price",
    "about",
    "at-least",
    "accelerators-alone",
    "free",
    "commitment",
    "spot",
    "session-limit",
    "pro-rata",
    "preparation",
    "no-electricity",
    "n1",
    "k-of-n",
    "at-most",
    "between",
    "about-time",
    "estimate-energy",
    "mixed-clocks",
    "maybe",
)
"""Remarks beside a row, in this order; texts are `price_remark.<key>` in `strings/`. From the offer
come those of `Reason` (no cost is computed), `other-machine`, `form-not-named` (A100, if the run
had one of its forms), `later-price` (two years after the run), `about`, `at-least`,
`accelerators-alone`. `old-price`: more than two years old. `spot`: work lost by preemption is not
in the cost. `pro-rata`: by exact time, as no billing increment is stated. `no-electricity`: power
or tariff unknown. `at-most`: the first evaluation is beyond the target. `between`: likewise, after
an easier target of known time. `estimate-energy`: from a rated or typed power. `mixed-clocks`:
times do not include the same. `maybe`: the limit lies within the interval.
"""


def sign(direction: Direction) -> float:
    """The factor for qualities that makes higher better."""
    return 1.0 if direction is Direction.AT_LEAST else -1.0


class By(StrEnum):
    """The quantity that rows are ranked by, lowest first."""

    COST = "cost"
    TIME = "time"
    ENERGY = "energy"


class Basis(StrEnum):
    """The source of a power."""

    RATED = "rated"
    TYPED = "typed"


class State(StrEnum):
    """The answer's state, or why there is none; rows without an answer are listed in this order."""

    OK = "ok"
    OVER_BUDGET = "over_budget"
    TOO_LATE = "too_late"
    OVER_ENERGY = "over_energy"
    SESSION_TOO_SHORT = "session_too_short"
    DOUBTFUL_PRICE = "doubtful_price"
    NO_PRICE = "no_price"
    NO_RATE = "no_rate"
    NO_ENERGY = "no_energy"
    NOT_REACHED = "not_reached"
    NOT_STATED = "not_stated"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Point:
    """An evaluation better than all before it: quality, seconds on the candidate's clock, and
    joules up to then; `low_s` and `high_s` are the bounds from rounding of printed figures.
    """

    quality: float
    seconds: float
    energy_j: float | None = None
    low_s: float | None = None
    high_s: float | None = None


@dataclass(frozen=True, slots=True)
class Trial:
    """One run of a candidate: its points in order of time, and its best known quality."""

    run_id: str
    points: tuple[Point, ...]
    best: float | None
    status: Status


@digested_within
@dataclass(frozen=True, slots=True)
class Candidate:
    """One setup on one system; its runs are its trials.

    Attributes:
        power_w: Power of all its accelerators (or the machine) in training; None if not stated.
        remarks: Keys of `REMARKS` that apply to its times: `about-time`, if their source prints
            approximate figures.
    """

    id: str
    system: str
    workload: str
    accelerators: int
    clock_scope: ClockScope
    trials: tuple[Trial, ...]
    power_w: float | None = None
    power_basis: Basis | None = None
    remarks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Offer:
    """The price of everything that a candidate needs, rented by the hour or bought.

    Attributes:
        hourly: None for purchases, and if the reader has typed none.
        purchase: None for rentals.
        rate_day: Day whose exchange rate holds; None for `day`.
        remarks: Keys of `REMARKS` that apply to the offer.
    """

    id: str
    kind: PriceKind
    hourly: float | None
    purchase: float | None
    currency: str
    day: date | None
    rate_day: date | None = None
    granularity_s: int | None = None
    preparation_s: float | None = None
    session_limit_s: float | None = None
    term_months: int | None = None
    upfront: float | None = None
    remarks: tuple[str, ...] = ()

    @property
    def doubtful(self) -> bool:
        """Returns True if its price cannot be right."""
        return not frozenset(Reason).isdisjoint(self.remarks)


@dataclass(frozen=True, slots=True)
class Question:
    """The reader's question.

    Attributes:
        currency: Currency of all amounts of the question and of the answer.
        budget: Highest cost; None for any. Likewise the deadline and the energy.
        tariff: Price of a kilowatt-hour; None if the reader gave none.
        utilisation: Share of the lifetime in which an owned machine is used, above 0 and up to 1.
        months: Lifetime of an owned machine.
        preparation_s: Time paid for before training starts, if the offer does not state it.
        jobs: Training runs in a row on one machine, which is prepared once.
        increment_s: Billing increment, if the offer does not state it; 0 for the exact time.
        minimum_s: The shortest time billed.
    """

    target: float
    direction: Direction
    by: By
    currency: str
    budget: float | None = None
    deadline_s: float | None = None
    energy_kwh: float | None = None
    tariff: float | None = None
    pue: float = 1.0
    utilisation: float = 1.0
    months: float = 36.0
    preparation_s: float = 0.0
    jobs: float = 1.0
    increment_s: float = 0.0
    minimum_s: float = 0.0

    def __post_init__(self) -> None:
        cost.check_ownership(self.months, self.utilisation, self.pue)


@dataclass(frozen=True, slots=True)
class Excess:
    """A limit that a row exceeds: which one, its value in the figure's unit, and by how much.
    `SESSION_TOO_SHORT` is the offer's own.
    """

    state: State
    limit: float
    over: float


@dataclass(frozen=True, slots=True)
class Row:
    """One candidate at one offer, answered.

    Attributes:
        seconds: Preparation, from the offer or the question, and the candidate's own time to the
            target; None if it is not reached.
        billed_s: The same as billed.
        reached: Trials that reached the target, of `trials`.
        hourly: Price of an hour of use in the question's currency; for an owned machine with
            electricity.
        cost: In the question's currency. None with the state `ok` if a ranking by time or energy
            needs no price, and for a price that cannot be right.
        converted: The conversion of the offer's amount to the question's currency; None if it was
            in that currency, or nothing is paid.
        rank: Among rows in the state `ok`; None for all others.
        frontier: No other such row is both as fast and as cheap.
        excess: Every limit that it exceeds, in the order of the states; empty if a required figure
            is missing.
    """

    candidate: Candidate
    offer: Offer | None
    seconds: Spread | None
    billed_s: Spread | None
    reached: int
    trials: int
    hourly: float | None
    cost: Spread | None
    converted: Converted | None
    energy_kwh: Spread | None
    state: State
    rank: int | None
    frontier: bool
    remarks: tuple[str, ...]
    excess: tuple[Excess, ...] = ()


def offer_of(
    price: Price,
    *,
    accelerators: int | None = None,
    rate_day: date | None = None,
    remarks: Sequence[str] = (),
) -> Offer:
    """A recorded price as an offer for a candidate: as many pieces as its `accelerators` need
    (`cost.pieces`), one without; `remarks` are further ones.
    """
    times = cost.pieces(accelerators, price.accelerators) if accelerators else 1
    bought = price.per is Per.PURCHASE
    alone = ("accelerators-alone",) if price.includes == ("accelerator",) else ()
    bounds = {Bound.EQ: (), Bound.APPROX: ("about",), Bound.LT: ("about",), Bound.GT: ("at-least",)}
    return Offer(
        price.price_id,
        price.kind,
        None if bought else times * cost.per_hour(price),
        times * price.amount if bought else None,
        price.currency,
        price.valid_from,
        rate_day,
        price.granularity_s,
        None if price.preparation_s is None else float(price.preparation_s),
        price.session_limit_s,
        price.term_months,
        price.upfront,
        (*remarks, *bounds[price.bound], *alone),
    )


_NAMES: Final[dict[type, tuple[str, ...]]] = {}
"""The fields of each record class; none for other classes."""


def plain(value: Any) -> object:
    """Records as JSON: fields by name, days as ISO 8601, lists."""
    if value is None or isinstance(value, (str, int, float)):
        return value
    kind = type(value)
    if kind not in _NAMES:
        _NAMES[kind] = tuple(field.name for field in fields(kind)) if is_dataclass(kind) else ()
    if names := _NAMES[kind]:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in value]
    return value.isoformat() if isinstance(value, date) else value
