"""A run as one JSON object, and as one line of a terminal's table."""

from collections.abc import Sequence
from typing import Final

from kernels.compare import Comparison, Side
from kernels.records import Interval, Metric, Run

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


def side(found: Side, unit: str) -> str:
    """One side of a comparison: value, unit, interval or points, and how many runs."""
    of = {Interval.CI95: "", Interval.SEEDS: " all runs", None: ""}.get(found.interval, "")
    spread = f" ({found.low:.4g} to {found.high:.4g}{of})" if found.low is not None else ""
    return f"{found.value:.4g}{'' if unit == '1' else f' {unit}'}{spread} n={found.n}"


def ratio(found: Comparison) -> str:
    """A over B, with the furthest that the intervals allow."""
    spread = f" ({found.ratio_low:.3f} to {found.ratio_high:.3f})" if found.ratio_low is not None else ""
    return "-" if found.ratio is None else f"{found.ratio:.3f}{spread}"


def table(rows: Sequence[Sequence[str]], head: Sequence[str] = HEAD) -> str:
    """Rows under a head, columns as wide as their longest cell."""
    lines = [head, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(head))]
    return "\n".join("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip() for line in lines)
