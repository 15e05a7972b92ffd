"""How much slower is a virtual dedicated server than a physical machine of the same hardware?"""

from typing import Final

from kernels.audit.facts import Facts
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Sentence, Shown
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.cost import platforms
from site_src.tables import Row
from site_src.tables import platforms as tables_platforms

MORE: Final = Column(
    "more", "column.more_than_physical", "number", unit="percent", decimals=1, signed=True
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Times on a virtual and a physical machine of one hardware; None without such a pair."""
    table = tables_platforms.tenancies(evidence, source)
    if table.empty:
        return None
    table["category"] = table["run_id"]
    rows = tables.rows(table)

    def remark(row: Row, _name: str, locale: Locale) -> str | None:
        return signed(row["more"], locale) if present(row["more"]) else None

    return Figure(
        id=f"{source}-tenancy",
        page=page,
        key="tenancy",
        subject=source,
        table=table,
        columns=(
            common.SERIES,
            Column("server_kind", "column.server_kind", "key", prefix="server_kind"),
            common.WORKLOAD,
            common.WORKLOAD_ID,
            *platforms.quality(rows),
            common.TIME,
            MORE,
            Column("provider", "column.provider"),
            common.CLOCK,
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "time"},
        draw=bars.lying_bars,
        sentence=lambda locale: sentence(rows, evidence.facts, locale),
        axis={"time": "axis.train_seconds"},
        notes=lambda locale: [
            MarkNote(locale.say("figure.tenancy.more")),
            *platforms.qualities(rows, locale),
            *common.run_notes(table, locale),
        ],
        name=lambda row, _: (row["workload_name"], row["label"]),
        remark=remark,
        group="workload",
        line=bars.LINE,
        presets=common.relative(table, "time"),
        relative=True,
        log=True,
    )


def signed(value: float, locale: Locale) -> str:
    """A difference in per cent with its sign."""
    return locale.signed(locale.quantity(value, "percent", 1), value)


def sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    """The smallest and the largest difference, with their workloads."""
    spoken = common.Spoken(facts, locale)
    found = tables.ranked(rows, "more", least=True)
    physical = next(row for row in rows if row["server_kind"] == "dedicated")
    names = {
        "virtual": found[0]["label"],
        "physical": physical["label"],
        "first_workload": found[0]["workload_name"],
    }
    longer = found[0]["more"] > 0
    key = "headline.longer" if longer else "headline.mixed"

    def more(name: str, row: Row) -> Shown:
        if longer:
            return spoken.quantity(name, row["more_ref"], "percent", 1)
        return spoken.put(name, row["more_ref"], lambda value: signed(value, locale))

    first = more("first_more", found[0])
    if len(found) == 1:
        return Sentence(f"{key}_single", (first,), names)
    names["last_workload"] = found[-1]["workload_name"]
    return Sentence(key, (first, more("last_more", found[-1])), names)
