"""Charts on the pages of the site: what a reader changes is drawn, stands in the address, and
stays.
"""

import re
from collections.abc import Sequence
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Browser, Locator, Page, TimeoutError

from tests.browser.pseudo import LONGER
from tests.browser.sites import each_language, spoken
from tests.browser.visitor import DETAILS, REPORT, TARGET, THROUGHPUT, Watched, live, uncomplaining

MXNET, TENSORFLOW = "aws-p3.8xlarge-mxnet", "aws-p3.8xlarge-tensorflow"
CHOICES = (
    ("throughput", "scale", "log"),
    ("throughput", "basis", "chip"),
    ("throughput", "view", "relative"),
    ("data", "view", "relative"),
    ("target", "measure", "epochs"),
    ("target", "target", "0.764"),
)
"""Chart of the report, control, and what to choose."""

BATCHES = {"en": "1,024", "ru": "1\N{NO-BREAK SPACE}024", "ja": "1,024", "es": "1.024"}
"""The batch size of three runs, as each language writes it."""


def _open(watched: Watched, path: str, *charts: str) -> Page:
    page = watched.open(path)
    for chart in charts:
        live(page, chart)
    return page


def _asked(page: Page) -> dict[str, list[str]]:
    return parse_qs(urlsplit(page.url).query)


def _texts(page: Page, chart: str) -> list[str]:
    return [
        text for text in page.locator(f"#{chart} .ts-live svg text").all_text_contents() if text
    ]


def _marks(page: Page, chart: str) -> int:
    return page.locator(f"#{chart} .ts-live svg .ends_marks path").count()


def _redrawn(page: Page, chart: str, before: str) -> None:
    page.wait_for_function(
        "([chart, before]) => document.querySelector(`#${chart} .ts-live`)?.innerHTML !== before",
        arg=[chart, before],
    )


def _drawing(page: Page, chart: str) -> str:
    return page.locator(f"#{chart} .ts-live").inner_html()


def _numbers(page: Page, chart: str) -> list[float]:
    """The labels of the value axis, as numbers."""
    labels = page.locator(f"#{chart} .ts-live svg .role-axis-label text").all_text_contents()
    return [
        float(text.replace(",", ""))
        for text in labels
        if text.replace(",", "").replace(".", "").isdigit()
    ]


def _figures(texts: Sequence[str]) -> list[str]:
    """The figures in texts, without "about" before them."""
    return [
        found.group()
        for text in texts
        if (found := re.search(r"\d[\d.,\N{NO-BREAK SPACE}]*", text))
    ]


HURRIED = """
const now = performance.now.bind(performance);
let more = 0;
performance.now = () => now() + (more += 20);
"""
"""A clock on which any two readings are far apart, as on a slow phone."""


def test_a_drawing_that_gives_way_at_each_step_is_the_same(desktop: Watched) -> None:
    """The page may answer its reader within a first drawing, which ends as it would without."""
    page = _open(desktop, f"en/{REPORT}", "tpuv2-v100-throughput")
    at_once = _drawing(page, "tpuv2-v100-throughput")
    page.add_init_script(HURRIED)

    _open(desktop, f"en/{REPORT}", "tpuv2-v100-throughput")

    assert _drawing(page, "tpuv2-v100-throughput") == at_once


@pytest.mark.parametrize(("short", "key", "value"), CHOICES)
def test_a_choice_redraws_the_chart_and_survives_reload_and_language(
    desktop: Watched, short: str, key: str, value: str
) -> None:
    """The drawing changes, the address says how, and a reload and the same page in Japanese show
    the choice.
    """
    chart = f"tpuv2-v100-{short}"
    page = _open(desktop, f"en/{REPORT}", chart)
    before = _drawing(page, chart)
    choice = f'#{chart} select[data-key="{key}"]'

    page.select_option(choice, value)
    _redrawn(page, chart, before)
    shown = _texts(page, chart)
    asked = _asked(page)
    page.reload()
    live(page, chart)
    again = _texts(page, chart)
    page.locator(".ts-lang summary").click()
    page.locator('.ts-lang a[hreflang="ja"]').click()
    live(page, chart)

    assert asked == {f"{short}.{key}": [value]}
    assert again == shown
    assert page.evaluate("document.documentElement.lang") == "ja"
    assert _asked(page) == asked
    assert page.locator(choice).input_value() == value


def test_the_legend_shows_one_series_alone_and_the_axis_follows(desktop: Watched) -> None:
    """What is hidden leaves chart and table, and the axis fits what remains; a second click brings
    all back.
    """
    page = _open(desktop, f"en/c/{TARGET}/?measure=cost", TARGET)
    page.click(f"#{TARGET} .ts-numbers > summary")
    before, highest = _drawing(page, TARGET), max(_numbers(page, TARGET))
    rows = page.locator(f"#{TARGET} tbody tr:visible").count()

    page.click(f'#{TARGET} button[data-series="cloud-tpu-v2-8-tensorflow"]')
    _redrawn(page, TARGET, before)
    for _ in range(100):  # the first that is drawn anew is the series in front
        if max(_numbers(page, TARGET)) < highest:
            break
        page.wait_for_timeout(100)

    assert max(_numbers(page, TARGET)) < highest
    assert page.locator(f"#{TARGET} tbody tr:visible").count() < rows
    assert page.locator(f'#{TARGET} [aria-pressed="true"]').count() == 1
    assert _asked(page)["hide"] == [TENSORFLOW]
    page.click(f'#{TARGET} button[data-series="cloud-tpu-v2-8-tensorflow"]')
    assert page.locator(f'#{TARGET} [aria-pressed="false"]').count() == 0
    page.click(f'#{TARGET} button[data-series="{TENSORFLOW}"]', modifiers=["Shift"])
    assert _asked(page)["hide"] == [TENSORFLOW]


def test_what_is_pointed_at_comes_to_the_front(desktop: Watched) -> None:
    """Marks of all other series step back while the pointer or the keyboard is on an entry."""
    page = _open(desktop, f"en/c/{TARGET}/", TARGET)
    faint = "[...document.querySelectorAll('.ts-live svg *')].filter((e) => e.style.opacity)"
    button = page.locator(f'#{TARGET} button[data-series="{TENSORFLOW}"]')

    button.focus()
    back = page.evaluate(f"{faint}.map((e) => e.__data__.datum.series)")
    button.blur()

    assert set(back) == {"cloud-tpu-v2-8-tensorflow"}
    assert page.evaluate(f"{faint}.length") == 0


@pytest.mark.parametrize("chart", [TARGET, "resnet50-imagenet-convergence"])
def test_each_value_is_read_by_arrow_keys(desktop: Watched, chart: str) -> None:
    """Mark by mark, of curves evaluation by evaluation: shown, and said to those who do not see."""
    page = _open(desktop, f"en/c/{chart}/", chart)
    page.locator(f"#{chart} .ts-live").focus()
    told = []
    for key in ("ArrowRight", "ArrowRight", "ArrowLeft"):
        page.keyboard.press(key)
        told.append(page.locator(".ts-tooltip").inner_text())
    said = page.locator(f'#{chart} [role="status"]').text_content()
    page.locator(f"#{chart} .ts-live").blur()

    assert told[0] == told[2] != told[1]
    assert all(one.startswith("System: ") for one in told)
    assert (said or "").split() == told[2].split()
    assert not page.locator(".ts-tooltip").is_visible()


def test_a_chart_fills_the_window_until_escape(desktop: Watched) -> None:
    """With its state, and back in its place afterwards."""
    page = _open(desktop, f"en/c/{THROUGHPUT}/?scale=log", THROUGHPUT)
    before = page.locator(f"#{THROUGHPUT} .ts-live svg").bounding_box()
    assert before

    page.click(f"#{THROUGHPUT} a.ts-enlarge")
    page.wait_for_function(
        "wide => document.querySelector('dialog .ts-live svg')?.clientWidth > wide",
        arg=before["width"],
    )
    page.keyboard.press("Escape")

    page.wait_for_function("!document.querySelector('dialog')")
    assert page.locator(f"article #{THROUGHPUT}").count() == 1
    assert _asked(page)["scale"] == ["log"]


def test_the_table_says_what_the_chart_says(desktop: Watched) -> None:
    """A row a mark, and the figure at each mark is one of the table's."""
    page = _open(desktop, f"ja/c/{THROUGHPUT}/", THROUGHPUT)
    page.click(f"#{THROUGHPUT} .ts-numbers > summary")

    cells = _figures(
        page.locator(f"#{THROUGHPUT} tbody tr:visible td:nth-child(4) data").all_text_contents()
    )
    said = _figures(page.locator(f"#{THROUGHPUT} .ts-live svg .role-mark text").all_text_contents())

    assert sorted(said) == sorted(cells)
    assert _marks(page, THROUGHPUT) == len(said) == 3


@spoken(("en", "1.000"), (LONGER, "1,000"), names="language,one")
def test_a_relative_chart_names_its_baseline(desktop: Watched, language: str, one: str) -> None:
    """The baseline is offered only where it has a meaning; the chosen one is 1, and its name stands
    at the axis.
    """
    page = _open(desktop, f"{language}/c/{THROUGHPUT}/", THROUGHPUT)
    before = _drawing(page, THROUGHPUT)
    assert page.locator(f'#{THROUGHPUT} [data-for="baseline"]:visible').count() == 0

    page.select_option(f'#{THROUGHPUT} select[data-key="view"]', "relative")
    page.select_option(f'#{THROUGHPUT} select[data-key="baseline"]', TENSORFLOW)
    _redrawn(page, THROUGHPUT, before)
    page.wait_for_function(
        "([chart, one]) => document.querySelector(`#${chart} .ts-live`).textContent.includes(one)",
        arg=[THROUGHPUT, one],
    )

    assert _asked(page) == {"view": ["relative"], "baseline": [TENSORFLOW]}
    assert any("4 × V100 · TensorFlow" in text for text in _texts(page, THROUGHPUT))


def test_a_chart_is_redrawn_in_dark(desktop: Watched) -> None:
    """The page's button for dark changes the colours of the drawing and of the page, and the choice
    stays on the next page.
    """
    page = _open(desktop, f"en/c/{THROUGHPUT}/", THROUGHPUT)
    light, background = (
        _drawing(page, THROUGHPUT),
        "getComputedStyle(document.body).backgroundColor",
    )
    white = page.evaluate(background)

    page.click("[data-ts-theme]")  # from the device's choice to light
    page.click("[data-ts-theme]")
    _redrawn(page, THROUGHPUT, light)
    dark = _drawing(page, THROUGHPUT)
    page.goto(page.url.replace(f"c/{THROUGHPUT}/", ""))

    assert "#0072b2" in light and "#0072b2" not in dark and "#56b4e9" in dark
    assert page.evaluate(background) != white


def test_back_and_forward_keep_what_was_chosen(desktop: Watched) -> None:
    """After a link and back, and after an anchor and back, the chart is as the reader left it."""
    page = _open(desktop, f"en/c/{THROUGHPUT}/", THROUGHPUT)
    page.select_option(f'#{THROUGHPUT} select[data-key="basis"]', "chip")
    page.locator('a[href="#runs"]:visible').first.click()
    page.go_back()
    assert _asked(page) == {"basis": ["chip"]}

    page.goto(page.url.partition("?")[0].replace(f"c/{THROUGHPUT}/", "results/"))
    page.go_back()
    live(page, THROUGHPUT)
    assert page.locator(f'#{THROUGHPUT} select[data-key="basis"]').input_value() == "chip"

    page.go_forward()
    assert page.url.endswith("/en/results/")


def test_the_heading_of_a_table_is_as_wide_as_its_frame(desktop: Watched) -> None:
    """It is one line to press, not a column of two."""
    page = desktop.open(f"en/c/{THROUGHPUT}/")
    frame, heading = (page.locator(f"details.ts-numbers{one}") for one in ("", " > summary"))
    widths = [one.first.evaluate("one => one.offsetWidth") for one in (frame, heading)]

    assert widths[0] - widths[1] <= 2, widths


@pytest.mark.parametrize("path", [f"c/{THROUGHPUT}/", "workloads/"])
def test_a_table_sorts_by_keyboard(desktop: Watched, path: str) -> None:
    """Enter on a heading sorts up, and again down; figures by value, and the order is told to
    assistive software.
    """
    page = desktop.open(f"en/{path}")
    for folded in page.locator(".ts-numbers > summary").all():
        folded.click()
    head = next(
        each
        for each in page.locator("th[scope=col]:is(.ts-number, .ts-num):has(.ts-sort)").all()
        if len(set(_column(each))) > 1
    )
    orders = []
    for _ in range(2):
        head.locator("button").focus()
        page.keyboard.press("Enter")
        orders.append((head.get_attribute("aria-sort"), _column(head)))

    (up, rising), (down, falling) = orders
    assert (up, down) == ("ascending", "descending")
    assert rising == sorted(rising) and falling == sorted(falling, reverse=True)


def _column(head: Locator) -> list[float]:
    """Figures below a heading, from top to bottom."""
    figures: list[float] = head.evaluate(
        """head => [...head.closest("table").tBodies].flatMap((body) => [...body.rows])
            .map((row) => row.cells[head.cellIndex]?.querySelector("data")?.value).filter(Boolean).map(Number)"""
    )
    return figures


def _hovered(mark: Locator, tooltip: Locator) -> str:
    """What the tooltip says with the pointer on a mark; a chart that another one's drawing moves
    away is pointed at again.
    """
    for _ in range(20):
        mark.page.mouse.move(0, 0)
        mark.hover(force=True)
        try:
            return tooltip.inner_text(timeout=750)
        except TimeoutError:
            continue
    raise AssertionError("no tooltip after 20 tries")


@each_language()
def test_a_tooltip_speaks_the_language_of_the_page(desktop: Watched, language: str) -> None:
    """The pointer shows a line a fact: label and figure as the table has them; Escape puts it
    away.
    """
    page = _open(desktop, f"{language}/c/{THROUGHPUT}/", THROUGHPUT)
    headings = page.locator(f"#{THROUGHPUT} thead th").all_inner_texts()

    tooltip = page.locator(".ts-tooltip:visible")
    lines = _hovered(
        page.locator(f"#{THROUGHPUT} .ts-live svg .ends_marks path").nth(1), tooltip
    ).split("\n")
    page.keyboard.press("Escape")

    assert len(lines) > 5
    for heading in headings[:2]:
        assert any(line.startswith(re.split(r"[,、(（]", heading)[0].strip()) for line in lines), (
            heading,
            lines,
        )
    assert BATCHES[language] in lines[1]
    assert tooltip.count() == 0


def test_a_chart_draws_when_it_comes_into_view(desktop: Watched) -> None:
    """The runtime is asked for when the first chart is near, not before."""
    asked: list[str] = []
    desktop.page.on("request", lambda request: asked.append(request.url))
    page = desktop.open(f"en/{DETAILS}")
    page.wait_for_load_state("networkidle")
    early = [url for url in asked if "touchstone-runtime" in url]
    live(page, "tpuv2-v100-value")

    assert not early
    assert sum("touchstone-runtime" in url for url in asked) == 1


NEAREST = Path(__file__).resolve().parents[2] / "site_src" / "assets" / "runtime" / "nearest.js"
DRAWN = """
<div style="position: absolute; left: 40px; top: 20px; width: 200px">
<svg viewBox="0 0 400 200" style="width: 200px; display: block"><circle cx="380" cy="20" r="9"/></svg></div>
<script>const told = [];</script><script>NEAREST
const rows = [
  { kind: "evaluation", along: 100, value: 50, tip: "one" },
  { kind: "evaluation", along: 130, value: 50, tip: "two" },
  { kind: "target", along: 60, value: 150, tip: "no evaluation" },
  { kind: "evaluation", along: 500, value: 50, tip: "outside" },
  { kind: "evaluation", along: null, value: 50, tip: "nowhere" },
];
document.querySelector("circle").__data__ = { tooltip: "a mark's own" };
const same = (value) => value;
const view = { data: () => rows, scale: () => same, origin: () => [10, 0], width: () => 390, height: () => 200 };
const tooltip = (...[, , , tip]) => told.push(tip);
read(view, document.querySelector("div"), { marks: [{ name: "evaluations_marks" }] }, { tooltip });
</script>"""
"""A picture at half its size whose plot begins ten to the right, with the rows of a chart."""


def test_the_pointer_finds_the_nearest_of_many_points(browser: Browser) -> None:
    """As far away as a finger is wide, in the picture's own measure; a mark below it tells itself,
    and where it leaves nothing is told.
    """
    with uncomplaining(browser) as page:
        page.set_content(DRAWN.replace("NEAREST", NEAREST.read_text("utf-8")))
        for across, down in ((96, 45), (106, 48), (106, 75), (75, 95), (229, 31), (5, 5)):
            page.mouse.move(across, down)

        assert page.evaluate("told") == ["one", "two", None, None, None]
