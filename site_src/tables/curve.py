"""Training curves: quality by epoch, and time by step."""

import re
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import median
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Evaluation, Hardwares, Metric, Origin, Phase, Run, Target
from kernels.units import SECONDS_AN_HOUR
from site_src.evidence import Evidence
from site_src.tables import (
    Cell,
    Row,
    apart,
    cell,
    common,
    frame,
    framework,
    series_label,
    slug,
    stated,
)
from site_src.tables.recorded import setting, warned


def curve(catalog: Catalog, runs: Sequence[Run], metrics: Sequence[str]) -> pd.DataFrame:
    """The curves: one row per evaluation, reached target or final value, by epochs finished,
    samples seen and time passed.

    `kind` is `evaluation`, `target` (a printed number of epochs to a quality), `final`, or `rate`
    (the learning rate fell after that epoch; no quality). A published run without evaluations has
    points only. `run_series` numbers the runs, `last` is a run's last evaluation, `family` the kind
    of accelerator, `size` that of the suite, `doubted` is set if the run has warnings; `time_s`
    counts from the start of the run's clock, `train_time_s` leaves evaluations out.
    """
    rows: list[Row] = []
    for number, run in enumerate(runs):
        final = run.metric("final_accuracy")
        own: list[Row] = []
        for metric in metrics:
            own += [*_evaluated(run, metric), *_reached(run, metric)]
        own += [*_ended(run, final, metrics[0]), *_rates(run)]
        base = {
            **common(run, final, catalog),
            **_conditions(run, catalog),
            "run_series": str(number),
        }
        rows.extend({**base, **row, "locator": row.get("locator") or run.locator} for row in own)
    return frame(rows)


def _conditions(run: Run, catalog: Catalog) -> Row:
    kind = family(run, catalog)
    return {
        "status": "ok",
        "run_series": None,
        "batch": run.global_batch_size,
        "size": setting(run, "suite_size"),
        "doubted": warned([run]),
        "points_only": not run.evaluations,
        "family": kind,
        "family_id": slug(kind),
        **dict.fromkeys(_OF_POINTS),
    }


_OF_POINTS: Final = (
    "metric",
    "samples",
    "time_s",
    "train_time_s",
    "last",
)


def _evaluated(run: Run, metric: str) -> list[Row]:
    read = [e for e in run.evaluations if e.metric == metric]
    return [
        {
            "kind": "evaluation",
            "metric": metric,
            "epoch": Cell(e.epoch),
            "samples": e.samples,
            "time_s": e.time_s,
            "train_time_s": e.train_time_s,
            "quality": Cell(e.value, decimals=decimals(e, run)),
            "locator": e.locator,
            "last": e is read[-1],
        }
        for e in read
    ]


def _reached(run: Run, metric: str) -> list[Row]:
    """A point per printed number of epochs; none if a curve shows the crossing."""
    if run.evaluations and run.origin is not Origin.PUBLISHED:
        return []
    return [
        {
            "kind": "target",
            "metric": metric,
            "epoch": Cell(hit.value, f"run:{run.run_id}:{hit.key}"),
            "quality": Cell(target.value),
            "locator": hit.locator,
        }
        for hit, target in hits(run, metric)
        if hit.name == "epochs_to_target" and hit.value is not None
    ]


def _ended(run: Run, final: Metric | None, metric: str) -> list[Row]:
    if final is None or final.value is None or run.epochs_planned is None or run.evaluations:
        return []
    return [
        {
            "kind": "final",
            "metric": metric,
            "epoch": stated(run, "epochs_planned"),
            "quality": Cell(final.value, f"run:{run.run_id}:{final.key}"),
            "locator": final.locator,
        }
    ]


def _rates(run: Run) -> list[Row]:
    return [{"kind": "rate", "epoch": Cell(float(epoch))} for epoch in rate_changes(run)]


def family(run: Run, catalog: Catalog) -> str:
    """The kind of accelerator without its variant; else the name of the machine."""
    system = catalog.systems.get(run.system)
    hardware = catalog.hardware.get(
        run.accelerator or (system.hardware if system is not None else "") or ""
    )
    if hardware is None:
        return series_label(run, catalog).partition(" · ")[0]
    return (
        "TPU"
        if hardware.kind is Hardwares.TPU
        else _VARIANT.sub("", hardware.name.removeprefix(f"{hardware.vendor} "))
    )


_VARIANT: Final = re.compile(r" (SXM\d*|PCIe|\d+ GB|\().*")


def axis(runs: Sequence[Run], metrics: Sequence[str]) -> str:
    """The unit of all evaluations: `epoch`, or `samples` if no log counts epochs."""
    read = [e for run in runs for e in run.evaluations if e.metric in metrics]
    return (
        "samples"
        if read and all(e.epoch is None and e.samples is not None for e in read)
        else "epoch"
    )


def hits(run: Run, metric: str | None = None) -> Iterator[tuple[Metric, Target]]:
    """Yields a run's figures to its targets, with or without a value; of one quality if given."""
    for hit in run.metrics:
        if hit.name in TO_TARGET and hit.target and metric in (None, hit.target.metric):
            yield hit, hit.target


def targets(runs: Iterable[Run], metric: str, names: Container[str] = ()) -> list[Target]:
    """The qualities that any run was timed to, lowest first, by figures of these names."""
    found = {
        target.value: target
        for run in runs
        for hit, target in hits(run, metric)
        if hit.value is not None and (not names or hit.name in names)
    }
    return [found[value] for value in sorted(found)]


def named(run: Run, metric: str) -> list[Target]:
    """The targets that a run was to reach, reached or not, lowest first."""
    known = (*run.targets, *(target for _, target in hits(run, metric)))
    found = {target.value: target for target in known if target.metric == metric}
    return [found[value] for value in sorted(found)]


def median_ref(refs: Sequence[str]) -> str:
    """The reference to the median of figures, from their references in order."""
    half = len(refs) // 2
    return (
        refs[half] if len(refs) % 2 else f"quotient(sum({refs[half - 1]}, {refs[half]}), number:2)"
    )


IN_UNIT: Final[Mapping[str, str]] = {"s": "{}", "min": "in_minutes({})", "h": "in_hours({})"}
"""The formula that converts seconds into each unit."""

HOURS: Final = 3.0
MINUTES: Final = 5.0
"""Hours from which times are written in hours, and minutes from which in minutes."""

MINUTE: Final = 60.0

SIZES: Final[Mapping[str, tuple[float, int]]] = {
    "s": (1.0, 3),
    "min": (MINUTE, 5),
    "h": (SECONDS_AN_HOUR, 7),
}
"""Seconds of a unit of time, and its decimals down to the millisecond of the logs."""


def unit_of(longest: float) -> str:
    """The unit for times of which the longest is given in s."""
    return (
        "h" if longest > HOURS * SECONDS_AN_HOUR else "min" if longest > MINUTES * MINUTE else "s"
    )


TO_TARGET: Final = ("epochs_to_target", "samples_to_target", "time_to_target_s")


def digest(
    evidence: Evidence,
    runs: Sequence[Run],
    metrics: Sequence[str],
    names: Mapping[str, tuple[str, str]],
    *,
    along: str,
    unit: str,
) -> pd.DataFrame:
    """Curves as a table to read: one row per series, metric and target, with what its runs took to
    reach it.

    Columns beside `COMMON`: `metric`, `family`, `target`, `hits` of `n` runs; `reach_low`,
    `reach_mid`, `reach_high`: epochs (or samples, as `along` says) to the target, and `time_low`,
    `time_mid`, `time_high` likewise in `unit`: s, min or h. `names` has series and label of each
    run.
    """
    rows: list[Row] = []
    for metric in metrics:
        groups: dict[tuple[str, float], list[Run]] = {}
        for run in runs:
            for target in named(run, metric):
                groups.setdefault((names[run.run_id][0], target.value), []).append(run)
        for (series, value), own in groups.items():
            counted = f"{'epochs' if along == 'epoch' else along}_to_target@{value:g}"
            reach = spread(evidence.facts, own, counted)
            time = spread(evidence.facts, own, f"time_to_target_s@{value:g}", IN_UNIT[unit or "h"])
            rows.append(
                {
                    **_group(own, evidence.catalog),
                    "series": series,
                    "label": names[own[0].run_id][1],
                    "metric": metric,
                    "target": value,
                    **reach.columns("reach"),
                    **time.columns("time"),
                    "hits": max(time.runs, reach.runs),
                }
            )
    return frame(rows)


def _group(runs: Sequence[Run], catalog: Catalog) -> Row:
    run = runs[0]
    software = (framework(run), run.framework_version or run.container)
    return {
        **common(run, None, catalog),
        "status": "ok",
        "family": family(run, catalog),
        "batch": stated(run, "global_batch_size"),
        "page": f"sources/{run.source}/" if run.round else None,
        "submitter": run.submitter,
        "division": run.division,
        "software": " ".join(filter(None, software)) or None,
        "n": len(runs),
        "size": setting(run, "suite_size"),
        "doubted": warned(runs),
    }


@dataclass(frozen=True, slots=True)
class Spread:
    """The lowest, median and highest value of a metric over the `runs` that have it."""

    runs: int
    low: Cell
    mid: Cell
    high: Cell

    def columns(self, name: str) -> Row:
        """The three values as columns."""
        return {f"{name}_low": self.low, f"{name}_mid": self.mid, f"{name}_high": self.high}


def spread(facts: Facts, runs: Sequence[Run], key: str, formula: str = "{}") -> Spread:
    """The spread of a metric over runs, each figure put into a formula."""
    found = sorted(
        (float(metric.value), formula.format(f"run:{run.run_id}:{key}"))
        for run in runs
        if (metric := run.metric(key)) is not None and metric.value is not None
    )
    if not found:
        return Spread(0, Cell(), Cell(), Cell())
    refs = [ref for _, ref in found]
    ends = (refs[0], median_ref(refs), refs[-1])
    return Spread(len(found), *(cell(facts, ref) for ref in ends))


def decimals(reading: Evaluation, run: Run) -> int | None:
    """The decimals at which a miss of a target does not read as a hit; None if those of the column
    are enough.
    """
    plain = reading.metric in PLAIN
    if not plain and not 0 <= reading.value <= 1:
        return None
    least, scale = (PLAIN_DECIMALS, 1) if plain else (_CURVE_DECIMALS, 100)
    found = apart(reading.value, targets_of(run, reading.metric), least, scale=scale)
    return None if plain and reading.metric in LOWER and found == least else found


def targets_of(run: Run, metric: str) -> list[Target]:
    """The run's targets of a quality metric."""
    return [target for target in run.targets if target.metric == metric]


PLAIN: Final = frozenset({"auc", "loss", "log_perplexity", "fid", "clip"})
"""Metrics shown as recorded; others as percentages, and BLEU, a fraction, from 0 to 100."""

LOWER: Final = frozenset({"loss", "log_perplexity", "fid", "wer"})
"""Metrics of which lower is better."""

_CURVE_DECIMALS: Final = 2

PLAIN_DECIMALS: Final = 4
"""The fewest decimals of a reading shown as recorded."""


def rate_changes(run: Run) -> list[int]:
    """The epochs finished when the learning rate had dropped to half or less."""
    epochs = [epoch for epoch in run.epochs if epoch.learning_rate]
    base = run.epoch_index_base or 0
    return [
        later.index - base
        for earlier, later in pairwise(epochs)
        if later.learning_rate is not None
        and earlier.learning_rate is not None
        and later.learning_rate <= earlier.learning_rate / 2
    ]


def steps(catalog: Catalog, runs: Sequence[Run]) -> pd.DataFrame:
    """Step times in s, one row per step; for phases of many steps the extremes of each stretch."""
    return frame(
        {
            **common(run, run.metric("step_time_s"), catalog),
            "status": "ok",
            "n": 1,
            "run_series": run.run_id,
            "size": setting(run, "suite_size"),
            "doubted": warned([run]),
            "step": int(index),
            "phase": phase.value,
            "duration": duration,
        }
        for run in runs
        for phase in Phase
        for index, duration in thinned(
            [(step.index, step.duration_s) for step in run.steps if step.phase is phase], MOST_STEPS
        )
    )


MOST_STEPS: Final = 240
"""The most steps drawn of one phase of a run."""


def phases(catalog: Catalog, runs: Sequence[Run]) -> pd.DataFrame:
    """One row per run and phase with `steps`, and `low`, `mid` and `high` in s."""
    rows: list[Row] = []
    for run in runs:
        for phase in Phase:
            times = [step.duration_s for step in run.steps if step.phase is phase]
            if times:
                row: Row = {
                    **common(run, None, catalog),
                    "status": "ok",
                    "phase": phase.value,
                    "steps": len(times),
                }
                row["batch"] = stated(run, "global_batch_size")
                row["doubted"] = warned([run])
                rows.append(row | {"low": min(times), "mid": median(times), "high": max(times)})
    return frame(rows)


def thinned(points: Sequence[tuple[float, float]], most: int) -> list[tuple[float, float]]:
    """About `most` points: lowest and highest of each stretch, the first and the last."""
    if len(points) <= most:
        return list(points)
    stretch = -(-2 * len(points) // most)
    kept = {points[0], points[-1]}
    for start in range(0, len(points), stretch):
        part = points[start : start + stretch]
        kept |= {min(part, key=lambda point: point[1]), max(part, key=lambda point: point[1])}
    return sorted(kept)
