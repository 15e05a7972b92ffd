"""Nothing that axe-core calls serious or critical, on a page of each kind in each language."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it brings no types
from playwright.sync_api import Page

from tests.browser.visitor import LANGUAGES, REPORT, TEMPLATES, THROUGHPUT, Watched, embed, live

AXE = """async (contrast) => (await axe.run({resultTypes: ["violations"], rules: {"color-contrast": {enabled: contrast}}})).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id}: ${found.help}: ${found.nodes.map((node) => node.target.join(" ")).slice(0, 5).join(" | ")}`)"""


def _findings(page: Page, *, contrast: bool = True) -> list[str]:
    page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(AXE, contrast)
    return found


def _findings_by_page(watched: Watched, language: str, *, contrast: bool) -> dict[str, list[str]]:
    paths = ["", "404.html", embed(language), *(f"{language}/{path}" for path in TEMPLATES)]
    found = {path: _findings(watched.open(path), contrast=contrast) for path in paths}
    return {path: findings for path, findings in found.items() if findings}


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_serious_finding(desktop: Watched, language: str) -> None:
    """As the pages open, in light. Contrast, most of the work, is looked at in one language:
    colours are the same in all.
    """
    assert not _findings_by_page(desktop, language, contrast=language == "en")


def test_no_serious_finding_in_dark(desktop: Watched) -> None:
    """For a reader whose device is dark."""
    desktop.page.emulate_media(color_scheme="dark")

    assert not _findings_by_page(desktop, "ru", contrast=True)


def test_no_serious_finding_in_what_opens(desktop: Watched) -> None:
    """Interactive charts, the menu of languages and the search with its results."""
    page = desktop.open(f"es/{REPORT}?hide=aws-p3.8xlarge-mxnet")
    live(page, THROUGHPUT)
    page.locator(".ts-lang summary").click()
    opened = _findings(page)
    page.keyboard.press("/")
    page.keyboard.type("memoria")
    page.locator(".ts-search li a").first.wait_for()

    assert opened == []
    assert _findings(page) == []


def test_no_serious_finding_on_a_phone(phone: Watched) -> None:
    """The report with its menu open."""
    page = phone.open(f"ja/{REPORT}")
    closed = _findings(page)
    page.locator('header label[for="__drawer"]').tap()

    assert closed == []
    assert _findings(page) == []
