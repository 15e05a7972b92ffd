"""How fast does the model improve, epoch by epoch?"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final

import pandas as pd

from kernels.analysis.gathered import submission
from kernels.reading import remembered
from kernels.records import Run
from site_src import tables
from site_src.costs import spent
from site_src.costs.spent import Spending
from site_src.evidence import Evidence
from site_src.figures import common, own_runs
from site_src.figures.base import LEGEND_LINE, LEGEND_LINES, Digest, Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, MarkNote, Sentence, StateNote
from site_src.figures.marks.curves import ALL, NEAR, Drawing
from site_src.figures.targets import ChartTarget, aimed
from site_src.locales import Locale
from site_src.questions.quality import curve_choices, curve_points, curve_sentence, spending
from site_src.tables import curve
from site_src.tables.submissions import spread

NOTHING: Final[Mapping[str, Spending]] = MappingProxyType({})
"""No run with known spending."""

FAR: Final = 0.25
"""If the lowest quality exceeds this share of the highest, an axis from 0 is mostly empty."""


def figure(
    runs: Sequence[Run],
    evidence: Evidence,
    subject: str,
    page: str,
    *,
    metrics: Sequence[str] = ("top1",),
    spending: Mapping[str, Spending] = NOTHING,
) -> Figure | None:
    """Qualities of these runs by epoch or samples, and by time if recorded: curves, or only printed
    points; None without either, and for final values alone. `spending` is for the axes of cost and
    energy.
    """
    every, runs = runs, spread(evidence, own_runs.chosen(runs))
    table = own_runs.labelled(
        curve.curve(evidence.catalog, runs, metrics), own_runs.named(runs, evidence.catalog)
    )
    if table.empty or table["quality"].notna().sum() == 0:
        return None
    if (table["kind"] == "final").all():
        return None  # final values alone are no curve; the chart of final accuracies has them
    left = own_runs.left_out(every, runs, metrics)
    logged = sum(submission(run) is not None for run in every)
    beside = logged - sum(submission(run) is not None for run in runs)
    asked = Asked(
        f"{subject}-convergence",
        page,
        "convergence",
        subject,
        tuple(metrics),
        left=left,
        beside=beside,
        spending=spending,
    )
    return of(table, runs, evidence, asked)


@dataclass(frozen=True, slots=True)
class Asked:
    """The figure of curves to make, and its metrics.

    Attributes:
        near: True if the picture begins near the targets instead of at 0.
        chosen: True if the reader chooses accelerators when there are many series.
        said: Notes beside those of the curves.
        told: The sentence, if it is not that of the targets.
        left: Own runs with curves that are not drawn.
        beside: Runs of submissions that are not drawn.
    """

    id: str
    page: str
    key: str
    subject: str
    metrics: tuple[str, ...]
    near: bool = False
    chosen: bool = True
    said: Callable[[Locale], list[str]] = lambda _: []
    told: Callable[[Locale], Sentence] | None = None
    left: int = 0
    beside: int = 0
    spending: Mapping[str, Spending] = field(default_factory=lambda: NOTHING)


def of(table: pd.DataFrame, runs: Sequence[Run], evidence: Evidence, asked: Asked) -> Figure:
    """The figure of a table of curves."""
    table = common.by_precision(table)
    names = {row["run_id"]: (row["series"], row["label"]) for row in tables.rows(table)}
    known = set(table["run_id"])
    shown = [run for run in runs if run.run_id in known]
    table, unit = curve_points.timed(curve_points.read_in(table, asked.metrics))
    table, currency = spent.spent(table, asked.spending), spent.currency_of(asked.spending, table)
    curves = _Curves(table, unit, currency, shown, names, evidence, asked)
    return Figure(
        id=asked.id,
        page=asked.page,
        key=curves.key,
        subject=asked.subject,
        table=table,
        columns=tuple(curves.columns()),
        series=own_runs.recoloured(common.series(table), names, shown),
        fields={"value": "quality", "along": curves.along},
        draw=curves.drawing().draw,
        sentence=next(iter(curves.told.values())),
        sentences=tuple(curve_choices.sentences(curves.controls, curves.told)),
        axis={"quality": curves.axis},
        axis_by={"quality": {metric: f"metric.{metric}" for metric in asked.metrics}}
        if len(asked.metrics) > 1
        else {},
        controls=curves.controls,
        notes=curves.notes,
        count=False,
        texts=False,
        height=HEIGHT + LEGEND_LINE * max(0, _lines(table, curves.families) - LEGEND_LINES),
        digest=None if curves.summary.empty else curves.digest(),
        presets=curve_choices.presets(curves.controls, table, curves.families),
    )


@dataclass(frozen=True)  # without slots: computed values are cached
class _Curves:
    """A table of curves (`curve.curve`), and the words of its figure: `unit` of the time axis,
    `currency` of the cost, both empty for none; `names` has series and label of each run.
    """

    table: pd.DataFrame
    unit: str
    currency: str
    shown: Sequence[Run]
    names: Mapping[str, tuple[str, str]]
    evidence: Evidence
    asked: Asked

    @remembered
    def metrics(self) -> tuple[str, ...]:
        return self.asked.metrics

    @property
    def top1(self) -> bool:
        """Returns True if only accuracy is compared."""
        return self.metrics == ("top1",)

    @remembered
    def key(self) -> str:
        of_target = not self.top1 or (
            curve_sentence.main_target(self.shown, self.evidence.facts, self.metrics) is not None
        )
        return "curves" if self.asked.told is None and of_target else self.asked.key

    @remembered
    def printed(self) -> bool:
        """Returns True if there are only points, as in a publication."""
        return bool((self.table["kind"] != "evaluation").all())

    @remembered
    def logged(self) -> bool:
        """Returns True if runs of a benchmark's round are included."""
        return any(run.round is not None for run in self.shown)

    @remembered
    def own(self) -> bool:
        return all(map(own_runs.is_own, self.shown))

    @remembered
    def along(self) -> str:
        """The unit of progress of evaluations: epochs or samples."""
        return curve.axis(self.shown, self.metrics)

    @remembered
    def families(self) -> list[str]:
        return curve_choices.families(self.table) if self.asked.chosen else []

    @remembered
    def held(self) -> dict[str, list[Run]]:
        """The runs by kind of accelerator, and all."""
        return {
            name: [
                run for run in self.shown if name in (ALL, curve.family(run, self.evidence.catalog))
            ]
            for name in [*self.families, ALL]
        }

    @remembered
    def told(self) -> dict[str, Callable[[Locale], Sentence]]:
        """The headline of each kind of accelerator."""
        return {
            name: self.asked.told
            or partial(
                curve_sentence.sentence,
                held,
                self.evidence,
                self.metrics,
                names=self.names,
                left=self.asked.left,
                family=name if name != ALL else "",
            )
            for name, held in self.held.items()
        }

    @remembered
    def several(self) -> dict[str, bool]:
        """By metric: True if series have different targets."""
        return {
            metric: len(curve_sentence.apart(self.shown, metric, self.names)) > 1
            for metric in self.metrics
        }

    @remembered
    def targets(self) -> dict[tuple[str, str], list[ChartTarget]]:
        """The targets by metric and kind of accelerator."""
        return {
            (metric, name): [
                replace(
                    ChartTarget.of(target, aimed(held, target)), counted=not self.several[metric]
                )
                for target in curve.targets(held, metric)
            ]
            for metric in self.metrics
            for name, held in self.held.items()
        }

    @remembered
    def every(self) -> list[ChartTarget]:
        return [target for metric in self.metrics for target in self.targets[metric, ALL]]

    @remembered
    def known(self) -> list[float]:
        """The values of the first quality."""
        first = self.table[self.table["metric"].isin([None, self.metrics[0]])]
        return [float(value) for value in first["quality"] if present(value)]

    @remembered
    def cut(self) -> bool:
        """Returns True if the axis begins near the lowest value."""
        return min(self.known) > FAR * max(self.known)

    @remembered
    def counts(self) -> Counter[str]:
        """The number of runs of each series, by its label."""
        return Counter(self.names[run.run_id][1] for run in self.shown)

    @remembered
    def near(self) -> bool:
        """Returns True if the reader can zoom in on a target: readings lie on both sides of it."""
        return bool(
            self.every
            and self.logged
            and (self.table["kind"] == "evaluation").sum() > FEW
            and (
                curve.LOWER.isdisjoint(self.metrics)
                or max(self.known) > (1 + NEAR) * max(target.value for target in self.every)
            )
        )

    @remembered
    def summary(self) -> pd.DataFrame:
        """A row per series and target, if the table is too long to read."""
        if not (self.logged or self.own) or len(self.table) <= FEW:
            return pd.DataFrame()
        return curve.digest(
            self.evidence,
            self.shown,
            self.metrics,
            self.names,
            along=self.along,
            unit=self.unit,
        )

    @remembered
    def apart(self) -> bool:
        """Returns True if training time is known separately from evaluation."""
        read = self.table.loc[self.table["kind"] == "evaluation", "train_time_s"]
        return self.own and bool(read.notna().all())

    @remembered
    def axes(self) -> list[str]:
        """Cost and energy, each if known."""
        return spending.known(self.table) if self.unit else []

    @remembered
    def controls(self) -> tuple[Control, ...]:
        return curve_choices.controls(
            self.metrics,
            self.families,
            self.along,
            self.unit,
            zoom=self.near,
            first_near=self.asked.near,
            apart=self.apart,
            axes=self.axes,
        )

    @property
    def axis(self) -> str:
        if not self.top1:
            return f"metric.{self.metrics[0]}"
        return "axis.top1_cut" if self.cut else "axis.top1"

    def drawing(self) -> Drawing:
        return Drawing(
            self.targets,
            along=self.along,
            unit=self.unit,
            many=max(self.counts.values()) > 1,
            cut=self.cut,
            near=self.asked.near,
            currency=self.currency,
        )

    def digest(self) -> Digest:
        """The page's table of a chart of very many marks."""
        return curve_points.digest(self.summary, self.table, self.metrics, self.along, self.unit)

    def columns(self) -> Iterator[Column]:
        yield common.SERIES
        yield Column("kind", "head.kind", "key", prefix="point")
        if not self.top1:
            yield Column("metric", "control.measure", "key", prefix="metric")
        yield Column("epoch", "column.epoch", "number", unit="epochs", counted=True)
        if self.along == "samples":
            yield Column("samples", "column.samples_seen", "number", decimals=0, counted=True)
        if self.unit:
            shown = self.logged or self.own
            yield Column("time", "column.time", "number", unit=self.unit, decimals=2, shown=shown)
        if self.apart:
            heading = "column.time_training"
            yield Column("train_time", heading, "number", unit=self.unit, decimals=2)
        if self.axes:
            yield from spending.columns(self.table, self.currency)
        yield self._quality()
        yield from own_runs.sizes(self.table)
        yield from common.warned(self.table)
        yield from common.PROVENANCE

    def _quality(self) -> Column:
        heading = "column.top1" if self.top1 else "column.quality"
        if {*curve.PLAIN, tables.BLEU} & set(self.metrics):
            decimals = 2 if tables.BLEU in self.metrics else 4
            return Column("quality", heading, "number", decimals=decimals)
        decimals = 1 if self.printed else 2
        return Column("quality", heading, "fraction", decimals=decimals)

    def notes(self, locale: Locale) -> list[str]:
        asked = self.asked
        return [
            *asked.said(locale),
            *(MarkNote(locale.say(f"figure.convergence.{key}")) for key in self._of_targets()),
            *self._of_counts(locale),
            *self._of_bands(locale),
            *([locale.say("figure.targets_differ")] if self._targets_differ() else []),
            *(locale.say(f"figure.convergence.{key}") for key in self._of_axes()),
            *own_runs.sign_notes(self.counts, locale),
            *own_runs.size_notes(self.table, locale),
            *common.warning_notes(self.shown, locale),
            *([locale.say("figure.convergence.left_out", n=asked.left)] if asked.left else []),
            *([locale.say("figure.convergence.beside", n=asked.beside)] if asked.beside else []),
            *self._of_states(locale),
        ]

    def _of_targets(self) -> list[str]:
        apart = any(self.several.values())
        said = {
            "points_only": self.printed,
            "rate": (self.table["kind"] == "rate").any(),
            "goals_apart" if apart else "goals": self.every,
        }
        return [key for key, holds in said.items() if holds]

    def _of_counts(self, locale: Locale) -> list[str]:
        if not self.summary.empty:
            return [locale.say("figure.convergence.each")]
        if not self.printed and max(self.counts.values()) > 1:
            listed = [
                locale.say("figure.convergence.count", series=label, runs=count)
                for label, count in self.counts.items()
            ]
            return [locale.say("figure.convergence.lines", counts=locale.join(listed))]
        if all(run.metric("final_accuracy") is None or _once(run) for run in self.shown):
            return [locale.say("figure.one_run")]
        return []

    def _of_bands(self, locale: Locale) -> list[str]:
        key = "band_own" if self.own else "band"
        banded = curve_points.banded(self.table, self.along)
        return [MarkNote(locale.say(f"figure.convergence.{key}"))] if banded else []

    def _targets_differ(self) -> bool:
        return self.logged and any(
            len({target.value for target in self.targets[metric, ALL]}) > 1
            for metric in self.metrics
        )

    def _of_axes(self) -> list[str]:
        said = {
            "cut": self.cut and not self.top1,
            "clock": self.unit and (self.logged or self.own),
        }
        return [key for key, holds in said.items() if holds]

    def _of_states(self, locale: Locale) -> Iterator[str]:
        if self.axes:
            asked = self.asked.spending
            yield from spending.notes(self.table, self.shown, asked, self.names, locale)
        if self.logged:  # a picture's credit says so itself
            yield StateNote(locale.say("figure.unverified"))


HEIGHT: Final = 340
"""Height in px of a picture whose legend has few lines."""

FEW: Final = 40
"""The most rows of a table of curves that can be read."""


def _lines(table: pd.DataFrame, families: Sequence[str]) -> int:
    """Lines of the legend of pictures in the default state."""
    shown = table[table["family"] == families[0]] if families else table
    return int(shown["series"].nunique())


def _once(run: Run) -> bool:
    metric = run.metric("final_accuracy")
    return metric is not None and metric.n == 1
