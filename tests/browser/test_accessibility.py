"""Nothing that axe-core calls serious or critical, on a page of each kind in each language."""

import pytest
from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it brings no types
from playwright.sync_api import Page

from tests.browser.visitor import LANGUAGES, REPORT, TEMPLATES, THROUGHPUT, Watched, embed, live

PAGES = [*(f"{language}/{path}" for language in LANGUAGES for path in TEMPLATES), "", "404.html", *map(embed, LANGUAGES)]
AXE = """async (contrast) => (await axe.run({resultTypes: ["violations"], rules: {"color-contrast": {enabled: contrast}}})).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id}: ${found.help}: ${found.nodes.map((node) => node.target.join(" ")).slice(0, 5).join(" | ")}`)"""


def _findings(page: Page, *, contrast: bool = True) -> list[str]:
    page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(AXE, contrast)
    return found


@pytest.mark.parametrize("path", PAGES)
def test_no_serious_finding(desktop: Watched, path: str) -> None:
    """As the page opens, in light. Contrast, most of the work, is looked at in one language: colours are the same in all."""
    assert not _findings(desktop.open(path), contrast=not path.startswith(("ru", "ja", "es")))


@pytest.mark.parametrize("path", ["", "404.html", embed("ru"), *(f"ru/{path}" for path in TEMPLATES)])
def test_no_serious_finding_in_dark(desktop: Watched, path: str) -> None:
    """For a reader whose device is dark."""
    desktop.page.emulate_media(color_scheme="dark")

    assert not _findings(desktop.open(path))


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
