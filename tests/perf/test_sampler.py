"""Turns with the sensors read, and without."""

import pytest

pytest.importorskip("torch.utils.benchmark", reason="measuring needs PyTorch")

from tests.perf import sampler

pytestmark = pytest.mark.torch


def test_each_side_has_its_turns() -> None:
    """As many as asked for, each of some time; the halted sampler ends with them."""
    found = sampler.turns(2, 2, 0.01)

    assert {side: len(times) for side, times in found.items()} == {"on": 2, "off": 2}
    assert min(min(times) for times in found.values()) > 0
