"""The answer first: the home page and charts' own pages on a real screen."""

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser.sites import each_language
from tests.browser.visitor import TARGET, THROUGHPUT, Watched, ready, say

TALLEST = 2200
CHART_AT = 700
OWN_CHART_AT = 260
"""Px that the home page may be tall, and above which the first chart begins on it and on a chart's
own page, 1280 px wide.
"""

FIRST = "resnet50-imagenet"
COSTS = f"{FIRST}-costs"
SHOWN = """() => [...document.querySelectorAll(".ts-says img.ts-light")].every((each) => each.naturalWidth)"""
TOP = "(picture) => picture.getBoundingClientRect().top + scrollY"


def top(page: Page) -> float:
    """Where the first chart begins."""
    return float(page.locator(".ts-picture").first.evaluate(TOP))


@each_language("en", "ja")
def test_the_home_page_answers_on_its_first_screen(desktop: Watched, language: str) -> None:
    """It is short, and its chart is in sight; beside it stand the cheapest setups with cost and
    time, each figure with its reference, the cheapest first.
    """
    page = desktop.open(f"{language}/")
    page.set_viewport_size({"width": 1280, "height": 800})
    leaders = page.locator(".ts-leaders > li")
    refs = leaders.locator("data").evaluate_all("all => all.map((each) => each.dataset.ref)")
    costs = leaders.locator("data:first-child").evaluate_all(
        "all => all.map((each) => +each.value)"
    )

    assert page.evaluate("document.documentElement.scrollHeight") <= TALLEST
    assert top(page) <= CHART_AT
    assert len(refs) == 2 * leaders.count() > 2 and all(refs)
    assert costs == sorted(costs)
    terms = say(language, "price_kind.on_demand")
    assert terms in str(leaders.first.locator(".ts-note").text_content())
    assert page.locator(f'h2[id="{COSTS}"]').text_content()
    assert page.locator(".ts-says > li").count() == page.locator(".ts-says img.ts-light").count()
    page.locator(".ts-says").scroll_into_view_if_needed()
    page.wait_for_function(SHOWN)


OTHER = "wrn28-10-cifar10"
FIGURE = ".ts-home__first figure"
HEADLINE = f"{FIGURE} > h2"
SAID = "[data-ts-asked] > p"
ASKED = f"""() => [...document.querySelectorAll(
    "[data-ts-asked] > h2, [data-ts-asked] .ts-leaders, {HEADLINE}"
)].map((each) => each.textContent)"""

DRAWN = r"""() => [...document.querySelectorAll(".ts-home__first figure :is(a:not(.ts-ask__there), img, source)")].map(
    (each) => (each.currentSrc || each.srcset || each.href).match(/\/c\/([^/]+)/)[1]
)"""


def answered(page: Page) -> list[str]:
    """Heading, list and headline, once the last edit has its answer."""
    page.wait_for_timeout(400)
    page.wait_for_function("!document.querySelector('[data-ts-asked][aria-busy]')")
    return [str(each) for each in page.evaluate(ASKED)]


@each_language()
def test_a_question_is_answered_at_home_as_on_the_page_of_costs(
    desktop: Watched, language: str
) -> None:
    """Without a click, each time that it changes: the sentence, and the first setups with links
    that lead there; beside them the workload's own chart, if that is of the target asked. The first
    question has its first answer again.
    """
    page = desktop.open(f"{language}/")
    form, picture = page.locator(".ts-ask:not(.ts-ask--two)"), page.locator(".ts-picture").first
    first = answered(page)

    def told(at: Page, *parts: str) -> list[str]:
        return ["".join((at.locator(part).text_content() or "").split()) for part in parts]

    for budget in ("2", "1"):
        form.locator("[name=workload]").select_option(OTHER)
        form.locator("[name=budget]").fill(budget)
        answered(page)
        here = told(page, HEADLINE, "[data-ts-asked] .ts-leaders")
        hrefs = "all => all.map((each) => each.href)"
        links = page.locator("[data-ts-asked] a").evaluate_all(hrefs)
        there = page.context.new_page()
        there.goto(str(page.locator(".ts-ask__more").evaluate("(link) => link.href")))
        ready(there)

        assert f"workload={OTHER}" in there.url and f"budget={budget}" in there.url
        assert here == told(there, ".ts-costs__sentence", "#calculator .ts-leaders")
        assert links == there.locator("#calculator .ts-leaders a").evaluate_all(hrefs)
        assert picture.is_visible()
        there.close()
    drawn = [*page.evaluate(DRAWN), page.locator(FIGURE).get_attribute("data-chart")]
    title = form.locator("option:checked").first.get_attribute("data-title")
    subtitle = page.locator(f"{FIGURE} > p").text_content()
    form.locator("[name=target]").select_option(index=1)
    answered(page)
    hidden = picture.is_hidden()
    charted = page.locator(".ts-ask__there")
    led = charted.is_visible() and str(charted.get_attribute("href"))
    form.locator("[name=workload]").select_option(FIRST)
    form.locator("[name=budget]").fill("")

    assert hidden and set(drawn) == {f"{OTHER}-costs"}
    assert led and f"workload={OTHER}" in led
    assert subtitle == title != ""
    assert answered(page) == first and picture.is_visible() and charted.is_hidden()
    assert set(page.evaluate(DRAWN)) == {COSTS}


def test_an_answer_at_home_is_of_one_question(desktop: Watched) -> None:
    """One whose script comes after another question was asked is not shown; its heading names what
    limits it.
    """
    page = desktop.open("en/")
    held: list[Route] = []
    page.route(f"**/costs/{OTHER}.js*", lambda route: held.append(route))  # noqa: PLW0108 - not of a list
    workload = page.locator(".ts-ask:not(.ts-ask--two) [name=workload]")
    workload.select_option(OTHER)
    page.wait_for_function("document.querySelector('[data-ts-asked][aria-busy]')")
    page.wait_for_timeout(400)
    workload.select_option("cnn10-cifar10")
    page.wait_for_function(f"document.querySelector('{HEADLINE}').textContent.startsWith('CNN')")
    held[0].continue_()
    page.wait_for_timeout(500)

    heading, _, sentence = answered(page)
    assert heading == "CNN-10: cheapest at the newest prices" and sentence.startswith("CNN-10, ")
    page.locator(".ts-ask [name=budget]").fill("100")
    assert answered(page)[0] == "CNN-10: cheapest within your limits"


def test_the_way_back_keeps_the_question_at_home(desktop: Watched) -> None:
    """With target and limits, and its answer."""
    page = desktop.open("en/")
    form = page.locator(".ts-ask:not(.ts-ask--two)")
    form.locator("[name=workload]").select_option("cnn10-cifar10")
    form.locator("[name=target]").select_option(index=1)
    form.locator("[name=budget]").fill("1.5")
    fields = "[...document.querySelector('.ts-ask').elements].map((each) => each.value)"
    before, asked = answered(page), page.evaluate(fields)
    form.locator("button").click()
    page.wait_for_url("**/costs/**")
    page.go_back()
    page.wait_for_function(f"document.querySelector('{HEADLINE}')?.textContent.startsWith('CNN')")

    assert (answered(page), page.evaluate(fields)) == (before, asked)


def test_what_cannot_be_answered_at_home_has_no_answer_of_another_question(
    browser: Browser, address: str
) -> None:
    """A script that does not come is told; the button still leads to costs, with the limits if
    there are any.
    """
    context = browser.new_context()
    page = context.new_page()
    page.route("**/costs/answers.js", lambda route: route.abort())
    page.goto(f"{address}/en/")
    page.locator(".ts-ask [name=budget]").fill("1")
    page.wait_for_function(f"document.querySelector('{SAID}').textContent")
    assert answered(page) == ["", ""]
    page.locator(".ts-ask__wide").click()
    page.wait_for_url("**/costs/**budget=1")
    page.goto(f"{address}/en/")
    page.locator(".ts-ask__wide").click()
    page.wait_for_url(f"**/costs/**workload={FIRST}**")
    context.close()


def test_a_limit_at_home_is_read_as_it_is_written(desktop: Watched) -> None:
    """Full-width digits in Japanese; a decimal comma in English is no number, which is said, and
    leads nowhere; so is a deadline that the page of costs would not take.
    """
    english = desktop.open("en/")
    for name, text in (("deadline", "1e-10"), ("budget", "3,50")):
        english.locator(".ts-ask [name]:not(select):visible").evaluate_all(
            "all => all.forEach((each) => { each.value = ''; })"
        )
        english.locator(f".ts-ask [name={name}]").fill(text)
        english.wait_for_function(
            f"document.querySelector('{SAID}').textContent.includes('{text}')"
        )
    told = english.locator(SAID).text_content()
    english.locator(".ts-ask__wide").click()
    english.wait_for_timeout(500)
    at = english.url
    japanese = desktop.open("ja/")
    japanese.locator(".ts-ask [name=budget]").fill("１，０５０．５")
    japanese.locator(".ts-ask__wide").click()
    japanese.wait_for_url("**/costs/**")

    assert told == "Budget, USD: 3,50 is not a valid number." and "costs" not in at
    assert "budget=1050.5" in japanese.url


@each_language("en")
def test_a_question_asked_at_home_is_answered_on_the_page_of_costs(
    desktop: Watched, no_javascript: Watched, language: str
) -> None:
    """The workload, its target and the limits go along in the address; without a script a link leads to the
    page of costs, which says whose answer it has.
    """
    page = desktop.open(f"{language}/")
    form = page.locator(".ts-ask:not(.ts-ask--two)")
    form.locator("[name=workload]").select_option("wrn28-10-cifar10")
    targets = form.locator("[name=target] option").evaluate_all(
        "all => all.map((one) => one.value)"
    )
    form.locator("[name=target]").select_option(targets[0])
    form.locator("[name=budget]").fill("50.5")
    form.locator("button").click()
    page.locator("#calculator form").wait_for()
    fields = ready(page).locator("#calculator form")
    plain = no_javascript.open(f"{language}/")
    assert plain.locator(".ts-ask button").first.is_hidden()  # nothing would answer what is asked
    plain.locator(".ts-home__ask > p > a").click()
    plain.wait_for_url("**/costs/**")

    assert fields.locator("[name=workload]").input_value() == "wrn28-10-cifar10"
    assert fields.locator("[name=target]").input_value() == targets[0]
    assert len(targets) > 1
    written = "50,5" if language in {"ru", "es"} else "50.5"
    assert fields.locator("[name=budget]").input_value() == written
    assert fields.locator("[name=deadline]").input_value() == ""
    assert "ResNet-50" in (plain.locator("#calculator .ts-note").first.text_content() or "")
    assert plain.locator(".ts-costs__sentence").first.is_visible()


@pytest.mark.parametrize("chart", [COSTS, TARGET, THROUGHPUT, "seeds-spread"])
@each_language("en", "ja")
def test_a_chart_is_in_sight_on_its_own_page(desktop: Watched, language: str, chart: str) -> None:
    """What it says is the page's heading, and the chart follows it, before and after it is alive."""
    page = desktop.open(f"{language}/c/{chart}/")
    first = top(page)
    page.locator('.ts-figure[data-state="interactive"]').wait_for()

    assert page.locator("h1.ts-headline").inner_text().strip()
    assert first == top(page) <= OWN_CHART_AT


def test_paper_has_light_pictures(desktop: Watched) -> None:
    """Whatever the screen's scheme."""
    desktop.page.emulate_media(color_scheme="dark")
    page = desktop.open("en/")
    light, other = (page.locator(f".ts-picture .ts-{theme}").first for theme in ("light", "dark"))
    screen = (light.is_visible(), other.is_visible())
    page.emulate_media(media="print")

    assert screen == (False, True)
    assert (light.is_visible(), other.is_visible()) == (True, False)
