"""MLPerf scores: of all runs of one submission, what the rules make of them.

The score of a benchmark on a system is the mean time from start to target, in minutes, without the fastest and the slowest runs.
A run that did not reach the target counts as one of the slowest that are dropped; where more fail than are dropped there is no
score. Too few runs have no score either, and the runs stay. The figures are computed from logs and not verified by MLCommons.
Rules: mlcommons/training_policies, section "Benchmark results"; for v0.5 those of 2018-12-18.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernels import stats
from kernels.records import Origin, Run, Status, locator_parts


class Outcome(StrEnum):
    """What became of a submission's runs."""

    SCORED = "scored"
    INCOMPLETE = "incomplete"
    INVALID = "invalid"


WANTED: Final[Mapping[str, int]] = {
    "bert-wikipedia": 10,
    "dlrm-criteo-1tb": 5,
    "dlrm-dcnv2-criteo-4tb": 10,
    "gnmt-wmt-en-de": 10,
    "gpt3-175b-c4": 3,
    "llama2-70b-lora-scrolls": 10,
    "llama3.1-405b-c4": 3,
    "mask-rcnn-coco": 5,
    "ncf-movielens-20m": 50,
    "resnet50-imagenet": 5,
    "retinanet-openimages": 5,
    "rgat-igbh": 10,
    "rnnt-librispeech": 10,
    "ssd-coco": 5,
    "stable-diffusion-laion": 10,
    "transformer-wmt-en-de": 10,
    "unet3d-kits19": 40,
}
"""Runs that the rules want, by workload; of NCF 100 are run and the first 50 that converge are taken."""

FIRST_CONVERGING: Final = frozenset({"ncf-movielens-20m"})

DROPPED: Final[Mapping[str, int]] = {"unet3d-kits19": 4}
"""Runs dropped at each end where it is not one."""

SECONDS_A_MINUTE: Final = 60.0


@dataclass(frozen=True, slots=True)
class Score:
    """One submission: a benchmark on a system in a round.

    Attributes:
        runs: Runs found.
        converged: Those that reached the target.
        score_minutes: None without a score; `reason` says why.
        scaling_factor: What the submission's `scaling.json` multiplies the mean by; it is in `score_minutes`.
    """

    source: str
    submitter: str | None
    round: str | None
    division: str | None
    system: str
    workload: str
    accelerators: int | None
    run_ids: tuple[str, ...]
    runs: int
    converged: int
    score_minutes: float | None
    verdict: Outcome
    reason: str | None
    scaling_factor: float = 1.0


def scores(runs: Iterable[Run]) -> list[Score]:
    """Score every imported submission, by source, system and workload; withdrawn runs do not count."""
    groups: dict[tuple[str, ...], list[Run]] = defaultdict(list)
    for run in runs:
        if run.origin is Origin.IMPORTED and run.source.startswith("mlperf-") and run.withdrawn is None:
            groups[run.source, run.division or "", _folder(run), run.workload].append(run)
    return [_score(sorted(group, key=lambda run: (run.repeat_index or 0, run.run_id))) for _, group in sorted(groups.items())]


def _folder(run: Run) -> str:
    """The folder of a run's log: two submissions may be of one system."""
    place = dict(locator_parts(run.locator)).get("file", run.system)
    return place.rpartition("/")[0] or run.system


def _score(runs: Sequence[Run]) -> Score:
    first = runs[0]
    good = [run for run in runs if run.status is Status.OK and run.wall_time_s is not None]
    factor = next((float(each.value) for each in first.settings if each.name == "scaling_factor"), 1.0)
    minutes, verdict, reason = _minutes(first.workload, runs, good)
    return Score(
        source=first.source,
        submitter=first.submitter,
        round=first.round,
        division=first.division,
        system=first.system,
        workload=first.workload,
        accelerators=first.accelerators,
        run_ids=tuple(run.run_id for run in runs),
        runs=len(runs),
        converged=len(good),
        score_minutes=None if minutes is None else minutes * factor,
        verdict=verdict,
        reason=reason,
        scaling_factor=factor,
    )


def _minutes(workload: str, runs: Sequence[Run], good: Sequence[Run]) -> tuple[float | None, Outcome, str | None]:
    """The trimmed mean, or why there is none."""
    wanted, drop = WANTED.get(workload), DROPPED.get(workload, 1)
    if wanted is None:
        return None, Outcome.INCOMPLETE, f"{len(runs)} runs; how many the rules want of this benchmark is not known here"
    if workload in FIRST_CONVERGING:
        if len(good) < wanted:
            return None, Outcome.INCOMPLETE, f"{len(good)} of {wanted} converging runs"
        runs = good = good[:wanted]
    if len(runs) < wanted:
        return None, Outcome.INCOMPLETE, f"{len(runs)} of {wanted} runs"
    if len(runs) > wanted:
        return None, Outcome.INCOMPLETE, f"{len(runs)} runs where the rules score {wanted}: which ones count is not told"
    failed = len(runs) - len(good)
    if failed > drop:
        return None, Outcome.INVALID, f"{failed} of {len(runs)} runs did not reach the target; {drop} may fail"
    times = sorted(run.wall_time_s for run in good if run.wall_time_s is not None)
    kept = times[drop : len(times) - (drop - failed)]
    return stats.mean(kept) / SECONDS_A_MINUTE, Outcome.SCORED, None
