"""How long does a step take, from the first to the last?"""

from collections.abc import Mapping, Sequence
from typing import Final

import altair as alt

from kernels.catalog import Catalog
from kernels.claims import Facts
from kernels.records import Run
from site_src import tables, tables_curve
from site_src.figures import alike, common, parts
from site_src.figures import theme as themes
from site_src.figures.base import Digest, Figure, Sentence, Sketch
from site_src.figures.columns import Column
from site_src.locales import Locale

PHASES = ("compile", "warmup", "measure")


def figure(runs: Sequence[Run], catalog: Catalog, facts: Facts, subject: str, page: str) -> Figure | None:
    """Step times of the fastest run of each series and number format; None where no run has steps and their median."""
    timed = _fastest([run for run in runs if run.steps and run.metric("step_time_s") is not None])
    names = alike.named(timed, catalog)
    table = alike.told(tables_curve.steps(catalog, timed), names)
    if table.empty:
        return None
    medians = [(run, facts.get(f"run:{run.run_id}:step_time_s").value) for run in timed]
    known = [(run, value) for run, value in medians if value is not None]
    if not known:
        return None

    def sentence(locale: Locale) -> Sentence:
        run, median = min(known, key=lambda pair: pair[1])
        figures = [("first_value", locale.quantity(median, "s", digits=3), median, f"run:{run.run_id}:step_time_s")]
        label = {"first": names[run.run_id][1]}
        first = next((step.duration_s for step in run.steps), None)
        if first is not None and first > median:
            times = first / median
            figures.append(("times", locale.number(times, 1), times, f"number:{times!r}"))
            return Sentence("headline.slow_start", tuple(figures), label)
        return Sentence("headline.steady", tuple(figures), label)

    def notes(locale: Locale) -> list[str]:
        thinned = len(table) < sum(len(run.steps) for run in timed)
        said = [locale.say(f"figure.steps.{key}") for key in ("phases", "median", *(["thinned"] if thinned else []))]
        return [*said, *alike.sign_notes([label for _, label in names.values()], locale)]

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
        series=alike.looks(common.series(table), names, timed),
        fields={"value": "duration"},
        draw=lambda sketch: draw(sketch, [value for _, value in known]),
        sentence=sentence,
        axis={"duration": "axis.step_seconds"},
        notes=notes,
        digest=_digest(catalog, timed, names),
        relative=False,
        count=False,
        log_first=True,
        shapes=False,
        texts=False,
    )


def _fastest(runs: Sequence[Run]) -> list[Run]:
    """The run with the highest throughput of each series and number format; of equals, or of runs without one, the newest."""
    found: dict[object, Run] = {}
    for run in sorted(runs, key=_standing):
        found[tables.series_id(run), run.precision] = run
    return list(found.values())


def _standing(run: Run) -> tuple[float, str, str]:
    metric = tables.throughput_metric(run)
    return (metric.value if metric is not None else None) or 0.0, str(run.started_at or ""), run.run_id


def _digest(catalog: Catalog, runs: Sequence[Run], names: Mapping[str, tuple[str, str]]) -> Digest:
    """A row a run and phase: how many steps, and how long they took."""
    return Digest(
        alike.told(tables_curve.phases(catalog, runs), names),
        (
            common.SERIES,
            Column("batch", "column.batch", "number", decimals=0, ref="batch_ref"),
            Column("phase", "column.phase", "key", prefix="phase"),
            Column("steps", "column.steps", "number", decimals=0),
            *(Column(end, f"column.{word}", "number", unit="s", decimals=6) for end, word in _ENDS),
            Column("run_id", "column.run", "run"),
        ),
    )


_ENDS: Final = (("low", "low"), ("mid", "median"), ("high", "high"))


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
