"""Groups runs that repeat each other: the same training with the same settings on the same machine,
again or with another seed.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from kernels.analysis import stats
from kernels.analysis.compare import (
    COMPARABLE,
    DIFFERENCES,
    LIMITS,
    REPEAT,
    SETTINGS,
    UNKNOWN,
    facts,
    loose,
    text,
)
from kernels.records import Environment, Metric, Origin, Run, Status, Target

OWN: Final = (Origin.MEASURED, Origin.SUBMITTED)
"""Origins of runs of this harness: only these record enough to be recognised as repetitions."""

PREFIX: Final = "setting:"
"""Prefix of configuration keys that are settings without a field of their own."""

_OF_RUN: Final = (*COMPARABLE, *DIFFERENCES, "origin", "epochs_planned")
_OF_MACHINE: Final = (*SETTINGS, *LIMITS, "os")
"""With `compare.MACHINE`, distinguishes machines with the same processor or card."""

_NAMED: Final = ("system", "cpu_model", "driver", *LIMITS)
"""Fields that runs share if they appear to come from one machine."""

INTERVAL: Final = "evaluation_interval_samples"
"""Setting of a convergence run: samples between two evaluations. Older runs lack it."""

SUITE: Final = "suite"
"""Setting of a run that was part of a suite: its name."""

_BESIDE: Final = frozenset({"seed", "seeds", SUITE, INTERVAL})
"""Settings in which repetitions may differ; the size of a suite is not among them."""

_TOLD: Final = ("data_sha256", "THP_MEM_ALLOC_ENABLE", "transparent_hugepage")
"""Facts of the environment that older runs lack."""

CUT: Final = frozenset({Status.KILLED, Status.UNFINISHED, Status.FAILED})
"""Statuses that say nothing about a target; a run that its time limit ended missed it."""

DROPPED: Final = 1
LEAST_SEEDS: Final = 2 * DROPPED + 1
"""Fewest runs for a mean over seeds: one is left after `DROPPED` at each end."""

LEAST_REPETITIONS: Final = 3
"""Fewest repetitions among which a slow run is recognised: of two, either may be the odd one."""

_Key = tuple[tuple[str, str], ...]


def configuration(run: Run) -> Mapping[str, str]:
    """Returns all that two runs must share to repeat each other; `UNKNOWN` where a run lacks it."""
    found = {name: text(getattr(run, name)) for name in _OF_RUN}
    found |= {name: text(getattr(run.environment, name, None)) for name in _OF_MACHINE}
    found |= {name: text(value) for name, value in facts(run).items()}
    found["targets"] = ", ".join(f"{target.metric} {target.value!r}" for target in run.targets)
    found |= {name: text(value) for name, value in _identifying(run).items()}
    return found | {
        f"{PREFIX}{each.name}": each.value for each in run.settings if each.name not in _BESIDE
    }


MEMORY_TOLERANCE: Final = 0.02
"""Relative difference allowed in the memory of one machine: kernels reserve some for themselves."""


def of_another_machine(run: Run, here: Environment) -> bool:
    """Returns True if processor, cores or memory of the run's machine differ from this one's."""
    there = run.environment or Environment()
    for name in ("cpu_model", "logical_cores"):
        pair = (getattr(there, name), getattr(here, name))
        if None not in pair and pair[0] != pair[1]:
            return True
    if (
        there.memory_bytes
        and here.memory_bytes
        and abs(there.memory_bytes / here.memory_bytes - 1) > MEMORY_TOLERANCE
    ):
        return True
    mine = {each.name: each.value for each in here.extra}
    # only PyTorch knows its capability, and it is not loaded for this
    if (able := mine.get("cpu_instructions")) is not None:
        steps = {"avx512f": "AVX512", "avx2": "AVX2"}
        known = (name for step, name in steps.items() if step in able.split())
        mine["cpu_capability"] = next(known, "DEFAULT")
    return any(
        value is not None and mine.get(name, value) != value for name, value in facts(run).items()
    )


def suite(run: Run) -> str | None:
    """Returns the suite that a run was part of, or None."""
    return run.setting(SUITE)


def _identifying(run: Run) -> dict[str, str | None]:
    given = {**run.extra, "data_sha256": getattr(run.environment, "data_sha256", None)}
    return {name: given.get(name) for name in _TOLD}


@dataclass(frozen=True, slots=True)
class Setup:
    """Runs that repeat each other, the oldest first.

    Attributes:
        parts: Their common configuration.
        suite: The suite to which the runs are limited, if so.
    """

    parts: Mapping[str, str]
    runs: tuple[Run, ...]
    suite: str | None = None

    @property
    def run(self) -> Run:
        """The representative run: the newest that ended well, else the newest."""
        return next((run for run in reversed(self.runs) if run.status is Status.OK), self.runs[-1])

    @property
    def reached(self) -> tuple[Run, ...]:
        """Runs that reached all their targets; empty if they had none."""
        return tuple(run for run in self.runs if run.targets and run.status is Status.OK)

    @property
    def ended(self) -> tuple[Run, ...]:
        """Runs that were not cut off: only they say if the targets can be reached."""
        return tuple(run for run in self.runs if run.status not in CUT)

    def figure(self, name: str) -> str:
        """Returns the reference of a figure over all the runs."""
        return f"{'suite' if self.suite else 'alike'}:{self.run.run_id}:{name}"

    def of_suite(self, name: str) -> "Setup":
        """Limits the setup to one suite, whose runs took turns with others."""
        runs = tuple(run for run in self.runs if suite(run) == name)
        return self if runs == self.runs else Setup(self.parts, runs, name)

    def metrics(self, name: str) -> tuple[Metric, ...]:
        """Returns that figure of each run, without those of too few steps if there are others."""
        every = (run.metric(name) for run in self.runs)
        found = [metric for metric in every if metric and metric.value is not None]
        return tuple([metric for metric in found if not loose(metric)] or found)


def setups(runs: Iterable[Run]) -> list[Setup]:
    """Groups the valid runs of this harness, in the order of their first run.

    A fact of `_TOLD` that a run lacks is taken from the runs that equal it in all else, if they
    agree; one of `compare.MACHINE` from the runs of the same system, processor, memory, cores and
    driver.
    """
    own = [run for run in runs if run.origin in OWN and run.withdrawn is None]
    own.sort(key=_age)
    said = {run.run_id: configuration(run) for run in own}

    def machine(run: Run) -> tuple[str, ...]:
        return tuple(said[run.run_id][name] for name in _NAMED)

    of_machine = _agreed((machine(run), facts(run)) for run in own)
    told = {}
    for run in own:
        own_facts, others = facts(run), of_machine[machine(run)]
        lacking = {name: value for name, value in others.items() if own_facts[name] is None}
        told[run.run_id] = {**said[run.run_id], **lacking}
    like = {name: _key(of_run, but=_TOLD) for name, of_run in told.items()}
    agreed = _agreed((like[run.run_id], _identifying(run)) for run in own)
    found: dict[_Key, list[Run]] = {}
    for run in own:
        of_run, others = told[run.run_id], agreed[like[run.run_id]]
        known = {name: value for name, value in others.items() if of_run[name] == UNKNOWN}
        found.setdefault(_key({**of_run, **known}), []).append(run)
    return [Setup(dict(key), tuple(members)) for key, members in found.items()]


def _age(run: Run) -> tuple[float, str]:
    return run.started_at.timestamp() if run.started_at else 0.0, run.run_id


def _agreed(
    said: Iterable[tuple[object, Mapping[str, str | None]]],
) -> dict[object, dict[str, str]]:
    """Returns the facts, by name, on which all runs of a key that have them agree."""
    values: dict[object, dict[str, set[str]]] = {}
    for key, told in said:
        of_key = values.setdefault(key, {})
        for name, value in told.items():
            of_key.setdefault(name, set()).update(() if value is None else (value,))
    return {
        key: {name: each.pop() for name, each in of_key.items() if len(each) == 1}
        for key, of_key in values.items()
    }


def _key(given: Mapping[str, str], but: tuple[str, ...] = ()) -> _Key:
    return tuple(sorted((name, value) for name, value in given.items() if name not in but))


class Trim(StrEnum):
    """A mean time of seeds to their target, or why there is none."""

    MEAN = "mean"
    FEW = "few"
    MISSED = "missed"


@dataclass(frozen=True, slots=True)
class Seeds:
    """One run of each seed to one target, summed up by the rule of MLPerf's scores.

    Attributes:
        run_ids: The newest run of each seed that was not cut off, by seed.
        times: Seconds to the target of the runs that reached it, the fastest first.
        mean_s: Mean without the fastest and the slowest, where a run that missed the target is the
            slowest; None without a mean.
        trim: Why there is no mean: fewer than `LEAST_SEEDS` runs, or more than one that missed.
        cut: Number of seeds whose runs were all cut off.
    """

    target: Target
    run_ids: tuple[str, ...]
    times: tuple[float, ...]
    mean_s: float | None
    trim: Trim
    cut: int

    @property
    def missed(self) -> int:
        """Number of runs that did not reach the target."""
        return len(self.run_ids) - len(self.times)


def by_seed(runs: Iterable[Run]) -> dict[int | None, Run]:
    """Returns the newest run of each seed that was not cut off."""
    return {run.seed: run for run in sorted(runs, key=_age) if run.status not in CUT}


def seeds(runs: Sequence[Run]) -> Seeds | None:
    """Sums up repetitions with several seeds and one target; None for other runs."""
    targets = {run.targets for run in runs}
    if len(targets) != 1 or len(only := targets.pop()) != 1:
        return None
    ended = by_seed(runs)
    cut = {run.seed for run in runs} - ended.keys()
    if len(ended) + len(cut) < 2:  # noqa: PLR2004 - several
        return None
    (target,) = only
    told = [ended[seed] for seed in sorted(ended, key=lambda seed: -1 if seed is None else seed)]
    found = (run.value(f"time_to_target_s@{target.value:g}") for run in told)
    times = tuple(sorted(time for time in found if time is not None))
    missed = len(told) - len(times)
    trim = Trim.FEW if len(told) < LEAST_SEEDS else Trim.MISSED if missed > DROPPED else Trim.MEAN
    mean = stats.trimmed_mean(times, DROPPED, missed) if trim is Trim.MEAN else None
    return Seeds(target, tuple(run.run_id for run in told), times, mean, trim, len(cut))


@dataclass(frozen=True, slots=True)
class Slow:
    """A run that was slower than its repetitions.

    Attributes:
        share: Share of the median by which its steps took longer.
        n: Number of runs of the median, this one included.
    """

    run_id: str
    share: float
    n: int


def slow(runs: Iterable[Run]) -> tuple[Slow, ...]:
    """Returns the runs slower than the median of `LEAST_REPETITIONS` or more repetitions by over
    `REPEAT`.

    This is not a warning of the run, which is recorded as it ends: it depends on later repetitions.
    """
    rates = {run.run_id: rate for run in runs if (rate := _rate(run)) is not None}
    if len(rates) < LEAST_REPETITIONS:
        return ()
    middle = stats.median(list(rates.values()))
    return tuple(
        Slow(name, middle / rate - 1, len(rates))
        for name, rate in rates.items()
        if middle / rate - 1 > REPEAT
    )


def _rate(run: Run) -> float | None:
    """Returns the throughput; None without an interval: a median of few steps is unreliable."""
    found = (metric for metric in run.metrics if metric.name.startswith("throughput_"))
    return next((metric.value for metric in found if metric.low is not None and metric.value), None)
