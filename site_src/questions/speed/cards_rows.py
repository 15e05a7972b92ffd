"""One card against several of the same accelerator: speed-up, efficiency, change of cost, and power
where a source reads it.
"""

from collections.abc import Iterable, Sequence
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Cell, Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.tables.batch import figures
from site_src.tables.collapsed import collapsed

TIMES: Final = ("train_time_s", "median_epoch_s")
_COUNTS: Final = {1: "one", 2: "two", 3: "three", 4: "four"}
_FIGURES: Final = (
    "speedup",
    "speedup_steady",
    "efficiency",
    "efficiency_steady",
    "cost_change",
    "power_one_low",
    "power_one_high",
    "power_all_low",
    "power_all_high",
)
_EMPTY: Final = {f"{name}{end}": None for name in _FIGURES for end in ("", "_ref", "_bound")}


def pairs(runs: Sequence[Run], catalog: Catalog) -> Iterable[tuple[Run, Run]]:
    """Runs on several cards, each with the run on one card of the same kind that differs in nothing
    else which a source states.

    Workload, accelerator, kind of server, framework, precision and batch size are the same.
    """
    alone = {_conditions(run, catalog): run for run in runs if run.accelerators == 1}
    for run in runs:
        one = alone.get(_conditions(run, catalog))
        if (run.accelerators or 0) > 1 and one is not None:
            yield one, run


def _conditions(run: Run, catalog: Catalog) -> tuple[object, ...]:
    system = catalog.systems.get(run.system)
    server = None if system is None else system.server_kind
    return (
        run.workload,
        run.accelerator,
        server,
        run.framework,
        run.precision,
        run.global_batch_size,
    )


def cards(archive: Archive, catalog: Catalog, facts: Facts, source: str) -> pd.DataFrame:
    """One row a run on several cards that has its partner on one; empty where no pair states a
    time.

    Columns beside `COMMON`, which are those of the run on several cards: `workload` with its name,
    `cards`, `batch`; `one_run`, the run on one card, with its label and status; `speedup` (of the
    whole training), `speedup_steady` (of the median epoch), and the `efficiency` of each, as
    fractions of a linear speed-up; `cost_change` as a fraction; the power of all cards in W, from
    low to high, with one at work (`power_one_...`) and with all (`power_all_...`); `par_...`: what
    equals one card; `linear_...`: what would be linear; `pace`: `slower`, `faster` or `alike`;
    `missing`: the run that has no figures, with its status.
    """
    runs = tables.runs_in_force(
        archive,
        lambda run: run.source == source and any(run.metric(name) is not None for name in TIMES),
    )
    workloads = list(dict.fromkeys(run.workload for run in runs))
    cells = {
        (cell.table, cell.row, cell.column): cell for cell in archive.cells if cell.source == source
    }
    rows = []
    for one, several in sorted(
        pairs(runs, catalog),
        key=lambda pair: (
            workloads.index(pair[1].workload),
            pair[1].global_batch_size or 0,
            pair[1].run_id,
        ),
    ):
        failed = next((run for run in (one, several) if run.status is not Status.OK), None)
        known = catalog.workloads.get(several.workload)
        compared = failed is None and not any(collapsed(run, runs) for run in (one, several))
        found = _compared(one, several, archive, catalog, facts) if compared else {}
        rows.append(
            {
                **tables.common(
                    several,
                    several.metric("train_time_s") or several.metric("median_epoch_s"),
                    catalog,
                ),
                "workload": several.workload,
                "workload_name": known.name if known is not None else several.workload,
                "cards": several.accelerators,
                "cards_ref": f"run:{several.run_id}:accelerators",
                "batch": several.global_batch_size,
                "batch_ref": f"run:{several.run_id}:global_batch_size",
                "one_run": one.run_id,
                "one_label": tables.series_label(one, catalog),
                "one_status": one.status.value,
                "missing": None if failed is None else tables.series_label(failed, catalog),
                "missing_status": None if failed is None else failed.status.value,
                **_EMPTY,
                **figures(facts, **found),
                **figures(facts, **_power(one, several, cells)),
                "par_speedup": 1.0,
                "par_efficiency": 1.0 / (several.accelerators or 1),
                "par_cost": 0.0,
                "linear_speedup": float(several.accelerators or 1),
                "linear_efficiency": 1.0,
                "nothing": None,
                "pace": _pace(facts.get(found["speedup"]).value if "speedup" in found else None),
            }
        )
    return tables.frame(rows)


def _pace(speedup: float | None) -> str | None:
    """What a speed-up says as it is read, with two decimals."""
    if speedup is None:
        return None
    shown = round(speedup, 2)
    return "slower" if shown < 1 else "faster" if shown > 1 else "alike"


def _compared(
    one: Run, several: Run, archive: Archive, catalog: Catalog, facts: Facts
) -> dict[str, str]:
    """References to what follows from two runs that both have times; costs where each has one
    offer, in one currency.
    """
    found = {}
    for name, end in zip(TIMES, ("", "_steady"), strict=True):
        times = [f"run:{run.run_id}:{name}" for run in (one, several)]
        if all(
            run.metric(name) is not None and not facts.get(ref).missing
            for run, ref in zip((one, several), times, strict=True)
        ):
            found[f"speedup{end}"] = f"ratio({', '.join(times)})"
            found[f"efficiency{end}"] = (
                f"efficiency({', '.join(times)}, run:{several.run_id}:accelerators)"
            )
    offers = [tables.offers(run, archive, catalog, several.source) for run in (one, several)]
    if "speedup" in found and all(len(each) == 1 and each[0].amount > 0 for each in offers):
        prices = [each[0] for each in offers]
        costs = [
            f"cost_of_time(run:{run.run_id}:train_time_s, price:{price.price_id}:per_hour)"
            for run, price in zip((one, several), prices, strict=True)
        ]
        if prices[0].currency == prices[1].currency:
            found["cost_change"] = f"difference(ratio({costs[1]}, {costs[0]}), number:1)"
    return found


def _power(one: Run, several: Run, cells: dict[tuple[str, str, str], Cell]) -> dict[str, str]:
    """References to the power of all cards, used or not, with one at work and with all; none where
    a source reads none for the workload.

    Readings stand in the table `monitoring`, in rows named by the runs' part of the id and the
    card, and are added up; what a source gives for all cards at once is in the table `power`.
    """
    found = {}
    for name, run in (("power_one", one), ("power_all", several)):
        part = run.run_id.removeprefix(f"{run.source}-").rpartition("-")[0]
        for end in ("low", "high"):
            read = [
                f"cell:{run.source}:monitoring:{row}:{column}"
                for table, row, column in cells
                if table == "monitoring" and column == f"power-{end}" and row.startswith(f"{part}-")
            ]
            whole = ("power", f"gpu-{_COUNTS.get(run.accelerators or 0)}", f"measured-{end}")
            if read:
                found[f"{name}_{end}"] = f"sum({', '.join(read)})" if len(read) > 1 else read[0]
            elif f"power_one_{end}" in found and whole in cells:
                found[f"{name}_{end}"] = f"cell:{run.source}:{':'.join(whole)}"
    return found
