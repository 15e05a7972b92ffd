"""Energy as power times time, on each basis of the power. A source's table `power` has a row per
system, named by its kind and number of accelerators (`gpu-two`), or its kind alone (`tpu`), with
`specified` (and `specified-status`), `measured-low` and `measured-high` (and `counted`, and
`read-while-training`: the only network that the reading holds for). If one accelerator is in use
and its row specifies no power, `gpu-each` is taken. The catalogue's figure is a basis of its own.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import pandas as pd

from kernels.catalog import Catalog
from kernels.records import Run, Status
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Row, printed
from site_src.tables.batch import shared

BASES: Final = ("specified", "measured")
CATALOGUE: Final = "catalogue"
OTHER: Final = "other-network"
"""Status of a power read while another network was trained."""

_NUMBERS: Final = {"one": 1, "two": 2, "three": 3, "four": 4, "eight": 8}


@dataclass(frozen=True, slots=True)
class Power:
    """The power of a system on one basis.

    Attributes:
        basis: One of `BASES`, or None if it belongs to every basis.
        status: A key of `power_status` in `strings/`.
        value: Reference of one figure in W; of a range `low` and `high`.
        workload: Name of the network that was trained while power was read.
        source: Who states it, if not the runs' own source.
    """

    basis: str | None
    status: str
    value: str | None = None
    low: str | None = None
    high: str | None = None
    workload: str | None = None
    source: str | None = None
    locator: str | None = None
    licence: str | None = None


def energies(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per run of the source and basis of its power, failed runs included; empty if the
    source states no power.

    Columns beside `COMMON`: `workload`, `workload_name`, `batch`, `basis` (None: for every basis),
    `power_status`, `power` or `power_low` and `power_high` in W, `time` in s, `energy` or
    `energy_low` and `energy_high` in Wh, `collapsed`.
    """
    runs = tables.runs_in_force(
        evidence.archive, source=source, keep=lambda run: run.global_batch_size is not None
    )
    known = powers(evidence, source, runs)
    credits_ = {one.source: one.credit for one in evidence.archive.sources}
    rows: list[Row] = []
    for run in runs:
        for given in known.get(run.system, ()):
            power = _held(given, evidence.catalog.workload_name(run.workload))
            row = _row(run, runs, power, evidence)
            if power.source is not None:
                # a row from two sources: the terms of both apply
                row["source"], row["locator"] = power.source, power.locator
                row["licence"] = f"{run.licence}; {power.licence}"
                row["credit"] = f"{run.credit}; {credits_.get(power.source, power.source)}"
            rows.append(row)
    workloads = list(dict.fromkeys(run.workload for run in runs))
    systems = list(dict.fromkeys(run.system for run in runs))
    rows.sort(
        key=lambda row: (
            workloads.index(row["workload"]),
            -row["batch"].value,
            systems.index(row["system"]),
        )
    )
    return tables.frame(rows)


def powers(evidence: Evidence, source: str, runs: Sequence[Run]) -> Mapping[str, list[Power]]:
    """The known power of each system of the runs."""
    cells = printed.cells(evidence.archive, source, "power")
    found: dict[str, list[Power]] = {}
    for run in runs:
        if run.system in found or run.accelerator not in evidence.catalog.hardware:
            continue
        kind = evidence.catalog.hardware[str(run.accelerator)].kind.value
        row = next((row for row, _ in cells if _names(row, kind, run.accelerators)), None)
        each = f"{kind}-each"
        if row is None:
            continue

        def ref(column: str, row: str = row) -> str | None:
            cell = cells.get((row, column))
            return printed.ref(cell) if cell is not None and cell.value is not None else None

        def word(column: str, usual: str, row: str = row) -> str:
            cell = cells.get((row, column))
            return cell.text if cell is not None and cell.text else usual

        alone = run.accelerators == 1 and ref("specified") is None and ref("specified", each)
        stated = each if alone else row
        low, high = ref("measured-low"), ref("measured-high")
        counted = word("counted", "measured") if low else "not-measured"
        network = word("read-while-training", "") or None
        said = word("specified-status", "specified", stated)
        found[run.system] = [
            Power("specified", said, value=ref("specified", stated)),
            Power("measured", counted, low=low, high=high, workload=network),
            *_catalogued(evidence.catalog, run, source),
        ]
    return found


def _held(power: Power, network: str) -> Power:
    """The power without figures if it was read while another network was trained."""
    if power.low is None or power.workload in (None, network):
        return power
    return Power(power.basis, OTHER)


def _names(row: str, kind: str, accelerators: int | None) -> bool:
    name, _, number = row.partition("-")
    return name == kind and (not number or _NUMBERS.get(number) == accelerators)


def _catalogued(catalog: Catalog, run: Run, source: str) -> Iterator[Power]:
    spec = catalog.spec(str(run.accelerator), "power")
    if spec is not None and spec.value is not None and spec.source != source:
        ref = f"product(run:{run.run_id}:accelerators, spec:{run.accelerator}:power@{spec.source})"
        origin = {"source": spec.source, "locator": spec.locator, "licence": spec.licence}
        yield Power(None, CATALOGUE, value=ref, **origin)


def _row(run: Run, runs: Sequence[Run], power: Power, evidence: Evidence) -> Row:
    metric = run.metric("train_time_s")
    timed = run.status is Status.OK and metric is not None and metric.value is not None
    time = f"run:{run.run_id}:train_time_s" if timed else None
    inputs = {"": power.value, "_low": power.low, "_high": power.high}
    row: Row = {
        **shared(run, metric, runs, evidence.catalog),
        "basis": power.basis,
        "power_status": power.status,
        "time": tables.cell(evidence.facts, time),
    }
    for end, ref in inputs.items():
        product = f"energy({ref}, {time})" if ref and timed else None
        row[f"power{end}"] = tables.cell(evidence.facts, ref, bound=True)
        row[f"energy{end}"] = tables.cell(evidence.facts, product, bound=True)
    stated = power.value or power.low
    known = "ok" if stated and timed else "not_reported"
    row["status"] = known if run.status is Status.OK else run.status.value
    return row
