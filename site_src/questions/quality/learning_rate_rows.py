"""The learning rate of each batch size, epoch by epoch, from the rule and the schedule that a
source prints.

They are cells of its table `learning-rate`, column `value`: `base-rate` at `base-batch`, `epochs`
in all, rows that end in `-drop`: the epochs at which the rate is multiplied by `factor`.
"""

import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import Run
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row

NEEDED = ("base-rate", "base-batch", "factor", "epochs")


def cell_refs(archive: Archive, source: str) -> dict[str, str]:
    """References of the rule's figures by row."""
    found = [
        cell
        for cell in archive.cells
        if (cell.source, cell.table, cell.column) == (source, "learning-rate", "value")
    ]
    return {
        cell.row: f"cell:{source}:learning-rate:{cell.row}:value"
        for cell in found
        if cell.value is not None
    }


def schedule(archive: Archive, facts: Facts, source: str) -> pd.DataFrame:
    """One row a batch size of the source's runs and a stretch of epochs with one rate; empty where
    it prints no such rule.

    Columns beside `COMMON`: `batch` in images, `start` and `end` in epochs, `rate`, `next`: the
    rate that follows, None for the last.
    """
    refs = cell_refs(archive, source)
    if not refs.keys() >= set(NEEDED):
        return tables.frame(())
    sizes: dict[int, Run] = {}
    for run in tables.runs_in_force(archive, lambda run: run.source == source):
        if run.global_batch_size is not None:
            sizes.setdefault(run.global_batch_size, run)
    drops = (ref for row, ref in refs.items() if row.endswith("-drop"))
    ends = [*sorted(drops, key=lambda ref: facts.get(ref).value or 0.0), refs["epochs"]]
    origin = next(one for one in archive.sources if one.source == source)
    locators = {
        f"cell:{c.source}:{c.table}:{c.row}:{c.column}": c.locator
        for c in archive.cells
        if c.source == source
    }
    common: Row = dict.fromkeys(tables.COMMON)
    rows: list[Row] = []
    for size in sorted(sizes):
        batch = f"run:{sizes[size].run_id}:global_batch_size"
        if facts.get(batch).unit != facts.get(refs["base-batch"]).unit:
            continue  # the rule says nothing of batches of something else
        rate = f"scaled_rate({refs['base-rate']}, {batch}, {refs['base-batch']})"
        start = "number:0"
        for end in ends:
            falls = f"product({rate}, {refs['factor']})"
            rows.append(
                {
                    **common,
                    "series": f"batch-{size}",
                    "label": str(size),
                    "origin": "published",
                    "status": "ok",
                    "source": source,
                    "locator": locators[end],
                    "licence": origin.licence,
                    "credit": origin.credit,
                    "batch": size,
                    "batch_ref": batch,
                    "start": tables.figure(facts, start),
                    "start_ref": start,
                    "end": tables.figure(facts, end),
                    "end_ref": end,
                    "rate": tables.figure(facts, rate),
                    "rate_ref": rate,
                    "next": tables.figure(facts, falls) if end is not ends[-1] else None,
                }
            )
            start, rate = end, falls
    return tables.frame(rows)
