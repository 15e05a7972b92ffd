"""Sweeps over batch sizes: time per epoch and figures derived from it, a row per run; failed runs
have rows without figures. Also the highest throughput of each system.
"""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import pandas as pd

from kernels.analysis.load import mean_load
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import DataKind, Metric, Mode, Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Row, throughput_metric
from site_src.tables.collapsed import collapsed
from site_src.tables.recorded import setting

LOAD: Final = "load"
"""Column with the mean load of the accelerators, in sweeps whose sensors were read."""


def sizes(
    archive: Archive, source: str, counts: Callable[[Run], bool]
) -> tuple[list[Run], set[str]]:
    """The runs of a source with a batch size, and the workloads in which a series has several sizes
    that count.
    """
    runs = tables.runs_in_force(
        archive, source=source, keep=lambda run: run.global_batch_size is not None
    )
    found: dict[tuple[str, str], set[int | None]] = defaultdict(set)
    for run in filter(counts, runs):
        found[run.workload, tables.series_id(run)].add(run.global_batch_size)
    return runs, {workload for (workload, _), own in found.items() if len(own) > 1}


def swept(archive: Archive, source: str) -> list[Run]:
    """The runs of a source at several batch sizes; none if no system ended well at two."""
    runs, several = sizes(archive, source, lambda run: run.status is Status.OK)
    if not several:
        return []
    workloads = list(dict.fromkeys(run.workload for run in runs))
    return sorted(
        runs,
        key=lambda run: (workloads.index(run.workload), run.global_batch_size or 0, run.run_id),
    )


def shared(run: Run, metric: Metric | None, runs: Sequence[Run], catalog: Catalog) -> Row:
    """The columns of each row of a sweep beside `tables.COMMON`."""
    return {
        **tables.common(run, metric, catalog),
        "status": tables.ended(run, metric),
        **tables.workload(run, catalog),
        "batch": tables.stated(run, "global_batch_size"),
        **tables.feed(run),
        "collapsed": "yes" if collapsed(run, runs) else None,
    }


def samples_ref(run: Run, catalog: Catalog) -> str:
    """The reference to an epoch's samples: as the source states, else of the data set."""
    stated = run.train_samples is not None or run.workload not in catalog.workloads
    return f"run:{run.run_id}:train_samples" if stated else f"workload:{run.workload}:train_samples"


def throughput_ref(run: Run, catalog: Catalog) -> str | None:
    """The reference to the throughput of a run that states only its median epoch time; None also if
    the samples of an epoch are unknown.
    """
    epoch = run.metric("median_epoch_s")
    if tables.throughput_metric(run) is not None or epoch is None or not epoch.value:
        return None
    if run.train_samples is None and run.workload not in catalog.workloads:
        return None
    return f"quotient({samples_ref(run, catalog)}, run:{run.run_id}:{epoch.key})"


def figures(facts: Facts, **refs: str) -> Row:
    """Figures by name, from their references; a missing figure has no reference."""
    found = {name: tables.cell(facts, ref, bound=True) for name, ref in refs.items()}
    return {
        name: replace(one, ref=None) if one.value is None else one for name, one in found.items()
    }


def sweep(evidence: Evidence, source: str) -> pd.DataFrame:
    """Speed by batch size of the runs that state their median epoch time.

    Columns beside those of `shared`: `samples` per epoch; `throughput`, samples over the median
    epoch; `epoch` and `total` in s; the mean `load` where sensors were read.
    """
    runs = [
        run for run in swept(evidence.archive, source) if run.metric("median_epoch_s") is not None
    ]
    rows = []
    for run in runs:
        name, samples = f"run:{run.run_id}", samples_ref(run, evidence.catalog)
        found = figures(
            evidence.facts,
            samples=samples,
            throughput=throughput_ref(run, evidence.catalog)
            or f"quotient({samples}, {name}:median_epoch_s)",
            epoch=f"{name}:median_epoch_s",
            total=f"{name}:train_time_s"
            if run.metric("train_time_s") is not None
            else f"{name}:wall_time_s",
            **({LOAD: f"{name}:mean_load"} if mean_load(run) is not None else {}),
        )
        rows.append({**shared(run, run.metric("median_epoch_s"), runs, evidence.catalog), **found})
    return tables.frame(rows)


# The highest throughput of each system in a workload


@dataclass(frozen=True, slots=True)
class Speed:
    """The highest throughput of a system; `ref` is the figure's."""

    value: float
    system: str
    run_id: str
    ref: str


Kind = tuple[Mode, DataKind | None, str]
"""Properties that throughputs must share to be compared: each source times with its own code."""


def fastest(
    runs: Iterable[Run], catalog: Catalog, facts: Facts
) -> Mapping[Kind, tuple[Speed, ...]]:
    """The highest throughput of each system in a workload, best first; no reduced suites."""
    best: dict[Kind, dict[str, Speed]] = defaultdict(dict)
    for run in runs:
        found = _speed(run, catalog, facts)
        if found is not None:
            among = best[run.mode, run.data, run.source]
            held = among.get(run.system)
            if held is None or held.value < found.value:
                among[run.system] = found
    return {
        kind: tuple(sorted(among.values(), key=lambda one: (-one.value, one.run_id)))
        for kind, among in best.items()
    }


def _speed(run: Run, catalog: Catalog, facts: Facts) -> Speed | None:
    if run.status is not Status.OK or setting(run, "suite_size") not in (None, "full"):
        return None
    metric = throughput_metric(run)
    ref = throughput_ref(run, catalog) if metric is None else f"run:{run.run_id}:{metric.key}"
    value = facts.get(ref).value if ref else None
    return Speed(value, run.system, run.run_id, ref) if ref and value else None
