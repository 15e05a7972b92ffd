"""Ratios: pair by pair, with an interval where there are enough of them, and an answer only where
the whole interval gives it.
"""

import pytest

from tests.perf.ratios import Estimate, against, interleaved, ratio


def test_a_ratio_is_taken_pair_by_pair() -> None:
    """A machine that slows down slows both of a pair: the ratio stays."""
    found = ratio([2.0, 4.0, 8.0, 16.0, 32.0], [1.0, 2.0, 4.0, 8.0, 16.0])

    assert found == Estimate(2.0, 2.0, 2.0, 5, interval=True)


@pytest.mark.parametrize(("pairs", "block"), [(4, 1), (19, 5)])
def test_few_pairs_have_no_interval(pairs: int, block: int) -> None:
    """Smallest and largest stand in for it, and it says so."""
    found = ratio([float(number) for number in range(1, pairs + 1)], [1.0] * pairs, block=block)

    assert (found.low, found.high, found.n, found.interval) == (1.0, pairs, pairs, False)
    assert str(found) == f"{(pairs + 1) / 2:.4g} (smallest to largest: 1 to {pairs}; n = {pairs})"


def test_pairs_must_match() -> None:
    """A pair without its other half is an error, and not left out."""
    with pytest.raises(ValueError, match="shorter"):
        ratio([1.0, 2.0], [1.0])


@pytest.mark.parametrize(
    ("low", "high", "interval", "answer"),
    [
        (0.99, 1.01, True, "reached"),
        (1.011, 1.02, True, "missed"),
        (0.99, 1.02, True, "not separable"),
        (0.99, 1.0, False, "too few to tell"),
    ],
)
def test_an_aim_is_judged_by_the_whole_interval(
    low: float, high: float, interval: bool, answer: str
) -> None:
    """At most 1.01: both ends must say the same."""
    found = against(Estimate(1.0, low, high, 24, interval), most=1.01)

    assert found.endswith(f"; n = 24); aim: 1.01 or less: {answer}")


@pytest.mark.parametrize(
    ("low", "high", "answer"),
    [(1.3, 1.5, "reached"), (1.1, 1.29, "missed"), (1.2, 1.4, "not separable")],
)
def test_an_aim_may_be_a_least(low: float, high: float, answer: str) -> None:
    """At least 1.3."""
    assert against(Estimate(1.4, low, high, 5, interval=True), least=1.3).endswith(
        f"aim: 1.3 or more: {answer}"
    )


def test_sides_take_turns() -> None:
    """A drifting machine meets both alike."""
    order: list[str] = []

    found = interleaved(2, a=lambda: order.append("a"), b=lambda: order.append("b"))

    assert order == ["a", "b", "a", "b"]
    assert {side: len(values) for side, values in found.items()} == {"a": 2, "b": 2}
