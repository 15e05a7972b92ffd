"""How soon a phone finds something: in the table of all results, and by the search."""

import argparse
import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from playwright.sync_api import sync_playwright

from tests.perf.serving import built, chromium

EXPLORE: Final = "en/explore/"
INDEX: Final = "search/en.js"

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

QUERY: Final = """async () => {
  document.querySelector("[data-ts-search]").click();
  while (!window.touchstoneFind) await new Promise((then) => setTimeout(then, 20));
  await new Promise((then) => setTimeout(then, 1000));
  const start = performance.now();
  window.touchstoneFind("DGX-1");
  return performance.now() - start;
}"""
"""Milliseconds of the first query, once the search stands open."""


AIMS: Final = (("a filter in the table", FILTER, 100), ("the first query", QUERY, 50))
"""In milliseconds."""


def rows(folder: Path, _given: argparse.Namespace) -> Iterator[str]:
    """The weight of the search's index, and the times."""
    site, address = built(folder)
    index = len(gzip.compress((site / INDEX).read_bytes(), 9)) / 1000
    yield f"the search at first: {index:.1f} KB gzip; aim: 150"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium())
        for name, script, aim in AIMS:
            page = browser.new_page(viewport={"width": 390, "height": 844})
            slow = page.context.new_cdp_session(page)
            slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            page.goto(f"{address}/{EXPLORE}")
            page.wait_for_selector(".ts-explore__table tbody a")
            page.wait_for_timeout(1000)
            taken = page.evaluate(script)
            yield f"{name}, with a CPU {SLOWER} times slower: {taken:.0f} ms; aim: {aim}"
        browser.close()
