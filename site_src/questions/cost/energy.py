"""How much energy does a training run take, and which figure of power is that based on?"""

from collections.abc import Iterator
from typing import Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import Choice, Control, Sentence, Shown
from site_src.figures.marks import bars, ranges, rows
from site_src.locales import Locale
from site_src.tables import Row, energy

COLUMNS: Final[tuple[Column, ...]] = (
    common.SERIES,
    common.WORKLOAD,
    common.BATCH,
    Column(
        "basis", "column.power_basis", "key", prefix="power_basis", absent="power_basis.catalogue"
    ),
    Column("power_status", "column.power_status", "key", prefix="power_status"),
    Column("power", "column.power", "number", unit="W", decimals=0),
    Column("power_low", "column.power_low", "number", unit="W", decimals=0),
    Column("power_high", "column.power_high", "number", unit="W", decimals=0),
    common.TIME,
    Column("energy", "column.energy", "number", unit="Wh", decimals=1),
    Column("energy_low", "column.energy_low", "number", unit="Wh", decimals=1),
    Column("energy_high", "column.energy_high", "number", unit="Wh", decimals=1),
    common.COLLAPSED,
    *common.PROVENANCE,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Power x time on each basis of the power; None if a source states no power or no times."""
    table = common.by_precision(energy.energies(evidence, source))
    if table.empty or (
        table["energy"].notna().sum() == 0 and table["energy_low"].notna().sum() == 0
    ):
        return None
    table["category"] = [f"{row['run_id']} {row['power_status']}" for row in tables.rows(table)]
    first = _default(table)
    sizes = sorted(
        dict.fromkeys(int(size) for size in table["batch"]), key=lambda size: (size != first, -size)
    )

    return Figure(
        id=f"{source}-energy",
        page=page,
        key="energy",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "energy"},
        draw=draw,
        sentence=lambda locale: sentence(table, first, evidence.facts, locale),
        axis={"energy": "axis.energy"},
        controls=_controls(table, evidence.catalog, sizes),
        notes=lambda locale: list(_notes(table, locale)),
        name=_name,
        reason=_reason,
        count=False,
        line=rows.LINE,
    )


def _controls(table: pd.DataFrame, catalog: Catalog, sizes: list[int]) -> tuple[Control, ...]:
    return (
        common.workload_control(table, catalog),
        Control("batch", tuple(_size(size) for size in sizes), filters="batch"),
        Control(
            "power",
            tuple(common.choice(basis, f"power_basis.{basis}") for basis in energy.BASES),
            filters="basis",
        ),
    )


def _size(size: int) -> Choice:
    return Choice(str(size), lambda locale: locale.number(size, 0))


def _default(table: pd.DataFrame) -> int:
    """The largest batch size at which most systems have a sound figure in the first workload."""
    rows = table[
        (table["workload"] == table["workload"].iloc[0])
        & table["energy"].notna()
        & table["collapsed"].isna()
    ]
    counts = rows.groupby("batch")["system"].nunique()
    usable = [int(size) for size, systems in counts.items() if systems > 1] or [
        int(size) for size in table["batch"]
    ]
    return max(usable)


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    label = row["label"] + (" †" if present(row["collapsed"]) else "")
    status = locale.say(f"power_status.{row['power_status']}")
    if not present(row["power"]) and not present(row["power_low"]):
        return label, status
    watts = Column("power", "column.power", "number", unit="W", decimals=0)
    if present(row["power"]):
        power = watts.write(row, locale, unit=True, brief=True)
    else:
        low, high = row["power_low"], row["power_high"]
        power = locale.say("range", low=locale.number(low, 0), high=locale.quantity(high, "W", 0))
    if not present(row["time"]):
        return label, locale.say("join.paren", text=power, note=status)
    return label, locale.say(
        "figure.energy.under",
        power=power,
        time=locale.clock(row["time"]),
        status=status,
    )


def _reason(row: Row, locale: Locale) -> str | None:
    if present(row["energy_low"]) and present(row["energy_high"]):
        low, high = row["energy_low"], row["energy_high"]
        return locale.say("range", low=locale.number(low, 1), high=locale.number(high, 1))
    reason = {"not-measured": "no_power", energy.OTHER: "other_network"}.get(row["power_status"])
    return locale.say(f"figure.energy.{reason}") if reason and present(row["time"]) else None


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars for one power, spans for a range of it."""
    return ranges.draw(sketch, bars.value_axis(sketch), from_zero=True)


def sentence(table: pd.DataFrame, size: int, facts: Facts, locale: Locale) -> Sentence:
    """The highest and the lowest energy, and the lowest by the catalogue's figure."""
    spoken = common.Spoken(facts, locale)
    rows = [row for row in common.of_first_workload(table) if row["batch"] == size]
    known = [row for row in rows if present(row["energy"]) and not present(row["collapsed"])]
    own = sorted(
        (row for row in known if row["basis"] == "specified"),
        key=lambda row: row["energy"],
        reverse=True,
    )
    if not own:
        span = next(row for row in tables.rows(table) if present(row["energy_low"]))
        ends = (spoken.quantity(end, span[f"energy_{end}_ref"], "Wh", 1) for end in ("low", "high"))
        return Sentence("headline.range", tuple(ends))
    first, second = own[0], own[-1]

    def told(name: str, row: Row) -> tuple[Shown, Shown]:
        return (
            spoken.quantity(f"{name}_power", row["power_ref"], "W"),
            spoken.quantity(f"{name}_value", row["energy_ref"], "Wh", 1),
        )

    names = {"workload": first["workload_name"]}
    for name, row in (("first", first), ("second", second)):
        names[name] = row["label"]
        names[f"{name}_kind"] = locale.say(f"power_status.{row['power_status']}")
    figures: tuple[Shown, ...] = (
        spoken.number("batch", first["batch_ref"]),
        *told("first", first),
    )
    if second is first:
        return Sentence("headline.single", figures, names)
    figures += told("second", second)
    for row in known:
        if row["basis"] is None and row["system"] == second["system"]:
            return Sentence("headline.catalogue", (*figures, *told("third", row)), names)
    return Sentence("headline.first", figures, names)


def _notes(table: pd.DataFrame, locale: Locale) -> Iterator[str]:
    yield locale.say("figure.energy.constant")
    said = set(table["power_status"])
    for status in ("unverified", energy.CATALOGUE, "both-cards-one-idle", energy.OTHER):
        if status in said:
            yield locale.say(f"figure.energy.{status}")
    yield locale.say("figure.energy.excluded")
    yield from common.collapse_notes(table.drop_duplicates("run_id"), locale)
    yield from common.oom_notes(table, locale)
    yield from common.precision_notes(table, locale)
    yield from common.count_notes(table, "time", locale)
