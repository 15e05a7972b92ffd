"""Lighthouse's verdict on pages and what they fetch, as a phone sees them.

Its version is pinned, and those of the packages that it needs by the day on which they were the
newest. What npm has fetched stays in the cache folder.
"""

import argparse
import json
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from kernels.analysis import stats
from kernels.machine.system import ROOT
from site_src.charts.runtime import RuntimeBuildError, node_and_npm
from tests.perf.measures import cost, interleaved
from tests.perf.serving import EMBED, PAGE, REPORT, built, chromium

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
PAGES: Final = {
    "home": "en/",
    "report": REPORT,
    "chart": PAGE,
    "workload": "en/workloads/resnet50-imagenet/",
    "costs": "en/costs/",
    "explore": "en/explore/",
    "embed": f"{EMBED}?lang=en",
}

UNSOUGHT: Final = ("embed", "seo")
"""An embed asks search engines to stay away: they should find the chart's page."""

RUNTIME: Final = "/assets/touchstone-runtime."
WEIGHTS: Final = {"embed": 15, "report": 250, "explore": 1000}
"""KB in gzip that a page may fetch, beside the charts' runtime, which all pages share."""

Verdict = Mapping[str, float]


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The medians of each page's categories."""
    try:
        command = _command(ROOT / ".cache" / "lighthouse" / f"{VERSION}-{NEWEST_OF}")
    except (subprocess.CalledProcessError, RuntimeBuildError) as error:
        said = getattr(error, "output", b"").decode(errors="replace") or str(error)
        yield f"not measured: Lighthouse could not be fetched: {said.strip().splitlines()[:1]}"
        return
    _, address = built(folder)
    judges = {
        name: partial(_judge, command, f"{address}/{path}", folder / "verdict.json")
        for name, path in PAGES.items()
    }
    found = interleaved(given.rounds or ROUNDS, **judges)
    for name, verdicts in found.items():
        yield told(name, PAGES[name], verdicts)


def told(name: str, path: str, verdicts: Sequence[Verdict]) -> str:
    """One page's row."""
    middle = {key: stats.median([verdict[key] for verdict in verdicts]) for key in verdicts[0]}
    scores = {key: round(100 * middle[key]) for key in CATEGORIES}
    wanted = [key for key in CATEGORIES if (name, key) != UNSOUGHT]
    low = ", ".join(key for key in wanted if scores[key] < AIM)
    aim = f"; aim: {AIM} or more: {f'missed in {low}' if low else 'reached'}"
    weight = f"{middle['fetched'] / 1000:.1f} KB and a runtime of {middle['runtime'] / 1000:.1f}"
    if most := WEIGHTS.get(name):
        reached = middle["fetched"] <= 1000 * most
        weight += f" (aim: {most} or less: {'reached' if reached else 'missed'})"
    paint, blocked, shift = (middle[key] for key in FIGURES)
    return (
        f"{name} ({path}): {', '.join(f'{key} {score}' for key, score in scores.items())}; "
        f"LCP {paint / 1000:.1f} s, "
        f"blocked {blocked:.0f} ms{f' (aim: {BLOCKED} or less)' if blocked > BLOCKED else ''}, "
        f"shift {shift:.3f}; {weight}; n = {len(verdicts)}{aim}"
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
    """Of Lighthouse's report what the row tells.

    Raises:
        RuntimeError: A category has no score, as when the page could not be loaded.
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
