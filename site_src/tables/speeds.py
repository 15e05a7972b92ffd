"""The best throughput of each system in a workload."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import DataKind, Mode, Run, Status
from site_src.tables import throughput_metric
from site_src.tables.batch import throughput_ref
from site_src.tables.recorded import setting


@dataclass(frozen=True, slots=True)
class Speed:
    """The highest throughput of a system; `ref` is the figure's."""

    value: float
    system: str
    run_id: str
    ref: str


Kind = tuple[Mode, DataKind | None, str]
"""What throughputs must share to be compared: each source times with code of its own."""


def fastest(
    runs: Iterable[Run], catalog: Catalog, facts: Facts
) -> Mapping[Kind, tuple[Speed, ...]]:
    """The best of each system in a workload, highest first; none of a smaller suite."""
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
