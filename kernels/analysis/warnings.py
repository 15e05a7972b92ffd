"""Warnings about a run: derived from its own records, kept with it, and shown with advice.

The limits are in `warnings.toml`; a recorded warning keeps the limit that applied, so later changes
do not affect it.
"""

import math
import tomllib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from kernels.analysis import stats, window
from kernels.errors import RecordError
from kernels.records import Phase, Run, RunWarning


@dataclass(frozen=True, slots=True)
class WarningKind:
    """Text and limit of a warning code.

    Attributes:
        text: Contains `{value}` and `{limit}`, formatted by `show`.
        advice: Advice to the owner of the machine.
        unit: Unit of value and limit: `1` for a fraction, else one of `units.UNITS`.
        limit: Largest value (or smallest) that is fine, in that unit.
    """

    text: str
    advice: str
    unit: str
    limit: float

    def show(self, value: float | None) -> str:
        """Formats a value of this warning: a fraction as per cent, else the number."""
        if value is None:
            return "an unknown amount"
        return f"{value:.1%}" if self.unit == "1" else f"{value:.3g}"


WARNINGS: Final[Mapping[str, WarningKind]] = {
    code: WarningKind(**said)
    for code, said in tomllib.loads(
        Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    ).items()
}
"""Every value that `RunWarning.code` may have."""

THROTTLED: Final[Mapping[str, int]] = {
    "power_cap": 0x04,
    "heat": 0x20 | 0x40,
    "power_brake": 0x80,
    "slowdown": 0x08,
    "sync_boost": 0x10,
}
"""Reasons for a lowered clock: bits of NVML's clock event reasons.

`slowdown` is set together with heat and power brake; idleness and a fixed clock do not count.
"""

LOWERED: Final = sum(THROTTLED.values())

SLOWED: Final = LOWERED & ~(THROTTLED["power_cap"] | THROTTLED["sync_boost"])
"""Bits that mean trouble: a card at its own power limit works as specified."""


def throttle_shares(masks: Collection[int]) -> dict[str, float]:
    """Returns the share of readings with each reason for a lowered clock."""
    found = {name: sum(bool(mask & bits) for mask in masks) for name, bits in THROTTLED.items()}
    return {name: count / len(masks) for name, count in found.items() if count}


def warnings_of(run: Run, peak: float | None = None) -> tuple[RunWarning, ...]:
    """Returns the warnings that follow from the run's own records, in the order of `WARNINGS`.

    `peak` is that of its accelerators in operations a second; None if unknown.
    """
    times = [step.duration_s for step in run.steps if step.phase is Phase.MEASURE]
    values: dict[str, float | None] = {}
    if len(times) >= stats.LEAST_STEPS:
        values["unstable"] = stats.spread(times)
        quarter = len(times) // 4
        rest = stats.median(times[quarter:])
        values["warmup_short"] = stats.median(times[:quarter]) / rest - 1 if rest > 0 else None
        values["uneven"] = window.unevenness(
            window.periods(run.steps, run.evaluations, run.data), times
        )
    if run.environment is not None:
        values["other_load"] = run.environment.foreign_cores
    values |= _watched(run)
    for code, name in (
        ("data_wait", "data_wait_share"),
        ("unsynchronised", "queued_share"),
        ("over_peak", "peak_share"),
    ):
        values[code] = run.value(name)
    reached = run.value("achieved_flop_per_s")
    if peak and reached:
        values["over_peak"] = reached / peak
    found = {
        code: value
        for code, value in values.items()
        if value is not None and value > WARNINGS[code].limit
    }
    if 0 < len(times) < stats.LEAST_STEPS:
        found["few_steps"] = float(len(times))
    return tuple(
        RunWarning(code, found[code], WARNINGS[code].limit) for code in WARNINGS if code in found
    )


def _watched(run: Run) -> dict[str, float | None]:
    values: dict[str, float | None] = {}
    steps = [step for step in run.steps if step.phase is Phase.MEASURE]
    start, end = -math.inf, math.inf
    if steps:
        start, end = steps[0].start_s, steps[-1].start_s + steps[-1].duration_s
    within = [sample for sample in run.telemetry if start <= sample.time_s <= end]
    masks = [sample.throttle_mask for sample in within if sample.throttle_mask is not None]
    if masks:
        values["throttled"] = sum(bool(mask & SLOWED) for mask in masks) / len(masks)
    counter, integral = run.value("energy_j"), run.value("energy_integral_j")
    if counter and integral:
        values["energy_disagree"] = abs(integral / counter - 1)
    extra = run.extra
    for code, share in (("sampler_cost", "sampler_cpu_share"), ("monitoring_gaps", "gap_share")):
        told = extra.get(f"telemetry_{share}")
        values[code] = None if told is None else float(told)
    if extra.get("together_with"):
        values["together"] = float(len(extra["together_with"].split()))
    return values


def say(warning: RunWarning) -> str:
    """Returns a warning as a sentence with its advice.

    Raises:
        RecordError: Unknown code.
    """
    if warning.code not in WARNINGS:
        raise RecordError(
            f"warning {warning.code!r} is unknown, wanted one of {', '.join(WARNINGS)}"
        )
    kind = WARNINGS[warning.code]
    limit = kind.limit if warning.limit is None else warning.limit
    return (
        f"{kind.text.format(value=kind.show(warning.value), limit=kind.show(limit))}: {kind.advice}"
    )
