"""Which settings make this machine faster, and by how much?"""

from collections.abc import Sequence
from typing import Final

import altair as alt
import pandas as pd

from kernels.analysis import compare
from kernels.analysis.repetitions import Setup
from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common, own_runs
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, MarkNote, Preset, Sentence, Series
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.tables import Row, measured, settings
from site_src.tables.settings import Pair

EFFICIENCY: Final = Column("efficiency", "column.scaling_efficiency", "fraction", decimals=1)


def figure(found: Sequence[Setup], evidence: Evidence, system: str, page: str) -> Figure | None:
    """Each setting against its baseline; None if no two setups differ in only one factor."""
    pairs = settings.pairs(found)
    table = settings.compared(pairs, evidence)
    if table.empty:
        return None
    records = tables.rows(table)
    chosen = [pairs[row["pair"]] for row in records]
    drawn = [setup for pair in chosen for setup in (pair.a, pair.b)]
    factors = list(dict.fromkeys(map(str, table["factor"])))
    factors = factors if len(factors) > 1 else []  # a single one leaves nothing to choose
    every = Choice("all", lambda locale: locale.say("control.all"))

    def named(factor: str) -> Choice:
        return Choice(factor, lambda locale: locale.say(f"setting_factor.{factor}"))

    return Figure(
        id=f"{system}-settings",
        page=page,
        key="measured_settings",
        subject=system,
        table=table,
        columns=_columns(table),
        series=(Series(system, str(table["label"].iloc[0]), themes.look(system)),),
        fields={"value": "ratio"},
        draw=draw,
        sentence=lambda locale: sentence(records, pairs, evidence.facts, locale),
        axis={"ratio": "axis.times_baseline"},
        controls=(Control("setting", (every, *map(named, factors)), filters="factor", every="all"),)
        if factors
        else (),
        notes=lambda locale: [
            *notes(records, locale),
            *own_runs.size_notes(table, locale),
            *own_runs.warning_notes(drawn, table, locale),
        ],
        name=lambda row, locale: words(row, pairs[row["pair"]], locale),
        count=False,
        line=rows.LINE,
        legend=False,
        presets=tuple(
            Preset(name, {"setting": name}) for name in ("precision",) if name in factors
        ),
        whose=measured.name(found, evidence.catalog),
    )


def _columns(table: pd.DataFrame) -> tuple[Column, ...]:
    return (
        Column("label", "head.system", "series", shown=False),
        Column("factor", "column.setting", "key", prefix="setting_factor", names_row=True),
        Column("a", "column.setting_a", "key", prefix="setting_side"),
        Column("b", "control.baseline", "key", prefix="setting_side"),
        common.WORKLOAD,
        common.WORKLOAD_ID,
        Column("batch", "column.global_batch_size", "number", decimals=0, counted=True),
        Column("ratio", "column.ratio", "times"),
        Column("answer", "column.answer", "key", prefix="answer"),
        *([EFFICIENCY] if table["efficiency"].notna().any() else []),
        Column("a_throughput", "column.a_throughput", "quantity"),
        Column("b_throughput", "column.b_throughput", "quantity"),
        *(
            Column(f"{which}_{name}", f"column.{which}_{name}", shown=False)
            for which in "ab"
            for name in ("n", "interval", "run", "processes", "threads")
        ),
        *own_runs.sizes(table),
        *common.warned(table),
        *common.PROVENANCE,
    )


def words(row: Row, pair: Pair, locale: Locale) -> tuple[str, str]:
    """The settings compared; below them the remarks."""
    texts = {
        which: settings.said(pair, setup, locale) for which, setup in (("a", pair.a), ("b", pair.b))
    }
    batch = locale.say("run.batch", batch=row["batch"])
    answer = [
        locale.say(f"answer.{row['answer']}"),
        *([own_runs.WARNING_SIGN] if present(row["doubted"]) else []),
    ]
    under = [" ".join(answer), row["workload_name"], batch, *settings.others(pair, locale)]
    if max(pair.found.a.n, pair.found.b.n) > 1:
        under.append(locale.say("measured.sides", a=pair.found.a.n, b=pair.found.b.n))
    template = locale.template("figure.measured_settings.pair")
    second = max(template.index(f"{{{which}}}") for which in texts)
    return rows.wrapped(
        (template[:second].format_map(texts), template[second:].format_map(texts)), under
    )


def notes(rows: Sequence[Row], locale: Locale) -> list[str]:
    """The notes on intervals, on reading a row, on single runs, and on rows left out."""
    said = [
        MarkNote(locale.say("figure.measured.interval")),
        locale.say("figure.measured_settings.read"),
    ]
    if any(row["a_n"] == row["b_n"] == 1 for row in rows):
        said.append(
            locale.say("figure.measured_settings.single", repeat=locale.percent(compare.REPEAT))
        )
    return [*said, locale.say("figure.measured_settings.batch")]


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A mark at each ratio with its interval, and a tick at 1, where both are equally fast."""
    value = bars.x(
        "value",
        scale=bars.value_scale(sketch, zero=False),
        axis=bars.value_axis(sketch),
    )
    ends = {
        "y": bars.band(),
        "x": bars.x("low"),
        "x2": alt.X2(field="high"),
    }
    return [
        rows.order(),
        *rows.words(sketch),
        rows.ticks(sketch, alt.XDatum(1)),
        *bars.intervals(sketch, ends, rows.drop(sketch)),
        rows.ends(sketch, bars.HAS_VALUE, value),
    ]


def sentence(rows: Sequence[Row], pairs: Sequence[Pair], facts: Facts, locale: Locale) -> Sentence:
    """The setting with the largest difference, among those whose intervals tell; the faster of its
    two is named first.
    """
    spoken = common.Spoken(facts, locale)
    apart = [row for row in rows if row["answer"] in {"faster", "slower"} and present(row["ratio"])]
    count = common.count("pairs", len(rows), locale)
    if not apart:
        return Sentence("headline.none", (count,))
    most = max(apart, key=lambda row: max(row["ratio"], 1 / row["ratio"]))
    pair = pairs[most["pair"]]
    faster, slower = (pair.a, pair.b) if most["ratio"] >= 1 else (pair.b, pair.a)
    figures = (
        spoken.times("times", pair.ratio_of(faster, slower)),
        spoken.number("batch", most["batch_ref"]),
        common.count("apart", len(apart), locale),
        count,
    )
    texts = {
        which: settings.said(pair, setup, locale) for which, setup in (("a", faster), ("b", slower))
    }
    factor = locale.say(f"setting_factor.{most['factor']}")
    names = {"factor": factor, "workload": most["workload_name"], **texts}
    return Sentence("headline.first", figures, names)
