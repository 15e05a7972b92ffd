"""Reasons to be careful with a run: found in its own records, kept with it, and said with advice.

The limits are written here once; a recorded doubt carries the one it was held against, so a later limit does not change it.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kernels import stats
from kernels.errors import RecordError
from kernels.records import Doubt, Phase, Run


@dataclass(frozen=True, slots=True)
class DoubtKind:
    """What a doubt says.

    Attributes:
        text: With `{value}` and `{limit}`, which `show` makes readable.
        advice: What the owner of the machine can do.
        unit: Unit of value and limit: `1` for a fraction, else one of `units.UNITS`.
        limit: What was held to be in order, in that unit.
    """

    text: str
    advice: str
    unit: str
    limit: float

    def show(self, value: float | None) -> str:
        """A value of this doubt for a terminal: a fraction as per cent, else the number."""
        if value is None:
            return "an unknown amount"
        return f"{value:.1%}" if self.unit == "1" else f"{value:.3g}"


DOUBTS: Final[Mapping[str, DoubtKind]] = {
    "unstable": DoubtKind(
        "step time varies by {value} from its lower to its upper quartile (steady is {limit} or less)",
        "close other programs, fix the clocks, or measure longer",
        "1",
        0.05,  # where torch.utils.benchmark warns
    ),
    "other_load": DoubtKind(
        "other programs used {value} cores during the timed steps (quiet is {limit} or less)",
        "close them, or measure on a machine of your own",
        "cores",
        0.05,  # FEASIBILITY.md: with 0.94 foreign cores a run on two cores halved; the quiet ones had less than this
    ),
    "warmup_short": DoubtKind(
        "the first quarter of the timed steps is {value} slower than the rest (warm is {limit} or less)",
        "raise --warmup, or measure longer",
        "1",
        0.05,  # the medians of a quarter of 20 steps differ by 2 % by chance where steps vary by 5 %
    ),
    "few_steps": DoubtKind(
        "only {value} steps were timed (an interval needs {limit})",
        "give the run more time",
        "steps",
        float(stats.LEAST_STEPS),
    ),
    "throttled": DoubtKind(
        "the accelerator lowered its clock for heat or power failing in {value} of the readings (in order is {limit} or less)",
        "cool it, check its power supply, or wait between runs",
        "1",
        0.0,
    ),
    "monitoring_gaps": DoubtKind(
        "of {value} of the time the monitoring log knows nothing (in order is {limit} or less)",
        "its energy is too low by what was drawn there; log without breaks",
        "1",
        0.0,
    ),
    "over_peak": DoubtKind(
        "the arithmetic reached {value} of the nominal peak (possible is {limit} or less)",
        "check the number of operations, the precision, and the clock that the peak is stated for; Winograd convolutions do less",
        "1",
        1.0,
    ),
}
"""Every code that `Doubt.code` may have."""

SLOWED: Final = 0x08 | 0x20 | 0x40 | 0x80
"""Bits of NVML's clock event reasons that mean trouble: hardware slowdown, software and hardware thermal slowdown, power brake.

The software power cap (0x04) is not among them: a card at its own power limit works as sold.
"""


def doubts(run: Run) -> tuple[Doubt, ...]:
    """The doubts that the run's own records give reason for, in the order of `DOUBTS`."""
    times = [step.duration_s for step in run.steps if step.phase is Phase.MEASURE]
    values: dict[str, float | None] = {}
    if len(times) >= stats.LEAST_STEPS:
        values["unstable"] = stats.spread(times)
        quarter = len(times) // 4
        rest = stats.median(times[quarter:])
        values["warmup_short"] = stats.median(times[:quarter]) / rest - 1 if rest > 0 else None
    if run.environment is not None:
        values["other_load"] = run.environment.foreign_cores
    masks = [sample.throttle_mask for sample in run.telemetry if sample.throttle_mask is not None]
    if masks:
        values["throttled"] = sum(bool(mask & SLOWED) for mask in masks) / len(masks)
    share = run.metric("peak_share")
    values["over_peak"] = share.value if share else None
    found = {code: value for code, value in values.items() if value is not None and value > DOUBTS[code].limit}
    if 0 < len(times) < stats.LEAST_STEPS:
        found["few_steps"] = float(len(times))
    return tuple(Doubt(code, found[code], DOUBTS[code].limit) for code in DOUBTS if code in found)


def say(doubt: Doubt) -> str:
    """A doubt as a sentence with its advice.

    Raises:
        RecordError: No such doubt is known.
    """
    if doubt.code not in DOUBTS:
        raise RecordError(f"doubt {doubt.code!r} is unknown, wanted one of {', '.join(DOUBTS)}")
    kind = DOUBTS[doubt.code]
    limit = kind.limit if doubt.limit is None else doubt.limit
    return f"{kind.text.format(value=kind.show(doubt.value), limit=kind.show(limit))}: {kind.advice}"
