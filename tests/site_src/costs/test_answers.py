"""Which setup is first, cheapest or least energy-hungry, and with what it must be said."""

import json
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kernels import catalog
from kernels.catalog.cost import Spread, exactly
from kernels.catalog.price_warnings import Reason
from kernels.errors import FactError
from kernels.records import Bound, ClockScope, Direction, PriceKind, Rate, Status
from site_src import node
from site_src.costs.answers import COST as COST_SCRIPT
from site_src.costs.answers import Asked, Pairs, answers
from site_src.costs.question import (
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
from tests.examples import tried

TODAY = date(2019, 5, 14)
RATES = (Rate("EUR", "USD", 1.25, TODAY, "ecb", "eurofxref-hist, 2019-05-14", "ECB"),)
COST = Question(0.75, Direction.AT_LEAST, By.COST, "USD")
TIME = replace(COST, by=By.TIME)
ENERGY = replace(COST, by=By.ENERGY)
HOUR = 3600.0


def trial(
    *hours: float,
    quality: float = 0.75,
    best: float | None = None,
    status: Status = Status.OK,
    name: str = "a-1",
) -> Trial:
    """Half of the target first, then the target, at these hours."""
    points = tuple(
        Point(quality if place == len(hours) - 1 else 0.3 + place / 10, hour * HOUR)
        for place, hour in enumerate(hours)
    )
    return Trial(
        name, points, best if best is not None else (points[-1].quality if points else None), status
    )


def candidate(*trials: Trial, name: str = "a", **fields: object) -> Candidate:
    """A setup on one system."""
    made = Candidate(
        name,
        f"box-{name}",
        "resnet50-imagenet",
        1,
        ClockScope.TRAIN_ONLY,
        trials or (trial(0.5, 1.0),),
    )
    return replace(made, **fields)  # type: ignore[arg-type]  # whatever a test is about


def offer(hourly: float | None = 2.0, name: str = "rent", **fields: object) -> Offer:
    """An offer of today, billed by the second."""
    made = Offer(name, PriceKind.ON_DEMAND, hourly, None, "USD", TODAY, granularity_s=1)
    return replace(made, **fields)  # type: ignore[arg-type]


def answer(question: Question, pairs: Pairs) -> tuple[Row, ...]:
    """The answer to one question."""
    (rows,) = answers([Asked(question, pairs)], RATES, TODAY)
    return rows


def one(question: Question, setup: Candidate, priced: Offer | None) -> Row:
    """The only row."""
    (row,) = answer(question, [(setup, priced)])
    return row


def test_one_setup_is_answered_with_time_money_and_energy() -> None:
    """An hour at 2 dollars and 300 W."""
    row = one(COST, candidate(power_w=300.0, power_basis=Basis.RATED), offer())

    assert (row.state, row.rank, row.frontier, row.reached, row.trials) == (State.OK, 1, True, 1, 1)
    assert (row.seconds, row.billed_s, row.cost, row.hourly) == (
        exactly(HOUR),
        exactly(HOUR),
        exactly(2.0),
        2.0,
    )
    assert row.energy_kwh == exactly(0.3)
    assert row.remarks == ("n1", "estimate-energy"), "nobody's meter counted it"


def test_a_price_that_cannot_be_right_ranks_nowhere() -> None:
    """By time the setup keeps its place without a cost."""
    wrong = offer(0.01, "wrong", remarks=(Reason.TWO_RATES,))
    pairs = [(candidate(), wrong), (candidate(trial(2.0), name="b"), offer())]

    by_cost = answer(COST, pairs)
    by_time = answer(replace(COST, by=By.TIME), pairs)
    budget = one(replace(COST, by=By.TIME, budget=5.0), candidate(), wrong)

    assert [(row.candidate.id, row.state, row.rank) for row in by_cost] == [
        ("b", State.OK, 1),
        ("a", State.DOUBTFUL_PRICE, None),
    ]
    assert [(row.candidate.id, row.rank, row.cost, row.frontier) for row in by_time] == [
        ("a", 1, None, False),
        ("b", 2, exactly(4.0), True),
    ]
    assert by_time[0].remarks[0] == "two-rates"
    assert budget.state is State.DOUBTFUL_PRICE


def test_the_time_is_the_median_of_the_trials_that_reached_the_target() -> None:
    """1, 2 and 4 h; the fourth came short, and is said."""
    row = one(COST, candidate(trial(1.0), trial(4.0), trial(2.0), trial(9.0, quality=0.7)), offer())

    assert row.seconds == Spread(2 * HOUR, HOUR, 4 * HOUR)
    assert row.cost == Spread(4.0, 2.0, 8.0)
    assert (row.reached, row.trials) == (3, 4)
    assert "k-of-n" in row.remarks


def test_the_first_evaluation_at_the_target_counts() -> None:
    """A target below the first evaluation was reached some time before it."""
    setup = candidate(
        Trial("a-1", (Point(0.5, 1.0), Point(0.75, 2.0), Point(0.8, 3.0)), 0.8, Status.OK)
    )

    assert [
        one(replace(COST, target=target), setup, offer()).seconds
        for target in (0.5, 0.6, 0.75, 0.76)
    ] == [exactly(1.0), exactly(2.0), exactly(2.0), exactly(3.0)]
    assert "at-most" in one(replace(COST, target=0.4), setup, offer()).remarks
    assert "at-most" not in one(replace(COST, target=0.5), setup, offer()).remarks


@pytest.mark.parametrize("by", [By.TIME, By.COST])
def test_an_upper_limit_is_no_interval_from_nothing(by: By) -> None:
    """At most 9 h shares no place with 2 h: it stands where its figure stands, marked."""
    early, limit = (
        candidate(trial(1.0, 2.0), name="b"),
        candidate(Trial("a-1", (Point(0.9, 9 * HOUR),), 0.9, Status.OK)),
    )

    rows = answer(replace(COST, by=by), [(limit, offer()), (early, offer())])

    assert [(row.candidate.id, row.rank, "at-most" in row.remarks) for row in rows] == [
        ("b", 1, False),
        ("a", 2, True),
    ]


def test_a_target_between_two_was_reached_after_the_easier_one() -> None:
    """Between 75.7 % after 8 h and 76.4 % after 11: 75.9 % took 8 to 11 h."""
    printed = candidate(
        Trial(
            "a-1",
            (
                Point(0.757, 8 * HOUR, None, 7.9 * HOUR, 8.1 * HOUR),
                Point(0.764, 11 * HOUR, None, 11 * HOUR, 11 * HOUR),
            ),
            0.764,
            Status.OK,
        )
    )
    quick, slow = (
        candidate(trial(hours, quality=0.759), name=name)
        for name, hours in (("quick", 0.07), ("slow", 10.0))
    )

    rows = answer(
        replace(TIME, target=0.759), [(setup, offer()) for setup in (printed, quick, slow)]
    )
    ranks = {row.candidate.id: row.rank for row in rows}

    assert ranks == {"quick": 1, "slow": 2, "a": 2}
    assert rows[-1].seconds == Spread(11 * HOUR, 7.9 * HOUR, 11 * HOUR)
    assert "between" in rows[-1].remarks and "at-most" not in rows[-1].remarks


def test_what_misses_by_least_is_the_nearest(tmp_path: Path) -> None:
    """Over both limits the worse miss counts: 2 for 1 dollar is nearer than 9 h for 3."""
    short, long = candidate(trial(1.0), name="short"), candidate(trial(9.0), name="long")
    asked = replace(COST, budget=1.0, deadline_s=3 * HOUR)

    rows = answer(asked, [(long, offer(0.1)), (short, offer()), (candidate(name="bare"), None)])
    script = tmp_path / "nearest.js"
    script.write_text("(asked) => asked.map((rows) => rows.indexOf(touchstoneCosts.nearest(rows)))")
    bare = answer(COST, [(short, offer()), (short, None)])
    place, none = node.run((COST_SCRIPT, script), plain([rows, bare]))
    found = rows[place]

    assert found.candidate.id == "short"
    assert found.excess == (Excess(State.OVER_BUDGET, 1.0, 1.0),)
    assert [row.excess for row in rows if row.candidate.id == "long"] == [
        (Excess(State.TOO_LATE, 3 * HOUR, 6 * HOUR),)
    ]
    assert none == -1


def test_a_row_names_every_limit_that_it_breaks() -> None:
    """Two dollars an hour for three hours, of which one dollar and two hours are allowed."""
    row = one(replace(COST, budget=1.0, deadline_s=2 * HOUR), candidate(trial(3.0)), offer())

    assert row.excess == (
        Excess(State.OVER_BUDGET, 1.0, 5.0),
        Excess(State.TOO_LATE, 2 * HOUR, HOUR),
    )


def test_a_loss_is_reached_from_above() -> None:
    """At most 0.3 of a loss."""
    falling = candidate(Trial("a-1", (Point(0.5, 1.0), Point(0.3, 2.0)), 0.3, Status.OK))

    assert one(
        replace(COST, target=0.3, direction=Direction.AT_MOST), falling, offer()
    ).seconds == exactly(2.0)
    assert (
        one(replace(COST, target=0.2, direction=Direction.AT_MOST), falling, offer()).state
        is State.NOT_REACHED
    )


def test_the_rounding_of_a_printed_time_is_its_interval() -> None:
    """Of each printed target its own; a reading of a log is exact."""
    easy, hard = Point(0.75, 3600.0, None, 3590.0, 3610.0), Point(0.8, 7200.0, None, 7190.0, 7215.0)
    printed = candidate(Trial("a-1", (easy, hard), 0.8, Status.OK))

    assert one(COST, printed, offer()).seconds == Spread(3600.0, 3590.0, 3610.0)
    assert one(replace(COST, target=0.8), printed, offer()).seconds == Spread(
        7200.0, 7190.0, 7215.0
    )
    assert one(COST, candidate(trial(1.0)), offer()).seconds == exactly(3600.0)
    between, at = (
        one(replace(COST, target=target), printed, offer()).remarks for target in (0.76, 0.8)
    )
    assert "between" in between and not {"between", "at-most"} & {*at}


@pytest.mark.parametrize(
    ("trials", "state"),
    [
        ((trial(1.0, quality=0.7),), State.NOT_REACHED),
        (
            (trial(1.0, quality=0.7), trial(best=0.6, status=Status.NOT_CONVERGED)),
            State.NOT_REACHED,
        ),
        ((trial(1.0, quality=0.7), trial()), State.NOT_STATED),
        ((trial(best=0.8),), State.NOT_STATED),
        ((trial(status=Status.NOT_RUN),), State.NOT_STATED),
        ((trial(status=Status.OOM),), State.FAILED),
        ((trial(status=Status.OOM), trial(1.0, quality=0.7)), State.NOT_REACHED),
        ((trial(1.0, status=Status.KILLED),), State.OK),
    ],
)
def test_why_a_target_was_not_reached_is_told_apart(
    trials: tuple[Trial, ...], state: State
) -> None:
    """Came short, nobody says, or failed; stopped after it reached it is reached."""
    row = one(COST, candidate(*trials), offer())

    assert row.state is state
    assert (row.rank is None, row.cost is None) == ((state is not State.OK,) * 2)


def test_a_setup_without_runs_says_nothing() -> None:
    """Neither failed nor short."""
    assert one(COST, replace(candidate(), trials=()), offer()).state is State.NOT_STATED


@pytest.mark.parametrize(
    ("question", "priced", "state"),
    [
        (replace(COST, budget=1.99), offer(), State.OVER_BUDGET),
        (replace(COST, budget=2.0), offer(), State.OK),
        (replace(COST, deadline_s=3599), offer(), State.TOO_LATE),
        (replace(COST, deadline_s=3600), offer(), State.OK),
        (replace(COST, energy_kwh=0.29), offer(), State.OVER_ENERGY),
        (replace(COST, energy_kwh=0.3), offer(), State.OK),
        (COST, offer(session_limit_s=3599), State.SESSION_TOO_SHORT),
        (COST, offer(session_limit_s=3600), State.OK),
        (COST, None, State.NO_PRICE),
        (COST, offer(None), State.NO_PRICE),
        (TIME, None, State.OK),
        (replace(TIME, budget=9.0), None, State.NO_PRICE),
        (COST, offer(currency="JPY"), State.NO_RATE),
        (TIME, offer(currency="JPY"), State.OK),
        (COST, offer(currency="EUR", day=None), State.NO_RATE),
        (COST, offer(currency="EUR", day=date(2018, 1, 1)), State.NO_RATE),
    ],
)
def test_each_limit_and_each_gap_has_its_state(
    question: Question, priced: Offer | None, state: State
) -> None:
    """A limit that is met exactly is kept; a price is missed only where the cost is needed."""
    row = one(question, candidate(power_w=300.0), priced)

    assert row.state is state
    assert (row.rank == 1) is (state is State.OK)
    assert ("session-limit" in row.remarks) is (state is State.SESSION_TOO_SHORT)


@pytest.mark.parametrize("question", [ENERGY, replace(COST, energy_kwh=1.0)])
def test_energy_is_missed_where_it_is_asked_for(question: Question) -> None:
    """No meter and no power: not zero."""
    assert one(question, candidate(), offer()).state is State.NO_ENERGY
    assert one(COST, candidate(), offer()).energy_kwh is None


def test_a_limit_within_the_interval_is_a_maybe() -> None:
    """The median keeps it and the slowest run does not, or the other way round."""
    setup = candidate(trial(1.0), trial(2.0), trial(3.0))

    assert [
        ("maybe" in one(replace(COST, budget=budget), setup, offer()).remarks)
        for budget in (1.9, 2.0, 3.9, 5.9, 6.0)
    ] == [False, True, True, True, False]


def test_overlapping_intervals_share_a_rank() -> None:
    """2 to 6 dollars and 3 to 4 are a tie; 7 is behind both of them."""
    wide, narrow = (
        candidate(trial(1.0), trial(2.0), trial(3.0), name="wide"),
        candidate(trial(1.5), trial(2.0), name="narrow"),
    )
    slow = candidate(trial(3.5), name="slow")

    rows = answer(COST, [(slow, offer()), (wide, offer()), (narrow, offer())])

    assert [(row.candidate.id, row.rank) for row in rows] == [
        ("narrow", 1),
        ("wide", 1),
        ("slow", 3),
    ]


def test_the_frontier_is_what_nothing_beats_in_both() -> None:
    """Not what is slower and dearer than one of them, nor what has no price."""
    fast, slow, worse = (
        candidate(trial(hours), name=name)
        for hours, name in ((1.0, "fast"), (4.0, "slow"), (5.0, "worse"))
    )
    pairs = [(fast, offer(8.0)), (slow, offer(1.0)), (worse, offer(2.0)), (fast, None)]

    rows = answer(TIME, pairs)

    assert {(row.candidate.id, row.offer is None) for row in rows if row.frontier} == {
        ("fast", False),
        ("slow", False),
    }


def test_rows_that_do_not_answer_come_after_those_that_do() -> None:
    """In the order of the states, then by name."""
    pairs = [
        (candidate(trial(status=Status.OOM), name="b"), offer()),
        (candidate(name="c"), None),
        (candidate(name="d"), offer()),
    ]
    pairs += [(candidate(trial(status=Status.OOM), name="a"), offer())]

    assert [row.candidate.id for row in answer(COST, pairs)] == ["d", "c", "a", "b"]


def test_an_offer_in_another_currency_is_converted_at_its_day() -> None:
    """Two euros are 2.50 dollars, and the row says at which rate of which day."""
    row = one(COST, candidate(), offer(currency="EUR"))

    assert row.cost == exactly(2.5)
    assert row.converted is not None
    assert (row.converted.rate, row.converted.day, row.converted.sources) == (1.25, TODAY, ("ecb",))
    undated = one(COST, candidate(), offer(currency="EUR", day=None, rate_day=TODAY))
    assert undated.cost == exactly(2.5)
    assert "undated" in undated.remarks


def test_what_is_free_costs_nothing_in_any_currency() -> None:
    """And needs no rate; a typed price of nothing likewise, without being called free."""
    row = one(
        COST, candidate(), offer(0.0, kind=PriceKind.FREE, currency="JPY", granularity_s=None)
    )

    assert (row.cost, row.converted, row.remarks) == (exactly(0.0), None, ("free", "n1"))
    typed = one(COST, candidate(), offer(0.0, currency="JPY"))
    assert (typed.cost, typed.remarks) == (exactly(0.0), ("n1",))


def test_preparation_takes_time_and_money() -> None:
    """An hour before an hour; the energy is that of training."""
    setup = candidate(power_w=300.0)
    stated, reckoned = offer(preparation_s=HOUR), replace(COST, preparation_s=HOUR)

    for row in (
        one(COST, setup, stated),
        one(reckoned, setup, offer()),
        one(replace(COST, preparation_s=1.0), setup, stated),
    ):
        assert (row.seconds, row.cost, row.energy_kwh) == (
            exactly(2 * HOUR),
            exactly(4.0),
            exactly(0.3),
        )
        assert "preparation" in row.remarks
    assert one(replace(COST, deadline_s=1.5 * HOUR), setup, stated).state is State.TOO_LATE


def test_time_is_billed_in_whole_granules() -> None:
    """61 minutes by the hour are two hours; without a granularity it is by the instant."""
    setup = candidate(trial(61 / 60))

    assert one(COST, setup, offer(granularity_s=3600)).cost == exactly(4.0)
    row = one(COST, setup, offer(granularity_s=None))
    assert row.cost is not None
    assert row.cost.value == pytest.approx(2 * 61 / 60)
    assert "pro-rata" in row.remarks


def test_a_typed_increment_counts_where_the_offer_names_none() -> None:
    """61 minutes by the typed hour are two hours; an offer's own increment goes first."""
    setup, hourly = candidate(trial(61 / 60)), replace(COST, increment_s=HOUR)

    row = one(hourly, setup, offer(granularity_s=None))

    assert row.cost == exactly(4.0)
    assert "pro-rata" not in row.remarks
    assert one(hourly, setup, offer(granularity_s=60)).billed_s == exactly(3660.0)


def test_a_short_job_pays_the_least_that_is_billed() -> None:
    """A minute at a minimum of an hour is an hour; a longer job does not notice."""
    least = replace(COST, minimum_s=HOUR)

    assert one(least, candidate(trial(1 / 60)), offer(granularity_s=60)).cost == exactly(2.0)
    assert one(least, candidate(trial(2.0)), offer(granularity_s=60)).cost == exactly(4.0)


def test_the_length_of_the_job_decides_who_is_cheaper() -> None:
    """By the hour against by the minute: the slow one wins one training, the fast one ten."""
    fast, slow = candidate(trial(0.1), name="fast"), candidate(trial(0.5), name="slow")
    pairs = [(fast, offer(2.0, granularity_s=3600)), (slow, offer(2.0, granularity_s=60))]

    first = [answer(replace(COST, jobs=jobs), pairs)[0] for jobs in (1.0, 10.0)]

    assert [row.candidate.id for row in first] == ["slow", "fast"]
    assert [row.cost for row in first] == [exactly(1.0), exactly(2.0)]
    ready = one(replace(COST, jobs=10.0), fast, offer(preparation_s=HOUR, granularity_s=60))
    assert ready.seconds == exactly(2 * HOUR)
    drawn = one(replace(COST, jobs=10.0), candidate(power_w=300.0), offer())
    assert drawn.energy_kwh == exactly(3.0)


def test_an_owned_machine_is_paid_by_lifetime_use_and_electricity() -> None:
    """7300 dollars over 10 months are 1 an hour; 500 W at 0.40 a kWh 0.20 more."""
    bought = offer(None, purchase=7300.0, kind=PriceKind.OWNED, granularity_s=None)
    question = replace(COST, months=10.0, tariff=0.4)

    row = one(replace(question, pue=1.5), candidate(power_w=500.0), bought)
    assert row.cost is not None
    assert row.cost.value == pytest.approx(1.3)
    assert row.remarks == ("n1", "estimate-energy")
    half = one(replace(question, utilisation=0.5), candidate(power_w=500.0), bought)
    assert half.hourly == pytest.approx(2.2)
    assert half.remarks == ("n1", "estimate-energy"), "a power that nobody metered"
    for setup, asked in (
        (candidate(), question),
        (candidate(power_w=500.0), replace(question, tariff=None)),
    ):
        row = one(asked, setup, bought)
        assert row.hourly == pytest.approx(1.0)
        assert "no-electricity" in row.remarks
    euros = one(question, candidate(power_w=500.0), replace(bought, currency="EUR"))
    assert euros.hourly == pytest.approx(1.25 + 0.2), (
        "the tariff is in the question's currency already"
    )


def test_a_meter_goes_before_a_power() -> None:
    """Median of the joules up to the target, for an owned machine's electricity too."""
    metered = [
        Trial(f"a-{joules}", (Point(0.75, HOUR, joules),), 0.75, Status.OK)
        for joules in (1.8e6, 3.6e6, 7.2e6)
    ]
    setup = candidate(*metered, power_w=None)

    row = one(replace(ENERGY, pue=2.0), setup, offer())
    assert row.energy_kwh == Spread(2.0, 1.0, 4.0)
    assert "estimate-energy" not in row.remarks
    bought = offer(None, purchase=7300.0, kind=PriceKind.OWNED)
    assert one(replace(COST, months=10.0, tariff=0.4), setup, bought).hourly == pytest.approx(
        1.0 + 1.0 * 0.4
    )


@pytest.mark.parametrize(
    ("fields", "remark"),
    [
        ({"day": None}, "undated"),
        ({"day": date(2017, 5, 13)}, "old-price"),
        ({"day": None, "rate_day": date(2017, 5, 13)}, "undated old-price"),
        ({"term_months": 12}, "commitment"),
        ({"kind": PriceKind.SPOT}, "spot"),
        ({"granularity_s": None}, "pro-rata"),
        ({"remarks": ("other-machine", "about")}, "other-machine about"),
        ({"day": date(2017, 5, 14)}, ""),
    ],
)
def test_what_must_be_said_of_an_offer_is_said(fields: dict[str, Any], remark: str) -> None:
    """In one order; more than two years is old, two years are not."""
    assert one(TIME, candidate(trial(1.0), trial(1.0)), offer(**fields)).remarks == tuple(
        remark.split()
    )


def test_times_that_do_not_include_the_same_are_said_to_be_mixed() -> None:
    """Beside every ranked row, and not beside the others."""
    other = candidate(name="b", clock_scope=ClockScope.END_TO_END)
    failed = candidate(trial(status=Status.OOM), name="c", clock_scope=ClockScope.UNKNOWN)

    rows = answer(COST, [(candidate(), offer()), (other, offer()), (failed, offer())])

    assert [("mixed-clocks" in row.remarks) for row in rows] == [True, True, False]
    assert (
        "mixed-clocks" not in answer(COST, [(candidate(), offer()), (failed, offer())])[0].remarks
    )


@settings(max_examples=tried(20))
@given(
    st.lists(st.tuples(st.floats(0.01, 100), st.floats(0.01, 100)), min_size=2, max_size=6),
    st.floats(1.0, 10.0),
)
def test_a_dearer_or_slower_setup_never_ranks_better(
    setups: list[tuple[float, float]], more: float
) -> None:
    """Each one's price, then its time, made larger; the others stay."""

    def asked(place: int, longer: float, dearer: float) -> Asked:
        changed = [
            (hours * longer, hourly * dearer) if at == place else (hours, hourly)
            for at, (hours, hourly) in enumerate(setups)
        ]
        return Asked(
            COST,
            [
                (candidate(trial(hours), name=str(at)), offer(hourly))
                for at, (hours, hourly) in enumerate(changed)
            ],
        )

    def rank(rows: tuple[Row, ...], place: int) -> int:
        return next(row.rank for row in rows if row.candidate.id == str(place)) or 0

    changes = ((1.0, 1.0), (1.0, more), (more, 1.0))
    places = range(len(setups))
    found = iter(answers([asked(at, *by) for at in places for by in changes], RATES, TODAY))
    for place in places:
        before, dearer, slower = (rank(next(found), place) for _ in changes)

        assert dearer >= before
        assert slower >= before


def test_a_recorded_price_becomes_an_offer() -> None:
    """Per month by 730, as often as the accelerators need, with its remarks."""
    prices = catalog.load().prices
    rent, bought = prices["cirrascale-4xv100-month-2018"], prices["rtx2080ti-1x-purchase"]

    assert offer_of(rent).hourly == pytest.approx(7500 / 730)
    assert offer_of(rent, accelerators=8).hourly == pytest.approx(2 * 7500 / 730)
    assert (offer_of(rent).remarks, offer_of(rent, remarks=("other-machine",)).remarks) == (
        ("about",),
        ("other-machine", "about"),
    )
    two = offer_of(bought, accelerators=2, rate_day=TODAY)
    assert (two.hourly, two.purchase, two.remarks, two.rate_day) == (
        None,
        300_000,
        ("at-least", "accelerators-alone"),
        TODAY,
    )
    assert offer_of(replace(rent, bound=Bound.EQ, preparation_s=60)).preparation_s == 60.0


def test_an_answer_is_plain_json() -> None:
    """Days as text, words for members, lists for tuples."""
    row = json.loads(json.dumps(plain(one(COST, candidate(), offer(currency="EUR")))))

    assert (row["offer"]["day"], row["converted"]["day"], row["state"], row["remarks"]) == (
        "2019-05-14",
        "2019-05-14",
        "ok",
        ["n1"],
    )
    assert row["cost"] == {"value": 2.5, "low": 2.5, "high": 2.5}
    assert plain({"rates": RATES})["rates"][0]["day"] == "2019-05-14"  # type: ignore[index]  # a mapping stays one


def test_a_question_that_no_machine_answers_is_refused() -> None:
    """Months, utilisation and PUE are checked where they come in."""
    with pytest.raises(FactError, match="utilisation of 0"):
        replace(COST, utilisation=0.0)
