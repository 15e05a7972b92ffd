"""The largest batch size that fits: every size that was tried, and how it ended."""

from collections import Counter
from typing import Final

import pandas as pd

from kernels.catalog import Catalog
from kernels.records import Status
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row
from site_src.tables.batch import shared, swept

LARGEST, FITS = "largest", "fits"
"""Outcomes of a size that was trained at; others are the run's status."""

_FAILED: Final = (Status.OOM, Status.NOT_REPORTED)


def largest_batch(archive: Archive, catalog: Catalog, source: str) -> pd.DataFrame:
    """One row a series, workload and batch size of a sweep, where any of its sizes ran out of
    memory; the workload first on which most did.

    Columns beside those of `tables.batch.shared`: `outcome`: `largest` for the largest size of its
    series that fits, `fits`, or the status; `fits`: the size where it fits, else None; `per_chip`:
    the same for one accelerator.
    """
    runs = [run for run in swept(archive, source) if run.status in (Status.OK, *_FAILED)]
    if not any(run.status is Status.OOM for run in runs):
        return pd.DataFrame()
    largest: dict[tuple[str, str], int] = {}
    for run in runs:
        if run.status is Status.OK:
            key = (tables.series_id(run), run.workload)
            largest[key] = max(largest.get(key, 0), run.global_batch_size or 0)
    rows: dict[tuple[str, str, int | None], Row] = {}
    # of several runs at one size, one that fits says that it fits
    for run in sorted(runs, key=lambda run: run.status is Status.OK):
        key = (tables.series_id(run), run.workload)
        fits = run.status is Status.OK
        outcome = (
            run.status.value
            if not fits
            else LARGEST
            if run.global_batch_size == largest[key]
            else FITS
        )
        name = f"run:{run.run_id}"
        rows[(*key, run.global_batch_size)] = {
            **shared(run, None, runs, catalog),
            "status": run.status.value,
            "n": 1 if run.metrics and all(metric.n == 1 for metric in run.metrics) else None,
            "outcome": outcome,
            "fits": run.global_batch_size if fits else None,
            "fits_ref": f"{name}:global_batch_size" if fits else None,
            "per_chip": run.batch_size_per_accelerator if fits else None,
            "per_chip_ref": f"{name}:batch_size_per_accelerator"
            if fits and run.batch_size_per_accelerator
            else None,
        }
    failed = Counter(run.workload for run in runs if run.status is Status.OOM)
    runs.sort(key=lambda run: -failed[run.workload])
    order = [(tables.series_id(run), run.workload, run.global_batch_size) for run in runs]
    return tables.frame(rows[key] for key in dict.fromkeys(order))
