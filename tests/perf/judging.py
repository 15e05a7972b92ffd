"""Lighthouse's verdict on pages, as a phone sees them; on a page by Altair in the same run.

The version is pinned in `lighthouse/`, apart from the charts' runtime: everybody who builds the
site fetches that one, and Lighthouse has four times its packages. What npm has fetched stays in the
cache folder.
"""

import hashlib
import json
import shutil
import subprocess
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final

from kernels.analysis import stats
from kernels.machine.system import ROOT
from site_src.charts.runtime import RuntimeBuildError, node_and_npm
from tests.perf.processes import cost
from tests.perf.ratios import interleaved
from tests.perf.standing import EMBED, PAGE, PLAIN, REPORT, chromium, standing

HERE: Final = Path(__file__).resolve().parent / "lighthouse"
PACKAGE: Final = ("package.json", "package-lock.json", ".npmrc")
ROUNDS: Final = 3
AIM: Final = 95
CATEGORIES: Final = ("performance", "accessibility", "best-practices", "seo")
FLAGS: Final = (
    "--quiet",
    "--no-enable-error-reporting",
    "--output=json",
    f"--only-categories={','.join(CATEGORIES)}",
)
PAGES: Final = {
    "home": "en/",
    "report": REPORT,
    "chart": PAGE,
    "workload": "en/workloads/resnet50-imagenet/",
    "costs": "en/costs/",
    "embed": f"{EMBED}?lang=en",
    "altair": PLAIN,
}
"""The last is what the others are held against: `altair.Chart.save(inline=True)`."""

UNSOUGHT: Final = ("embed",)
"""Asks search engines to stay away: they should find the chart's page. So it has no SEO to be
judged by.
"""

Verdict = Mapping[str, float]


def rows(folder: Path, rounds: int, pages: Mapping[str, str] = PAGES) -> Iterator[str]:
    """The medians of each page's categories."""
    program = chromium()
    if program is None:
        yield "not measured: no chromium on the PATH"
        return
    try:
        command = _command(ROOT / ".cache")
    except (RuntimeBuildError, subprocess.CalledProcessError) as error:
        said = (
            error.output.decode(errors="replace").strip().splitlines()[:1]
            if isinstance(error, subprocess.CalledProcessError)
            else [error]
        )
        yield f"not measured: Lighthouse could not be fetched: {said}"
        return
    stands = standing(folder)
    judges = {
        name: partial(_judge, command, program, f"{stands.address}/{path}", folder)
        for name, path in pages.items()
    }
    found = interleaved(rounds, **judges)
    for name, verdicts in found.items():
        yield told(name, pages[name], verdicts)


def told(name: str, path: str, verdicts: Sequence[Verdict]) -> str:
    """One page's row."""
    middle = {key: stats.median([verdict[key] for verdict in verdicts]) for key in verdicts[0]}
    scores = {key: round(100 * middle[key]) for key in CATEGORIES}
    low = [
        key
        for key, score in scores.items()
        if score < AIM and not (key == "seo" and name in UNSOUGHT)
    ]
    shown = ", ".join(f"{key} {score}" for key, score in scores.items())
    paints = (
        f"LCP {middle['largest-contentful-paint'] / 1000:.1f} s, blocked "
        f"{middle['total-blocking-time']:.0f} ms"
    )
    answer = (
        ""
        if name == "altair"
        else f"; aim: {AIM} or more: {'missed in ' + ', '.join(low) if low else 'reached'}"
    )
    return (
        f"{name} ({path}): {shown}; {paints}, shift {middle['cumulative-layout-shift']:.3f}; n "
        f"= {len(verdicts)}{answer}"
    )


def _command(cache: Path) -> list[str]:
    """Lighthouse's program, fetched where it is not in the cache yet."""
    node, npm = node_and_npm()
    key = hashlib.sha256(b"".join((HERE / name).read_bytes() for name in PACKAGE)).hexdigest()[:16]
    home = cache / "lighthouse" / key
    if not (home / "done").is_file():
        shutil.rmtree(home, ignore_errors=True)
        home.mkdir(parents=True)
        for name in PACKAGE:
            shutil.copyfile(HERE / name, home / name)
        cost(
            [
                str(node),
                str(npm),
                "ci",
                "--prefer-offline",
                "--ignore-scripts",
                "--no-audit",
                "--no-fund",
                "--loglevel=error",
            ],
            home,
        )
        (home / "done").touch()
    return [str(node), str(home / "node_modules/lighthouse/cli/index.js")]


def _judge(command: Sequence[str], program: str, address: str, folder: Path) -> Verdict:
    """Scores and figures of one visit: a phone with slow 4G and 4x CPU, as Lighthouse reckons
    both.
    """
    out = folder / "verdict.json"
    out.unlink(missing_ok=True)
    chrome = "--chrome-flags=--headless=new --no-sandbox"
    cost(
        [*command, address, *FLAGS, f"--output-path={out}", chrome], ROOT, {"CHROME_PATH": program}
    )
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
    figures = ("largest-contentful-paint", "total-blocking-time", "cumulative-layout-shift")
    return found | {name: report["audits"][name]["numericValue"] for name in figures}
