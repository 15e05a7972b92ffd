"""How many times is one accelerator as fast as another, benchmark by benchmark, as the source
prints it?
"""

import math

import altair as alt

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.records import Verdict
from kernels.store import Archive
from site_src.figures import common
from site_src.figures import theme as themes
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import Column, Row, present
from site_src.figures.marks import bars
from site_src.figures.marks import rows as lines
from site_src.locales import Locale
from site_src.questions.speed import ratios_rows
from site_src.tables import printed

RANGE = "isValid(datum.low)"
NONE = "!isValid(datum.low)"


def figure(
    archive: Archive, catalog: Catalog, facts: Facts, source: str, page: str
) -> Figure | None:
    """Printed ranges by benchmark, and the one over all of them; None where a source prints no such
    ratios.
    """
    table = ratios_rows.ratios(archive, catalog, facts, source)
    if table.empty:
        return None
    rows: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings
    table["category"] = [str(row["workload_name"] or row["part"]) for row in rows]
    claims = [
        claim
        for claim in archive.claims
        if claim.source == source and claim.quantity in ratios_rows.SIDES
    ]
    sides = ratios_rows.SIDES[claims[0].quantity]
    names = dict(
        zip(("first", "second"), (printed.piece(catalog, side) for side in sides), strict=True)
    )
    pictured = all(
        facts.judgement(claim.claim_id).verdict is Verdict.NOT_CHECKABLE for claim in claims
    )

    def name(row: Row, locale: Locale) -> tuple[str, str]:
        title = (
            locale.say("figure.ratios.overall")
            if row["part"] == "overall"
            else str(row["workload_name"])
        )
        said = [
            locale.say(f"cell_text.{row[column]}")
            for column in ("compared", "cards")
            if present(row[column])
        ]
        return title, " · ".join(said)

    def notes(locale: Locale) -> list[str]:
        said = ["band"] if rows[-1]["part"] == "overall" else []
        said += ["not_printed"] if any(row["status"] == "not_reported" for row in rows) else []
        said += ["pictured"] if pictured else []
        return [locale.say(f"figure.ratios.{key}", **names) for key in ("read", *said)]

    return Figure(
        id=f"{source}-ratios",
        page=page,
        key="ratios",
        subject=source,
        table=table,
        columns=(
            Column("workload_name", "column.benchmark", absent="figure.ratios.overall", head=True),
            Column(
                "times_low",
                "column.times_low",
                "times",
                ref="times_low_ref",
                absent="status.not_reported",
            ),
            Column(
                "times_high",
                "column.times_high",
                "times",
                ref="times_high_ref",
                absent="status.not_reported",
            ),
            Column("times", "column.ratio", "times", ref="times_ref", shown=False),
            Column("compared", "column.compared", "key", prefix="cell_text"),
            Column("cards", "column.compared_cards", "key", prefix="cell_text"),
            Column("page", "column.claim", "link", prefix="figure.to_audit"),
            Column("part", "column.part_id", shown=False),
            *common.WITHOUT_RUN,
        ),
        series=common.series(table),
        fields={"value": "times"},
        draw=draw,
        sentence=lambda locale: _sentence(rows, names, facts, locale),
        axis={"times": "axis.times_equal"},
        notes=notes,
        name=name,
        reason=_range,
        log=False,
        relative=False,
        line=lines.LINE,
    )


def _range(row: Row, locale: Locale) -> str | None:
    """A printed range has no value of its own; its ends are what is written."""
    if not present(row["times_low"]):
        return None
    ends = {
        # with the decimals printed
        end: locale.number(float(str(row[f"times_{end}"])), int(str(row[f"times_{end}_decimals"])))
        for end in ("low", "high")
    }
    return locale.say("figure.times", n=locale.say("range", **ends))


def draw(sketch: Sketch) -> list[alt.Chart]:
    """A bar from the lower to the upper end, a point for a single figure; behind them all the range
    over all benchmarks.
    """
    highest = max(
        float(str(row["times_high"]))
        for row in sketch.figure.table.to_dict("records")
        if present(row["times_high"])
    )
    # the next half above the highest end, so that its mark is not cut
    scale = alt.Scale(
        type="linear", domain=[1, math.floor(highest * 2 + 1) / 2], nice=False, zero=False
    )
    low = alt.X(field="low", type="quantitative", scale=scale, axis=bars.value_axis(sketch))
    high = alt.X2(field="high")
    return [
        lines.order(),
        alt.Chart(name="overall")
        .transform_filter(f"{RANGE} && datum.part === 'overall'")
        .mark_rect(color=themes.GRID[sketch.theme], opacity=0.5)
        .encode(x=low, x2=high),
        *lines.bars(sketch, "ranges", f"{RANGE} && {bars.NO_VALUE}", low, high),
        lines.ends(sketch, f"{RANGE} && {bars.HAS_VALUE}", low),
        *lines.words(sketch, RANGE),
        *lines.missing(sketch, NONE),
    ]


def _sentence(rows: list[Row], names: dict[str, str], facts: Facts, locale: Locale) -> Sentence:
    """The range over all benchmarks, or that of the benchmarks' ends, and where its ends are
    reached.
    """
    found = [row for row in rows if row["part"] == "benchmark" and present(row["times_low"])]
    lowest = min(found, key=lambda row: float(str(row["times_low"])))
    highest = max(found, key=lambda row: float(str(row["times_high"])))
    overall = [row for row in rows if row["part"] == "overall"]
    low, high = (overall[0], overall[0]) if overall else (lowest, highest)

    def end(name: str, row: Row, column: str) -> tuple[str, str, float, str]:
        decimals = int(str(row[f"{column}_decimals"]))
        return common.told(
            name,
            facts,
            str(row[f"{column}_ref"]),
            locale,
            lambda value: locale.number(value, decimals),
        )

    figures = (
        ("count", locale.number(len(found)), float(len(found)), f"number:{len(found)}"),
        end("low", low, "times_low"),
        end("high", high, "times_high"),
    )
    where = {
        "least": locale.join(
            [str(row["workload_name"]) for row in found if row["times_low"] == lowest["times_low"]]
        ),
        "most": locale.join(
            [
                str(row["workload_name"])
                for row in found
                if row["times_high"] == highest["times_high"]
            ]
        ),
    }
    return Sentence("headline.first", figures, {**names, **where})
