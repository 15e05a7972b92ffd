"""What does reaching a target cost, and how long does it take, on each system and at each offer?"""

from collections.abc import Mapping, Sequence
from datetime import date
from functools import reduce
from typing import Final

import altair as alt
import pandas as pd

from kernels.records import Origin, PriceKind
from site_src import costs, tables
from site_src.costs import Case, words
from site_src.costs.question import REMARKS
from site_src.costs.question import Row as Answered
from site_src.costs.references import hourly_ref, refs
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure
from site_src.figures.columns import Column
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars
from site_src.figures.marks.bars import X_TITLE, Y_TITLE
from site_src.locales import Locale
from site_src.questions.cost import pareto
from site_src.tables import Cell, Row

UNITS: Final[Mapping[str, float]] = {"h": 3600.0, "min": 60.0, "s": 1.0}
"""Seconds per unit of the time axis."""

AGES_SAID: Final = frozenset({"old-price"})
"""Remarks that depend on the day of the build: left to the page."""

LEAST: Final = 2
"""The fewest rows with a cost that are drawn."""

MOST: Final = 10
"""The most systems that can be told apart in one chart."""


def ranked(evidence: Evidence, workload: str) -> tuple[Case, list[Answered]] | None:
    """A workload with its rows that have a cost; None for fewer than two."""
    cases = costs.cases(evidence, only=workload)
    rates = *evidence.archive.rates, *evidence.catalog.rates.values()
    for case, answer in zip(cases, costs.first_answers(cases, rates, date.max), strict=True):
        rows = [row for row in words.ranked(answer) if row.cost is not None]
        if len(rows) >= LEAST:
            return case, rows
    return None


def unit_of(rows: Sequence[Answered]) -> str:
    """The unit of the axis, in which the longest time is shown."""
    return words.time(max(row.seconds.value for row in rows if row.seconds is not None)).unit


def figure(case: Case, rows: Sequence[Answered], evidence: Evidence) -> Figure:
    """Cost against time of one workload's systems at their recorded offers, with the frontier."""
    unit, currency = unit_of(rows), case.question.currency
    shown = foremost(rows)
    left = len({row.candidate.id for row in rows} - {row.candidate.id for row in shown})
    table = common.by_precision(frame(case, shown, evidence, unit))
    best = {(row.seconds, row.cost) for row in rows if row.frontier}
    single = len(best) == 1  # no line to see
    marks = "marks_one" if single else "marks"
    labels = dict(zip(table["run_id"], table["label"], strict=True))
    return Figure(
        id=f"{case.workload.workload}-costs",
        page="costs/",
        key="costs",
        subject=case.workload.workload,
        table=table,
        columns=(
            common.SERIES,
            Column("accelerators", "column.chips", "number", decimals=0),
            common.BATCH_SIZE,
            Column("time", "head.time", "number", unit=unit, decimals=2),
            Column("cost", "column.cost_recomputed", "money", unit=currency),
            Column("frontier", "column.frontier", "key", prefix="frontier"),
            Column("clock_scope", "column.clock_scope", "key", prefix="clock_scope"),
            Column("remarks", "column.remarks", shown=False),
            *(column for column in common.offer_columns(currency) if column.name != "remarks"),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "cost", "time": "time"},
        draw=lambda sketch: pareto.scatter(sketch, "axis.time_to_target", unit),
        sentence=lambda locale: sentence(case, rows, locale, labels),
        axis={"cost": "axis.spent"},
        axis_names={"currency": currency},
        notes=lambda locale: [
            MarkNote(locale.say(f"figure.frontier.{marks}")),
            locale.say("figure.costs.recorded"),
            *([locale.say("figure.costs.left", n=left)] if left else []),
            *_remarks(table, locale),
        ],
        texts=False,
        dashed=False,
        log_first=any(
            max(values) > pareto.ORDERS * min(values) for values in (table["cost"], table["time"])
        ),
        # free offers have no place on a logarithmic axis
        log=min(*table["cost"], *table["time"]) > 0,
        height=400,
    )


def foremost(rows: Sequence[Answered]) -> list[Answered]:
    """The rows of few systems: those on the frontier, then the cheapest, in the order of `rows`."""
    first = dict.fromkeys(row.candidate.id for row in rows if row.frontier)
    order = [*(first | dict.fromkeys(row.candidate.id for row in rows))]
    kept = {*order[: max(MOST, len(first))]}
    return [row for row in rows if row.candidate.id in kept]


def frame(case: Case, rows: Sequence[Answered], evidence: Evidence, unit: str) -> pd.DataFrame:
    """One row per answered row with a cost; `time` in `unit`, money in the question's currency."""

    def cell(ref: str | None, value: float | None) -> Cell:
        """The figure of a reference, or without one the value of the answer."""
        return tables.cell(evidence.facts, ref, bound=True) if ref else Cell(value)

    found: list[Row] = []
    for row in rows:
        setup, offer = case.setup(row), row.offer
        price = setup.price(offer.id) if offer else None
        assert (  # noqa: S101 - it has a cost
            row.seconds is not None
            and row.cost is not None
            and offer is not None
            and price is not None
        )
        common_ = tables.common(setup.run, None, evidence.catalog)
        time, money = refs(evidence.facts, case, setup, row, unit)
        found.append(
            {
                **common_,
                "n": row.reached if setup.run.origin is not Origin.PUBLISHED else common_["n"],
                "accelerators": row.candidate.accelerators,
                "batch": setup.run.global_batch_size,
                "clock_scope": row.candidate.clock_scope.value,
                "time": cell(time, row.seconds.value / UNITS[unit]),
                "cost": cell(money, row.cost.value),
                "frontier": pareto.ON if row.frontier else pareto.OFF,
                "price_id": offer.id,
                "provider": price.provider,
                "price_kind": price.kind.value,
                "session_limit_s": price.session_limit_s,
                "term_months": price.term_months,
                "hourly": cell(hourly_ref(evidence.facts, setup, row), row.hourly),
                "currency": case.question.currency,
                "price_date": offer.day.isoformat() if offer.day else None,
                "price_source": price.source,
                "price_locator": price.locator,
                "remarks": " ".join(key for key in row.remarks if key not in AGES_SAID),
            }
        )
    return tables.frame(found)


def _remarks(table: pd.DataFrame, locale: Locale) -> list[str]:
    said = {key for text in table["remarks"] for key in str(text).split()}
    return [locale.say(f"price_remark.{key}") for key in REMARKS if key in said]


def sentence(
    case: Case, rows: Sequence[Answered], locale: Locale, labels: Mapping[str, str]
) -> Sentence:
    """The cheapest and the fastest row, by their labels in the chart, by run."""
    points = [(row.cost.value, row.seconds.value) for row in rows if row.cost and row.seconds]
    cheapest = rows[points.index(min(points))]
    fastest = rows[points.index(min(points, key=lambda point: point[::-1]))]
    known = words.names(case.setups, locale)
    names = {
        setup.candidate.id: known[setup.candidate.id].replace(
            setup.label, labels.get(setup.run.run_id, setup.label), 1
        )
        for setup in case.setups
    }
    told = {"goal": words.target_text(case, case.question.target, locale)}
    for name, row in (("cheapest", cheapest), ("fastest", fastest)):
        assert row.cost is not None and row.seconds is not None  # noqa: S101 - as handed over
        cost = words.money(row.cost.value, case.question.currency)
        time = _bounded(words.time(row.seconds.value), words.time_bounds(row), locale)
        told |= {name: words.counted(names[row.candidate.id], row, locale), f"{name}_time": time}
        told[f"{name}_paid"] = (
            locale.free(row.offer.session_limit_s)
            if row.offer and row.offer.kind is PriceKind.FREE
            else locale.say("costs.paid", cost=_bounded(cost, words.cost_bounds(row), locale))
        )
    bounded = any({"at-most", "between"} & {*row.remarks} for row in rows)
    then = Sentence("headline.at_most") if bounded else None
    return Sentence(f"headline.{'single' if cheapest is fastest else 'first'}", (), told, then=then)


def _bounded(amount: words.Amount, keys: Sequence[str], locale: Locale) -> str:
    return reduce(lambda text, key: locale.say(key, n=text), keys, amount.text(locale))


ROOM: Final = 1.1
"""How far linear axes extend beyond the outermost point."""

# The calculator's own chart: compiled once a language, its rows come from the reader's answer


def live(*, log: bool) -> alt.LayerChart:
    """The chart of any answer: rows as `_answer` in calculator.js makes them."""
    scale = (
        alt.Scale(type="log", nice=False) if log else alt.Scale(type="linear", zero=True, nice=True)
    )
    x = bars.x("time", scale=scale, axis=bars.plain_axis(X_TITLE, 3 if log else 5))
    y = bars.y("cost", scale=scale, axis=bars.plain_axis(Y_TITLE, 3 if log else 5))
    layers = [
        bars.layer("frontier", f"datum.frontier === '{pareto.ON}'")
        .mark_line(interpolate="step-after", strokeWidth=2, color=themes.QUIET["light"])
        .encode(x=x, y=y),
        # nothing to see, but it extends the axes beyond the outermost points and their numbers
        *(
            alt.Chart(name=f"room_{place}")
            .transform_calculate(room_x=f"datum.time * {times}", room_y=f"datum.cost * {times}")
            .mark_point(opacity=0, size=0)
            .encode(
                x=bars.x("room_x"),
                y=bars.y("room_y"),
            )
            for place, times in enumerate((1 / pareto.ROOM, pareto.ROOM) if log else (1.0, ROOM))
        ),
        alt.Chart(name="ranges_x")
        .mark_rule(color=themes.QUIET["light"])
        .encode(x=bars.x("time_low"), x2=alt.X2(field="time_high"), y=y),
        alt.Chart(name="ranges_y")
        .mark_rule(color=themes.QUIET["light"])
        .encode(x=x, y=bars.y("cost_low"), y2=alt.Y2(field="cost_high")),
        alt.Chart(name="points")
        .mark_point(opacity=1, strokeWidth=2)
        .encode(
            x=x,
            y=y,
            color=alt.Color(field="colour", type="nominal", scale=None),
            fill=alt.Fill(field="inside", type="nominal", scale=None),
            shape=alt.Shape(field="shape", type="nominal", scale=None),
            size=alt.Size(
                field="frontier", type="nominal", scale=pareto.sizes(220, 70), legend=None
            ),
            tooltip=bars.tip(),
        ),
        alt.Chart(name="ranks")
        .mark_text(align="left", dx=10, dy=-9, fontSize=12, color=themes.INK["light"])
        .encode(x=x, y=y, text=bars.said("text")),
    ]
    chart: alt.LayerChart = alt.layer(  # type: ignore[assignment]  # layers of single charts make no facets
        *layers,
        data=alt.InlineData(values=[], name="rows"),
        width=720,
        height=380,
        autosize=alt.AutoSizeParams(type="fit", contains="padding"),
        config=themes.config("light"),
    )
    return chart
