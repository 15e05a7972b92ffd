"""What has an hour of one accelerator cost since 2022?"""

import math
from collections.abc import Sequence
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.catalog.price_warnings import price_warnings
from kernels.records import Price
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column
from site_src.figures.controls import Choice, Control, MarkNote, Said, Sentence, Series
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row, price_history
from site_src.tables.price_history import ON_DEMAND

LEAST_PROVIDERS: Final = 3
LEAST_DAYS: Final = 3
"""The fewest providers and days on demand that are drawn."""

CURRENCY: Final = "USD"

COLUMNS: Final = (
    Column("label", "column.provider", "series"),
    Column("terms", "column.terms", "key", prefix="price_kind"),
    Column("day", "column.price_date"),
    Column("hourly", "column.per_accelerator_hour", "money", unit=CURRENCY),
    Column("offer", "column.offer"),
    Column("region", "column.region", shown=False),
    Column("price_id", "column.price", "price", shown=False),
    Column("along", "column.year", shown=False),
    *common.WITHOUT_RUN,
)

TERMS: Final = (ON_DEMAND, "spot", "reserved_12", "reserved_36", "marketplace")
"""The terms to choose from, as far as present, the default first."""


def asked(evidence: Evidence) -> dict[str, list[Price]]:
    """The kinds of accelerator with a history, and their prices."""
    found = {}
    for kind, prices in price_history.kinds(evidence).items():
        usual = [price for price in prices if price.kind == ON_DEMAND]
        days = {price.valid_from for price in usual}
        providers = {price.provider for price in usual}
        if len(providers) >= LEAST_PROVIDERS and len(days) >= LEAST_DAYS:
            found[kind] = prices
    return found


def figure(evidence: Evidence, kind: str, prices: Sequence[Price]) -> Figure | None:
    """The cheapest hour of one accelerator at each provider, by terms."""
    warned = price_warnings(prices, evidence.catalog.systems)
    table = price_history.hours(evidence, prices, warned)
    rows = tables.rows(table)
    there = [terms for terms in TERMS if any(row["terms"] == terms for row in rows)]
    if not there or there[0] != ON_DEMAND:
        return None
    table = table[table["terms"].isin(there)].reset_index(drop=True)
    name = evidence.catalog.hardware[kind].name
    control = Control(
        "terms",
        tuple(Choice(one, partial(_say, key=f"price_kind.{one}")) for one in there),
        filters="terms",
    )
    said = partial(_sentence, rows, name, evidence)
    return Figure(
        id=f"{kind}-price-history",
        page=f"prices/{kind}/",
        key="price_history",
        subject=kind,
        whose=name,
        table=table,
        columns=COLUMNS,
        series=in_turn(table),
        fields={"value": "hourly", "along": "along"},
        draw=draw,
        sentence=partial(said, ON_DEMAND),
        sentences=tuple(Said({"terms": one}, partial(said, one)) for one in there[1:]),
        axis={"hourly": "axis.accelerator_hour"},
        axis_names={"currency": CURRENCY},
        controls=(control,),
        notes=lambda locale: [
            *(MarkNote(locale.say(f"figure.price_history.{key}")) for key in ("cheapest", "days")),
            locale.say("figure.price_history.forms"),
        ],
        count=False,
        texts=False,
        log=True,
    )


def in_turn(table: pd.DataFrame) -> tuple[Series, ...]:
    """The series with looks that all differ, for up to fourteen."""
    return tuple(
        Series(one.id, one.label, themes.in_turn(place % themes.MOST_TURNS))
        for place, one in enumerate(common.series(table))
    )


def _say(locale: Locale, key: str) -> str:
    return locale.say(key)


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A step line for each series, and a point where its price changed."""
    days = sketch.figure.table["along"]
    first, last = math.floor(min(days)), math.floor(max(days))
    along = bars.x(
        "along",
        scale=alt.Scale(domain=[first, max(days)], nice=False, padding=8),
        axis=alt.Axis(
            title=None, format="d", values=[*range(first, last + 1)], grid=False, **bars.APART
        ),
    )
    axis = bars.value_axis(sketch, **(bars.log_ticks(sketch, "y") if sketch.log else {}))
    value = bars.y("value", scale=bars.value_scale(sketch), axis=axis)
    place = {"x": along, "y": value}
    return [
        alt.Chart(name="prices")
        .mark_line(strokeWidth=2, interpolate="step-after")
        .encode(**place, color=bars.colour(sketch), strokeDash=bars.dash(sketch)),
        alt.Chart(name="changes")
        .mark_point(size=36, strokeWidth=1.5, opacity=1)
        .encode(**place, **bars.points(sketch)),
    ]


def _sentence(
    rows: Sequence[Row], name: str, evidence: Evidence, terms: str, locale: Locale
) -> Sentence:
    """The cheapest hour of the first and of the last year."""
    own = [row for row in rows if row["terms"] == terms]
    years = sorted({row["day"][:4] for row in own})
    first, last = (
        min(
            (row for row in own if row["day"].startswith(year)),
            key=lambda row: (row["hourly"], row["series"]),
        )
        for year in (years[0], years[-1])
    )
    spoken = common.Spoken(evidence.facts, locale)
    names = {
        "name": name,
        "terms": locale.say(f"price_kind.{terms}"),
        "last_year": years[-1],
        "last": last["label"],
    }
    newest = spoken.money("last_value", last["hourly_ref"], CURRENCY)
    if len(years) == 1:
        return Sentence("headline_one", (newest,), names)
    names |= {"first_year": years[0], "first": first["label"]}
    oldest = spoken.money("first_value", first["hourly_ref"], CURRENCY)
    return Sentence("headline", (oldest, newest), names)
