"""What did the monitor read on each card, and how close to its limits?"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.reading import where
from kernels.records import PrintedCell, Run
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import READ_IN, Column, present
from site_src.figures.controls import Control, MarkNote, Preset, Sentence, Series, Shown
from site_src.figures.marks import bars, ranges, rows
from site_src.figures.theme import Look
from site_src.locales import Locale
from site_src.tables import Cell, Row, energy, printed

QUANTITIES: Final = ("power", "graphics-clock", "memory-clock", "load", "memory", "temperature")
"""The quantities drawn, the default first; their texts are `quantity.<key>` in `strings/`."""

READINGS: Final = ("peak", "large-batches")
"""Readings beside the typical one."""

LIMITS: Final[Mapping[str, str]] = {
    "base-clock": "graphics-clock",
    "boost-clock": "graphics-clock",
    "idle-clock": "graphics-clock",
}
"""The quantity of each limit that is not named like it."""

SPECIFIED: Final = "specified"
TOGETHER: Final = "together"

_PRINTED: Final = ("value", "value_low", "value_high")


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per reading or limit, by quantity, then by card.

    Columns beside `COMMON`: `quantity`, `card`, `setting` (as in the cells), `system_name` and
    `workload_name` of its runs, `reading` (usual, one of `READINGS`, `specified`, `sum`: of the
    cards' parts, or `printed` for all cards together), `value` or `value_low` and `value_high` in
    `unit`, `over`: the percentage by which it exceeds the card's limit of the same name. Empty if
    the source has no such cells.
    """
    cells = printed.cells(evidence.archive, source, "monitoring")
    limits = list(printed.cells(evidence.archive, source, "limits").values())
    if not cells:
        return tables.frame(())
    rows: list[Row] = []
    for quantity in QUANTITIES:
        own = [
            row
            for key in dict.fromkeys(row for row, _ in cells)
            for row in _of(key, quantity, cells, limits, evidence.facts)
        ]
        own.sort(key=lambda row: row["card"])
        if quantity == "power":
            own += [*_sums(own, evidence.facts), *_wholes(own, evidence, source)]
        held = [
            _limit(cell, quantity, evidence)
            for cell in limits
            if LIMITS.get(cell.row, cell.row) == quantity
        ]
        if any(row[name].value is not None for row in own for name in _PRINTED):
            rows += [*own, *held]
    origin = printed.source_of(evidence.archive, source)
    runs = list(where(evidence.archive.runs, source=source))
    shared = {
        "origin": "published",
        "source": source,
        "licence": origin.licence,
        "credit": origin.credit,
    }
    blank: Row = {**dict.fromkeys(tables.COMMON), "limit": None, "over": Cell()}
    return tables.frame(
        row | {**blank, **_names(row["setting"], runs, evidence.catalog, source), **row, **shared}
        for row in rows
    )


def _names(setting: str | None, runs: Sequence[Run], catalog: Catalog, source: str) -> Row:
    run = next(
        (run for run in runs if setting and run.run_id.startswith(f"{source}-{setting}-")), None
    )
    system = catalog.systems.get(run.system) if run is not None else None
    workload = catalog.workloads.get(run.workload) if run is not None else None
    return {
        "system_name": system.name if system else None,
        "workload_name": workload.name if workload else None,
    }


def _of(
    key: str,
    quantity: str,
    cells: Mapping[tuple[str, str], PrintedCell],
    limits: Sequence[PrintedCell],
    facts: Facts,
) -> Iterator[Row]:
    """Yields the rows of one card in one setting: its usual reading, and others."""
    parted = re.fullmatch(r"(.+)-card-(\d+)", key)
    if parted is None:
        return
    limit = next((printed.ref(cell) for cell in limits if cell.row == quantity), None)
    for reading in ("usual", *READINGS):
        stem = quantity if reading == "usual" else f"{quantity}-{reading}"
        found = [cells.get((key, f"{stem}{end}")) for end in ("", "-low", "-high")]
        cell = next((one for one in found if one is not None), None)
        if cell is None:
            continue
        refs = {
            column: printed.ref(one) if one is not None and one.unit else None
            for column, one in zip(_PRINTED, found, strict=True)
        }
        highest = refs["value"] or refs["value_high"]
        over = tables.cell(
            facts, f"percent_more({highest}, {limit})" if limit and highest else None
        )
        yield {
            "series": f"card-{parted[2]}",
            "label": f"GPU {parted[2]}",
            "card": parted[2],
            "setting": parted[1],
            "locator": cell.locator,
            **_reading_row(quantity, reading, refs, facts),
            "over": over if over.value and over.value > 0 else Cell(),
        }


def _reading_row(quantity: str, reading: str, refs: Mapping[str, str | None], facts: Facts) -> Row:
    row: Row = {
        "quantity": quantity,
        "reading": reading,
        "status": "ok" if any(refs.values()) else "not_reported",
        "unit": None,
        **dict.fromkeys(_PRINTED, Cell()),
    }
    for name, ref in refs.items():
        if ref is not None:
            fact = facts.get(ref)
            # a fraction is shown as a percentage: two decimals fewer
            decimals = max(0, (fact.decimals or 0) - (2 if fact.unit == "1" else 0))
            row[name] = tables.cell(facts, ref, bound=True, decimals=decimals)
            row["unit"] = fact.unit
    return row


def _sums(rows: Sequence[Row], facts: Facts) -> Iterator[Row]:
    """Yields the total of several cards, if each has a range."""
    for setting in dict.fromkeys(row["setting"] for row in rows):
        usual = [row for row in rows if row["setting"] == setting and row["reading"] == "usual"]
        parts = [row for row in usual if row["value_low"].ref and row["value_high"].ref]
        if len(parts) < 2:  # noqa: PLR2004 - a sum has two parts or more
            continue
        refs = {
            name: f"sum({', '.join(part[name].ref for part in parts)})"
            for name in ("value_low", "value_high")
        }
        yield {
            **_reading_row("power", "sum", refs, facts),
            "series": TOGETHER,
            "label": " + ".join(part["label"] for part in parts),
            "card": None,
            "setting": setting,
            "locator": parts[0]["locator"],
        }


def _wholes(rows: Sequence[Row], evidence: Evidence, source: str) -> Iterator[Row]:
    """Yields the source's figures for all cards together, if there are no parts to add up."""
    runs = list(where(evidence.archive.runs, source=source))
    labels = dict.fromkeys(row["label"] for row in rows if row["card"] is not None)
    for system, bases in energy.powers(evidence, source, runs).items():
        measured = next((power for power in bases if power.basis == "measured"), None)
        known = evidence.catalog.systems.get(system)
        if (
            known is None
            or known.accelerators != len(labels)
            or measured is None
            or measured.low is None
        ):
            continue
        yield {
            **_reading_row(
                "power",
                "printed",
                {"value_low": measured.low, "value_high": measured.high},
                evidence.facts,
            ),
            "series": TOGETHER,
            "label": " + ".join(labels),
            "card": None,
            "setting": None,
            "system_name": known.name,
            "workload_name": measured.workload,
            "locator": next(
                cell.locator for cell in evidence.archive.cells if printed.ref(cell) == measured.low
            ),
        }


def _limit(cell: PrintedCell, quantity: str, evidence: Evidence) -> Row:
    hardware = evidence.catalog.hardware.get(cell.column)
    return {
        **_reading_row(quantity, SPECIFIED, {"value": printed.ref(cell)}, evidence.facts),
        "series": SPECIFIED,
        "label": hardware.name.removeprefix(f"{hardware.vendor} ") if hardware else cell.column,
        "card": None,
        "setting": None,
        "limit": cell.row,
        "locator": cell.locator,
    }


LOOKS: Final[Mapping[str, Look]] = {
    TOGETHER: Look("#00795a", "#2fc79a", "diamond"),
    SPECIFIED: Look("#57606a", "#a7b0bd", "triangle-down"),
}
CARDS: Final = (
    Look("#a8283c", "#f28a96", "square"),
    Look("#2a62b8", "#7db3ff", "circle"),
    Look("#8a6d00", "#e3c545", "triangle-up"),
    Look("#a23f83", "#e08fc4", "triangle-right"),
)
"""Looks for cards of one kind, which differ only by number."""

STROKE: Final = "stroke_"
"""Prefix of columns with the limits of a row's quantity, only for drawing."""


COLUMNS: Final[tuple[Column, ...]] = (
    Column("label", "column.card", "series"),
    Column("quantity", "column.quantity", "key", prefix="quantity"),
    Column("reading", "column.reading", "key", prefix="reading"),
    Column("limit", "column.limit", "key", prefix="limit"),
    Column("system_name", "column.in_use"),
    common.WORKLOAD,
    Column("value", "column.value", "quantity", fractions=True),
    Column("value_low", "column.low", "quantity", fractions=True),
    Column("value_high", "column.high", "quantity", fractions=True),
    Column("over", "column.over", "number", unit="percent", decimals=0),
    common.UNIT,
    common.STATUS,
    *common.WITHOUT_RUN,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Readings per card beside the limits, one quantity at a time; None without readings."""
    table = rows_of(evidence, source)
    if table.empty:
        return None
    table["category"] = [str(index) for index in table.index]
    for name, column in _strokes(table).items():
        table[name] = column
    records = tables.rows(table)
    quantities = list(dict.fromkeys(str(quantity) for quantity in table["quantity"]))

    return Figure(
        id=f"{source}-monitoring",
        page=page,
        key="monitoring",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=tuple(_series(records)),
        fields={"value": "value"},
        draw=draw,
        sentence=lambda locale: sentence(records, evidence.facts, locale),
        axis={"value": f"axis.{quantities[0]}"},
        axis_by={"quantity": {quantity: f"axis.{quantity}" for quantity in quantities}},
        controls=(
            Control(
                "quantity",
                tuple(common.choice(quantity, f"quantity.{quantity}") for quantity in quantities),
                filters="quantity",
            ),
        ),
        notes=lambda locale: list(_notes(evidence, records, source, locale)),
        name=_name,
        reason=_reason,
        count=False,
        line=rows.LINE,
        presets=(Preset("load", {"quantity": "load"}),) if "load" in quantities[1:] else (),
    )


def _strokes(table: pd.DataFrame) -> dict[str, list[float | None]]:
    """Columns with the limits of each row's quantity: every line shows them all."""
    held = {
        quantity: [float(v) for v in rows.loc[rows["reading"] == SPECIFIED, "value"]]
        for quantity, rows in table.groupby("quantity")
    }
    most = max((len(values) for values in held.values()), default=0)
    return {
        f"{STROKE}{index}": [
            (held[q][index] if index < len(held[q]) else None) for q in table["quantity"]
        ]
        for index in range(most)
    }


def _series(rows: list[Row]) -> Iterator[Series]:
    found = dict.fromkeys((row["series"], row["label"]) for row in rows)
    cards = [name for name, _ in found if name not in LOOKS]
    for name, label in sorted(found, key=lambda pair: (pair[0] in LOOKS, pair[0] == SPECIFIED)):
        yield Series(name, label, LOOKS.get(name) or CARDS[cards.index(name) % len(CARDS)])


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    if present(row["limit"]):
        return row["label"], locale.say(f"limit.{row['limit']}")
    trained = ""
    if present(row["system_name"]):
        trained = locale.say("figure.monitoring.under", system=row["system_name"])
        if present(row["workload_name"]):
            trained = locale.say("join.colon", what=trained, text=row["workload_name"])
    if row["reading"] == "usual" or not trained:
        return row["label"], trained
    return rows.wrapped((row["label"], ""), [trained, locale.say(f"reading.{row['reading']}")])


def _reason(row: Row, locale: Locale) -> str | None:
    if not present(row["value_low"]) or not present(row["value_high"]):
        return None
    high = Column("value_high", "column.high", "quantity", fractions=True)
    low = locale.number(_read(row, "value_low"), row["value_low_decimals"])
    return locale.say("range", low=low, high=high.write(row, locale))


def _read(row: Row, name: str) -> float:
    scale = 0.01 if row["unit"] == "1" else READ_IN.get(row["unit"], (1.0, ""))[0]
    value: float = row[name]
    return value / scale


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Ranges as bars, readings as points, limits as strokes; a triangle above a limit."""
    unit = next((row["unit"] for row in sketch.rows if present(row["unit"])), "1")
    size = READ_IN.get(unit, (1.0, ""))[0]
    written: dict[str, Any] = (
        {"labelExpr": f"format(datum.value / {size:g}, '{bars.NUMBER}')"} if size > 1 else {}
    )
    if unit == "1":
        written["format"] = ".12~%"
    strokes = [
        # only at the marks, so that they cross no words
        bars.layer(f"limits_{name}", f"isValid(datum.{name})")
        .mark_tick(
            orient="vertical",
            size=30,
            thickness=2,
            yOffset=rows.drop(sketch),
            color=themes.QUIET[sketch.theme],
        )
        .encode(x=bars.x(name), y=bars.band())
        for name in map(str, sketch.figure.table)
        if name.startswith(STROKE)
    ]
    above = (
        bars.layer("above", "isValid(datum.over)")
        .mark_point(
            shape="triangle-up",
            size=70,
            filled=True,
            opacity=1,
            color=sketch.ink,
            yOffset=rows.drop(sketch),
            xOffset=16,
        )
        .encode(x=bars.x("value"), y=bars.band())
    )
    marks = ranges.draw(sketch, bars.value_axis(sketch, **written), from_zero=False)
    return [*marks, *strokes, above]


def sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    """The power of two cards alone and together, and the highest reading; else a count."""
    spoken = common.Spoken(facts, locale)
    power = [row for row in rows if row["quantity"] == "power"]
    total = next((row for row in power if row["reading"] == "sum"), None)
    drawn = [
        row
        for row in power
        if total and row["setting"] == total["setting"] and row["reading"] == "usual"
    ]
    over = next(iter(tables.ranked(power, "over")), None)
    limit = next((row for row in power if row["reading"] == SPECIFIED), None)
    if total is None or len(drawn) != 2 or over is None or limit is None:  # noqa: PLR2004 - the sentence has two places
        known = [row for row in rows if row["reading"] != SPECIFIED and row["status"] == "ok"]
        return Sentence("headline.count", (common.count("readings", len(known), locale),))
    figures: list[Shown] = []
    for name, row in (("first", drawn[0]), ("second", drawn[1]), ("both", total)):
        figures.append(spoken.number(f"{name}_low", row["value_low_ref"]))
        figures.append(spoken.quantity(f"{name}_high", row["value_high_ref"], "W"))
    figures += [
        spoken.quantity("peak", over["value_ref"] or over["value_high_ref"], "W"),
        spoken.quantity("over", over["over_ref"], "percent"),
        spoken.quantity("limit", limit["value_ref"], "W"),
    ]
    names = {
        "first": drawn[0]["label"],
        "second": drawn[1]["label"],
        "workload": total["workload_name"],
        "system": total["system_name"],
        "third": over["label"],
        "third_workload": over["workload_name"],
    }
    return Sentence("headline.first", tuple(figures), names)


def _notes(evidence: Evidence, rows: list[Row], source: str, locale: Locale) -> Iterator[str]:
    interval = f"cell:{source}:monitoring-tool:sampling-interval:value"
    if any(
        (cell.source, cell.table, cell.row) == (source, "monitoring-tool", "sampling-interval")
        for cell in evidence.archive.cells
    ):
        yield locale.say(
            "figure.monitoring.sampled",
            interval=locale.quantity(evidence.facts.get(interval).value or 0.0, "s", 0),
        )
    yield MarkNote(locale.say("figure.monitoring.limits"))
    if any(present(row["over"]) for row in rows):
        yield MarkNote(locale.say("figure.monitoring.over"))
    said = {row[name] for row in rows for name in ("reading", "quantity")}
    for word in ("sum", "printed", "memory"):
        if word in said:
            yield locale.say(f"figure.monitoring.{word}")
