"""`make perf`: build time and memory, rebuild with nothing changed, page weight, CPU of rendering against mkdocs-static-i18n, importing."""

import argparse
import statistics
import sys
import tempfile
from collections.abc import Sequence
from functools import partial
from pathlib import Path

from tests.perf import importing
from tests.perf.processes import Cost, cost, interleaved, ratio
from tests.perf.weight import weights

ROOT = Path(__file__).resolve().parents[2]
DAY = "2026-11-20"
REPORT = "en/reports/tpuv2-v100/"


def say(*parts: object) -> None:
    """A line of the result."""
    print(*parts, flush=True)  # noqa: T201 - the command's answer


def median(costs: Sequence[Cost]) -> str:
    """Medians of the runs, as text."""
    wall, cpu = (statistics.median(getattr(each, name) for each in costs) for name in ("wall_s", "cpu_s"))
    return f"{wall:6.2f} s wall  {cpu:6.2f} s CPU  {max(each.peak_bytes for each in costs) / 1e6:5.0f} MB peak  (n = {len(costs)})"


def main() -> None:
    """Measure and print; medians of interleaved runs."""
    parser = argparse.ArgumentParser(prog="make perf", description=__doc__)
    parser.add_argument("--rounds", type=int, default=3, help="runs of each command (default: 3)")
    parser.add_argument("--copies", type=int, default=1, help="times that run pages are repeated for the rendering ratio (default: 1)")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as scratch:
        folder = Path(scratch)
        _builds(folder, given.rounds)
        _weights(folder / "site")
        _rendering(folder, given.rounds, given.copies)
        _imports(folder, given.rounds)


def _builds(folder: Path, rounds: int) -> None:
    build = [sys.executable, "build.py", "--date", DAY, "--out", str(folder / "site")]
    cost(build, ROOT)  # fills the caches, so that what follows measures building and not downloading
    fresh = [[sys.executable, "build.py", "--date", DAY, "--out", str(folder / f"fresh{number}")] for number in range(rounds)]
    runs = interleaved(1, **{f"r{number}": partial(cost, command, ROOT) for number, command in enumerate(fresh)})
    again = [cost(build, ROOT) for _ in range(rounds)]
    say("full build into an empty folder, charts from the cache ", median([each for costs in runs.values() for each in costs]))
    say("rebuild with nothing changed                           ", median(again))
    say("full build from nothing (--clean: npm, charts, theme)  ", median([cost([*build, "--clean"], ROOT)]))


def _weights(site: Path) -> None:
    found = weights(site, REPORT)
    if found is None:
        say(f"weight of {REPORT}: not measured, no chromium on the PATH")
        return
    for name, weight in zip(("at first sight, before any chart's runtime", "scrolled to the end, all charts drawn"), found, strict=True):
        say(f"weight of {REPORT} {name}: {weight.size / 1000:.0f} KB gzip, {weight.requests} requests")


def _rendering(folder: Path, rounds: int, copies: int) -> None:
    render = [sys.executable, "-m", "tests.perf.rendering"]
    cost([*render, "collect", str(folder), str(copies)], ROOT)
    settings, collected = folder / "plain" / "mkdocs.yml", folder / "pages.pickle"
    number = iter(range(1000))

    def ours() -> Cost:
        each = next(number)
        return cost([*render, "ours", str(collected), str(folder / f"ours{each}"), str(folder / f"cache{each}")], ROOT)

    def theirs() -> Cost:
        command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", str(settings), "-d", str(folder / f"theirs{next(number)}")]
        return cost(command, ROOT, {"NO_MKDOCS_2_WARNING": "1"})

    found = interleaved(rounds, ours=ours, theirs=theirs)
    pages = sum(1 for _ in (folder / "plain" / "docs").rglob("*.md"))
    low, middle, high = ratio(found["ours"], found["theirs"])
    say(f"rendering {pages} pages, ours, from an empty cache      ", median(found["ours"]))
    say(f"rendering {pages} pages, mkdocs-static-i18n, pruned nav ", median(found["theirs"]))
    say(f"CPU ratio of the two, pair by pair: {middle:.2f} ({low:.2f} to {high:.2f}); aim: 0.5 or less")


def _imports(folder: Path, rounds: int) -> None:
    logs = folder / "logs"
    size = importing.make(logs, benchmarks=20, runs=10, events=2000)
    number = iter(range(1000))

    def ours() -> Cost:
        return cost([sys.executable, "-m", "kernels", "import", "mlperf", str(logs), "--runs", str(folder / f"runs{next(number)}")], ROOT)

    def plain() -> Cost:
        return cost([sys.executable, "-m", "tests.perf.importing", "plain", str(logs)], ROOT)

    found = interleaved(rounds, ours=ours, plain=plain)
    low, middle, high = ratio(found["ours"], found["plain"])
    say(f"importing {size / 1e6:.0f} MB of MLPerf logs, 200 runs       ", median(found["ours"]))
    say("decoding every line of them with json, one process    ", median(found["plain"]))
    say(f"CPU ratio of the two, pair by pair: {middle:.2f} ({low:.2f} to {high:.2f})")


if __name__ == "__main__":
    main()
