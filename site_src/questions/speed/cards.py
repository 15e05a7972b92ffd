"""What do several cards bring over one of the same kind?"""

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import Column, Row, present
from site_src.figures.controls import Control
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.speed import cards_rows

MEASURES = {
    "speedup": ("par_speedup", "linear_speedup"),
    "speedup_steady": ("par_speedup", "linear_speedup"),
    "efficiency": ("par_efficiency", "linear_efficiency"),
    "efficiency_steady": ("par_efficiency", "linear_efficiency"),
    "cost_change": ("par_cost", "nothing"),
}
"""What the bars can show, the default first: the columns of what equals one card and of what would
be linear.
"""

POWER = ("power_one_low", "power_one_high", "power_all_low", "power_all_high")
"""Columns of power, in W."""


def figure(
    archive: Archive, catalog: Catalog, facts: Facts, source: str, page: str
) -> Figure | None:
    """Speed-up, efficiency and change of cost of several cards; None where a source has no pair of
    runs with times.
    """
    table = cards_rows.cards(archive, catalog, facts, source)
    if table.empty or table["speedup"].notna().sum() == 0:
        return None
    table = common.without_shared(table, "label", "one_label", "missing")
    table["category"] = table["run_id"]
    measures = {name: about for name, about in MEASURES.items() if table[name].notna().any()}

    def notes(locale: Locale) -> list[str]:
        return [
            locale.say("figure.cards.par"),
            locale.say("figure.cards.efficiency"),
            *([locale.say("figure.cards.steady")] if "speedup_steady" in measures else []),
            *([locale.say("figure.cards.cost")] if "cost_change" in measures else []),
            *power_notes(table, locale),
            *([locale.say("figure.cards.missing")] if table["missing"].notna().any() else []),
            *common.precision_notes(table, locale),
            *common.count_notes(table, "speedup", locale),
        ]

    def reason(row: Row, locale: Locale) -> str | None:
        if not present(row["missing"]):
            return None
        return locale.say(
            "join.colon", what=row["missing"], text=locale.say(f"status.{row['missing_status']}")
        )

    return Figure(
        id=f"{source}-cards",
        page=page,
        key="cards",
        subject=source,
        table=table,
        columns=(
            common.SERIES,
            common.WORKLOAD,
            Column(
                "cards",
                "column.cards",
                "number",
                unit="chips",
                decimals=0,
                ref="cards_ref",
                counted=True,
            ),
            Column(
                "batch",
                "column.batch",
                "number",
                unit="images",
                decimals=0,
                ref="batch_ref",
                absent="not_stated",
            ),
            Column("speedup", "column.speedup", "times", decimals=2, ref="speedup_ref"),
            Column("efficiency", "column.efficiency", "fraction", decimals=1, ref="efficiency_ref"),
            Column(
                "speedup_steady",
                "column.speedup_steady",
                "times",
                decimals=2,
                ref="speedup_steady_ref",
            ),
            Column(
                "efficiency_steady",
                "column.efficiency_steady",
                "fraction",
                decimals=1,
                ref="efficiency_steady_ref",
            ),
            Column("pace", "column.pace", "key", prefix="pace"),
            Column(
                "cost_change",
                "column.cost_change",
                "fraction",
                decimals=1,
                ref="cost_change_ref",
                signed=True,
            ),
            *(
                Column(name, f"column.{name}", "number", unit="W", decimals=0, ref=f"{name}_ref")
                for name in POWER
            ),
            Column("one_run", "column.one_card", "run"),
            Column("one_status", "column.one_card_status", "key", prefix="status"),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={
            "value": "speedup",
            "par": MEASURES["speedup"][0],
            "linear": MEASURES["speedup"][1],
        },
        draw=draw,
        sentence=lambda locale: span(table, facts, locale),
        sentences=common.of_further(table, "speedup", lambda own, locale: span(own, facts, locale)),
        presets=common.further_workloads(table, "speedup"),
        axis={name: f"axis.{name}" for name in measures},
        controls=(
            *([common.workload_control(table, catalog)] if table["workload"].nunique() > 1 else []),
            Control(
                "measure",
                tuple(common.choice(name, f"measure.{name}") for name in measures),
                fields={
                    "value": {name: name for name in measures},
                    "par": {name: par for name, (par, _) in measures.items()},
                    "linear": {name: linear for name, (_, linear) in measures.items()},
                },
            ),
        ),
        notes=notes,
        name=name,
        reason=reason,
        log=False,
        relative=False,
        count=False,
        line=bars.LINE,
    )


def name(row: Row, locale: Locale) -> tuple[str, str]:
    """The system; below it the batch size, and whether it is slower than one card."""
    batch = (
        locale.say("figure.cards.batch", batch=locale.number(int(str(row["batch"])), 0))
        if present(row["batch"])
        else ""
    )
    pace = locale.say("pace.slower") if row["pace"] == "slower" else ""
    return str(row["label"]), locale.say(
        "join.terms", first=batch, second=pace
    ) if batch and pace else batch or pace


def power_notes(table: pd.DataFrame, locale: Locale) -> list[str]:
    """The power of all cards with one at work and with all, by workload; nothing where a source
    does not read both.
    """
    known = [row for row in table.to_dict("records") if all(present(row[name]) for name in POWER)]
    said = []
    for row in {str(row["workload"]): row for row in known}.values():
        watts = {name: locale.quantity(float(str(row[name])), "W", 0) for name in POWER}
        said.append(locale.say("figure.cards.power", workload=row["workload_name"], **watts))
    return said


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars below each other, each with a thick line where one card would be and a thin one where a
    linear speed-up would be.
    """
    band = alt.Y(
        field="category",
        type="nominal",
        sort=None,
        axis=None,
        scale=alt.Scale(paddingInner=0, paddingOuter=0),
    )
    marks = (("par", 3, 30, sketch.ink), ("linear", 2, 24, themes.QUIET[sketch.theme]))
    lines = [
        alt.Chart(name=name)
        .transform_filter(f"{bars.HAS_VALUE} && isValid(datum.{name})")
        .mark_tick(
            thickness=thick, color=colour, opacity=1, orient="vertical", size=size, yOffset=20
        )
        .encode(x=alt.X(field=name, type="quantitative"), y=band)
        for name, thick, size, colour in marks
    ]
    return [*bars.lying_bars(sketch), *lines]


def span(table: pd.DataFrame, facts: Facts, locale: Locale) -> Sentence:
    """With the first workload that has figures: from the least speed-up to the greatest, or the
    only one with efficiency and cost.
    """
    rows = [
        row
        for row in common.of_first_workload(table[table["speedup"].notna()])
        if present(row["speedup"])
    ]
    least, most = (pick(rows, key=lambda row: float(str(row["speedup"]))) for pick in (min, max))
    names = {
        "workload": str(most["workload_name"]),
        "first": str(most["label"]),
        "second": str(most["one_label"]),
    }

    def times(name: str, row: Row) -> tuple[str, str, float, str]:
        return common.told(
            name, facts, str(row["speedup_ref"]), locale, lambda value: locale.number(value, 2)
        )

    def batch(name: str, row: Row) -> tuple[str, str, float, str]:
        return common.told(
            name, facts, str(row["batch_ref"]), locale, lambda value: locale.number(value, 0)
        )

    share = common.told(
        "efficiency",
        facts,
        str(most["efficiency_ref"]),
        locale,
        lambda value: locale.percent(value, 1),
    )
    if len(rows) > 1 and all(present(row["batch"]) for row in (least, most)):
        figures = (
            times("low", least),
            batch("low_batch", least),
            times("high", most),
            batch("high_batch", most),
            share,
        )
        return Sentence("headline.range", figures, names)
    if not present(most["cost_change"]):
        return Sentence("headline.single", (times("high", most), share), names)
    change = float(str(most["cost_change"]))
    ref = str(most["cost_change_ref"])
    cost = ("cost", common.about(facts, ref, locale.percent(abs(change), 1), locale), change, ref)
    return Sentence(
        "headline.dearer" if change >= 0 else "headline.cheaper",
        (times("high", most), share, cost),
        names,
    )
