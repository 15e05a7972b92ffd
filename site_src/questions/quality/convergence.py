"""How fast does the model get better, epoch by epoch?"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from types import MappingProxyType
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run
from site_src import tables
from site_src.costs import spent
from site_src.costs.spent import Spending
from site_src.figures import common, own_runs
from site_src.figures.base import LEGEND_LINE, LEGEND_LINES, Digest, Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, Preset, Said, Sentence, StateNote
from site_src.figures.marks.curves import ALL, NEAR, Drawing
from site_src.figures.targets import Goal, aimed
from site_src.locales import Locale
from site_src.questions.quality import curve_sentence
from site_src.questions.quality import spending as spending_axes
from site_src.tables import curve

NOTHING: Final[Mapping[str, Spending]] = MappingProxyType({})
"""No run whose spending is known."""

FAR: Final = 0.25
"""Where the least quality is above this share of the greatest, an axis from 0 would be empty for
the most part.
"""


def figure(
    runs: Sequence[Run],
    catalog: Catalog,
    facts: Facts,
    subject: str,
    page: str,
    *,
    metrics: Sequence[str] = ("top1",),
    spending: Mapping[str, Spending] = NOTHING,
) -> Figure | None:
    """Qualities of these runs by epoch (or by samples, where logs count no epochs), and by time
    where they were clocked.

    Curves where runs have evaluations, points where only some are printed. None without either, and
    where there are only the ends of runs. Of own runs of one system, number format and batch size
    those of the settings that were repeated most. `spending` has what an hour of a run costs and
    draws, for the axes of cost and energy.
    """
    every, runs = runs, own_runs.chosen(runs)
    table = own_runs.told(curve.curve(catalog, runs, metrics), own_runs.named(runs, catalog))
    if table.empty or table["quality"].notna().sum() == 0:
        return None
    if (table["kind"] == "final").all():
        return None  # ends alone are no curve; the chart of final accuracies has them
    left = own_runs.left_out(every, runs, metrics)
    asked = Asked(
        f"{subject}-convergence",
        page,
        "convergence",
        subject,
        tuple(metrics),
        left=left,
        spending=spending,
    )
    return of(table, runs, catalog, facts, asked)


@dataclass(frozen=True, slots=True)
class Asked:
    """Which figure of curves is made: `id`, `page`, `key` and `subject` of the figure, the
    `metrics` compared.

    Attributes:
        near: Whether the picture begins near the targets instead of at 0.
        chosen: Whether a reader chooses the accelerators where there are many series; else all are
            drawn.
        said: Notes beside those of the curves.
        told: The sentence, where it is not that of the targets.
        left: Runs with curves that are not drawn.
        spending: What an hour of the runs costs and draws, by their ids.
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
    spending: Mapping[str, Spending] = field(default_factory=lambda: NOTHING)


def of(
    table: pd.DataFrame, runs: Sequence[Run], catalog: Catalog, facts: Facts, asked: Asked
) -> Figure:
    """The figure of a table of curves."""
    metrics = asked.metrics
    shown = [run for run in runs if run.run_id in set(table["run_id"])]
    names = {
        str(row["run_id"]): (str(row["series"]), str(row["label"]))
        for row in table.to_dict("records")
    }
    printed = (table["kind"] != "evaluation").all()
    logged = any(run.round is not None for run in shown)
    own = all(map(own_runs.is_own, shown))
    along = curve.axis(shown, metrics)
    table, unit = timed(read_in(table, metrics))
    table, currency = spent.spent(table, asked.spending), spent.currency_of(asked.spending, table)
    families = _families(table) if asked.chosen else []
    several = {metric: len(curve_sentence.apart(shown, metric, names)) > 1 for metric in metrics}
    held = {
        name: [run for run in shown if name in (ALL, curve.family(run, catalog))]
        for name in [*families, ALL]
    }
    told = {
        name: asked.told
        or partial(
            curve_sentence.sentence,
            kept,
            catalog,
            facts,
            metrics,
            names=names,
            left=asked.left,
            family=name if name != ALL else "",
        )
        for name, kept in held.items()
    }
    goals = {
        (metric, name): [
            replace(Goal.of(target, aimed(kept, target)), counted=not several[metric])
            for target in curve.goals(kept, metric)
        ]
        for metric in metrics
        for name, kept in held.items()
    }
    every = [goal for metric in metrics for goal in goals[metric, ALL]]
    known = [
        float(value)
        for value in table[table["metric"].isin([None, metrics[0]])]["quality"]
        if present(value)
    ]
    cut = min(known) > FAR * max(known)
    counts = Counter(names[run.run_id][1] for run in shown)
    # near a target one may look where there are readings on both sides of it; a loss that begins
    # near its target needs no closer look
    near = (
        (bool(every) and logged)
        and (table["kind"] == "evaluation").sum() > FEW
        and (
            curve.LOSS not in metrics or max(known) > (1 + NEAR) * max(goal.value for goal in every)
        )
    )
    top1 = metrics == ("top1",)
    long = (logged or own) and len(table) > FEW
    # empty, too, of runs that aimed at nothing, which have their points alone
    summary = (
        curve.digest(catalog, facts, shown, metrics, names, along=along, unit=unit)
        if long
        else pd.DataFrame()
    )
    apart = own and bool(table.loc[table["kind"] == "evaluation", "train_time_s"].notna().all())
    axes = spending_axes.choices(table) if unit else []
    controls = _controls(
        metrics, families, along, unit, zoom=near, first_near=asked.near, apart=apart, axes=axes
    )
    look = Drawing(
        goals,
        along=along,
        unit=unit,
        many=max(counts.values()) > 1,
        cut=cut,
        near=asked.near,
        currency=currency,
    )

    def notes(locale: Locale) -> list[str]:
        first = {
            "points_only": printed,
            "rate": (table["kind"] == "rate").any(),
            "goals_aimed" if logged else "goals_apart" if any(several.values()) else "goals": every,
            "targets_differ": logged
            and any(len({goal.value for goal in goals[metric, ALL]}) > 1 for metric in metrics),
        }
        said = [locale.say(f"figure.convergence.{key}") for key, holds in first.items() if holds]
        if not summary.empty:
            said.append(locale.say("figure.convergence.each"))
        elif not printed and max(counts.values()) > 1:
            listed = [
                locale.say("figure.convergence.count", series=label, runs=count)
                for label, count in counts.items()
            ]
            said.append(locale.say("figure.convergence.lines", counts=locale.join(listed)))
        elif all(run.metric("final_accuracy") is None or _once(run) for run in shown):
            said.append(locale.say("figure.one_run"))
        then = {
            "band_own" if own else "band": _banded(table, along),
            "twice": _twice(table, along),
            "cut": cut and not top1,
            "near": near,
            "clock_both" if apart else "clock": unit and (logged or own),
        }
        said += [locale.say(f"figure.convergence.{key}") for key, holds in then.items() if holds]
        said += own_runs.sign_notes(counts, locale)
        said += own_runs.size_notes(table, locale)
        said += common.doubt_notes(shown, locale)
        said += [locale.say("figure.convergence.left_out", n=asked.left)] if asked.left else []
        kind = families[0] if families else ""
        said += (
            [
                StateNote(
                    locale.say("figure.convergence.families", family=kind), family=tables.slug(kind)
                )
            ]
            if kind
            else []
        )
        said += map(
            StateNote,
            ()
            if summary.empty
            else (locale.say("figure.convergence.digest"), *batches(shown, catalog, locale)),
        )
        said += spending_axes.notes(table, shown, asked.spending, names, locale) if axes else []
        # a picture's line of credit says so itself
        said += [StateNote(locale.say("figure.convergence.unverified"))] if logged else []
        return [*said, *asked.said(locale)]

    heading = "column.top1" if top1 else "column.quality"
    quality = (
        Column("quality", heading, "fraction", decimals=1 if printed else 2, ref="quality_ref")
        if not {curve.LOSS, tables.BLEU} & set(metrics)
        else Column(
            "quality",
            heading,
            "number",
            decimals=2 if tables.BLEU in metrics else 4,
            ref="quality_ref",
        )
    )
    return Figure(
        id=asked.id,
        page=asked.page,
        key="curves"
        if asked.told is None
        and (not top1 or curve_sentence.main_target(shown, facts, metrics) is not None)
        else asked.key,
        subject=asked.subject,
        table=table,
        columns=(
            common.SERIES,
            Column("kind", "column.point", "key", prefix="point"),
            *([Column("metric", "column.measure", "key", prefix="metric")] if not top1 else []),
            Column("epoch", "column.epoch", "number", unit="epochs", ref="epoch_ref", counted=True),
            *(
                [Column("samples", "column.samples_seen", "number", decimals=0, counted=True)]
                if along == "samples"
                else []
            ),
            *(
                [
                    Column(
                        "time",
                        f"column.time_{unit}",
                        "number",
                        unit=unit,
                        decimals=2,
                        shown=logged or own,
                    )
                ]
                if unit
                else []
            ),
            *(
                [Column("train_time", "column.time_training", "number", unit=unit, decimals=2)]
                if apart
                else []
            ),
            *(spending_axes.columns(table, currency) if axes else []),
            quality,
            *own_runs.sizes(table),
            *common.doubts(table),
            *common.PROVENANCE,
        ),
        series=own_runs.looks(common.series(table), names, shown),
        fields={"value": "quality", "along": along},
        draw=look.draw,
        sentence=next(iter(told.values())),
        sentences=tuple(_sentences(controls, told)),
        axis={
            "quality": ("axis.top1_cut" if cut else "axis.top1") if top1 else f"metric.{metrics[0]}"
        },
        axis_by={"quality": {metric: f"metric.{metric}" for metric in metrics}}
        if len(metrics) > 1
        else {},
        controls=controls,
        notes=notes,
        log=False,
        relative=False,
        count=False,
        texts=False,
        height=HEIGHT + LEGEND_LINE * max(0, _lines(table, families) - LEGEND_LINES),
        digest=_digest(summary, table, metrics, along, unit) if not summary.empty else None,
        presets=_presets(controls),
    )


def _sentences(
    controls: Sequence[Control], told: Mapping[str, Callable[[Locale], Sentence]]
) -> Iterator[Said]:
    """The headline of each kind of accelerators, the first one's too with another quality: both are
    said of the same runs.
    """
    qualities = next((control.choices for control in controls if control.key == "quality"), ())
    for number, (name, sentence) in enumerate(told.items()):
        family = {"family": tables.slug(name)} if number else {}
        for quality in [{}, *({"quality": choice.value} for choice in qualities[1:])]:
            if quality or family:
                yield Said({**quality, **family}, sentence)


def _presets(controls: Iterable[Control]) -> tuple[Preset, ...]:
    """Of rounds, whose runs took hours: by time, and by cost where that is known."""
    offered = {
        choice.value
        for control in controls
        if control.key == "axis"
        for choice in control.choices[1:]
    }
    asked = ("time", "cost") if "time-log" in offered else ()
    return tuple(Preset(f"by-{name}", {"axis": name}) for name in asked if name in offered)


HEIGHT: Final = 340
"""Height in px of a picture whose legend has few lines."""

FEW: Final = 40
"""Rows up to which a table of curves can be read."""

CHOOSE: Final = 5
"""Series that one picture can hold; of more, those of one kind of accelerator are drawn first."""


def timed(table: pd.DataFrame) -> tuple[pd.DataFrame, str]:
    """The table with `time` and `train_time` in the unit that its longest run asks for: s, min or
    h; empty without a clock.
    """
    seconds = [float(value) for value in table["time_s"] if present(value)]
    unit = curve.unit_of(max(seconds, default=0.0))
    size, decimals = curve.SIZES[unit]
    for name in ("time", "train_time"):
        found = [
            round(float(value) / size, decimals) if present(value) else None
            for value in table[f"{name}_s"]
        ]
        table = table.assign(**{name: _objects(found, table)})
    return table, unit if seconds else ""


def batches(runs: Sequence[Run], catalog: Catalog, locale: Locale) -> list[str]:
    """That a workload has no batch sizes, as nobody says what they count; nothing where all are
    known.
    """
    unsure = dict.fromkeys(
        catalog.workload_name(run.workload) for run in runs if tables.unsure_batch(run)
    )
    return (
        [locale.say("figure.convergence.batch_unit", name=locale.join(list(unsure)))]
        if unsure
        else []
    )


def read_in(table: pd.DataFrame, metrics: Sequence[str]) -> pd.DataFrame:
    """The table with qualities as they are read: BLEU from 0 to 100, as its rules have it; all
    others as they are recorded.
    """
    if tuple(metrics) != (tables.BLEU,):
        return table
    values = [
        tables.level(tables.BLEU, float(value)) if present(value) else None
        for value in table["quality"]
    ]
    refs = [f"product({ref}, number:100)" if present(ref) else None for ref in table["quality_ref"]]
    return table.assign(quality=_objects(values, table), quality_ref=_objects(refs, table))


def _objects(values: Sequence[object], table: pd.DataFrame) -> pd.Series:
    return pd.Series(values, index=table.index, dtype=object)


def _families(table: pd.DataFrame) -> list[str]:
    """Kinds of accelerators to choose from, the one with the most series first; none where a
    picture can hold them all.
    """
    found = Counter(str(name) for name in table.drop_duplicates("series")["family"])
    return (
        [name for name, _ in found.most_common()]
        if len(found) > 1 and found.total() > CHOOSE
        else []
    )


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
    metrics: Sequence[str],
    families: Sequence[str],
    along: str,
    unit: str,
    *,
    zoom: bool,
    first_near: bool,
    apart: bool,
    axes: Sequence[tuple[str, str, str]] = (),
) -> tuple[Control, ...]:
    def words(key: str) -> Callable[[Locale], str]:
        return lambda locale: locale.say(key)

    found = []
    if len(metrics) > 1:
        found.append(
            Control(
                "quality",
                tuple(Choice(metric, words(f"metric.{metric}")) for metric in metrics),
                filters="metric",
            )
        )
    if families:
        kinds = [Choice(tables.slug(name), lambda _, name=name: name) for name in families]  # type: ignore[misc]
        found.append(
            Control(
                "family",
                (*kinds, Choice(ALL, words("control.all"))),
                filters="family_id",
                every=ALL,
            )
        )
    if unit:
        counted = {"epoch": "epochs"}.get(along, along)
        other = (
            ("training", "train_time", "control.axis_training")
            if apart
            else ("time-log", "time", "control.axis_time_log")
        )
        choices = (
            (counted, along, f"control.axis_{counted}"),
            ("time", "time", "control.axis_time"),
            other,
            *axes,
        )
        shown = {value: column for value, column, _ in choices}
        found.append(
            Control(
                "axis",
                tuple(Choice(value, words(key)) for value, _, key in choices),
                fields={"along": shown},
            )
        )
    if zoom:
        ranges = [
            Choice("whole", words("control.range_whole")),
            Choice("target", words("control.range_target")),
        ]
        found.append(Control("range", tuple(reversed(ranges) if first_near else ranges)))
    return tuple(found)


def _digest(
    table: pd.DataFrame, drawn: pd.DataFrame, metrics: Sequence[str], along: str, unit: str
) -> Digest:
    labels = dict(zip(drawn["series"], drawn["label"], strict=True))
    table = table.assign(
        family_id=[tables.slug(str(name)) for name in table["family"]],
        label=[labels[name] for name in table["series"]],
    )
    counted = "epochs" if along == "epoch" else along
    target = Column("target", "column.target", "fraction", decimals=1)
    if curve.LOSS in metrics:
        target = Column("target", "column.target", "number", decimals=3)
    elif tables.BLEU in metrics:
        target = Column("target", "column.target", "number", decimals=1)
        table["target"] = [tables.level(tables.BLEU, float(value)) for value in table["target"]]
    ends = [("low", "lowest"), ("mid", "median"), ("high", "highest")]
    return Digest(
        table,
        (
            common.SERIES,
            *(
                [Column("metric", "column.measure", "key", prefix="metric")]
                if len(metrics) > 1
                else []
            ),
            target,
            Column("n", "column.n", "number", decimals=0),
            Column("hits", "column.hits", "number", decimals=0),
            *own_runs.sizes(table),
            *common.doubts(table),
            *(
                Column(
                    f"reach_{end}",
                    f"column.{counted}_{word}",
                    "number",
                    ref=f"reach_{end}_ref",
                    counted=True,
                )
                for end, word in ends
            ),
            *(
                Column(
                    f"time_{end}",
                    f"column.reached_{word}",
                    "number",
                    unit=unit,
                    decimals=2,
                    ref=f"time_{end}_ref",
                )
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
