"""Epochs to a target by the number of accelerators, and the speed-ups over one accelerator that a
source prints, split into fewer epochs and more throughput: time is epochs x time per epoch.
"""

from collections.abc import Mapping, Sequence

import pandas as pd

from kernels.catalog import Catalog
from kernels.records import Certainty, Claim, Metric, Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Row, printed


def to_converge(run: Run) -> Metric | None:
    """The epochs that a run took to its target."""
    found = (hit for hit in run.metrics if hit.name == "epochs_to_target")
    return next((hit for hit in found if hit.value is not None), None)


def by_cards(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per run of a workload that a source trained to one target on several numbers of
    accelerators.

    Columns beside `COMMON`: `workload`, `workload_name`, `cards`, `epochs` to the target
    `target_value`, `printed` if the source itself prints them, and `time` in s. A series is a
    system; its label names only the accelerator, since the number varies.
    """
    runs = tables.runs_in_force(
        evidence.archive,
        lambda run: run.accelerators is not None and to_converge(run) is not None,
        source=source,
    )
    rows = []
    for run in runs:
        metric = to_converge(run)
        if metric is None or metric.target is None or not _varied(runs, run):
            continue
        name, time = f"run:{run.run_id}", f"time_to_target_s@{metric.target.value:g}"
        rows.append(
            {
                **tables.common(run, metric, evidence.catalog),
                "label": label(run, evidence.catalog),
                **tables.workload(run, evidence.catalog),
                "cards": tables.stated(run, "accelerators"),
                "epochs": tables.cell(evidence.facts, f"{name}:{metric.key}"),
                "target_value": metric.target.value,
                "printed": metric.target.certainty is Certainty.STATED,
                "time": tables.cell(evidence.facts, f"{name}:{time}" if run.metric(time) else None),
                "unit": "s",
            }
        )
    return tables.frame(rows)


def label(run: Run, catalog: Catalog) -> str:
    """The name of a run's accelerator without their number; else its series' label."""
    if run.accelerator:
        return printed.piece(catalog, run.accelerator)
    return tables.series_label(run, catalog)


def _varied(runs: Sequence[Run], run: Run) -> bool:
    counts = {
        other.accelerators
        for other in runs
        if other.workload == run.workload and other.system == run.system
    }
    return len(counts) > 1


SPEEDUP = "speedup-over-one"
"""Claims of the speed-up of several accelerators over one; the number ends their id."""


def speedups(evidence: Evidence, source: str) -> pd.DataFrame:
    """Three rows per printed speed-up: the speed-up itself, and its two factors, from throughput
    and from convergence.

    Columns beside `COMMON`: `part`, `workload`, `workload_name`, `cards`, `epochs_one` and `epochs`
    to the target on one accelerator and on that many, `factor`, drawn from `begin` to `finish`
    where factors are multiplied, `linear`, and `efficiency`, the factor's share of linear (None for
    convergence, for which nothing is expected of an accelerator).
    """
    claims = [
        claim
        for claim in evidence.archive.claims
        if claim.source == source and claim.quantity == SPEEDUP
    ]
    runs = tables.runs_in_force(
        evidence.archive, source=source, keep=lambda run: to_converge(run) is not None
    )
    rows: list[Row] = []
    for claim in sorted(claims, key=_number):
        system = _system([other for other in claims if _stem(other) == _stem(claim)], runs)
        if system is not None and 1 in system and _number(claim) in system:
            rows.extend(_rows(claim, system[1], system[_number(claim)], evidence))
    return tables.frame(rows)


def _number(claim: Claim) -> int:
    last = claim.claim_id.rpartition("-")[2]
    return int(last) if last.isdecimal() else 0


def _stem(claim: Claim) -> str:
    return claim.claim_id.rpartition("-")[0]


def _system(claims: Sequence[Claim], runs: Sequence[Run]) -> Mapping[int, Run] | None:
    """The claims' runs by number of accelerators, on the only system with all those numbers."""
    word = _stem(claims[0]).removeprefix(f"{claims[0].source}-").partition("-")[0]
    found: dict[str, dict[int, Run]] = {}
    for run in runs:
        if run.accelerators and run.workload.partition("-")[0] == word:
            found.setdefault(run.system, {})[run.accelerators] = run
    wanted = {1, *map(_number, claims)}
    fitting = [system for system in found.values() if wanted <= system.keys()]
    return fitting[0] if len(fitting) == 1 else None


def _rows(claim: Claim, one: Run, many: Run, evidence: Evidence) -> list[Row]:
    before, after = to_converge(one), to_converge(many)
    assert before is not None and after is not None  # noqa: S101 - their runs were chosen by it
    cards, total = f"run:{many.run_id}:accelerators", f"claim:{claim.claim_id}:printed"
    first, last = f"run:{one.run_id}:{before.key}", f"run:{many.run_id}:{after.key}"
    convergence = f"ratio({first}, {last})"
    throughput = f"epoch_corrected({total}, {first}, {last})"
    common: Row = {
        **tables.common(many, after, evidence.catalog),
        "label": printed.piece(evidence.catalog, many.accelerator)
        if many.accelerator
        else many.system,
        "locator": claim.locator,
        **tables.workload(many, evidence.catalog),
        "cards": tables.stated(many, "accelerators"),
        "epochs_one": tables.cell(evidence.facts, first),
        "epochs": tables.cell(evidence.facts, last),
        "linear": many.accelerators,
        "page": f"sources/{claim.source}/#{claim.claim_id}",
    }
    rows = []
    for part, ref, begin in (
        ("speedup", total, None),
        ("throughput", throughput, None),
        ("convergence", convergence, throughput),
    ):
        factor = tables.cell(evidence.facts, ref, bound=True)
        start = tables.figure(evidence.facts, begin) if begin else 1.0
        efficiency = f"per_chip({ref}, {cards})" if part != "convergence" else None
        rows.append(
            {
                **common,
                "part": part,
                "factor": factor,
                "begin": start,
                "finish": factor.value * start if factor.value is not None and start else None,
                "efficiency": tables.cell(evidence.facts, efficiency),
            }
        )
    return rows
