"""Lifts runs of older files to today's schema, from their raw steps, which do not change.

Until schema 1.3 a throughput was the batch over the median step (`stat` is `median`), and a run of
a single timed step was valid. From 1.4 on it is samples over the window of all measured steps
(`stat` is `mean`; `analysis/window.py`), and a single timed step makes a run unfinished. The store
returns all runs lifted, so that the meanings are never mixed; `kernels migrate` rewrites the files.
"""

from dataclasses import replace
from typing import Final

from kernels.analysis import window
from kernels.analysis.repetitions import OWN
from kernels.analysis.warnings import WARNINGS, warnings_of
from kernels.records import Metric, Phase, Run, RunWarning, Stat

_NEW: Final = ("data_wait", "uneven")
"""Warnings that came with the window; others keep the limits of their day."""


def lifted(run: Run) -> Run:
    """Returns the run in today's schema; unchanged if it is."""
    if run.origin not in OWN:
        return run
    medians = (metric for metric in run.metrics if metric.stat is Stat.MEDIAN)
    old = next((each for each in medians if each.name.startswith("throughput_")), None)
    timed = any(step.phase is Phase.MEASURE for step in run.steps)
    if old is None or old.value is None or not timed:
        return window.ended(run)
    return window.ended(_windowed(run, old, old.value))


def _windowed(run: Run, old: Metric, value: float) -> Run:
    counted = {
        metric.name: metric.value / value
        for metric in run.metrics
        if _by_sample(metric) and metric.value is not None
    }
    found = window.periods(run.steps, run.evaluations, run.data)
    new = {
        metric.name: metric
        for metric in window.rates(old.name, old.unit, run.global_batch_size or 1, found, counted)
    }
    metrics = tuple(
        new.get(m.name, m) for m in run.metrics if m.name in new or not (m is old or _by_sample(m))
    )
    after = replace(run, metrics=metrics)
    slower = new[old.name].value if old.name in new else None
    kept = {warning.code: warning for warning in run.doubts} | {
        warning.code: warning for warning in warnings_of(after) if warning.code in _NEW
    }
    if (peak := kept.pop("over_peak", None)) is not None and slower and peak.value is not None:
        lower = replace(peak, value=peak.value * slower / value)
        kept |= {lower.code: lower} if _stands(lower) else {}
    return replace(after, doubts=tuple(kept[code] for code in WARNINGS if code in kept))


def _by_sample(metric: Metric) -> bool:
    """Returns True if a metric is a throughput in another unit."""
    return metric.stat is Stat.MEDIAN and metric.name in {
        "achieved_flop_per_s",
        "copy_bytes_per_s",
        "memory_bandwidth_byte_per_s",
    }


def _stands(warning: RunWarning) -> bool:
    limit = WARNINGS[warning.code].limit if warning.limit is None else warning.limit
    return warning.value is not None and warning.value > limit
