"""Two accelerators, or systems, in one source: its figures of both in a workload.

Results without a score are held against each other within a source alone, whose code and rules were
the same for both; all runs of this harness, whoever made them, are one. Compared are times to one
target, throughputs in one unit, or times of the source's own training, on the same kind of data and
by the same clock, the best of each; and, where an accelerator is compared and not a system, on
equal numbers that are stated. Such a ratio has no interval. In the browser
`site_src/assets/compare_pairs.js` does the same.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from kernels.analysis import compare
from kernels.analysis.repetitions import OWN
from kernels.analysis.stats import median
from kernels.records import Metric, Mode, Run

HARNESS: Final = "harness"
"""Stands for the source of all runs of this harness."""

TIME: Final = "time_to_target_s"
SPEED: Final = "throughput_"
TRAINED: Final = "train_time_s"
"""Of a source of its own: how long ours train is their setting."""

KINDS: Final = (TIME, SPEED, TRAINED)
"""Figures that are compared, the one that says most first."""

Terms = tuple[int, str, str, str]
"""What two figures must share: kind, name with target and unit, data and clock."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result without a score.

    Attributes:
        run: The first of the result's.
        metric: Its name, without the target.
        number: Of accelerators; 0 where the source does not say.
        target: What the time is to; None of other figures.
        value: Of several runs the median; None where the source has none.
    """

    run: str
    system: str
    accelerator: str | None
    workload: str
    source: str
    metric: str
    terms: Terms
    number: int
    value: float | None
    unit: str
    target: float | None = None

    @property
    def key(self) -> str:
        """The metric with its target, as references name it."""
        return self.terms[1].partition(" ")[0]

    @property
    def pace(self) -> float:
        """Less is faster: seconds, or seconds of a sample; infinite without a figure."""
        if not self.value:
            return float("inf")
        return 1 / self.value if self.is_rate else self.value

    @property
    def is_rate(self) -> bool:
        """Whether more is faster."""
        return self.metric.startswith(SPEED)


@dataclass(frozen=True, slots=True)
class Beside:
    """What a source has of two in a workload.

    Attributes:
        ratio: How many times as fast A is as B; None without figures on equal terms.
    """

    source: str
    workload: str
    a: Figure
    b: Figure
    ratio: float | None


def source_of(run: Run) -> str:
    """Whose code and rules a run is by."""
    return HARNESS if run.origin in OWN else run.source


def figures(results: Iterable[Sequence[Run]]) -> Iterator[Figure]:
    """The figures of trainings outside the rounds, by the runs of each result."""
    for given in results:
        runs = [run for run in given if run.withdrawn is None]
        if not runs or runs[0].round is not None or runs[0].mode is not Mode.TRAINING:
            continue
        first, source = runs[0], source_of(runs[0])
        for metric in {one.key: one for one in first.metrics if _comparable(first, one)}.values():
            every = (run.metric(metric.key) for run in runs)
            known = [one for one in every if one and one.value]
            firm = [one for one in known if not compare.loose(one)]  # as `Setup.metrics` has them
            values = [one.value or 0.0 for one in firm or known]
            yield Figure(
                first.run_id,
                first.system,
                first.accelerator,
                first.workload,
                source,
                metric.name,
                (
                    _kind(metric.name),
                    f"{metric.key} {metric.unit}",
                    str(first.data or ""),
                    str(first.clock_scope),
                ),
                first.accelerators or 0,
                median(values) if values else None,
                metric.unit,
                metric.target.value if metric.target else None,
            )


def _kind(name: str) -> int:
    return next((at for at, kind in enumerate(KINDS) if name.startswith(kind)), len(KINDS))


def _comparable(run: Run, metric: Metric) -> bool:
    own_length = metric.name == TRAINED and source_of(run) == HARNESS
    return compare.compared(run, metric) and _kind(metric.name) < len(KINDS) and not own_length


def compared_pairs(found: Iterable[Figure], *, wholes: bool = False) -> set[tuple[str, str]]:
    """The pairs of accelerators, or of systems as wholes, that some source gives a ratio of, in
    order of their ids.
    """
    alike: dict[object, set[str]] = {}
    for one in found:
        id_, number = (one.system, 0) if wholes else (one.accelerator, one.number)
        if id_ is not None and one.value and (wholes or number):
            alike.setdefault((one.source, one.workload, one.terms, number), set()).add(id_)
    return {pair for both in alike.values() for pair in combinations(sorted(both), 2)}


def beside(found: Iterable[Figure], a: str, b: str) -> list[Beside]:
    """What each source has of both, by its name and workload; ratios first."""
    both: dict[tuple[str, str], tuple[list[Figure], list[Figure]]] = {}
    wholes = True
    for one in found:
        for at, id_ in enumerate((a, b)):
            if id_ in (one.accelerator, one.system):
                both.setdefault((one.source, one.workload), ([], []))[at].append(one)
                wholes = wholes and id_ == one.system
    each = [
        _closest(source, workload, *own, wholes=wholes)
        for (source, workload), own in both.items()
        if all(own)
    ]
    return sorted(each, key=lambda one: (one.ratio is None, one.source, one.workload))


def leading(found: Sequence[Beside]) -> Beside | None:
    """The one with the middle ratio speaks for two; None without a ratio."""
    return compare.middle([one for one in found if one.ratio], lambda one: one.ratio or 1.0)


def _closest(
    source: str, workload: str, a: Sequence[Figure], b: Sequence[Figure], *, wholes: bool
) -> Beside:
    def terms(one: Figure) -> tuple[Terms, int]:
        return one.terms, 0 if wholes else one.number

    valued = [[one for one in own if one.value and (wholes or one.number)] for own in (a, b)]
    shared = set(map(terms, valued[0])) & set(map(terms, valued[1]))
    if not shared:
        return Beside(source, workload, _best(a), _best(b), None)
    least = min(shared)
    one, other = (_best([each for each in own if terms(each) == least]) for own in valued)
    return Beside(source, workload, one, other, other.pace / one.pace)


def _best(found: Sequence[Figure]) -> Figure:
    return min(found, key=lambda one: (not one.value, one.terms, one.pace, one.run))
