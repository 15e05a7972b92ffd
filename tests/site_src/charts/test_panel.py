"""What the share panel offers: snippets that hold any words, tables that read back."""

import ast
import csv
import html
import io
import re
from dataclasses import replace
from datetime import date
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from site_src import charts, pages
from site_src.charts import markup, panel, pictures, runtime, snippets
from site_src.charts import table as columns
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.snippets import ESCAPES, FORMATS, Cell, Table, escaped, fill, written
from site_src.csv_cells import FORMULA, NUMBER, unguarded
from site_src.evidence import Evidence
from site_src.figures.base import PHONE, WIDE
from site_src.figures.controls import MarkNote, StateNote
from site_src.pages.components.site import Site
from site_src.pages.components.writer import Writer
from site_src.pages.static_pages import chart_page, rows_page, sheet_path
from tests.site_src import drawing, recorded
from tests.site_src.charts import stand_ins
from tests.site_src.outputs import newsworthy
from tests.site_src.reading import elements

BASE = "https://example.org/bench/"
TARGET = "tpuv2-v100-target"
AWKWARD = st.text(st.sampled_from("ab 1,.&<>\"'|_%$`#{}[]*~^\\é×−\u00a0\u202fあ"), max_size=20)
NAMES = (
    "alt",
    "base",
    "bib",
    "both",
    "caption",
    "colon",
    "credit",
    "embed",
    "height",
    "id",
    "lang",
    "narrow",
    "narrow_both",
    "narrow_height",
    "narrow_width",
    "page",
    "picture_height",
    "query",
    "spec",
    "state",
    "svg",
    "theme",
    "title",
)
VALUES = dict.fromkeys((*NAMES, "width"), "x")


@pytest.fixture(scope="module")
def drawn(chart_cache: Path) -> dict[str, DrawnFigure]:
    """Two figures in two languages, with an address."""
    chosen = [recorded.drawn()[name] for name in ("tpuv2-v100-throughput", TARGET)]
    options = Options(chart_cache, date(2026, 11, 20), base_url=BASE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", stand_ins.draw)
        client = runtime.build("full", chart_cache)
        return drawing.draw(
            chosen,
            [recorded.english(), recorded.foreign()],
            client,
            options,
            recorded.archive().sources,
        )


def site_of(drawn: dict[str, DrawnFigure]) -> Site:
    """A site that has one of the charts."""
    usual = newsworthy.site()
    evidence = Evidence(usual.archive, usual.catalog)
    return pages.site_of(evidence, {TARGET: drawn[TARGET]}, usual.options)


@given(AWKWARD)
def test_html_holds_any_words(words: str) -> None:
    """Whatever a title says, a frame, an element and a picture have it whole and nothing else."""
    values = {**VALUES, "title": words, "alt": words, "query": words}

    (frame, script) = elements(fill(FORMATS["iframe"], values))
    (_, element, *inner) = elements(fill(FORMATS["element"], values))
    picture = elements(fill(FORMATS["picture"], values))

    assert (frame[0], frame[1]["title"], script[0]) == ("iframe", words, "script")
    assert element[1].get("state", "") == words if words else "state" not in element[1]
    assert inner == picture and [tag for tag, _ in picture] == [
        "a",
        "picture",
        *["source"] * 3,
        "img",
    ]
    assert picture[-1][1]["alt"] == words


def test_a_picture_has_one_for_each_screen(drawn: dict[str, DrawnFigure]) -> None:
    """Phones first, dark before light, each with its size; none where there is none."""
    values = panel.values(drawn[TARGET], recorded.english())
    phone, dark = "(max-width: 479px)", "(prefers-color-scheme: dark)"
    wide, narrow = (str(WIDE), str(stand_ins.HEIGHT)), (str(PHONE), str(stand_ins.HEIGHT))

    def sources(**changed: str) -> list[tuple[str | None, ...]]:
        found = [
            given
            for tag, given in elements(fill(FORMATS["picture"], {**values, **changed}))
            if tag in {"source", "img"}
        ]
        return [
            (
                one.get("media"),
                str(one.get("srcset", one.get("src"))).removeprefix(f"{BASE}c/{TARGET}/"),
                one["width"],
                one["height"],
            )
            for one in found
        ]

    assert sources() == [
        (f"{phone} and {dark}", "en-narrow.svg#dark", *narrow),
        (phone, "en-narrow.svg", *narrow),
        (dark, "en-dark.svg", *wide),
        (None, "en.svg", *wide),
    ]
    assert sources(both="", narrow="", narrow_both="") == [(None, "en.svg", *wide)]


@given(AWKWARD)
def test_markdown_holds_any_words(words: str) -> None:
    """Each sign that Markdown or HTML in it would read is escaped, and read back it is the same."""
    made = fill(FORMATS["markdown"], {**VALUES, "title": words, "page": "p?a=(b)"})
    inner = re.fullmatch(r"\[!\[(.*)\]\(x\)\]\(p\?a=%28b%29\)", made, re.DOTALL)

    assert inner is not None
    assert not re.search(r"(?<!\\)(?:\\\\)*[*_`\[\]|~$]|[<>]", inner[1])
    assert html.unescape(re.sub(r"\\([\\`*_\[\]|~$])", r"\1", inner[1])) == words


@given(AWKWARD)
def test_code_holds_any_address(words: str) -> None:
    """A string of Python is the same string."""
    tree = ast.parse(fill(FORMATS["altair"], {**VALUES, "spec": words}))

    assert words in [node.value for node in ast.walk(tree) if isinstance(node, ast.Constant)]


_TEX = {
    text: letter for letter, text in ESCAPES["texnum"].items() if text and letter not in "\n\u2009"
}
_COMMAND = re.compile("|".join(sorted(map(re.escape, _TEX), key=len, reverse=True)))
CELLS = st.lists(
    st.tuples(AWKWARD, st.builds(Cell, AWKWARD, st.sampled_from(["", "0.25", "-1e-05"]))),
    min_size=1,
    max_size=4,
)


def _table(rows: list[tuple[str, Cell]]) -> Table:
    return Table(
        [("System | x", False), ("Time, h & min", True)],
        [[Cell(name, name), cell] for name, cell in rows],
    )


@given(CELLS)
def test_a_markdown_table_reads_back(rows: list[tuple[str, Cell]]) -> None:
    """Cells parted by bars that are not escaped are the cells that went in."""
    made = written("table_markdown", _table(rows), VALUES).split("\n")

    assert made[0] == "| System \\| x | Time, h &amp; min |"
    assert made[1] == "| :-- | --: |"
    for line, (name, cell) in zip(made[2:], rows, strict=False):
        bare = line.removeprefix("| ").removesuffix(" |")
        # a bar that is not escaped stands after an even number of backslashes
        bars = [
            at.start()
            for at in re.finditer(r"\|", bare)
            if (len(bare[: at.start()]) - len(bare[: at.start()].rstrip("\\"))) % 2 == 0
        ]
        assert len(bars) == 1
        parts = [bare[: bars[0] - 1], bare[bars[0] + 2 :]]
        assert [html.unescape(re.sub(r"\\([\\`*_\[\]|~$])", r"\1", part)) for part in parts] == [
            name,
            cell.text,
        ]
    # caption and credit are paragraphs of their own
    assert made[len(rows) + 2 :] == ["", "x", "", "xx<x>"]


@given(CELLS)
def test_a_latex_table_reads_back(rows: list[tuple[str, Cell]]) -> None:
    """No bare special sign; commands stand for the letters that went in."""
    made = written("table_latex", _table(rows), {**VALUES, "page": "https://x.org/?a=b%20c"})
    body = made.partition("\\midrule\n")[2].partition("\n    \\bottomrule")[0].split("\n")

    assert len(body) == len(rows)
    for line, (name, cell) in zip(body, rows, strict=True):
        cells = re.split(r"(?<!\\) & ", line.removeprefix("    ").removesuffix(" \\\\"))
        assert len(cells) == 2
        assert not re.search(r"[&%#_~^\\$]", _COMMAND.sub("", "".join(cells)))
        assert [_COMMAND.sub(lambda found: _TEX[found[0]], part) for part in cells] == [
            name,
            cell.text,
        ]
    assert "\\begin{tabular}{lr}" in made
    assert "\\url{https://x.org/?a=b\\%20c}" in made


@given(CELLS)
def test_a_csv_table_reads_back(rows: list[tuple[str, Cell]]) -> None:
    """Text is the text with plain spaces, numbers are machine values, and what is missing is
    empty.
    """
    made = list(csv.reader(io.StringIO(written("table_csv", _table(rows), VALUES))))

    plain = str.maketrans("\u00a0\u202f", "  ")
    found = [[unguarded(cell) for cell in row] for row in made]
    assert found == [
        ["System | x", "Time, h & min"],
        *([name.translate(plain), cell.value] for name, cell in rows),
    ]
    assert not [
        cell
        for row in made
        for cell in row
        if cell.startswith(tuple(FORMULA)) and not re.fullmatch(NUMBER, cell)
    ]


def test_numbers_are_as_the_language_writes_them(drawn: dict[str, DrawnFigure]) -> None:
    """Decimal commas in Markdown, guarded in LaTeX; a decimal point in CSV."""
    found = panel.snippets(drawn["tpuv2-v100-throughput"], recorded.foreign())
    table = snippets.table(drawn["tpuv2-v100-throughput"].figure, recorded.foreign())
    cell = next(
        cell
        for row in table.rows
        for cell in row
        if re.fullmatch(r"\d+\.\d{3}(,\d)?|\d+,\d+", cell.text)
    )

    assert cell.text in found["table_markdown"]
    assert escaped(cell.text, "texnum") in found["table_latex"]
    assert cell.value in found["table_csv"]


def test_every_snippet_is_absolute_and_of_this_chart(drawn: dict[str, DrawnFigure]) -> None:
    """With the site's address each way has it; no placeholder is left."""
    for locale in (recorded.english(), recorded.foreign()):
        for name, text in panel.snippets(drawn[TARGET], locale).items():
            assert not re.search(r"\{\w+\|\w+\}|\[\[", text), name
            if name not in {"table_csv", "notebook"}:
                assert f"{BASE}{locale.code}/c/{TARGET}/" in text or f"{BASE}c/{TARGET}/" in text, (
                    name
                )


def test_a_citation_has_the_address_and_the_day(drawn: dict[str, DrawnFigure]) -> None:
    """The entry of the chart, then those of its sources."""
    text = panel.snippets(drawn[TARGET], recorded.english())["bibtex"]

    assert f"url = {{{BASE}en/c/{TARGET}/}}" in text
    assert text.count("urldate") == 1 and "urldate = {2026-11-20}" in text
    assert re.findall(r"@misc\{(.+),", text) == [
        f"touchstone-{TARGET}",
        f"touchstone-{TARGET}:tpuv2-v100",
    ]


def test_a_picture_keeps_its_place(drawn: dict[str, DrawnFigure]) -> None:
    """Width and height of the file stand in HTML, so that nothing jumps when it comes."""
    one = drawn[TARGET]
    width, height = pictures.size(one.pictures["en"]["svg"])
    found = panel.snippets(one, recorded.english())

    for name in ("picture", "element"):
        image = next(attributes for tag, attributes in elements(found[name]) if tag == "img")
        assert (image["width"], image["height"]) == (str(width), str(height))


def test_a_table_for_a_post_is_narrow(drawn: dict[str, DrawnFigure]) -> None:
    """Names, value, choices, n, then what tells rows apart; no ids, nothing that all share."""
    figure = drawn["tpuv2-v100-throughput"].figure
    table, parts = snippets.table(figure, recorded.english()), snippets.parts(figure)
    names = {text: name for (text, _), (name, _) in zip(table.headings, parts, strict=True)}

    def kept(value: str, rows: int = len(table.rows)) -> list[str]:
        made = snippets.main(parts, Table(table.headings, table.rows[:rows]), value)
        assert {len(row) for row in made.rows} == {len(made.headings)}
        return [names[text] for text, _ in made.headings]

    assert kept("throughput") == [
        "label",
        "batch",
        "batch_per_chip",
        "throughput",
        "throughput_per_chip",
        "recommended",
        "n",
    ]
    assert kept("throughput", 1) == ["label", "throughput", "throughput_per_chip", "n"]
    assert len(table.headings) > snippets.MOST
    digest = recorded.drawn()["digits-cnn-steps"]
    summed = snippets.main(
        snippets.parts(digest), snippets.table(digest, recorded.english()), "duration"
    )
    # figures of a summed-up table stay, however few its rows
    assert len(summed.headings) == snippets.MOST

    at = [name for name, _ in parts].index("batch_per_chip")
    silent = Table(table.headings, [[*row[:at], Cell("–"), *row[at + 1 :]] for row in table.rows])
    assert "batch_per_chip" not in {
        names[text] for text, _ in snippets.main(parts, silent, "throughput").headings
    }
    lost = Table(
        table.headings,
        [
            row
            for row in table.rows
            if row[[name for name, _ in parts].index("throughput")].value == ""
        ],
    )
    assert lost.rows and "throughput" in {
        names[text] for text, _ in snippets.main(parts, lost, "throughput").headings
    }


def test_a_chart_is_found_by_what_is_drawn(drawn: dict[str, DrawnFigure]) -> None:
    """Its page's title is what it says; the noun below that is another name of it."""
    english = recorded.english()
    page = chart_page(Writer(site_of(drawn), english, f"c/{TARGET}/"), TARGET)

    assert drawn[TARGET].figure.heading(english) in page.names
    assert drawn[TARGET].figure.heading(english) != page.title


def test_a_page_keeps_the_blank_lines_of_code(drawn: dict[str, DrawnFigure]) -> None:
    """They part a table from its caption and cells of notebooks; those of templates go."""
    site, english = site_of(drawn), recorded.english()
    body = chart_page(Writer(site, english, f"c/{TARGET}/"), TARGET).body
    code = {
        name: html.unescape(text)
        for name, text in re.findall(r'data-way="(\w+)">(.*?)</code>', body, re.DOTALL)
    }

    assert code == panel.snippets(drawn[TARGET], english)
    assert {name for name, text in code.items() if "\n\n" in text} >= {
        "table_markdown",
        "table_latex",
        "altair",
        "ipython",
    }
    assert "\n\n" not in re.sub(r"<code.*?</code>", "", body, flags=re.DOTALL)


def test_results_behind_a_chart_are_listed_with_their_places(drawn: dict[str, DrawnFigure]) -> None:
    """Their figures are in the table, and on their own pages."""
    site, english = site_of(drawn), recorded.english()
    body = html.unescape(chart_page(Writer(site, english, f"c/{TARGET}/"), TARGET).body)

    assert english.say("chart.places_caption") in body
    for run in drawn[TARGET].figure.table["run_id"]:
        assert f"results/{site.results.id_with(run)}/" in body


def test_a_very_long_table_goes_over_pages_of_its_own(
    drawn: dict[str, DrawnFigure], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each row is on one of them, in the table's order, and each page leads to the others."""
    monkeypatch.setattr(markup, "MOST_ROWS", 1)
    monkeypatch.setattr(markup, "SHEET", 3)
    site, english = site_of(drawn), recorded.english()
    planned = [job.path for job in pages.pages(site, [english]) if job.path.startswith("c/")]
    numbers = range(1, site.figures[TARGET].sheets + 1)
    bodies = [
        rows_page(Writer(site, english, sheet_path(TARGET, number)), TARGET, number).body
        for number in numbers
    ]

    def rows(text: str) -> list[str]:
        found = text.partition("</table>")[0].split("<tr data-")[1:]
        return [re.sub(r"<.*?>|\s", "", row.partition(">")[2]) for row in found]

    assert planned == [f"c/{TARGET}/", *(sheet_path(TARGET, number) for number in numbers)]
    assert planned[1:3] == [f"c/{TARGET}/rows/", f"c/{TARGET}/rows/2/"]
    assert [row for body in bodies for row in rows(body)] == rows(
        markup.table(drawn[TARGET].figure, english, "")
    )
    assert all(">2</a>" in body and ">1</a>" in body for body in bodies)


def test_a_csv_cell_without_a_text_is_empty(drawn: dict[str, DrawnFigure]) -> None:
    """A dash, or words that say that there is nothing, are for readers."""
    figure = drawn[TARGET].figure
    for locale in (recorded.english(), recorded.foreign()):
        silent = snippets.absent(figure, locale)
        table = snippets.table(figure, locale)
        made = list(csv.reader(io.StringIO(written("table_csv", table, VALUES))))

        assert "–" in silent and any(cell.text in silent for row in table.rows for cell in row)
        assert not set(silent) & {cell for row in made for cell in row}


def test_a_csv_cell_of_an_unknown_precision_is_empty(drawn: dict[str, DrawnFigure]) -> None:
    """Its words may have another gender than "not stated"."""
    figure, locale = drawn[TARGET].figure, recorded.foreign()

    assert any(column.prefix == "precision" for column in columns.shown(figure))
    assert locale.say("precision.unknown") in snippets.absent(figure, locale)


def test_the_browser_knows_the_remarks_of_each_picture() -> None:
    """Of all pictures, of one state, of pages alone, as in the build's pictures."""
    noted = replace(
        recorded.drawn()[TARGET],
        notes=lambda _: ["table", StateNote("long", measure="hours"), MarkNote("all")],
    )

    assert noted.remarks(recorded.english()) == ["all", "table", "long"]
    assert panel.pictured(noted, recorded.english()) == [{}, None, {"measure": "hours"}]
    assert noted.pictured(recorded.english(), {"measure": "hours"}) == ["long", "all"]


def test_latex_has_a_command_for_each_mark() -> None:
    """Quotation marks, dashes, dots, signs and fixed spaces that our words have."""
    assert escaped("÷’‘“”«»–—…\u00a0\u202f", "texnum").isascii()


def test_the_panel_stands_whole_without_javascript(drawn: dict[str, DrawnFigure]) -> None:
    """What needs JavaScript is hidden; without the site's address it says so."""
    one = drawn[TARGET]
    text = panel.panel(one, recorded.english(), "../../../")
    codes = dict(re.findall(r'data-way="(\w+)">(.*?)</code>', text, re.DOTALL))

    assert {name: html.unescape(code) for name, code in codes.items()} == panel.snippets(
        one, recorded.english()
    )
    assert all(codes.values())
    assert (
        re.search(r'class="ts-share-choices"[^>]* hidden', text)
        and 'class="ts-share-export" hidden' in text
    )
    assert "--base-url" not in text


def test_a_button_below_a_chart_is_small(drawn: dict[str, DrawnFigure]) -> None:
    """A report has up to fifteen charts: sharing adds a link to each and nothing of the panel."""
    text = charts.block(drawn[TARGET], recorded.english(), "../../../")
    link = re.search(r'<li><a class="ts-share" href="([^"]+)">[^<]+</a></li>', text)

    assert link is not None and link[1] == f"../../../en/c/{TARGET}/#share"
    assert len(link[0].encode()) <= 300
    assert "ts-sharing" not in text


def test_a_chart_s_tools_are_seen_with_it(drawn: dict[str, DrawnFigure]) -> None:
    """Sharing and its files stand right below the chart, before remarks and table."""
    block = charts.block(drawn[TARGET], recorded.english(), "../../../")
    own = f"../../../c/{TARGET}"

    assert block.index("ts-links") < block.index("ts-notes") < block.index("ts-numbers")
    links = dict(re.findall(r'<li><a[^>]*? ?href="([^"]+)">([^<]+)</a></li>', block))
    assert links[f"../../../en/c/{TARGET}/#share"] == "Share"
    assert [links[f"{own}/{name}"] for name in ("table.csv", "en.svg", "en.png")] == [
        "CSV",
        "SVG",
        "PNG",
    ]


def test_the_files_of_the_panel_are_written(drawn: dict[str, DrawnFigure]) -> None:
    """With their hashes, and for each chart what is said; nothing ends a script early."""
    made = {
        asset.path: asset.content.decode()
        for asset in [*panel.shared(drawn[TARGET].locales), *map(panel.words_of, drawn.values())]
    }
    head = panel.head("../", drawn[TARGET].client)

    assert {f"c/{name}/share.js" for name in drawn} < set(made)
    assert set(re.findall(r'="\.\./([^"]+)"', head)) < set(made)
    assert any(re.fullmatch(r"assets/touchstone-share-en\.[0-9a-f]{10}\.js", path) for path in made)
    assert not any(
        "</script" in text
        for path, text in made.items()
        if path.startswith("c/") or "share-" in path
    )
