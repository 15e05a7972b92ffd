"""The script's money, times and rates are those of the formulas, to 1e-12."""

import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.audit.formulas import Fact, apply
from kernels.catalog import cost, exchange
from kernels.catalog.cost import Spread, exactly
from kernels.catalog.price_warnings import Reason
from kernels.errors import FactError
from kernels.records import Rate
from site_src import node
from site_src.costs.answers import COST as SCRIPT
from site_src.costs.question import REMARKS, State, plain

SERVED = """
const touchstone = (0, eval)(`${process.argv[1]}; touchstoneCosts`);
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const [name, given] = JSON.parse(line);
  let found;
  try { found = { value: touchstone[name](...given) }; } catch (error) { found = { refused: String(error) }; }
  console.log(JSON.stringify(found));
});
"""

Ask = Callable[..., Any]


@pytest.fixture(scope="module")
def ask() -> Iterator[Ask]:
    """A function of the script by its name, in one Node for all questions; None where it
    refuses.
    """
    command = [str(node.program()), "-e", SERVED, SCRIPT.read_text(encoding="utf-8")]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        sent, came = process.stdin, process.stdout

        def function(name: str, *given_: object) -> object:
            sent.write(json.dumps([name, plain(given_)]) + "\n")
            sent.flush()
            return json.loads(came.readline()).get("value")

        yield function
        sent.close()


def same(found: Any, wanted: Any) -> bool:
    """Equal, figures to 1e-12 of their size."""
    if isinstance(wanted, dict):
        return (
            isinstance(found, dict)
            and found.keys() == wanted.keys()
            and all(same(found[key], wanted[key]) for key in wanted)
        )
    if isinstance(wanted, list):
        return (
            isinstance(found, list) and len(found) == len(wanted) and all(map(same, found, wanted))
        )
    if isinstance(wanted, bool) or not isinstance(wanted, int | float):
        return bool(found == wanted and type(found) is type(wanted))
    return isinstance(found, int | float) and abs(found - wanted) <= 1e-12 * max(
        abs(found), abs(wanted)
    )


def or_refused(function: Callable[..., object], *given_: object, **named: object) -> object:
    """What a function gives, as JSON has it; None where it refuses."""
    try:
        return json.loads(json.dumps(plain(function(*given_, **named))))
    except FactError:
        return None


ROUND = st.sampled_from([0.5, 1.0, 2.0, 3.0, 60.0, 3600.0, 7200.0])
POSITIVE = ROUND | st.floats(1e-3, 1e6)
AMOUNT = st.just(0.0) | POSITIVE
GRANULE = st.sampled_from([None, 1, 60, 3600])
CURRENCY = st.sampled_from(["EUR", "USD", "JPY"])
TODAY = date(2020, 2, 29)
DAYS = st.integers(0, 14).map(lambda days: TODAY - timedelta(days=days))


def spreads(values: st.SearchStrategy[float]) -> st.SearchStrategy[Spread]:
    """Figures with intervals."""
    ends = st.tuples(values, values, values).map(sorted)
    return ends.map(lambda three: Spread(three[1], three[0], three[2]))


SPREAD = spreads(POSITIVE)
RATIO = spreads(st.floats(0.1, 10))

RATES = st.lists(
    st.builds(
        Rate, st.sampled_from(["EUR", "EUR", "USD"]), st.sampled_from(["USD", "JPY"]), POSITIVE, DAYS, st.sampled_from(["boj", "ecb"]),
        st.just("row"), st.just("ECB"),
    ),
    max_size=5,
)  # fmt: skip


@given(AMOUNT, st.tuples(CURRENCY, CURRENCY), DAYS, RATES)
def test_both_convert_alike_and_refuse_alike(
    ask: Ask, amount: float, pair: tuple[str, str], day: date, rates: list[Rate]
) -> None:
    """The same rate of the same day, or none."""
    wanted = or_refused(exchange.convert, amount, *pair, day, rates)

    assert same(ask("convert", amount, *pair, day, rates), wanted)


def test_an_owned_machine_costs_its_purchase_and_its_electricity(ask: Ask) -> None:
    """300 000 yen over 36 months, half used; 500 W at 30 yen, PUE 1.2: 22.83 + 18 an hour. Without
    electricity it is the formula by which the figure is held.
    """
    bought = apply("owned_per_hour", [_fact(300_000, "JPY"), _fact(36, "1"), _fact(0.5, "1")], "x")

    assert ask("ownedPerHour", 300_000, 36, 0.5) == pytest.approx(22.8310502)
    assert ask("ownedPerHour", 300_000, 36, 0.5) == pytest.approx(bought.value, rel=1e-12)
    assert ask("ownedPerHour", 300_000, 36, 0.5, 500, 30, 1.2) == pytest.approx(40.8310502)
    assert ask("energyKwh", 500, 7200, 1.2) * 30 == pytest.approx(2 * 18)
    assert ask("energyKwh", 1000, 3600) == 1.0


def _fact(value: float, unit: str) -> Fact:
    return Fact(str(value), value, unit)


OWNED = ("purchase", "months", "utilisation", "power_w", "tariff", "pue")


@given(
    st.tuples(
        *(st.floats(*ends) for ends in ((0.01, 1e3), (1, 120), (0.01, 0.5))),
        *(st.floats(*ends) for ends in ((1, 5000), (0.01, 1), (1, 2))),
    )
)
def test_an_hour_of_use_is_cheaper_the_longer_and_the_more_a_machine_is_used(
    ask: Ask, machine: tuple[float, ...]
) -> None:
    """A longer lifetime and more use lower it; purchase, power, tariff and PUE raise it."""
    hourly = ask("ownedPerHour", *machine)

    for place, name in enumerate(OWNED):
        doubled = (*machine[:place], 2 * machine[place], *machine[place + 1 :])
        lower = name in {"months", "utilisation"}
        assert (ask("ownedPerHour", *doubled) < hourly) is lower, name


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        ((1, 0, 1), "lifetime of 0 months"),
        ((1, 1, 0), "utilisation of 0"),
        ((1, 1, 1.1), "utilisation of 1.1"),
        ((1, 1, 1, 0, 0, 0.9), "PUE of 0.9"),
        ((-1, 1, 1), None),
        ((1, 1, 1, 0, -1), None),
    ],
)
def test_a_machine_that_cannot_be_is_refused(
    ask: Ask, machine: tuple[float, ...], words: str | None
) -> None:
    """As Python refuses a question about one; an amount below 0 too."""
    assert ask("ownedPerHour", *machine) is None
    if words:
        _, months, utilisation, *more = machine
        with pytest.raises(FactError, match=words):
            cost.check_ownership(months, utilisation, *more[2:])


@given(st.floats(-1, 120), st.floats(-0.5, 1.5), st.floats(0, 3))
def test_both_refuse_the_same_machines(
    ask: Ask, months: float, utilisation: float, pue: float
) -> None:
    """Python where a question is about one, the script where it works out its hour."""
    try:
        cost.check_ownership(months, utilisation, pue)
    except FactError:
        refused = True
    else:
        refused = False

    assert (ask("ownedPerHour", 1, months, utilisation, 1, 1, pue) is None) is refused


@given(SPREAD, SPREAD, POSITIVE)
def test_at_the_break_even_price_both_jobs_cost_the_same(
    ask: Ask, a: Spread, b: Spread, hourly: float
) -> None:
    """And where one is fastest and the other slowest, at the ends of its interval; a job that takes
    no time is no measure of another.
    """
    found = ask("breakEvenPrice", a, b, hourly)
    inputs = [_fact(a.value, "s"), _fact(b.value, "s"), _fact(hourly, "USD/h")]

    for seconds_a, price, seconds_b in (
        (a.value, found["value"], b.value),
        (a.high, found["low"], b.low),
        (a.low, found["high"], b.high),
    ):
        assert seconds_a * price == pytest.approx(seconds_b * hourly)
    assert same(found["value"], apply("break_even_price", inputs, "x").value)
    assert ask("breakEvenPrice", exactly(0.0), b, hourly) is None


MONEY = st.floats(0.01, 1e3)
TIME = st.floats(0.1, 1e6)


@given(TIME, st.integers(1, 7200))
def test_billing_rounds_up_to_the_granularity(ask: Ask, seconds: float, granularity: int) -> None:
    """A whole multiple, and less than one granule more."""
    billed = ask("billedSeconds", seconds, granularity)

    assert billed % granularity == 0
    assert seconds * (1 - 1e-9) <= billed < seconds + granularity + 1e-6
    assert ask("billedSeconds", seconds, None) == seconds


BILLED = st.tuples(st.floats(0, 7200), GRANULE)


@given(TIME, MONEY, BILLED, st.floats(1.0, 10.0))
def test_a_job_costs_no_less_for_more_of_anything(
    ask: Ask, seconds: float, hourly: float, terms: tuple[float, int | None], more: float
) -> None:
    """A longer job, a dearer hour, a longer preparation; nothing costs nothing."""
    preparation, granule = terms
    paid = ask("jobCost", seconds, hourly, preparation, granule)

    assert ask("jobCost", seconds * more, hourly, preparation, granule) >= paid
    assert ask("jobCost", seconds, hourly * more, preparation, granule) >= paid
    assert ask("jobCost", seconds, hourly, preparation * more, granule) >= paid
    assert paid >= ask("jobCost", seconds, hourly) * (1 - 1e-9)
    assert ask("jobCost", seconds, 0.0, preparation, granule) == 0.0
    assert ask("jobCost", seconds, hourly) == pytest.approx(seconds / 3600 * hourly)


@pytest.mark.parametrize(
    ("seconds", "granularity", "billed"),
    [
        (3600, 3600, 3600),
        (3600.0000000001, 3600, 3600),
        (3601, 3600, 7200),
        (59.2, 1, 60),
        (59.2, None, 59.2),
        (0.0, 60, 0.0),
    ],
)
def test_a_job_that_ends_with_its_granule_begins_no_other(
    ask: Ask, seconds: float, granularity: int | None, billed: float
) -> None:
    """A billionth more, which is what hours into seconds leave behind, is not an hour more."""
    assert ask("billedSeconds", seconds, granularity) == billed


@given(RATIO, st.tuples(MONEY, MONEY), st.tuples(BILLED, BILLED), st.floats(1.001, 100))
def test_beyond_the_break_even_length_the_other_is_cheaper_whatever_is_rounded(
    ask: Ask,
    ratio: Spread,
    hourly: tuple[float, float],
    terms: tuple[tuple[float, int | None], tuple[float, int | None]],
    beyond: float,
) -> None:
    """Shorter than its interval one is cheaper, longer than it the other."""
    preparations, granules = zip(*terms, strict=True)
    found = ask("breakEvenSeconds", ratio, *hourly, preparations, granules)
    if found is None:
        return

    def dearer(seconds: float, times: float) -> list[float]:
        return [
            ask("jobCost", times * seconds, hourly[0], preparations[0], by[0])
            - ask("jobCost", seconds, hourly[1], preparations[1], by[1])
            for by in ((None, None), granules)
        ]

    for times in (ratio.value, ratio.low, ratio.high):
        sign = 1 if hourly[1] < times * hourly[0] else -1
        for difference in dearer(found["high"] * beyond, times):
            assert sign * difference >= -1e-6 * sum(hourly)
        for difference in dearer(found["low"] / beyond, times) if found["low"] > 0 else ():
            assert sign * difference <= 1e-6 * sum(hourly)


def test_two_prices_that_meet_at_a_length_are_found_and_those_that_do_not_are_not(ask: Ask) -> None:
    """A takes an hour to prepare at 2 an hour, B none at 3: 2 (3600 + x) = 3 x at 7200 s."""

    def found(
        ratio: Spread, preparation: tuple[int, int], granule: tuple[int | None, ...] = (None, None)
    ) -> object:
        return ask("breakEvenSeconds", ratio, 2.0, 3.0, preparation, granule)

    assert found(exactly(1.0), (3600, 0)) == plain(exactly(7200.0))
    assert found(exactly(1.0), (0, 0)) is None, (
        "without preparation the cheaper one is cheaper at any length"
    )
    assert found(exactly(1.0), (0, 3600)) is None, "cheaper to prepare and to run"
    assert found(exactly(1.5), (3600, 0)) is None, "both cost the same to run"
    assert found(Spread(1.0, 0.5, 2.0), (3600, 0)) is None, "which is cheaper to run is open"
    assert found(exactly(1.0), (3600, 0), (60, 60)) == plain(Spread(7200.0, 7020.0, 7320.0)), (
        "each bill may be up to a minute longer"
    )


def test_the_script_knows_the_same_words() -> None:
    """States and remarks that Python knows stand in the script, and no others."""
    text = SCRIPT.read_text(encoding="utf-8")

    others = [key for key in REMARKS if key not in frozenset(Reason)]
    for name, words in (("STATES", list(State)), ("REASONS", list(Reason)), ("REMARKS", others)):
        found = json.loads(
            "["
            + text.split(f"const {name} = [")[1]
            .split("]")[0]
            .replace("...REASONS,", "")
            .strip()
            .rstrip(",")
            + "]"
        )
        assert found == words, name
