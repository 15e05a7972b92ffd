"""The site as a phone has it: Lighthouse's verdict on pages and what they fetch, and how soon
something is found.

Lighthouse's version is pinned, and those of the packages that it needs by the day on which they
were the newest. What npm has fetched stays in the cache folder.
"""

import argparse
import atexit
import gzip
import io
import json
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any, Final

from playwright.sync_api import sync_playwright

from kernels.analysis import stats
from kernels.machine.system import ROOT
from site_src.charts.runtime import RuntimeBuildError, node_and_npm
from tests.browser.visitor import Quiet, serve
from tests.perf.measures import DAY, cost, interleaved

VERSION: Final = "12.8.2"
NEWEST_OF: Final = "2025-09-15"
NPM: Final = (
    f"install lighthouse@{VERSION} --before={NEWEST_OF} --no-save --no-package-lock"
    " --prefer-offline --ignore-scripts --no-audit --no-fund --loglevel=error"
).split()
ROUNDS: Final = 3
AIM: Final = 97
BLOCKED: Final = 200
"""Milliseconds of all tasks beyond 50 each, until the page is quiet."""
FIGURES: Final = ("largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
CATEGORIES: Final = ("performance", "accessibility", "best-practices", "seo")
FLAGS: Final = (
    f"--quiet --no-enable-error-reporting --output=json --only-categories={','.join(CATEGORIES)}"
).split()
EXPLORE: Final = "en/explore/"
PAGES: Final = {
    "home": "en/",
    "report": "en/reports/tpuv2-v100/",
    "chart": "en/c/tpuv2-v100-throughput/",
    "workload": "en/workloads/resnet50-imagenet/",
    "costs": "en/costs/",
    "explore": EXPLORE,
    "embed": "c/tpuv2-v100-throughput/embed.html?lang=en",
}
UNSOUGHT: Final = ("embed", "seo")
"""An embed asks search engines to stay away: they should find the chart's page."""
RUNTIME: Final = "/assets/touchstone-runtime."
WEIGHTS: Final = {"embed": 15, "report": 250, "explore": 1000}
"""KB in gzip that a page may fetch, beside the charts' runtime, which all pages share."""

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
FOUND: Final = (("a filter in the table", FILTER, 100), ("the first query", QUERY, 50))
"""What is timed, and the milliseconds that are aimed at."""

Verdict = Mapping[str, float]


def chromium() -> str | None:
    """Chromium's program."""
    return shutil.which("chromium")


def build(out: Path, *more: str) -> list[str]:
    """The command that builds the site."""
    return [sys.executable, "build.py", "--date", str(DAY), "--out", str(out), *more]


class _Handler(Quiet):
    """Files as static hosts have them: compressed with gzip, connections kept open."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def send_head(self) -> io.BytesIO | None:
        """A file, compressed."""
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            self.send_error(404)
            return None
        content = gzip.compress(file.read_bytes(), 9, mtime=0)
        kind = self.guess_type(file)
        self.send_response(200)
        self.send_header("Content-Type", kind + "; charset=utf-8" * kind.startswith("text/"))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=600")  # as GitHub Pages says of every file
        self.end_headers()
        return io.BytesIO(content)


served: Final = contextmanager(partial(serve, handler=_Handler))
"""The folder at an address of this machine."""

_SERVED: Final = ExitStack()
atexit.register(_SERVED.close)


@cache
def built(folder: Path) -> tuple[Path, str]:
    """The site's folder and address, served until the process ends; built when first asked for."""
    site = folder / "built"
    site.mkdir()
    address = _SERVED.enter_context(served(site))
    cost(build(site, "--base-url", address))
    return site, address


def lighthouse(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The medians of each page's categories."""
    try:
        command = _command(ROOT / ".cache" / "lighthouse" / f"{VERSION}-{NEWEST_OF}")
    except (subprocess.CalledProcessError, RuntimeBuildError) as error:
        said = getattr(error, "output", b"").decode(errors="replace") or str(error)
        yield f"not measured: Lighthouse could not be fetched: {said.strip().splitlines()[:1]}"
        return
    _, address = built(folder)
    judges = {
        name: partial(_judge, command, f"{address}{path}", folder / "verdict.json")
        for name, path in PAGES.items()
    }
    for name, verdicts in interleaved(given.rounds or ROUNDS, **judges).items():
        yield told(name, PAGES[name], verdicts)


def told(name: str, path: str, verdicts: Sequence[Verdict]) -> str:
    """One page's row."""
    middle = {key: stats.median([verdict[key] for verdict in verdicts]) for key in verdicts[0]}
    scores = {key: round(100 * middle[key]) for key in CATEGORIES}
    low = ", ".join(key for key in CATEGORIES if scores[key] < AIM and (name, key) != UNSOUGHT)
    weight = f"{middle['fetched'] / 1000:.1f} KB and a runtime of {middle['runtime'] / 1000:.1f}"
    if most := WEIGHTS.get(name):
        reached = middle["fetched"] <= 1000 * most
        weight += f" (aim: {most} or less: {'reached' if reached else 'missed'})"
    paint, blocked, shift = (middle[key] for key in FIGURES)
    return (
        f"{name} ({path}): {', '.join(f'{key} {score}' for key, score in scores.items())}; "
        f"LCP {paint / 1000:.1f} s, "
        f"blocked {blocked:.0f} ms{f' (aim: {BLOCKED} or less)' if blocked > BLOCKED else ''}, "
        f"shift {shift:.3f}; {weight}; n = {len(verdicts)}; "
        f"aim: {AIM} or more: {f'missed in {low}' if low else 'reached'}"
    )


def _command(home: Path) -> list[str]:
    """Lighthouse's program, fetched where it is not in the cache yet."""
    node, npm = map(str, node_and_npm())
    if not (home / "done").is_file():
        home.mkdir(parents=True, exist_ok=True)
        cost([node, npm, *NPM, "--prefix", str(home)], home)
        (home / "done").touch()
    return [node, str(home / "node_modules/lighthouse/cli/index.js")]


def _judge(command: Sequence[str], address: str, out: Path) -> Verdict:
    """Scores and figures of one visit: a phone with Lighthouse's slow 4G and 4x CPU."""
    out.unlink(missing_ok=True)
    chrome = "--chrome-flags=--headless=new --no-sandbox"
    path = {"CHROME_PATH": chromium() or ""}
    cost([*command, address, *FLAGS, f"--output-path={out}", chrome], environment=path)
    return verdict(json.loads(out.read_text(encoding="utf-8")))


def verdict(report: Mapping[str, Any]) -> Verdict:
    """Of Lighthouse's report what the row tells; RuntimeError where a category has no score, as
    when the page could not be loaded.
    """
    found = {key: report["categories"][key]["score"] for key in CATEGORIES}
    if lacking := [key for key, score in found.items() if score is None]:
        why = (report.get("runtimeError") or {}).get("message", "no reason given")
        raise RuntimeError(
            f"Lighthouse gave {report['requestedUrl']} no score for {', '.join(lacking)}: {why}"
        )
    sizes = {"fetched": 0.0, "runtime": 0.0}
    for file in report["audits"]["network-requests"]["details"]["items"]:
        sizes["runtime" if RUNTIME in file["url"] else "fetched"] += file["transferSize"]
    return found | sizes | {name: report["audits"][name]["numericValue"] for name in FIGURES}


def finding(folder: Path, _given: argparse.Namespace) -> Iterator[str]:
    """The weight of the search's index, and how soon a filter and a query answer."""
    site, address = built(folder)
    index = len(gzip.compress((site / "search/en.js").read_bytes(), 9)) / 1000
    yield f"the search at first: {index:.1f} KB gzip; aim: 150"
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=chromium())
        for name, script, aim in FOUND:
            page = browser.new_page(viewport={"width": 390, "height": 844})
            slow = page.context.new_cdp_session(page)
            slow.send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
            page.goto(f"{address}{EXPLORE}")
            page.wait_for_selector(".ts-explore__table tbody a")
            page.wait_for_timeout(1000)
            taken = page.evaluate(script)
            yield f"{name}, with a CPU {SLOWER} times slower: {taken:.0f} ms; aim: {aim}"
        browser.close()
