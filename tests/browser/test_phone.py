"""The pages on a phone, 390 pixels wide."""

from tests.browser.sites import each_language
from tests.browser.visitor import REPORT, TEMPLATES, Watched, drawn, embed, live, sideways

DRAWER = "#__drawer"
TOP = "element => element.getBoundingClientRect().top"
MOST_MOVED_PX = 3
"""By which a chart is higher than its picture, which is 360 pixels wide."""


@each_language()
def test_no_page_scrolls_sideways(phone: Watched, language: str) -> None:
    """Tables scroll within their frame, charts and words fit; so do the frames on others' pages."""
    wide = {}
    for path in [f"{language}/{path}" for path in TEMPLATES] + ["", "404.html", embed(language)]:
        page = phone.open(path)
        for figure in page.locator(".ts-figure").all():
            drawn(figure)
        if over := sideways(page):
            wide[path] = over

    assert not wide


@each_language()
def test_large_letters_fit(phone: Watched, language: str) -> None:
    """With text twice as large the report still scrolls down alone."""
    page = phone.open(f"{language}/{REPORT}")
    page.add_style_tag(content="html { font-size: 200% !important; }")

    assert sideways(page) == 0


def test_the_menu_opens_and_closes_by_touch(phone: Watched) -> None:
    """A tap on the sign opens it, a tap beside it closes it; a link in it leads on."""
    page = phone.open(f"ja/{REPORT}")
    menu = page.locator(".ts-nav")
    assert not menu.is_visible() or not menu.evaluate(
        "menu => menu.getBoundingClientRect().right > 0"
    )

    page.locator(f'label[for="{DRAWER[1:]}"]:visible').last.tap()
    page.wait_for_function("document.querySelector('.ts-nav').getBoundingClientRect().left >= 0")
    page.touchscreen.tap(380, 400)
    page.wait_for_function("document.querySelector('.ts-nav').getBoundingClientRect().right <= 0")
    page.locator('header label[for="__drawer"]').tap()
    page.locator('.ts-nav a[href$="method/index.html"]').tap()

    page.wait_for_url("**/ja/method/")


def test_the_menu_opens_and_closes_by_keyboard(phone: Watched) -> None:
    """The menu's switch is in the order of the keyboard, shows where it is, and Escape closes what
    it opened.
    """
    page = phone.open(f"en/{REPORT}")
    for _ in range(5):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.id") == DRAWER[1:]:
            break
    page.keyboard.press("Space")
    page.wait_for_function("document.querySelector('.ts-nav').getBoundingClientRect().left >= 0")
    page.keyboard.press("Tab")
    inside = page.evaluate(
        "document.activeElement.closest('.ts-nav, .md-header, .md-skip') !== null || "
        "document.activeElement.className"
    )
    page.keyboard.press("Escape")

    assert inside
    assert not page.locator(DRAWER).is_checked()
    assert page.evaluate("document.activeElement.id") == DRAWER[1:]


def test_a_chart_can_be_used_by_touch(phone: Watched) -> None:
    """Legend and choices answer a tap, and are large enough to be hit."""
    page = phone.open(f"ja/{REPORT}")
    chart = page.locator("#tpuv2-v100-throughput")
    live(page, "tpuv2-v100-throughput")

    button = chart.locator(".ts-legend button").last
    button.tap()

    others = chart.locator('.ts-legend button[aria-pressed="false"]:visible').count()
    assert others == chart.locator(".ts-legend button:visible").count() - 1
    small = (
        "elements => elements.filter((element) => element.getBoundingClientRect().height < "
        "24).map((element) => element.outerHTML)"
    )
    assert chart.locator("button:visible, select:visible").evaluate_all(small) == []


def test_a_picture_stays_until_somebody_reaches_for_it(phone: Watched) -> None:
    """It is as wide as its place, and drawing it anew would hold the phone up: no script of the
    runtime runs. The first tap is felt by the chart that takes its place, and moves nothing below.
    """
    page = phone.open(f"en/{REPORT}")
    figure = page.locator("#tpuv2-v100-throughput")
    figure.locator(".ts-picture").scroll_into_view_if_needed()
    figure.locator(".ts-legend button:not([hidden])").first.wait_for()
    page.wait_for_timeout(500)
    before = (figure.locator(".ts-live").count(), page.evaluate("'touchstoneRuntimes' in window"))
    below = figure.locator(".ts-tools").evaluate(TOP)

    figure.locator(".ts-picture").tap(position={"x": 250, "y": 200})
    page.locator(".ts-tooltip:not([hidden])").wait_for()

    assert before == (0, False)
    assert figure.get_attribute("data-state") == "interactive"
    assert page.locator(".ts-tooltip").inner_text().count("\n") > 0
    assert abs(figure.locator(".ts-tools").evaluate(TOP) - below) <= MOST_MOVED_PX


def test_a_picture_answers_the_first_key(phone: Watched) -> None:
    """It can be focused like the chart, which then has the focus and says its first figure."""
    page = phone.open(f"en/{REPORT}")
    figure = page.locator("#tpuv2-v100-throughput")
    figure.locator("img[tabindex]").first.wait_for(state="attached")

    figure.locator("img:visible").focus()
    page.keyboard.press("ArrowRight")
    page.locator(".ts-tooltip:not([hidden])").wait_for()

    assert page.evaluate("document.activeElement.matches('.ts-live')")
    assert figure.locator(".ts-status").text_content() == page.inner_text(".ts-tooltip")


def test_another_state_is_drawn_without_a_touch(phone: Watched) -> None:
    """A picture shows the first state alone."""
    page = phone.open(f"en/{REPORT}?throughput.scale=log")
    figure = page.locator("#tpuv2-v100-throughput")
    figure.locator(".ts-picture").scroll_into_view_if_needed()

    figure.locator(".ts-live svg").wait_for()

    assert figure.locator('select[data-key="scale"]').input_value() == "log"
