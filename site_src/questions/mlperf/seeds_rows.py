"""How far the runs of one submission lie apart: a row a run, and a row a submission."""

from collections import Counter
from collections.abc import Sequence
from typing import Final

import pandas as pd

from kernels.analysis import variation
from kernels.analysis.variation import Measure
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run, Status
from site_src.tables import Row, common, figure, frame, series_label
from site_src.tables.recorded import seed
from site_src.tables.submissions import Submission

KINDS: Final = ("gpu", "tpu")
LABELS: Final = {"gpu": "GPU", "tpu": "TPU"}


def kind(run: Run, catalog: Catalog) -> str:
    """Whether a run was made on GPUs or on TPUs."""
    hardware = catalog.hardware.get(run.accelerator or "")
    system = catalog.systems.get(run.system)
    if hardware is None and system is not None:
        hardware = catalog.hardware.get(system.hardware)
    return "tpu" if hardware is not None and hardware.kind == "tpu" else "gpu"


def _base(one: Submission, run: Run, catalog: Catalog) -> Row:
    known = catalog.workloads.get(run.workload)
    series = kind(run, catalog)
    return {
        **common(run, None, catalog),
        "series": series,
        "label": LABELS[series],
        "status": run.status.value,
        "n": 1,
        "submission_name": series_label(run, catalog),
        "workload": run.workload,
        "workload_name": known.name if known else run.workload,
        "unit": variation.UNITS[one.progress] if one.progress else None,
    }


def ordered(found: Sequence[Submission]) -> list[Submission]:
    """Submissions of the workload that has the most of them first, in each the one with the widest
    spread of times.
    """
    counts = Counter(one.score.workload for one in found)
    return sorted(
        found,
        key=lambda one: (
            -counts[one.score.workload],
            one.score.workload,
            -one.range(Measure.TIME),
            one.id,
        ),
    )


def runs(found: Sequence[Submission], catalog: Catalog, facts: Facts) -> pd.DataFrame:
    """Each run over its submission's median: one row a run, also of those that did not reach the
    target.

    Columns beside `COMMON`: `time` in minutes and `progress` in epochs or samples (`unit`), None
    for a run that did not get there; `time_ratio` and `progress_ratio` over the median of the
    submission; `category`: the number of the submission; `head`: its first row.
    """
    rows: list[Row] = []
    for number, one in enumerate(ordered(found), 1):
        failed = [run for run in one.runs if run not in one.reached]
        for place, run in enumerate([*one.reached, *failed]):
            rows.append(
                {
                    **_base(one, run, catalog),
                    "category": str(number),
                    "head": 1 if place == 0 else None,
                    **_reading("time", one, run, Measure.TIME, facts),
                    **_reading("progress", one, run, one.progress, facts),
                    "seed": seed(run),
                }
            )
    return frame(rows)


def _reading(name: str, one: Submission, run: Run, measure: Measure | None, facts: Facts) -> Row:
    """What the run took and how many times its submission's median that is, with their
    references.
    """
    row: Row = dict.fromkeys((name, f"{name}_ref", f"{name}_ratio", f"{name}_ratio_ref"))
    if measure is None or variation.reading(run, measure) is None:
        return row
    ref = variation.reference(run, measure)
    ratio = f"ratio({ref}, {one.ref(f'{measure}_median')})"
    own = f"in_minutes({ref})" if measure is Measure.TIME else ref
    return {
        name: figure(facts, own),
        f"{name}_ref": own,
        f"{name}_ratio": figure(facts, ratio),
        f"{name}_ratio_ref": ratio,
    }


def benchmarks(found: Sequence[Submission], catalog: Catalog, facts: Facts) -> pd.DataFrame:
    """The slowest run over the fastest: one row a submission, workloads with the widest spread
    first.

    Columns beside `COMMON`: `time_range` and `progress_range`, ratios; `runs` and `reached`,
    counts; `category`: the workload.
    """
    widest = {one.score.workload: 1.0 for one in found}
    for one in found:
        widest[one.score.workload] = max(widest[one.score.workload], one.range(Measure.TIME))
    placed = sorted(
        found,
        key=lambda one: (
            -widest[one.score.workload],
            one.score.workload,
            -one.range(Measure.TIME),
            one.id,
        ),
    )
    rows: list[Row] = []
    for place, one in enumerate(placed):
        row = _base(one, one.first, catalog)
        for name, measure in (("time", Measure.TIME), ("progress", one.progress)):
            ref = one.ref(f"{measure}_range") if measure else None
            row |= {f"{name}_range": figure(facts, ref) if ref else None, f"{name}_range_ref": ref}
        rows.append(
            {
                **row,
                "status": Status.OK.value if one.reached else row["status"],
                "n": len(one.runs),
                "category": one.score.workload,
                "head": 1
                if place == 0 or placed[place - 1].score.workload != one.score.workload
                else None,
                "runs": one.score.runs,
                "runs_ref": one.ref("runs"),
                "reached": one.score.converged,
                "reached_ref": one.ref("converged"),
            }
        )
    return frame(rows)
