"""All results in one table: a choice, its order, its chart and its files stand in the address."""

import io
import re
from pathlib import Path

import pandas as pd
import pyarrow.parquet as pq  # type: ignore[import-untyped]  # it ships without type hints
from playwright.sync_api import Browser, Page

from tests.browser.sites import each_language
from tests.browser.visitor import Watched, say, sideways, uncomplaining

MOST_MOVED = 0.05
MOVES = """window.moved = 0;
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) moved += entry.value;
}).observe({ type: "layout-shift", buffered: true });"""
"""Adds up how far what one sees moves by itself, as browsers score it."""

ROWS = ".ts-explore__table tbody tr[data-row]"
SAID = ".ts-explore__said [role=status]"


def opened(seen: Watched, language: str, asked: str = "") -> Page:
    """The page with its rows."""
    page = seen.open(f"{language}/explore/{asked}")
    page.wait_for_selector(ROWS)
    return page


def shown(page: Page) -> tuple[int, int]:
    """How many rows are left, and of how many."""
    found = numbers(page.inner_text(SAID))
    return min(found), max(found)


def numbers(text: str) -> list[int]:
    """Whole ones, however the language parts their thousands."""
    return [int(each) for each in re.findall(r"\d+", re.sub(r"(?<=\d)[\s,.](?=\d{3})", "", text))]


def times(page: Page) -> list[float]:
    """Those in the column of time, from the first row on."""
    cells = page.locator(f"{ROWS} data[data-ref*=minutes]").evaluate_all(
        "all => all.map((each) => Number(each.value))"
    )
    return [float(each) for each in cells]


def test_an_auc_has_the_digits_with_which_it_was_printed(desktop: Watched) -> None:
    """Less than one as it is: of a target of 0.8025 three digits are another."""
    page = opened(desktop, "en", "?workload=resnet101-artists&columns=quality")

    assert {*page.locator(f"{ROWS} data[data-ref*=final_auc]").all_inner_texts()} == {"0.9835"}


@each_language("en", "ja")
def test_filters_and_order_stand_in_the_address(desktop: Watched, language: str) -> None:
    """A reload shows the same, a step back what was before; other filters offer what is left."""
    page = opened(desktop, language)
    left, every = shown(page)
    page.select_option("select[name=workload]", "resnet50-imagenet")
    page.click("[data-sort=time]")
    some = shown(page)
    fastest = times(page)
    page.reload()
    page.wait_for_selector(ROWS)

    assert left == every > some[0] > 0
    assert fastest == sorted(fastest) and len(fastest) > 1
    assert "workload=resnet50-imagenet" in page.url and "sort=time" in page.url
    assert (shown(page), times(page)) == (some, fastest)
    offered = page.locator("select[name=workload] option:checked")
    assert str(some[0]) in offered.inner_text()
    page.go_back()
    page.go_back()
    page.wait_for_function(f"!location.search && document.querySelector('{SAID}')")
    assert shown(page)[0] == every


@each_language("en")
def test_a_figure_has_its_reference_and_its_row_leads_to_the_result(
    desktop: Watched, language: str
) -> None:
    """As everywhere on the site."""
    page = opened(desktop, language, "?workload=resnet50-imagenet&accelerator=a30&sort=time")
    row = page.locator(ROWS).first
    figure = row.locator("data[data-ref$=':minutes']")
    value, ref = figure.get_attribute("value"), figure.get_attribute("data-ref")
    row.locator("th a").click()
    page.wait_for_selector("h1")

    assert ref and page.locator(f'[data-ref="{ref}"]').first.get_attribute("value") == value


@each_language("en")
def test_up_to_six_are_picked_for_comparison(desktop: Watched, language: str) -> None:
    """A seventh cannot be; the link names them."""
    page = opened(desktop, language)
    boxes = page.locator(f"{ROWS} input")
    for place in range(6):
        boxes.nth(place).check()
    ids = boxes.evaluate_all("all => all.slice(0, 6).map((box) => box.value)")
    href = page.locator(".ts-explore__picked a").get_attribute("href") or ""

    assert boxes.nth(6).is_disabled()
    assert href.endswith("compare/index.html?with=" + ",".join(ids))
    page.click("[data-do=clear]")
    assert boxes.nth(6).is_enabled()
    assert page.evaluate("document.activeElement.className").endswith("ts-explore__table")
    assert not page.locator(".ts-explore__picked").is_visible()


@each_language("en")
def test_files_have_the_rows_and_columns_that_are_shown(desktop: Watched, language: str) -> None:
    """In their order, with reference, licence and credit; both formats say the same."""
    asked = "?workload=resnet50-imagenet&sort=-time&columns=accelerators,time,framework"
    page = opened(desktop, language, asked)
    tables = {}
    for kind, read in (("csv", pd.read_csv), ("parquet", pd.read_parquet)):
        with page.expect_download() as waiting:
            page.click(f"[data-do={kind}]")
        tables[kind] = read(io.BytesIO(Path(waiting.value.path()).read_bytes()))
    table = tables["csv"]

    assert list(table.columns) == [
        "result_id", "system", "accelerators", "accelerators_ref", "time_to_target_min",
        "time_to_target_min_of", "time_to_target_min_ref", "framework", "licence", "credit",
    ]  # fmt: skip
    assert len(table) == shown(page)[0]
    known = table["time_to_target_min"].dropna()
    assert known.is_monotonic_decreasing and len(known) > 1
    assert page.locator(f"{ROWS} input").first.input_value() == table["result_id"][0]
    pd.testing.assert_frame_equal(table, tables["parquet"], check_dtype=False)
    assert table["licence"].notna().all() and table["credit"].notna().all()


@each_language("en")
def test_the_columns_of_a_file_are_the_same_whatever_rows_it_has(
    desktop: Watched, language: str
) -> None:
    """Names and types: a column without any text stays one of texts."""
    kept = []
    columns = "accelerators,time,epochs,year,framework,round,precision"
    for asked in (f"?columns={columns}", f"?source=tpuv2-v100&columns={columns}"):
        page = opened(desktop, language, asked)
        with page.expect_download() as waiting:
            page.click("[data-do=parquet]")
        kept.append(pq.read_table(Path(waiting.value.path())))

    assert kept[0].schema.equals(kept[1].schema)
    assert kept[1].num_rows < kept[0].num_rows
    empty = kept[1].column("round")
    assert empty.null_count == len(empty) and str(empty.type) == "string"


@each_language("en")
def test_paper_has_the_first_rows_and_says_of_how_many(desktop: Watched, language: str) -> None:
    """Not only those in the frame; on the screen it is as it was afterwards."""
    page = opened(desktop, language)
    every, before = shown(page)[1], page.locator(ROWS).count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")

    assert page.locator(ROWS).count() == min(every, 300) > before
    assert page.locator(SAID).is_visible() and not page.locator("[data-do=csv]").is_visible()
    said = page.inner_text(SAID)
    assert every in numbers(said) and (300 in numbers(said)) == (every > 300)
    frame = page.locator(".ts-explore__table")
    assert frame.evaluate("one => one.scrollHeight - one.clientHeight") <= 1
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    page.wait_for_function(f"document.querySelectorAll('{ROWS}').length === {before}")


@each_language("en", "ja")
def test_the_first_columns_fit_their_frame(desktop: Watched, language: str) -> None:
    """On a screen of 1280: all of them; names of three lines, and the target below a time, are read whole."""
    desktop.page.set_viewport_size({"width": 1280, "height": 800})
    page = opened(desktop, language)
    frame = page.locator(".ts-explore__table")

    assert frame.evaluate("one => one.scrollWidth - one.clientWidth") <= 0
    cut = page.locator(f"{ROWS} .ts-note").evaluate_all(
        "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent)"
    )
    assert cut == []
    names = page.locator(f"{ROWS} th a").evaluate_all(
        "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1).map((one) => one.textContent)"
    )
    assert all(len(name) > 60 for name in names), names
    heights = page.locator(ROWS).evaluate_all("all => all.map((one) => one.offsetHeight)")
    assert len(set(heights)) == 1
    assert page.locator(".ts-explore__table thead tr").get_attribute("aria-rowindex") == "1"


@each_language("en")
def test_a_file_that_does_not_come_is_told(browser: Browser, address: str, language: str) -> None:
    """The table itself, or what is downloaded of it."""
    page = browser.new_page()
    page.route("**/explore/files.js*", lambda route: route.abort())
    page.goto(f"{address}/{language}/explore/")
    page.wait_for_selector(ROWS)
    page.click("[data-do=csv]")
    told = f"said => document.querySelector('{SAID}').textContent.includes(said)"
    page.wait_for_function(told, arg=say(language, "ui.not_loaded"))
    page.route("**/data/explore.js*", lambda route: route.abort())
    page.reload()
    page.wait_for_function(told, arg=say(language, "ui.not_loaded"))

    assert page.locator(ROWS).count() == 0
    page.close()


@each_language("en")
def test_the_chart_draws_the_rows_that_have_both_figures(desktop: Watched, language: str) -> None:
    """Any two figures; what is drawn stands in the address."""
    page = opened(desktop, language, "?workload=resnet50-imagenet")
    page.click(".ts-explore__chart > summary")
    points = page.locator(".ts-explore__drawing svg .mark-symbol path")
    points.first.wait_for()
    with_time = points.count()
    page.select_option(".ts-explore__chart select[name=y]", "batch")
    page.wait_for_url("**chart=accelerators,batch,vendor**")
    drawn = page.locator(".ts-explore__chart [role=status]")
    page.wait_for_function(
        f"document.querySelectorAll('.ts-explore__drawing path[d]').length && "
        f"!document.querySelector('.ts-explore__chart [role=status]').textContent.match(/\\b{with_time}$/)"
    )

    assert with_time > 1
    assert int(re.findall(r"\d+", drawn.inner_text())[-1]) > with_time


@each_language("en")
def test_rows_are_made_for_what_is_in_sight(desktop: Watched, language: str) -> None:
    """The last one is there when one scrolls to it."""
    page = opened(desktop, language)
    made, every = page.locator(ROWS).count(), shown(page)[0]
    last = page.locator(f"{ROWS}[aria-rowindex='{every + 1}']")
    assert made < every and not last.count()
    page.evaluate("document.querySelector('.ts-explore__table').scrollTop = 1e7")
    last.wait_for()

    assert page.locator(ROWS).count() < every


@each_language("en", "ja")
def test_it_fits_a_phone(phone: Watched, language: str) -> None:
    """The table scrolls in its frame, the page does not."""
    page = opened(phone, language)

    assert sideways(page) == 0
    assert page.locator("select[name=workload]").is_visible()


@each_language("en", "ja")
def test_a_phone_has_the_column_of_the_order_beside_the_names(
    phone: Watched, language: str
) -> None:
    """Whatever it is, in sight; the columns of a file stay as they are."""
    page = opened(phone, language)
    second = page.locator(".ts-explore__table th[aria-sort]")

    assert second.locator("button").get_attribute("data-sort") == "round"
    for name in ("time", "workload"):
        page.locator(f"[data-sort={name}]").click()
        box = second.bounding_box()
        assert second.evaluate("head => head.cellIndex") == 1, name
        assert box and 0 < box["x"] < box["x"] + box["width"] < 390, name
        assert page.evaluate("document.activeElement.dataset.sort") == name
        cells = page.locator(f"{ROWS} td:nth-child(2)")
        assert cells.first.inner_text() and (name != "time" or cells.locator("data").count())
    assert page.evaluate("touchstoneExplored.columns()[1]") == "workload"


@each_language("en", "ja")
def test_a_phone_shows_names_in_full_where_four_lines_hold_them(
    phone: Watched, language: str
) -> None:
    """Two systems of one maker can be told apart."""
    page = opened(phone, language)
    cut = page.locator(f"{ROWS} th a").evaluate_all(
        "all => all.filter((one) => one.scrollHeight > one.clientHeight + 1)"
        ".map((one) => one.textContent)"
    )

    assert all(len(name) > 50 for name in cut), cut


@each_language("en", "ru")
def test_nothing_moves_when_the_rows_come(browser: Browser, address: str, language: str) -> None:
    """They come late on a phone, to a place that is kept for them."""
    page = browser.new_page(viewport={"width": 390, "height": 844})
    slow = page.context.new_cdp_session(page)
    slow.send("Network.enable")
    speed = {"downloadThroughput": 2e5, "uploadThroughput": 9e4}
    slow.send("Network.emulateNetworkConditions", {"offline": False, "latency": 150, **speed})
    page.add_init_script(MOVES)
    page.goto(f"{address}/{language}/explore/")
    page.wait_for_selector(ROWS)
    page.wait_for_timeout(500)
    moved = page.evaluate("moved")
    page.close()

    assert moved < MOST_MOVED


def test_it_works_from_a_disk(browser: Browser, site: Path) -> None:
    """Data are scripts, and the address keeps the choice there too."""
    with uncomplaining(browser) as page:
        page.goto(f"{(site / 'en/explore/index.html').as_uri()}?workload=resnet50-imagenet")
        page.wait_for_selector(ROWS)
        page.select_option("select[name=accelerator]", "a30")
        page.wait_for_function("location.search.includes('accelerator=a30')")

        assert shown(page)[0] < shown(page)[1]


@each_language("en")
def test_without_javascript_lists_lead_to_all(no_javascript: Watched, language: str) -> None:
    """By workload and by accelerator, with their numbers; no form that does nothing."""
    page = no_javascript.open(f"{language}/explore/")

    assert not page.locator("#explore").is_visible()
    page.click('.ts-explore__list a[href*="/workloads/resnet50-imagenet/"]')
    page.wait_for_selector("h1")
    assert page.locator('a[href*="/results/"]').count() > 1
