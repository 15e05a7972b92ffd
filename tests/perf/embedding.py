"""What a browser fetches for a chart in a frame and for a report, against the same chart on a page
by Altair.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

import vl_convert
from playwright.sync_api import Browser, sync_playwright

from tests.perf.serving import weight
from tests.perf.standing import EMBED, PLAIN, REPORT, Standing, chromium, standing

RUNTIME: Final = "/assets/touchstone-runtime."
BUNDLE: Final = "bundle.js"
QUIET: Final = ("--no-sandbox", "--disable-gpu", "--disable-background-networking")
RUNTIME_AIM: Final = 0.55
EMBED_AIM_KB: Final = 15
REPORT_AIM_KB: Final = 250
"""In brotli over vl-convert's bundle; in gzip without the charts' runtime."""


def rows(folder: Path) -> Iterator[str]:
    """Bytes and requests."""
    program = chromium()
    if program is None:
        yield "not measured: no chromium on the PATH"
        return
    stands = standing(folder)
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=program, args=QUIET)
        embed, plain = (_fetched(browser, stands, path)[1] for path in (f"{EMBED}?lang=en", PLAIN))
        first, scrolled = _fetched(browser, stands, REPORT)
        browser.close()
    (stands.site / BUNDLE).write_text(vl_convert.javascript_bundle(snippet=None), encoding="utf-8")  # type: ignore[arg-type] # the stub forgets None
    yield from compared(stands.site, embed, plain, first, scrolled)


def compared(
    site: Path,
    embed: Sequence[str],
    plain: Sequence[str],
    first: Sequence[str],
    scrolled: Sequence[str],
) -> Iterator[str]:
    """The rows, of the addresses that each page fetched."""
    runtime = [path for path in embed if path.startswith(RUNTIME)]
    if not runtime:
        raise RuntimeError(
            f"{EMBED} fetched no {RUNTIME}*: its chart did not become interactive, look at it in a "
            "browser"
        )
    base, whole, light = (
        weight(site, plain),
        weight(site, embed),
        weight(site, [path for path in embed if path not in runtime]),
    )
    start, end, program = weight(site, first), weight(site, scrolled), weight(site, runtime)
    bundle = weight(site, [BUNDLE])
    yield (
        f"the chart on a page by altair.Chart.save(inline=True), vl-convert's bundle inside: {base}"
    )
    yield (
        f"its embed with the runtime: {whole}; brotli over Altair's page: "
        f"{whole.brotli / base.brotli:.3f}"
    )
    yield (
        f"its embed without the runtime: {light}; "
        f"{aim(light.gzip / 1000, EMBED_AIM_KB, ' KB gzip')}"
    )
    share = program.brotli / bundle.brotli
    yield (
        f"the runtime: {program}; vl-convert's bundle: {bundle}; brotli of the two: "
        f"{share:.3f}; "
        f"{aim(share, RUNTIME_AIM)}"
    )
    yield (
        f"{REPORT} at first sight, before any chart's runtime: {start}; "
        f"{aim(start.gzip / 1000, REPORT_AIM_KB, ' KB gzip')}"
    )
    yield (
        f"{REPORT} scrolled to the end, all charts drawn: {end}; over Altair's page of one "
        f"chart: {end.brotli / base.brotli:.3f} brotli"
    )


def aim(found: float, most: float, unit: str = "") -> str:
    """Whether a size, which does not vary, is what was aimed at."""
    return f"aim: {most:g}{unit} or less: {'reached' if found <= most else 'missed'}"


def _fetched(browser: Browser, stands: Standing, path: str) -> tuple[list[str], list[str]]:
    """Paths that a page asks for at first sight, and after scrolling to its end, when every chart
    has drawn.
    """
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    found: list[str] = []
    page.on(
        "request",
        lambda request: (
            found.append(urlsplit(request.url).path)
            if request.url.startswith(stands.address)
            else None
        ),
    )
    page.goto(f"{stands.address}/{path}", wait_until="networkidle")
    first = list(found)
    height = page.evaluate("document.documentElement.scrollHeight")
    for place in range(0, height, 600):
        page.evaluate(f"window.scrollTo(0, {place})")
        page.wait_for_timeout(100)
    page.wait_for_load_state("networkidle")
    page.close()
    return [one for one in first if one != "/favicon.ico"], [
        one for one in found if one != "/favicon.ico"
    ]
