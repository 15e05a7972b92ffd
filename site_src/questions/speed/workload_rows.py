"""Throughput of one workload over all origins, a row a configuration."""

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row


def speed(archive: Archive, catalog: Catalog, facts: Facts, workload: str) -> pd.DataFrame:
    """Training throughput on synthetic data of every configuration of a workload, the fastest
    first; the newest run of each.

    A configuration is system, framework, batch size, precision and origin. Columns beside `COMMON`:
    `batch` in samples, `throughput` in images/s over all chips with its interval, and
    `throughput_per_chip`.
    """
    runs = tables.runs_in_force(
        archive, lambda run: run.workload == workload and run.data in tables.SYNTHETIC
    )
    latest: dict[tuple[object, ...], Run] = {}
    for run in sorted(
        runs,
        key=lambda run: (
            run.started_at is not None,
            run.started_at.timestamp() if run.started_at else 0.0,
        ),
    ):
        metric = tables.throughput_metric(run)
        if (
            run.status is Status.OK
            and metric is not None
            and metric.unit == "images/s"
            and metric.value is not None
        ):
            latest[tables.series_id(run), run.global_batch_size, run.precision, run.origin] = run
    rows = [_row(run, catalog, facts) for run in latest.values()]
    return tables.frame(sorted(rows, key=lambda row: float(str(row["throughput"])), reverse=True))


def _row(run: Run, catalog: Catalog, facts: Facts) -> Row:
    metric = tables.throughput_metric(run)
    assert metric is not None  # noqa: S101 - rows are made of runs with a figure
    ref = f"run:{run.run_id}:{metric.key}"
    per_chip = f"per_chip({ref}, run:{run.run_id}:accelerators)" if run.accelerators else None
    whole, each = tables.figure(facts, ref), tables.figure(facts, per_chip) if per_chip else None
    return {
        **tables.common(run, metric, catalog),
        "batch": run.global_batch_size,
        "batch_ref": f"run:{run.run_id}:global_batch_size",
        **tables.feed(run),
        "throughput": whole,
        "throughput_ref": ref,
        "throughput_low": metric.low,
        "throughput_high": metric.high,
        "throughput_bound": metric.bound.value,
        "throughput_decimals": _decimals(whole),
        "throughput_per_chip": each,
        "throughput_per_chip_decimals": tables.worth(facts, per_chip, ref, most=_decimals(each))
        if per_chip
        else None,
        "throughput_per_chip_ref": per_chip,
        "throughput_per_chip_bound": metric.bound.value,
    }


def _decimals(value: float | None) -> int:
    """Decimals that leave three digits or more: rows differ by orders of magnitude."""
    return 0 if value is None or value >= 100 else 1 if value >= 10 else 2  # noqa: PLR2004 - the digits before the point
