"""How much longer does a virtual dedicated server take than the physical machine with the same
hardware?
"""

from kernels.audit.facts import Facts
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure
from site_src.figures.columns import Column, present
from site_src.figures.controls import Sentence
from site_src.figures.marks import bars
from site_src.locales import Locale
from site_src.questions.cost import platforms
from site_src.tables import Row
from site_src.tables import platforms as tables_platforms


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Training times on a virtual and on a physical machine with the same hardware; None where a
    source has no such pair.
    """
    table = tables_platforms.tenancies(evidence, source)
    if table.empty:
        return None
    table["category"] = table["run_id"]
    rows: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings

    def remark(row: Row, _name: str, locale: Locale) -> str | None:
        return signed(float(str(row["more"])), locale) if present(row["more"]) else None

    return Figure(
        id=f"{source}-tenancy",
        page=page,
        key="tenancy",
        subject=source,
        table=table,
        columns=(
            common.SERIES,
            Column("server_kind", "column.server_kind", "key", prefix="server_kind"),
            Column("workload_name", "column.workload"),
            Column("workload", "column.workload_id", shown=False),
            *platforms.quality(rows),
            Column("time", "column.train_time_s", "number", unit="s", decimals=0),
            Column(
                "more",
                "column.more_than_physical",
                "number",
                unit="percent",
                decimals=1,
                signed=True,
            ),
            Column("provider", "column.provider"),
            Column("clock_scope", "column.clock_scope", "key", prefix="clock_scope", shown=False),
            *common.PROVENANCE,
        ),
        series=common.series(table),
        fields={"value": "time"},
        draw=bars.lying_bars,
        sentence=lambda locale: sentence(rows, evidence.facts, locale),
        axis={"time": "axis.train_seconds"},
        notes=lambda locale: [
            locale.say("figure.tenancy.more"),
            *platforms.qualities(rows, locale),
            *common.run_notes(table, locale),
        ],
        name=lambda row, _: (str(row["workload_name"]), str(row["label"])),
        remark=remark,
        group="workload",
        line=bars.LINE,
        presets=common.relative(table, "time"),
    )


def signed(value: float, locale: Locale) -> str:
    """A difference in per cent with its sign."""
    return locale.signed(locale.quantity(value, "percent", 1), value)


def sentence(rows: list[Row], facts: Facts, locale: Locale) -> Sentence:
    """The least and the largest difference, with their workloads; the only one where there is
    one.
    """
    found = sorted(
        (row for row in rows if present(row["more"])), key=lambda row: float(str(row["more"]))
    )
    physical = next(row for row in rows if row["server_kind"] == "dedicated")
    names = {
        "virtual": str(found[0]["label"]),
        "physical": str(physical["label"]),
        "first_workload": str(found[0]["workload_name"]),
    }
    longer = all(float(str(row["more"])) > 0 for row in found)

    def more(name: str, row: Row) -> tuple[str, str, float, str]:
        write = (
            (lambda value: locale.quantity(value, "percent", 1))
            if longer
            else (lambda value: signed(value, locale))
        )
        return common.told(name, facts, str(row["more_ref"]), locale, write)

    key = "headline.longer" if longer else "headline.mixed"
    if len(found) == 1:
        return Sentence(f"{key}_single", (more("first_more", found[0]),), names)
    figures = (more("first_more", found[0]), more("last_more", found[-1]))
    return Sentence(key, figures, {**names, "last_workload": str(found[-1]["workload_name"])})
