"""How many times as fast is one accelerator as another, by benchmark, as the source prints?"""

import math
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Final

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import Claim, Run, Verdict
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.tables import Cell, Row, printed

COMPARED: Final[Mapping[str, tuple[str, str]]] = {"v100-times-t4": ("v100-pcie", "t4")}
"""Quantities of claims on the speed-up of the first accelerator over the second."""

OVERALL: Final = ("overall-low", "overall-high")
"""Quantities of the two claims on the range over all benchmarks."""

CONDITIONS: Final = "compared"
"""The source's table of the systems that each ratio compares."""


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per benchmark with the printed ratio, highest first, then those without one, then the
    range over all; empty without any.

    Columns beside `COMMON`: `part` (`benchmark` or `overall`), `workload_name`, `times` (None for a
    range), `times_low` and `times_high` (equal for a single figure), and the source's words on the
    comparison: `compared` and `cards`, keys of texts of its table `compared`.
    """
    claims = [claim for claim in evidence.archive.claims if claim.source == source]
    runs = tables.runs_in_force(evidence.archive, source=source)
    found = {
        workload: claim
        for claim in claims
        if claim.quantity in COMPARED and (workload := _workload(_word(claim), runs))
    }
    if not found:
        return tables.frame([])
    blank = _blank(evidence, source, *COMPARED[next(iter(found.values())).quantity])
    told: dict[str, Row] = {}
    for (row, column), cell in printed.cells(evidence.archive, source, CONDITIONS).items():
        told.setdefault(row, {})[column] = cell.text
    rows = [
        {
            **blank,
            "workload_name": evidence.catalog.workload_name(workload),
            **_ends(evidence.facts, claim, claim),
            **told.get(_word(claim), {}),
        }
        for workload, claim in found.items()
    ]
    rows.sort(key=lambda row: (row["times_high"].value, row["times_low"].value), reverse=True)
    for workload in dict.fromkeys(run.workload for run in runs):
        if workload not in found and workload in evidence.catalog.workloads:
            name = evidence.catalog.workload_name(workload)
            rows.append({**blank, "workload_name": name, "status": "not_reported"})
    ends = {claim.quantity: claim for claim in reversed(claims)}
    if all(name in ends for name in OVERALL):
        low, high = (ends[name] for name in OVERALL)
        rows.append({**blank, "part": "overall", **_ends(evidence.facts, low, high)})
    return tables.frame(rows)


def _blank(evidence: Evidence, source: str, first: str, second: str) -> Row:
    return {
        **printed.of_source(
            printed.source_of(evidence.archive, source),
            series=f"{first}-over-{second}",
            label=" / ".join(printed.piece(evidence.catalog, one) for one in (first, second)),
            system=printed.system_with(evidence, source, first),
        ),
        "part": "benchmark",
        "workload_name": None,
        **dict.fromkeys(("times", "times_low", "times_high"), Cell()),
        "compared": None,
        "cards": None,
        "page": None,
    }


def _ends(facts: Facts, low: Claim, high: Claim) -> Row:
    lower, upper = (
        f"claim:{claim.claim_id}:{'printed' if claim.printed is not None else end}"
        for claim, end in ((low, "printed_low"), (high, "printed_high"))
    )
    single = low is high and low.printed is not None
    least = tables.cell(facts, lower, decimals=low.decimals)
    return {
        "locator": low.locator,
        "times": least if single else Cell(decimals=low.decimals),
        "times_low": least,
        "times_high": tables.cell(facts, upper, decimals=high.decimals),
        "page": f"sources/{low.source}/#{low.claim_id}",
    }


def _word(claim: Claim) -> str:
    """The name of the benchmark in the claim's id: `mask-rcnn` of `...-ratio-mask-rcnn`."""
    return claim.claim_id.removeprefix(f"{claim.source}-").partition("-")[2]


def _workload(word: str, runs: Sequence[Run]) -> str | None:
    return next((run.workload for run in runs if f"{run.workload}-".startswith(f"{word}-")), None)


RANGE = "isValid(datum.low)"
NONE = "!isValid(datum.low)"


COLUMNS: Final[tuple[Column, ...]] = (
    Column("workload_name", "column.benchmark", absent="figure.ratios.overall", names_row=True),
    Column("times_low", "column.times_low", "times", absent="status.not_reported"),
    Column("times_high", "column.times_high", "times", absent="status.not_reported"),
    Column("times", "column.ratio", "times", shown=False),
    Column("compared", "column.compared", "key", prefix="cell_text"),
    Column("cards", "column.compared_cards", "key", prefix="cell_text"),
    common.CLAIM,
    Column("part", "column.part_id", shown=False),
    *common.WITHOUT_RUN,
)


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Printed ranges by benchmark, and the overall one; None if a source prints none."""
    table = rows_of(evidence, source)
    if table.empty:
        return None
    records = tables.rows(table)
    table["category"] = [str(row["workload_name"] or row["part"]) for row in records]
    claims = [
        claim
        for claim in evidence.archive.claims
        if claim.source == source and claim.quantity in COMPARED
    ]
    hardware = COMPARED[claims[0].quantity]
    names = dict(
        zip(
            ("first", "second"),
            (printed.piece(evidence.catalog, each) for each in hardware),
            strict=True,
        )
    )
    pictured = all(
        evidence.facts.judgement(claim.claim_id).verdict is Verdict.NOT_CHECKABLE
        for claim in claims
    )

    return Figure(
        id=f"{source}-ratios",
        page=page,
        key="ratios",
        subject=source,
        table=table,
        columns=COLUMNS,
        series=common.series(table),
        fields={"value": "times"},
        draw=draw,
        sentence=lambda locale: _sentence(records, names, evidence.facts, locale),
        axis={"times": "axis.times_equal"},
        notes=partial(_notes, pictured, names, records),
        name=_name,
        reason=_range,
        line=rows.LINE,
    )


def _name(row: Row, locale: Locale) -> tuple[str, str]:
    title = (
        locale.say("figure.ratios.overall") if row["part"] == "overall" else row["workload_name"]
    )
    said = [
        locale.say(f"cell_text.{row[column]}")
        for column in ("compared", "cards")
        if present(row[column])
    ]
    return title, " · ".join(said)


def _notes(pictured: bool, names: dict[str, str], records: list[Row], locale: Locale) -> list[str]:
    said = ["band"] if records[-1]["part"] == "overall" else []
    said += ["not_printed"] if any(row["status"] == "not_reported" for row in records) else []
    return [
        *(MarkNote(locale.say(f"figure.ratios.{key}", **names)) for key in ("read", *said)),
        *([locale.say("figure.ratios.pictured")] if pictured else []),
    ]


def _range(row: Row, locale: Locale) -> str | None:
    if not present(row["times_low"]):
        return None
    ends = {
        # with the decimals printed
        end: locale.number(row[f"times_{end}"], row[f"times_{end}_decimals"])
        for end in ("low", "high")
    }
    return locale.say("figure.times", n=locale.say("range", **ends))


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A bar between the ends, a point for a single figure; behind them the range over all."""
    highest = max(
        row["times_high"] for row in tables.rows(sketch.figure.table) if present(row["times_high"])
    )
    # the next half above the highest end, so that its mark is not cut
    scale = alt.Scale(
        type="linear", domain=[1, math.floor(highest * 2 + 1) / 2], nice=False, zero=False
    )
    low = bars.x("low", scale=scale, axis=bars.value_axis(sketch))
    high = alt.X2(field="high")
    return [
        rows.order(),
        bars.layer("overall", f"{RANGE} && datum.part === 'overall'")
        .mark_rect(color=themes.GRID[sketch.theme], opacity=0.5)
        .encode(x=low, x2=high),
        *rows.bar_layers(sketch, "ranges", f"{RANGE} && {bars.NO_VALUE}", low, high),
        rows.ends(sketch, f"{RANGE} && {bars.HAS_VALUE}", low),
        *rows.words(sketch, RANGE),
        *rows.missing(sketch, NONE),
    ]


def _sentence(rows: list[Row], names: dict[str, str], facts: Facts, locale: Locale) -> Sentence:
    """The range over all benchmarks, and the benchmarks at its ends."""
    spoken = common.Spoken(facts, locale)
    found = [row for row in rows if row["part"] == "benchmark" and present(row["times_low"])]
    lowest = min(found, key=lambda row: row["times_low"])
    highest = max(found, key=lambda row: row["times_high"])
    overall = [row for row in rows if row["part"] == "overall"]
    low, high = (overall[0], overall[0]) if overall else (lowest, highest)

    def reached(end: str, row: Row) -> str:
        return locale.join([one["workload_name"] for one in found if one[end] == row[end]])

    figures = (
        common.count("count", len(found), locale),
        spoken.number("low", low["times_low_ref"], low["times_low_decimals"]),
        spoken.number("high", high["times_high_ref"], high["times_high_decimals"]),
    )
    where = {"least": reached("times_low", lowest), "most": reached("times_high", highest)}
    return Sentence("headline.first", figures, {**names, **where})
