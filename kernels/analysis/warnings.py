"""Reasons to be careful with a run: found in its own records, kept with it, and said with advice.

The limits are written here once; a recorded doubt carries the one it was held against, so a later
limit does not change it.
"""

import math
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from kernels.analysis import stats, window
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
        "step time varies by {value} from its lower to its upper quartile (steady is {limit} or "
        "less)",
        "close other programs, fix the clocks, or measure longer",
        "1",
        0.05,  # where torch.utils.benchmark warns
    ),
    "other_load": DoubtKind(
        "other programs used {value} cores during the timed steps (quiet is {limit} or less)",
        "close them, or measure on a machine of your own",
        "cores",
        # measured: with 0.94 foreign cores a run on two cores halved; the quiet ones had less than
        # this
        0.05,
    ),
    "warmup_short": DoubtKind(
        "the first quarter of the timed steps is {value} slower than the rest (warm is {limit} or "
        "less)",
        "measure longer with --budget, or more --epochs",
        "1",
        # the medians of a quarter of 20 steps differ by 2 % by chance where steps vary by 5 %
        0.05,
    ),
    "few_steps": DoubtKind(
        "too few steps were timed: {value} (an interval needs {limit})",
        "give the run more time",
        "steps",
        float(stats.LEAST_STEPS),
    ),
    "data_wait": DoubtKind(
        "the accelerators waited for data in {value} of the training time (in order is {limit} or "
        "less)",
        "the figure is that of the data pipeline: use more --readers, faster storage, or --data "
        "synthetic to see the accelerator alone",
        "1",
        # what `unstable` lets pass too: a loader that costs more decides on the figure, and not the
        # accelerator
        0.05,
    ),
    "uneven": DoubtKind(
        "a step took {value} more or less on average than the median step (even is {limit} or "
        "less)",
        "something stops the training now and then: the data pipeline, other programs, a clock "
        "that was lowered; measure longer",
        "1",
        0.05,  # likewise: beyond it mean and median tell two stories
    ),
    "unsynchronised": DoubtKind(
        "the device went on working for {value} of the steps' time after the last of them had "
        "returned (in order is {limit} or less)",
        "the steps were not waited for, and their times are those of a queue: wait for the device "
        "in the backend's `wait`",
        "1",
        0.05,  # reading the loss of an idle device takes microseconds
    ),
    "throttled": DoubtKind(
        "the accelerator lowered its clock for heat or power failing in {value} of the readings "
        "(in order is {limit} or less)",
        "cool it, check its power supply, or wait between runs",
        "1",
        0.01,  # a single reading of a run of ten seconds moves no median
    ),
    "monitoring_gaps": DoubtKind(
        "of {value} of the time the monitoring log knows nothing (in order is {limit} or less)",
        "its energy is too low by what was drawn there; log without breaks",
        "1",
        0.0,
    ),
    "energy_disagree": DoubtKind(
        "the energy by power readings and that by the accelerator's own counter differ by {value} "
        "(in order is {limit} or less)",
        "measure longer or more readings a second; sensors that look only a part of the time miss "
        "short peaks",
        "1",
        0.10,  # arXiv 2312.02741: on some cards only a quarter of the time is looked at
    ),
    "sampler_cost": DoubtKind(
        "reading the sensors took {value} of a processor core (in order is {limit} or less)",
        "read less often with --telemetry, or not at all with --telemetry off",
        "1",
        0.01,
    ),
    "together": DoubtKind(
        "another run was measured on this machine at the same time",
        "measure again without --together",
        "1",
        0.0,
    ),
    "over_peak": DoubtKind(
        "the arithmetic reached {value} of the nominal peak (possible is {limit} or less)",
        "check the number of operations, the precision, and the clock that the peak is stated for; "
        "Winograd convolutions do less",
        "1",
        1.0,
    ),
}
"""Every code that `Doubt.code` may have."""

THROTTLED: Final[Mapping[str, int]] = {
    "power_cap": 0x04,
    "heat": 0x20 | 0x40,
    "power_brake": 0x80,
    "slowdown": 0x08,
    "sync_boost": 0x10,
}
"""Why an accelerator lowered its clock: bits of NVML's clock event reasons.

`slowdown` is set beside heat and power brake; idleness and a clock that somebody set are no
reasons.
"""

LOWERED: Final = sum(THROTTLED.values())

SLOWED: Final = LOWERED & ~(THROTTLED["power_cap"] | THROTTLED["sync_boost"])
"""Bits that mean trouble. A card at its own power limit works as sold."""


def throttle_shares(masks: Collection[int]) -> dict[str, float]:
    """Share of the readings that name a reason for a lowered clock, by those that any names."""
    found = {name: sum(bool(mask & bits) for mask in masks) for name, bits in THROTTLED.items()}
    return {name: count / len(masks) for name, count in found.items() if count}


def doubts(run: Run, peak: float | None = None) -> tuple[Doubt, ...]:
    """The doubts that the run's own records give reason for, in the order of `DOUBTS`.

    Args:
        run: The run.
        peak: Operations a second that its accelerators can do at most; None where nobody knows.
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
        share = run.metric(name)
        values[code] = share.value if share else None
    reached = run.metric("achieved_flop_per_s")
    if peak and reached and reached.value:
        values["over_peak"] = reached.value / peak
    found = {
        code: value
        for code, value in values.items()
        if value is not None and value > DOUBTS[code].limit
    }
    if 0 < len(times) < stats.LEAST_STEPS:
        found["few_steps"] = float(len(times))
    return tuple(Doubt(code, found[code], DOUBTS[code].limit) for code in DOUBTS if code in found)


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
    counter, integral = run.metric("energy_j"), run.metric("energy_integral_j")
    if counter and counter.value and integral and integral.value:
        values["energy_disagree"] = abs(integral.value / counter.value - 1)
    settings = () if run.environment is None else run.environment.extra
    extra = {setting.name: setting.value for setting in settings}
    shares = {"sampler_cost": "sampler_cpu_share", "monitoring_gaps": "gap_share"}
    for code, share in shares.items():
        name = f"telemetry_{share}"
        values[code] = float(extra[name]) if name in extra else None
    if extra.get("together_with"):
        values["together"] = float(len(extra["together_with"].split()))
    return values


def say(doubt: Doubt) -> str:
    """A doubt as a sentence with its advice.

    Raises:
        RecordError: No such doubt is known.
    """
    if doubt.code not in DOUBTS:
        raise RecordError(f"doubt {doubt.code!r} is unknown, wanted one of {', '.join(DOUBTS)}")
    kind = DOUBTS[doubt.code]
    limit = kind.limit if doubt.limit is None else doubt.limit
    return (
        f"{kind.text.format(value=kind.show(doubt.value), limit=kind.show(limit))}: {kind.advice}"
    )
