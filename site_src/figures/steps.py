"""How long does a step take, from the first to the last?"""

from collections.abc import Sequence

import altair as alt

from kernels.catalog import Catalog
from kernels.claims import Facts
from kernels.records import Run
from site_src import tables, tables_curve
from site_src.figures import common, parts
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import Column
from site_src.locales import Locale

PHASES = ("compile", "warmup", "measure")


def figure(runs: Sequence[Run], catalog: Catalog, facts: Facts, subject: str, page: str) -> Figure | None:
    """Step times of the newest run of each series; None where no run has steps and their median."""
    timed = tables_curve.newest([run for run in runs if run.steps and run.metric("step_time_s") is not None])
    table = tables_curve.steps(catalog, timed)
    if table.empty:
        return None
    medians = [(run, facts.get(f"run:{run.run_id}:step_time_s").value) for run in timed]
    known = [(run, value) for run, value in medians if value is not None]
    if not known:
        return None

    def sentence(locale: Locale) -> Sentence:
        run, median = min(known, key=lambda pair: pair[1])
        figures = [("first_value", locale.quantity(median, "s", digits=3), median, f"run:{run.run_id}:step_time_s")]
        names = {"first": tables.series_label(run, catalog)}
        first = next((step.duration_s for step in run.steps), None)
        if first is not None and first > median:
            times = first / median
            figures.append(("times", locale.number(times, 1), times, f"number:{times!r}"))
            return Sentence("headline.slow_start", tuple(figures), names)
        return Sentence("headline.steady", tuple(figures), names)

    return Figure(
        id=f"{subject}-steps",
        page=page,
        key="steps",
        subject=subject,
        table=table,
        columns=(
            common.SERIES,
            Column("step", "column.step", "number", unit="steps", decimals=0, counted=True),
            Column("phase", "column.phase", "key", prefix="phase"),
            Column("duration", "column.duration", "number", unit="s", decimals=6),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "duration"},
        draw=lambda sketch: draw(sketch, [value for _, value in known]),
        sentence=sentence,
        axis={"duration": "axis.step_seconds"},
        notes=lambda locale: [locale.say("figure.steps.phases"), locale.say("figure.steps.median")],
        relative=False,
        count=False,
        log_first=True,
        shapes=False,
        texts=False,
    )


def draw(sketch: Sketch, medians: Sequence[float]) -> list[alt.Chart]:
    """A point a step, its shape by what the step was for; the median of the measured ones as a line."""
    words = " : ".join([*(f"datum.value === '{phase}' ? {sketch.locale.say(f'phase.{phase}')!r}" for phase in PHASES), "datum.value"])
    phase = alt.Shape(
        field="phase",
        type="nominal",
        scale=alt.Scale(type="ordinal", domain=list(PHASES), range=["triangle-up", "square", "circle"]),
        legend=alt.Legend(
            labelExpr=words, columns=1 if sketch.narrow else 3, symbolStrokeColor=sketch.ink, symbolFillColor=sketch.ink, symbolOpacity=1
        ),
    )
    step = alt.X(
        field="step",
        type="quantitative",
        scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=parts.count_axis(sketch, "axis.step"),
    )
    duration = alt.Y(field="value", type="quantitative", scale=parts.value_scale(sketch), axis=parts.value_axis(sketch))
    return [
        alt.Chart(alt.InlineData(values=[{"median": value} for value in medians], name="medians"), name="medians")
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=themes.QUIET[sketch.theme])
        .encode(y=alt.Y(field="median", type="quantitative")),
        alt.Chart(name="left_out")
        .transform_filter("datum.phase !== 'measure'")
        .mark_point(size=50, strokeWidth=2, opacity=1)
        .encode(x=step, y=duration, color=parts.colour(sketch), shape=phase, tooltip=parts.tip()),
        alt.Chart(name="measured")
        .transform_filter("datum.phase === 'measure'")
        .mark_point(size=36, filled=True, opacity=1)
        .encode(x=step, y=duration, fill=parts.filling(sketch), shape=phase, tooltip=parts.tip()),
    ]
