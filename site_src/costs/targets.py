"""The targets that can be asked for, and the first question."""

from collections import Counter
from collections.abc import Iterable, Sequence
from math import floor
from typing import Final

from kernels.records import Direction, Origin, Run, Workload
from site_src.costs.question import By, Question, sign
from site_src.costs.setup import Setup, reaching
from site_src.tables.curve import LOWER, hits

FEW_FINALS: Final = 4
"""Up to this number final qualities are all targets; of more only full per cents."""

COLLAPSED: Final = 2.0
"""A run has collapsed if the best quality is this many times its own."""


def direction(runs: Iterable[Run], workload: Workload) -> Direction:
    """The direction of better: from a run's target, else from the measure."""
    stated = (
        target.direction
        for run in runs
        for target in run.targets
        if target.metric == workload.metric
    )
    return next(stated, Direction.AT_MOST if workload.metric in LOWER else Direction.AT_LEAST)


def named(runs: Iterable[Run], metric: str) -> set[float]:
    """The qualities that runs aimed at, or that their source prints the time to."""
    return {
        value
        for run in runs
        for value in (
            *(target.value for target in run.targets if target.metric == metric),
            *(target.value for hit, target in hits(run, metric) if hit.value is not None),
        )
    }


def targets(
    runs: Iterable[Run], workload: Workload, setups: Sequence[Setup], direction: Direction
) -> tuple[float, ...]:
    """The qualities that runs aimed at and one reached, easiest first; else the final ones."""
    by = sign(direction)
    trials = [trial for setup in setups for trial in setup.candidate.trials if trial.points]
    reached = [trial.best for trial in trials if trial.best is not None]
    usable = {
        value
        for value in named(runs, workload.metric)
        if any(by * best >= by * value for best in reached)
    }
    if not usable:
        usable = {trial.points[-1].quality for trial in trials}
        if len(usable) > FEW_FINALS:
            worth = max(reached, default=0.0) / COLLAPSED if by > 0 else 0.0
            usable = {floor(100 * value) / 100 for value in usable if value >= worth}
    return tuple(sorted(usable, key=lambda value: by * value))


def first_question(
    runs: Sequence[Run], setups: Sequence[Setup], aims: Sequence[float], direction: Direction
) -> Question:
    """The cost, if any offer has a price, of the hardest target that most systems with a price
    aimed at and reached.

    A target that a publication prints comes first, the easiest of several: its own conclusions are
    about that one.
    """
    printed = {
        target.value
        for run in runs
        if run.origin is Origin.PUBLISHED
        for hit, target in hits(run)
        if hit.value is not None
    }

    def priced(found: Iterable[Setup]) -> set[str]:
        return {setup.run.system for setup in found if setup.usable}

    def weight(target: float) -> tuple[bool, int, int, int]:
        found = reaching(setups, target, direction)
        compared = target in printed and len(priced(found)) > 1
        meant = [setup for setup in found if target in _aims(setup)] or found
        return (
            compared,
            len(priced(meant)),
            len({setup.run.system for setup in meant}),
            -aims.index(target) if compared else aims.index(target),
        )

    target = max(aims, key=weight)
    currencies = Counter(
        price.currency
        for setup in reaching(setups, target, direction)
        for price in setup.prices
        if price.price_id in setup.usable
    )
    currency = max(sorted(currencies), key=lambda name: currencies[name], default="USD")
    return Question(target, direction, By.COST if currencies else By.TIME, currency)


def _aims(setup: Setup) -> set[float]:
    return {
        target.value
        for run in setup.runs
        for target in (*run.targets, *(target for _, target in hits(run)))
    }
