"""Two are chosen, by whatever name and in either order, and their page answers; those that have no
page are compared in the browser.
"""

import html
import re
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser

from tests.browser.sites import each_language
from tests.browser.visitor import LOGGED, PAIR, RUN, Watched, say

NAMES = [("A30", "NVIDIA V100"), ("v100", "a30"), ("Tesla V100", "nvidia a30")]


@pytest.mark.parametrize(("a", "b"), NAMES)
@each_language("en")
def test_both_orders_lead_to_one_page(desktop: Watched, language: str, a: str, b: str) -> None:
    """By what is typed at home: two names and a click, and there is the ratio."""
    page = desktop.open(f"{language}/")
    form = page.locator(".ts-ask--two")
    form.locator("[name=a]").fill(a)
    form.locator("[name=b]").fill(b)
    form.locator("button").click()
    page.wait_for_url(re.compile(rf"/{PAIR}(index\.html)?$"))

    assert page.locator("h1 data").count() >= 3
    assert page.locator(".ts-vs tbody tr").first.locator("b data").count() == 1


@each_language("en", "ja")
def test_two_without_a_shared_workload_are_told_so(desktop: Watched, language: str) -> None:
    """With what each of them trained; and a name that nobody knows is named."""
    page = desktop.open(f"{language}/compare/?a=A30&b=K80")
    said = page.locator("[data-ts-answer] p")
    said.first.wait_for()
    told = said.all_text_contents()
    page = desktop.open(f"{language}/compare/?a=A30&b=xyzzy")
    page.locator("[data-ts-answer] p").first.wait_for()

    assert len(told) == 3
    assert "A30" in told[0] and "K80" in told[0]
    assert "ResNet-50" in told[1]
    assert "xyzzy" in page.locator("[data-ts-answer]").inner_text()
    assert "/compare/" in page.url


@each_language("en", "ja")
def test_a_name_that_is_taken_for_another_is_told(desktop: Watched, language: str) -> None:
    """V100 has nothing in common with the T4, and one of its forms has: the page says which."""
    page = desktop.open(f"{language}/compare/?a=V100&b=T4")
    told = page.locator("[data-ts-answer] > .ts-note").first
    told.wait_for()
    said = told.inner_text().replace("\u00a0", " ")

    assert page.url.endswith("/compare/?a=t4&b=v100-pcie")
    assert said == say(language, "versus.taken", asked="V100", name="V100 PCIe")


@each_language("en")
def test_a_name_that_every_object_has_is_none_of_ours(desktop: Watched, language: str) -> None:
    """Nor does a sign that a replacement would read change what is said of it."""
    for name in ("constructor", "$&", "toString"):
        page = desktop.open(f"{language}/compare/?a={quote(name)}&b=v100")
        said = page.locator("[data-ts-answer] p")
        said.first.wait_for()

        assert said.count() == 1
        assert said.first.inner_text() == say(language, "versus.unknown", name=name)


@each_language("en")
def test_a_file_that_does_not_come_is_told(browser: Browser, address: str, language: str) -> None:
    """Instead of an empty page; what was asked stays in the form."""
    page = browser.new_page()
    page.route("**/compare/results.js*", lambda route: route.abort())
    page.goto(f"{address}/{language}/compare/?a=A30&b=K80")
    said = page.locator("[data-ts-answer] p")
    said.first.wait_for()

    assert said.first.inner_text() == say(language, "ui.not_loaded")
    assert page.locator(".ts-ask--two [name=a]").input_value() == "A30"
    page.close()


@each_language("en", "ja")
def test_what_one_source_has_of_both_is_compared(desktop: Watched, language: str) -> None:
    """With the way to its report, its figures and their ratio; whichever is asked for first."""
    page = desktop.open(f"{language}/compare/?a=k80&b=t4")
    table = page.locator(".ts-vs").first
    table.wait_for()

    assert table.locator('a[href*="/catalyst-cost/"]').count() == 2
    assert table.locator('a[href*="/results/catalyst-cost-"]').count() == 4
    assert table.locator("tbody tr").first.locator("b").inner_text().endswith(("×", "倍"))


@each_language("en", "ja")
def test_two_results_of_one_source_have_their_ratio(desktop: Watched, language: str) -> None:
    """3,186 against 3,128 images a second; without a shared source each has its figure alone."""
    ids = [f"tpuv2-v100-{one}-synthetic-1024" for one in ("v100-tensorflow", "tpu")]
    page = desktop.open(f"{language}/compare/?a={ids[0]}&b={ids[1]}")
    page.locator(".ts-vs").first.wait_for()
    row = page.locator(".ts-vs").first.locator("tbody tr").first

    assert re.search(r"\b1[.,]02", row.inner_text())
    assert row.locator('a[href*="/results/tpuv2-v100-"]').count() == 2


SAID = {
    "en": r"^8 × A30 trained ResNet-50 1\.96 times as fast as DGX-1 .* \(MLPerf v3\.1 vs v0\.6\)$",
    "ru": r"^ResNet-50: обучение на 8 × A30 в [\d,]+ раза быстрее, чем на DGX-1 .*$",
    "ja": r"^ResNet-50の訓練は、8 × A30ならDGX-1 .*の1\.96倍の速さ.*$",
    "es": r"^8 × A30 entrenó ResNet-50 a [\d,]+ veces la velocidad de DGX-1 .*$",
}
"""Of the whole record, which has newer results of the A30, without the ratio."""


@each_language("en", "ja")
def test_a_system_and_an_accelerator_are_compared_in_either_order(
    desktop: Watched, language: str
) -> None:
    """At one address, with the sentence as title, a bar and the ways to both results."""
    asked = (("A30", "nvidia-dgx-1"), ("DGX-1 (8 × V100)", "a30"))
    found = []
    for a, b in asked:
        page = desktop.open(f"{language}/compare/?a={quote(a)}&b={quote(b)}")
        page.locator(".ts-vs svg").wait_for()
        found.append((page.url, page.locator("h1").inner_text().replace("\u00a0", " ")))

    assert found[0] == found[1]
    assert found[0][0].endswith("/compare/?a=a30&b=nvidia-dgx-1")
    assert re.match(SAID[language], found[0][1])
    assert page.title().startswith(page.locator("h1").inner_text()[:9])
    rows = page.locator(".ts-vs").first.locator("tbody tr").count()
    assert rows and page.locator('.ts-vs a[href*="/results/mlperf-"]').count() == 2 * rows
    assert page.locator("[data-ts-choice]:visible").count() == 0
    assert page.evaluate("document.documentElement.lang") == language


@each_language("en", "ja")
def test_results_stand_side_by_side_at_their_address(phone: Watched, language: str) -> None:
    """The first is the base; a result without a score has its speed and no ratio."""
    ids = [one.removeprefix("results/").rstrip("/") for one in (LOGGED, RUN)]
    third = "mlperf-v0.6-google-tpu-v3-32-resnet"
    page = phone.open(f"{language}/compare/?with={','.join((third, *ids))}")
    page.locator(".ts-vs--many").wait_for()
    heads = page.locator(".ts-vs--many thead th")
    cells = page.locator(".ts-vs--many tbody tr").first.locator("td")

    assert (heads.count(), cells.count()) == (4, 3)
    assert not cells.nth(2).locator("b").count()
    assert page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
    assert page.url.endswith(f"?with={','.join((third, *ids))}")


@each_language("en")
def test_a_system_leads_to_its_comparison_with_another(desktop: Watched, language: str) -> None:
    """And a row of a ranking to that with the first of it."""
    page = desktop.open(f"{language}/systems/nvidia-dgx-1/")
    page.locator('a[href*="?a=nvidia-dgx-1"]').click()
    field = page.locator(".ts-ask--two [name=a]")
    page.wait_for_function("document.querySelector('.ts-ask--two [name=a]').value.includes('DGX')")
    page.locator(".ts-ask--two [name=b]").fill("A30")
    page.locator(".ts-ask--two button").click()
    page.locator(".ts-vs svg").wait_for()
    chosen = page.locator("h1").inner_text()
    page = desktop.open(f"{language}/workloads/resnet50-imagenet/")
    page.locator('a[href*="?a=mlperf-"][href*="&b=mlperf-"]').first.click()
    page.locator(".ts-vs").first.wait_for()

    assert "DGX-1" in chosen and "A30" in chosen
    assert field.count() == 1
    assert "ResNet-50" in page.locator("h1").inner_text()


@each_language("en", "ja")
def test_what_two_come_to_is_shared_as_a_chart_is(desktop: Watched, language: str) -> None:
    """Of a page of two, and of two that the browser compares: by address, card and frame."""
    for asked in (PAIR, "compare/?a=a30&b=nvidia-dgx-1"):
        page = desktop.open(f"{language}/{asked}")
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        page.locator("button.ts-share").wait_for()
        if asked == PAIR:  # as where PNG are made
            page.evaluate("document.querySelector('button.ts-share').dataset.card = 'card.png'")
        page.locator("button.ts-share").click()
        page.locator(".ts-share-dialog").wait_for()
        page.locator("[data-share=theme]").select_option("dark")
        page.locator(".ts-share-copy").first.click()
        page.wait_for_function("document.querySelector('[data-share=said]').textContent")
        told = dict(
            page.locator("[data-way]").evaluate_all(
                "all => all.map((one) => [one.dataset.way, one.textContent])"
            )
        )
        sentence = page.locator("h1").evaluate("one => one.textContent.replace(/\u2060/g, '')")

        assert page.evaluate("navigator.clipboard.readText()") == told["link"] == page.url
        assert html.unescape(told["iframe"]).startswith(
            f'<iframe src="{page.url}{"&" if "?" in page.url else "?"}embed=dark" title="{sentence}"'
        )
        card = f"[![{sentence}]({page.url}card.png)]({page.url})"
        assert told.get("markdown") == (card if asked == PAIR else None)
        assert page.locator(".ts-tabs button").count() == len(told)


@each_language("en", "ja")
def test_a_comparison_in_a_frame_is_what_it_says_alone(desktop: Watched, language: str) -> None:
    """In the colours asked for, as high as it is, with the way to its page; the address of two that
    have a page leads to it there too.
    """
    for asked in (f"{PAIR}?embed=dark", "compare/?a=v100&b=a30&embed=dark"):
        page = desktop.open("404.html")
        page.evaluate(
            """([address, script]) => {
              const frame = Object.assign(document.createElement("iframe"), { src: address, height: 99 });
              frame.sandbox = "allow-scripts";
              document.body.append(frame, Object.assign(document.createElement("script"), { src: script }));
            }""",
            [f"{desktop.address}/{language}/{asked}", f"{desktop.address}/c/touchstone-frames.js"],
        )
        frame = page.frame_locator("iframe")
        frame.locator(".ts-vs svg").wait_for()
        page.wait_for_function("parseInt(document.querySelector('iframe').style.height) > 200")

        assert frame.locator("body").get_attribute("data-md-color-scheme") == "slate"
        home = frame.locator(".ts-top__home")
        assert home.evaluate("link => link.href").endswith(f"/{language}/{PAIR}")
        assert not frame.locator(".ts-footer:visible, .ts-tools:visible, h2:visible").count()
        assert frame.locator("h1:visible, .ts-vs:visible").count() == 2


@each_language("en")
def test_without_javascript_lists_lead_to_every_pair(no_javascript: Watched, language: str) -> None:
    """From the choice to the pairs that most ask for, or by the page of an accelerator to any."""
    page = no_javascript.open(f"{language}/compare/")
    page.locator('.ts-rows a[href*="-vs-"]').first.click()
    page.wait_for_url("**-vs-**")
    often = page.locator(".ts-vs tbody b").first.inner_text()
    page = no_javascript.open(f"{language}/compare/")
    page.locator('a[href*="/accelerators/a30/"]').click()
    for summary in page.locator(f'details:has(a[href*="/{PAIR}"]) > summary').all():
        summary.click()
    page.locator(f'a[href*="/{PAIR}"]').click()
    page.wait_for_url(f"**/{PAIR}**")

    assert often.endswith("×")
    assert page.locator(".ts-vs tbody b").first.inner_text().endswith("×")


@each_language("en", "ja")
def test_a_page_of_two_fits_a_phone(phone: Watched, language: str) -> None:
    """Nothing scrolls sideways, and each time has its accelerator's name beside it."""
    page = phone.open(f"{language}/{PAIR}")
    width = page.evaluate("document.documentElement.scrollWidth - innerWidth")
    names = page.locator(".ts-vs td[data-name]").evaluate_all(
        "all => all.map((each) => getComputedStyle(each, '::before').content)"
    )

    assert width <= 0
    assert names and all(len(name) > 2 for name in names)
