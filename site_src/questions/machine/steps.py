"""How long does a step take, from the first to the last?"""

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import altair as alt

from kernels.analysis.repetitions import setups
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Phase, Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common, own_runs
from site_src.figures import theme as themes
from site_src.figures.base import Digest, Figure, Sketch
from site_src.figures.columns import Column
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import curve

PHASES = ("compile", "warmup", "measure")


def figure(runs: Sequence[Run], evidence: Evidence, subject: str, page: str) -> Figure | None:
    """Step times of one run of each series and precision; None without steps and a median."""
    every = [
        run
        for run in runs
        if run.steps
        and (median := run.metric("step_time_s")) is not None
        and median.value is not None
    ]
    timed = middles(every)
    names = own_runs.named(timed, evidence.catalog)
    table = common.by_precision(own_runs.labelled(curve.steps(evidence.catalog, timed), names))
    if table.empty:
        return None
    labels = dict(zip(table["run_id"], table["label"], strict=True))
    known = [
        (run, evidence.facts.get(f"run:{run.run_id}:step_time_s").value or 0.0) for run in timed
    ]
    quickest, _ = min(known, key=lambda pair: pair[1])
    said = ["steps.chosen"] if len(every) > len(timed) else []
    said += ["thinned"] if len(table) < sum(len(run.steps) for run in timed) else []

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
            Column("duration", "column.time", "number", unit="s", decimals=6),
            *own_runs.sizes(table),
            *common.warned(table),
            *common.PROVENANCE,
        ),
        series=own_runs.recoloured(common.series(table), names, timed),
        fields={"value": "duration"},
        draw=lambda sketch: draw(sketch, [value for _, value in known]),
        sentence=partial(_sentence, evidence.facts, quickest, {"first": labels[quickest.run_id]}),
        axis={"duration": "axis.step_seconds"},
        notes=lambda locale: [
            *(MarkNote(locale.say(f"figure.steps.{key}")) for key in ("phases", "median")),
            *(locale.say(f"figure.{key}") for key in said),
            *own_runs.size_notes(table, locale),
            *common.warning_notes(timed, locale),
            *own_runs.sign_notes([label for _, label in names.values()], locale),
        ],
        digest=_digest(evidence.catalog, timed, names),
        count=False,
        log_first=True,
        shapes=False,
        texts=False,
        log=True,
    )


def _sentence(facts: Facts, run: Run, names: Mapping[str, str], locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    figure = spoken.quantity("first_value", f"run:{run.run_id}:step_time_s", "s", None, 3)
    times = run.steps[0].duration_s / figure[2]
    if times <= 1:
        return Sentence("headline.steady", (figure,), names)
    told = ("times", locale.number(times, 1), times, f"number:{times!r}")
    return Sentence("headline.slow_start", (figure, told), names)


def middles(runs: Sequence[Run]) -> list[Run]:
    """For each series and precision the run with the median step, of the most repeated settings; of
    equals those with the most measured steps, then the newest.
    """
    places: dict[object, list[Sequence[Run]]] = {}
    alone = [[run] for run in runs if not own_runs.is_own(run)]
    for group in [*alone, *(setup.runs for setup in setups(runs))]:
        places.setdefault((tables.series_id(group[0]), group[0].precision), []).append(group)
    largest = [
        max(groups, key=lambda group: (len(group), *max(map(_order, group))))
        for groups in places.values()
    ]
    return [sorted(group, key=_median)[(len(group) - 1) // 2] for group in largest]


def _order(run: Run) -> tuple[int, str, str]:
    return (
        sum(step.phase is Phase.MEASURE for step in run.steps),
        str(run.started_at or ""),
        run.run_id,
    )


def _median(run: Run) -> tuple[float, str]:
    metric = run.metric("step_time_s")
    return (metric.value if metric is not None else None) or 0.0, run.run_id


def _digest(catalog: Catalog, runs: Sequence[Run], names: Mapping[str, tuple[str, str]]) -> Digest:
    table = own_runs.labelled(curve.phases(catalog, runs), names)
    return Digest(
        table,
        (
            common.SERIES,
            common.BATCH_SIZE,
            Column("phase", "column.phase", "key", prefix="phase"),
            Column("steps", "column.steps", "number", decimals=0),
            *(Column(end, f"column.{word}", "number", unit="s", decimals=6) for end, word in _ENDS),
            *common.warned(table),
            Column("run_id", "column.run", "run"),
        ),
    )


_ENDS: Final = (("low", "low"), ("mid", "median"), ("high", "high"))


def draw(sketch: Sketch, medians: Sequence[float]) -> list[alt.Chart]:
    """A point per step, shaped by phase; the median of the measured steps as a line."""
    phase = alt.Shape(
        field="phase",
        type="nominal",
        scale=alt.Scale(
            type="ordinal", domain=list(PHASES), range=["triangle-up", "square", "circle"]
        ),
        legend=alt.Legend(
            # next to that of the series it would be cut off
            orient="bottom",
            labelExpr=bars.worded(sketch, "phase", PHASES),
            columns=1 if sketch.narrow else 3,
            symbolStrokeColor=sketch.ink,
            symbolFillColor=sketch.ink,
            symbolOpacity=1,
        ),
    )
    step = bars.x(
        "step",
        scale=alt.Scale(zero=False, nice=False, padding=8),
        axis=bars.count_axis(sketch, "axis.step"),
    )
    axis = bars.value_axis(sketch, **bars.log_ticks(sketch, "y"))
    duration = bars.y("value", scale=bars.value_scale(sketch), axis=axis)
    return [
        alt.Chart(
            alt.InlineData(values=[{"median": value} for value in medians], name="medians"),
            name="medians",
        )
        .mark_rule(strokeDash=[2, 3], strokeWidth=1.5, color=themes.QUIET[sketch.theme])
        .encode(y=bars.y("median")),
        bars.layer("left_out", "datum.phase !== 'measure'")
        .mark_point(size=50, strokeWidth=2, opacity=1)
        .encode(x=step, y=duration, color=bars.colour(sketch), shape=phase, tooltip=bars.tip()),
        bars.layer("measured", "datum.phase === 'measure'")
        .mark_point(size=36, filled=True, opacity=1)
        .encode(x=step, y=duration, fill=bars.filling(sketch), shape=phase, tooltip=bars.tip()),
    ]
