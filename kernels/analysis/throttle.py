"""Why an accelerator lowered its clock, by NVML's bits, and in what share of its readings it
did.
"""

from collections.abc import Collection, Mapping
from typing import Final

REASONS: Final[Mapping[str, int]] = {
    "power_cap": 0x04,
    "heat": 0x20 | 0x40,
    "power_brake": 0x80,
    "slowdown": 0x08,
    "sync_boost": 0x10,
}
"""Bits of each reason; the driver sets that of `slowdown` beside those of heat and power brake.

Idleness, and a clock that somebody set, are none.
"""

LOWERED: Final = 0x04 | 0x08 | 0x10 | 0x20 | 0x40 | 0x80


def shares(masks: Collection[int]) -> dict[str, float]:
    """Share of the readings that name a reason, by those that any names."""
    found = {name: sum(bool(mask & bits) for mask in masks) for name, bits in REASONS.items()}
    return {name: count / len(masks) for name, count in found.items() if count}
