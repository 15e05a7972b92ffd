"""The same kind of accelerator in several rounds and software stacks: run times to the target and
per epoch.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

import pandas as pd

from kernels.analysis import variation
from kernels.analysis.variation import Measure
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run
from site_src.evidence import Evidence
from site_src.tables import Row, cell, common, frame, framework, slug, stated
from site_src.tables.printed import piece
from site_src.tables.submissions import Submission, family


@dataclass(frozen=True, slots=True)
class Comparison:
    """One benchmark on one kind of accelerator, in the order of the runs' dates.

    Attributes:
        kind: The accelerator without its variant, as in the catalogue: `v100`.
    """

    workload: str
    kind: str
    submissions: tuple[Submission, ...]

    @property
    def id(self) -> str:
        """The words for addresses."""
        return f"{self.workload}-{self.kind}"

    def name(self, catalog: Catalog) -> str:
        """Workload and accelerator, untranslated."""
        return f"{catalog.workload_name(self.workload)} · {piece(catalog, self.kind)}"

    @property
    def rounds(self) -> int:
        """The number of rounds."""
        return len({one.score.round for one in self.submissions})

    @property
    def pairs(self) -> list[tuple[Submission, Submission]]:
        """Each submitter's oldest and newest submission on as many accelerators."""
        groups: dict[object, list[Submission]] = {}
        for one in self.submissions:
            groups.setdefault((one.score.submitter, one.first.accelerators), []).append(one)
        return [(own[0], own[-1]) for own in groups.values() if len(own) > 1]


MOST: Final = 24
"""Up to this number all comparisons are shown; of more only those over `LEAST_ROUNDS` rounds."""

LEAST_ROUNDS: Final = 3


def comparisons(found: Sequence[Submission], catalog: Catalog) -> list[Comparison]:
    """Submissions on one kind of accelerator in different rounds or with different software, most
    submissions first; of more than `MOST` only those over several rounds. The time of an epoch must
    be known.
    """
    groups: dict[tuple[str, str], list[Submission]] = {}
    for one in found:
        kind = family(one.first, catalog)
        known = None not in (kind, one.first.accelerators, one.first.started_at)
        steady = one.progress is Measure.EPOCHS and any(map(variation.steady_epoch, one.reached))
        if known and steady:
            groups.setdefault((one.score.workload, str(kind)), []).append(one)
    made = [
        Comparison(
            workload, kind, tuple(sorted(own, key=lambda one: (str(one.first.started_at), one.id)))
        )
        for (workload, kind), own in groups.items()
        if len({(one.score.round, stack(one.first)) for one in own}) > 1
    ]
    if len(made) > MOST:
        made = [one for one in made if one.rounds >= LEAST_ROUNDS]
    return sorted(made, key=lambda one: (-len(one.submissions), one.workload, one.kind))


def stack(run: Run) -> str:
    """Framework with version, and container; "" if unknown."""
    named = framework(run)
    version = f" {run.framework_version}" if named and run.framework_version else ""
    return " · ".join(
        part for part in (f"{named}{version}" if named else None, run.container) if part
    )


def per_epoch(one: Submission) -> str:
    """The reference: s of an epoch between first and last evaluation, the median over the runs."""
    return one.ref("steady_median")


def plain_epoch(one: Submission) -> str:
    """The reference: s of an epoch without evaluation; missing if logs mark none."""
    return one.ref("plain_median")


def overhead(one: Submission) -> str:
    """The reference: s of a run beyond its epochs at steady time, the median over the runs."""
    return one.ref("overhead_median")


def effort(one: Submission) -> str:
    """The reference: minutes of an epoch times the number of accelerators."""
    return f"in_minutes(product({per_epoch(one)}, run:{one.id}:accelerators))"


def samples_rate(one: Submission, catalog: Catalog) -> str | None:
    """The reference: samples per second and accelerator in steady epochs."""
    known = catalog.workloads.get(one.score.workload)
    if known is None or known.train_samples is None:
        return None
    rate = f"quotient(workload:{known.workload}:train_samples, {per_epoch(one)})"
    return f"per_chip({rate}, run:{one.id}:accelerators)"


def days(one: Submission) -> tuple[date, date] | None:
    """The days on which the first and the last run started; None if no log says."""
    found = sorted(run.started_at.date() for run in one.runs if run.started_at is not None)
    return (found[0], found[-1]) if found else None


def software(found: Sequence[Comparison], evidence: Evidence) -> pd.DataFrame:
    """A row per submission, followed by a row per run that reached its target.

    Columns beside `COMMON`: `comparison`; `kind` is `submission` or `run`; `epoch` in seconds
    between the first and the last evaluation; `effort` the same in minutes times accelerators;
    `overhead` in seconds; `time` in minutes to the target, of a submission its score; `date` of a
    run, or first and last of a submission; `category`: the submission; `head`: 1 in the
    submission's own row.
    """
    rows: list[Row] = []
    for comparison in found:
        for one in comparison.submissions:
            base = _base(one, comparison, evidence.catalog)
            refs = {
                "effort": effort(one),
                "epoch": per_epoch(one),
                "overhead": overhead(one),
                "time": one.ref("minutes"),
                "epochs": one.ref("epochs_median"),
            }
            own: Row = {"run_id": None, "n": len(one.reached), "kind": "submission", "head": 1}
            figures = {name: cell(evidence.facts, ref) for name, ref in refs.items()}
            rows.append({**base, **own, **figures})
            rows += [{**base, **_of_run(run, evidence.facts)} for run in one.reached]
    return frame(rows)


def _of_run(run: Run, facts: Facts) -> Row:
    name = f"run:{run.run_id}"
    refs = {
        "effort": f"in_minutes(product({name}:steady_s, {name}:accelerators))",
        "epoch": f"{name}:steady_s",
        "overhead": f"{name}:overhead_s",
        "time": f"in_minutes({variation.reference(run, Measure.TIME)})",
        "epochs": variation.reference(run, Measure.EPOCHS),
    }
    return {
        "run_id": run.run_id,
        "locator": run.locator,
        "date": run.started_at.date().isoformat() if run.started_at else None,
        "n": 1,
        "kind": "run",
        "head": None,
        **{name: cell(facts, ref) for name, ref in refs.items()},
    }


def _base(one: Submission, comparison: Comparison, catalog: Catalog) -> Row:
    submitter = one.score.submitter or one.first.system
    return {
        **common(one.first, None, catalog),
        "series": slug(submitter),
        "label": submitter,
        "status": "ok",
        "comparison": comparison.id,
        "comparison_name": comparison.name(catalog),
        "category": one.id,
        "stack": stack(one.first) or None,
        "round": one.score.round,
        "date": " – ".join(dict.fromkeys(day.isoformat() for day in days(one) or ())) or None,
        "accelerators": stated(one.first, "accelerators"),
    }
