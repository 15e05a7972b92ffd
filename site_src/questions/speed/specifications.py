"""How far are two accelerators apart in what is printed of them?"""

import altair as alt

from kernels.audit.facts import Facts
from kernels.catalog import Catalog
from kernels.store import Archive
from site_src.figures import common
from site_src.figures.base import Figure, Sentence, Sketch
from site_src.figures.columns import Column, Row, present
from site_src.figures.marks import bars as parts
from site_src.figures.marks import rows as lines
from site_src.locales import Locale
from site_src.questions.speed import specifications_rows


def figure(
    archive: Archive, catalog: Catalog, facts: Facts, source: str, page: str
) -> Figure | None:
    """Ratios of the printed specifications of two accelerators; None where a source does not print
    them for just two.
    """
    table = specifications_rows.specifications(archive, catalog, facts, source)
    if table.empty:
        return None
    table["category"] = table["quantity"]
    rows: list[Row] = table.to_dict("records")  # type: ignore[assignment]  # columns are named by strings
    known = [row for row in rows if present(row["ratio"])]
    names = {side: str(rows[0][f"{side}_page_label"]) for side in ("first", "second")}

    def sentence(locale: Locale) -> Sentence:
        ahead = sum(float(str(row["ratio"])) > 1 for row in known)
        most, least = known[0], known[-1]
        figures = (
            ("ahead", locale.number(ahead), float(ahead), f"number:{ahead}"),
            ("count", locale.number(len(known)), float(len(known)), f"number:{len(known)}"),
            common.told(
                "most",
                facts,
                str(most["ratio_ref"]),
                locale,
                lambda value: common.times(value, locale),
            ),
            common.told(
                "least",
                facts,
                str(least["ratio_ref"]),
                locale,
                lambda value: common.times(value, locale),
            ),
        )
        quantities = {
            "most_of": locale.say(f"spec.{most['quantity']}"),
            "least_of": locale.say(f"spec.{least['quantity']}"),
        }
        return Sentence("headline.first", figures, {**names, **quantities})

    first, second = (
        Column(side, "column.value", "quantity", ref=f"{side}_ref", named=names[side])
        for side in ("first", "second")
    )

    def name(row: Row, locale: Locale) -> tuple[str, str]:
        sides = {
            side: column.write(row, locale)
            for side, column in (("first", first), ("second", second))
        }
        under = locale.say("figure.specifications.sides", **sides) if present(row["ratio"]) else ""
        return locale.say(f"spec.{row['quantity']}"), under

    return Figure(
        id=f"{source}-specifications",
        page=page,
        key="specifications",
        subject=source,
        table=table,
        columns=(
            Column("quantity", "column.quantity", "key", prefix="spec", head=True),
            first,
            second,
            Column("ratio", "column.ratio", "times", ref="ratio_ref"),
            Column("first_page", "column.page_of", "link", of=names["first"]),
            Column("second_page", "column.page_of", "link", of=names["second"]),
            Column("unit", "column.unit", shown=False),
            *common.WITHOUT_RUN,
        ),
        series=common.series(table),
        fields={"value": "ratio"},
        draw=draw,
        sentence=sentence,
        axis={"ratio": "axis.times_equal"},
        notes=lambda locale: [
            locale.say("figure.specifications.read", **names),
            locale.say("figure.specifications.printed"),
        ],
        name=name,
        reason=lambda _row, locale: locale.say("figure.specifications.missing"),
        relative=False,
        log_first=True,
        line=lines.LINE,
    )


def draw(sketch: Sketch) -> list[alt.Chart]:
    """Bars from 1, where both are alike, to the ratio: to the right the first accelerator is ahead,
    to the left the second.
    """
    scale = (
        alt.Scale(type="log", base=2, nice=True)
        if sketch.log
        else alt.Scale(type="linear", zero=True, nice=True)
    )
    value = alt.X(
        field="value", type="quantitative", scale=scale, axis=parts.value_axis(sketch, tickCount=5)
    )
    bars = lines.bars(sketch, "ratios", parts.HAS_VALUE, value, alt.X2Datum(1))
    marks = [*bars, lines.ticks(sketch, alt.XDatum(1)), lines.ends(sketch, parts.HAS_VALUE, value)]
    return [lines.order(), *marks, *lines.words(sketch), *lines.missing(sketch)]
