"""Figures of one machine measured with this harness: throughput by batch size, and arithmetic
against a peak; a row per setup.
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Final

import pandas as pd

from kernels.analysis import compare
from kernels.analysis.load import mean_load
from kernels.analysis.repetitions import OWN, PREFIX, Setup, setups
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.catalog.peaks import stated
from kernels.reading import where
from kernels.records import DataKind, Metric, Run, Status
from kernels.store import Archive
from site_src import tables
from site_src.evidence import Evidence
from site_src.tables import Cell, Row
from site_src.tables.batch import LOAD
from site_src.tables.recorded import warned

FLOP: Final = "achieved_flop_per_s"
PEAK: Final = "micro-matmul"
"""The workload whose highest figure is the measured counterpart of a nominal peak."""

OPERATIONS: Final = "micro-"
"""Prefix of the ids of workloads that are single operations."""

_UNTOLD: Final = "unknown"
_OF_BATCH: Final = frozenset({"global_batch_size", "epochs_planned"})


def machines(archive: Archive) -> list[str]:
    """The ids of systems that this harness measured and that are not withdrawn, by name."""
    own = (run for origin in OWN for run in where(archive.runs, origin=origin))
    return sorted({run.system for run in own if run.withdrawn is None})


def own(archive: Archive, system: str) -> list[Setup]:
    """The setups measured on a system with this harness."""
    return setups(tables.runs_in_force(archive, system=system))


def name(found: Sequence[Setup], catalog: Catalog) -> str:
    """The name of the machine of these setups, from its newest run."""
    return tables.series_label(max(found, key=_day).run, catalog).partition(" · ")[0]


def speed(setup: Setup) -> Metric | None:
    """The throughput of the run that represents a setup; None if it has none."""
    metric = tables.throughput_metric(setup.run)
    return metric if metric is not None and metric.value is not None else None


def family(run: Run) -> str:
    """The format of the arithmetic, whether mixed or not: `bf16` of `amp_bf16`."""
    return run.precision.value.removeprefix("amp_")


def label(run: Run, *, framework: bool) -> str:
    """The name of a series of one machine: precision, and framework if several."""
    named = tables.FORMATS.get(run.precision.value, run.precision.value)
    return f"{named} · {tables.framework(run)}" if framework else named


def base(setup: Setup, metric: Metric | None, catalog: Catalog, *, framework: bool) -> Row:
    """The columns of each row of a machine: those of `tables.COMMON`, with precisions as series,
    and the `n` runs that have the figure.

    `size` is that of their suite; `doubted` is set if one of the runs has warnings.
    """
    run = setup.run
    row = tables.common(run, metric, catalog)
    return {
        **row,
        "series": "-".join(
            (family(run), *([tables.slug(run.framework or "")] if framework else []))
        ),
        "label": label(run, framework=framework),
        "status": run.status.value if run.status is not Status.OK else row["status"],
        "n": len(setup.metrics(metric.key)) if metric is not None else len(setup.runs),
        "workload_id": run.workload,
        "workload_name": catalog.workload_name(run.workload),
        "size": part(setup, "suite_size"),
        "doubted": warned(setup.runs),
    }


def part(setup: Setup, name: str) -> str | None:
    """A setting of a setup; None if it has none of that name."""
    return setup.parts.get(f"{PREFIX}{name}")


def several_frameworks(found: Iterable[Setup]) -> bool:
    """Returns True if series must name their framework to be told apart."""
    return len({setup.run.framework for setup in found}) > 1


def settings(setup: Setup) -> dict[str, str]:
    """The settings that a sweep over batch sizes keeps: not those that change with the batch."""
    shared = {
        name: value
        for name, value in setup.parts.items()
        if name not in _OF_BATCH and not name.startswith(PREFIX)
    }
    return {**shared, "size": part(setup, "suite_size") or ""}


def _fits(setup: Setup, wanted: Mapping[str, str]) -> bool:
    """Returns True if a failed setup agrees in all that it states."""
    return all(value in (wanted[name], _UNTOLD) for name, value in settings(setup).items())


def sweeps(found: Sequence[Setup]) -> list[list[Setup]]:
    """Returns, by workload, data, precision and framework, the setups with the settings run at the
    most batch sizes, the newest of several. A reduced suite counts only if no other has two sizes;
    a failed setup only if none at its size succeeded.
    """
    trained = [
        setup
        for setup in found
        if not setup.run.workload.startswith(OPERATIONS) and setup.run.global_batch_size is not None
    ]
    groups: dict[tuple[str, DataKind | None, str, str], list[Setup]] = {}
    for setup in trained:
        run = setup.run
        groups.setdefault((run.workload, run.data, family(run), run.framework or ""), []).append(
            setup
        )
    chosen = []
    for group in groups.values():
        timed: dict[tuple[tuple[str, str], ...], list[Setup]] = {}
        for setup in group:
            if speed(setup) is not None:
                timed.setdefault(tuple(sorted(settings(setup).items())), []).append(setup)
        if not timed:
            chosen.append(group)
            continue
        chosen_settings, best = max(timed.items(), key=lambda pair: _rank(pair[1]))
        at = {_batch(setup): setup for setup in sorted(best, key=_day)}
        for setup in group:
            if speed(setup) is None and _fits(setup, dict(chosen_settings)):
                at.setdefault(_batch(setup), setup)
        chosen.append(list(at.values()))
    return chosen


def _rank(found: Sequence[Setup]) -> tuple[bool, int, str]:
    sizes = len({_batch(setup) for setup in found})
    whole = part(found[0], "suite_size") in (None, "full")
    return whole and sizes > 1, sizes, max(map(_day, found))


def _batch(setup: Setup) -> int:
    return setup.run.global_batch_size or 0


def _day(setup: Setup) -> str:
    return str(setup.run.started_at or "")


def batches(found: Sequence[Setup], evidence: Evidence) -> pd.DataFrame:
    """Throughput by batch size with the settings of `sweeps`, failed setups included.

    Columns beside those of `base`: `workload`, which a reader chooses by, separate for real data;
    `batch`; `throughput` in `unit`, over all repetitions, with its interval if there is one; its
    `steps`; the mean `load` where it was read; `feed`.
    """
    swept = sweeps(found)
    named = several_frameworks(setup for sweep in swept for setup in sweep)
    synthetic = {
        setup.run.workload
        for sweep in swept
        for setup in sweep
        if setup.run.data in tables.SYNTHETIC
    }
    rows = []
    for setup in (setup for sweep in swept for setup in sweep):
        run, metric = setup.run, speed(setup)
        ref = setup.figure(metric.key) if metric is not None else None
        real = run.data is DataKind.REAL and run.workload in synthetic
        rows.append(
            {
                **base(setup, metric, evidence.catalog, framework=named),
                "workload": f"{run.workload}-real" if real else run.workload,
                "real": "yes" if real else None,
                **tables.feed(run),
                "batch": tables.stated(run, "global_batch_size"),
                "throughput": _ranged(ref, evidence.facts),
                "unit": metric.unit if metric is not None else None,
                "steps": steps(setup, metric.key) if metric is not None else None,
                LOAD: _load(setup, evidence.facts) if metric is not None else Cell(),
            }
        )
    most = Counter(row["workload"] for row in rows)

    def order(row: Row) -> tuple[object, ...]:
        real = row["real"] is not None
        return -most[row["workload"]], real, row["workload"], row["batch"].value, row["series"]

    return tables.frame(sorted(rows, key=order))


def _load(setup: Setup, facts: Facts) -> Cell:
    if all(mean_load(run) is None for run in setup.ended):
        return Cell()
    return tables.cell(facts, setup.figure("mean_load"))


def _ranged(ref: str | None, facts: Facts) -> Cell:
    if ref is None:
        return Cell(ends=(None, None))
    fact = facts.get(ref)
    return Cell(fact.value, ref, (fact.low, fact.high), decimals=digits(fact.value))


def steps(setup: Setup, name: str) -> int | None:
    """The steps that a figure is the median of, if it is not a figure over runs."""
    found = setup.metrics(name)
    if len(found) > 1 and compare.estimate(found).low is not None:
        return None
    return min((metric.n or 0 for metric in found), default=0) or None


def digits(value: float | None, *ends: float | None) -> int:
    """The decimals for three digits, one more if the ends would read the same."""
    if not value:
        return 0
    decimals = max(0, 2 - math.floor(math.log10(abs(value))))
    same = (
        len(set(ends)) > 1
        and len({None if end is None else f"{end:.{decimals}f}" for end in ends}) == 1
    )
    return decimals + same


def arithmetic(found: Sequence[Setup], evidence: Evidence) -> pd.DataFrame:
    """The operations per second of each workload in each precision, of the fastest setup, and as
    shares of two peaks.

    A figure without an interval is the fastest only if no other has one.

    Columns beside those of `base`: `flop` with its interval, and its `steps`; `of_measured`, over
    the fastest matrix product of this machine in the format, which is `peak`, of `peak_run`,
    computed by `peak_framework`; `of_nominal`, over the maker's figure, which is `nominal`, of
    `nominal_source`. Rows of operations come first.
    """
    counted = [setup for setup in found if setup.metrics(FLOP)]

    def reached(setup: Setup) -> tuple[bool, float]:
        fact = evidence.facts.get(setup.figure(FLOP))
        return fact.low is not None, fact.value or 0.0

    fastest: dict[tuple[str, str, str], Setup] = {}
    for setup in sorted(counted, key=reached):
        fastest[setup.run.workload, family(setup.run), setup.run.framework or ""] = setup
    peaks: dict[str, Setup] = {}
    for setup in sorted((one for one in counted if one.run.workload == PEAK), key=reached):
        peaks[family(setup.run)] = setup
    named = several_frameworks(fastest.values())
    rows = [
        {
            **base(setup, setup.metrics(FLOP)[0], evidence.catalog, framework=named),
            **_reached(setup, peaks.get(family(setup.run)), evidence),
        }
        for setup in fastest.values()
    ]
    rows.sort(key=lambda row: (row["operation"] is None, row["workload"], row["series"]))
    return tables.frame(rows)


def _reached(setup: Setup, peak: Setup | None, evidence: Evidence) -> Row:
    run, ref, spec = setup.run, setup.figure(FLOP), stated(setup.run, evidence.catalog)
    nominal = f"spec:{spec.hardware}:{spec.quantity}" if spec is not None else None
    if nominal and run.accelerators not in (None, 1):
        nominal = f"product({nominal}, run:{run.run_id}:accelerators)"
    measured = _ranged(peak.figure(FLOP) if peak else None, evidence.facts)
    return {
        "workload": run.workload,
        "operation": "yes" if run.workload.startswith(OPERATIONS) else None,
        "batch": run.global_batch_size,
        "flop": replace(_ranged(ref, evidence.facts), decimals=1),
        "steps": steps(setup, FLOP),
        "unit": "FLOP/s",
        "like": tables.figure(evidence.facts, ref),
        **_over("measured", ref, measured, evidence.facts),
        "peak_run": None if peak is None else peak.run.run_id,
        "peak_framework": None if peak is None else tables.framework(peak.run),
        **_over("nominal", ref, tables.cell(evidence.facts, nominal), evidence.facts),
        "nominal_source": None if spec is None else spec.source,
    }


def _over(name: str, ref: str, peak: Cell, facts: Facts) -> Row:
    share = tables.cell(facts, f"ratio({ref}, {peak.ref})" if peak.ref else None)
    return {f"of_{name}": share, f"{name}_peak": replace(peak, decimals=1)}
