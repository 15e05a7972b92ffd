"""How much the epochs to a target depend on the seed: a label for each set of identically
configured runs (`each`), and for a workload that of the worst set (`stability`). The method page
has the rule. A submission is one set; other runs must share all settings but the seed.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import pairwise
from statistics import median
from typing import Final

from kernels.analysis import variation
from kernels.analysis.gathered import submission
from kernels.analysis.repetitions import OWN, by_seed, setups
from kernels.analysis.variation import Measure
from kernels.records import Metric, Run, Status

SEEDS: Final = 3
"""Runs that a set needs for a label."""

SPREAD: Final = 0.10
"""The largest spread of a stable set: slowest minus fastest, as a fraction of the median."""

RESOLUTION: Final = 1.0
"""Epochs between two evaluations, if a run does not state its own."""

_EXACT: Final = 1e-9
"""Tolerance: epochs are fractions in some logs, and 0.95 - 0.9 is a little more than 0.05."""


class Label(StrEnum):
    """Labels of a workload's stability over seeds, best first."""

    STABLE = "stable"
    COARSE = "coarse"
    UNSTABLE = "unstable"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Stability:
    """Stability of a workload over runs with several seeds.

    Attributes:
        label: `coarse` if the runs are one evaluation apart, `unknown` without such runs.
        runs: Those that reached the target, fastest first.
        low: Epochs, or samples (`measure`), of the fastest; `high` of the slowest.
        missed: Runs that did not reach it.
        sets: Number of sets considered; label and runs are those of the worst.
    """

    label: Label
    runs: tuple[Run, ...] = ()
    low: float = 0.0
    high: float = 0.0
    target: Metric | None = None
    measure: Measure = Measure.EPOCHS
    missed: int = 0
    sets: int = 0

    @property
    def spread(self) -> float:
        """The difference of slowest and fastest as a fraction of the median."""
        return (self.high - self.low) / median(variation.readings(self.runs, self.measure))


def stability(runs: Iterable[Run]) -> Stability:
    """The label of one workload: that of the worst set, by label, missed runs, spread, and ids."""
    found = each(runs)
    if not found:
        return Stability(Label.UNKNOWN)
    found.sort(key=lambda one: min(run.run_id for run in one.runs))
    worst = max(found, key=lambda one: (list(Label).index(one.label), one.missed, one.spread))
    return replace(worst, sets=len(found))


def each(runs: Iterable[Run]) -> list[Stability]:
    """The labels of all sets with enough runs; of our own runs of one seed the newest counts."""
    given = list(runs)
    groups: dict[object, list[Run]] = defaultdict(list)
    for run in given:
        if run.withdrawn is None and run.origin not in OWN:
            groups[submission(run) or _configuration(run)].append(run)
    own = [list(by_seed(setup.runs).values()) for setup in setups(given)]
    return [one for group in (*groups.values(), *own) if (one := of_set(group)) is not None]


def _configuration(run: Run) -> tuple[object, ...]:
    return (
        run.source,
        run.system,
        run.accelerators,
        run.nodes,
        run.framework,
        run.framework_version,
        run.implementation,
        run.precision,
        run.data,
        run.augmentation,
        run.global_batch_size,
        run.submitter,
        run.round,
        run.division,
        tuple(
            (each.name, each.value)
            for each in run.settings
            if each.name != "seed" and not _pointer(each.value)
        ),
    )


def _pointer(value: str) -> bool:
    """Returns True if a log gives a number under a name that differs in each run."""
    return value.startswith("DEFERRED:")


def of_set(group: Sequence[Run]) -> Stability | None:
    """The label of a set, at the targets that most name; None if the runs are too few."""
    if len({(run.seed, run.repeat_index) for run in group}) < len(group):
        return None  # two rows of the same run are not counted as two
    counted = (
        one
        for one in (Measure.EPOCHS, Measure.SAMPLES)
        if any(variation.reading(run, one) for run in group)
    )
    measure = next(counted, None)
    if measure is None:
        return None
    named = Counter(_targets(run, measure) for run in group if variation.hits(run, measure))
    wanted = max(sorted(named), key=lambda names: named[names])
    told = [
        run
        for run in group
        if _targets(run, measure) == wanted
        and (variation.reading(run, measure) or _missed(run, measure))
    ]
    values = {
        run.run_id: value for run in told if (value := variation.reading(run, measure)) is not None
    }
    reached = sorted(
        (run for run in told if run.run_id in values),
        key=lambda run: (values[run.run_id], run.run_id),
    )
    if len(told) < SEEDS or not reached:
        return None
    low, high = (values[run.run_id] for run in (reached[0], reached[-1]))
    missed = len(told) - len(reached)
    target = max(variation.hits(reached[-1], measure), key=lambda metric: metric.value or 0.0)
    step = max(_step(run, measure, values[run.run_id]) for run in reached)
    if missed or high - low > max(SPREAD * median(values.values()), step) + _EXACT:
        label = Label.UNSTABLE
    else:
        label = Label.STABLE if high - low <= SPREAD * median(values.values()) else Label.COARSE
    return Stability(label, tuple(reached), low, high, target, measure, missed, 1)


def _targets(run: Run, measure: Measure) -> tuple[str, ...]:
    return tuple(metric.key for metric in variation.hits(run, measure))


def _missed(run: Run, measure: Measure) -> bool:
    return any(metric.status is Status.NOT_CONVERGED for metric in variation.hits(run, measure))


def _step(run: Run, measure: Measure, reached: float) -> float:
    """The distance from the evaluation that found the target reached to the one before."""
    metrics = {
        metric.target.metric for metric in variation.hits(run, measure) if metric.target is not None
    }
    told = (
        reading.epoch if measure is Measure.EPOCHS else reading.samples
        for reading in run.evaluations
        if reading.metric in metrics
    )
    places = sorted({place for place in told if place is not None and place <= reached + _EXACT})
    default = RESOLUTION if measure is Measure.EPOCHS else 0.0
    return max((later - earlier for earlier, later in list(pairwise(places))[-1:]), default=default)
