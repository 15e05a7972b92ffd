"""Comparison of two accelerators, or systems, by the figures that one source has of both.

Results without a score are compared only within a source, which used the same code and rules for
both; all runs of this harness, whoever made them, are one source. The best times to one target,
throughputs in one unit, or times of the source's own training are compared, on the same kind of
data and with the same timing scope; accelerators only in equal, stated numbers. Such a ratio has no
interval. `site_src/assets/compare_pairs.js` does the same in the browser.
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
"""Name for the source of all runs of this harness."""

TIME: Final = "time_to_target_s"
SPEED: Final = "throughput_"
TRAINED: Final = "train_time_s"
"""Compared only for other sources: the length of our own runs is a setting."""

KINDS: Final = (TIME, SPEED, TRAINED)
"""Metrics that are compared, the most meaningful first."""

Terms = tuple[int, str, str, str]
"""Key that two figures must share: kind, name with target and unit, data and timing scope."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a result without a score.

    Attributes:
        run: The result's first run.
        metric: Name without the target.
        number: Number of accelerators; 0 where not stated.
        target: Target of a time; None for other figures.
        value: Median over the runs; None where the source has no figure.
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
        """Seconds, or seconds per sample: less is faster; infinite without a figure."""
        if not self.value:
            return float("inf")
        return 1 / self.value if self.is_rate else self.value

    @property
    def is_rate(self) -> bool:
        """True if more is faster."""
        return self.metric.startswith(SPEED)


@dataclass(frozen=True, slots=True)
class Beside:
    """The figures of A and B from one source for a workload.

    Attributes:
        ratio: Speed of A over that of B; None without figures on equal terms.
    """

    source: str
    workload: str
    a: Figure
    b: Figure
    ratio: float | None


def source_of(run: Run) -> str:
    """Returns the source whose code and rules a run followed."""
    return HARNESS if run.origin in OWN else run.source


def figures(results: Iterable[Sequence[Run]]) -> Iterator[Figure]:
    """Yields the figures of results outside the rounds, from the runs of each result."""
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
    """Returns the pairs of accelerators, or of systems (`wholes`), that a source gives a ratio for,
    ids sorted.
    """
    comparable: dict[object, set[str]] = {}
    for one in found:
        id_, number = (one.system, 0) if wholes else (one.accelerator, one.number)
        if id_ is not None and one.value and (wholes or number):
            comparable.setdefault((one.source, one.workload, one.terms, number), set()).add(id_)
    return {pair for both in comparable.values() for pair in combinations(sorted(both), 2)}


def beside(found: Iterable[Figure], a: str, b: str) -> list[Beside]:
    """Returns what each source has of both, by source and workload; ratios first."""
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
    """Returns the entry with the middle ratio; None without a ratio."""
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
