"""How much the epochs that a training takes depend on its seed: a label for each workload, from runs that differ in nothing else."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from statistics import median
from typing import Final

from kernels.records import Run, Status

SEEDS: Final = 3
"""Runs that differ in their seed alone, from which a label is given: two tell little about a spread."""

SPREAD: Final = 0.10
"""Part of their median by which the epochs of the slowest and the fastest may differ in a stable training."""

RESOLUTION: Final = 1.0
"""Epochs that never count as a spread: quality is evaluated once an epoch."""


class Label(StrEnum):
    """What the seeds say of a workload."""

    STABLE = "stable"
    UNSTABLE = "unstable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Stability:
    """What runs with several seeds say of a workload.

    Attributes:
        label: `unknown` where no runs differ in their seed alone.
        runs: Those that the label rests on: of several groups the one with the widest spread; the fastest first.
        low: Epochs of the fastest.
        high: Epochs of the slowest that reached the target.
        target: Name of the figure, with its target: `epochs_to_target@0.749`.
        missed: Runs that did not reach it.
    """

    label: Label
    runs: tuple[Run, ...] = ()
    low: float = 0.0
    high: float = 0.0
    target: str = ""
    missed: int = 0

    @property
    def spread(self) -> float:
        """The difference of slowest and fastest as a part of the median."""
        return (self.high - self.low) / median(value for run in self.runs if (value := _epochs(run, self.target)) is not None)


def stability(runs: Iterable[Run]) -> Stability:
    """The label of one workload, from all its runs."""
    groups: dict[tuple[object, ...], list[Run]] = defaultdict(list)
    for run in runs:
        if run.withdrawn is None:
            groups[_alike(run)].append(run)
    found = [each for group in groups.values() if (each := _of(group)) is not None]
    if not found:
        return Stability(Label.UNKNOWN)
    return max(found, key=lambda each: (each.label is Label.UNSTABLE, each.missed, each.spread))


def _alike(run: Run) -> tuple[object, ...]:
    """All that two runs must share to differ in their seed alone."""
    return (
        run.source, run.system, run.accelerators, run.nodes, run.framework, run.framework_version, run.implementation, run.precision,
        run.data, run.augmentation, run.global_batch_size, run.submitter, run.round, run.division,
        tuple((setting.name, setting.value) for setting in run.settings if setting.name != "seed" and not _pointer(setting.value)),
    )  # fmt: skip


def _pointer(value: str) -> bool:
    """Whether a log gives a number elsewhere, under a name that is another in each run."""
    return value.startswith("DEFERRED:")


def _of(group: list[Run]) -> Stability | None:
    """The label of runs that differ in their seed alone, at the target that most of them name; None where they are too few."""
    if len({(run.seed, run.repeat_index) for run in group}) < len(group):
        return None  # not told apart: two rows of the same run
    names = [metric.key for run in group for metric in run.metrics if metric.key.startswith("epochs_to_target@")]
    if not names:
        return None
    name = max(sorted(set(names)), key=names.count)
    told = [run for run in group if (metric := run.metric(name)) and (metric.value is not None or metric.status is Status.NOT_CONVERGED)]
    reached = sorted((run for run in told if _epochs(run, name) is not None), key=lambda run: (_epochs(run, name) or 0.0, run.run_id))
    if len(told) < SEEDS or not reached:
        return None
    low, high = _epochs(reached[0], name) or 0.0, _epochs(reached[-1], name) or 0.0
    middle = median(_epochs(run, name) or 0.0 for run in reached)
    missed = len(told) - len(reached)
    steady = not missed and high - low <= max(SPREAD * middle, RESOLUTION)
    return Stability(Label.STABLE if steady else Label.UNSTABLE, tuple(reached), low, high, name, missed)


def _epochs(run: Run, name: str) -> float | None:
    metric = run.metric(name)
    return None if metric is None else metric.value
