"""How much throughput does an hourly price buy?"""

from functools import partial
from typing import Final

import pandas as pd

from kernels.audit.facts import Facts
from kernels.units import UNITS
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column
from site_src.figures.controls import Preset, Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.tables import Row


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """Throughput per price: one row per run and offer of the source; runs at the common batch size,
    or all without one.

    Only runs that count images, and offers in currencies whose unit `units.UNITS` knows.

    `rate` is in images/s per currency unit an hour, `images` in images per currency unit.
    """
    rows = []
    runs = tables.runs_in_force(
        evidence.archive,
        source=source,
        keep=lambda run: run.data in tables.SYNTHETIC and tables.has_speed(run),
    )
    for run in tables.common_batch(runs) or runs:
        metric = tables.throughput_metric(run)
        assert metric is not None  # noqa: S101 - has_speed keeps runs with a figure
        speed = f"run:{run.run_id}:{metric.key}"
        for price in tables.offers(run, evidence, source):
            units = {f"{metric.unit} per {price.currency}/h", f"images/{price.currency}"}
            if not units <= UNITS:
                continue
            inputs = f"{speed}, price:{price.price_id}:per_hour"
            rate, images = f"images_per_price({inputs})", f"images_per_currency_unit({inputs})"
            worth = tables.worth(evidence.facts, images, speed)
            rows.append(
                {
                    **tables.common(run, metric, evidence.catalog),
                    **tables.offer_columns(price, run, evidence.facts),
                    "throughput": tables.cell(evidence.facts, speed),
                    **tables.feed(run),
                    "rate": tables.cell(evidence.facts, rate, bound=True),
                    "images": tables.cell(evidence.facts, images, bound=True, decimals=worth),
                }
            )
    return tables.frame(rows)


CURRENCIES: Final = ("USD", "EUR")
"""Currencies with a unit for throughput per price."""


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Throughput per price, a bar per offer; None without offers in one currency."""
    table = common.by_precision(rows_of(evidence, source))
    if (
        table.empty
        or table["currency"].nunique() != 1
        or table["currency"].iloc[0] not in CURRENCIES
        or common.workloads(table, evidence.archive) > 1
    ):
        return None
    table["category"] = table["run_id"] + " " + table["price_id"]
    currency = str(table["currency"].iloc[0])
    rows = tables.rows(table)

    return Figure(
        id=f"{source}-value",
        page=page,
        key="value",
        subject=source,
        table=table,
        columns=_columns(currency),
        series=common.series(table),
        fields={"value": "rate"},
        draw=bars.lying_bars,
        sentence=partial(_sentence, evidence.facts, rows, currency),
        axis={"rate": "axis.images_per_second_per_price", "images": "axis.images_per_money"},
        axis_names={"currency": currency},
        controls=(common.measures(("rate", "images")),),
        notes=lambda locale: common.offer_notes(table, locale),
        name=common.name_with_offer,
        line=bars.LINE,
        presets=(Preset("images", {"measure": "images"}),),
        relative=True,
        log=True,
    )


def _columns(currency: str) -> tuple[Column, ...]:
    return (
        common.SERIES,
        *common.offer_columns(currency),
        common.THROUGHPUT,
        Column("rate", "column.rate", "number", unit=f"images/s per {currency}/h", decimals=0),
        Column("images", "column.images", "number", unit=f"images/{currency}", decimals=0),
        *common.FEED,
        *common.PROVENANCE,
    )


def _sentence(facts: Facts, rows: list[Row], currency: str, locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    # offers for another machine than the one measured are not compared
    ranked = tables.ranked((row for row in rows if not common.of_other_machine(row)), "rate")
    first = ranked[0]
    second = next((row for row in ranked if row["system"] != first["system"]), ranked[-1])
    unit = f"images/s per {currency}/h"
    names = {
        "first": first["label"],
        "second": second["label"],
        "first_offer": common.offer(first, locale),
        "second_offer": common.offer(second, locale),
    }
    top = spoken.quantity("first_value", first["rate_ref"], unit)
    if second is first:
        return Sentence("headline.single", (top,), names)
    times = spoken.quantity(
        "times", f"ratio({first['rate_ref']}, {second['rate_ref']})", "times", 2
    )
    if times[2] == 1:
        return Sentence("headline.equal", (top,), names)
    last = spoken.quantity("second_value", second["rate_ref"], unit)
    return Sentence("headline.first", (top, last, times), names)
