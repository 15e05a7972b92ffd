"""How much do the printed specifications of two accelerators differ?"""

from functools import partial

import altair as alt
import pandas as pd

from kernels.audit.facts import Facts
from kernels.records import Spec
from site_src import tables
from site_src.evidence import Evidence
from site_src.figures import common
from site_src.figures.base import Figure, Sketch
from site_src.figures.columns import Column, present
from site_src.figures.controls import MarkNote, Sentence
from site_src.figures.marks import bars, rows
from site_src.locales import Locale
from site_src.tables import Row
from site_src.tables import printed as tables_printed

FEWEST = 3
"""The fewest quantities that a source must print for both accelerators."""


def rows_of(evidence: Evidence, source: str) -> pd.DataFrame:
    """One row per quantity that a source prints for each of two accelerators; empty if it prints
    them for fewer or more.

    Columns beside `COMMON`: `quantity` as in `catalog.QUANTITIES`, `first` and `second` in `unit`
    (both shown in the multiple of it that `like` uses; clocks in MHz, as printed), and `ratio` of
    first over second, the largest first. The first accelerator is ahead in more quantities.
    """
    printed: dict[str, dict[str, Spec]] = {}
    for spec in evidence.catalog.specs:
        if spec.source == source:
            printed.setdefault(spec.hardware, {})[spec.quantity] = spec
    if len(printed) != 2:  # noqa: PLR2004 - a comparison has two
        return tables.frame([])
    one, other = printed
    shared = [quantity for quantity in printed[one] if quantity in printed[other]]
    pairs = [(printed[one][quantity].value, printed[other][quantity].value) for quantity in shared]
    known = [(a, b) for a, b in pairs if a is not None and b is not None]
    if len(known) < FEWEST:
        return tables.frame([])
    ahead = sum(a > b for a, b in known) >= sum(a < b for a, b in known)
    first, second = (one, other) if ahead else (other, one)
    row = {
        **tables_printed.of_source(
            tables_printed.source_of(evidence.archive, source),
            series=f"{first}-over-{second}",
            label=f"{tables_printed.piece(evidence.catalog, first)} / "
            f"{tables_printed.piece(evidence.catalog, second)}",
            system=tables_printed.system_with(evidence, source, first),
        ),
        "first_page": _page(first),
        "first_page_label": tables_printed.piece(evidence.catalog, first),
        "second_page": _page(second),
        "second_page_label": tables_printed.piece(evidence.catalog, second),
    }
    rows = [
        {**row, **_compared(printed[first][quantity], printed[second][quantity], evidence.facts)}
        for quantity in shared
    ]
    return tables.frame(sorted(rows, key=lambda row: row["ratio"].value or 0.0, reverse=True))


def _compared(one: Spec, other: Spec, facts: Facts) -> Row:
    refs = [f"spec:{spec.hardware}:{spec.quantity}@{spec.source}" for spec in (one, other)]
    first, second = (tables.cell(facts, ref) for ref in refs)
    known = [each.value for each in (first, second) if each.value is not None]
    ratio = f"ratio({', '.join(refs)})" if len(known) > 1 else None
    return {
        "quantity": one.quantity,
        "locator": one.locator,
        "status": "ok" if ratio else "not_reported",
        "first": first,
        "second": second,
        "unit": one.unit,
        "like": None if one.unit == "Hz" else max(known, default=None),
        "ratio": tables.cell(facts, ratio),
    }


def _page(hardware: str) -> str:
    return f"accelerators/{hardware}/#specifications"


def figure(evidence: Evidence, source: str, page: str) -> Figure | None:
    """Ratios of the specifications of two accelerators; None unless a source has just two."""
    table = rows_of(evidence, source)
    if table.empty:
        return None
    table["category"] = table["quantity"]
    records = tables.rows(table)
    known = [row for row in records if present(row["ratio"])]
    names = {which: records[0][f"{which}_page_label"] for which in ("first", "second")}

    first, second = (
        Column(which, "column.value", "quantity", named=names[which])
        for which in ("first", "second")
    )

    return Figure(
        id=f"{source}-specifications",
        page=page,
        key="specifications",
        subject=source,
        table=table,
        columns=_columns(first, second, names),
        series=common.series(table),
        fields={"value": "ratio"},
        draw=draw,
        sentence=partial(_sentence, known, evidence.facts, names),
        axis={"ratio": "axis.times_equal"},
        notes=lambda locale: [
            MarkNote(locale.say("figure.specifications.read", **names)),
            locale.say("figure.specifications.printed"),
        ],
        name=partial(_name, first, second),
        reason=lambda _row, locale: locale.say("figure.specifications.missing"),
        log_first=True,
        line=rows.LINE,
        log=True,
    )


def _columns(first: Column, second: Column, names: dict[str, str]) -> tuple[Column, ...]:
    return (
        Column("quantity", "column.quantity", "key", prefix="spec", names_row=True),
        first,
        second,
        Column("ratio", "column.ratio", "times"),
        Column("first_page", "column.page_of", "link", of=names["first"]),
        Column("second_page", "column.page_of", "link", of=names["second"]),
        common.UNIT,
        *common.WITHOUT_RUN,
    )


def _sentence(known: list[Row], facts: Facts, names: dict[str, str], locale: Locale) -> Sentence:
    spoken = common.Spoken(facts, locale)
    ahead = sum(row["ratio"] > 1 for row in known)
    most, least = known[0], known[-1]
    figures = (
        common.count("ahead", ahead, locale),
        common.count("count", len(known), locale),
        spoken.times("most", most["ratio_ref"]),
        spoken.times("least", least["ratio_ref"]),
    )
    quantities = {
        "most_of": locale.say(f"spec.{most['quantity']}"),
        "least_of": locale.say(f"spec.{least['quantity']}"),
    }
    return Sentence("headline.first", figures, {**names, **quantities})


def _name(first: Column, second: Column, row: Row, locale: Locale) -> tuple[str, str]:
    values = {
        which: column.write(row, locale) for which, column in (("first", first), ("second", second))
    }
    under = locale.say("figure.specifications.sides", **values) if present(row["ratio"]) else ""
    return locale.say(f"spec.{row['quantity']}"), under


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars from 1, where both are equal, to the ratio."""
    scale = (
        alt.Scale(type="log", base=2, nice=True)
        if sketch.log
        else alt.Scale(type="linear", zero=True, nice=True)
    )
    value = bars.x("value", scale=scale, axis=bars.value_axis(sketch, tickCount=5))
    lying = rows.bar_layers(sketch, "ratios", bars.HAS_VALUE, value, alt.X2Datum(1))
    marks = [*lying, rows.ticks(sketch, alt.XDatum(1)), rows.ends(sketch, bars.HAS_VALUE, value)]
    return [rows.order(), *marks, *rows.words(sketch), *rows.missing(sketch)]
