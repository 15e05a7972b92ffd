"""Pages fit windows of any width, in every language."""

from tests.browser import pseudo
from tests.browser.sites import each_language
from tests.browser.visitor import REPORT, Watched, sideways

WIDTHS = (360, 390, 768, 1000, 1219, 1220, 1230, 1240, 1250, 1267, 1280, 1600)
"""Phones, tablets, and desks around the width from which the sections stand in a row in the
header.
"""

HIDDEN = """() => [...document.querySelectorAll('.ts-top__nav')]
  .reduce((most, list) => Math.max(most, list.scrollWidth - list.clientWidth), 0)"""
"""Pixels of the sections' row that are out of sight."""


@each_language("en", "ja", pseudo.LONGER)
def test_no_page_is_wider_than_its_window(desktop: Watched, language: str) -> None:
    """Neither the page nor the row of sections in it scrolls sideways."""
    wide = {}
    for path in ("", REPORT):
        page = desktop.open(f"{language}/{path}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            if over := max(sideways(page), int(page.evaluate(HIDDEN))):
                wide[path, width] = over

    assert not wide
