"""Turns of the step loop and the loop by hand that it is held against, with the sensors read and
without.
"""

import pytest

pytest.importorskip("torch.utils.benchmark", reason="measuring needs PyTorch")

from tests.perf import overhead

pytestmark = pytest.mark.torch


def test_every_side_has_its_turns() -> None:
    """As many as asked for, each of some time; our loop takes no less than the steps that it
    records, and the halted sampler ends with its turns.
    """
    found = overhead.turns("cnn10", 2, rounds=2, seconds=0.01)
    sampled = overhead.sampled("cnn10", 2, rounds=2, seconds=0.01)

    sides = {side: len(times) for side, times in (found | sampled).items()}
    assert sides == dict.fromkeys(("ours", "by_hand", "recorded", "on", "off"), 2)
    assert all(x >= y > 0 for x, y in zip(found["ours"], found["recorded"], strict=True))
    assert min(min(times) for times in sampled.values()) > 0
