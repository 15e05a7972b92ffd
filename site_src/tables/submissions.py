"""Submissions to rounds of a benchmark: several runs of one benchmark on one machine, and their
common results.
"""

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from kernels.analysis import variation
from kernels.analysis.gathered import submission
from kernels.analysis.mlperf_scores import Outcome, Score
from kernels.analysis.variation import Measure
from kernels.catalog import Catalog
from kernels.reading import where
from kernels.records import Metric, Origin, Run, Status, Target
from site_src.evidence import Evidence
from site_src.tables.recorded import seed
from site_src.tables.stability import Stability, of_set


@dataclass(frozen=True, slots=True)
class Submission:
    """One benchmark on one system in one round: its score, its runs in order, the unit they count
    in (None if none reached the target), and their stability over seeds.
    """

    score: Score
    runs: tuple[Run, ...]
    progress: Measure | None
    stability: Stability | None

    @property
    def first(self) -> Run:
        """The run with the common properties: system, software, settings."""
        return self.runs[0]

    @property
    def id(self) -> str:
        """The first run's id, by which `Facts` finds the submission."""
        return self.runs[0].run_id

    @property
    def reached(self) -> list[Run]:
        """The runs that reached their target and have a time, fastest first."""
        good = [run for run in self.runs if variation.reading(run, Measure.TIME) is not None]
        return sorted(good, key=lambda run: (run.wall_time_s or 0.0, run.run_id))

    @property
    def unfinished(self) -> bool:
        """Returns True if one of its runs neither reached nor missed its target."""
        return any(run.status not in (Status.OK, Status.NOT_CONVERGED) for run in self.runs)

    @property
    def seeds(self) -> list[str]:
        """The different seeds that the logs state, in the order of the runs."""
        return list(dict.fromkeys(found for run in self.runs if (found := seed(run)) is not None))

    @property
    def targets(self) -> tuple[Target, ...]:
        """The targets of a run, one per quality."""
        return tuple(metric.target for metric in self.hits if metric.target is not None)

    @property
    def hits(self) -> tuple[Metric, ...]:
        """The first run's figures to its targets."""
        return variation.hits(self.first, self.progress or Measure.EPOCHS)

    def ref(self, name: str) -> str:
        """The reference of one of its figures: `minutes`, `runs`, `time_median`."""
        return f"score:{self.id}:{name}"

    def range(self, measure: Measure) -> float:
        """The ratio of the slowest to the fastest run; 1 without readings."""
        values = variation.readings(self.runs, measure)
        return values[-1] / values[0] if values else 1.0


MOST: Final = 48
"""Up to this number all submissions are shown; of more those that `submissions` chooses."""


OPEN: Final = "open"
"""The division with free choice of models and methods."""

ONE_MACHINE: Final = 8
"""Accelerators of the usual machine."""


def submissions(
    evidence: Evidence, *workloads: str, each_round: bool = False, each_submitter: bool = False
) -> list[Submission]:
    """The submissions in force, of these workloads or of all; of logs that were submitted again in
    a later round the first submission. Of more than `MOST` only the best of each benchmark and kind
    of accelerator on the fewest accelerators, in the newest round or in each; with `each_submitter`
    the best of each submitter on one machine.
    """
    found: list[Submission] = evidence.results.kept.get(
        ("submissions", workloads, each_round, each_submitter),
        lambda: _submissions(evidence, workloads, each_round, each_submitter),
    )
    return found


def _submissions(
    evidence: Evidence,
    workloads: Sequence[str],
    each_round: bool,
    each_submitter: bool,
) -> list[Submission]:
    asked: Sequence[str | None] = workloads or [None]
    runs = {
        run.run_id: run
        for workload in asked
        for run in where(evidence.archive.runs, workload=workload, origin=Origin.IMPORTED)
    }
    again = evidence.results.is_again
    found = [
        score for score in evidence.results.scores_of(*workloads) if not again(score.run_ids[0])
    ]
    if are_few(evidence):
        best: dict[tuple[str | None, ...], Score] = {}
        for score in sorted(found, key=_comparable):
            if each_submitter and (score.accelerators or math.inf) > ONE_MACHINE:
                continue
            place = (
                score.workload,
                family(runs[score.run_ids[0]], evidence.catalog),
                score.round if each_round else "",
                score.submitter if each_submitter else "",
            )
            best.setdefault(place, score)
        shown = {score.run_ids for score in best.values()}
        found = [score for score in found if score.run_ids in shown]
    return [_of(score, tuple(runs[run] for run in score.run_ids)) for score in found]


def comparable(evidence: Evidence, runs: Sequence[Run], *, each_round: bool = False) -> list[Run]:
    """These runs without those of submissions that `submissions` leaves out."""
    workloads = sorted({run.workload for run in runs if submission(run)})
    if not workloads or not are_few(evidence):
        return [run for run in runs if not evidence.results.is_again(run.run_id)]
    found = submissions(evidence, *workloads, each_round=each_round)
    shown = {run.run_id for one in found for run in one.runs}
    return [run for run in runs if submission(run) is None or run.run_id in shown]


MOST_RUNS: Final = 10
"""Runs drawn of a submission where there are many: 3D U-Net asks for forty."""


def spread(evidence: Evidence, runs: Sequence[Run]) -> list[Run]:
    """These runs; of large submissions, where there are many, `MOST_RUNS`, evenly from the fastest
    to the slowest.
    """
    if not are_few(evidence):
        return list(runs)
    groups: dict[object, list[Run]] = {}
    for run in runs:
        groups.setdefault(submission(run) or run.run_id, []).append(run)
    kept = {run.run_id for own in groups.values() for run in _evenly(own)}
    return [run for run in runs if run.run_id in kept]


def _evenly(runs: Sequence[Run]) -> Sequence[Run]:
    if len(runs) <= MOST_RUNS:
        return runs
    ordered = sorted(runs, key=lambda run: (run.wall_time_s or math.inf, run.run_id))
    step = (len(ordered) - 1) / (MOST_RUNS - 1)
    return [ordered[round(place * step)] for place in range(MOST_RUNS)]


def are_few(evidence: Evidence) -> bool:
    """Returns True if of the submissions of a benchmark `submissions` has only the best."""
    return evidence.results.more_scores_than(MOST)


def _comparable(score: Score) -> tuple[object, ...]:
    """The sort key of a score: scored, closed division, new, few accelerators, fast."""
    return (
        score.verdict is not Outcome.SCORED,
        score.division == OPEN,
        [-int(part) for part in re.findall(r"\d+", score.round or "")],
        score.accelerators or math.inf,
        score.score_minutes or math.inf,
        score.run_ids,
    )


def _of(score: Score, runs: tuple[Run, ...]) -> Submission:
    return Submission(score, runs, variation.progress(runs), of_set(runs))


def family(run: Run, catalog: Catalog) -> str | None:
    """The kind of a run's accelerator without its variant: `v100` of `v100-sxm2-16gb`."""
    if run.accelerator is None:
        return None
    kinds = [
        kind
        for kind in catalog.hardware
        if run.accelerator == kind or run.accelerator.startswith(f"{kind}-")
    ]
    return min(kinds, key=len, default=run.accelerator)


def by_workload(found: Iterable[Submission], catalog: Catalog) -> dict[str, list[Submission]]:
    """Submissions by workload, in the order of the workloads' names."""
    groups: dict[str, list[Submission]] = {}
    for one in found:
        groups.setdefault(one.score.workload, []).append(one)
    return dict(sorted(groups.items(), key=lambda pair: catalog.workload_name(pair[0]).casefold()))
