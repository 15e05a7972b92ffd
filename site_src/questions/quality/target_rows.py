"""What it takes to reach a quality: epochs, hours and money, by run and offer."""

from collections.abc import Iterable, Sequence

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Direction, Metric, Run, Status, Target
from kernels.store import Archive
from site_src import tables
from site_src.tables import Row

MEASURES = ("cost", "hours", "epochs")


def targets(runs: Iterable[Run], metric: str) -> list[Target]:
    """The qualities that any of the runs was timed to, the lowest first."""
    found = {
        hit.target.value: hit.target
        for run in runs
        for hit in run.metrics
        if hit.name == "epochs_to_target"
        and hit.target is not None
        and hit.target.metric == metric
        and hit.value is not None
    }
    return [found[value] for value in sorted(found)]


def to_target(
    archive: Archive, catalog: Catalog, facts: Facts, source: str, metric: str = "top1"
) -> pd.DataFrame:
    """One row a target, a measure and a run; for `cost` one row more for each offer.

    Columns beside `COMMON`: `target` (text of the fraction, as in addresses), `measure`, `value` in
    `unit` with `value_ref`; None where the run did not reach the target, then `best` is the best
    quality it is known to have reached. Evaluation and start-up are left out, as epochs, samples
    and throughput tell nothing of them.
    """
    runs = tables.runs_in_force(
        archive, lambda run: run.source == source and run.metric("final_accuracy") is not None
    )
    rows: list[Row] = []
    for target in targets(runs, metric):
        for measure in MEASURES:
            for run in runs:
                rows.extend(
                    _rows(
                        run,
                        target,
                        measure,
                        archive=archive,
                        catalog=catalog,
                        facts=facts,
                        source=source,
                    )
                )
    return tables.frame(rows)


def _rows(
    run: Run,
    target: Target,
    measure: str,
    *,
    archive: Archive,
    catalog: Catalog,
    facts: Facts,
    source: str,
) -> Iterable[Row]:
    hit = run.metric(f"epochs_to_target@{target.value:g}")
    best, best_ref = best_quality(run)
    row: Row = {
        **tables.common(run, hit, catalog),
        "status": status(run, hit, target, best).value,
        "target": f"{target.value:g}",
        "target_value": target.value,
        "measure": measure,
        "value": None,
        "value_ref": None,
        "value_bound": None,
        "value_decimals": 0 if measure == "epochs" else 2,
        "unit": {"epochs": "epochs", "hours": "h"}.get(measure, "USD"),
        "best": best,
        "best_ref": best_ref,
        "clock_scope": run.clock_scope.value,
        **dict.fromkeys(_NO_OFFER),
    }
    reached = hit is not None and hit.value is not None
    if measure == "epochs":
        yield {
            **row,
            "value_ref": f"run:{run.run_id}:epochs_to_target@{target.value:g}",
            "value": hit.value if reached and hit else None,
        }
        return
    speed = tables.throughput_metric(run)
    # else nobody knows how many samples an epoch has
    if speed is None or run.workload not in catalog.workloads:
        return
    inputs = (
        f"run:{run.run_id}:epochs_to_target@{target.value:g}, "
        f"workload:{run.workload}:train_samples, run:{run.run_id}:{speed.key}"
    )
    if measure == "hours":
        ref = f"hours_to_target({inputs})"
        bound = facts.get(ref).bound.value if reached else None
        yield {
            **row,
            "value_ref": ref if reached else None,
            "value": tables.figure(facts, ref) if reached else None,
            "value_bound": bound,
        }
        return
    for price in tables.offers(run, archive, catalog, source):
        ref = f"cost_to_target({inputs}, price:{price.price_id}:per_hour)"
        yield {
            **row,
            **tables.offer_columns(price, run, facts),
            "unit": price.currency,
            "value_ref": ref if reached else None,
            "value": tables.figure(facts, ref) if reached else None,
            "value_bound": facts.get(ref).bound.value if reached else None,
        }


_NO_OFFER = (
    "price_id",
    "provider",
    "offer",
    "price_kind",
    "price_per",
    "term_months",
    "hourly",
    "hourly_ref",
    "currency",
    "hourly_bound",
    "price_date",
    "price_source",
    "price_locator",
    "remarks",
)


def best_quality(run: Run) -> tuple[float | None, str | None]:
    """The best quality that a run is known to have reached, with its reference."""
    for name in ("best_accuracy", "final_accuracy"):
        metric = run.metric(name)
        if metric is not None and metric.value is not None:
            return metric.value, f"run:{run.run_id}:{name}"
    return None, None


def status(run: Run, hit: Metric | None, target: Target, best: float | None) -> Status:
    """Whether a target was reached; a run whose best is short of it did not, one that says nothing
    is not reported.
    """
    if hit is not None:
        return hit.status
    if best is None:
        return Status.NOT_REPORTED if run.status is Status.OK else run.status
    short = best < target.value if target.direction is Direction.AT_LEAST else best > target.value
    return Status.NOT_CONVERGED if short else Status.NOT_REPORTED


def reached(table: pd.DataFrame, target: str, measure: str) -> Sequence[Row]:
    """The rows of a target and measure that have a value, the smallest first."""
    rows: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings
    found = [
        row
        for row in rows
        if row["target"] == target and row["measure"] == measure and row["value"] is not None
    ]
    return sorted(found, key=lambda row: float(str(row["value"])))
