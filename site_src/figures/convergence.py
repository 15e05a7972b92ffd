"""How fast does the model get better, epoch by epoch?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import altair as alt

from kernels.catalog import Catalog
from kernels.claims import Facts
from kernels.records import Direction, Run, Target
from site_src import tables, tables_curve, tables_target
from site_src.figures import common, parts
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import Column, present
from site_src.locales import Locale

FAR = 0.25
"""Where the least quality is above this share of the greatest, an axis from 0 would be empty for the most part."""


def figure(runs: Sequence[Run], catalog: Catalog, facts: Facts, subject: str, page: str, *, metric: str = "top1") -> Figure | None:
    """Quality by epoch of these runs: curves where they have evaluations, points where only some are printed.

    None without either, and where there are only the ends of runs.
    """
    table = tables_curve.curve(catalog, runs, metric)
    if table.empty or table["quality"].notna().sum() == 0:
        return None
    if (table["kind"] == "final").all():
        return None  # ends alone are no curve; the chart of final accuracies has them
    shown = [run for run in runs if run.run_id in set(table["run_id"])]
    goals = [Goal.of(target, shown) for target in tables_target.targets(shown, metric)]
    printed = (table["kind"] != "evaluation").all()
    known = [float(value) for value in table["quality"] if present(value)]
    cut = min(known) > FAR * max(known)
    counts = Counter(tables.series_label(run, catalog) for run in shown)

    def notes(locale: Locale) -> list[str]:
        said = []
        if printed:
            said.append(locale.say("figure.convergence.points_only"))
        if (table["kind"] == "rate").any():
            said.append(locale.say("figure.convergence.rate"))
        if goals:
            said.append(locale.say("figure.convergence.goals"))
        if not printed and max(counts.values()) > 1:
            told = [locale.say("figure.convergence.count", series=label, runs=count) for label, count in counts.items()]
            said.append(locale.say("figure.convergence.lines", counts=locale.join(told)))
        elif all(run.metric("final_accuracy") is None or _once(run) for run in shown):
            said.append(locale.say("figure.one_run"))
        return said

    return Figure(
        id=f"{subject}-convergence",
        page=page,
        key="convergence",
        subject=subject,
        table=table,
        columns=(
            common.SERIES,
            Column("kind", "column.point", "key", prefix="point"),
            Column("epoch", "column.epoch", "number", unit="epochs", ref="epoch_ref", counted=True),
            Column("quality", "column.top1", "fraction", decimals=1 if printed else 2, ref="quality_ref"),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "quality", "epoch": "epoch"},
        draw=lambda sketch: draw(sketch, goals, many=max(counts.values()) > 1, cut=cut),
        sentence=lambda locale: sentence(shown, catalog, facts, [goal.value for goal in goals], locale),
        axis={"quality": "axis.top1_cut" if cut else "axis.top1"},
        notes=notes,
        log=False,
        relative=False,
        count=False,
        texts=False,
    )


def _once(run: Run) -> bool:
    metric = run.metric("final_accuracy")
    return metric is not None and metric.n == 1


@dataclass(frozen=True, slots=True)
class Goal:
    """A target in the chart: its `value`, and how many of the `runs` shown reached it: `hits`."""

    value: float
    hits: int
    runs: int

    @classmethod
    def of(cls, target: Target, runs: Sequence[Run]) -> "Goal":
        """The target held against these runs, by the time they were clocked to it or by their evaluations."""
        return cls(target.value, sum(_reached(run, target) for run in runs), len(runs))

    def text(self, locale: Locale) -> str:
        """What stands at its line."""
        level = locale.percent(self.value, 1)
        return locale.say("figure.convergence.goal", target=level, hits=self.hits, runs=self.runs)


def _reached(run: Run, target: Target) -> bool:
    hit = run.metric(f"epochs_to_target@{target.value:g}")
    if hit is not None:
        return hit.value is not None
    known = [evaluation.value for evaluation in run.evaluations if evaluation.metric == target.metric]
    return any(value >= target.value if target.direction is Direction.AT_LEAST else value <= target.value for value in known)


def draw(sketch: Sketch, goals: Sequence[Goal], *, many: bool, cut: bool) -> list[alt.Chart]:
    """Curves and points; targets as dotted lines, changes of the learning rate as ticks on the base line.

    With `many` runs of one series their curves are thin, so that they can be told apart; `cut` begins the axis near the least value.
    """
    epoch = alt.X(
        field="epoch",
        type="quantitative",
        scale=alt.Scale(zero=True, nice=True),
        axis=parts.count_axis(sketch, "axis.epoch"),
    )
    extent = alt.Scale(zero=False, nice=True, padding=14) if cut else alt.Scale(zero=True, nice=True)
    quality = alt.Y(field="value", type="quantitative", scale=extent, axis=parts.value_axis(sketch))
    place = {"x": epoch, "y": quality, "color": parts.colour(sketch)}
    detail = alt.Detail(field="run_series", type="nominal")
    quiet = themes.QUIET[sketch.theme]
    marked = alt.InlineData(values=[{"goal": goal.value, "words": goal.text(sketch.locale)} for goal in goals], name="goals")
    level = alt.Y(field="goal", type="quantitative")
    rule = alt.Chart(marked, name="goals").mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=quiet).encode(y=level)
    grounds: tuple[tuple[str, dict[str, Any]], ...] = (("goal_ground", {"stroke": sketch.paper, "strokeWidth": 4}), ("goal_words", {}))
    words = [
        # on the left, where curves are still below their targets; on a ground of paper where they are not
        alt.Chart(marked, name=name)
        .mark_text(align="left", dx=6, dy=-9, fontSize=12, color=quiet, **ground)
        .encode(x=parts.along(0), y=level, text=alt.Text(field="words", type="nominal"))
        for name, ground in grounds
    ]
    return [
        *([rule] if goals else []),
        alt.Chart(name="curves")
        .transform_filter("datum.kind === 'evaluation'")
        .mark_line(strokeWidth=1.2 if many else 2, opacity=0.75 if many else 1)
        .encode(**place, detail=detail, strokeDash=parts.dash(sketch)),
        alt.Chart(name="evaluations")
        .transform_filter("datum.kind === 'evaluation'")
        .mark_point(size=14 if many else 30, strokeWidth=1.5, opacity=1)
        .encode(**place, fill=parts.inside(sketch), shape=parts.shape(sketch), tooltip=parts.tip()),
        alt.Chart(name="points")
        .transform_filter("datum.kind === 'target' || datum.kind === 'final'")
        .mark_point(size=110, strokeWidth=2, opacity=1)
        .encode(**place, fill=parts.inside(sketch), shape=parts.shape(sketch), strokeDash=parts.dash(sketch), tooltip=parts.tip()),
        *(
            # the end of training stands below its mark: it is often within a few epochs of the best value
            alt.Chart(name=f"epochs_{kind}")
            .transform_filter(f"datum.kind === '{kind}' && datum.points_only")
            .mark_text(dy=up, fontSize=12, fontWeight="bold")
            .encode(x=epoch, y=quality, text=alt.Text(field="epoch", type="quantitative", format=parts.NUMBER))
            for kind, up in (("target", -15), ("final", 17))
        ),
        *(words if goals else []),
        alt.Chart(name="rates")
        .transform_filter("datum.kind === 'rate'")
        .mark_point(size=60, filled=True, opacity=1, shape="triangle-up", yOffset=-5)
        .encode(x=epoch, y=parts.down("height"), fill=parts.filling(sketch), tooltip=parts.tip()),
    ]


def sentence(runs: Sequence[Run], catalog: Catalog, facts: Facts, goals: Sequence[float], locale: Locale) -> Sentence:
    """Epochs to the lowest target that two systems reached, or that one did, several times; without one, the final values."""
    for ask in (_several, _alone):
        for goal in goals:
            said = ask(runs, catalog, facts, goal, locale)
            if said is not None:
                return said
    return _finals(runs, catalog, locale)


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
