"""How much do runs of the same system, code and settings vary, and in which benchmarks?"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Final

import pandas as pd

from kernels.analysis import variation
from kernels.analysis.variation import Measure
from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Run, Status
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Control, MarkNote, Preset, Sentence, Series
from site_src.figures.marks import dots
from site_src.locales import Locale
from site_src.tables import Row
from site_src.tables.recorded import seed
from site_src.tables.submissions import Submission

KINDS: Final = ("gpu", "tpu")
LABELS: Final = {"gpu": "GPU", "tpu": "TPU"}


def kind(run: Run, catalog: Catalog) -> str:
    """The kind of a run's accelerators: GPU or TPU."""
    hardware = catalog.hardware.get(run.accelerator or "")
    system = catalog.systems.get(run.system)
    if hardware is None and system is not None:
        hardware = catalog.hardware.get(system.hardware)
    return "tpu" if hardware is not None and hardware.kind == "tpu" else "gpu"


def _base(one: Submission, run: Run, catalog: Catalog) -> Row:
    series = kind(run, catalog)
    return {
        **tables.common(run, None, catalog),
        "series": series,
        "label": LABELS[series],
        "status": run.status.value,
        "n": 1,
        "submission_name": tables.series_label(run, catalog),
        **tables.workload(run, catalog),
        "unit": variation.UNITS[one.progress] if one.progress else None,
    }


def ordered(found: Sequence[Submission]) -> list[Submission]:
    """Submissions: workloads with the most first, in each the widest spread of times first."""
    counts = Counter(one.score.workload for one in found)
    return sorted(
        found,
        key=lambda one: (
            -counts[one.score.workload],
            one.score.workload,
            -one.range(Measure.TIME),
            one.id,
        ),
    )


def by_run(found: Sequence[Submission], evidence: Evidence) -> pd.DataFrame:
    """Each run relative to its submission's median: one row per run, including those that missed
    the target.

    Columns beside `COMMON`: `time` in minutes and `progress` in epochs or samples (`unit`), None
    for a run that missed it; `time_ratio` and `progress_ratio` over the median of the submission;
    `category`: the number of the submission; `head`: its first row.
    """
    rows: list[Row] = []
    for number, one in enumerate(ordered(found), 1):
        failed = [run for run in one.runs if run not in one.reached]
        for place, run in enumerate([*one.reached, *failed]):
            rows.append(
                {
                    **_base(one, run, evidence.catalog),
                    "category": str(number),
                    "head": 1 if place == 0 else None,
                    **_reading("time", one, run, Measure.TIME, evidence.facts),
                    **_reading("progress", one, run, one.progress, evidence.facts),
                    "seed": seed(run),
                }
            )
    return tables.frame(rows)


def _reading(name: str, one: Submission, run: Run, measure: Measure | None, facts: Facts) -> Row:
    own = ratio = None
    if measure is not None and variation.reading(run, measure) is not None:
        ref = variation.reference(run, measure)
        own = f"in_minutes({ref})" if measure is Measure.TIME else ref
        ratio = f"ratio({ref}, {one.ref(f'{measure}_median')})"
    return {name: tables.cell(facts, own), f"{name}_ratio": tables.cell(facts, ratio)}


def by_submission(found: Sequence[Submission], evidence: Evidence) -> pd.DataFrame:
    """The slowest run over the fastest: one row per submission, workloads with the widest spread
    first.

    Columns beside `COMMON`: `time_range` and `progress_range`, ratios; `runs` and `reached`,
    counts; `category`: the workload.
    """
    widest = {one.score.workload: 1.0 for one in found}
    for one in found:
        widest[one.score.workload] = max(widest[one.score.workload], one.range(Measure.TIME))
    placed = sorted(
        found,
        key=lambda one: (
            -widest[one.score.workload],
            one.score.workload,
            -one.range(Measure.TIME),
            one.id,
        ),
    )
    rows: list[Row] = []
    for place, one in enumerate(placed):
        row = _base(one, one.first, evidence.catalog)
        for name, measure in (("time", Measure.TIME), ("progress", one.progress)):
            ref = one.ref(f"{measure}_range") if measure else None
            row[f"{name}_range"] = tables.cell(evidence.facts, ref)
        rows.append(
            {
                **row,
                "status": Status.OK.value if one.reached else row["status"],
                "n": len(one.runs),
                "category": one.score.workload,
                "head": 1
                if place == 0 or placed[place - 1].score.workload != one.score.workload
                else None,
                "runs": tables.Cell(one.score.runs, one.ref("runs")),
                "reached": tables.Cell(one.score.converged, one.ref("converged")),
            }
        )
    return tables.frame(rows)


PAGE: Final = "seeds/"
SUBJECT: Final = "seeds"

NEAR: Final = 0.05
"""Runs are close if the slowest takes at most this part of the fastest's time longer."""

LOOKS: Final = {"gpu": themes.SYSTEMS["aws-p3.8xlarge"], "tpu": themes.SYSTEMS["cloud-tpu-v2-8"]}

PROVENANCE: Final = tuple(
    replace(column, shown=False) if column.name in {"n", "precision", "origin"} else column
    for column in common.PROVENANCE
)


def figures(found: Sequence[Submission], evidence: Evidence) -> list[Figure]:
    """The spread by benchmark, and each run by submission; none without two successful runs."""
    told = [one for one in found if len(one.reached) > 1]
    return [benchmarks(told, evidence), spread(told, evidence)] if told else []


def measure_control(names: tuple[str, str]) -> Control:
    """The choice between times and epochs: columns `names`."""
    columns = dict(zip(("time", "epochs"), names, strict=True))
    said = {"time": "term.time_to_target", "epochs": "measure.progress"}
    return common.measures(columns, said, value=columns)


def series(table: pd.DataFrame) -> tuple[Series, ...]:
    """GPU and TPU, as far as the table has them."""
    return tuple(
        Series(kind, LABELS[kind], LOOKS[kind]) for kind in KINDS if (table["series"] == kind).any()
    )


def credits(found: Sequence[Submission], locale: Locale) -> list[str]:
    """The rounds and their submitters in one sentence."""
    return [
        common.credit_of_rounds(
            ((one.score.round, one.score.division, one.score.submitter) for one in found), locale
        )
    ]


COLUMNS_OF_BENCHMARKS: Final[tuple[Column, ...]] = (
    Column("submission_name", "column.submission", names_row=True),
    common.WORKLOAD,
    Column("time_range", "column.time_range", "times", decimals=3),
    Column("progress_range", "column.progress_spread", "times", decimals=3),
    Column("reached", "column.reached", "number", decimals=0),
    Column("runs", "column.runs", "number", decimals=0),
    Column("label", "control.family", shown=False),
    common.WORKLOAD_ID,
    *PROVENANCE,
)


def benchmarks(found: Sequence[Submission], evidence: Evidence) -> Figure:
    """The slowest run over the fastest of each submission, by benchmark."""
    table = by_submission(found, evidence)
    groups = {
        workload: [one for one in found if one.score.workload == workload]
        for workload in dict.fromkeys(table["workload"])
    }

    return Figure(
        id="seeds-benchmarks",
        page=PAGE,
        key="seed_benchmarks",
        subject=SUBJECT,
        table=table,
        columns=COLUMNS_OF_BENCHMARKS,
        series=series(table),
        fields={"value": "time_range"},
        folded=True,
        draw=lambda sketch: dots.draw(sketch, level=1.0),
        sentence=partial(_sentence_of_benchmarks, found, evidence.facts, table),
        axis={"time_range": "axis.time_range", "progress_range": "axis.progress_range"},
        controls=(measure_control(("time_range", "progress_range")),),
        presets=(Preset("epochs", {"measure": "epochs"}),),
        notes=lambda locale: [
            locale.say("figure.unverified"),
            MarkNote(locale.say("figure.seed_benchmarks.read")),
        ],
        name=partial(_name_of_benchmarks, groups),
        credited=lambda locale: credits(found, locale),
        count=False,
        texts=False,
        line=dots.LINE,
    )


def _name_of_benchmarks(
    groups: dict[str, list[Submission]], row: Row, locale: Locale
) -> tuple[str, str]:
    own = groups[row["workload"]]
    n, reached = (sum(getattr(one.score, field) for one in own) for field in ("runs", "converged"))
    under = locale.say("figure.seed_benchmarks.under", n=len(own), who=locale.runs_of(reached, n))
    return (row["workload_name"], under) if present(row["head"]) else ("", "")


def _sentence_of_benchmarks(
    found: Sequence[Submission], facts: Facts, table: pd.DataFrame, locale: Locale
) -> Sentence:
    spoken = common.Spoken(facts, locale)
    near = sum(one.range(Measure.TIME) <= 1 + NEAR for one in found)
    widest = max(found, key=lambda one: one.range(Measure.TIME))
    row = next(row for row in tables.rows(table) if row["run_id"] == widest.id)
    figures = (
        common.count("near", near, locale),
        common.count("all", len(found), locale),
        ("limit", locale.percent(NEAR), NEAR, f"number:{NEAR}"),
        spoken.times("widest", widest.ref("time_range"), 4),
    )
    names = {"workload": row["workload_name"], "submission": row["submission_name"]}
    return Sentence("headline.first", figures, names)


COLUMNS_OF_SPREAD: Final[tuple[Column, ...]] = (
    Column("submission_name", "column.submission", names_row=True),
    common.WORKLOAD,
    Column("time", "column.time_to_target", "number", unit="min", decimals=2),
    Column("time_ratio", "column.time_ratio", "times", decimals=3),
    Column("progress", "column.to_target", "quantity"),
    Column("progress_ratio", "column.progress_ratio", "times", decimals=3),
    Column("seed", "column.seed", absent="not_stated"),
    Column("label", "control.family", shown=False),
    common.WORKLOAD_ID,
    common.UNIT,
    *PROVENANCE,
)


def spread(found: Sequence[Submission], evidence: Evidence) -> Figure:
    """Each run over the median of its submission, one workload at a time."""
    table = by_run(found, evidence)
    known = {str(number): one for number, one in enumerate(ordered(found), 1)}
    submitted = Counter(one.score.workload for one in found)
    # a single one varies neither most nor least
    several = {workload for workload, count in submitted.items() if count > 1}
    said = partial(_sentence_of_spread, known, evidence.facts)

    return Figure(
        id="seeds-spread",
        page=PAGE,
        key="seeds",
        subject=SUBJECT,
        table=table,
        columns=COLUMNS_OF_SPREAD,
        series=series(table),
        fields={"value": "time_ratio"},
        draw=lambda sketch: dots.draw(sketch, level=1.0),
        sentence=partial(said, common.of_first_workload(table)),
        sentences=tuple(
            one
            for one in common.of_further(table, "time_ratio", said)
            if one.state["workload"] in several
        ),
        axis={"time_ratio": "axis.time_ratio", "progress_ratio": "axis.progress_ratio"},
        controls=(
            common.workload_control(table, evidence.catalog),
            measure_control(("time_ratio", "progress_ratio")),
        ),
        presets=(Preset("epochs", {"measure": "epochs"}),),
        notes=lambda locale: [
            locale.say("figure.unverified"),
            MarkNote(locale.say("figure.seeds.read")),
            *missed(table, locale),
        ],
        name=lambda row, locale: (
            (row["submission_name"], under(known[row["category"]], locale))
            if present(row["head"])
            else ("", "")
        ),
        credited=lambda locale: credits(found, locale),
        count=False,
        texts=False,
        line=dots.LINE,
    )


def _sentence_of_spread(
    known: dict[str, Submission], facts: Facts, first: list[Row], locale: Locale
) -> Sentence:
    spoken = common.Spoken(facts, locale)
    own = [known[name] for name in dict.fromkeys(row["category"] for row in first)]
    widest, least = own[0], own[-1]
    names = {
        "workload": first[0]["workload_name"],
        "widest_of": first[0]["submission_name"],
        "least_of": next(
            row["submission_name"] for row in first if known[row["category"]] is least
        ),
    }
    figures = [
        spoken.put(
            name,
            f"percent_more({one.ref('time_high')}, {one.ref('time_low')})",
            lambda value: locale.percent(value / 100, 1),
        )
        for name, one in (("widest", widest), ("least", least))
    ]
    return Sentence("headline.first", tuple(figures), names)


def under(one: Submission, locale: Locale) -> str:
    """The ranges of the runs: "5 runs · 60–64 epochs · 42.1–44.9 min"."""
    parts = [locale.say("runs.count", n=one.score.runs)]
    if one.score.converged < one.score.runs:
        reached = locale.runs_of(one.score.converged, one.score.runs)
        parts = [locale.say("measured.reached", who=reached)]
    if one.stability is not None:
        unit = {Measure.EPOCHS: "epochs", Measure.SAMPLES: "samples", Measure.TIME: "s"}[
            one.stability.measure
        ]
        parts.append(ends(one.stability.low, one.stability.high, unit, locale, None))
    times = [run.wall_time_s or 0.0 for run in one.reached]
    parts.append(ends(times[0] / 60, times[-1] / 60, "min", locale, 2 if times[-1] < 600 else 1))  # noqa: PLR2004 - ten minutes
    return " · ".join(parts)


def ends(low: float, high: float, unit: str, locale: Locale, decimals: int | None) -> str:
    """Two ends with one unit, or one value if they are equal."""
    first, last = (
        locale.number(value, decimals, None if decimals is not None else 3, strip=decimals is None)
        for value in (low, high)
    )
    text = first if first == last else locale.say("range", low=first, high=last)
    return locale.pattern(locale.governing(text), unit).replace("{n}", text)


def missed(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The note on crosses."""
    return [locale.say("figure.seeds.missed")] if table["time"].isna().any() else []
