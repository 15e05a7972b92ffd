"""The site opened as files from a disk, where a folder is a list of files; and what servers show of
the same links.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.visitor import REPORT, Watched

ASKED = "?workload=wrn28-10-cifar10#calculator"


@pytest.mark.parametrize("scripts", [True, False])
def test_links_from_a_disk_open_pages(browser: Browser, site: Path, scripts: bool) -> None:
    """From the chooser to a report, a result and back home, with JavaScript and without."""
    context = browser.new_context(java_script_enabled=scripts)
    page = context.new_page()
    page.goto((site / "index.html").as_uri())
    seen = []
    for link in (
        'a[hreflang="en"]',
        'article a[href*="reports/tpuv2-v100/"]',
        'article a[href*="results/tpuv2-"]',
        "a.ts-top__home",
    ):
        page.locator(f"{link}:visible").first.click()
        page.wait_for_load_state()
        seen.append(Path(page.url.partition("#")[0].removeprefix("file://")))
    context.close()

    assert seen[0] == seen[3] == site / "en" / "index.html"
    assert seen[1] == site / "en" / REPORT / "index.html"
    assert seen[2].is_relative_to(site / "en" / "results") and seen[2].name == "index.html"


def test_what_was_chosen_goes_along_from_a_disk(browser: Browser, site: Path) -> None:
    """To another language with the query, and a link that a script makes leads to a page too."""
    context = browser.new_context()
    page = context.new_page()
    page.goto(f"{(site / 'en' / 'costs' / 'index.html').as_uri()}{ASKED}")
    page.locator(".ts-lang summary").click()
    page.locator('.ts-lang a[hreflang="ja"]').click()
    page.wait_for_url(f"{(site / 'ja' / 'costs' / 'index.html').as_uri()}{ASKED}")

    page.keyboard.press("/")
    page.locator(".ts-search input").fill("DGX-1")
    page.locator(".ts-search li a").first.click()
    page.wait_for_url((site / "ja" / "systems" / "nvidia-dgx-1" / "index.html").as_uri())
    context.close()


def test_a_server_shows_the_promised_address(desktop: Watched) -> None:
    """The one without the file's name: whoever copies it hands on the address that search engines
    are told.
    """
    page = desktop.open("en/")
    page.locator('.ts-top__nav a[href$="costs/index.html"]').click()
    page.wait_for_url(f"{desktop.address}/en/costs/")
    page.goto(f"{desktop.address}/en/costs/index.html{ASKED}")
    page.wait_for_url(f"{desktop.address}/en/costs/{ASKED}")
