"""How fast does the model get better, epoch by epoch?"""

from collections.abc import Sequence

import altair as alt

from kernels.catalog import Catalog
from kernels.claims import Facts
from kernels.records import Run
from site_src import tables, tables_curve, tables_target
from site_src.figures import common, parts
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import Column
from site_src.locales import Locale


def figure(runs: Sequence[Run], catalog: Catalog, facts: Facts, subject: str, page: str, *, metric: str = "top1") -> Figure | None:
    """Quality by epoch of these runs: curves where they have evaluations, points where only some are printed; None without either."""
    table = tables_curve.curve(catalog, runs, metric)
    if table.empty or table["quality"].notna().sum() == 0:
        return None
    goals = [target.value for target in tables_target.targets(runs, metric)]
    printed = (table["kind"] != "evaluation").all()

    def notes(locale: Locale) -> list[str]:
        said = []
        if printed:
            said.append(locale.say("figure.convergence.points_only"))
        if (table["kind"] == "rate").any():
            said.append(locale.say("figure.convergence.rate"))
        if all(run.metric("final_accuracy") is None or _once(run) for run in runs):
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
            Column("epoch", "column.epoch", "number", unit="epochs", ref="epoch_ref"),
            Column("quality", "column.top1", "fraction", decimals=1 if printed else 2, ref="quality_ref"),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "quality", "epoch": "epoch"},
        draw=lambda sketch: draw(sketch, goals),
        sentence=lambda locale: sentence(runs, catalog, facts, goals, locale),
        axis={"quality": "axis.top1_cut"},
        notes=notes,
        log=False,
        relative=False,
        count=False,
    )


def _once(run: Run) -> bool:
    metric = run.metric("final_accuracy")
    return metric is not None and metric.n == 1


def draw(sketch: Sketch, goals: Sequence[float]) -> list[alt.Chart]:
    """Curves and points; targets as dashed lines, changes of the learning rate as ticks on the base line."""
    epoch = alt.X(
        field="epoch",
        type="quantitative",
        scale=alt.Scale(zero=True, nice=True),
        axis=alt.Axis(title=sketch.locale.say("axis.epoch"), format=parts.NUMBER, grid=False, tickCount=5 if sketch.narrow else 10),
    )
    quality = alt.Y(field="value", type="quantitative", scale=alt.Scale(zero=False, nice=True, padding=14), axis=parts.value_axis(sketch))
    place = {"x": epoch, "y": quality, "color": parts.colour(sketch)}
    detail = alt.Detail(field="run_series", type="nominal")
    quiet = themes.QUIET[sketch.theme]
    return [
        alt.Chart(alt.InlineData(values=[{"goal": goal} for goal in goals], name="goals"), name="goals")
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=quiet)
        .encode(y=alt.Y(field="goal", type="quantitative")),
        alt.Chart(name="curves")
        .transform_filter("datum.kind === 'evaluation'")
        .mark_line(strokeWidth=2)
        .encode(**place, detail=detail, strokeDash=parts.dash(sketch)),
        alt.Chart(name="evaluations")
        .transform_filter("datum.kind === 'evaluation'")
        .mark_point(size=26, filled=True, opacity=1)
        .encode(x=epoch, y=quality, fill=parts.filling(sketch), shape=parts.shape(sketch), tooltip=parts.tip()),
        alt.Chart(name="points")
        .transform_filter("datum.kind === 'target' || datum.kind === 'final'")
        .mark_point(size=110, strokeWidth=2, opacity=1, fill=sketch.paper)
        .encode(**place, shape=parts.shape(sketch), strokeDash=parts.dash(sketch), tooltip=parts.tip()),
        *(
            # the end of training stands below its mark: it is often within a few epochs of the best value
            alt.Chart(name=f"epochs_{kind}")
            .transform_filter(f"datum.kind === '{kind}' && datum.points_only")
            .mark_text(dy=up, fontSize=12, fontWeight="bold")
            .encode(x=epoch, y=quality, text=alt.Text(field="epoch", type="quantitative", format=parts.NUMBER))
            for kind, up in (("target", -15), ("final", 17))
        ),
        alt.Chart(name="rates")
        .transform_filter("datum.kind === 'rate'")
        .mark_point(size=60, filled=True, opacity=1, shape="triangle-up", yOffset=-5)
        .encode(x=epoch, y=parts.down("height"), fill=parts.filling(sketch), tooltip=parts.tip()),
    ]


def sentence(runs: Sequence[Run], catalog: Catalog, facts: Facts, goals: Sequence[float], locale: Locale) -> Sentence:
    """Epochs to the lowest target that two systems reached; without one, the final values."""
    for goal in goals:
        key = f"epochs_to_target@{goal:g}"
        hits = [run for run in runs if (hit := run.metric(key)) is not None and hit.value is not None]
        ranked = sorted(hits, key=lambda run: facts.get(f"run:{run.run_id}:{key}").value or 0)
        if len({tables.series_id(run) for run in ranked}) > 1:
            first = ranked[0]
            last = ranked[-1]
            figures = [("target", locale.percent(goal, 1), goal, f"number:{goal:g}")]
            for ordinal, run in (("first", first), ("second", last)):
                ref = f"run:{run.run_id}:{key}"
                count = facts.get(ref).value
                assert count is not None  # noqa: S101 - hits have a value
                figures.append((f"{ordinal}_value", locale.quantity(count, "epochs", 0), count, ref))
            names = {"first": tables.series_label(first, catalog), "second": tables.series_label(last, catalog)}
            if len(ranked) > len({tables.series_id(run) for run in ranked}):
                figures.append(("runs", locale.number(len(ranked), 0), float(len(ranked)), f"number:{len(ranked)}"))
                return Sentence("headline.range", tuple(figures))
            if figures[1][2] == figures[2][2]:
                return Sentence("headline.equal", tuple(figures[:2]), names)
            return Sentence("headline.first", tuple(figures), names)
    finals = [(run, run.metric("final_accuracy")) for run in runs]
    known = sorted(((run, m.value) for run, m in finals if m is not None and m.value is not None), key=lambda pair: pair[1], reverse=True)
    if not known:
        best = max(((run, e.value) for run in runs for e in run.evaluations), key=lambda pair: pair[1])
        figure_ = ("first_value", locale.percent(best[1], 2), best[1], f"number:{best[1]!r}")
        return Sentence("headline.best", (figure_,), {"first": tables.series_label(best[0], catalog)})
    figures = []
    for ordinal, (run, value) in (("first", known[0]), ("second", known[-1])):
        figures.append((f"{ordinal}_value", locale.percent(value, 2), value, f"run:{run.run_id}:final_accuracy"))
    names = {"first": tables.series_label(known[0][0], catalog), "second": tables.series_label(known[-1][0], catalog)}
    if len(known) == 1:
        return Sentence("headline.final", (figures[0],), names)
    figures.append(("runs", locale.number(len(known), 0), float(len(known)), f"number:{len(known)}"))
    return Sentence("headline.finals", tuple(figures), names)
