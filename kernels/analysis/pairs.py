"""Comparison of two accelerators, systems or results: which of their submissions are compared, and
the resulting ratios.

A workload is compared if both trained it to the same targets by the rules of the closed division.
The two submissions that have most in common are chosen: first the same number of accelerators, then
the same round, near numbers, near rounds, the newest round, the fewest accelerators, and finally
the best scores. A ratio is claimed for equal numbers only, by `compare.judged`; the interval of a
score is from the fastest to the slowest run. Two systems, or two results, are compared as wholes,
whatever their numbers.

Accelerators without a common workload are compared by way of a third one (`Bridge`).
`site_src/assets/compare_pairs.js` does the same in the browser.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations, product
from typing import Final

from kernels.analysis import compare, variation
from kernels.analysis.compare import Answer, Comparison, Estimate
from kernels.analysis.mlperf_scores import SECONDS_A_MINUTE, Outcome, Score, order
from kernels.analysis.variation import Measure
from kernels.records import Interval, Run

OPEN: Final = "open"
"""The division in which models and methods are free."""

BETWEEN: Final = "-vs-"

Targets = tuple[tuple[str, float], ...]


class Basis(StrEnum):
    """Similarity of two results, besides workload and targets."""

    ROUND = "round"
    """The number of accelerators and the round: the best comparison."""
    NUMBER = "number"
    """The number of accelerators alone."""
    NEAREST = "nearest"
    """Neither the number nor perhaps the round: only systems have a ratio."""
    TARGET = "target"
    """Only the workload: the targets differ. No ratio."""


@dataclass(frozen=True, slots=True)
class Submission:
    """A scored submission with what a comparison needs of its runs.

    Attributes:
        low: Time to target of the fastest run in seconds, times the score's factor; `high` of the
            slowest.
        year: Year of training; None where no log states it.
    """

    accelerator: str
    score: Score
    targets: Targets
    framework: str | None
    year: int | None
    round: tuple[int, ...]
    low: float
    high: float

    @property
    def workload(self) -> str:
        """The workload that was trained."""
        return self.score.workload

    @property
    def run(self) -> str:
        """The run by which references name the submission."""
        return self.score.run_ids[0]

    @property
    def number(self) -> int:
        """Number of accelerators."""
        return self.score.accelerators or 0

    @property
    def minutes(self) -> float:
        """The score."""
        return self.score.score_minutes or 0.0

    def estimate(self) -> Estimate:
        """The time in seconds, with the interval of the runs."""
        seconds = self.minutes * SECONDS_A_MINUTE
        return Estimate(seconds, self.low, self.high, Interval.SEEDS, self.score.converged)


@dataclass(frozen=True, slots=True)
class Match:
    """A workload that A and B share, and the two submissions that are compared.

    Attributes:
        a: The submission of the accelerator or system whose id sorts first.
        told: The comparison of the times, B's over A's; None where it would mean nothing.
    """

    workload: str
    basis: Basis
    a: Submission
    b: Submission
    told: Comparison | None

    @property
    def separable(self) -> bool:
        """True if one is faster, or both are the same."""
        return self.told is not None and self.told.answer is not Answer.NOT_SEPARABLE


Pair = tuple[Match, ...]
"""All workloads that two accelerators or systems share, the best comparable first."""


def named(one: str, other: str) -> str:
    """Returns the name of a pair, the same in both orders."""
    return BETWEEN.join(sorted((one, other)))


def submissions(scores: Iterable[Score], runs: Mapping[str, Run]) -> Iterator[Submission]:
    """Yields scored submissions of the closed division, on a known number of known accelerators."""
    for score in scores:
        first = runs[score.run_ids[0]]
        if (
            score.verdict is not Outcome.SCORED
            or score.division == OPEN
            or first.accelerator is None
            or not score.accelerators
        ):
            continue
        times = variation.readings([runs[id_] for id_ in score.run_ids], Measure.TIME)
        yield Submission(
            accelerator=first.accelerator,
            score=score,
            targets=tuple(sorted((one.metric, one.value) for one in first.targets)),
            framework=first.framework,
            year=first.started_at.year if first.started_at else None,
            round=order(score.round or ""),
            low=times[0] * score.scaling_factor,
            high=times[-1] * score.scaling_factor,
        )


Grouped = Mapping[str, Mapping[str, Sequence[Submission]]]
"""Submissions by accelerator or system, then workload: the best by target, round and number."""


def accelerator(submission: Submission) -> str:
    """Groups by accelerator (see `grouped`)."""
    return submission.accelerator


def system(submission: Submission) -> str:
    """Groups by system (see `grouped`)."""
    return submission.score.system


def grouped(
    found: Iterable[Submission], whose: Callable[[Submission], str] = accelerator
) -> Grouped:
    """Groups the submissions that are compared by `whose`."""
    by: dict[str, dict[str, list[Submission]]] = defaultdict(lambda: defaultdict(list))
    for submission in found:
        by[whose(submission)][submission.workload].append(submission)
    return {id_: {name: _best(some) for name, some in own.items()} for id_, own in by.items()}


def pairs(best: Grouped) -> dict[str, Pair]:
    """Returns all pairs of accelerators that share a workload, by name."""
    return {
        named(a, b): pair(best, a, b)
        for a, b in combinations(sorted(best), 2)
        if best[a].keys() & best[b].keys()
    }


def pair(best: Grouped, a: str, b: str) -> Pair:
    """Returns the workloads that both have: the best comparable, newest and smallest first."""
    shared = sorted(best[a].keys() & best[b].keys())
    return tuple(sorted((match(best, a, b, workload) for workload in shared), key=_rank))


def _rank(match: Match) -> tuple[object, ...]:
    newest = [-part for part in max(match.a.round, match.b.round)]
    return [*Basis].index(match.basis), newest, match.a.number, match.workload


def _best(found: Iterable[Submission]) -> list[Submission]:
    """Returns the best score of each target, round and number of accelerators."""
    best: dict[object, Submission] = {}
    for submission in sorted(found, key=lambda one: (one.minutes, one.run)):
        best.setdefault((submission.targets, submission.round, submission.number), submission)
    return list(best.values())


def match(best: Grouped, a: str, b: str, workload: str) -> Match:
    """Returns the two submissions of a workload that have most in common."""
    one, other = min(product(best[a][workload], best[b][workload]), key=lambda each: _apart(*each))
    wholes = a != one.accelerator and b != other.accelerator
    told = None
    if one.targets != other.targets:
        basis = Basis.TARGET
    elif one.number != other.number:
        basis = Basis.NEAREST
    else:
        basis = Basis.ROUND if one.round == other.round else Basis.NUMBER
    if basis is not Basis.TARGET and (wholes or basis is not Basis.NEAREST):
        told = compare.judged("time_to_target_s", "s", other.estimate(), one.estimate())
    return Match(workload, basis, one, other, told)


def _apart(one: Submission, other: Submission) -> tuple[object, ...]:
    """Sort key: how far two submissions are from equal, the most important difference first."""
    return (
        one.targets != other.targets,
        one.number != other.number,
        one.round != other.round,
        abs(math.log(one.number / other.number)),
        [abs(x - y) for x, y in zip(one.round, other.round, strict=False)],
        [-part for part in max(one.round, other.round)],
        one.number,
        one.minutes + other.minutes,
        one.run,
        other.run,
    )


@dataclass(frozen=True, slots=True)
class Ratio:
    """Speed of one accelerator over that of another, with the extremes of the runs."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, fast: Submission, base: Submission) -> "Ratio":
        """Returns the ratio of two submissions."""
        return cls(base.minutes / fast.minutes, base.low / fast.high, base.high / fast.low)

    def times(self, other: "Ratio") -> "Ratio":
        """Multiplies two ratios; the ends are the extremes that both allow."""
        return Ratio(self.value * other.value, self.low * other.low, self.high * other.high)


def leading(found: Pair) -> Match:
    """Returns the best comparable match with the middle ratio. If its runs leave open which is
    faster, returns the nearest match with a clear answer, unless they exclude its ratio.
    """
    told = [one for one in found if one.basis is found[0].basis and one.told is not None]
    middle = compare.middle(told, _times) or found[0]
    if middle.separable or not told:
        return middle
    open_ = Ratio.of(middle.a, middle.b)
    agree = [one for one in told if one.separable and open_.low <= _times(one) <= open_.high]
    return min(agree, key=lambda one: abs(math.log(_times(one) / open_.value)), default=middle)


def _times(one: Match) -> float:
    return Ratio.of(one.a, one.b).value


@dataclass(frozen=True, slots=True)
class Bridge:
    """Two accelerators without a common workload, compared by way of a third.

    Attributes:
        first: The match of the first accelerator and the third; `second` that of the third and the
            second.
        ratio: Speed of the first over that of the second, if both ratios hold everywhere.
    """

    third: str
    first: Match
    second: Match
    ratio: Ratio


def bridge(best: Grouped, thirds: Iterable[str], a: str, b: str) -> Bridge | None:
    """Returns the bridge that compares best, of several the narrowest; None if none."""
    found = [one for third in thirds if (one := _over(best, third, a, b)) is not None]
    return min(found, key=_loose, default=None)


def _over(best: Grouped, third: str, a: str, b: str) -> Bridge | None:
    legs, ratio = [], Ratio(1.0, 1.0, 1.0)
    if third in (a, b):
        return None
    for one, other in ((a, third), (third, b)):
        match = leading(shared) if (shared := pair(best, *sorted((one, other)))) else None
        if match is None or not match.separable:
            return None
        legs.append(match)
        fast, base = (match.a, match.b) if one < other else (match.b, match.a)
        ratio = ratio.times(Ratio.of(fast, base))
    return Bridge(third, legs[0], legs[1], ratio)


def _loose(one: Bridge) -> tuple[object, ...]:
    bases = [*Basis].index(one.first.basis) + [*Basis].index(one.second.basis)
    return bases, one.ratio.high / one.ratio.low, one.third
