"""Is one run, or one group of runs, faster than another? An answer only where the measurements allow one.

The rule is nvbench's: a difference is claimed where the intervals of both sides lie apart. A single run has the interval of its
median step; from `stats.LEAST_RUNS` runs on a group has one over its runs; below that all that its runs' own intervals and figures
hold stands in for one, and there is none where a median of steps has none. Two sides are the same where even the ends of their
intervals differ by no more than `SAME`. The interval of one run says nothing of how the next would drift: two single runs are told
apart only where they differ by more than `REPEAT`. Else nobody can tell.
"""

import fnmatch
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernels import huge_pages, stats
from kernels.errors import RecordError
from kernels.records import Interval, Metric, Run, Stat, Status

SAME: Final = 0.02
"""Share by which two sides may differ and still count as the same: what a reader would not act on, not how well runs repeat."""

REPEAT: Final = 0.12
"""Share by which the faster of two single runs of one setup may exceed the slower for no reason.

On the machine `cpu-amd-epyc-2c` throughputs of `cnn10` that are alike and without a doubt lie 4.0 to 11.5 % apart in PyTorch. It is no
bound: two in JAX lie 19 % apart, three of `resnet50` at batch 8 that were made hours apart 25 %, and runs with a doubt up to 27 %.
"""

ALIKE: Final = ("workload", "global_batch_size", "precision", "data")
"""What two sides must have in common for a comparison of their speeds to mean something."""

DIFFERENCES: Final = ("system", "backend", "framework_version", "processes", "mode", "augmentation")
SETTINGS: Final = ("allocator", "compile_mode", "memory_format", "deterministic", "threads", "cpu_affinity", "cuda", "driver", "cpu_model")
"""What else is said where it differs, of the run and of its environment: it is what a difference may come from."""


UNKNOWN: Final = "unknown"


class Answer(StrEnum):
    """What can be said of A, seen from B."""

    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    HIGHER = "higher"
    LOWER = "lower"
    NOT_SEPARABLE = "not_separable"


@dataclass(frozen=True, slots=True)
class Side:
    """One side of a comparison.

    Attributes:
        value: Of a run its figure, of a group the median of its runs.
        low: Lower end of the interval, of few runs the least of their intervals and figures; None where there is none.
        interval: What `low` and `high` are; None without them.
        n: Runs.
    """

    value: float
    low: float | None
    high: float | None
    interval: Interval | None
    n: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of both sides.

    Attributes:
        ratio: A over B, None where B is 0; `ratio_low` and `ratio_high` are the furthest that the intervals allow.
        reason: Why nothing can be said, where that is so.
    """

    metric: str
    unit: str
    answer: Answer
    a: Side
    b: Side
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    reason: str | None = None


def choose(runs: Sequence[Run], words: str) -> tuple[Run, ...]:
    """The runs that a word of the command line names: an id, several with commas between, or a pattern with `*`.

    Raises:
        RecordError: An id or pattern names none.
    """
    found: dict[str, Run] = {}
    for word in words.split(","):
        some = [run for run in runs if fnmatch.fnmatchcase(run.run_id, word)]
        if not some:
            raise RecordError(f"{word}: no run has this id; `show` lists all, and * stands for any letters")
        found |= {run.run_id: run for run in some if run.withdrawn is None}
    if not found:
        raise RecordError(f"{words}: withdrawn, and so nothing to compare with")
    return tuple(found.values())


def unlike(a: Sequence[Run], b: Sequence[Run]) -> tuple[str, ...]:
    """What makes the sides, or the runs of one of them, no fair comparison: one sentence each."""
    return tuple(_differing(ALIKE, [{name: text(getattr(run, name)) for name in ALIKE} for run in (*a, *b)]))


def differences(a: Sequence[Run], b: Sequence[Run]) -> tuple[str, ...]:
    """What else differs, one sentence each: what a difference in speed may come from."""
    rows = [
        {name: text(getattr(run, name)) for name in DIFFERENCES}
        | {name: text(getattr(run.environment, name, None)) for name in SETTINGS}
        | {huge_pages.NAME: pages(run)}
        for run in (*a, *b)
    ]
    return tuple(_differing((*DIFFERENCES, *SETTINGS, huge_pages.NAME), rows))


def pages(run: Run) -> str:
    """What the run was asked to do about huge pages; one that does not say was asked for nothing."""
    extra = () if run.environment is None else run.environment.extra
    return next((each.value for each in extra if each.name == huge_pages.NAME), huge_pages.SYSTEM)


def text(value: object) -> str:
    """A part of a run by which it is compared, `UNKNOWN` where the run does not tell it."""
    return UNKNOWN if value is None else str(value)


def _differing(names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    for name in names:
        values = list(dict.fromkeys(row[name] for row in rows))
        if len(values) > 1:
            yield f"{name}: {' against '.join(values)}"


def compare(a: Sequence[Run], b: Sequence[Run]) -> tuple[Comparison, ...]:
    """Both sides in each metric that all their runs have: speed first, then the quality that was reached.

    Raises:
        RecordError: A run on both sides, or no metric in common.
    """
    if both := {run.run_id for run in a} & {run.run_id for run in b}:
        raise RecordError(f"{', '.join(sorted(both))}: on both sides; give each run to one of them")
    found = []
    for name, first in {metric.key: metric for metric in a[0].metrics if _compared(metric)}.items():
        sides = [[run.metric(name) for run in runs] for runs in (a, b)]
        given = [[each for each in side if each is not None and each.value is not None] for side in sides]
        if all(len(have) == len(want) for have, want in zip(given, sides, strict=True)):
            found.append(judged(name, first.unit, *map(side, given)))
    if not found:
        ended = sorted({f"{run.run_id} is {run.status}" for run in (*a, *b) if run.status is not Status.OK})
        why = f": {'; '.join(ended)}" if ended else ": the two sides measured different things"
        raise RecordError(f"no figure that all of these runs have{why}")
    return tuple(found)


def _compared(metric: Metric) -> bool:
    return (
        metric.name.startswith(("throughput_", "final_"))
        or metric.name in {"compile_time_s", "median_epoch_s", "time_to_target_s", "train_time_s", "energy_j"}
    ) and metric.value is not None


def side(metrics: Sequence[Metric]) -> Side:
    """One figure of one run or of several, with the interval that there is."""
    values = [metric.value for metric in metrics if metric.value is not None]
    if len(values) == 1:
        (only,) = metrics
        return Side(values[0], only.low, only.high, only.interval, 1)
    middle = stats.median(values)
    if len(values) < stats.LEAST_RUNS:
        if any(map(loose, metrics)):
            return Side(middle, None, None, None, len(values))
        ends = [end for metric in metrics for end in (metric.low, metric.high) if end is not None]
        return Side(middle, min(*values, *ends), max(*values, *ends), Interval.SEEDS, len(values))
    low, high = stats.bootstrap_interval(values, block=1, least=stats.LEAST_RUNS)
    return Side(middle, low, high, Interval.CI95, len(values))


def loose(metric: Metric) -> bool:
    """Whether a figure is a median of too few steps for an interval: it may lie anywhere."""
    return metric.stat is Stat.MEDIAN and metric.low is None


def judged(name: str, unit: str, a: Side, b: Side) -> Comparison:
    """What can be said of a figure of A, seen from B."""
    if a.low is None or a.high is None or b.low is None or b.high is None or b.value == 0 or min(b.low, b.high) <= 0:
        ratio = a.value / b.value if b.value else None
        reason = "a side without an interval: time more steps, or make more runs"
        return Comparison(name, unit, Answer.NOT_SEPARABLE, a, b, ratio, None, None, reason)
    low, high = a.low / b.high, a.high / b.low
    # In a rate more is faster, in a time less; of a quality and of energy, only which is higher is said.
    more, less = Answer.HIGHER, Answer.LOWER
    if name.startswith("throughput_"):
        more, less = Answer.FASTER, Answer.SLOWER
    elif unit == "s":
        more, less = Answer.SLOWER, Answer.FASTER
    if low >= 1 / (1 + SAME) and high <= 1 + SAME:
        answer = Answer.SAME
    elif a.n == b.n == 1 and 1 / (1 + REPEAT) <= a.value / b.value <= 1 + REPEAT:
        reason = f"one run a side, and single runs alike differ by as much as {REPEAT:.0%}: make more runs"
        return Comparison(name, unit, Answer.NOT_SEPARABLE, a, b, a.value / b.value, low, high, reason)
    elif a.low > b.high:
        answer = more
    elif a.high < b.low:
        answer = less
    else:
        reason = "the intervals overlap: measure longer, or make more runs"
        return Comparison(name, unit, Answer.NOT_SEPARABLE, a, b, a.value / b.value, low, high, reason)
    return Comparison(name, unit, answer, a, b, a.value / b.value, low, high)


def scaling(a: Sequence[Run], b: Sequence[Run]) -> float | None:
    """Scaling efficiency: throughput of N processes over N times that of one; None where the sides are not that."""
    counts = [{run.processes for run in side} for side in (a, b)]
    if any(len(count) != 1 or None in count for count in counts) or {1} not in counts or counts[0] == counts[1]:
        return None
    many, one = (a, b) if counts[1] == {1} else (b, a)
    rates = []
    for side in (many, one):
        found = [metric.value for run in side for metric in run.metrics if metric.name.startswith("throughput_") and metric.value]
        if len(found) != len(side):
            return None
        rates.append(stats.median(found))
    return rates[0] / (max(count or 1 for count in {run.processes for run in many}) * rates[1])
