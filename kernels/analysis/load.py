"""How busy the accelerators of a run were while it was timed."""

import math
from collections import defaultdict
from statistics import fmean

from kernels.records import Phase, Run


def mean_load(run: Run) -> float | None:
    """Mean load of the accelerators, or of a machine without any, from 0 to 1; None if unknown.

    That of a monitoring log is over all its readings; else over the timed steps, or without such
    over the run's whole clock.
    """
    told = run.metric("monitored_mean_utilisation")
    if told is not None:
        return told.value
    timed = [step for step in run.steps if step.phase is Phase.MEASURE]
    first = timed[0].start_s if timed else 0.0
    last = timed[-1].start_s + timed[-1].duration_s if timed else run.wall_time_s
    last = math.inf if last is None else last
    loads: dict[int, list[float]] = defaultdict(list)
    for sample in run.telemetry:
        if sample.utilisation is not None and first <= sample.time_s <= last:
            loads[sample.device].append(sample.utilisation)
    # each accelerator's own mean first, so that none counts for more readings
    return fmean(map(fmean, loads.values())) if loads else None
