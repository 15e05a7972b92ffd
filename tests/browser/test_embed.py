"""A chart in a frame on someone else's page."""

import pytest

from tests.browser.sites import each_language
from tests.browser.visitor import TARGET, THROUGHPUT, Watched, embed, live

DARK, LIGHT = "rgb(30, 33, 41)", "rgb(255, 255, 255)"


def test_language_theme_and_state_are_those_asked_for(desktop: Watched) -> None:
    """Japanese and dark: words, colours, and a link to the chart's own page in that language and
    state; no header, no menus.
    """
    page = desktop.open(embed("ja", TARGET, theme="dark", measure="hours", nonsense="1"))
    live(page, TARGET)
    link = page.locator("a.ts-home")

    assert page.evaluate(
        "[document.documentElement.lang, getComputedStyle(document.body).backgroundColor]"
    ) == ["ja", DARK]
    assert page.locator(".ts-controls select[data-key=measure]").input_value() == "hours"
    assert page.locator("header, nav, footer").count() == 0
    assert "Touchstone" in link.inner_text()
    assert link.evaluate("link => link.href").startswith(
        f"{desktop.address}/ja/c/{TARGET}/?measure=hours"
    )
    assert link.get_attribute("target") == "_blank"


@each_language()
def test_each_language_has_its_words(desktop: Watched, language: str) -> None:
    """The title of the tab is what the chart says, as the heading of the chart's own page."""
    own = desktop.open(f"{language}/c/{THROUGHPUT}/")
    title = own.locator("h1").inner_text().replace("\xa0", " ")
    page = desktop.open(embed(language))
    live(page, THROUGHPUT)

    assert page.title().replace("\xa0", " ") == title
    assert page.evaluate("document.documentElement.lang") == language


@pytest.mark.parametrize(
    "asked", ["", "lang=", "lang=tlh", "lang=en&theme=plaid&scale=cubic&hide=nobody&basis="]
)
def test_what_is_not_known_is_left_aside(desktop: Watched, asked: str) -> None:
    """A language that is not there becomes the first one, anything else its default."""
    page = desktop.open(f"c/{THROUGHPUT}/embed.html?{asked}")
    live(page, THROUGHPUT)

    assert page.evaluate(
        "[document.documentElement.lang, getComputedStyle(document.body).backgroundColor]"
    ) == ["en", LIGHT]
    assert page.locator(".ts-reset:visible").count() == 0


def test_it_works_in_a_sandboxed_frame_and_tells_its_height(desktop: Watched) -> None:
    """A host that allows scripts and nothing else gets an interactive chart, and messages with its
    id and height.
    """
    page = desktop.open("404.html")
    page.evaluate(
        """address => {
          window.told = [];
          addEventListener("message", (event) => told.push(event.data));
          const frame = Object.assign(document.createElement("iframe"), { src: address, width: 600, height: 700 });
          frame.sandbox = "allow-scripts";
          document.body.append(frame);
        }""",
        f"{desktop.address}/{embed('ja')}",
    )
    frame = page.frame_locator("iframe")
    frame.locator(".ts-live svg").wait_for()
    frame.locator('button[data-series="aws-p3.8xlarge-mxnet"]').click()
    frame.locator('button[aria-pressed="false"]').first.wait_for()

    told = page.evaluate("told")
    assert {message["chart"] for message in told} == {THROUGHPUT}
    assert 300 < told[-1]["height"] < 1500
