"""What has been run on which accelerator, and which runs would make most pairs of accelerators
comparable.

Two accelerators can be compared where both reached one target in a workload, or were timed in it by
the same code: each source has code of its own, and all runs of this harness share one.
"""

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import combinations
from typing import Final

from kernels.analysis.repetitions import OWN
from kernels.records import Metric, Mode, Run, Status, Workload

TIME: Final = "time_to_target_s"
SPEED: Final = "throughput_"


class Mark(StrEnum):
    """What there is of a result: where its figures come from, or why it has none."""

    MEASURED = "measured"
    SUBMITTED = "submitted"
    IMPORTED = "imported"
    PUBLISHED = "published"
    OOM = "oom"
    FAILED = "failed"
    NOT_REPORTED = "not_reported"

    @property
    def word(self) -> str:
        """Key of the string that names it."""
        return (
            f"{'status' if self in (Mark.OOM, Mark.FAILED, Mark.NOT_REPORTED) else 'origin'}.{self}"
        )


SILENT: Final = {Status.NOT_REPORTED, Status.NOT_RUN, Status.NOT_SUPPORTED, Status.SKIPPED}
"""Statuses of runs of which nobody says how they ended."""


def mark(runs: Sequence[Run]) -> Mark:
    """What the runs of one result come to: one that ended well speaks for all."""
    found = {run.status for run in runs}
    if Status.OK in found:
        return Mark(runs[0].origin)
    if Status.OOM in found:
        return Mark.OOM
    return Mark.NOT_REPORTED if found <= SILENT else Mark.FAILED


@dataclass(frozen=True, slots=True)
class Covered:
    """A result on an accelerator, by its name in the catalogue where it has one."""

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
    """A quality that was reached in a workload."""

    workload: str
    metric: str
    value: float


@dataclass(frozen=True, slots=True)
class Code:
    """What timed the steps of a workload: the code of a source."""

    workload: str
    source: str


Ground = Target | Code
"""What two results must share to be compared."""

HARNESS: Final = "harness"
"""Stands for the source of all runs of this harness."""


def grounds(run: Run) -> Iterator[Ground]:
    """What results this run can be compared with."""
    if run.status is not Status.OK or run.mode is not Mode.TRAINING or run.withdrawn is not None:
        return
    for metric in filter(_has_figure, run.metrics):
        if metric.name == TIME and metric.target is not None:
            yield Target(run.workload, metric.target.metric, metric.target.value)
        elif metric.name.startswith(SPEED):
            yield Code(run.workload, HARNESS if run.origin in OWN else run.source)


def _has_figure(metric: Metric) -> bool:
    return metric.status is Status.OK and (metric.value is not None or metric.low is not None)


Shared = Mapping[str, Collection[Ground]]
"""What there is to compare of each accelerator."""


def shared(runs: Iterable[Run]) -> Shared:
    """Of the accelerators that runs name."""
    found: dict[str, set[Ground]] = defaultdict(set)
    for run in runs:
        if run.accelerator is not None:
            found[run.accelerator].update(grounds(run))
    return found


@dataclass(frozen=True, slots=True)
class Gap:
    """A missing result; `pairs` counts the accelerators that it would newly be comparable with."""

    accelerator: str
    target: Target
    pairs: int


def comparable(found: Shared) -> set[tuple[str, str]]:
    """Pairs of accelerators that can be compared, both in order of their ids."""
    return {
        (a, b) for a, b in combinations(sorted(found), 2) if not set(found[a]).isdisjoint(found[b])
    }


def next_of(
    found: Shared, accelerators: Iterable[str], workloads: Mapping[str, Workload], most: int
) -> list[Gap]:
    """The gaps that add most pairs, one after the other: each as if those before it were filled.

    The harness can run on the accelerators and has the workloads.
    """
    have = {id_: set(own) for id_, own in found.items()}
    targets = sorted(
        {
            one
            for own in found.values()
            for one in own
            if isinstance(one, Target)
            and one.workload in workloads
            and one.metric == workloads[one.workload].metric
        },
        key=lambda one: (one.workload, one.value),
    )
    others = list(accelerators)
    gaps: list[Gap] = []
    while len(gaps) < most and targets:
        every = [Gap(id_, target, _gain(have, id_, target)) for id_ in others for target in targets]
        best = max(every, key=lambda one: one.pairs, default=None)
        if best is None or not best.pairs:
            break
        gaps.append(best)
        others.remove(best.accelerator)
        have.setdefault(best.accelerator, set()).update(_reached(best.target))
    return gaps


def _reached(target: Target) -> set[Ground]:
    return {target, Code(target.workload, HARNESS)}


def _gain(have: Mapping[str, set[Ground]], accelerator: str, target: Target) -> int:
    own, new = have.get(accelerator, set()), _reached(target)
    return sum(
        own.isdisjoint(theirs) and not new.isdisjoint(theirs)
        for other, theirs in have.items()
        if other != accelerator
    )
