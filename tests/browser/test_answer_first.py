"""Where the answer of a page begins on a screen, and how long the page is."""

from typing import Any, Final

import pytest

from tests.browser.sites import each_language
from tests.browser.visitor import REPORT, Watched

HIGHEST: Final = 500
"""Px from the top at which the first chart of a workload or a system begins at the latest, at
1280 px.
"""

TOLD = """() => {
  const main = document.querySelector("article") || document.querySelector("main");
  const words = main.cloneNode(true);
  for (const one of words.querySelectorAll("table, figure, .ts-figure, script, noscript, style")) one.remove();
  const top = (name) => main.querySelector(name).getBoundingClientRect().top + scrollY;
  return {
    height: document.documentElement.scrollHeight,
    words: words.textContent.split(/\\s+/).filter(Boolean).length,
    finding: top(".ts-short"),
  };
}"""
"""Height of a report, its words outside charts and tables, where its conclusion begins."""


@each_language()
@pytest.mark.parametrize(("workload", "figures"), [("resnet50-imagenet", 2), ("cnn10-cifar10", 0)])
def test_a_workload_begins_with_a_chart(
    desktop: Watched, language: str, workload: str, figures: int
) -> None:
    """Below title and lead stands the chart that ranks, before every section, with its choices
    below it; beside the title what costs least, with its time, where more than limits are known.
    """
    page = desktop.open(f"{language}/workloads/{workload}/")

    page.locator('.ts-figure[data-state="interactive"]').first.wait_for()
    first = page.locator(".ts-figure .ts-picture").first.bounding_box()
    section = page.locator("main section > h2, article section > h2").first.bounding_box()

    assert first is not None and section is not None
    assert first["y"] <= HIGHEST
    assert first["y"] < section["y"]
    assert page.locator(".ts-cheapest data").count() == figures


@each_language("en", "ja")
def test_a_system_begins_with_its_place_among_all_others(desktop: Watched, language: str) -> None:
    """A picture, which is a table for those who do not see it, above every section; no wider than
    a phone.
    """
    page = desktop.open(f"{language}/systems/cloud-tpu-v2-8/")
    first = page.locator(".ts-ranks").bounding_box()
    rows = page.locator(".ts-ranks tbody tr")
    section = page.locator("section > h2").first.bounding_box()
    page.set_viewport_size({"width": 360, "height": 740})
    narrow = page.locator(".ts-ranks").bounding_box()

    assert first is not None and section is not None and narrow is not None
    assert first["y"] <= HIGHEST and first["y"] < section["y"]
    assert rows.count() == rows.locator("svg[aria-hidden=true]").count() > 1
    assert rows.locator("td:last-child data").count() == 3 * rows.count(), (
        "place, of how many, figure"
    )
    assert narrow["x"] + narrow["width"] <= 360


@each_language("en", "ja")
def test_a_report_is_short_and_begins_with_its_finding(desktop: Watched, language: str) -> None:
    """On a wide screen and on a phone; all else is in its details."""
    page = desktop.open(f"{language}/{REPORT}")
    wide: dict[str, Any] = page.evaluate(TOLD)
    page.set_viewport_size({"width": 390, "height": 844})
    tall = page.evaluate("document.documentElement.scrollHeight")

    assert wide["height"] <= 6000 and wide["finding"] <= 300
    assert wide["words"] <= 900
    assert tall <= 11000
