"""Tells whether one run, or one group of runs, is faster than another, where the measurements allow
an answer.

The rule is nvbench's: a difference is claimed where the intervals of A and B do not overlap. A
single run has the interval of its own steps. A group of `stats.LEAST_RUNS` runs or more has an
interval over its runs; a smaller one has the range of its runs' intervals and figures, or none
where a median of steps has none. A and B are the same where even the far ends of their intervals
differ by no more than `SAME`. The interval of one run does not cover drift from run to run, so two
single runs are told apart only where they differ by more than `REPEAT`. There is no answer
otherwise, nor where a run carries a warning: among repetitions, intervals do not overlap in a third
of the pairs with a warning and in one of thirty without.
"""

import fnmatch
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from itertools import chain
from typing import Final, TypeVar

from kernels.analysis import stats
from kernels.errors import RecordError
from kernels.records import Interval, Metric, Origin, Run, Stat, Status
from kernels.units import counted

T = TypeVar("T")

SAME: Final = 0.02
"""Relative difference up to which A and B count as the same: nobody would act on it."""

REPEAT: Final = 0.13
"""Share by which the faster of two single runs of one setup may exceed the slower by chance.

On `cpu-amd-epyc-2c`, without a warning, `cnn10` differs by 3.8 to 12.5 % in PyTorch, and once by 17
% in JAX.
"""

COMPARABLE: Final = ("workload", "global_batch_size", "precision", "data")
"""Fields that two runs must share for a comparison of their speeds to mean something."""

DIFFERENCES: Final = ("system", "backend", "framework_version", "processes", "mode", "augmentation")
SETTINGS: Final = (
    "allocator", "compile_mode", "memory_format", "deterministic", "threads", "cpu_affinity",
    "cuda", "driver", "cpu_model",
)  # fmt: skip
"""Fields of a run, and of its environment, that may explain a difference."""

MACHINE: Final = ("cpu_capability", "cpu_instructions", "cpu_family_model_stepping", "cpu_caches")
"""Facts in `Environment.extra` that distinguish processors of one brand name; older runs lack them.
"""

LIMITS: Final = ("logical_cores", "cgroup_cpus", "memory_bytes", "accelerator_power_limit_w")
"""Other facts of a machine that limit its speed."""

BESIDE: Final = ("accelerator", "accelerators", "nodes", "parallelism", "framework", "clock_scope")
"""Fields that are named too where they differ, but may differ between repetitions."""

UNKNOWN: Final = "unknown"

OPERATION: Final = "micro-"
"""Beginning of workloads that time a single operation: one sample is one call."""

OPERATIONS: Final = ("copy_bytes_per_s", "achieved_flop_per_s")
"""Metrics of the speed of a single operation; a run has one of them."""

EPOCHS: Final = "epochs_to_target"
FAR: Final = 0.10
"""Relative difference in epochs to a target from which times to it compare learning, not speed."""


class Answer(StrEnum):
    """Verdict on A compared with B."""

    SAME = "same"
    FASTER = "faster"
    SLOWER = "slower"
    HIGHER = "higher"
    LOWER = "lower"
    NOT_SEPARABLE = "not_separable"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A metric of one run or group in a comparison.

    Attributes:
        value: The run's figure, or the median over a group.
        low: Lower end of the interval; for few runs the least of their intervals and figures.
        n: Number of runs; for published figures the stated one.
        stated: False where a publication gives no number of runs; `n` then counts figures.
    """

    value: float
    low: float | None
    high: float | None
    interval: Interval | None
    n: int
    stated: bool = True


@dataclass(frozen=True, slots=True)
class Comparison:
    """One metric of A and B.

    Attributes:
        ratio: A over B; `ratio_low` and `ratio_high` are the extremes that the intervals allow.
        reason: Why there is no answer, if so.
    """

    metric: str
    unit: str
    answer: Answer
    a: Estimate
    b: Estimate
    ratio: float | None
    ratio_low: float | None
    ratio_high: float | None
    reason: str | None = None


def choose(runs: Sequence[Run], words: str) -> tuple[Run, ...]:
    """Returns the runs given by an id, ids separated by commas, or a pattern with `*`.

    Raises:
        RecordError: An id or pattern names none.
    """
    found: dict[str, Run] = {}
    for word in words.split(","):
        some = [run for run in runs if fnmatch.fnmatchcase(run.run_id, word)]
        if not some:
            raise RecordError(
                f"{word}: no run has this id; `show` lists all, and * stands for any letters"
            )
        found |= {run.run_id: run for run in some if run.withdrawn is None}
    if not found:
        raise RecordError(f"{words}: withdrawn, and so nothing to compare with")
    return tuple(found.values())


def unlike(a: Sequence[Run], b: Sequence[Run]) -> tuple[str, ...]:
    """Returns why the comparison is not fair, one sentence per reason."""
    return tuple(
        _differing(
            COMPARABLE,
            [{name: text(getattr(run, name)) for name in COMPARABLE} for run in (*a, *b)],
        )
    )


def differences(a: Sequence[Run], b: Sequence[Run]) -> tuple[str, ...]:
    """Returns the other differences that may explain a difference in speed, one sentence each."""
    rows = [
        {name: text(getattr(run, name)) for name in (*DIFFERENCES, *BESIDE)}
        | {"parallelism": scheme(run)}
        | {name: text(getattr(run.environment, name, None)) for name in (*SETTINGS, *LIMITS)}
        | {name: text(value) for name, value in facts(run).items()}
        for run in (*a, *b)
    ]
    # a fact that is missing is no difference
    told = [name for name in (*LIMITS, *MACHINE) if all(row[name] != UNKNOWN for row in rows)]
    return tuple(_differing((*DIFFERENCES, *BESIDE, *SETTINGS, *told), rows))


def facts(run: Run) -> dict[str, str | None]:
    """Returns the run's processor facts, by the names of `MACHINE`."""
    extra = run.extra
    return {name: extra.get(name) for name in MACHINE}


def scheme(run: Run) -> str:
    """Returns how accelerators shared the work: `none` for one, `UNKNOWN` if not stated."""
    return "none" if run.parallelism is None and run.accelerators == 1 else text(run.parallelism)


def text(value: object) -> str:
    """Returns a field of a run as text for comparison, `UNKNOWN` where it is missing."""
    return UNKNOWN if value is None else str(value)


def _differing(names: Sequence[str], rows: Sequence[Mapping[str, str]]) -> Iterator[str]:
    for name in names:
        values = list(dict.fromkeys(row[name] for row in rows))
        if len(values) > 1:
            yield f"{name}: {' against '.join(values)}"


def compare(a: Sequence[Run], b: Sequence[Run]) -> tuple[Comparison, ...]:
    """Compares A and B in each metric that all their runs have, speed first.

    There is no answer about speed where a run carries a warning, and none at all for two workloads.

    Raises:
        RecordError: A run is in both A and B, or they share no metric.
    """
    if both := {run.run_id for run in a} & {run.run_id for run in b}:
        raise RecordError(f"{', '.join(sorted(both))}: on both sides; give each run to one of them")
    found = []
    units = {
        metric.key: metric.unit
        for metric in a[0].metrics
        if compared(a[0], metric) and metric.value is not None
    }
    for name, unit in units.items():
        metrics = [[run.metric(name) for run in runs] for runs in (a, b)]
        given = [[each for each in have if each and each.value is not None] for have in metrics]
        if list(map(len, given)) == list(map(len, metrics)):
            estimates = (_of_runs(runs, have) for runs, have in zip((a, b), given, strict=True))
            found.append(_hedged(judged(name, unit, *estimates), a, b))
    if not found:
        ended = sorted(
            {f"{run.run_id} is {run.status}" for run in (*a, *b) if run.status is not Status.OK}
        )
        why = "; ".join(ended) or "the two sides measured different things"
        raise RecordError(f"no figure that all of these runs have: {why}")
    return tuple(sorted(found, key=lambda each: not _rate(each.metric)))


def lacking(a: Sequence[Run], b: Sequence[Run]) -> tuple[str, ...]:
    """Returns which figures only some of the runs have, and why, one sentence each."""
    keys = dict.fromkeys(
        metric.key for run in (*a, *b) for metric in run.metrics if compared(run, metric)
    )
    said = []
    for key in keys:
        if all(
            (found := run.metric(key)) is not None and found.status is Status.NOT_SUPPORTED
            for run in (*a, *b)
        ):
            continue  # no machine here measures it, and each run says so
        why = {name: _absent(key, runs) for name, runs in (("A", a), ("B", b))}
        if any(why.values()):
            said.append(
                f"{key}: not compared, as "
                f"{' and '.join(f'{name} has none ({each})' for name, each in why.items() if each)}"
            )
    return tuple(said)


def _absent(key: str, runs: Sequence[Run]) -> str:
    found = [run.metric(key) for run in runs]
    return ", ".join(
        dict.fromkeys(
            "not recorded" if each is None else str(each.status)
            for each in found
            if each is None or each.value is None
        )
    )


def compared(run: Run, metric: Metric) -> bool:
    """Returns True if A and B are compared in this metric."""
    if run.workload.startswith(OPERATION) and any(run.metric(name) for name in OPERATIONS):
        return metric.name in {*OPERATIONS, "compile_time_s", "energy_j"}
    return metric.name.startswith(("throughput_", "final_")) or metric.name in {
        "compile_time_s",
        "median_epoch_s",
        EPOCHS,
        "time_to_target_s",
        "train_time_s",
        "energy_j",
    }


def speed(run: Run) -> Metric | None:
    """Returns FLOP or bytes a second of a single operation, else the training throughput."""
    operation = filter(None, map(run.metric, OPERATIONS))
    trained = (metric for metric in run.metrics if metric.name.startswith("throughput_"))
    found = chain(operation if run.workload.startswith(OPERATION) else (), trained)
    return next(found, None)


def _rate(name: str) -> bool:
    return name.startswith("throughput_") or name in OPERATIONS


def _of_runs(runs: Sequence[Run], metrics: Sequence[Metric]) -> Estimate:
    """Sums up the metric; only a source knows the number of runs behind a published figure."""
    found = estimate(metrics)
    behind = [
        metric.n if run.origin is Origin.PUBLISHED else 1
        for run, metric in zip(runs, metrics, strict=True)
    ]
    if None in behind:
        return replace(found, stated=False)
    return replace(found, n=sum(each or 0 for each in behind))


def _hedged(found: Comparison, a: Sequence[Run], b: Sequence[Run]) -> Comparison:
    reason = found.reason
    alone = [
        name
        for name, one, runs in (("A", found.a, a), ("B", found.b, b))
        if one.low is None and all(run.origin is Origin.PUBLISHED for run in runs)
    ]
    if alone:
        reason = (
            f"no interval of {' and '.join(alone)}: a published figure does not say how far "
            "it would repeat"
        )
    if found.answer is not Answer.NOT_SEPARABLE and (
        _rate(found.metric) or found.unit in {"s", "J"}
    ):
        reason = warned((*a, *b))
    if len({run.workload for run in (*a, *b)}) > 1:
        reason = "two workloads: their figures say nothing of each other"
    return found if reason is None else replace(found, answer=Answer.NOT_SEPARABLE, reason=reason)


def warned(runs: Sequence[Run]) -> str | None:
    """Returns the runs that carry warnings, as the reason for no answer; None if none does."""
    shaky = [run for run in runs if run.doubts]
    if not shaky:
        return None
    codes = list(dict.fromkeys(warning.code for run in shaky for warning in run.doubts))
    if len(shaky) == 1:
        return (
            f"run {shaky[0].run_id} has {counted(len(shaky[0].doubts), 'warning')} "
            f"({', '.join(codes)})"
        )
    return f"{len(shaky)} of the {len(runs)} runs have warnings ({', '.join(codes)})"


def far_epochs(found: Sequence[Comparison]) -> str | None:
    """Returns the sentence that A and B needed very different numbers of epochs, or None."""
    ratios = (each.ratio for each in found if each.metric.startswith(f"{EPOCHS}@"))
    far = next((ratio for ratio in ratios if ratio and abs(ratio - 1) > FAR), None)
    if far is None:
        return None
    other = (
        "throughput, above, compares their speed"
        if any(_rate(each.metric) for each in found)
        else "no throughput tells their speed apart"
    )
    return (
        f"A needed {abs(far - 1):.1%} {'fewer' if far < 1 else 'more'} epochs to the target than "
        f"B, so times to it differ by what was learned too: {other}"
    )


def estimate(metrics: Sequence[Metric]) -> Estimate:
    """Returns one metric of one or several runs, with its interval if any."""
    values = [metric.value for metric in metrics if metric.value is not None]
    if len(values) == 1:
        (only,) = metrics
        return Estimate(values[0], only.low, only.high, only.interval, 1)
    middle = stats.median(values)
    if len(values) < stats.LEAST_RUNS:
        if any(map(loose, metrics)):
            return Estimate(middle, None, None, None, len(values))
        ends = [end for metric in metrics for end in (metric.low, metric.high) if end is not None]
        return Estimate(
            middle, min(*values, *ends), max(*values, *ends), Interval.SEEDS, len(values)
        )
    low, high = stats.bootstrap_interval(values, block=1, least=stats.LEAST_RUNS)
    return Estimate(middle, low, high, Interval.CI95, len(values))


def loose(metric: Metric) -> bool:
    """Returns True if a figure is a median or mean of too few steps for an interval."""
    return metric.stat in (Stat.MEDIAN, Stat.MEAN) and metric.low is None


def middle(found: Sequence[T], ratio: Callable[[T], float]) -> T | None:
    """Returns the comparison with the middle ratio, of two middle ones the one nearer to 1; None if
    empty.
    """
    ordered = sorted(found, key=ratio)
    both = ordered[max(0, (len(ordered) - 1) // 2) : len(ordered) // 2 + 1]
    return min(both, key=lambda one: abs(math.log(ratio(one))), default=None)


def judged(name: str, unit: str, a: Estimate, b: Estimate) -> Comparison:
    """Judges a figure of A compared with B."""
    ratio = a.value / b.value if b.value else None
    found = Comparison(name, unit, Answer.NOT_SEPARABLE, a, b, ratio, None, None)
    if (
        a.low is None
        or a.high is None
        or b.low is None
        or b.high is None
        or ratio is None
        or min(b.low, b.high) <= 0
    ):
        reason = "a side without an interval: time more steps, or make more runs"
        return replace(found, reason=reason)
    found = replace(found, ratio_low=a.low / b.high, ratio_high=a.high / b.low)
    # A higher rate is faster, a lower time too; for quality and energy only "higher" is said.
    more, less = Answer.HIGHER, Answer.LOWER
    if _rate(name):
        more, less = Answer.FASTER, Answer.SLOWER
    elif unit == "s":
        more, less = Answer.SLOWER, Answer.FASTER
    if a.low / b.high >= 1 / (1 + SAME) and a.high / b.low <= 1 + SAME:
        return replace(found, answer=Answer.SAME)
    if a.n == b.n == 1 and 1 / (1 + REPEAT) <= ratio <= 1 + REPEAT:
        reason = (
            f"one run a side, and single runs alike differ by as much as {REPEAT:.0%}: make "
            "more runs"
        )
    elif a.low > b.high or a.high < b.low:
        return replace(found, answer=more if a.low > b.high else less)
    else:
        reason = "the intervals overlap: measure longer, or make more runs"
    return replace(found, reason=reason)


def scaling(a: Sequence[Run], b: Sequence[Run]) -> float | None:
    """Returns the throughput of N processes over N times that of one; None for other runs."""
    counts = [{run.processes or 0 for run in runs} for runs in (a, b)]
    if {1} not in counts or counts[0] == counts[1]:
        return None
    many, one = (a, b) if counts[1] == {1} else (b, a)
    (processes, *others) = {run.processes or 0 for run in many}
    if others or not processes:
        return None
    rates = []
    for runs in (many, one):
        found = [metric.value for run in runs if (metric := speed(run)) and metric.value]
        if len(found) != len(runs):
            return None
        rates.append(stats.median(found))
    return rates[0] / (processes * rates[1])


def unequal_threads(a: Sequence[Run], b: Sequence[Run]) -> bool:
    """Returns True if the processes of A and B had different numbers of threads."""
    return len({run.environment.threads for run in (*a, *b) if run.environment is not None}) > 1
