"""Training time and cost on each platform: time x price, beside the cost that the source prints."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Final

import pandas as pd

from kernels.catalog import Catalog
from kernels.records import Per, Price, Run, ServerKind, System, Verdict
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Cell, Row

TIME: Final = "train_time_s"


def platforms(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per run with a training time and an offer paid by time, by workload in the source's
    order, fastest first.

    A run whose time, and so whose offer, the source leaves out keeps a row without figures if its
    system has an offer for another workload. Columns beside `COMMON`, an offer's and a time's
    (`timed`): `cost` in `currency`; `printed`, the cost that the source prints, with `verdict`;
    `marked` is the printed cost if it contradicts, else `cost`; `cents` per second, for offers by
    the second; `frontier` is no if another row of the workload is at least as fast and as cheap and
    better in one, else yes. Empty unless two systems have offers.
    """
    runs = _timed_runs(evidence, source)
    found = {run.run_id: tables.offers(run, evidence, source) for run in runs}
    priced = {run.system for run in runs if found[run.run_id]}
    if len(priced) < 2:  # noqa: PLR2004 - one system alone is no comparison
        return tables.frame([])
    rows: list[Row] = []
    for run in runs:
        if run.system in priced:
            base = timed(run, evidence)
            rows += [base | _cost(run, price, evidence) for price in found[run.run_id]] or [base]
    ordered = fastest_first(rows)
    for row in ordered:
        row["frontier"] = _on_frontier(row, ordered)
    return tables.frame(ordered)


def _timed_runs(evidence: Evidence, source: str) -> list[Run]:
    return tables.runs_in_force(evidence.archive, lambda run: bool(run.metric(TIME)), source=source)


def timed(run: Run, evidence: Evidence) -> Row:
    """A run's training time in s with its conditions and final quality."""
    described = evidence.catalog.workloads.get(run.workload)
    judged_by = described.metric if described else "accuracy"
    quality = run.metric(f"final_{judged_by}") or run.metric("final_accuracy")
    name = f"run:{run.run_id}"
    return {
        **tables.common(run, run.metric(TIME), evidence.catalog),
        "label": platform(run, evidence.catalog),
        **tables.workload(run, evidence.catalog),
        "accelerators": tables.stated(run, "accelerators"),
        "clock_scope": run.clock_scope.value,
        "time": tables.cell(evidence.facts, f"{name}:{TIME}", bound=True),
        "quality": Cell(quality.value, f"{name}:{quality.key}", decimals=quality.decimals)
        if quality and quality.value is not None
        else Cell(),
        "quality_metric": judged_by,
    }


def platform(run: Run, catalog: Catalog) -> str:
    """A run's machine without the framework, which all platforms of a source share."""
    return tables.series_label(run, catalog).partition(" · ")[0]


def fastest_first(rows: Sequence[Row]) -> list[Row]:
    """The rows by workload in their order, then by time."""
    order = list(dict.fromkeys(row["workload"] for row in rows))
    return sorted(
        rows,
        key=lambda row: (
            order.index(row["workload"]),
            row["time"].value is None,
            row["time"].value or 0.0,
        ),
    )


def _cost(run: Run, price: Price, evidence: Evidence) -> Row:
    time, hourly = f"run:{run.run_id}:{TIME}", f"price:{price.price_id}:per_hour"
    cost = tables.cell(evidence.facts, f"cost_of_time({time}, {hourly})", bound=True)
    cents = f"in_cents(price:{price.price_id}:amount)" if price.per is Per.SECOND else None
    places = max(0, price.decimals - 2)
    row: Row = {
        **tables.offer_columns(price, run, evidence.facts),
        "cents": tables.cell(evidence.facts, cents, decimals=places),
        "cost": cost if cost.value is not None else Cell(),
        "printed": Cell(),
        "verdict": None,
        "marked": cost.value,
    }
    inputs = ({time, hourly}, {time, f"price:{price.price_id}:amount"})
    claims = (
        claim
        for claim in evidence.archive.claims
        if set(claim.inputs) in inputs and claim.unit == price.currency
    )
    claim = next(claims, None)
    if claim is not None and claim.printed is not None:
        verdict = evidence.facts.judgement(claim.claim_id).verdict
        row |= {
            "printed": Cell(claim.printed, f"claim:{claim.claim_id}:printed"),
            "verdict": verdict.value,
        }
        if verdict is Verdict.CONTRADICTS:
            row["marked"] = claim.printed
    return row


def _on_frontier(row: Row, rows: Sequence[Row]) -> str | None:
    own = _point(row)
    if own is None:
        return None
    others = (_point(other) for other in rows if other["workload"] == row["workload"])
    beaten = any(
        other != own and other[0] <= own[0] and other[1] <= own[1] for other in others if other
    )
    return "no" if beaten else "yes"


def _point(row: Row) -> tuple[float, float] | None:
    time, cost = row["time"].value, row.get("cost", Cell()).value
    return None if time is None or cost is None else (time, cost)


def tenancies(evidence: Evidence, source: str) -> pd.DataFrame:
    """Times on a virtual dedicated server and on a physical machine with the same hardware: two
    rows per workload, the virtual one first.

    Columns beside those of `timed`: `more`, the percentage by which the virtual server takes
    longer, in its row; `provider`, `server_kind`.
    """
    runs = _timed_runs(evidence, source)
    rows = []
    for virtual, physical in _pairs(runs, evidence.catalog):
        ref = f"percent_more(run:{virtual.run_id}:{TIME}, run:{physical.run_id}:{TIME})"
        for run in (virtual, physical):
            system = evidence.catalog.systems[run.system]
            rows.append(
                {
                    **timed(run, evidence),
                    "server_kind": system.server_kind,
                    "provider": system.provider,
                    "region": system.region,
                    "more": tables.cell(evidence.facts, ref) if run is virtual else Cell(),
                }
            )
    return tables.frame(rows)


def _pairs(runs: Sequence[Run], catalog: Catalog) -> Iterator[tuple[Run, Run]]:
    """Yields runs of one workload on a virtual server and on the same kind of physical machine."""
    timed_ = [run for run in runs if _time(run) is not None and run.system in catalog.systems]
    for virtual, physical in product(timed_, timed_):
        systems = catalog.systems[virtual.system], catalog.systems[physical.system]
        kinds = tuple(system.server_kind for system in systems)
        if (
            kinds == (ServerKind.VDS, ServerKind.DEDICATED)
            and _equal_in(systems, _MACHINE)
            and _equal_in((virtual, physical), _TRAINING)
        ):
            yield virtual, physical


_MACHINE: Final = ("hardware", "accelerators", "nodes", "provider", "cpu_model")
_TRAINING: Final = ("workload", "framework", "precision", "global_batch_size")
"""Properties in which two systems and two runs must agree to be compared."""


def _equal_in(pair: tuple[System, System] | tuple[Run, Run], names: Sequence[str]) -> bool:
    return all(getattr(pair[0], name) == getattr(pair[1], name) for name in names)


def _time(run: Run) -> float | None:
    metric = run.metric(TIME)
    return metric.value if metric is not None else None
