"""Turns of the step loop, and the loop by hand that it is held against."""

from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels.harness.journal import Journal
from kernels.records import Phase, Step
from tests.perf import steps

pytestmark = pytest.mark.torch


def test_every_side_takes_as_many_steps(tmp_path: Path) -> None:
    """Two steps a turn after one that does not count; the others get warm; all end together."""
    taken: list[int] = []

    def other(count: int) -> float:
        taken.append(count)
        return 0.5

    durations = [9.0, 0.4, 0.6, 9.0, 0.5, 0.7]
    with closing(Journal(tmp_path / "journal.jsonl")) as kept, pytest.raises(steps.Enough):
        turns = steps.Turns(kept, {"other": other}, rounds=2, seconds=1.0)
        for index in range(3):
            turns.step(Step(index, Phase.WARMUP, index * 0.5, 0.5))
        turns.measuring()
        for index, duration in enumerate(durations):
            turns.step(Step(index, Phase.MEASURE, index * 0.5, duration))

    assert taken == [steps.WARM, 2, 2]
    assert turns.found["recorded"] == pytest.approx([0.5, 0.6])
    assert turns.found["other"] == [0.5, 0.5]
    assert len(turns.found["ours"]) == 2


@pytest.mark.parametrize("name", sorted(steps.NETWORKS))
def test_the_loop_by_hand_trains_what_we_train(name: str) -> None:
    """The same parameters, rate and decay; else the ratio of the two would say nothing."""
    network = steps.NETWORKS[name]
    _, training = steps.ours(name, 4)
    own = training()

    assert sum(parameter.numel() for parameter in network.model().parameters()) == own.parameters
    assert network.rate(4) == own.learning_rate() == float(own.settings["learning_rate"])
    assert network.decay == float(own.settings["weight_decay"])
    assert own.settings["momentum"] == "0.9"


def test_a_turn_counts_steps_without_the_first() -> None:
    """One to warm the caches, then as many as asked for; waited for before and after."""
    seen: list[str] = []

    steps.turn(lambda: seen.append("step"), lambda: seen.append("wait"), 2)

    assert seen == ["step", "wait", "step", "step", "wait"]
