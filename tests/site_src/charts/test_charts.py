"""Charts as files and as HTML: everything promised is there, says the same, and opens elsewhere."""

import json
import os
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import replace
from datetime import date
from multiprocessing import get_context
from pathlib import Path
from xml.etree import ElementTree

import pytest
import vl_convert
from fontTools.fontBuilder import FontBuilder  # type: ignore[import-untyped]  # it ships without type hints
from fontTools.pens.ttGlyphPen import TTGlyphPen  # type: ignore[import-untyped]
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]
from hypothesis import example, given
from hypothesis import strategies as st

from site_src import charts, locales
from site_src.charts import downloads, embed, markup, runtime, vega
from site_src.charts import pictures as share_pictures
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.runtime import Runtime
from site_src.figures import fonts, text_width, theme
from site_src.figures.controls import Choice, Control, MarkNote, Preset, StateNote
from site_src.figures.fonts import GlyphError
from site_src.figures.written import FigureError
from site_src.graph import NotHere
from site_src.model import Asset
from site_src.reports.prose import unmarked
from site_src.verify import edges, pictures
from tests.site_src import drawing, recorded

BASE = "https://example.org/bench/"
LIBERATION = Path("/usr/share/fonts/truetype/liberation/LiberationSans-Regular.ttf")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture(scope="module")
def client(chart_cache: Path) -> Runtime:
    """The runtime that needs no npm."""
    return runtime.build("full", chart_cache)


@pytest.fixture(scope="module")
def drawn(chart_cache: Path, client: Runtime) -> dict[str, DrawnFigure]:
    """Three figures in two languages, the second from right to left."""
    chosen = [
        recorded.drawn()[name]
        for name in ("tpuv2-v100-throughput", "tpuv2-v100-target", "digits-cnn-convergence")
    ]
    options = Options(
        chart_cache,
        date(2026, 11, 20),
        base_url=BASE,
        report_link="https://example.org/new?title={figure}&body={page}",
    )
    return drawing.draw(
        chosen,
        [recorded.english(), recorded.foreign()],
        client,
        options,
        recorded.archive().sources,
    )


@pytest.fixture(scope="module")
def files(drawn: dict[str, DrawnFigure], client: Runtime) -> dict[str, bytes]:
    """Every asset by path."""
    found: list[Asset] = list(drawing.assets(drawn, client))
    assert len({asset.path for asset in found}) == len(found)
    return {asset.path: asset.content for asset in found}


def test_what_is_damaged_in_the_cache_is_drawn_again(tmp_path: Path, client: Runtime) -> None:
    """Files that are cut, empty or gone, as a full disk or a lost power line leave them."""

    def files_of_a_chart() -> dict[str, bytes]:
        options = Options(tmp_path, date(2026, 11, 20))
        figure = recorded.drawn()["tpuv2-v100-target"]
        made = drawing.draw([figure], [recorded.english()], client, options)
        return {asset.path: asset.content for asset in charts.files(made[figure.id])}

    whole = files_of_a_chart()
    [compiled] = (tmp_path / "charts").iterdir()
    folder = next(path.parent for path in (tmp_path / "pictures").glob("*/x-card.png"))
    for path, left in (
        (compiled, compiled.read_bytes()[:-9]),
        (folder / "x.svg", b""),
        (folder / "drawn.json", b"[]"),
    ):
        path.write_bytes(left)
        assert files_of_a_chart() == whole
    (folder / "x-dark.svg").unlink()
    assert files_of_a_chart() == whole


def test_presets_have_pictures_of_their_own(
    drawn: dict[str, DrawnFigure], files: dict[str, bytes]
) -> None:
    """In both themes, with addresses, title and subtitle in meta.json, and no two alike."""
    one = drawn["tpuv2-v100-throughput"]
    folder = f"c/{one.id}/"
    told = json.loads(files[f"{folder}meta.json"])["presets"]

    assert list(told) == [preset.id for preset in one.figure.presets]
    for preset, record in told.items():
        for code in ("en", "qq"):
            assert {
                record[kind][code].removeprefix(f"{BASE}{folder}")
                for kind in set(record) - {"state", "label", "title", "subtitle"}
            } == {f"{code}-{preset}.svg{rest}" for rest in ("", "#dark")}
            root = ElementTree.fromstring(files[f"{folder}{code}-{preset}.svg"])  # noqa: S314 - our own picture
            space = "{http://www.w3.org/2000/svg}"
            assert root.findtext(f"{space}title") == record["title"][code]
            assert root.findtext(f"{space}desc") == record["subtitle"][code]
    pictures = [
        content
        for path, content in files.items()
        if path.startswith(folder) and path.endswith((".svg", ".png"))
    ]
    assert len(set(pictures)) == len(pictures)


def test_a_preset_that_looks_like_another_picture_is_refused(drawn: dict[str, DrawnFigure]) -> None:
    """A state without anything to see of it needs no name."""
    figure = drawn["tpuv2-v100-throughput"].figure
    still = replace(
        figure,
        presets=(Preset("log", {"scale": "log"}),),
        draw=lambda sketch: figure.draw(replace(sketch, state={})),
    )

    with pytest.raises(FigureError, match="'log' looks as the chart at first"):
        vega.compile_figure(still, recorded.english())


def test_pictures_are_pictures(files: dict[str, bytes]) -> None:
    """Each SVG is well-formed with title and description, each PNG is one, each card 1200 x 630."""
    for path, content in files.items():
        if path.startswith("c/") and path.endswith(".svg"):
            root = ElementTree.fromstring(content)  # noqa: S314 - our own picture
            space = "{http://www.w3.org/2000/svg}"
            assert root.findtext(f"{space}title") and root.findtext(f"{space}desc"), path
            assert root.get("width") and root.get("height")
        if path.endswith(".png"):
            assert content.startswith(PNG), path
        if path.endswith("-card.png"):
            assert (
                int.from_bytes(content[16:20]),
                int.from_bytes(content[20:24]),
            ) == share_pictures.CARD


def test_the_page_shows_each_figure_with_value_reference_and_text(
    drawn: dict[str, DrawnFigure],
) -> None:
    """In the HTML of a chart each number is a data element whose text is its value in the
    language.
    """
    for locale in (recorded.english(), recorded.foreign()):
        for one in drawn.values():
            text = charts.own_page(one, locale, "../../../")
            found = re.findall(
                r'<data value="([^"]+)"(?: data-ref="([^"]*)")?>([^<]+)</data>', text
            )
            assert len(found) > 5
            assert all(locale.shows(shown, float(value)) for value, _, shown in found)


def test_a_picture_comes_before_the_table(drawn: dict[str, DrawnFigure]) -> None:
    """The controls are hidden until they work."""
    target = drawn["tpuv2-v100-target"]
    own = charts.own_page(target, recorded.english(), "../../../")
    text = charts.block(target, recorded.english(), "../../../")

    assert own.index("<img") < own.index("<table")
    assert "<table" not in text
    assert '<p><a href="../../../en/c/tpuv2-v100-target/index.html">' in text
    assert re.search(r'class="ts-controls"[^>]* hidden', text)
    assert "<link" not in text and "<script>" not in text
    assert (
        'href="https://example.org/new?title=tpuv2-v100-target&amp;body=en%2Freports%2Ftpuv2-v100%2F"'
        in text
    )


def test_data_and_table_come_from_scripts_of_the_same_build(
    drawn: dict[str, DrawnFigure], files: dict[str, bytes]
) -> None:
    """A page names both with a hash of what is in them; the table's links begin at its script."""
    one = drawn["tpuv2-v100-target"]
    text = charts.block(one, recorded.english(), "../../")
    named = dict(re.findall(r'data-(from|rows)="\.\./\.\./([^"]+)"', text))
    path, _, version = named["from"].partition("?")

    assert named["rows"] == f"c/tpuv2-v100-target/table.en.js?{version}"
    assert files[path].startswith(embed.DATA.encode())
    assert f"?{version}" in charts.block(one, recorded.english(), "../../../")
    assert f"?{version}" not in charts.block(one, recorded.foreign(), "../../")
    table = files["c/tpuv2-v100-target/table.en.js"].decode().removeprefix(embed.TABLE)
    assert re.search('href="?../../en/results/', json.loads(table.removesuffix(";\n")))


def test_a_folded_table_is_text_until_it_is_opened(drawn: dict[str, DrawnFigure]) -> None:
    """A browser that runs scripts makes no elements of it; one that does not shows all of it."""
    one = drawn["tpuv2-v100-target"]
    folded = replace(one, figure=replace(one.figure, folded=True))
    block = charts.own_page(folded, recorded.english(), "")
    open_ = charts.own_page(one, recorded.english(), "")

    assert all(
        re.search('<details class="ts-numbers" [^>]*><summary>', each) for each in (block, open_)
    )
    assert block.index("<noscript>") < block.index("<table") < block.index("</noscript>")
    assert "<noscript>" not in open_ and "<table" in open_


def test_a_chart_s_own_page_begins_with_what_the_chart_says(drawn: dict[str, DrawnFigure]) -> None:
    """Its figures held, the noun below it, the picture before the choices."""
    one = drawn["tpuv2-v100-target"]
    text = charts.own_page(one, recorded.english(), "../../../")
    said = one.figure.headline(recorded.english())
    [heading] = re.findall(r"<h1[^>]*>(.*?)</h1>", text, re.DOTALL)

    assert "<data" in heading
    assert unmarked(heading).replace("\xa0", " ") == said.replace("\xa0", " ")
    assert f"{one.figure.heading(recorded.english())}</p>" in text
    assert (
        text.index("<h1") < text.index("ts-kicker") < text.index("<img") < text.index("ts-controls")
    )
    assert [markup.headline_size("word " * n) for n in (10, 60, 120)] == [
        "large",
        "medium",
        "small",
    ]


def test_rows_carry_what_controls_filter_by(drawn: dict[str, DrawnFigure]) -> None:
    """The table follows the chart, since its rows name target, measure and series."""
    text = charts.own_page(drawn["tpuv2-v100-target"], recorded.english(), "")

    assert text.count('data-target="0.757"') == 8
    assert text.count('data-measure="cost"') == 8


def test_an_embed_has_every_language_and_no_foreign_address(drawn: dict[str, DrawnFigure]) -> None:
    """One script takes the data of the language beside it; it and the styles are the site's own."""
    text = embed.embed(drawn["tpuv2-v100-target"]).decode()

    assert len(re.findall(r"<script", text)) == 1 and 'data-languages="en qq"' in text
    assert re.search(r'<script defer src="(?:\.\./)+assets/[^"]+" data-runtime=', text)
    assert not [
        address for address in re.findall(r'(?:src|srcset)="([^"]+)"', text) if "//" in address
    ]


def test_a_run_without_a_figure_says_why(drawn: dict[str, DrawnFigure]) -> None:
    """In the cell of the figure, and in a column of its own."""
    text = charts.own_page(drawn["tpuv2-v100-throughput"], recorded.english(), "../../../")
    row = next(
        row
        for row in re.findall(r"<tr [^>]*>.*?</tr>", text)
        if "oom" in row or "out of memory" in row
    )

    assert row.count('<td class="ts-number ts-missing">out of memory</td>') == 2
    assert "<td>out of memory</td>" in row
    assert re.search(r'<td><a href="\.\./\.\./\.\./en/results/[^"]+/">', row)


def test_headings_stay_low(drawn: dict[str, DrawnFigure]) -> None:
    """A heading's column is as wide as its words need; its unit is set apart, and not said
    twice.
    """
    throughput = markup.table(drawn["tpuv2-v100-throughput"].figure, recorded.english(), "")
    curve = markup.table(drawn["digits-cnn-convergence"].figure, recorded.english(), "")

    assert '<th scope="col" class="ts-number ts-head-' in throughput
    assert 'Throughput, <span class="ts-unit">images/s</span></th>' in throughput
    assert ">Epoch</th>" in curve and "epochs" not in curve
    styles = (Path(charts.__file__).parents[1] / "assets" / "chart.css").read_text("utf-8")
    assert all(f".ts-head-{width}:" in styles for width in markup.HEADING_WIDTHS)


def test_lines_break_at_plain_spaces_alone() -> None:
    """A number and its unit, joined by a no-break space, are not torn apart."""
    assert share_pictures.wrap("остаётся примерно 87,8\N{NO-BREAK SPACE}%.", 200, 20)[-1].endswith(
        "87,8\N{NO-BREAK SPACE}%."
    )


def test_no_line_of_japanese_begins_with_a_closing_sign() -> None:
    """Nor with a small letter, and none ends with an opening one, whatever the width."""
    text = "MLPerfのログに見る(再計算した)「同じ」ワークロード：ResNet-50、V100。はっきり（二回）。「GPU」の値（2023年）"

    for width in range(80, 400):
        lines = share_pictures.wrap(text, width, 20)
        assert "".join(lines) == text
        assert not [line for line in lines if line[0] in "：、。）」)ーっ" or line[-1] in "（「("]


def test_an_address_longer_than_a_line_breaks_after_a_slash() -> None:
    """Whatever fits is not broken: a ratio has a slash too."""
    address = "someone.example.org/bench/ja/c/cnn10-cifar10-quarter-width-convergence/"

    assert share_pictures.wrap(address, 360, 12) == [address[:31], address[31:]]


def test_a_name_longer_than_a_line_breaks_anywhere() -> None:
    """Each line as full as it gets, the next word behind it."""
    lines = share_pictures.wrap(
        "Throughput of my_resnet50_amp_channels_last_compiled_v2_again_and_again: x/yy",
        200,
        19,
        bold=True,
    )

    assert (
        "".join(lines).replace(" ", "")
        == "Throughputofmy_resnet50_amp_channels_last_compiled_v2_again_and_again:x/yy"
    )
    assert all(text_width.line_width(line, 19, bold=True) <= 200 for line in lines)
    assert [line for line in lines if text_width.line_width(f"{line}m", 19, bold=True) <= 180] == [
        lines[-1]
    ]


def test_ratios_stay_whole() -> None:
    """A slash in a unit is no place to break."""
    assert share_pictures.wrap(f"7 {'изображений/с ' * 9}", 120, 12) == [
        "7 изображений/с ",
        *["изображений/с "] * 7,
        "изображений/с",
    ]


def test_lines_are_as_wide_as_their_fonts() -> None:
    """Bold Cyrillic is wider; beside Japanese it may be as wide as high."""
    title = "Виртуальный и физический сервер"
    room = text_width.line_width(title, 20)

    assert share_pictures.wrap(title, room, 20) == [title]
    assert len(share_pictures.wrap(title, room, 20, bold=True)) == 2
    assert text_width.line_width("Хабр", 20) < 50
    assert text_width.line_width("Хабр図", 20) >= 100


CHART = '<svg xmlns="http://www.w3.org/2000/svg" width="720" height="{}"><text>row</text></svg>'
CREDIT = (
    f"Touchstone · {'MLPerf Training v0.7, closed: Dell EMC (C4140), ' * 12}unverified by MLCommons"
)


def order(credit: str = CREDIT) -> share_pictures.Order:
    """A chart's, which is drawn already."""
    return share_pictures.Order(
        {},
        {},
        recorded.english(),
        "One is faster.",
        "A comparison",
        (),
        credit,
        "test",
        address="example.org/en/c/x/",
    )


def test_a_card_says_its_whole_credit() -> None:
    """It is never cut off, and stands within the card."""
    drawn = share_pictures.card(CHART.format(340), order())

    assert CREDIT.replace(" ", "") in "".join(share_pictures.texts(drawn)).replace(" ", "")
    assert all(
        float(y) < share_pictures.CARD[1] for y in re.findall(r'<text x="[^"]*" y="([^"]*)"', drawn)
    )
    assert '<svg x="' in drawn


def test_a_chart_too_high_for_a_card_leaves_it_to_its_title() -> None:
    """Words of 13 px would be too small to read; the sentence in large letters is not."""
    low, high = (
        share_pictures.card(CHART.format(height), order("Touchstone")) for height in (400, 900)
    )

    assert share_pictures.texts(low)[:3] == ["One is faster.", "A comparison", "row"]
    assert "row" not in share_pictures.texts(high)
    assert [re.findall(r'font-size="(\d+)"', each)[0] for each in (low, high)] == ["38", "60"]


def test_a_subtitle_stands_on_one_line() -> None:
    """In smaller letters where it is long, cut off where those do not help."""
    wide = share_pictures.frame(CHART.format(340), order())
    cut = replace(order(), subtitle="word " * 60)
    narrow = share_pictures.frame(CHART.format(340), cut)

    assert "A comparison" in share_pictures.texts(wide)
    assert re.fullmatch(r"(word )+word…|(word )+w?o?r?…", share_pictures.texts(narrow)[1])


def test_a_framed_picture_ends_with_its_address() -> None:
    """Who finds it somewhere finds the chart."""
    assert (
        share_pictures.texts(share_pictures.frame(CHART.format(340), order()))[-1]
        == "example.org/en/c/x/"
    )


def test_a_phone_has_a_picture_for_posts(drawn: dict[str, DrawnFigure]) -> None:
    """The words of the wide picture around it, on paper; every letter within it."""
    one = drawn["tpuv2-v100-target"]
    wide, narrow, phone = (one.pictures["en"][kind].decode() for kind in ("svg", "narrow", "phone"))
    around = [" ".join(pictures.texts(one).roles[""]) for one in (wide, narrow)]

    assert (
        share_pictures.size(narrow)[0]
        == share_pictures.size(phone)[0] + 2 * share_pictures.NARROW_PAD
    )
    assert around[0] == around[1] and "example.org/bench/en/c/tpuv2-v100-target/" in around[1]
    assert phone[phone.index("</style>") + 8 :].removesuffix("</svg>") in narrow
    assert f'fill="{theme.BACKGROUND["light"]}"/>' in narrow
    assert list(edges.over(narrow)) == []


def test_a_picture_has_few_notes_those_on_its_state_first(drawn: dict[str, DrawnFigure]) -> None:
    """Three on marks below all; the rest is beside the table."""
    figure = drawn["digits-cnn-convergence"].figure
    axis = Control("axis", tuple(Choice(value, lambda _: "") for value in ("epochs", "time")))
    said = [
        "table",
        StateNote("time", axis="time"),
        StateNote("epochs", axis="epochs"),
        *map(MarkNote, "abcd"),
    ]
    noted = replace(figure, notes=lambda _: said, controls=(axis,), presets=())
    locale = recorded.english()

    assert noted.remarks(locale) == ["a", "b", "c", "table", "time", "epochs", "d"]
    assert noted.beside(locale) == ["a", "b", "c"]
    assert noted.pictured(locale) == ["epochs", "a", "b"]
    assert noted.pictured(locale, {"axis": "time"}) == ["time", "a", "b"]


def test_an_embed_has_a_strict_policy(drawn: dict[str, DrawnFigure]) -> None:
    """The site's own files, no eval or inline code, and its address where it is known."""
    policy = embed.policy(BASE)

    assert "default-src 'none'" in policy and f"script-src 'self' {BASE};" in policy
    assert "unsafe" not in policy and embed.policy("").count("http") == 0
    text = embed.embed(drawn["tpuv2-v100-target"]).decode()
    assert text.index("Content-Security-Policy") < text.index("<link") < text.index("<script")
    assert not re.search(r"<style|<[^>]* (?:style|on\w+)=", text)


def test_an_embed_is_light(drawn: dict[str, DrawnFigure]) -> None:
    """Without what all of them share an embed is 3 KB or less in gzip."""
    import gzip  # noqa: PLC0415 - only this test weighs

    assert all(len(gzip.compress(embed.embed(one), 9)) < 3_000 for one in drawn.values())


def test_json_in_a_page_cannot_end_its_element() -> None:
    """A text with a closing tag stays text."""
    made = markup.embedded_json({"name": "</script><b>\u2028"})

    assert "<" not in made
    assert json.loads(made) == {"name": "</script><b>\u2028"}


def test_absolute_addresses_need_a_base(
    drawn: dict[str, DrawnFigure], files: dict[str, bytes]
) -> None:
    """With a base, records and oEmbed are absolute; a page's block never is."""
    answer = json.loads(files["c/tpuv2-v100-target/oembed.en.json"])
    record = downloads.record(
        drawn["tpuv2-v100-target"].figure, drawn["tpuv2-v100-target"].locales, BASE
    )

    assert (
        answer["type"] == "rich"
        and f'src="{BASE}c/tpuv2-v100-target/embed.html?lang=en"' in answer["html"]
    )
    assert record["svg"]["en"] == f"{BASE}c/tpuv2-v100-target/en.svg"
    assert BASE not in charts.block(drawn["tpuv2-v100-target"], recorded.english(), "../")
    assert record["origin"] == ["published"]


def test_patches_give_what_drawing_would(drawn: dict[str, DrawnFigure]) -> None:
    """A state's patches on the default specification, in their order, are the specification of that
    state.
    """
    figure, locale = drawn["tpuv2-v100-throughput"].figure, recorded.english()
    compiled = vega.compile_figure(figure, locale)
    for state, _ in compiled.patches:
        made = compiled.spec
        for when, patch in compiled.patches:
            made = vega.patched(made, patch) if when.items() <= state.items() else made
        wanted = vega.vega(
            vega.lite(figure, locale, "light", state, width=720, interactive=True), empty=True
        )
        assert made == wanted, state


def test_rows_change_nothing_that_is_compiled() -> None:
    """What the compiler makes itself is the same, apart from what `vega` mends."""
    for figure in recorded.drawn().values():
        whole = vega.lite(figure, recorded.english(), "light", {}, width=360, interactive=False)
        wanted, made = (
            vl_convert.vegalite_to_vega(whole, vl_version=vega.VEGA_LITE),
            vega.vega(whole),
        )
        for legend in wanted.get("legends", ()):
            if isinstance(legend.get("symbolFillColor"), dict):
                assert legend["encode"]["symbols"]["update"].pop("fill")
        assert made == wanted, figure.id


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=3),
        lambda inner: (
            st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner, max_size=3)
        ),
        max_leaves=12,
    ),
    st.dictionaries(st.text(max_size=2), st.integers(), max_size=3),
)
def test_differences_can_be_set(value: object, other: dict[str, int]) -> None:
    """Setting the differences of two specifications on the first gives the second."""
    old, new = {"a": value, "b": dict(other)}, {"a": [value], "b": {**other, "new": 1}}

    assert vega.patched(old, vega.differences(old, new)) == new


def test_a_missing_glyph_stops_the_build() -> None:
    """The error names text, letter, code point and place."""
    with pytest.raises(GlyphError, match=r"chart x \(ja\).*U\+1F600"):
        fonts.check(["速度 3 枚/秒", "fast 😀"], "chart x (ja)")


def _cut_down(few: Path) -> None:
    """Draw in this process as one does that was forked."""
    vega.cut_down(few)
    vars(vega)["forked"] = lambda: True


@pytest.mark.slow
def test_a_font_cut_down_to_what_is_drawn_draws_the_same(tmp_path: Path, repository: Path) -> None:
    """By a process of its own, which has the font of their letters alone."""
    [japanese] = locales.load(repository / "site_src" / "strings", ["ja"])
    words = {"text": {"value": "漢字と仮名"}, "font": {"value": "IPAexGothic"}, "y": {"value": 20}}
    chart = {
        "$schema": "https://vega.github.io/schema/vega/v6.json",
        "width": 340,
        "height": 100,
        "marks": [{"type": "text", "encode": {"enter": words}}],
    }
    orders = [
        replace(order(), charts={"wide": chart, "phone": chart}, locale=japanese, title=title)
        for title in ("学習に要した時間", "精度の比較")
    ]

    few = fonts.few(frozenset().union(*(one.letters for one in orders)), tmp_path)
    with ProcessPoolExecutor(1, get_context("spawn"), _cut_down, (few,)) as process:
        made = list(process.map(share_pictures.draw, orders, [tmp_path] * 2))

    assert made == [share_pictures.draw(one, tmp_path / "alone") for one in orders]
    assert made[0].keys() == share_pictures.names("ja").keys()
    with TTFont(few / fonts.JAPANESE) as font:
        assert {*map(ord, "漢習較、")} - font.getBestCmap().keys() == set()
        assert ord("鬱") not in font.getBestCmap()


@pytest.mark.skipif(
    not LIBERATION.is_file(), reason="Liberation Sans is not on this machine as a file"
)
def test_the_list_of_letters_is_the_fonts() -> None:
    """Every code point that pictures may use is in Liberation Sans."""
    has = TTFont(LIBERATION).getBestCmap()

    assert not [
        hex(code)
        for low, high in fonts.LIBERATION
        for code in range(low, high + 1)
        if code not in has
    ]


def test_no_font_of_the_machine_is_taken(tmp_path: Path, repository: Path) -> None:
    """A family that this machine alone has, its only letter a square, comes out like one that
    nobody has.
    """
    pen = TTGlyphPen(None)
    pen.moveTo((0, 0))
    for corner in ((0, 900), (900, 900), (900, 0)):
        pen.lineTo(corner)
    pen.closePath()
    square = FontBuilder(1000, isTTF=True)
    square.setupGlyphOrder([".notdef", "a"])
    square.setupCharacterMap({ord("a"): "a"})
    square.setupGlyf(dict.fromkeys([".notdef", "a"], pen.glyph()))
    square.setupHorizontalMetrics(dict.fromkeys([".notdef", "a"], (1000, 0)))
    square.setupHorizontalHeader(ascent=900, descent=-100)
    square.setupNameTable({"familyName": "Square", "styleName": "Regular", "psName": "Square"})
    square.setupOS2()
    square.setupPost()
    (tmp_path / "fonts").mkdir()
    square.save(tmp_path / "fonts" / "square.ttf")
    drawing = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><text y="9" '
        'font-size="9" font-family="{}">a</text></svg>'
    )
    code = (
        "import sys; from site_src.charts.png import png; sys.exit(len({png(text, 1) for text "
        "in sys.argv[1:]}) - 1)"
    )
    command = [sys.executable, "-c", code, drawing.format("Square"), drawing.format("Nobody")]

    subprocess.run(
        command, cwd=repository, env={**os.environ, "XDG_DATA_HOME": str(tmp_path)}, check=True
    )


@given(st.text(alphabet="ab 速度。（/", max_size=200), st.integers(60, 700))
@example("（a。。 a", 60)
def test_wrapped_lines_keep_every_letter(text: str, width: int) -> None:
    """No line is wider than it may be, but for a letter and the signs beside it."""
    lines = share_pictures.wrap(text, width, 20)

    assert "".join(lines).split() == text.split()
    assert all(
        text_width.line_width(line.rstrip(), 20) <= width
        or len(share_pictures._LETTER.findall(line.rstrip())) == 1
        for line in lines
    )


def test_the_browser_breaks_lines_by_the_same_signs() -> None:
    """Pictures that are saved there break where those of the build do."""
    script = (Path(charts.__file__).parents[1] / "assets" / "share_picture.js").read_text("utf-8")
    signs = {
        name: json.loads(value)
        for name, value in re.findall(
            r'const (CLOSING|OPENING|WIDE|PARTICLES|NAME) = (".*");', script
        )
    }
    wide = share_pictures._WIDE.encode("unicode_escape").decode()

    assert signs == {
        "CLOSING": share_pictures._CLOSING,
        "OPENING": share_pictures._OPENING,
        "WIDE": wide,
        "PARTICLES": share_pictures._PARTICLES,
        "NAME": share_pictures._NAME,
    }
    for name, ours in (("PIECE", share_pictures._PIECE), ("LETTER", share_pictures._LETTER)):
        theirs = "".join(
            re.findall(r"`([^`]*)`", script.partition(f"const {name} = ")[2].partition(");")[0])
        ).replace("\\\\", "\\")
        for sign, value in signs.items():
            theirs = theirs.replace(f"${{{sign}}}", value)
        assert theirs.replace("$)", r"\Z)") == ours.pattern.replace(share_pictures._WIDE, wide)
    assert f"/{share_pictures._STEP.pattern}/g" in script


def test_right_to_left_pictures_say_so(drawn: dict[str, DrawnFigure]) -> None:
    """The picture of a right-to-left language has its direction."""
    assert b'direction="rtl"' in drawn["tpuv2-v100-target"].pictures["qq"]["svg"]
    assert b'direction="rtl"' not in drawn["tpuv2-v100-target"].pictures["en"]["svg"]


def test_only_coordinates_are_rounded() -> None:
    """A Spanish "3.186" stays; the place of the text loses its seventh decimal."""
    drawn = (
        '<g transform="translate(12.3456789,0.5)" aria-label="speed: 3.186"><path '
        'd="M0.123456,1"/><text x="1.23456">3.186</text></g>'
    )

    assert vega.rounded(drawn) == (
        '<g transform="translate(12.3,0.5)" aria-label="speed: 3.186"><path d="M0.1,1"/><text '
        'x="1.2">3.186</text></g>'
    )


def test_a_dark_picture_is_what_vega_would_draw(drawn: dict[str, DrawnFigure]) -> None:
    """The light one in other colours is, to the byte, the one of the darkened specification."""
    for one in drawn.values():
        looks = [series.look for series in one.figure.series]
        compiled = vega.prepare(one.figure, one.locales, one.options.cache)
        for specification in compiled["en"].pictures.values():
            light = vega.svg(specification, recorded.english())
            dark = vega.svg(theme.darken(specification, looks), recorded.english())

            assert vega.recoloured(light, theme.dark_colours(looks)) == dark != light


def test_dark_pictures_are_the_light_ones_in_other_colours(drawn: dict[str, DrawnFigure]) -> None:
    """With the words around the chart."""
    paint = re.compile(r'\s(?:fill|stroke)="[^"]*"')
    for one in drawn.values():
        light, dark = (one.pictures["en"][kind].decode() for kind in ("svg", "svg-dark"))
        assert light != dark and paint.sub("", light) == paint.sub("", dark)


def test_all_other_pictures_are_dark_as_targets(drawn: dict[str, DrawnFigure]) -> None:
    """Of pages, of phones and of every named state: each paint that the dark picture has in another
    colour has a rule, and no other has.
    """
    rule = re.compile(r':target \[(fill|stroke)="([^"]*)"\]\{\1:([^}]*)\}')
    for one in drawn.values():
        colours = theme.dark_colours([series.look for series in one.figure.series])
        named = [own["svg"] for own in one.presets["en"].values()]
        for content in (
            *(one.pictures["en"][kind] for kind in ("page", "phone", "narrow")),
            *named,
        ):
            made = content.decode()
            style = made.partition("<style>")[2].partition("</style>")[0]
            paints = set(vega.COLOUR.findall(made.partition("</style>")[2]))

            assert made.startswith('<svg id="dark" ')
            assert rule.sub("", style) == ""
            assert (
                set(rule.findall(style))
                == {(paint, light, colours[light]) for paint, light in paints if light in colours}
                != set()
            )


def test_cuts_are_numbered_within_their_picture() -> None:
    """In the order in which they come, as references and as names; words that look like one
    stay.
    """
    drawn = (
        '<g clip-path="url(#clip7)"/><clipPath id="clip7"/><clipPath id="clip9"/><g '
        'clip-path="url(#clip9)"/><text>clip7</text>'
    )

    assert vega.recounted(drawn) == drawn.replace("#clip7", "#clip0").replace(
        '"clip7', '"clip0'
    ).replace("clip9", "clip1")


def test_a_font_with_few_letters_draws_no_others(
    chart_cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A forked process that has it leaves them to the first one."""
    few = fonts.few("速度", chart_cache)
    monkeypatch.setattr(vega, "_registered", [few])
    monkeypatch.setattr(vega, "forked", lambda: True)

    vega.hold_letters(frozenset("速度 speed скорость"))
    with pytest.raises(NotHere):
        vega.hold_letters(frozenset("温度"))
