"""The share panel in a real browser: what it offers is what the chart shows, by keyboard too, and
its pictures are of now.
"""

import csv
import io
import json
import re
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it brings no types
from PIL import Image
from playwright.sync_api import Browser, Locator, Page

from site_src import charts, csv_cells
from site_src.addresses import editions
from site_src.addresses.editions import Edition
from site_src.build import shell
from site_src.charts import panel as share_panel
from site_src.charts import pictures, runtime, snippets
from site_src.charts.drawn import DrawnFigure, Options
from site_src.charts.snippets import escaped
from site_src.figures import presets
from tests.browser.visitor import TARGET, THROUGHPUT, lay, serve, styles, uncomplaining, unfold
from tests.site_src import drawing, recorded
from tests.site_src.charts import stand_ins

REPOSITORY = Path(__file__).resolve().parents[2]
ASSETS = REPOSITORY / "site_src" / "assets"
HIDDEN = "aws-p3.8xlarge-mxnet"
SVG = "{http://www.w3.org/2000/svg}"
AXE = """async () => (await axe.run({include: [[".ts-sharing"], ["dialog"]].filter(([one]) => document.querySelector(one))}, {
  rules: {"valid-lang": {enabled: false}}})).violations
  .map((found) => `${found.id}: ${found.help}: ${found.nodes.map((node) => node.target.join(" ")).join(" | ")}`)"""
"""What axe finds in the panel; one of these languages is made up."""


@pytest.fixture(scope="module")
def drawn() -> dict[str, DrawnFigure]:
    """Two charts in English and in a made-up language from right to left."""
    chosen = [recorded.drawn()[name] for name in (THROUGHPUT, TARGET)]
    client = runtime.build("slim", REPOSITORY / ".cache")
    options = Options(REPOSITORY / ".cache", date(2026, 11, 20))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pictures, "draw", stand_ins.draw)
        return drawing.draw(
            chosen,
            [recorded.english(), recorded.foreign()],
            client,
            options,
            recorded.archive().sources,
        )


@pytest.fixture(scope="module")
def folder(drawn: dict[str, DrawnFigure], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A site of a page with both charts and of one chart's own page, in both languages."""
    top = tmp_path_factory.mktemp("shared")
    (top / "favicon.ico").touch()  # a browser asks for it by itself
    out = top / "bench"
    made = [*drawing.assets(drawn, runtime.build("slim", REPOSITORY / ".cache"))]
    frozen = [
        replace(
            one,
            path=f"r/2026.4/{one.path}",
            content=one.content.replace(b'"title":"', b'"title":"Then: '),
        )
        for one in made
        if one.path == f"c/{TARGET}/share.js"
    ]
    one = Edition("2026.4", date(2026, 11, 20), {}, (TARGET,), {})
    lay(out, [*made, *frozen, editions.listed([one])])
    linked = styles(out)
    for locale in (recorded.english(), recorded.foreign()):
        code = shell.script(locale, "x.js", (ASSETS / "site.js").read_text("utf-8"))
        (out / "assets" / f"site.{locale.code}.js").write_text(code, "utf-8")
        both = "".join(charts.block(one, locale, "../../") for one in drawn.values())
        own = (
            f"{charts.own_page(drawn[TARGET], locale, '../../../')}"
            '<section><h2 id="share">Share</h2>'
            f"{share_panel.panel(drawn[TARGET], locale, '../../../')}</section>"
        )
        for path, root, body in (
            (f"{locale.code}/page/", "../../", both),
            (f"{locale.code}/c/{TARGET}/", "../../../", own),
        ):
            head = charts.head(root, drawn[TARGET].client) + share_panel.head(
                root, drawn[TARGET].client
            )
            site = f'{linked(root)}<script defer src="{root}assets/site.{locale.code}.js"></script>'
            file = out / path / "index.html"
            file.parent.mkdir(parents=True)
            file.write_text(
                f'<!doctype html><html lang="{locale.code}" dir="{locale.direction}"><head><meta '
                'charset="utf-8"><title>x</title>'
                '<meta name="viewport" content="width=device-width, initial-scale=1">'
                f"{site}{head}</head>"
                '<body data-md-color-scheme="default"><main class="md-typeset"><h1>x</h1>'
                f"{body}</main></body></html>",
                "utf-8",
            )
    return out


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Where a server has them, below a sub-path."""
    yield from serve(folder.parent, f"{folder.name}/")


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test when its console complains."""
    with uncomplaining(
        browser,
        viewport={"width": 900, "height": 900},
        permissions=["clipboard-read", "clipboard-write"],
    ) as made:
        yield made


def _findings(page: Page) -> list[str]:
    page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(AXE)
    return found


def _open(page: Page, chart: str) -> Locator:
    """Press Share below a chart."""
    page.locator(f"#{chart} a.ts-share").click()
    dialog = page.locator("dialog.ts-share-dialog[open]")
    dialog.wait_for()
    return dialog


def test_a_post_may_take_an_edition(page: Page, address: str) -> None:
    """Link, embed and citation lead to its addresses and say what the chart said then; tables have
    what the page shows. Likewise when it is chosen again. A chart that no edition has offers none.
    """
    page.goto(f"{address}en/page/")
    panel = _open(page, TARGET)
    choice = panel.locator('[data-share="edition"]')
    now = {way: _way(panel, way) for way in ("link", "iframe", "markdown", "bibtex", "table_csv")}

    choice.select_option("2026.4")
    page.wait_for_function(
        "code => code.textContent.includes('/r/2026.4/')",
        arg=panel.locator('[data-way="link"]').element_handle(),
    )

    then = {way: _way(panel, way) for way in now}
    assert then["link"] == f"{address}r/2026.4/en/c/{TARGET}/"
    assert f"{address}r/2026.4/c/{TARGET}/embed.html?lang=en" in then["iframe"]
    assert "Then: " in then["markdown"] and "Then: " not in now["markdown"]
    assert then["link"] in then["bibtex"] and then["table_csv"] == now["table_csv"]
    choice.select_option("")
    page.wait_for_function(
        "([code, text]) => code.textContent === text",
        arg=[panel.locator('[data-way="link"]').element_handle(), now["link"]],
    )
    assert {way: _way(panel, way) for way in now} == now
    choice.select_option("2026.4")
    page.wait_for_function(
        "([code, text]) => code.textContent === text",
        arg=[panel.locator('[data-way="link"]').element_handle(), then["link"]],
    )
    assert {way: _way(panel, way) for way in now} == then
    page.keyboard.press("Escape")
    assert not _open(page, THROUGHPUT).locator('[data-share="edition"]').is_visible()


def _way(panel: Locator, name: str) -> str:
    return panel.locator(f'[data-way="{name}"]').text_content() or ""


def _tab(panel: Locator, name: str) -> None:
    panel.locator(f"#ts-tab-{name}").click()


def _saved(page: Page, panel: Locator, kind: str, into: Path) -> Path:
    _tab(panel, "group_picture")
    with page.expect_download() as started:
        panel.locator(f'[data-export="{kind}"]').click()
    path = into / started.value.suggested_filename
    started.value.save_as(path)
    return path


def test_nothing_of_the_panel_is_loaded_before_it_is_asked_for(address: str, page: Page) -> None:
    """A report's page loads the button's few lines; panel, words and style come when Share is
    pressed.
    """
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url.removeprefix(address)))
    page.goto(f"{address}en/page/", wait_until="networkidle")
    before = [one for one in asked if "share" in one]
    dialog = _open(page, TARGET)
    dialog.locator(".ts-share-copy").first.wait_for()

    assert len(before) == 1 and "share_button" in before[0]
    assert {re.sub(r"\.\w{10}\.", ".", one) for one in asked if "share" in one} >= {
        "assets/touchstone-share.js", "assets/touchstone-share.css", "assets/touchstone-share-en.js", f"c/{TARGET}/share.js",
    }  # fmt: skip
    assert not any("share_picture" in one for one in asked)


def test_pressed_twice_it_opens_once(address: str, page: Page) -> None:
    """Who presses again before the panel has come has one to close."""
    page.goto(f"{address}en/page/")
    page.locator(f"#{TARGET} a.ts-share").evaluate("link => { link.click(); link.click(); }")
    page.locator("dialog[open]").first.wait_for()
    page.wait_for_load_state("networkidle")

    assert page.locator("dialog").count() == 1


def test_a_double_click_leaves_it_open(address: str, page: Page) -> None:
    """Its second press falls on what has come meanwhile, beside the dialog too; later a press there
    closes it.
    """
    page.goto(f"{address}en/page/")
    _open(page, THROUGHPUT).locator(".ts-share-close").click()
    page.locator(f"#{TARGET} a.ts-share").evaluate("link => link.click()")
    page.locator("dialog[open]").wait_for()
    page.locator("dialog").evaluate("dialog => dialog.click()")
    assert page.locator("dialog").count() == 1
    page.wait_for_timeout(800)
    page.locator("dialog").evaluate("dialog => dialog.click()")
    page.locator("dialog").wait_for(state="detached")


def test_the_dialog_takes_the_focus_and_gives_it_back(address: str, page: Page) -> None:
    """Enter on Share opens it with the focus inside, Tab stays in, Escape closes it and the focus
    is on Share again.
    """
    page.goto(f"{address}en/page/")
    page.locator(f"#{TARGET} a.ts-share").focus()
    page.keyboard.press("Enter")
    page.locator("dialog[open]").wait_for()
    inside = []
    for _ in range(60):
        page.keyboard.press("Tab")
        inside.append(
            page.evaluate(
                "document.activeElement === document.body || "
                "Boolean(document.activeElement.closest('dialog'))"
            )
        )
    page.locator("dialog .ts-share-close").focus()  # Escape in a list of choices closes that alone
    page.keyboard.press("Escape")

    assert all(inside)
    page.locator("dialog").wait_for(state="detached")
    assert page.evaluate("document.activeElement.className") == "ts-share"
    assert page.evaluate("document.activeElement.closest('figure').id") == TARGET


STOPS = """dialog => [...dialog.querySelectorAll("[data-way]")].map((code) =>
  [code.tabIndex, code.scrollWidth > code.clientWidth || code.scrollHeight > code.clientHeight])"""


def test_only_code_that_scrolls_is_a_stop_of_the_keyboard(address: str, page: Page) -> None:
    """Lines that are broken are none, a long table is one; as the dialog grows and shrinks, and as
    the table gets more columns.
    """
    page.goto(f"{address}en/page/")
    dialog = _open(page, THROUGHPUT)
    _tab(dialog, "more")
    seen = []
    for width in (1200, 400):
        page.set_viewport_size({"width": width, "height": 700})
        page.wait_for_function(
            f"() => ({STOPS})(document.querySelector('dialog')).every(([tab, long]) => (tab === 0) "
            "=== long)"
        )
        seen.append(sum(tab == 0 for tab, _ in dialog.evaluate(STOPS)))
    few = _way(dialog, "table_markdown")
    dialog.locator('[data-share="columns"]').select_option("all")

    assert len(_way(dialog, "table_markdown")) > len(few)
    assert 0 < seen[0] <= seen[1] < len(dialog.evaluate(STOPS)) - 3
    assert all((tab == 0) == scrolls for tab, scrolls in dialog.evaluate(STOPS))


@pytest.mark.parametrize("path", [f"en/c/{TARGET}/", f"qq/c/{TARGET}/"])
def test_the_browser_fills_what_python_filled(
    path: str, address: str, page: Page, drawn: dict[str, DrawnFigure]
) -> None:
    """In the default state every snippet of the standing panel stays as the build wrote it, but for
    the site's address.
    """
    locale = recorded.english() if path.startswith("en") else recorded.foreign()
    built = share_panel.snippets(drawn[TARGET], locale)
    page.goto(f"{address}{path}")
    page.locator(".ts-share-copy").first.wait_for()
    shown = {name: _way(page.locator(".ts-sharing"), name) for name in built}

    assert {
        name: text.replace(f' site="{address}"', "").replace(address, "")
        for name, text in shown.items()
    } == built
    assert f"{address}{path}" in shown["link"]


def test_snippets_are_of_the_state_language_and_theme(address: str, page: Page) -> None:
    """What the reader changed stands in each address; the post's language and colours too; an
    unnamed state says what pictures show.
    """
    page.goto(f"{address}en/page/?target.measure=hours&target.scale=log&target.hide=cloud-tpu-v2-8")
    dialog = _open(page, TARGET)
    state = page.evaluate(f"touchstoneCharts.find('{TARGET}').query().toString()")
    dialog.locator('[data-share="theme"]').select_option("dark")
    told = dialog.locator('[data-share="told"]').inner_text()
    dialog.locator('[data-share="lang"]').select_option("qq")
    _tab(dialog, "embed")
    dialog.locator('[data-share="height"]').fill("700")
    home = f"{address}qq/c/{TARGET}/"

    assert state.startswith("measure=hours&scale=log")
    assert _way(dialog, "link") == f"{home}?{state}"
    assert (
        f'src="{address}c/{TARGET}/embed.html?lang=qq&amp;theme=dark&amp;{state.replace("&", "&amp;")}"'
        in _way(dialog, "iframe")
    )
    assert 'height="700"' in _way(dialog, "iframe")
    assert f'theme="dark" state="{state.replace("&", "&amp;")}" site="{address}"' in _way(
        dialog, "element"
    )
    assert f"/{TARGET}/qq-dark.svg)]({home}?{state})" in _way(dialog, "markdown")
    assert re.findall(r'srcset="[^"]*/([^"]*)"', _way(dialog, "picture")) == ["qq-narrow.svg#dark"]
    assert f"url = {{{home}?{state}}}" in _way(dialog, "bibtex")
    assert recorded.english().say("share.state_default") in told
    assert dialog.locator('[data-share="told"] a').get_attribute("href") == f"{home}?{state}#share"


def test_a_table_says_only_what_is_true_of_it(address: str, page: Page) -> None:
    """Axis and comparison change no cell, so no table names them; what is left out it does.

    The words of the picture, whose address shows the default view, name no system at all.
    """
    page.goto(
        f"{address}en/page/?throughput.scale=log&throughput.view=relative&throughput.hide={HIDDEN}"
    )
    page.locator(f"#{THROUGHPUT}").scroll_into_view_if_needed()
    page.locator(f'#{THROUGHPUT}[data-state="interactive"]').wait_for()
    out = page.locator(f'#{THROUGHPUT} .ts-legend button[data-series="{HIDDEN}"]').inner_text()
    dialog = _open(page, THROUGHPUT)
    caption = _way(dialog, "table_markdown").split("\n")[-3]
    title = recorded.drawn()[THROUGHPUT].heading(recorded.english())

    assert caption.endswith(
        f"({escaped(recorded.english().say('share.without', series=out), 'md')})"
    )
    assert "elative" not in caption and "log" not in caption.lower()
    assert _way(dialog, "markdown").startswith(f"[![{escaped(title, 'md')}](")
    assert (
        "\\caption{" in _way(dialog, "table_latex")
        and "elative" not in _way(dialog, "table_latex").partition("\\begin{tabular}")[0]
    )


def test_a_caption_counts_many_series(address: str, page: Page) -> None:
    """Where more are left out than a line has room for, it says how many show."""
    page.goto(f"{address}en/page/")
    page.locator(f"#{TARGET}").scroll_into_view_if_needed()
    page.locator(f'#{TARGET}[data-state="interactive"]').wait_for()
    names = page.evaluate(f"touchstoneCharts.find('{TARGET}').data.series")
    page.evaluate(
        f"names => touchstoneCharts.find('{TARGET}').change({{ hide: names.slice(1) }})", names
    )
    caption = _way(_open(page, TARGET), "table_markdown").split("\n")[-3]

    if len(names) > 5:
        assert f"series shown: 1 of {len(names)}" in caption
    else:
        assert "without: " in caption and caption.count(", ") >= len(names) - 2


def test_all_columns_are_a_choice(address: str, page: Page, drawn: dict[str, DrawnFigure]) -> None:
    """A table for a post is narrow, as Python makes it; whoever wants all columns has them. CSV is
    whole either way.
    """
    figure, locale = drawn[TARGET].figure, recorded.english()
    whole = snippets.table(figure, locale)
    page.goto(f"{address}en/c/{TARGET}/")
    panel = page.locator(".ts-sharing")
    page.locator(".ts-share-copy").first.wait_for()

    def heads(way: str, between: str) -> int:
        return _way(panel, way).split("\n")[0].count(between)

    few, csv_ = heads("table_markdown", " | ") + 1, heads("table_csv", '","') + 1
    _tab(panel, "more")
    panel.locator('[data-share="columns"]').select_option("all")

    assert (
        few
        == len(snippets.main(snippets.parts(figure), whole, figure.field_of("value", {})).headings)
        <= snippets.MOST
    )
    assert heads("table_markdown", " | ") + 1 == csv_ == len(whole.headings) > few


@pytest.mark.parametrize(
    ("typed", "taken"), [("-5", "120"), ("99999", "4000"), ("640", "640"), ("", None)]
)
def test_a_height_is_one_that_a_frame_can_have(
    typed: str, taken: str | None, address: str, page: Page, drawn: dict[str, DrawnFigure]
) -> None:
    """What lies outside is the nearest that does not, and the field says so; an empty field is the
    usual height.
    """
    usual = str(share_panel.record(drawn[TARGET], recorded.english())["height"])
    page.goto(f"{address}en/c/{TARGET}/")
    page.locator(".ts-share-copy").first.wait_for()
    _tab(page.locator(".ts-sharing"), "embed")
    field = page.locator('[data-share="height"]')
    field.fill(typed)
    field.blur()

    assert field.input_value() == (taken or usual)
    assert f'height="{taken or usual}"' in _way(page.locator(".ts-sharing"), "iframe")


def test_a_citation_of_a_view_has_a_key_of_its_own(address: str, page: Page) -> None:
    """Two views of a chart can stand in one bibliography, with their sources."""
    page.goto(f"{address}en/c/{TARGET}/?measure=hours")
    page.locator(".ts-share-copy").first.wait_for()
    keys = re.findall(r"@misc\{(.+),", _way(page.locator(".ts-sharing"), "bibtex"))

    assert keys == [f"touchstone-{TARGET}-hours", f"touchstone-{TARGET}-hours:tpuv2-v100"]


@pytest.mark.parametrize("size", ["100%", "200%"])
def test_closing_covers_nothing(size: str, address: str, page: Page) -> None:
    """The bar with Close has the dialog's width and paper, so what scrolls below it is not read
    through it.
    """
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{address}en/page/")
    page.evaluate("size => { document.documentElement.style.fontSize = size; }", size)
    dialog = _open(page, TARGET)
    _tab(dialog, "more")
    dialog.evaluate("one => { one.scrollTop = 900; }")
    bar = dialog.locator(".ts-share-bar")

    assert (
        bar.evaluate(
            "one => one.getBoundingClientRect().top - one.parentElement.getBoundingClientRect().top"
        )
        < 8
    )
    assert bar.evaluate(
        "one => one.clientWidth === one.parentElement.clientWidth && "
        "getComputedStyle(one).backgroundColor !== 'rgba(0, 0, 0, 0)'"
    )
    assert bar.evaluate("one => one.clientHeight") < 130


def test_a_named_view_has_its_pictures(
    address: str, page: Page, drawn: dict[str, DrawnFigure]
) -> None:
    """In the state of a preset the pictures' addresses are the preset's."""
    figure = next(one.figure for one in drawn.values() if one.figure.presets)
    preset = figure.presets[0]
    page.goto(f"{address}en/page/?{figure.short}.preset={preset.id}")
    dialog = _open(page, figure.id)

    assert f"/{figure.id}/en-{preset.id}.svg)" in _way(dialog, "markdown")
    assert f"/{figure.id}/en-{preset.id}.svg#dark" in _way(dialog, "picture")
    assert "narrow" not in _way(dialog, "picture")


def test_a_table_says_what_was_chosen_as_the_language_does(
    address: str, page: Page, drawn: dict[str, DrawnFigure]
) -> None:
    """In the state of a preset its caption is the preset's, and the line below has the language's
    colon.
    """
    figure, locale = drawn[TARGET].figure, recorded.foreign()
    page.goto(f"{address}qq/c/{TARGET}/?preset=hours")
    page.locator(".ts-share-copy").first.wait_for()
    *_, caption, credit = [
        line for line in _way(page.locator(".ts-sharing"), "table_markdown").split("\n") if line
    ]
    hours = next(one for one in figure.presets if one.id == "hours")

    assert caption == escaped(presets.caption(figure, hours, locale), "md")
    assert escaped(locale.say("join.colon", what="", text=""), "md") in credit


def test_the_standing_panel_follows_the_chart(address: str, page: Page) -> None:
    """On the chart's own page a change of the chart is in the snippets at once."""
    page.goto(f"{address}en/c/{TARGET}/")
    page.locator(f'#{TARGET}[data-state="interactive"]').wait_for()
    page.locator(".ts-share-copy").first.wait_for()
    page.locator("select[data-key=scale]").select_option("log")
    page.wait_for_function(
        "document.querySelector('[data-way=link]').textContent.endsWith('?scale=log')"
    )

    assert "scale=log" in _way(page.locator(".ts-sharing"), "iframe")


def _rows(page: Page, chart: str) -> list[list[str]]:
    """The rows of the table as they show: machine values where there are any."""
    rows: list[list[str]] = page.locator(f"#{chart} tbody tr:visible").evaluate_all(
        """rows => rows.map((row) => [...row.cells].map((cell) => cell.classList.contains("ts-number")
             ? cell.querySelector("data")?.value ?? "" : cell.textContent.trim().replace(/^–$/, "").replace(/[\u00a0\u202f]/g, " ")))"""
    )
    return rows


def test_tables_are_those_that_show(address: str, page: Page) -> None:
    """Hidden series are out, the order is the page's; CSV has machine values, Markdown and LaTeX as
    many rows.
    """
    page.goto(f"{address}en/page/?throughput.hide={HIDDEN}")
    page.locator(f"#{THROUGHPUT}").scroll_into_view_if_needed()
    page.locator(f'#{THROUGHPUT}[data-state="interactive"]').wait_for()
    unfold(page, THROUGHPUT)
    page.locator(f"#{THROUGHPUT} thead .ts-number .ts-sort").first.click()
    shown = _rows(page, THROUGHPUT)
    dialog = _open(page, THROUGHPUT)
    head, *rows = csv.reader(io.StringIO(_way(dialog, "table_csv")))

    assert rows == shown
    assert any(", images/s" in name for name in head)
    assert (
        HIDDEN not in json.dumps(rows)
        and "MXNet" not in _way(dialog, "table_markdown").partition("\n\n")[0]
    )
    assert len(re.findall(r"^\| ", _way(dialog, "table_markdown"), re.MULTILINE)) == len(shown) + 2
    assert len(re.findall(r" \\\\$", _way(dialog, "table_latex"), re.MULTILINE)) == len(shown) + 1


def test_a_csv_cell_begins_with_no_formula(address: str, page: Page) -> None:
    """A text that a spreadsheet would calculate has an apostrophe in front, in the browser as in
    the build; a number has none.
    """
    page.goto(f"{address}en/page/")
    page.locator(f"#{THROUGHPUT}").scroll_into_view_if_needed()
    page.locator(f'#{THROUGHPUT}[data-state="interactive"]').wait_for()
    unfold(page, THROUGHPUT)
    texts = ["=1+1", "\u2060@SUM(A1)", "'x", "-5", "-x", "+3.5e-7"]
    put = (
        "(rows, texts) => rows.forEach((row, at) => { row.cells[0].textContent = texts[at] ?? "
        "'plain'; })"
    )
    page.locator(f"#{THROUGHPUT} tbody tr:visible").evaluate_all(put, texts)
    dialog = _open(page, THROUGHPUT)

    _, *rows = csv.reader(io.StringIO(_way(dialog, "table_csv")))

    assert len(rows) > 3
    assert [row[0] for row in rows][: len(texts)] == [
        csv_cells.guarded(text.replace("\u2060", "")) for text in texts[: len(rows)]
    ]


@pytest.mark.parametrize("clipboard", [True, False])
def test_copying_by_keyboard_says_so(clipboard: bool, address: str, page: Page) -> None:
    """Space on Copy puts the snippet on the clipboard, with and without the browser's clipboard,
    and a status says what was copied.
    """
    if not clipboard:
        page.add_init_script(
            "Object.defineProperty(navigator, 'clipboard', { get: () => undefined })"
        )
    page.goto(f"{address}en/page/")
    dialog = _open(page, TARGET)
    page.evaluate("addEventListener('copy', () => (window.copies = (window.copies ?? 0) + 1))")
    _tab(dialog, "group_picture")
    button = dialog.locator('section:has([data-way="markdown"]) > .ts-share-copy').last
    button.focus()
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('dialog [data-share=said]').textContent")

    assert dialog.locator("[data-share=said]").inner_text() == "Markdown image: Copied"
    assert dialog.locator("[data-share=said]").get_attribute("role") == "status"
    assert page.evaluate("document.activeElement.className") == "ts-share-copy"
    if clipboard:
        assert page.evaluate("navigator.clipboard.readText()") == _way(dialog, "markdown")
    else:
        assert page.evaluate("window.copies") == 1


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_a_saved_svg_is_what_is_seen(theme: str, address: str, page: Page, tmp_path: Path) -> None:
    """Well-formed, with title and description; the words of the chart on the page, its choices, the
    shown series and no other.
    """
    page.goto(
        f"{address}en/page/?target.measure=hours&target.scale=log&throughput.hide={HIDDEN}&throughput.scale=log"
    )
    page.locator(f"#{THROUGHPUT}").scroll_into_view_if_needed()
    page.locator(f'#{THROUGHPUT}[data-state="interactive"]').wait_for()
    seen = {
        text for text in page.locator(f"#{THROUGHPUT} .ts-live text").all_text_contents() if text
    }
    series = page.locator(
        f'#{THROUGHPUT} .ts-legend button[aria-pressed="true"]'
    ).all_text_contents()
    values = [
        row["text"] for row in page.evaluate(f"touchstoneCharts.find('{THROUGHPUT}').drawn()")
    ]
    dialog = _open(page, THROUGHPUT)
    dialog.locator('[data-share="theme"]').select_option(theme)
    path = _saved(page, dialog, "svg", tmp_path)
    root = ElementTree.fromstring(path.read_text("utf-8"))  # noqa: S314 - our own picture
    words = ["".join(text.itertext()) for text in root.iter(f"{SVG}text")]
    rows = page.evaluate(f"touchstoneCharts.find('{THROUGHPUT}').drawn()")

    assert (
        path.name.startswith(f"{THROUGHPUT}-")
        and "scale-log" in path.name
        and HIDDEN in path.name
        and path.suffix == ".svg"
    )
    assert root.findtext(f"{SVG}title") and root.findtext(f"{SVG}desc")
    assert len(rows) == len(values) and all(
        any(str(row["text"]) in word for word in words) for row in rows
    )
    assert set(series) <= set(words) and len(series) > 1
    assert not any("MXNet" in word for word in words)
    assert any("Scale: " in word or "log" in word.lower() for word in words)
    assert f"{address.removeprefix('http://')}en/c/{THROUGHPUT}/?" in "".join(words)
    assert root.find(f"{SVG}rect").get("fill") == {"light": "#ffffff", "dark": "#1e2129"}[theme]  # type: ignore[union-attr]  # there is one
    assert {word for word in seen if re.search(r"[a-z]{4}", word)} <= set(words)


LONG = (
    "Сравнение скорости обучения на разных машинах и 学習時間の比較、「長い題名」 при всех размерах батча, "
    "которые были в испытаниях"
)
FRAMED = """() => [...document.querySelectorAll("svg:root > text")].map((line) => {
  const { x, y, width, height } = line.getBBox();
  return { text: line.textContent, left: x, top: y, right: x + width, bottom: y + height, size: line.getAttribute("font-size") };
})"""


@pytest.mark.parametrize("language", ["en", "qq"])
def test_the_words_of_a_saved_picture_stay_in_it(
    language: str, address: str, page: Page, tmp_path: Path
) -> None:
    """Cyrillic, Japanese and bold lines, and a legend of many rows, fill the frame and do not leave
    it, from right to left too.
    """
    page.goto(f"{address}{language}/page/?throughput.scale=log&throughput.hide={HIDDEN}")
    dialog = _open(page, THROUGHPUT)
    page.evaluate(f"text => {{ touchstoneCharts.find('{THROUGHPUT}').said = () => text; }}", LONG)
    page.locator(f"#{THROUGHPUT} .ts-legend bdi").evaluate_all(
        "(all, text) => all.forEach((one) => { one.textContent = text; })", LONG
    )
    page.goto(_saved(page, dialog, "svg", tmp_path).as_uri())
    width, height = page.evaluate(
        "[document.documentElement.width.baseVal.value, "
        "document.documentElement.height.baseVal.value]"
    )
    lines = page.evaluate(FRAMED)
    title, series = (
        [one for one in lines if one["size"] == size and one["text"][:20] in LONG]
        for size in ("19", "13")
    )
    chart = page.evaluate("document.querySelector('svg:root > svg').y.baseVal.value")

    assert all(
        one["left"] >= 15 and one["right"] <= width - 15 and one["bottom"] <= height
        for one in lines
    ), lines
    assert not [
        (one, two)
        for one, two in pairwise(sorted(lines, key=lambda line: line["top"]))
        if two["top"] < one["bottom"] - 4
    ]
    assert (
        "".join(one["text"].replace(" ", "") for one in title) == LONG.replace(" ", "")
        and len(title) == 2
    )
    assert title[0]["right"] - title[0]["left"] > 0.8 * (width - 32)
    assert len(series) == 4 and max(one["bottom"] for one in series) <= chart


def test_a_saved_picture_has_the_remarks_of_its_state(
    address: str, page: Page, tmp_path: Path
) -> None:
    """None on another state and none of pages alone, then the credit and the address, as on the
    pictures of the build.
    """
    page.goto(f"{address}en/page/?target.measure=hours")
    dialog = _open(page, TARGET)
    notes = page.locator(f"#{TARGET} :is(.ts-notes, .ts-conditions) li").all_text_contents()
    about = page.evaluate(f"touchstoneShared['{TARGET}'].en")
    wanted = [None, {"measure": "hours"}, {"measure": "other"}, {}, *(None for _ in notes[4:])]
    page.evaluate(f"wanted => {{ touchstoneShared['{TARGET}'].en.pictured = wanted; }}", wanted)
    page.goto(_saved(page, dialog, "svg", tmp_path).as_uri())
    small = "".join(one["text"] for one in page.evaluate(FRAMED) if one["size"] == "12").replace(
        " ", ""
    )

    assert about["pictured"] == [{}] + [None] * (len(notes) - 1) and len(notes) > 3
    said = [
        notes[1],
        notes[3],
        about["credit"],
        f"{address.removeprefix('http://')}en/c/{TARGET}/?measure=hours",
    ]
    assert small == "".join(said).replace(" ", "")


def test_a_saved_png_has_the_size_of_its_scale(address: str, page: Page, tmp_path: Path) -> None:
    """Once and twice the drawing's size, and something is painted on it."""
    page.goto(f"{address}en/c/{TARGET}/")
    panel = page.locator(".ts-sharing")
    page.locator(".ts-share-copy").first.wait_for()
    root = ElementTree.fromstring(_saved(page, panel, "svg", tmp_path).read_text("utf-8"))  # noqa: S314 - our own picture
    size = (int(root.get("width", 0)), int(root.get("height", 0)))
    for kind, scale, name in (("png1", 1, f"{TARGET}.png"), ("png2", 2, f"{TARGET}@2x.png")):
        path = _saved(page, panel, kind, tmp_path)
        with Image.open(path) as image:
            assert path.name == name
            assert image.size == (size[0] * scale, size[1] * scale)
            assert len(image.convert("RGB").getcolors(2**24) or []) > 50


def test_a_page_from_a_file_has_its_panel(folder: Path, page: Page, tmp_path: Path) -> None:
    """Opened from the disk it opens, saves pictures, and says that addresses start at the site's
    root.
    """
    page.goto((folder / "en" / "page" / "index.html").as_uri())
    dialog = _open(page, TARGET)

    assert _way(dialog, "link") == f"en/c/{TARGET}/"
    assert _saved(page, dialog, "svg", tmp_path).stat().st_size > 5000


def test_without_javascript_share_leads_to_the_panel(browser: Browser, address: str) -> None:
    """The link below a chart leads to the chart's own page, where every snippet stands filled."""
    context = browser.new_context(java_script_enabled=False)
    plain = context.new_page()
    plain.goto(f"{address}en/page/")
    plain.locator(f"#{TARGET} a.ts-share").click()

    assert plain.url == f"{address}en/c/{TARGET}/#share"
    assert all(text.strip() for text in plain.locator("[data-way]").all_inner_texts())
    assert plain.locator(".ts-sharing button:visible, .ts-sharing select:visible").count() == 0
    context.close()


@pytest.mark.parametrize("scheme", ["default", "slate"])
@pytest.mark.parametrize("width", [1280, 390])
def test_the_panel_is_for_everyone(scheme: str, width: int, address: str, page: Page) -> None:
    """Nothing that axe calls serious, in dialog and on the own page; nothing runs out of a phone's
    width; targets can be hit.
    """
    page.set_viewport_size({"width": width, "height": 844})
    page.goto(f"{address}en/page/")
    page.evaluate("scheme => { document.body.dataset.mdColorScheme = scheme; }", scheme)
    dialog = _open(page, TARGET)
    small: list[str] = dialog.locator("button, select, input").evaluate_all(
        """all => all.filter((one) => one.checkVisibility() && Math.min(one.offsetWidth, one.offsetHeight) < 24)
             .map((one) => one.outerHTML)"""
    )

    assert _findings(page) == []
    assert small == []
    assert dialog.evaluate(
        "one => one.scrollWidth <= one.clientWidth && one.getBoundingClientRect().right <= "
        "innerWidth"
    )
    page.evaluate("document.documentElement.style.fontSize = '200%'")
    assert dialog.evaluate(
        "one => one.scrollWidth <= one.clientWidth && one.getBoundingClientRect().right <= "
        "innerWidth"
    )
    assert dialog.locator(".ts-share-close").is_visible()
    page.goto(f"{address}en/c/{TARGET}/")
    page.locator(".ts-share-copy").first.wait_for()
    assert _findings(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
