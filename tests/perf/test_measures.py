"""Ratios: pair by pair, with an interval if enough, an answer only if all of it gives it."""

import subprocess
import sys

import pytest

from tests.perf.measures import Estimate, against, cost, interleaved, ratio


def test_a_ratio_is_taken_pair_by_pair() -> None:
    """A machine that slows down slows both of a pair; a pair without its half is an error."""
    found = ratio([2.0, 4.0, 8.0, 16.0, 32.0], [1.0, 2.0, 4.0, 8.0, 16.0])

    assert found == Estimate(2.0, 2.0, 2.0, 5, interval=True)
    with pytest.raises(ValueError, match="shorter"):
        ratio([1.0, 2.0], [1.0])


def test_memory_is_that_of_the_largest_process_and_not_ours() -> None:
    """Of a command and what it waits for; a small command is small whoever asks."""
    child = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'str(1) * 300_000_000'])"
    own = b"x" * 200_000_000

    small, large = (cost([sys.executable, "-c", code]) for code in ("pass", child))

    assert small.peak_bytes < len(own)
    assert 300e6 < large.peak_bytes < 400e6
    assert large.cpu_s > small.cpu_s


def test_a_command_that_fails_is_told_with_what_it_said() -> None:
    """Its status and both of its streams."""
    code = "import sys; print('out', flush=True); sys.exit('err')"

    with pytest.raises(subprocess.CalledProcessError) as failed:
        cost([sys.executable, "-c", code])

    assert (failed.value.returncode, failed.value.output) == (1, b"out\nerr\n")


@pytest.mark.parametrize(("pairs", "block"), [(4, 1), (19, 5)])
def test_few_pairs_have_no_interval(pairs: int, block: int) -> None:
    """Smallest and largest stand in for it, and it says so."""
    found = ratio([*map(float, range(1, pairs + 1))], [1.0] * pairs, block=block)

    assert found == Estimate((pairs + 1) / 2, 1.0, pairs, pairs, interval=False)
    assert str(found) == f"{(pairs + 1) / 2:.4g} (smallest to largest: 1 to {pairs}; n = {pairs})"


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
    """Both ends must say the same."""
    found = against(Estimate(1.0, low, high, 24, interval), 1.01)

    assert found.endswith(f"; n = 24); aim: 1.01 or less: {answer}")


def test_sides_take_turns() -> None:
    """A drifting machine meets both alike."""
    order: list[str] = []

    found = interleaved(2, a=lambda: order.append("a"), b=lambda: order.append("b"))

    assert order == ["a", "b", "a", "b"]
    assert {side: len(values) for side, values in found.items()} == {"a": 2, "b": 2}
