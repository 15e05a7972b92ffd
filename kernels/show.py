"""A run as one JSON object, as one line of a terminal's table, and what its repetitions say of it."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from kernels import setups
from kernels.compare import REPEAT, Comparison, Side
from kernels.records import Interval, Metric, Run
from kernels.setups import Seeds, Slow, Trim
from kernels.units import counted

HEAD: Final = ("run", "status", "batch", "precision", "throughput", "final", "time to target")


def record(run: Run) -> dict[str, object]:
    """A run as in `/api/v1/runs.json`, less the address of its page; unknown is None."""
    return {
        "run_id": run.run_id,
        "origin": run.origin,
        "source": run.source,
        "source_locator": run.locator,
        "licence": run.licence,
        "credit": run.credit,
        "workload": run.workload,
        "system": run.system,
        "accelerator": run.accelerator,
        "accelerators": run.accelerators,
        "backend": run.backend,
        "framework": run.framework,
        "framework_version": run.framework_version,
        "precision": run.precision,
        "data": run.data,
        "global_batch_size": run.global_batch_size,
        "batch_size_per_accelerator": run.batch_size_per_accelerator,
        "seed": run.seed,
        "status": run.status,
        "status_detail": run.status_detail,
        "clock_scope": run.clock_scope,
        "started_at": None if run.started_at is None else run.started_at.isoformat(),
        "metrics": {metric.key: _metric(metric) for metric in run.metrics},
        "doubts": [{"code": doubt.code, "value": doubt.value, "limit": doubt.limit} for doubt in run.doubts],
        "withdrawn": run.withdrawn,
    }


def _metric(metric: Metric) -> dict[str, object]:
    return {
        "value": metric.value,
        "low": metric.low,
        "high": metric.high,
        "interval": metric.interval,
        "bound": metric.bound,
        "unit": metric.unit,
        "n": metric.n,
        "stat": metric.stat,
        "status": metric.status,
    }


def row(run: Run) -> tuple[str, ...]:
    """The cells of `HEAD` for a run; a missing figure shows its status or a dash."""
    throughput = next((metric for metric in run.metrics if metric.name.startswith("throughput_")), None)
    final = next((metric for metric in run.metrics if metric.name.startswith("final_")), None)
    target = next((metric for metric in run.metrics if metric.name == "time_to_target_s"), None)
    return (
        run.run_id,
        run.status if run.withdrawn is None else "withdrawn",
        "-" if run.global_batch_size is None else str(run.global_batch_size),
        run.precision,
        figure(throughput),
        figure(final),
        figure(target),
    )


def figure(metric: Metric | None) -> str:
    """A metric for a terminal: value, unit, and its interval where it has one; `n=1` where there is but one sample."""
    if metric is None:
        return "-"
    if metric.value is None:
        return (
            f"{metric.low:.4g} to {metric.high:.4g} {metric.unit}" if metric.low is not None and metric.high is not None else metric.status
        )
    unit = "" if metric.unit == "1" else f" {metric.unit}"
    spread = f" ({metric.low:.4g} to {metric.high:.4g})" if metric.low is not None and metric.high is not None else ""
    goal = f" to {metric.target.value:g}" if metric.target is not None else ""
    return f"{metric.value:.4g}{unit}{spread}{goal}"


COUNTED: Final = {
    "copy_bytes_per_s": "bytes copied, each counted once",
    "memory_bandwidth_byte_per_s": "bytes read and bytes written: twice what is copied",
}
"""What a copy's figures count: one has to be told them apart by more than a name."""


def copied(run: Run) -> tuple[str, ...]:
    """A line for each figure of a run that copies, with what it counts; nothing of any other run."""
    return tuple(f"{metric.name} {figure(metric)}: {COUNTED[metric.name]}" for metric in run.metrics if metric.name in COUNTED)


def side(found: Side, unit: str) -> str:
    """One side of a comparison: value, unit, interval or points, and how many runs."""
    of = {Interval.CI95: "", Interval.SEEDS: " all runs", None: ""}.get(found.interval, "")
    spread = f" ({found.low:.4g} to {found.high:.4g}{of})" if found.low is not None else ""
    return f"{found.value:.4g}{'' if unit == '1' else f' {unit}'}{spread} n={found.n}"


def ratio(found: Comparison) -> str:
    """A over B, with the furthest that the intervals allow."""
    spread = f" ({found.ratio_low:.3f} to {found.ratio_high:.3f})" if found.ratio_low is not None else ""
    return "-" if found.ratio is None else f"{found.ratio:.3f}{spread}"


def recovered(run: Run) -> str:
    """What became of a journal that nobody had made a run of."""
    counts = counted(len(run.steps), "step"), counted(len(run.evaluations), "evaluation")
    return f"{run.run_id}: recovered as {run.status}, {', '.join(counts)}"


def remarks(shown: Collection[str], runs: Iterable[Run], *, seeded: bool = True) -> list[str]:
    """What all repetitions together say of the runs shown, a sentence each: seeds to their target, and runs slower than their like.

    Args:
        shown: Ids of these runs.
        runs: All that are recorded; those that repeat one of `shown` have their say.
        seeded: Say it of the seeds; else only who is slower.
    """
    found = []
    for setup in setups.setups(runs):
        if any(run.run_id in shown for run in setup.runs):
            told = setups.seeds(setup.runs) if seeded else None
            found += [] if told is None else [f"{setup.run.run_id} with its seeds: {seeds(told)}"]
            found += [slow(each) for each in setups.slow(setup.runs) if each.run_id in shown]
    return found


def seeds(found: Seeds) -> str:
    """How many seeds reached their target, their mean time by the rule of MLPerf's scores or why there is none, and all points."""
    mean = f"no mean, as {found.missed} missed it and {setups.DROPPED} may"
    if found.mean_s is not None:
        mean = f"mean time without the fastest and the slowest {found.mean_s:.4g} s"
    elif found.trim is Trim.FEW:
        mean = f"no mean without the fastest and the slowest, which wants {setups.LEAST_SEEDS} seeds"
    points = f"; all: {', '.join(f'{seconds:.4g}' for seconds in found.times)} s" if found.times else ""
    cut = f"; {found.cut} cut off and not counted" if found.cut else ""
    return f"{len(found.times)} of {len(found.run_ids)} seeds reached {found.target.metric} {found.target.value:g}, {mean}{points}{cut}"


def slow(found: Slow) -> str:
    """A run slower than its like, with what to do."""
    return (
        f"{found.run_id}: {found.share:.0%} slower than the median of its {found.n} repetitions (single runs alike: {REPEAT:.0%}): "
        "something may have held it up; measure it again"
    )


def both(a: Seeds | None, b: Seeds | None) -> list[str]:
    """Seeds of the two sides of a comparison, where both have several to one target."""
    if a is None or b is None or a.target != b.target:
        return []
    ratio = f"A over B {a.mean_s / b.mean_s:.3f} in these means" if a.mean_s and b.mean_s else "no ratio, as a side has no mean"
    return [f"A: {seeds(a)}", f"B: {seeds(b)}", f"time to the target: {ratio}"]


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = HEAD) -> str:
    """Rows under a head, columns as wide as their longest cell."""
    lines = [head, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
