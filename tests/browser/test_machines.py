"""What machines are given, as a browser shows it: nothing of a badge is cut, nor of a chart in a
frame as high as oEmbed says.
"""

import json
from collections.abc import Iterator
from datetime import date
from itertools import chain
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page

from site_src.charts import runtime
from site_src.charts.drawn import Options
from site_src.pages.components import badges
from tests.browser.visitor import lay
from tests.site_src import drawing, recorded
from tests.site_src.outputs import newsworthy

CHARTS = ("tpuv2-v100-throughput", "tpuv2-v100-target", "digits-cnn-convergence")


@pytest.fixture(scope="module")
def folder(repository: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three charts and the badges of a report, as files."""
    client = runtime.build("full", repository / ".cache")
    options = Options(repository / ".cache", date(2026, 11, 20), draft=True)
    drawn = drawing.draw(
        [recorded.drawn()[id_] for id_ in CHARTS],
        [recorded.english()],
        client,
        options,
        recorded.archive().sources,
    )
    shown = badges.assets(newsworthy.site(), [recorded.english()])
    return lay(tmp_path_factory.mktemp("machines"), chain(drawing.assets(drawn, client), shown))


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    """A page as wide as a frame, and not high."""
    page = browser.new_page(viewport={"width": 760, "height": 100})
    yield page
    page.close()


@pytest.mark.parametrize("chart", CHARTS)
def test_a_frame_as_high_as_oembed_says_cuts_nothing(chart: str, folder: Path, page: Page) -> None:
    """With its controls and remarks, once it is interactive, the chart fits, and leaves no half
    screen empty.
    """
    said = json.loads((folder / "c" / chart / "oembed.en.json").read_text(encoding="utf-8"))

    page.goto(f"file://{folder}/c/{chart}/embed.html?lang=en")
    page.wait_for_selector(".ts-controls:not([hidden]), .ts-legend:not([hidden])")
    height = page.evaluate("document.body.getBoundingClientRect().height")

    assert height <= said["height"] <= height + 150


def test_no_text_of_a_badge_is_squeezed(folder: Path, page: Page) -> None:
    """What a browser measures is what the badge was made for, within a fiftieth."""
    found = sorted((folder / "badges").rglob("*.svg"))
    assert found
    for path in found:
        page.goto(f"file://{path}")
        measured = page.evaluate(
            """() => [...document.querySelectorAll("text")].map((text) => {
              const wide = Number(text.getAttribute("textLength"));
              text.removeAttribute("textLength");
              return text.getComputedTextLength() / wide;
            })"""
        )
        assert all(0.98 < share_ < 1.02 for share_ in measured), (path.name, measured)
