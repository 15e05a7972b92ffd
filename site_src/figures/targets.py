"""Targets in a chart of curves: which runs aimed at each, and how many reached it."""

from collections.abc import Sequence
from dataclasses import dataclass

from kernels.records import Direction, Origin, Run, Target
from site_src import tables
from site_src.locales import Locale, Share
from site_src.tables import curve


@dataclass(frozen=True, slots=True)
class ChartTarget:
    """A target in the chart: its `value` as shown, and how many (`hits`) of the `runs` that aimed
    at it reached it.

    Attributes:
        stated: True if a publication prints it of its own runs, False if a rule sets it.
        metric: The quality.
        counted: True if its line says one count; False if runs of several setups aimed at it.
    """

    value: float
    hits: int
    runs: int
    stated: bool = False
    metric: str = "top1"
    counted: bool = True

    @classmethod
    def of(cls, target: Target, runs: Sequence[Run]) -> "ChartTarget":
        """The target with the count of these runs, by their times to it or their evaluations."""
        published = all(run.origin is Origin.PUBLISHED for run in runs)
        hits = sum(_reached(run, target) for run in runs)
        return cls(
            tables.level(target.metric, target.value), hits, len(runs), published, target.metric
        )

    def level(self, locale: Locale) -> str:
        """The quality as text."""
        if self.metric == tables.BLEU:
            return locale.number(self.value, 1)
        return (
            locale.number(self.value)
            if self.metric in curve.PLAIN
            else locale.percent(self.value, 1)
        )

    def text(self, locale: Locale, *, article: bool = False) -> str:
        """The text at its line; in a chart that has rounds too, a target of an `article` is called
        so.
        """
        if not self.counted:
            return locale.say("figure.timeline.target", target=self.level(locale))
        key = "goal_article" if article and self.stated else "goal"
        return locale.say(
            f"figure.convergence.{key}", target=self.level(locale), count=self.count(locale)
        )

    def count(self, locale: Locale) -> str:
        """The number of runs that reached it, of all."""
        return locale.say(
            f"count.{Share.of(self.hits, self.runs)}", n=self.runs, hits=self.hits, runs=self.runs
        )


def aimed(runs: Sequence[Run], target: Target) -> list[Run]:
    """The runs that name a target; also others that name none, if comparable: a round sets its own
    runs a target, and beside rounds a publication's runs need a curve.
    """
    rounds = any(run.round is not None for run in runs)

    def held(run: Run) -> bool:
        if target.value in {own.value for own in curve.named(run, target.metric)}:
            return True
        return run.round is None and not run.targets and (bool(run.evaluations) or not rounds)

    return [run for run in runs if held(run)]


def _reached(run: Run, target: Target) -> bool:
    hits = [hit for hit, each in curve.hits(run, target.metric) if each.value == target.value]
    if hits:
        return any(hit.value is not None for hit in hits)
    least = target.direction is Direction.AT_LEAST
    return any(
        each.value >= target.value if least else each.value <= target.value
        for each in run.evaluations
        if each.metric == target.metric
    )
