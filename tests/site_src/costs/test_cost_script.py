"""The script's money, times and rates are those of the formulas that `verify` holds each figure
with, over random figures, to 1e-12.
"""

import json
import subprocess
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.catalog import cost, exchange
from kernels.catalog.cost import Spread
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
SHARE = st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]) | st.floats(0, 1)
CURRENCY = st.sampled_from(["EUR", "USD", "JPY"])
TODAY = date(2020, 2, 29)
DAYS = st.integers(0, 14).map(lambda days: TODAY - timedelta(days=days))
OLD = st.sampled_from([date(2018, 2, 28), date(2018, 3, 1), date(2018, 2, 20)])


def maybe(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Or nothing."""
    return st.none() | values


SPREAD = (
    st.tuples(POSITIVE, POSITIVE, POSITIVE)
    .map(sorted)
    .map(lambda three: Spread(three[1], three[0], three[2]))
)

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


@given(POSITIVE, AMOUNT, st.tuples(AMOUNT, GRANULE))
def test_both_bill_alike(
    ask: Ask, seconds: float, hourly: float, terms: tuple[float, int | None]
) -> None:
    """Preparation is paid for, and a granule that was begun."""
    named: dict[str, Any] = dict(zip(("preparation_s", "granularity_s"), terms, strict=True))

    assert same(ask("jobCost", seconds, hourly, *terms), cost.job_cost(seconds, hourly, **named))
    assert same(ask("billedSeconds", seconds, terms[1]), cost.billed_seconds(seconds, terms[1]))


@given(
    st.tuples(AMOUNT, st.floats(-1, 120), st.floats(-0.5, 1.5)),
    st.tuples(st.floats(-1, 5000), AMOUNT, st.floats(0, 3)),
)
def test_both_reckon_alike_with_what_is_owned(
    ask: Ask, machine: tuple[float, ...], electricity: tuple[float, float, float]
) -> None:
    """And refuse the same machines."""
    named = dict(zip(("power_w", "tariff", "pue"), electricity, strict=True))

    assert same(
        ask("ownedPerHour", *machine, *electricity),
        or_refused(cost.owned_per_hour, *machine, **named),
    )
    assert same(ask("energyKwh", *electricity), cost.energy_kwh(*electricity))


@given(SPREAD, SPREAD, st.tuples(AMOUNT, AMOUNT), st.tuples(AMOUNT, AMOUNT, GRANULE, GRANULE))
def test_both_break_even_at_the_same_place(
    ask: Ask, a: Spread, b: Spread, hourly: tuple[float, float], terms: tuple[Any, ...]
) -> None:
    """Price and length, with their intervals."""
    named = dict(
        zip(
            ("preparation_a_s", "preparation_b_s", "granularity_a_s", "granularity_b_s"),
            terms,
            strict=True,
        )
    )

    assert same(
        ask("breakEvenPrice", a, b, hourly[1]), plain(cost.break_even_price(a, b, hourly[1]))
    )
    assert same(
        ask("breakEvenSeconds", a, *hourly, terms[:2], terms[2:]),
        plain(cost.break_even_seconds(a, *hourly, **named)),
    )


def test_the_script_knows_the_same_words() -> None:
    """States and remarks that Python knows stand in the script, and no others."""
    text = SCRIPT.read_text(encoding="utf-8")

    others = [key for key in REMARKS if key not in frozenset(Reason)]
    for name, words in (
        ("STATES", list(State)),
        ("REASONS", list(Reason)),
        ("REMARKS", others),
    ):
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
