"""Nothing that axe-core calls serious or critical, and no English, on a page of each kind in each
language.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from axe_playwright_python.base import AXE_SCRIPT  # type: ignore[import-untyped]  # it brings no types
from playwright.sync_api import Page

from site_src import locales
from tests.browser.sites import each_language
from tests.browser.visitor import READ_TEXTS, REPORT, TEMPLATES, THROUGHPUT, Watched, embed, live

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

STRINGS = Path(locales.__file__).parents[1] / "strings"
NAMES = {"Habr", "JPY"}
"""Names that sources print, and that a language may write otherwise where it speaks of a place to
post to; the code of a currency.
"""

EVERY: Mapping[str, object] = {}
WITHOUT_COLOURS = {"rules": {rule: {"enabled": False} for rule in COLOURS}}
COLOURS_ALONE = {"runOnly": list(COLOURS)}


def _findings(page: Page, rules: Mapping[str, object] = EVERY) -> list[str]:
    page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(AXE, rules)
    return found


def _kinds(language: str) -> list[str]:
    """A page of each kind, and a frame."""
    return ["", "404.html", embed(language), *(f"{language}/{path}" for path in TEMPLATES)]


def _texts(language: str) -> set[str]:
    """What the strings of a language say, as it may stand alone."""
    (locale,) = locales.load(STRINGS, [language])
    forms = (
        form
        for text in locale.strings.values()
        for form in ([text] if isinstance(text, str) else text.values())
    )
    # a unit says with {n} where the number stands; in charts it stands alone
    plain = (re.sub(r"\s+", " ", form.replace("{n}", "")).strip() for form in forms)
    return {text for text in plain if text and "{" not in text} - NAMES


COLOURED: Mapping[str, Literal["light", "dark"]] = {"en": "light", "ja": "dark"}
"""Languages in which colours are looked at, in one scheme each: they are the same in all, and all
that differs between the two.
"""


@each_language()
def test_a_page_of_each_kind_is_for_everyone_in_its_language(
    desktop: Watched, language: str
) -> None:
    """As the pages open, axe finds nothing serious; no text and no label of a language is an English
    string that it says otherwise.
    """
    desktop.page.emulate_media(color_scheme=COLOURED.get(language, "light"))
    english = _texts("en") - _texts(language)
    wrong: dict[str, list[str]] = {}
    for path in _kinds(language):
        page = desktop.open(path)
        found = _findings(page, WITHOUT_COLOURS)
        if path.startswith(f"{language}/"):
            found += sorted(english.intersection(page.evaluate(READ_TEXTS)))
        if language in COLOURED:
            page.evaluate(CLEAR_REPEATED)
            found += _findings(page, COLOURS_ALONE)
        if found:
            wrong[path] = found

    assert not wrong


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
