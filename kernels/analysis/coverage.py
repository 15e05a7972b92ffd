"""Coverage of accelerators by results, and the runs that would make most pairs comparable.

Two accelerators are comparable if their page has a ratio: of scores (`pairs`) or of figures from
one source (`sourced`). All runs of this harness count as one source, so they are compared with each
other and never with scores.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernels.analysis.sourced import HARNESS, Figure
from kernels.records import Origin, Run, Status


class Mark(StrEnum):
    """Origin of a result's figures, or why it has none."""

    MEASURED = "measured"
    SUBMITTED = "submitted"
    IMPORTED = "imported"
    PUBLISHED = "published"
    OOM = "oom"
    NOT_CONVERGED = "not_converged"
    DIVERGED = "diverged"
    TIMEOUT = "timeout"
    UNFINISHED = "unfinished"
    KILLED = "killed"
    FAILED = "failed"
    NOT_REPORTED = "not_reported"

    @property
    def word(self) -> str:
        """Key of the string that names the mark."""
        return f"{'origin' if self in [*Origin] else 'status'}.{self}"


SILENT: Final = {Status.NOT_REPORTED, Status.NOT_RUN, Status.NOT_SUPPORTED, Status.SKIPPED}
"""Statuses of runs that say nothing about how they ended."""


def mark(runs: Sequence[Run]) -> Mark:
    """Returns the mark of one result: that of a run that ended well, else the first in the order of
    `Mark`.
    """
    found = {run.status for run in runs}
    if Status.OK in found:
        return Mark(runs[0].origin)
    ended = {str(status) for status in found - SILENT}
    return next((one for one in Mark if str(one) in ended), Mark.NOT_REPORTED)


@dataclass(frozen=True, slots=True)
class Covered:
    """A result on an accelerator, by its name in the catalogue if listed; `own` is True for runs of
    this harness.
    """

    result: str
    mark: Mark
    accelerator: str
    workload: str
    system: str
    source: str
    round: str | None
    own: bool


@dataclass(frozen=True, slots=True)
class Target:
    """A quality that runs of this harness reached in a workload."""

    workload: str
    value: float


@dataclass(frozen=True, slots=True)
class Gap:
    """A missing run of this harness: an accelerator and a target; `pairs` counts the accelerators
    that it would newly be comparable with.
    """

    accelerator: str
    target: Target
    pairs: int


Reached = Mapping[Target, Mapping[str, float]]
"""The accelerators (one device) that reached each target, with their shortest time in seconds."""


def reached(found: Iterable[Figure]) -> Reached:
    """Returns the targets that runs of this harness reached on one accelerator."""
    have: dict[Target, dict[str, float]] = defaultdict(dict)
    for one in found:
        alone = one.accelerator if one.source == HARNESS and one.number == 1 else None
        if alone and one.value and one.target:
            own = have[Target(one.workload, one.target)]
            own[alone] = min(one.value, own.get(alone, one.value))
    return have


def next_of(
    compared: Collection[tuple[str, str]],
    found: Reached,
    accelerators: Iterable[str],
    workloads: Collection[str],
    most: int,
) -> list[Gap]:
    """Returns the gaps that add most pairs, one after another: each as if those before were filled.
    Ties go to the target that was reached soonest, then to the accelerator with fewest pairs.

    Args:
        compared: Pairs of accelerators that have a ratio, ids sorted.
        found: Targets reached in this harness.
        accelerators: Accelerators that it can run on.
        workloads: Workloads that it can run.
        most: Number of gaps wanted.
    """
    pairs = set(compared)
    have = {target: set(own) for target, own in found.items() if target.workload in workloads}
    targets = sorted(have, key=lambda one: (one.workload, one.value))
    others = list(accelerators)
    now = Counter(id_ for pair in pairs for id_ in pair)
    gaps: list[Gap] = []
    while len(gaps) < most and targets:
        every = [
            Gap(id_, target, len(_new(pairs, id_, have[target])))
            for id_ in others
            for target in targets
        ]
        best = min(
            every,
            key=lambda one: (-one.pairs, min(found[one.target].values()), now[one.accelerator]),
            default=None,
        )
        if best is None or not best.pairs:
            break
        gaps.append(best)
        others.remove(best.accelerator)
        pairs |= _new(pairs, best.accelerator, have[best.target])
        have[best.target].add(best.accelerator)
    return gaps


def _new(
    pairs: Collection[tuple[str, str]], accelerator: str, others: Iterable[str]
) -> set[tuple[str, str]]:
    """Returns the pairs of an accelerator with others that are not there yet."""
    made = {(min(accelerator, one), max(accelerator, one)) for one in others if one != accelerator}
    return made.difference(pairs)
