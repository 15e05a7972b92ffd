"""Load of the accelerators of a run while it was timed."""

import math
from collections import defaultdict
from statistics import fmean

from kernels.records import Phase, Run


def mean_load(run: Run) -> float | None:
    """Returns the mean load of the accelerators, or of the processor, 0 to 1; None if unknown.

    A monitoring log counts all its readings, a run those during its timed steps, or without such
    steps all of them.
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
    # each accelerator's own mean first, so that more readings do not weigh more
    return fmean(map(fmean, loads.values())) if loads else None
