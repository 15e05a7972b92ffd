"""Renamed and retired charts in a real browser: the addresses that others embed go on showing them,
as asked, under a strict policy.
"""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from itertools import chain
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Frame, Page

from kernels import catalog, store
from site_src import locales
from site_src.addresses import moved, retired
from site_src.addresses.ledger import Kind
from site_src.charts import runtime
from site_src.charts.drawn import Options
from site_src.evidence import Evidence
from site_src.locales import Locale
from tests.browser.visitor import lay, serve, uncomplaining
from tests.makers import transcribed
from tests.site_src import drawing

POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'"
OLD, NEW, GONE = "tpuv2-v100-speed", "tpuv2-v100-throughput", "tpuv2-v100-data"
WHY = "Two figures were read off a drawing."
HOST = (
    '<!doctype html><html lang="en"><meta charset="utf-8"><title>host</title><body>'
    '<iframe sandbox="allow-scripts" width="700" height="200" src="{source}"></iframe>'
    '<touchstone-chart chart="{chart}" lang="ja" theme="dark"></touchstone-chart>'
    '<script src="{site}c/touchstone-frames.js"></script><script src="{site}c/touchstone-chart.js">'
    "</script></body></html>"
)


@pytest.fixture(scope="module")
def languages(repository: Path) -> list[Locale]:
    """English, and a made-up Japanese that differs in one word, which none of the other tests'
    files has.
    """
    first = locales.load(repository / "site_src" / "strings", ["en"])[0]
    finding = "スループット: {batch} {first} {first_value} {gap} {second} {second_value}"
    words = {"retired.notice": "{day} から {reason}", "figure.throughput.headline.first": finding}
    return [first, replace(first, code="ja", name="日本語", strings={**first.strings, **words})]


@pytest.fixture(scope="module")
def folder(
    languages: list[Locale], repository: Path, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A site of charts: one under two names, one retired."""
    out, runs = tmp_path_factory.mktemp("site"), tmp_path_factory.mktemp("runs")
    archive = transcribed("tpuv2-v100")
    known, about = catalog.load(), Options(repository / ".cache", date(2026, 11, 22))
    client = runtime.build("slim", repository / ".cache")
    wanted = [
        figure for figure in drawing.figures(Evidence(archive, known)) if figure.id in {NEW, GONE}
    ]
    drawn = drawing.draw(wanted, languages, client, about, archive.sources)
    retired.write(runs / store.RETIRED / GONE, retired.freeze(drawn.pop(GONE), WHY))
    headings = {NEW: {locale.code: drawn[NEW].figure.heading(locale) for locale in languages}}
    assets = chain(
        drawing.assets(drawn, client),
        retired.assets(retired.read(runs)[0], languages, about.base_url),
        moved.pages("c", {OLD: NEW}, headings, languages, ""),
    )
    lay(out, moved.forwarded(assets, {Kind.CHART: {OLD: NEW}}))
    page = out / "en" / "c" / NEW / "index.html"
    page.parent.mkdir(parents=True)
    page.write_text('<!doctype html><html lang="en"><title>new</title>', "utf-8")
    return out


@pytest.fixture(scope="module")
def address(folder: Path) -> Iterator[str]:
    """Where a strict server has them: no inline scripts, inline styles, eval and other hosts."""
    yield from serve(folder, "", POLICY)


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page that fails the test when its console complains."""
    with uncomplaining(browser, viewport={"width": 900, "height": 1200}) as made:
        yield made


@pytest.fixture
def host(tmp_path: Path, page: Page, address: str) -> Iterator[Page]:
    """Someone else's page, on an origin of its own: `show` puts a chart on it in a sandboxed frame
    and as an element.
    """
    (tmp_path / "favicon.ico").touch()
    for origin in serve(tmp_path, ""):

        def show(chart: str, query: str, origin: str = origin) -> Page:
            html = HOST.format(
                source=f"{address}c/{chart}/embed.html?{query}", chart=chart, site=address
            )
            (tmp_path / "post.html").write_text(html, "utf-8")
            page.goto(f"{origin}post.html")
            return page

        page.show = show  # type: ignore[attr-defined]
        yield page


def _frame(page: Page) -> Frame:
    page.wait_for_function("document.querySelector('iframe').style.height")
    return next(frame for frame in page.frames if "embed.html" in frame.url)


DARK = "rgb(30, 33, 41)"
GROUND = "getComputedStyle(document.body).backgroundColor"


def test_a_renamed_chart_goes_on_in_frames_and_elements(host: Page) -> None:
    """Under the old id, sandboxed, in Japanese, dark, in the state that was asked for; its link
    leads to the new page.
    """
    page = host.show(OLD, "lang=ja&theme=dark&scale=log&hide=aws-p3.8xlarge-mxnet")  # type: ignore[attr-defined]
    frame = _frame(page)
    frame.wait_for_selector('.ts-figure[data-state="interactive"]')

    assert (frame.evaluate("document.documentElement.lang"), frame.evaluate(GROUND)) == ("ja", DARK)
    assert frame.locator('select[data-key="scale"]').input_value() == "log"
    assert (
        frame.locator('button[data-series="aws-p3.8xlarge-mxnet"]').get_attribute("aria-pressed")
        == "false"
    )
    home = frame.locator(".ts-home").get_attribute("href") or ""
    assert f"/ja/c/{NEW}/" in home and "scale=log" in home
    page.wait_for_selector('touchstone-chart .ts-figure[data-state="interactive"]')
    assert "スループット" in page.locator("touchstone-chart h3").inner_text()


def test_a_retired_chart_stays_in_frames_and_elements(host: Page) -> None:
    """Its picture with the notice, in Japanese and dark, as high as it is, and nothing is drawn."""
    page = host.show(GONE, "lang=ja&theme=dark")  # type: ignore[attr-defined]
    frame = _frame(page)

    assert (frame.evaluate("document.documentElement.lang"), frame.evaluate(GROUND)) == ("ja", DARK)
    assert frame.locator(".ts-notice").inner_text().endswith(f"から {WHY}")
    assert frame.locator(f'.ts-notice [lang="en"]:text("{WHY}")').count() == 1
    picture = frame.locator("img:visible")
    assert picture.count() == 1 and str(picture.get_attribute("src")).endswith("ja-page.svg#dark")
    assert picture.evaluate("one => one.complete && one.naturalWidth") > 0
    height = page.evaluate("document.querySelector('iframe').getBoundingClientRect().height")
    assert height >= frame.evaluate("document.body.getBoundingClientRect().height") > 300
    element = page.locator("touchstone-chart")
    element.locator(".ts-notice").wait_for()
    assert (
        WHY in element.locator(".ts-notice").inner_text()
        and element.locator("img:visible").count() == 1
    )
    assert "ja-page.svg#dark" in str(element.locator("img:visible").get_attribute("src"))


def test_without_javascript_a_retired_chart_shows_its_notice(
    browser: Browser, address: str
) -> None:
    """In the first language, with the ways to the others, and dark where the device is."""
    context = browser.new_context(
        java_script_enabled=False, color_scheme="dark", viewport={"width": 390, "height": 900}
    )
    page = context.new_page()
    page.goto(f"{address}c/{GONE}/embed.html?lang=ja")

    assert WHY in page.locator(".ts-notice").inner_text()
    assert str(page.locator("picture:visible img").get_attribute("src")).endswith(
        "en-page.svg#dark"
    )
    assert page.locator('noscript a[lang="ja"]').is_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    context.close()


def test_an_old_page_leads_on_with_its_state(folder: Path, browser: Browser, address: str) -> None:
    """From a server and from the disk with its query; where the page may not run scripts there is
    the link, without JavaScript the way.
    """
    context = browser.new_context()
    page = context.new_page()
    page.goto((folder / "en" / "c" / OLD / "index.html").as_uri() + "?scale=log&hide=a,b#x")
    page.wait_for_url(f"**/en/c/{NEW}/index.html?scale=log&hide=a,b#x")
    page.goto(f"{address}en/c/{OLD}/?scale=log")  # this server lets no script run within a page
    assert page.get_by_role("link").get_attribute("href") == f"../{NEW}/index.html"
    context.close()

    context = browser.new_context(java_script_enabled=False)
    page = context.new_page()
    page.goto(f"{address}en/c/{OLD}/?scale=log")
    page.wait_for_url(f"**/en/c/{NEW}/index.html")
    context.close()
