"""Pages fit windows of any width, in every language."""

from tests.browser import pseudo
from tests.browser.sites import each_language
from tests.browser.visitor import REPORT, Watched, sideways

WIDTHS = (320, 360, 390, 768, 959, 960, 1000, 1219, 1220, 1230, 1240, 1250, 1267, 1280, 1600)
"""Phones, tablets, and desks around the widths from which the sections stand in the header."""

SYSTEM = "systems/nvidia-dgx-1/"
"""A light page."""

IN_HEADER = {"": 1220, REPORT: 1220, SYSTEM: 960}
"""Pixels from which the sections of a page stand in the line of its header."""

LINES = """() => new Set([...document.querySelectorAll('.ts-top__nav a')]
  .filter((link) => link.offsetParent).map((link) => link.offsetTop)).size"""
"""Lines of sections that are seen."""


@each_language("en", "ja", pseudo.LONGER)
def test_no_page_is_wider_than_its_window(desktop: Watched, language: str) -> None:
    """No page scrolls sideways; its sections stand in one line, or behind a button."""
    wrong = {}
    for path, least in IN_HEADER.items():
        page = desktop.open(f"{language}/{path}")
        for width in WIDTHS:
            page.set_viewport_size({"width": width, "height": 900})
            found = sideways(page), page.evaluate(LINES)
            if found != (0, int(width >= least)):
                wrong[path, width] = found

    assert not wrong


def test_all_pages_have_the_same_header(desktop: Watched) -> None:
    """Logo, name, sections and tools stand at the same places on full pages and on light ones."""
    full, light = (
        [
            part.bounding_box()
            for part in desktop.open(f"en/{path}").locator(HEADER).all()
            if part.is_visible()
        ]
        for path in ("", SYSTEM)
    )

    assert full == light and len(full) > 8
    assert all(box and box["width"] > 0 for box in full)


HEADER = "header :is(.ts-logo, .ts-top__home, .ts-top__nav a, .ts-tool)"


def test_the_sections_of_a_light_page_open_below_its_header(desktop: Watched) -> None:
    """On a tablet, by a button; what stands in the header stays where it is."""
    page = desktop.open(f"en/{SYSTEM}")
    page.set_viewport_size({"width": 768, "height": 900})
    home, links = page.locator(".ts-top__home"), page.locator(".ts-top__nav a")
    before = home.bounding_box()
    page.click(".ts-i-menu")
    tops = [box["y"] for link in links.all() if (box := link.bounding_box())]

    assert before and home.bounding_box() == before
    assert len(tops) == links.count() and min(tops) >= before["y"] + before["height"]


def test_what_one_jumps_to_is_in_sight(desktop: Watched) -> None:
    """Also where the header takes more than a line."""
    page = desktop.open(f"en/{REPORT}")
    last = page.locator("article h2[id]").last
    for width in (320, 390, 1280):
        page.set_viewport_size({"width": width, "height": 500})
        page.evaluate("location.hash = ''")
        page.evaluate(f"location.hash = '{last.get_attribute('id')}'")
        page.wait_for_function("scrollY > 500")
        assert last.evaluate(SEEN), width


SEEN = """(heading) => {
  const { left, top } = heading.getBoundingClientRect();
  return heading.contains(document.elementFromPoint(left + 5, top + 5));
}"""
