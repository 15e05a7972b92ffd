"""Runs as JSON objects and as rows of a terminal's table, and sentences about their repetitions."""

import math
from collections.abc import Collection, Iterable, Sequence
from dataclasses import asdict
from typing import Final

from kernels.analysis import compare, repetitions
from kernels.analysis.compare import REPEAT, Comparison, Estimate
from kernels.analysis.repetitions import Seeds, Slow, Trim
from kernels.records import Interval, Metric, Precision, Run
from kernels.units import counted

HEAD: Final = ("run", "status", "batch", "precision", "throughput", "final", "time to target")


_RECORDED: Final = (
    "run_id", "origin", "source", "locator", "licence", "credit", "workload", "system",
    "accelerator", "accelerators", "backend", "framework", "framework_version", "precision", "data",
    "global_batch_size", "batch_size_per_accelerator", "seed", "status", "status_detail",
    "clock_scope",
)  # fmt: skip
_OF_METRIC: Final = ("value", "low", "high", "interval", "bound", "unit", "n", "stat", "status")


def record(run: Run) -> dict[str, object]:
    """Returns a run as in `/api/v1/runs.json`, without the address of its page; unknown is None."""
    return {
        **{
            "source_locator" if name == "locator" else name: getattr(run, name)
            for name in _RECORDED
        },
        "started_at": None if run.started_at is None else run.started_at.isoformat(),
        "metrics": {
            metric.key: {name: getattr(metric, name) for name in _OF_METRIC}
            for metric in run.metrics
        },
        "doubts": list(map(asdict, run.doubts)),
        "withdrawn": run.withdrawn,
    }


def row(run: Run) -> tuple[str, ...]:
    """Returns the cells of `HEAD` for a run; a missing figure shows its status or a dash."""

    def first(beginning: str) -> Metric | None:
        return next((each for each in run.metrics if each.name.startswith(beginning)), None)

    return (
        run.run_id,
        run.status if run.withdrawn is None else "withdrawn",
        "-" if run.global_batch_size is None else str(run.global_batch_size),
        run.precision,
        figure(compare.speed(run)),
        figure(first("final_")),
        figure(first("time_to_target_s")),
    )


def figure(metric: Metric | None) -> str:
    """Formats a metric for a terminal: value, unit, interval."""
    if metric is None:
        return "-"
    if metric.value is None:
        return between(metric.low, metric.high, metric.unit) or metric.status
    spread = between(metric.low, metric.high, metric.unit, metric.value)
    target = f" to {metric.target.value:g}" if metric.target is not None else ""
    return f"{amount(metric.value, metric.unit)}{f' ({spread})' if spread else ''}{target}"


PREFIXED: Final = ("FLOP/s", "byte", "byte/s", "J")
"""Units that a terminal shows with a prefix (thousands, millions, ...); records have them plain."""


def _prefix(value: float, unit: str) -> tuple[float, str]:
    """Returns the divisor for a quantity, and its unit with the prefix."""
    if unit == "1":
        return 1.0, ""
    if unit not in PREFIXED or not value:
        return 1.0, f" {unit}"
    steps = min(max(math.floor(math.log10(abs(value)) / 3), 0), len("kMGTP"))
    short = unit.replace("byte", "B") if steps else unit
    return 1000.0**steps, f" {' kMGTP'[steps].strip()}{short}"


def amount(value: float, unit: str) -> str:
    """Formats a quantity for a terminal: `53.3 GFLOP/s`, `2.1 GB/s`, `4250 images/s`, `0.72`."""
    scale, shown = _prefix(value, unit)
    return f"{_four(value / scale)}{shown}"


def _four(value: float) -> str:
    """Formats a number with four digits, large ones without a power of ten: `17420`."""
    text = f"{value:.4g}"
    return f"{float(text):.0f}" if "e+" in text else text


def between(low: float | None, high: float | None, unit: str, beside: float | None = None) -> str:
    """Formats both ends of a range, in the unit of the value `beside` it; empty without one."""
    if low is None or high is None:
        return ""
    scale, shown = _prefix(high if beside is None else beside, unit)
    return f"{_four(low / scale)} to {_four(high / scale)}{shown if beside is None else ''}"


COUNTED: Final = {
    "copy_bytes_per_s": "bytes copied, each counted once",
    "memory_bandwidth_byte_per_s": "bytes read and bytes written: twice what is copied",
}
"""Explanations of a copy's metrics, whose names alone are ambiguous."""


def copied(run: Run) -> tuple[str, ...]:
    """Returns a line for each metric of a copy, saying what it counts."""
    return tuple(
        f"{metric.name} {figure(metric)}: {COUNTED[metric.name]}"
        for metric in run.metrics
        if metric.name in COUNTED
    )


def estimate(found: Estimate, unit: str) -> str:
    """Formats A or B of a comparison: value, unit, interval or points, and number of runs."""
    spread = between(found.low, found.high, unit, found.value)
    of = " all runs" if found.interval is Interval.SEEDS else ""
    n = f"n={found.n}" if found.stated else "n not stated"
    return f"{amount(found.value, unit)}{f' ({spread}{of})' if spread else ''} {n}"


def comparison(found: Comparison) -> dict[str, object]:
    """Returns a metric of a comparison as JSON: with the per cent, without `n` if not stated."""
    told = asdict(found) | {"percent": None if found.ratio is None else 100 * (found.ratio - 1)}
    for name, one in (("a", found.a), ("b", found.b)):
        told[name] = {key: value for key, value in asdict(one).items() if key != "stated"} | (
            {} if one.stated else {"n": None}
        )
    return told


def ratio(found: Comparison) -> str:
    """Formats A over B, with the extremes that the intervals allow."""
    spread = (
        f" ({found.ratio_low:.3f} to {found.ratio_high:.3f})" if found.ratio_low is not None else ""
    )
    return "-" if found.ratio is None else f"{found.ratio:.3f}{spread}"


def gap(found: Comparison) -> str:
    """Formats A - B in per cent of B."""
    if found.ratio is None:
        return "-"
    share = 100 * (found.ratio - 1)
    digits = 2 if abs(share) < 9.995 else 1 if abs(share) < 99.95 else 0  # noqa: PLR2004 - where a digit goes
    return f"{share:+.{digits}f} % of B"


def group(runs: Sequence[Run]) -> str:
    """Describes A or B of a comparison: accelerators, parallel scheme, workload."""
    said = [
        (
            run.system,
            "number of accelerators not stated"
            if run.accelerators is None
            else f"{run.accelerators} x {run.accelerator or 'not stated'}",
            _scheme(run),
            run.workload,
            "batch size not stated"
            if run.global_batch_size is None
            else f"batch {run.global_batch_size}",
            "precision not stated" if run.precision is Precision.UNKNOWN else run.precision.value,
            "data not stated" if run.data is None else f"{run.data.value} data",
        )
        for run in runs
    ]
    return ", ".join(
        word for words in zip(*said, strict=True) if (word := " or ".join(dict.fromkeys(words)))
    )


def _scheme(run: Run) -> str:
    told = compare.scheme(run)
    special = {"none": "", compare.UNKNOWN: "parallel scheme not stated"}
    return special.get(told, f"parallel scheme {told}")


def efficiency(share: float, *, unequal: bool) -> str:
    """Returns scaling efficiency as a sentence; `unequal` if numbers of threads differed."""
    text = f"scaling efficiency {share:.1%}: throughput of N processes over N times that of one"
    if unequal:
        text += ", which had another number of threads, so it is no N-th of the other side"
    if share > BEYOND:
        text += "; above 100 % is superlinear: usually a sign of a wrong base or of a shaky run"
    return text


BEYOND: Final = 1.0005
"""Efficiency from which more than 100.0 % is printed."""


def recovered(run: Run) -> str:
    """Returns the outcome of a journal that had not been made a run."""
    counts = counted(len(run.steps), "step"), counted(len(run.evaluations), "evaluation")
    return f"{run.run_id}: recovered as {run.status}, {', '.join(counts)}"


def remarks(shown: Collection[str], runs: Iterable[Run], *, seeded: bool = True) -> list[str]:
    """Returns what all repetitions together say of the runs shown, with `seeded` of their seeds
    too.
    """
    found = []
    for setup in repetitions.setups(runs):
        if any(run.run_id in shown for run in setup.runs):
            told = repetitions.seeds(setup.runs) if seeded else None
            found += [] if told is None else [f"{setup.run.run_id} with its seeds: {seeds(told)}"]
            found += [slow(each) for each in repetitions.slow(setup.runs) if each.run_id in shown]
    return found


def seeds(found: Seeds) -> str:
    """Returns how many seeds reached the target, their mean time or why there is none, and all
    points.
    """
    mean = f"no mean, as {found.missed} missed it and {repetitions.DROPPED} may"
    if found.mean_s is not None:
        mean = f"mean time without the fastest and the slowest {found.mean_s:.4g} s"
    elif found.trim is Trim.FEW:
        wanted = repetitions.LEAST_SEEDS
        mean = f"no mean without the fastest and the slowest, which wants {wanted} seeds"
    points = f"; all: {', '.join(map('{:.4g}'.format, found.times))} s" if found.times else ""
    cut = f"; {found.cut} cut off and not counted" if found.cut else ""
    return (
        f"{len(found.times)} of {len(found.run_ids)} seeds reached {found.target.metric} "
        f"{found.target.value:g}, {mean}{points}{cut}"
    )


def slow(found: Slow) -> str:
    """Returns a sentence on a run slower than its repetitions, with advice."""
    return (
        f"{found.run_id}: {found.share:.0%} slower than the median of its {found.n} repetitions "
        f"(single runs alike: {REPEAT:.0%}): something may have held it up; measure it again"
    )


def both(a: Seeds | None, b: Seeds | None) -> list[str]:
    """Returns the seeds of A and B, if both have several to one target."""
    if a is None or b is None or a.target != b.target:
        return []
    ratio = (
        f"A over B {a.mean_s / b.mean_s:.3f} in these means"
        if a.mean_s and b.mean_s
        else "no ratio, as a side has no mean"
    )
    return [f"A: {seeds(a)}", f"B: {seeds(b)}", f"time to the target: {ratio}"]


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = HEAD) -> str:
    """Formats rows below a head, columns as wide as their longest cell."""
    lines = [head, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(head))]
    return "\n".join(
        "  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip()
        for line in lines
    )
