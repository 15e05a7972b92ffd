"""MLPerf scores of submissions, by the rules of their round.

The score of a benchmark on a system is the mean time from start to target, in minutes, without the
fastest and the slowest runs. A run that missed the target counts as one of the slowest that are
dropped, as does one whose submitter wanted so; if there are more of these than are dropped, or too
few runs, there is no score. The figures are computed from logs and not verified by MLCommons. The
rules and their sources are in `mlperf_rules.toml`.
"""

import math
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from fractions import Fraction
from pathlib import Path
from typing import Final

from kernels.analysis.gathered import folder, number
from kernels.records import Certainty, Origin, Run, Status
from kernels.units import exact


class Outcome(StrEnum):
    """Outcome of scoring a submission."""

    SCORED = "scored"
    INCOMPLETE = "incomplete"
    INVALID = "invalid"


@dataclass(frozen=True, slots=True)
class Rule:
    """The number of runs that a benchmark needs, from a round on.

    Attributes:
        since: First round; a later entry of the same benchmark replaces it.
        runs: Runs that are scored.
        dropped: Runs dropped at each end; as many may fail.
        first_converging: True if more runs are made and the first that converge are scored.
    """

    since: str
    runs: int
    dropped: int = 1
    first_converging: bool = False


_TABLES: Final = tomllib.loads(
    Path(__file__).with_name("mlperf_rules.toml").read_text(encoding="utf-8")
)

RULES: Final[Mapping[str, tuple[Rule, ...]]] = {
    workload: tuple(Rule(**rule) for rule in rules) for workload, rules in _TABLES["rules"].items()
}
"""Rules by workload."""

SOURCES: Final[Mapping[str, str]] = _TABLES["sources"]
"""Commit and day of each round's rules."""

SECONDS_A_MINUTE: Final = 60

START_MOVED: Final = "start-moved"
"""Caveat of a run whose submitter moved its start in the log, so that it is dropped as the slowest:
it reached the target, its time is unknown.
"""

UNVERIFIED: Final = (
    "computed here from submitted logs by the rules of the round; not verified by MLCommons"
)
"""Sentence that must accompany a score wherever it is shown."""


@dataclass(frozen=True, slots=True)
class Score:
    """One submission: a benchmark on a system in a round.

    Attributes:
        converged: Number of `runs` that reached the target.
        score_minutes: The mean times the scaling factor; None without a score, as `reason` says.
        scaling_factor: From the submission's `scaling.json`.
        wanted: Runs that the rules score; None if unknown.
        rule: Says if the round's own rules state that number.
        energy_j: Mean energy of the scored runs times the factor; None if one has none.
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
    mean_minutes: float | None = None
    wanted: int | None = None
    rule: Certainty | None = None
    energy_j: float | None = None


def rule_of(workload: str, round_: str | None) -> Rule | None:
    """Returns the rule of a benchmark in a round; without a round, the one shared by all rounds."""
    steps = RULES.get(workload, ())
    if round_ is None:
        return steps[0] if len({replace(step, since="") for step in steps}) == 1 else None
    return next((step for step in reversed(steps) if order(step.since) <= order(round_)), None)


def certainty_of(round_: str | None) -> Certainty:
    """Says if the round's own rules state the number of runs, or it is taken from other rounds."""
    return Certainty.STATED if round_ in SOURCES else Certainty.RECONSTRUCTED


def order(round_: str) -> tuple[int, ...]:
    """Returns a round as numbers, so that v10.0 sorts after v5.1."""
    return tuple(map(int, re.findall(r"\d+", round_)))


def scores(runs: Iterable[Run]) -> list[Score]:
    """Scores every imported submission that is not withdrawn."""
    groups: dict[tuple[str, ...], list[Run]] = defaultdict(list)
    for run in runs:
        if (
            run.origin is Origin.IMPORTED
            and run.source.startswith("mlperf-")
            and run.withdrawn is None
        ):
            # two submissions may use one system
            place = folder(run) or run.system
            groups[run.source, run.division or "", place, run.workload].append(run)
    return [_score(sorted(group, key=number)) for _, group in sorted(groups.items())]


def _score(runs: Sequence[Run]) -> Score:
    first = runs[0]
    rule = rule_of(first.workload, first.round)
    factor = _factor(first)
    kept, verdict, reason = _kept(runs, rule)
    if kept and factor is None:
        kept, verdict = (), Outcome.INCOMPLETE
        reason = "the submission's scaling factor cannot be read"
    times = exact(factor or 1.0)
    mean = _mean([run.wall_time_s or 0.0 for run in kept]) / SECONDS_A_MINUTE if kept else None
    joules = [value for run in kept if (value := run.value("energy_j")) is not None]
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
        converged=sum(_converged(run) or _moved(run) for run in runs),
        score_minutes=None if mean is None else float(mean * times),
        verdict=verdict,
        reason=reason,
        scaling_factor=float(times),
        mean_minutes=None if mean is None else float(mean),
        wanted=None if rule is None else rule.runs,
        rule=None if rule is None else certainty_of(first.round),
        energy_j=float(_mean(joules) * times) if joules and len(joules) == len(kept) else None,
    )


def _mean(values: Sequence[float]) -> Fraction:
    return Fraction(sum(map(exact, values)), len(values))


def _factor(run: Run) -> float | None:
    """Returns the factor that the rules multiply the mean by; None where it cannot be read."""
    said = run.setting("scaling_factor")
    try:
        factor = 1.0 if said is None else float(said)
    except ValueError:
        return None
    return factor if math.isfinite(factor) and factor > 0 else None


def _converged(run: Run) -> bool:
    return run.status is Status.OK and run.wall_time_s is not None and run.wall_time_s > 0


def _moved(run: Run) -> bool:
    return run.status is Status.OK and START_MOVED in run.caveats


def _unclear(run: Run) -> bool:
    """Returns True if it is unknown whether a run converged, and whether it is dropped."""
    if _moved(run):
        return False
    return run.status is Status.NOT_REPORTED or (run.status is Status.OK and not _converged(run))


def _kept(runs: Sequence[Run], rule: Rule | None) -> tuple[Sequence[Run], Outcome, str | None]:
    if rule is None:
        why = f"{len(runs)} runs; how many the rules want of this benchmark is not known here"
        return (), Outcome.INCOMPLETE, why
    chosen, reason = _chosen(runs, rule)
    if reason is None and (unclear := sum(map(_unclear, chosen))):
        reason = (
            f"{unclear} of {len(chosen)} runs do not tell whether or when they reached the target"
        )
    if reason is not None:
        return (), Outcome.INCOMPLETE, reason
    good = sorted(
        (run for run in chosen if _converged(run)), key=lambda run: run.wall_time_s or 0.0
    )
    failed = len(chosen) - len(good)
    if failed > rule.dropped:
        why = f"{failed} of {len(chosen)} runs did not reach the target; {rule.dropped} may fail"
        return (), Outcome.INVALID, why
    return good[rule.dropped : len(good) - (rule.dropped - failed)], Outcome.SCORED, None


def _chosen(runs: Sequence[Run], rule: Rule) -> tuple[Sequence[Run], str | None]:
    """Returns the runs that are scored, failed ones included, or why they cannot be chosen."""
    if rule.first_converging:
        good = [place for place, run in enumerate(runs) if _converged(run)]
        if len(good) < rule.runs:
            return (), f"{len(good)} of {rule.runs} converging runs"
        return [
            run for run in runs[: good[rule.runs - 1] + 1] if _converged(run) or _unclear(run)
        ], None
    if len(runs) < rule.runs:
        return (), f"{len(runs)} of {rule.runs} runs"
    if len(runs) > rule.runs:
        return (
            (),
            f"{len(runs)} runs where the rules score {rule.runs}: which ones count is not told",
        )
    return runs, None
