"""How far do runs of the same system, code and settings lie apart, and for which benchmarks?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import pandas as pd

from kernels.analysis.variation import Measure
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence
from site_src.figures.columns import Column, Row, present
from site_src.figures.controls import Control, Preset, Series
from site_src.figures.marks import dots
from site_src.locales import Locale
from site_src.questions.mlperf import seeds_rows
from site_src.tables.submissions import Submission

PAGE: Final = "seeds/"
SUBJECT: Final = "seeds"

NEAR: Final = 0.05
"""Part of the fastest run's time by which the slowest may be slower in a submission whose runs lie
close together.
"""

LOOKS: Final = {"gpu": themes.SYSTEMS["aws-p3.8xlarge"], "tpu": themes.SYSTEMS["cloud-tpu-v2-8"]}

PROVENANCE: Final = tuple(
    replace(column, shown=False) if column.name in {"n", "precision", "origin"} else column
    for column in common.PROVENANCE
)


def figures(found: Sequence[Submission], catalog: Catalog, facts: Facts) -> list[Figure]:
    """The spread by benchmark, and each run by submission; nothing where no submission has two runs
    that reached their target.
    """
    told = [one for one in found if len(one.reached) > 1]
    return [benchmarks(told, catalog, facts), spread(told, catalog, facts)] if told else []


def measure_control(names: tuple[str, str]) -> Control:
    """Whether times or epochs are drawn: columns `names`."""
    choices = tuple(common.choice(value, f"control.spread_{value}") for value in ("time", "epochs"))
    return Control("measure", choices, fields={"value": {"time": names[0], "epochs": names[1]}})


def series(table: pd.DataFrame) -> tuple[Series, ...]:
    """GPU and TPU, as far as the table has them."""
    return tuple(
        Series(kind, seeds_rows.LABELS[kind], LOOKS[kind])
        for kind in seeds_rows.KINDS
        if (table["series"] == kind).any()
    )


def credits(found: Sequence[Submission], locale: Locale) -> list[str]:
    """The rounds and their submitters in one sentence: each run's own credit stands in its row of
    the download.
    """
    return [
        common.credit_of_rounds(
            ((one.score.round, one.score.division, one.score.submitter) for one in found), locale
        )
    ]


def benchmarks(found: Sequence[Submission], catalog: Catalog, facts: Facts) -> Figure:
    """The slowest run over the fastest of each submission, by benchmark."""
    table = seeds_rows.benchmarks(found, catalog, facts)
    groups = {
        workload: [one for one in found if one.score.workload == workload]
        for workload in dict.fromkeys(table["workload"])
    }

    def name(row: Row, locale: Locale) -> tuple[str, str]:
        own = groups[str(row["workload"])]
        n, reached = (
            sum(getattr(one.score, field) for one in own) for field in ("runs", "converged")
        )
        under = locale.say(
            "figure.seed_benchmarks.under", n=len(own), who=locale.runs_of(reached, n)
        )
        return (str(row["workload_name"]), under) if present(row["head"]) else ("", "")

    def sentence(locale: Locale) -> Sentence:
        near = sum(one.range(Measure.TIME) <= 1 + NEAR for one in found)
        widest = max(found, key=lambda one: one.range(Measure.TIME))
        row = next(row for row in table.to_dict("records") if row["run_id"] == widest.id)
        figures = (
            ("near", locale.number(near), float(near), f"number:{near}"),
            ("all", locale.number(len(found)), float(len(found)), f"number:{len(found)}"),
            ("limit", locale.percent(NEAR), NEAR, f"number:{NEAR}"),
            common.told(
                "widest",
                facts,
                widest.ref("time_range"),
                locale,
                lambda value: common.times(value, locale, 4),
            ),
        )
        return Sentence(
            "headline.first",
            figures,
            {"workload": str(row["workload_name"]), "submission": str(row["submission_name"])},
        )

    return Figure(
        id="seeds-benchmarks",
        page=PAGE,
        key="seed_benchmarks",
        subject=SUBJECT,
        table=table,
        columns=(
            Column("submission_name", "column.submission", head=True),
            common.WORKLOAD,
            Column("time_range", "column.time_range", "times", decimals=3, ref="time_range_ref"),
            Column(
                "progress_range",
                "column.progress_range",
                "times",
                decimals=3,
                ref="progress_range_ref",
            ),
            Column("reached", "column.reached", "number", decimals=0, ref="reached_ref"),
            Column("runs", "column.runs", "number", decimals=0, ref="runs_ref"),
            Column("label", "column.kind", shown=False),
            Column("workload", "column.workload_id", shown=False),
            *PROVENANCE,
        ),
        series=series(table),
        fields={"value": "time_range"},
        folded=True,
        draw=lambda sketch: dots.draw(sketch, level=1.0),
        sentence=sentence,
        axis={"time_range": "axis.time_range", "progress_range": "axis.progress_range"},
        controls=(measure_control(("time_range", "progress_range")),),
        presets=(Preset("epochs", {"measure": "epochs"}),),
        notes=lambda locale: [
            locale.say("figure.seeds.unverified"),
            locale.say("figure.seed_benchmarks.read"),
        ],
        name=name,
        credited=lambda locale: credits(found, locale),
        log=False,
        relative=False,
        count=False,
        texts=False,
        line=dots.LINE,
    )


def spread(found: Sequence[Submission], catalog: Catalog, facts: Facts) -> Figure:
    """Each run over the median of its submission, one workload at a time."""
    table = seeds_rows.runs(found, catalog, facts)
    known = {str(number): one for number, one in enumerate(seeds_rows.ordered(found), 1)}
    submitted = Counter(one.score.workload for one in found)
    # one alone varies neither most nor least
    several = {workload for workload, count in submitted.items() if count > 1}

    def sentence(rows: pd.DataFrame, locale: Locale) -> Sentence:
        first = common.of_first_workload(rows)
        own = [known[name] for name in dict.fromkeys(str(row["category"]) for row in first)]
        widest, least = own[0], own[-1]
        names = {
            "workload": str(first[0]["workload_name"]),
            "widest_of": str(first[0]["submission_name"]),
            "least_of": next(
                str(row["submission_name"]) for row in first if known[str(row["category"])] is least
            ),
        }
        figures = [
            common.told(
                name,
                facts,
                f"percent_more({one.ref('time_high')}, {one.ref('time_low')})",
                locale,
                lambda value: locale.percent(value / 100, 1),
            )
            for name, one in (("widest", widest), ("least", least))
        ]
        return Sentence("headline.first", tuple(figures), names)

    return Figure(
        id="seeds-spread",
        page=PAGE,
        key="seeds",
        subject=SUBJECT,
        table=table,
        columns=(
            Column("submission_name", "column.submission", head=True),
            common.WORKLOAD,
            Column(
                "time", "column.time_to_target", "number", unit="min", decimals=2, ref="time_ref"
            ),
            Column("time_ratio", "column.time_ratio", "times", decimals=3, ref="time_ratio_ref"),
            Column("progress", "column.progress", "quantity", ref="progress_ref"),
            Column(
                "progress_ratio",
                "column.progress_ratio",
                "times",
                decimals=3,
                ref="progress_ratio_ref",
            ),
            Column("seed", "column.seed", absent="not_stated"),
            Column("label", "column.kind", shown=False),
            Column("workload", "column.workload_id", shown=False),
            Column("unit", "column.unit", shown=False),
            *PROVENANCE,
        ),
        series=series(table),
        fields={"value": "time_ratio"},
        draw=lambda sketch: dots.draw(sketch, level=1.0),
        sentence=lambda locale: sentence(table, locale),
        sentences=tuple(
            said
            for said in common.of_further(table, "time_ratio", sentence)
            if said.state["workload"] in several
        ),
        axis={"time_ratio": "axis.time_ratio", "progress_ratio": "axis.progress_ratio"},
        controls=(
            common.workload_control(table, catalog),
            measure_control(("time_ratio", "progress_ratio")),
        ),
        presets=(Preset("epochs", {"measure": "epochs"}),),
        notes=lambda locale: [
            locale.say("figure.seeds.unverified"),
            locale.say("figure.seeds.read"),
            *missed(table, locale),
        ],
        name=lambda row, locale: (
            (str(row["submission_name"]), under(known[str(row["category"])], locale))
            if present(row["head"])
            else ("", "")
        ),
        credited=lambda locale: credits(found, locale),
        log=False,
        relative=False,
        count=False,
        texts=False,
        line=dots.LINE,
    )


def under(one: Submission, locale: Locale) -> str:
    """What a submission's runs took, from the fastest to the slowest: "5 runs · 60–64 epochs ·
    42.1–44.9 min".
    """
    parts = [locale.say("figure.seeds.runs", n=one.score.runs)]
    if one.score.converged < one.score.runs:
        parts = [
            locale.say(
                "figure.seeds.reached", who=locale.runs_of(one.score.converged, one.score.runs)
            )
        ]
    if one.stability is not None:
        unit = {Measure.EPOCHS: "epochs", Measure.SAMPLES: "samples", Measure.TIME: "s"}[
            one.stability.measure
        ]
        parts.append(ends(one.stability.low, one.stability.high, unit, locale, None))
    times = [run.wall_time_s or 0.0 for run in one.reached]
    parts.append(ends(times[0] / 60, times[-1] / 60, "min", locale, 2 if times[-1] < 600 else 1))  # noqa: PLR2004 - ten minutes
    return " · ".join(parts)


def ends(low: float, high: float, unit: str, locale: Locale, decimals: int | None) -> str:
    """Two ends with one unit, or the one value that both are."""
    first, last = (
        locale.number(value, decimals, None if decimals is not None else 3, strip=decimals is None)
        for value in (low, high)
    )
    text = first if first == last else locale.say("range", low=first, high=last)
    return locale.pattern(locale.governing(text), unit).replace("{n}", text)


def missed(table: pd.DataFrame, locale: Locale) -> list[str]:
    """What the crosses are."""
    return [locale.say("figure.seeds.missed")] if table["time"].isna().any() else []
