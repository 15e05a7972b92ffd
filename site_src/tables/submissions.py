"""Submissions to rounds of a benchmark: what was run several times on one machine, with what its
runs say together.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from kernels.analysis import variation
from kernels.analysis.mlperf_scores import Score, scores
from kernels.analysis.variation import Measure
from kernels.catalog import Catalog
from kernels.reading import where
from kernels.records import Metric, Mode, Origin, Run, Status, Target
from kernels.store import Archive
from site_src.tables.recorded import seed
from site_src.tables.stability import Stability, of_set


@dataclass(frozen=True, slots=True)
class Submission:
    """One benchmark on one system in one round.

    Attributes:
        score: What the rules of the round make of it.
        runs: All its runs, in their order.
        progress: Whether its runs count epochs or samples; None where no run reached the target.
        stability: What its seeds say; None for too few runs.
    """

    score: Score
    runs: tuple[Run, ...]
    progress: Measure | None
    stability: Stability | None

    @property
    def first(self) -> Run:
        """The run that stands for what all have: system, software, settings."""
        return self.runs[0]

    @property
    def id(self) -> str:
        """The first run's id, by which `Facts` finds the submission."""
        return self.runs[0].run_id

    @property
    def reached(self) -> list[Run]:
        """The runs that reached their target and have a time, the fastest first."""
        good = [run for run in self.runs if variation.reading(run, Measure.TIME) is not None]
        return sorted(good, key=lambda run: (run.wall_time_s or 0.0, run.run_id))

    @property
    def unfinished(self) -> bool:
        """Whether a run of it neither reached nor missed its target."""
        return any(run.status not in (Status.OK, Status.NOT_CONVERGED) for run in self.runs)

    @property
    def seeds(self) -> list[str]:
        """The different seeds that the logs tell, in the order of the runs."""
        return list(dict.fromkeys(found for run in self.runs if (found := seed(run)) is not None))

    @property
    def targets(self) -> tuple[Target, ...]:
        """What a run had to reach, one for each measure of quality."""
        return tuple(metric.target for metric in self.hits if metric.target is not None)

    @property
    def hits(self) -> tuple[Metric, ...]:
        """The first run's figures to its targets."""
        return variation.hits(self.first, self.progress or Measure.EPOCHS)

    def ref(self, name: str) -> str:
        """The reference of one of its figures: `minutes`, `runs`, `time_median`."""
        return f"score:{self.id}:{name}"

    def range(self, measure: Measure) -> float:
        """How many times the fastest run the slowest took; 1 where there is no reading."""
        values = variation.readings(self.runs, measure)
        return values[-1] / values[0] if values else 1.0


def submissions(archive: Archive) -> list[Submission]:
    """Every submission of the archive whose runs are in force, by source, division, system's folder
    and workload.
    """
    imported = where(archive.runs, origin=Origin.IMPORTED)
    runs = {run.run_id: run for run in imported if run.mode is Mode.TRAINING}
    return [
        _of(score, tuple(runs[run] for run in score.run_ids)) for score in scores(runs.values())
    ]


def _of(score: Score, runs: tuple[Run, ...]) -> Submission:
    return Submission(score, runs, variation.progress(runs), of_set(runs))


def family(run: Run, catalog: Catalog) -> str | None:
    """The kind of a run's accelerator whatever its variant: `v100` of `v100-sxm2-16gb`; None for an
    unknown one.
    """
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
