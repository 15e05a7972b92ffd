"""A chart's table as values: what its HTML, the tables of posts and its last version are written
from.
"""

from html import unescape

import pytest

from site_src.addresses import retired
from site_src.charts import markup, snippets, table
from site_src.charts.table import Entry, Heading
from site_src.figures.columns import Column
from site_src.templates import charts
from tests.site_src import recorded

EN = recorded.english()
THROUGHPUT = recorded.drawn()["tpuv2-v100-throughput"]


@pytest.mark.parametrize(
    ("entry", "html"),
    [
        (Entry("1 < 2"), "<td>1 &lt; 2</td>"),
        (Entry("4 × V100", "name"), '<th scope="row">4 × V100</th>'),
        (Entry("ResNet-50"), '<td><span class="ts-kept">ResNet-50</span></td>'),
        (
            Entry("1,024", "number", "1024", "run:a:b"),
            '<td class="ts-number"><data value="1024" data-ref="run:a:b">1,024</data></td>',
        ),
        (Entry("0", "number", "0"), '<td class="ts-number"><data value="0">0</data></td>'),
        (Entry("–", "number"), '<td class="ts-number">–</td>'),
        (Entry("out of memory", "missing"), '<td class="ts-number ts-missing">out of memory</td>'),
        (Entry("a run", link="runs/a/"), '<td><a href="../en/runs/a/">a run</a></td>'),
    ],
)
def test_a_cell_is_written_as_what_it_is(entry: Entry, html: str) -> None:
    """Text, name, figure with and without reference, what is missing and why, a way to a page."""
    assert markup.cell(entry, EN, "../") == html


def test_a_heading_has_its_unit_apart() -> None:
    """In HTML the unit is marked; elsewhere the heading is one text."""
    heading = Heading("Rate & more", ("Rate & more, ", ""), "images/s", number=True)

    assert heading.text == "Rate & more, images/s"
    assert charts.heading(heading) == 'Rate &amp; more, <span class="ts-unit">images/s</span>'


def test_entries_have_values_references_and_marks() -> None:
    """A figure has its value and reference, an ended run says so, a row bears its series."""
    names = [column.name for column in table.shown(THROUGHPUT)]
    lines = list(table.lines(THROUGHPUT, EN))
    whole = [dict(zip(names, line.entries, strict=True)) for line in lines]

    assert len(lines) == len(THROUGHPUT.table)
    for row, line, entries in zip(THROUGHPUT.plain, lines, whole, strict=True):
        assert line.marks["series"] == row["series"]
        figure = entries["throughput"]
        if row["throughput"] is None:
            assert (figure.kind, figure.value, figure.ref) == ("missing", "", None)
        else:
            assert (float(figure.value), figure.ref) == (row["throughput"], row["throughput_ref"])
    assert "out of memory" in {entries["throughput"].text for entries in whole}


@pytest.mark.parametrize("name", ["tpuv2-v100-throughput", "tpuv2-v100-target", "digits-cnn-steps"])
def test_page_posts_and_last_version_say_the_same(name: str) -> None:
    """A long table, one that controls filter, and one that is summed up."""
    figure = recorded.drawn()[name]
    for locale in (EN, recorded.foreign()):
        page = unescape(
            markup.table(figure, locale, "")
            .replace('<span class="ts-kept">', "")
            .replace("</span>", "")
        )
        kept = retired.table_words(figure, locale)
        post = snippets.table(figure, locale)

        assert [number for _, number in post.headings] == [
            at in kept["numbers"] for at in range(len(kept["head"]))
        ]
        assert [text for text, _ in post.headings] == [
            text.replace("\u00ad", "") for text in kept["head"]
        ]
        rows = [[text.replace("\u00ad", "") for text in row] for row in kept["rows"]]
        told = [[cell.text for cell in row] for row in post.rows]
        assert [row for row in rows if row in told] == told
        assert 0 < len(told) <= len(rows) == page.count("<tr data-series=")
        assert all(f">{text}<" in page for row in kept["rows"] for text in row)


def test_a_post_has_the_rows_of_the_default_state() -> None:
    """Those that the picture shows; the page's table has the others too, for its filters."""
    figure = recorded.drawn()["tpuv2-v100-target"]

    rows = snippets.table(figure, EN).rows

    assert len(rows) == len(figure.rows(EN, {})) < len(list(table.lines(figure, EN)))


@pytest.mark.parametrize(
    ("kind", "entry"),
    [
        ("free", Entry("free of charge", "number")),
        ("on_demand", Entry("USD\u00a00.00", "number", "0")),
    ],
)
def test_an_amount_of_what_is_free_is_words(kind: str, entry: Entry) -> None:
    """Only an offer that costs nothing is; an amount of zero is a figure."""
    column = Column("cost", "column.cost_recomputed", "money", unit="USD", decimals=2)

    assert (
        table.entry(
            column, {"cost": 0.0, "price_kind": kind, "session_limit_s": None}, recorded.english()
        )
        == entry
    )
