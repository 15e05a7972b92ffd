"""How busy the accelerators of a run were while it was timed."""

from collections.abc import Sequence
from itertools import groupby
from statistics import fmean

from kernels.records import Phase, Run, Sample


def mean_load(run: Run) -> float | None:
    """Mean load of the accelerators, or of a machine without any, from 0 to 1; None where none was
    read. That of a monitoring log is over all its readings; else over the timed steps, or without
    such over the run's whole clock.
    """
    told = run.metric("monitored_mean_utilisation")
    if told is not None:
        return told.value
    timed = [step for step in run.steps if step.phase is Phase.MEASURE]
    first = timed[0].start_s if timed else 0.0
    last = timed[-1].start_s + timed[-1].duration_s if timed else run.wall_time_s
    read = [
        sample
        for sample in run.telemetry
        if sample.time_s >= first and (last is None or sample.time_s <= last)
    ]
    return _mean(read)


def _mean(samples: Sequence[Sample]) -> float | None:
    """Mean over accelerators of each one's mean, so that none counts for more readings."""
    ordered = sorted(samples, key=lambda sample: sample.device)
    means = [
        fmean(loads)
        for _, of_one in groupby(ordered, key=lambda sample: sample.device)
        if (loads := [each.utilisation for each in of_one if each.utilisation is not None])
    ]
    return fmean(means) if means else None
