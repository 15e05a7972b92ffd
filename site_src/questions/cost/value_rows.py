"""Throughput for money, by run and offer."""

import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from kernels.units import UNITS
from site_src import tables


def value(archive: Archive, catalog: Catalog, facts: Facts, source: str) -> pd.DataFrame:
    """Throughput for money: one row a run and an offer of the source; runs at the common batch
    size, or all where there is none.

    Runs that count images, and offers in currencies of which `units.UNITS` knows the unit.

    `rate` is in images/s per currency unit an hour, `images` in images per currency unit.
    """
    rows = []
    runs = tables.runs_in_force(
        archive,
        lambda run: run.source == source and run.data in tables.SYNTHETIC and tables.has_speed(run),
    )
    for run in tables.common_batch(runs) or runs:
        metric = tables.throughput_metric(run)
        assert metric is not None  # noqa: S101 - has_speed keeps runs with a figure
        speed = f"run:{run.run_id}:{metric.key}"
        for price in tables.offers(run, archive, catalog, source):
            if (
                f"{metric.unit} per {price.currency}/h" not in UNITS
                or f"images/{price.currency}" not in UNITS
            ):
                continue
            hourly = f"price:{price.price_id}:per_hour"
            rate, images = (
                f"images_per_price({speed}, {hourly})",
                f"images_per_currency_unit({speed}, {hourly})",
            )
            rows.append(
                {
                    **tables.common(run, metric, catalog),
                    **tables.offer_columns(price, run, facts),
                    "throughput": tables.figure(facts, speed),
                    "throughput_ref": speed,
                    **tables.feed(run),
                    "rate": tables.figure(facts, rate),
                    "rate_ref": rate,
                    "rate_bound": facts.get(rate).bound.value,
                    "images": tables.figure(facts, images),
                    "images_ref": images,
                    "images_bound": facts.get(images).bound.value,
                    "images_decimals": tables.worth(facts, images, speed),
                }
            )
    return tables.frame(rows)
