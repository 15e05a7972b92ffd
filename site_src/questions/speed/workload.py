"""How fast does each system train one workload, whoever measured it?"""

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from site_src.figures import common
from site_src.figures.base import Figure, Sentence
from site_src.figures.columns import Column, Row, present
from site_src.figures.controls import Control, Preset
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.speed import workload_rows

ORDERS = 20
"""From this ratio of the largest to the smallest figure on, bars on a linear axis would hide the
small ones.
"""


def figure(
    archive: Archive, catalog: Catalog, facts: Facts, workload: str, page: str
) -> Figure | None:
    """Throughput on synthetic data over all sources; None with one source alone, whose own report
    has its figure.
    """
    table = workload_rows.speed(archive, catalog, facts, workload)
    if table.empty or table["source"].nunique() < 2:  # noqa: PLR2004 - one source is no comparison
        return None
    table["category"] = table["run_id"]
    rows: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings

    def sentence(locale: Locale) -> Sentence:
        first = rows[0]
        figures = (
            ("runs", locale.number(len(rows), 0), float(len(rows)), f"number:{len(rows)}"),
            common.told(
                "first_value",
                facts,
                str(first["throughput_ref"]),
                locale,
                lambda value: locale.quantity(value, "images/s", 0),
            ),
            common.told(
                "batch",
                facts,
                str(first["batch_ref"]),
                locale,
                lambda value: locale.number(value, 0),
            ),
        )
        return Sentence("headline.first", figures, {"first": str(first["label"])})

    def name(row: Row, locale: Locale) -> tuple[str, str]:
        batch = (
            locale.number(float(str(row["batch"])), 0)
            if present(row["batch"])
            else locale.say("not_stated")
        )
        precision = locale.say(
            "run.precision_unknown"
            if row["precision"] == "unknown"
            else f"precision.{row['precision']}"
        )
        origin = locale.say(f"origin.{row['origin']}")
        return str(row["label"]), locale.say(
            "figure.speed.under", batch=batch, precision=precision, origin=origin
        )

    values = [float(str(row["throughput"])) for row in rows]
    apart = max(values) > ORDERS * min(values)

    def notes(locale: Locale) -> list[str]:
        return [
            *([locale.say("figure.speed.log")] if apart else []),
            locale.say("figure.speed.conditions"),
        ]

    basis = Control(
        "basis",
        (
            common.choice("global", "control.basis_global"),
            common.choice("chip", "control.basis_chip"),
        ),
        fields={"value": {"global": "throughput", "chip": "throughput_per_chip"}},
    )
    return Figure(
        id=f"{workload}-throughput",
        page=page,
        key="speed",
        subject=workload,
        table=table,
        columns=(
            common.SERIES,
            Column("batch", "column.batch", "number", unit="images", decimals=0, ref="batch_ref"),
            Column(
                "throughput", "column.throughput", "number", unit="images/s", ref="throughput_ref"
            ),
            Column(
                "throughput_per_chip",
                "column.throughput_per_chip",
                "number",
                unit="images/s",
                ref="throughput_per_chip_ref",
            ),
            *common.FEED,
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "throughput"},
        draw=bars.lying_bars,
        sentence=sentence,
        axis={
            "throughput": "axis.images_per_second",
            "throughput_per_chip": "axis.images_per_second_per_chip",
        },
        controls=(basis,) if table["throughput_per_chip"].notna().all() else (),
        notes=notes,
        name=name,
        log_first=apart,
        presets=(Preset("chip", {"basis": "chip"}),)
        if table["throughput_per_chip"].notna().all()
        else (),
        line=bars.LINE,
    )
