"""How fast does the model get better, epoch by epoch?"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels import spreads
from kernels.catalog import Catalog
from kernels.claims import Facts
from kernels.records import Direction, Origin, Run, Target
from kernels.spreads import Measure
from kernels.units import SECONDS_AN_HOUR
from site_src import tables, tables_curve
from site_src.figures import common, parts
from site_src.figures import theme as themes
from site_src.figures.base import LEGEND_LINE, LEGEND_LINES, Digest, Figure, Sentence, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control
from site_src.locales import Locale

FAR: Final = 0.25
"""Where the least quality is above this share of the greatest, an axis from 0 would be empty for the most part."""


def figure(
    runs: Sequence[Run], catalog: Catalog, facts: Facts, subject: str, page: str, *, metrics: Sequence[str] = ("top1",)
) -> Figure | None:
    """Qualities of these runs by epoch (or by samples, where logs count no epochs), and by time where they were clocked.

    Curves where runs have evaluations, points where only some are printed. None without either, and where there are only the ends of runs.
    """
    table = tables_curve.curve(catalog, runs, metrics)
    if table.empty or table["quality"].notna().sum() == 0:
        return None
    if (table["kind"] == "final").all():
        return None  # ends alone are no curve; the chart of final accuracies has them
    return of(table, runs, catalog, facts, Asked(f"{subject}-convergence", page, "convergence", subject, tuple(metrics)))


@dataclass(frozen=True, slots=True)
class Asked:
    """Which figure of curves is made: `id`, `page`, `key` and `subject` of the figure, the `metrics` compared.

    Attributes:
        near: Whether the picture begins near the targets instead of at 0.
        chosen: Whether a reader chooses the accelerators where there are many series; else all are drawn.
        said: Notes beside those of the curves.
        told: The sentence, where it is not that of the targets.
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


def of(table: pd.DataFrame, runs: Sequence[Run], catalog: Catalog, facts: Facts, asked: Asked) -> Figure:
    """The figure of a table of curves."""
    metrics = asked.metrics
    shown = [run for run in runs if run.run_id in set(table["run_id"])]
    printed = (table["kind"] != "evaluation").all()
    logged = any(run.round is not None for run in shown)
    along = tables_curve.axis(shown, metrics)
    table, unit = timed(read_in(table, metrics))
    families = _families(table) if asked.chosen else []
    goals = {
        (metric, name): [Goal.of(target, aimed(kept, target)) for target in tables_curve.goals(kept, metric)]
        for metric in metrics
        for name in [*families, ALL]
        for kept in [[run for run in shown if name in (ALL, tables_curve.family(run, catalog))]]
    }
    every = [goal for metric in metrics for goal in goals[metric, ALL]]
    # near a target one may look where there are readings on both sides of it
    near = bool(every) and logged and (table["kind"] == "evaluation").sum() > FEW
    drawn = table["metric"].isna() | (table["metric"] == metrics[0])
    known = [float(value) for value in table[drawn]["quality"] if present(value)]
    cut = min(known) > FAR * max(known)
    counts = Counter(tables.series_label(run, catalog) for run in shown)
    fraction = not {tables_curve.LOSS, tables.BLEU} & set(metrics)
    # a loss that begins near its target needs no closer look
    near = near and (tables_curve.LOSS not in metrics or max(known) > (1 + NEAR) * max(goal.value for goal in every))
    top1 = metrics == ("top1",)
    summed = logged and len(table) > FEW
    summary = tables_curve.digest(catalog, facts, shown, metrics, along=along, unit=unit) if summed else None
    controls = _controls(metrics, families, along, unit, zoom=near, first_near=asked.near)
    look = Drawing(goals, along=along, unit=unit, many=max(counts.values()) > 1, cut=cut, near=asked.near)

    def notes(locale: Locale) -> list[str]:
        said = []
        if printed:
            said.append(locale.say("figure.convergence.points_only"))
        if (table["kind"] == "rate").any():
            said.append(locale.say("figure.convergence.rate"))
        if every:
            said.append(locale.say("figure.convergence.goals_aimed" if logged else "figure.convergence.goals"))
        if logged and any(len({goal.value for goal in goals[metric, ALL]}) > 1 for metric in metrics):
            said.append(locale.say("figure.convergence.targets_differ"))
        if summed:
            said.append(locale.say("figure.convergence.each"))
        elif not printed and max(counts.values()) > 1:
            listed = [locale.say("figure.convergence.count", series=label, runs=count) for label, count in counts.items()]
            said.append(locale.say("figure.convergence.lines", counts=locale.join(listed)))
        elif all(run.metric("final_accuracy") is None or _once(run) for run in shown):
            said.append(locale.say("figure.one_run"))
        said += [locale.say("figure.convergence.band")] if _banded(table, along) else []
        said += [locale.say("figure.convergence.twice")] if _twice(table, along) else []
        said += [locale.say("figure.convergence.cut")] if cut and not top1 else []
        said += [locale.say("figure.convergence.near")] if near else []
        said += [locale.say("figure.convergence.clock")] if unit and logged else []
        said += [locale.say("figure.convergence.families", family=families[0])] if families else []
        said += [locale.say("figure.convergence.digest")] if summed else []
        said += batches(shown, catalog, locale) if summed else []
        said += [locale.say("figure.convergence.unverified")] if logged else []
        return [*said, *asked.said(locale)]

    heading = "column.top1" if top1 else "column.quality"
    quality = (
        Column("quality", heading, "fraction", decimals=1 if printed else 2, ref="quality_ref")
        if fraction
        else Column("quality", heading, "number", decimals=2 if tables.BLEU in metrics else 4, ref="quality_ref")
    )
    return Figure(
        id=asked.id,
        page=asked.page,
        key="curves" if asked.told is None and _held(shown, facts, metrics) is not None else asked.key,
        subject=asked.subject,
        table=table,
        columns=(
            common.SERIES,
            Column("kind", "column.point", "key", prefix="point"),
            *([Column("metric", "column.measure", "key", prefix="metric")] if not top1 else []),
            Column("epoch", "column.epoch", "number", unit="epochs", ref="epoch_ref", counted=True),
            *([Column("samples", "column.samples_seen", "number", decimals=0, counted=True)] if along == "samples" else []),
            *([Column("time", f"column.time_{unit}", "number", unit=unit, decimals=2, shown=logged)] if unit else []),
            quality,
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "quality", "along": along},
        draw=look.draw,
        sentence=asked.told or (lambda locale: sentence(shown, catalog, facts, metrics, locale)),
        axis={"quality": ("axis.top1_cut" if cut else "axis.top1") if top1 else f"metric.{metrics[0]}"},
        axis_by={"quality": {metric: f"metric.{metric}" for metric in metrics}} if len(metrics) > 1 else {},
        controls=controls,
        notes=notes,
        log=False,
        relative=False,
        count=False,
        texts=False,
        height=HEIGHT + LEGEND_LINE * max(0, _lines(table, families) - LEGEND_LINES),
        digest=_digest(summary, table, metrics, along, unit) if summary is not None else None,
    )


HEIGHT: Final = 340
"""Height in px of a picture whose legend has few lines."""

FEW: Final = 40
"""Rows up to which a table of curves can be read."""

CHOOSE: Final = 5
"""Series that one picture can hold; of more, those of one kind of accelerator are drawn first."""

ALL: Final = "all"

HOURS: Final = 3.0
"""Hours from which times are written in hours."""


def timed(table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The table with `time` in the unit that its longest run asks for, min or h, to the millisecond of the logs; empty without a clock."""
    seconds = [float(value) for value in table["time_s"] if present(value)]
    if not seconds:
        return table.assign(time=pd.Series([None] * len(table), index=table.index, dtype=object)), ""
    unit = "h" if max(seconds) > HOURS * SECONDS_AN_HOUR else "min"
    size, decimals = (SECONDS_AN_HOUR, 7) if unit == "h" else (60.0, 5)
    times = [round(float(value) / size, decimals) if present(value) else None for value in table["time_s"]]
    return table.assign(time=pd.Series(times, index=table.index, dtype=object)), unit


def batches(runs: Sequence[Run], catalog: Catalog, locale: Locale) -> list[str]:
    """That a workload has no batch sizes, as nobody says what they count; nothing where all are known."""
    unsure = dict.fromkeys(catalog.workloads[run.workload].name for run in runs if tables.unsure_batch(run))
    return [locale.say("figure.convergence.batch_unit", name=locale.join(list(unsure)))] if unsure else []


def read_in(table: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The table with qualities as they are read: BLEU from 0 to 100, as its rules have it; all others as they are recorded."""
    if tuple(metrics) != (tables.BLEU,):
        return table
    values = [tables.level(tables.BLEU, float(value)) if present(value) else None for value in table["quality"]]
    refs = [f"product({ref}, number:100)" if present(ref) else None for ref in table["quality_ref"]]
    return table.assign(quality=_objects(values, table), quality_ref=_objects(refs, table))


def _objects(values: Sequence[object], table: pd.DataFrame) -> pd.Series:
    return pd.Series(values, index=table.index, dtype=object)


def _families(table: pd.DataFrame) -> list[str]:
    """Kinds of accelerators to choose from, the one with the most series first; none where a picture can hold them all."""
    found = Counter(str(name) for name in table.drop_duplicates("series")["family"])
    return [name for name, _ in found.most_common()] if len(found) > 1 and found.total() > CHOOSE else []


def _lines(table: pd.DataFrame, families: Sequence[str]) -> int:
    """Lines of the legend at first: of pictures, which have one a series."""
    shown = table[table["family"] == families[0]] if families else table
    return int(shown["series"].nunique())


def _banded(table: pd.DataFrame, along: str) -> bool:
    """Whether two runs of a series were evaluated at the same place."""
    read = table[(table["kind"] == "evaluation") & table[along].notna()]
    return bool((read.groupby(["series", "metric", along])["run_series"].nunique() > 1).any())


def _twice(table: pd.DataFrame, along: str) -> bool:
    """Whether a log gives one place to two evaluations of a run."""
    read = table[(table["kind"] == "evaluation") & table[along].notna()]
    return bool(read.duplicated(["run_series", "metric", along]).any())


def _controls(
    metrics: Sequence[str], families: Sequence[str], along: str, unit: str, *, zoom: bool, first_near: bool
) -> tuple[Control, ...]:
    def words(key: str) -> Callable[[Locale], str]:
        return lambda locale: locale.say(key)

    found = []
    if len(metrics) > 1:
        found.append(Control("quality", tuple(Choice(metric, words(f"metric.{metric}")) for metric in metrics), filters="metric"))
    if families:
        kinds = [Choice(tables.slug(name), lambda _, name=name: name) for name in families]  # type: ignore[misc]
        found.append(Control("family", (*kinds, Choice(ALL, words("control.all"))), filters="family_id", every=ALL))
    if unit:
        axes = {"epoch": "epochs"}.get(along, along)
        choices = (
            (axes, along, f"control.axis_{axes}"),
            ("time", "time", "control.axis_time"),
            ("time-log", "time", "control.axis_time_log"),
        )
        shown = {value: column for value, column, _ in choices}
        found.append(Control("axis", tuple(Choice(value, words(key)) for value, _, key in choices), fields={"along": shown}))
    if zoom:
        ranges = [Choice("whole", words("control.range_whole")), Choice("target", words("control.range_target"))]
        found.append(Control("range", tuple(reversed(ranges) if first_near else ranges)))
    return tuple(found)


def _digest(table: pd.DataFrame, drawn: pd.DataFrame, metrics: Sequence[str], along: str, unit: str) -> Digest:
    labels = dict(zip(drawn["series"], drawn["label"], strict=True))
    table = table.assign(family_id=[tables.slug(str(name)) for name in table["family"]], label=[labels[name] for name in table["series"]])
    counted = "epochs" if along == "epoch" else along
    target = Column("target", "column.target", "fraction", decimals=1)
    if tables_curve.LOSS in metrics:
        target = Column("target", "column.target", "number", decimals=3)
    elif tables.BLEU in metrics:
        target = Column("target", "column.target", "number", decimals=1)
        table["target"] = [tables.level(tables.BLEU, float(value)) for value in table["target"]]
    ends = [("low", "lowest"), ("mid", "median"), ("high", "highest")]
    return Digest(
        table,
        (
            common.SERIES,
            *([Column("metric", "column.measure", "key", prefix="metric")] if len(metrics) > 1 else []),
            target,
            Column("n", "column.n", "number", decimals=0),
            Column("hits", "column.hits", "number", decimals=0),
            *(Column(f"reach_{end}", f"column.{counted}_{word}", "number", ref=f"reach_{end}_ref", counted=True) for end, word in ends),
            *(
                Column(f"time_{end}", f"column.reached_{word}", "number", unit=unit, decimals=2, ref=f"time_{end}_ref")
                for end, word in (ends if unit else [])
            ),
            Column("batch", "column.batch", "number", decimals=0, ref="batch_ref"),
            Column("software", "column.framework"),
            Column("submitter", "column.submitted_by"),
            Column("division", "column.of_division", "key", prefix="division"),
            Column("page", "column.source", "link", prefix="figure.convergence.round_page"),
        ),
    )


def _once(run: Run) -> bool:
    metric = run.metric("final_accuracy")
    return metric is not None and metric.n == 1


@dataclass(frozen=True, slots=True)
class Goal:
    """A target in the chart: its `value` as it is read, and how many of the `runs` that aimed at it reached it: `hits`.

    Attributes:
        stated: Whether it is what a publication prints of its own runs, and no rule's.
        metric: Of which quality it is.
    """

    value: float
    hits: int
    runs: int
    stated: bool = False
    metric: str = "top1"

    @classmethod
    def of(cls, target: Target, runs: Sequence[Run]) -> "Goal":
        """The target held against these runs, by the time they were clocked to it or by their evaluations."""
        published = all(run.origin is Origin.PUBLISHED for run in runs)
        hits = sum(_reached(run, target) for run in runs)
        return cls(tables.level(target.metric, target.value), hits, len(runs), published, target.metric)

    def level(self, locale: Locale) -> str:
        """The quality as it is written."""
        if self.metric == tables.BLEU:
            return locale.number(self.value, 1)
        return locale.number(self.value, 3) if self.metric == tables_curve.LOSS else locale.percent(self.value, 1)

    def text(self, locale: Locale, *, article: bool = False) -> str:
        """What stands at its line; in a chart that has rounds too, an `article` is called so."""
        key = "goal_article" if article and self.stated else "goal"
        return locale.say(f"figure.convergence.{key}", target=self.level(locale), hits=self.hits, runs=self.runs)


def aimed(runs: Sequence[Run], target: Target) -> list[Run]:
    """The runs that were to reach a target: those that name it; others are held against it where they name none and can be.

    A benchmark's round sets its runs a target, and beside rounds a publication's runs without a curve can be held against their own alone.
    """
    rounds = any(run.round is not None for run in runs)

    def held(run: Run) -> bool:
        if any(_alike(own, target) for own in tables_curve.named(run, target.metric)):
            return True
        return run.round is None and not run.targets and (bool(run.evaluations) or not rounds)

    return [run for run in runs if held(run)]


def _alike(one: Target, other: Target) -> bool:
    return one.metric == other.metric and one.value == other.value


def _reached(run: Run, target: Target) -> bool:
    hits = [hit for hit in run.metrics if hit.name in tables_curve.TO_TARGET and hit.target is not None and _alike(hit.target, target)]
    if hits:
        return any(hit.value is not None for hit in hits)
    known = [evaluation.value for evaluation in run.evaluations if evaluation.metric == target.metric]
    return any(value >= target.value if target.direction is Direction.AT_LEAST else value <= target.value for value in known)


MANY: Final = 300
"""Evaluations of which a picture draws the curves alone; the page's chart has a mark for each, to point at."""

CROWD: Final = 30
"""Runs whose curves are drawn as hairlines."""

ABOVE: Final = 9
"""How far in px the middle of a target's words is from its line; about half their height."""


@dataclass(frozen=True, slots=True)
class Drawing:
    """How curves are drawn.

    Attributes:
        goals: Targets by metric and kind of accelerator.
        along: What evaluations count along.
        unit: Of the time axis; empty for none.
        many: Whether a series has several runs, whose curves are thin, so that they can be told apart.
        cut: Whether the axis begins near the least value.
        near: Whether the axis is first drawn near the targets.
    """

    goals: Mapping[tuple[str, str], Sequence[Goal]]
    along: str
    unit: str
    many: bool
    cut: bool
    near: bool

    def draw(self, sketch: Sketch) -> list[alt.Chart]:
        """Bands, curves and points; targets as dotted lines, changes of the learning rate as ticks on the base line."""
        state = {control.key: control.choice(sketch.state) for control in sketch.figure.controls}
        metric = state.get("quality", next(iter(self.goals))[0])
        names = [name for one, name in self.goals if one == metric]
        goals = self.goals[metric, next((name for name in names if tables.slug(name) == state.get("family", ALL)), ALL)]
        clocked = state.get("axis", "").startswith("time")
        title = f"axis.time_{self.unit}" if clocked else "axis.samples" if self.along == "samples" else "axis.epoch"
        along = alt.X(
            field="along",
            type="quantitative",
            scale=alt.Scale(type="log", nice=False, padding=14) if state.get("axis") == "time-log" else alt.Scale(zero=True, nice=True),
            axis=parts.count_axis(sketch, title),
        )
        close = "range" in state and state["range"] == "target"
        domain = self._domain(sketch, metric) if close else None
        extent = (
            alt.Scale(domain=domain, nice=True, zero=False)
            if domain
            else alt.Scale(zero=False, nice=True, padding=14)
            if self.cut
            else alt.Scale(zero=True, nice=True)
        )
        clip: dict[str, Any] = {"clip": True} if close else {}
        # a mark at the edge is whole or not there
        inside = f" && datum.value >= {domain[0]!r} && datum.value <= {domain[1]!r}" if domain else ""
        quality = alt.Y(field="value", type="quantitative", scale=extent, axis=parts.value_axis(sketch))
        place = {"x": along, "y": quality, "color": parts.colour(sketch)}
        detail = alt.Detail(field="run_series", type="nominal")
        placed = "isValid(datum.along)"
        read = f"datum.kind === 'evaluation' && {placed}"
        crowd = len({row["run_series"] for row in sketch.rows}) > CROWD
        evaluations = sum(row["kind"] == "evaluation" for row in sketch.rows)
        point: dict[str, Any] = {"size": 14 if self.many else 30, "strokeWidth": 1.5, "opacity": 1}
        if evaluations > MANY:
            point = {"size": 40, "strokeWidth": 1, "opacity": 0}  # to point at
        return [
            *self._band(sketch, along, "false" if clocked else read, clip),
            *self._goals(sketch, goals, domain),
            alt.Chart(name="curves")
            .transform_filter(read)
            .mark_line(strokeWidth=0.7 if crowd else 1.2 if self.many else 2, opacity=0.5 if crowd else 0.75 if self.many else 1, **clip)
            .encode(**place, detail=detail, strokeDash=parts.dash(sketch)),
            *(
                [
                    alt.Chart(name="evaluations")
                    .transform_filter(f"{read}{inside}")
                    .mark_point(**point)
                    .encode(**place, fill=parts.inside(sketch), shape=parts.shape(sketch), tooltip=parts.tip())
                ]
                if evaluations <= MANY or sketch.interactive
                else []
            ),
            *(
                [
                    alt.Chart(name="ends")
                    .transform_filter(f"{read} && datum.last{inside}")
                    .mark_point(size=26 if crowd else 60, strokeWidth=1.2 if crowd else 1.8, opacity=1)
                    .encode(**place, fill=parts.inside(sketch), shape=parts.shape(sketch), tooltip=parts.tip())
                ]
                if self.many
                else []
            ),
            alt.Chart(name="points")
            .transform_filter(f"(datum.kind === 'target' || datum.kind === 'final') && {placed}{inside}")
            .mark_point(size=110, strokeWidth=2, opacity=1)
            .encode(**place, fill=parts.inside(sketch), shape=parts.shape(sketch), strokeDash=parts.dash(sketch), tooltip=parts.tip()),
            *(
                # the end of training stands below its mark: it is often within a few epochs of the best value
                alt.Chart(name=f"epochs_{kind}")
                .transform_filter(f"datum.kind === '{kind}' && datum.points_only && {placed}{inside}")
                .mark_text(dy=up, fontSize=12, fontWeight="bold")
                .encode(x=along, y=quality, text=alt.Text(field="epoch", type="quantitative", format=parts.NUMBER))
                for kind, up in (("target", -15), ("final", 17))
            ),
            *self._words(sketch, goals, domain),
            alt.Chart(name="rates")
            .transform_filter(f"datum.kind === 'rate' && {placed}")
            .mark_point(size=60, filled=True, opacity=1, shape="triangle-up", yOffset=-5)
            .encode(x=along, y=parts.down("height"), fill=parts.filling(sketch), tooltip=parts.tip()),
        ]

    def _domain(self, sketch: Sketch, metric: str) -> list[float]:
        """The axis near the targets: a part of their level to their worse side, all readings on the better one."""
        goals = self.goals[metric, ALL]
        levels = [goal.value for goal in goals]
        read = [float(str(row["quality"])) for row in sketch.figure.table.to_dict("records") if row["metric"] == metric]
        if goals[0].metric == tables_curve.LOSS:
            return [min([*read, *levels]), max(levels) * (1 + NEAR)]
        return [min(levels) * (1 - NEAR), max([*read, *levels])]

    def _band(self, sketch: Sketch, along: alt.X, read: str, clip: Mapping[str, Any]) -> list[alt.Chart]:
        """From the lowest to the highest of the runs of a series that were read at one place, once each, where there are two or more."""
        if not self.many:
            return []
        ends = [
            alt.AggregatedFieldDef(op="min", field="value", **{"as": "least"}),
            alt.AggregatedFieldDef(op="max", field="value", **{"as": "most"}),
            alt.AggregatedFieldDef(op="distinct", field="run_series", **{"as": "several"}),
            alt.AggregatedFieldDef(op="count", **{"as": "readings"}),
        ]
        band = (
            alt.Chart(name="bands")
            .transform_filter(read)
            .transform_aggregate(ends, groupby=["series", "along"])
            .transform_filter("datum.several > 1 && datum.readings === datum.several")
            .mark_area(opacity=0.2, **clip)
            .encode(
                x=along,
                y=alt.Y(field="least", type="quantitative"),
                y2=alt.Y2(field="most"),
                fill=parts.filling(sketch),
            )
        )
        return [band]

    def _marked(self, sketch: Sketch, goals: Sequence[Goal], domain: list[float] | None) -> list[dict[str, object]]:
        """Targets with their words and how far these are from their lines in px: above, or below where the next line is near."""
        article = any(not goal.stated for goal in goals)
        read = [float(str(row["quality"])) for row in sketch.figure.table.to_dict("records") if present(row["quality"])]
        low, high = domain or [0.0, max([*read, 0.0])]
        marked: list[dict[str, object]] = []
        free = -math.inf  # where the last words end
        for goal in sorted(goals, key=lambda goal: -goal.value):
            px = (high - goal.value) / ((high - low) or 1) * PLOT
            drop = -ABOVE if px - 2 * ABOVE >= free else max(ABOVE, free - px + ABOVE)
            free = px + drop + ABOVE - 3
            place = {"drop": round(drop)} if drop > 0 else {}
            marked.append({"goal": goal.value, "words": goal.text(sketch.locale, article=article), **place})
        return marked

    def _goals(self, sketch: Sketch, goals: Sequence[Goal], domain: list[float] | None) -> list[alt.Chart]:
        if not any(self.goals.values()):
            return []
        data = alt.InlineData(values=self._marked(sketch, goals, domain), name="goals")
        rule = alt.Chart(data, name="goals").mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=themes.QUIET[sketch.theme])
        return [rule.encode(y=alt.Y(field="goal", type="quantitative"))]

    def _words(self, sketch: Sketch, goals: Sequence[Goal], domain: list[float] | None) -> list[alt.Chart]:
        """On the left, where curves are still below their targets; on a ground of paper where they are not."""
        if not any(self.goals.values()):
            return []
        data = alt.InlineData(values=self._marked(sketch, goals, domain), name="goals")
        quiet = themes.QUIET[sketch.theme]
        grounds: tuple[tuple[str, dict[str, Any]], ...] = (
            ("goal_ground", {"stroke": sketch.paper, "strokeWidth": 4, "strokeJoin": "round"}),
            ("goal_words", {}),
        )
        drop = alt.ExprRef(f"isValid(datum.drop) ? datum.drop : -{ABOVE}")
        return [
            alt.Chart(data, name=name)
            .mark_text(align="left", dx=6, dy=drop, fontSize=12, color=quiet, **ground)
            .encode(x=parts.along(0), y=alt.Y(field="goal", type="quantitative"), text=alt.Text(field="words", type="nominal"))
            for name, ground in grounds
        ]


PLOT: Final = 270
"""Height in px of the plot of a picture, about: below legend, above axis."""

NEAR: Final = 0.08
"""Part of a target's level that the axis near it shows of what is worse."""


def sentence(runs: Sequence[Run], catalog: Catalog, facts: Facts, metrics: Sequence[str], locale: Locale) -> Sentence:
    """Epochs to the lowest target that two systems reached, or that one did, several times; without one, the final values.

    Of runs of a benchmark's rounds it is the target that most of them aimed at.
    """
    said = _logged(runs, catalog, facts, metrics, locale)
    if said is not None:
        return said
    goals = [target.value for target in tables_curve.goals(runs, metrics[0])]
    for ask in (_several, _alone):
        for goal in goals:
            said = ask(runs, catalog, facts, goal, locale)
            if said is not None:
                return said
    return _finals(runs, catalog, locale)


def _held(runs: Sequence[Run], facts: Facts, metrics: Sequence[str]) -> tuple[list[Run], Target, tables.Row] | None:
    """Of runs of a benchmark's rounds: the target that most aimed at, who did, and the spread of what they took; None without one.

    Where a run has to reach several qualities, it is done when it has reached all.
    """
    if all(run.round is None for run in runs):
        return None
    named = "epochs" if tables_curve.axis(runs, metrics) == "epoch" else "samples"
    found = [(aimed(runs, target), target) for target in tables_curve.goals(runs, metrics[0])]
    if not found:
        return None
    held, target = max(found, key=lambda pair: (len(pair[0]), pair[1].value))
    measure = Measure(named)
    told = sorted((value, spreads.reference(run, measure)) for run in held if (value := spreads.reading(run, measure)) is not None)
    if not told:
        return None
    ends = {"low": told[0][1], "high": told[-1][1]}
    hits: tables.Row = {f"reach_{end}_ref": ref for end, ref in ends.items()}
    return held, target, hits | {f"reach_{end}": tables.figure(facts, ref) for end, ref in ends.items()}


def _logged(runs: Sequence[Run], catalog: Catalog, facts: Facts, metrics: Sequence[str], locale: Locale) -> Sentence | None:
    """How many runs reached the target that most aimed at, and the fewest and the most epochs or samples; None without a target."""
    found = _held(runs, facts, metrics)
    if found is None:
        return None
    held, target, hits = found
    goals = [Goal.of(target, held), *(Goal.of(named, held) for metric in metrics[1:] for named in tables_curve.named(held[0], metric)[:1])]
    goal = goals[-1]
    named = "epochs" if tables_curve.axis(runs, metrics) == "epoch" else "samples"
    counts = (
        ("target", goal.level(locale), goal.value, f"number:{goal.value:g}"),
        _count("hits", min(one.hits for one in goals), locale),
        _count("runs", len(held), locale),
    )
    series = list(dict.fromkeys(tables.series_label(run, catalog) for run in held))
    low, high = (float(str(hits[f"reach_{end}"])) for end in ("low", "high"))
    parts = 0 if low % 1 == high % 1 == 0 else 2  # some logs count parts of epochs
    last = ("second_value", locale.quantity(high, named, parts), high, str(hits["reach_high_ref"]))
    # "boxes: 37.7 %, masks" and then the target of the masks
    asked = [f"{locale.say(f'metric.{one.metric}')}: {one.level(locale)}, " for one in goals[:-1]]
    names = {"metric": "".join((*asked, locale.say(f"metric.{goal.metric}"))), "first": series[0]}
    key, ends = "headline.equal", [last]
    if low != high:
        key, ends = "headline.range", [("first_value", locale.number(low, parts), low, str(hits["reach_low_ref"])), last]
    if len(series) == 1:
        return Sentence(f"{key}_one", (*counts, *ends), names)
    return Sentence(key, (*counts, _count("submissions", len(series), locale), *ends), names)


def _hits(runs: Sequence[Run], facts: Facts, goal: float) -> list[tuple[float, str, Run]]:
    """Epochs to a target, their reference and the run, fewest first."""
    key = f"epochs_to_target@{goal:g}"
    found = []
    for run in runs:
        hit = run.metric(key)
        if hit is not None and hit.value is not None:
            ref = f"run:{run.run_id}:{key}"
            found.append((float(facts.get(ref).value or hit.value), ref, run))
    return sorted(found, key=lambda entry: entry[0])


def _count(name: str, number: int, locale: Locale) -> tuple[str, str, float, str]:
    return name, locale.number(number, 0), float(number), f"number:{number}"


def _several(runs: Sequence[Run], catalog: Catalog, facts: Facts, goal: float, locale: Locale) -> Sentence | None:
    """The fewest and the most epochs to a target; None where it was not reached by two systems."""
    hits = _hits(runs, facts, goal)
    systems = {tables.series_id(run) for _, _, run in hits}
    if len(systems) < 2:  # noqa: PLR2004 - one system compares with nothing
        return None
    (low, low_ref, first), (high, high_ref, last) = hits[0], hits[-1]
    figures = [
        ("target", locale.percent(goal, 1), goal, f"number:{goal:g}"),
        ("first_value", locale.quantity(low, "epochs", 0), low, low_ref),
        ("second_value", locale.quantity(high, "epochs", 0), high, high_ref),
    ]
    if len(hits) > len(systems):
        return Sentence("headline.range", (*figures, _count("runs", len(hits), locale)))
    names = {"first": tables.series_label(first, catalog), "second": tables.series_label(last, catalog)}
    return Sentence("headline.equal", tuple(figures[:2]), names) if low == high else Sentence("headline.first", tuple(figures), names)


def _alone(runs: Sequence[Run], catalog: Catalog, facts: Facts, goal: float, locale: Locale) -> Sentence | None:
    """How many runs of the one system shown reached a target, and after how many epochs; None for several systems, or without a hit."""
    hits = _hits(runs, facts, goal)
    if not hits or len({tables.series_id(run) for run in runs}) > 1:
        return None
    (low, low_ref, first), (high, high_ref, _) = hits[0], hits[-1]
    names = {"first": tables.series_label(first, catalog)}
    target = ("target", locale.percent(goal, 1), goal, f"number:{goal:g}")
    whole = ("first_value", locale.quantity(low, "epochs"), low, low_ref)
    if len(runs) == 1:
        return Sentence("headline.single", (target, whole), names)
    counts = (_count("hits", len(hits), locale), _count("runs", len(runs), locale))
    if low == high:
        return Sentence("headline.seeds_equal", (*counts, target, whole), names)
    ends = (("first_value", locale.number(low), low, low_ref), ("second_value", locale.quantity(high, "epochs"), high, high_ref))
    return Sentence("headline.seeds", (*counts, target, *ends), names)


def _finals(runs: Sequence[Run], catalog: Catalog, locale: Locale) -> Sentence:
    """The best and the worst final value, or the best evaluation where no run states its final value."""
    finals = [(run, run.metric("final_accuracy")) for run in runs]
    known = sorted(((run, m.value) for run, m in finals if m is not None and m.value is not None), key=lambda pair: pair[1], reverse=True)
    if not known:
        run, value = max(((run, e.value) for run in runs for e in run.evaluations), key=lambda pair: pair[1])
        names = {"first": tables.series_label(run, catalog)}
        return Sentence("headline.best", (("first_value", locale.percent(value, 2), value, f"number:{value!r}"),), names)
    figures = [
        (f"{ordinal}_value", locale.percent(value, 2), value, f"run:{run.run_id}:final_accuracy")
        for ordinal, (run, value) in (("first", known[0]), ("second", known[-1]))
    ]
    names = {"first": tables.series_label(known[0][0], catalog), "second": tables.series_label(known[-1][0], catalog)}
    if len(known) == 1:
        return Sentence("headline.final", (figures[0],), names)
    return Sentence("headline.finals", (*figures, _count("runs", len(known), locale)), names)
