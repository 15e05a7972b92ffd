"""Two accelerators are chosen, by whatever name and in either order, and their page answers."""

import re

import pytest

from tests.browser.sites import each_language
from tests.browser.visitor import PAIR, Watched

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
