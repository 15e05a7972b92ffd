"""Nothing that axe-core calls serious or critical, on a page of each kind in each language."""

from collections.abc import Mapping

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it brings no types
from playwright.sync_api import Page

from tests.browser.sites import each_language
from tests.browser.visitor import REPORT, TEMPLATES, THROUGHPUT, Watched, embed, live

AXE = """async (rules) => (await axe.run({resultTypes: ["violations"], ...rules})).violations
  .filter((found) => ["serious", "critical"].includes(found.impact))
  .map((found) => `${found.id}: ${found.help}: ${found.nodes.map((node) => node.target.join(" ")).slice(0, 5).join(" | ")}`)"""
CLEAR_REPEATED = """() => {
  const seen = new Set();
  const kind = (element) => `${element.localName}.${element.className}[${element.getAttribute("style")}]`;
  for (const cell of document.querySelectorAll("main :is(td, th, li, dt, dd)")) {
    const kinds = [cell.parentElement, cell, ...cell.querySelectorAll("*")].map(kind);
    const found = [...new Set(kinds)].join(" ");
    if (seen.has(found)) cell.replaceChildren();
    seen.add(found);
  }
}"""
"""Empties a page's cells but the first of each kind, made of the same elements, classes and styles:
that is what colours go by.
"""
COLOURS = ("color-contrast", "link-in-text-block")
"""Rules that look at colours: most of the work."""

EVERY: Mapping[str, object] = {}
WITHOUT_COLOURS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
COLOURS_ALONE = {"runOnly": list(COLOURS)}


def _findings(page: Page, rules: Mapping[str, object] = EVERY) -> list[str]:
    page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(AXE, rules)
    return found


def _findings_by_page(
    watched: Watched, language: str, *rules: Mapping[str, object]
) -> dict[str, list[str]]:
    paths = ["", "404.html", embed(language), *(f"{language}/{path}" for path in TEMPLATES)]
    found: dict[str, list[str]] = {path: [] for path in paths}
    for path in paths:
        page = watched.open(path)
        for these in rules:
            if these is COLOURS_ALONE:
                page.evaluate(CLEAR_REPEATED)
            found[path] += _findings(page, these)
    return {path: findings for path, findings in found.items() if findings}


@each_language()
def test_no_serious_finding(desktop: Watched, language: str) -> None:
    """As the pages open, in light. Colours are looked at in one language: they are the same in
    all.
    """
    colours = [COLOURS_ALONE] if language == "en" else []

    assert not _findings_by_page(desktop, language, WITHOUT_COLOURS, *colours)


def test_no_serious_finding_in_dark(desktop: Watched) -> None:
    """For a reader whose device is dark; there colours are all that differs."""
    desktop.page.emulate_media(color_scheme="dark")

    assert not _findings_by_page(desktop, "ja", COLOURS_ALONE)


def test_no_serious_finding_in_what_opens(desktop: Watched) -> None:
    """Interactive charts, the menu of languages and the search with its results."""
    page = desktop.open(f"en/{REPORT}?hide=aws-p3.8xlarge-mxnet")
    live(page, THROUGHPUT)
    page.locator(".ts-lang summary").click()
    opened = _findings(page)
    page.keyboard.press("/")
    page.keyboard.type("memory")
    page.locator(".ts-search li a").first.wait_for()

    assert opened == []
    assert _findings(page) == []


def test_no_serious_finding_on_a_phone(phone: Watched) -> None:
    """The report, and with its menu open."""
    page = phone.open(f"ja/{REPORT}")
    closed = _findings(page, WITHOUT_COLOURS)
    page.locator('header label[for="__drawer"]').tap()

    assert closed == []
    assert _findings(page) == []
