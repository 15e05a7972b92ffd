"""Reasons for a lowered clock, by NVML's bits."""

from kernels.analysis import throttle
from kernels.analysis.warnings import SLOWED


def test_each_reason_has_its_share() -> None:
    """Heat has two bits; idleness (0x01) and a clock that somebody set (0x02) lower nothing."""
    assert throttle.shares([0x01, 0x04, 0x24, 0x42]) == {"power_cap": 0.5, "heat": 0.5}
    assert throttle.shares([0x01, 0x02, 0x00]) == throttle.shares([]) == {}


def test_what_makes_a_doubt_is_a_reason() -> None:
    """All of it is named; the card's own power limit is a reason and no doubt."""
    named = 0
    for bits in throttle.REASONS.values():
        named |= bits

    assert named == throttle.LOWERED
    assert throttle.LOWERED & ~SLOWED == 0x04 | 0x10
