"""What a browser fetches for a chart in a frame and a report, against a page by Altair; for the
table of all results, in which it filters; and for the first query of the search.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator, Sequence
from itertools import compress
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

import vl_convert
from playwright.sync_api import Browser

from site_src.charts.runtime import node_and_npm
from tests.perf.standing import EMBED, PLAIN, REPORT, Standing, browsing, standing, zipped

RUNTIME: Final = "/assets/touchstone-runtime."
BUNDLE: Final = "bundle.js"
EXPLORE: Final = "en/explore/"

RUNTIME_AIM: Final = 0.55
"""In brotli over vl-convert's bundle."""

EMBED_AIM_KB, REPORT_AIM_KB, EXPLORE_AIM_KB = 15, 250, 1000
"""In gzip, of the first two without the charts' runtime."""

FILTER_AIM_MS: Final = 100
SLOWER: Final = 4
"""How many times slower a phone is taken to be than this machine."""

FILTER: Final = """async () => {
  const select = document.querySelector("#explore select[name=workload]");
  const taken = [];
  for (const value of ["resnet50-imagenet", "", "bert-wikipedia", "", "resnet50-imagenet"]) {
    const start = performance.now();
    select.value = value;
    select.dispatchEvent(new Event("change", { bubbles: true }));
    taken.push(performance.now() - start);
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)));
  }
  return taken.sort((a, b) => a - b)[2];
}"""
"""Milliseconds until the rows that are left stand there, the median of five choices."""

SEARCH_AIM_KB: Final = 150
QUERY_AIM_MS: Final = 50

QUERY: Final = """async () => {
  document.querySelector("[data-ts-search]").click();
  while (!window.touchstoneFind) await new Promise((then) => setTimeout(then, 20));
  await new Promise((then) => setTimeout(then, 1000));
  const start = performance.now();
  window.touchstoneFind("DGX-1");
  return performance.now() - start;
}"""
"""Milliseconds of the first query, once the search stands open."""

BROTLI: Final = """
const zlib = require("zlib"), fs = require("fs");
const size = (path) => zlib.brotliCompressSync(fs.readFileSync(path)).length;
console.log(JSON.parse(fs.readFileSync(0, "utf8")).map(size).reduce((a, b) => a + b, 0));
"""
"""Node's brotli has quality 11 where nothing else is said."""


class Weight(NamedTuple):
    """Bytes by gzip -9 and by brotli 11, and requests."""

    gzip: int
    brotli: int
    requests: int

    def __str__(self) -> str:
        plural = "" if self.requests == 1 else "s"
        return (
            f"{self.gzip / 1000:.1f} KB gzip, {self.brotli / 1000:.1f} KB brotli, "
            f"{self.requests} request{plural}"
        )


def rows(folder: Path, _given: argparse.Namespace) -> Iterator[str]:
    """Bytes and requests, then the times of a filter and of a query."""
    stands = standing(folder)
    with browsing() as browser:
        embed, plain = (_fetched(browser, stands, path)[1] for path in (f"{EMBED}?lang=en", PLAIN))
        first, scrolled = _fetched(browser, stands, REPORT)
        explored = _fetched(browser, stands, EXPLORE)[0]
        filtered = _taken(browser, f"{stands.address}/{EXPLORE}", FILTER)
        asked = _taken(browser, f"{stands.address}/{EXPLORE}", QUERY)
    (stands.site / BUNDLE).write_text(vl_convert.javascript_bundle(snippet=None), encoding="utf-8")  # type: ignore[arg-type] # the stub forgets None
    yield from compared(stands.site, embed, plain, first, scrolled)
    table = weight(stands.site, explored)
    yield f"{EXPLORE}: {table}; {_aim(table.gzip / 1000, EXPLORE_AIM_KB, ' KB gzip')}"
    aim = _aim(filtered, FILTER_AIM_MS, " ms")
    yield f"a filter there, on a phone with a CPU {SLOWER} times slower: {filtered:.0f} ms; {aim}"
    index = weight(stands.site, ["/search/en.js"])
    yield f"the search at first: {index}; {_aim(index.gzip / 1000, SEARCH_AIM_KB, ' KB gzip')}"
    yield f"its first query there: {asked:.0f} ms; {_aim(asked, QUERY_AIM_MS, ' ms')}"


def _taken(browser: Browser, address: str, script: str) -> float:
    page = browser.new_page(viewport={"width": 390, "height": 844})
    slow = page.context.new_cdp_session(page)
    slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
    page.goto(address)
    page.wait_for_selector(".ts-explore__table tbody a")
    page.wait_for_timeout(1000)
    found: float = page.evaluate(script)
    page.close()
    return found


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
    without = [path for path in embed if path not in runtime]
    base, whole, light, start, end, program, bundle = (
        weight(site, paths) for paths in (plain, embed, without, first, scrolled, runtime, [BUNDLE])
    )
    share = program.brotli / bundle.brotli
    yield f"the chart by altair.Chart.save(inline=True), vl-convert's bundle inside: {base}"
    over = whole.brotli / base.brotli
    yield f"its embed with the runtime: {whole}; brotli over Altair's page: {over:.3f}"
    aim = _aim(light.gzip / 1000, EMBED_AIM_KB, " KB gzip")
    yield f"its embed without the runtime: {light}; {aim}"
    yield (
        f"the runtime: {program}; vl-convert's bundle: {bundle}; brotli of the two: {share:.3f}; "
        f"{_aim(share, RUNTIME_AIM)}"
    )
    aim = _aim(start.gzip / 1000, REPORT_AIM_KB, " KB gzip")
    yield f"{REPORT} at first sight, before any chart's runtime: {start}; {aim}"
    over = end.brotli / base.brotli
    yield f"{REPORT} with all charts drawn: {end}; brotli over Altair's page of one: {over:.3f}"


def _aim(found: float, most: float, unit: str = "") -> str:
    """Whether a size, which does not vary, is what was aimed at."""
    return f"aim: {most:g}{unit} or less: {'reached' if found <= most else 'missed'}"


def weight(site: Path, addresses: Sequence[str]) -> Weight:
    """The weight of the requested files, each once.

    Raises:
        FileNotFoundError: One of them is not there: what a page asks for in vain must not look
            light.
    """
    paths = (site / unquote(urlsplit(each).path).lstrip("/") for each in addresses)
    files = list(dict.fromkeys(path / "index.html" if path.is_dir() else path for path in paths))
    gzipped = sum(len(zipped(file, file.stat().st_mtime_ns)) for file in files)
    node = [str(node_and_npm()[0]), "-e", BROTLI]
    given = json.dumps([str(file) for file in files])
    brotli = subprocess.run(node, input=given, stdout=subprocess.PIPE, text=True, check=True)
    return Weight(gzipped, int(brotli.stdout), len(files))


def _fetched(browser: Browser, stands: Standing, path: str) -> tuple[list[str], list[str]]:
    """Paths that a page asks for at first, and after scrolling, when every chart has drawn."""
    page = browser.new_page(viewport={"width": 1280, "height": 900})
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(f"{stands.address}/{path}", wait_until="networkidle")
    first = len(asked)
    height = page.evaluate("document.documentElement.scrollHeight")
    for place in range(0, height, 600):
        page.evaluate(f"window.scrollTo(0, {place})")
        page.wait_for_timeout(100)
    page.wait_for_load_state("networkidle")
    page.close()
    own = [urlsplit(url).path if url.startswith(stands.address) else "" for url in asked]
    # browsers look for an icon of their own accord
    kept = [bool(path) and path != "/favicon.ico" for path in own]
    return [*compress(own[:first], kept)], [*compress(own, kept)]
