"""How soon a phone on a slow network shows a chart and lets one touch it, against Altair."""

import argparse
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Final

from playwright.sync_api import Browser, ViewportSize

from tests.perf.measures import against, estimate, interleaved, ratio
from tests.perf.standing import EMBED, PAGE, PLAIN, REPORT, browsing, standing

ROUNDS: Final = 7
SLOW: Final = {
    "offline": False,
    "latency": 150,
    "downloadThroughput": 1.6e6 / 8,
    "uploadThroughput": 750e3 / 8,
}
"""Slow 4G: milliseconds that each request waits, bytes a second. Chromium slows its own side down;
the server is on this machine.
"""

CPU: Final = 4
SCREEN: Final[ViewportSize] = {"width": 390, "height": 844}
AIM_S: Final = 1.0
LONGEST_MS: Final = 60_000
SETTLED_MS: Final = 300

SIDES: Final = {"altair": PLAIN, "embed": f"{EMBED}?lang=en", "page": PAGE, "report": REPORT}
NAMES: Final = {
    "altair": "a page by altair.Chart.save(inline=True)",
    "embed": "the embed",
    "page": "the chart's own page",
    "report": "a report",
}
WHAT: Final = {
    "paint": "first paint",
    "largest": "largest paint",
    "picture": "picture",
    "interactive": "interactive chart",
}

WATCH: Final = """
(() => {
  const seen = (window.touchstoneSeen = {});
  const watch = (type, take) => new PerformanceObserver((list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
  watch("paint", (entry) => { if (entry.name === "first-contentful-paint") seen.paint = entry.startTime; });
  watch("largest-contentful-paint", (entry) => { seen.largest = entry.startTime; });
  watch("element", (entry) => { seen.picture ??= entry.renderTime; });
  new MutationObserver(() => {
    for (const image of document.querySelectorAll(".ts-picture img:not([elementtiming])")) image.setAttribute("elementtiming", "picture");
    if (seen.drawn || !document.querySelector('.ts-figure[data-state="interactive"], .vega-embed :is(canvas, svg.marks)')) return;
    seen.drawn = true;
    requestAnimationFrame(() => setTimeout(() => { seen.interactive = performance.now(); }));
  }).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-state"] });
})();
"""
"""When a picture and when a live chart are on the screen; Altair's page has no picture before its
chart.
"""


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Seconds of each side, and over Altair's."""
    rounds = given.rounds or (1 if given.tiny else ROUNDS)
    stands = standing(folder)
    with browsing() as browser:
        visits = {
            name: partial(visit, browser, f"{stands.address}/{path}", draws=name != "report")
            for name, path in SIDES.items()
        }
        for warm in visits.values():
            warm()  # the server has compressed each file once
        found = interleaved(rounds, **visits)
    yield (
        f"medians of {rounds} visits in turns, nothing cached; {CPU}x CPU, 1.6 Mbit/s down, 750 "
        "kbit/s up, 150 ms a request, 390x844"
    )
    yield from compared(found)


def compared(found: Mapping[str, list[Mapping[str, float]]]) -> Iterator[str]:
    """The rows, of what was seen in each visit."""
    for name, seen in found.items():
        medians = ", ".join(
            f"{what} {estimate([each[key] for each in seen]).value:.2f} s"
            for key, what in WHAT.items()
            if key in seen[0]
        )
        yield f"{NAMES[name]}: {medians}"
    for name in ("embed", "page"):
        for key in ("picture", "interactive"):
            ours, theirs = ([each[key] for each in found[side]] for side in (name, "altair"))
            yield f"{NAMES[name]}: {WHAT[key]}, over Altair's: {ratio(ours, theirs)}"
    for name in ("embed", "page", "report"):
        pictures = estimate([each["picture"] for each in found[name]])
        yield f"{NAMES[name]}: seconds to the picture: {against(pictures, most=AIM_S)}"


def visit(browser: Browser, address: str, *, draws: bool) -> Mapping[str, float]:
    """Seconds from asking to what a page shows; `draws` where a chart is in sight."""
    context = browser.new_context(
        viewport=SCREEN, device_scale_factor=2, is_mobile=True, has_touch=True
    )
    page = context.new_page()
    page.add_init_script(WATCH)
    devtools = context.new_cdp_session(page)
    devtools.send("Network.enable")
    devtools.send("Network.emulateNetworkConditions", SLOW)
    devtools.send("Emulation.setCPUThrottlingRate", {"rate": CPU})
    page.goto(address, wait_until="load", timeout=LONGEST_MS)
    page.wait_for_function(
        f"touchstoneSeen.{'interactive' if draws else 'picture'}", timeout=LONGEST_MS
    )
    page.wait_for_timeout(SETTLED_MS)
    seen = page.evaluate("touchstoneSeen")
    context.close()
    seen.setdefault("picture", seen.get("interactive"))
    return {key: seen[key] / 1000 for key in WHAT if key in seen}
