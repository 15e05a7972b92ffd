"""Speed and size, each against a named baseline taken in turns in the same run, with interval and
number of values.

All parts together take three quarters of an hour on two cores. A ratio means something on a machine
that does nothing else meanwhile: each part says how busy others kept it. Where too few values were
taken for an interval, the smallest and the largest stand in for one. What a crash costs is counted
apart from it, by `python -m tests.perf.kills`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Final

from kernels.machine.system import ROOT, LoadMeter
from tests.perf import embedding, harness, importing, judging, painting, picturing, recording
from tests.perf.processes import Cost, cost
from tests.perf.ratios import estimate, interleaved, ratio
from tests.perf.standing import build

COMMANDS: Final = 3
"""Runs of a command that takes long."""

OTHERS: Final = 0.05
"""Cores that others may keep busy; above it a run of the harness has a doubt, too."""

Part = Callable[[Path, argparse.Namespace], Iterator[str]]


def say(*parts: object) -> None:
    """A line of the result."""
    print(*parts, flush=True)  # noqa: T201 - the command's answer


def median(costs: Sequence[Cost]) -> str:
    """Medians of the runs, as text."""
    wall, cpu = (estimate([getattr(each, name) for each in costs]) for name in ("wall_s", "cpu_s"))
    return (
        f"{wall.value:.2f} s wall, {cpu} s CPU, "
        f"{max(each.peak_bytes for each in costs) / 1e6:.0f} MB peak"
    )


def over(found: Mapping[str, list[Cost]], name: str, base: str) -> str:
    """Ratio of processor seconds of two sides."""
    return str(ratio(*([each.cpu_s for each in found[side]] for side in (name, base))))


def _builds(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    again = build(folder / "site")
    # fills the caches, so that what follows measures building and not downloading
    cost(again, ROOT)
    number = iter(range(1000))

    def fresh() -> Cost:
        return cost(build(folder / f"fresh{next(number)}"), ROOT)

    found = interleaved(
        given.rounds or (1 if given.tiny else COMMANDS),
        fresh=fresh,
        again=partial(cost, again, ROOT),
    )
    yield f"full build into an empty folder, charts from the cache: {median(found['fresh'])}"
    yield (
        f"rebuild with nothing changed: {median(found['again'])}; CPU over a full build: "
        f"{over(found, 'again', 'fresh')}"
    )
    if not given.tiny:
        yield (
            "full build from nothing (--clean: npm, charts, theme): "
            f"{median([cost([*again, '--clean'], ROOT)])}"
        )


def _rendering(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    render = [sys.executable, "-m", "tests.perf.rendering"]
    cost([*render, "collect", str(folder), str(given.copies)], ROOT)
    settings, collected = folder / "plain" / "mkdocs.yml", folder / "pages.pickle"
    number = iter(range(1000))

    def ours() -> Cost:
        each = next(number)
        return cost(
            [
                *render,
                "ours",
                str(collected),
                str(folder / f"ours{each}"),
                str(folder / f"cache{each}"),
            ],
            ROOT,
        )

    def theirs() -> Cost:
        command = [
            sys.executable,
            "-m",
            "mkdocs",
            "build",
            "-q",
            "-f",
            str(settings),
            "-d",
            str(folder / f"theirs{next(number)}"),
        ]
        return cost(command, ROOT, {"NO_MKDOCS_2_WARNING": "1"})

    found = interleaved(given.rounds or COMMANDS, ours=ours, theirs=theirs)
    pages = sum(1 for _ in (folder / "plain" / "docs").rglob("*.md"))
    yield f"rendering {pages} pages, ours, from an empty cache: {median(found['ours'])}"
    yield f"rendering {pages} pages, mkdocs-static-i18n, pruned nav: {median(found['theirs'])}"
    yield f"CPU ratio of the two, pair by pair: {over(found, 'ours', 'theirs')}; aim: 0.5 or less"


def _imports(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    logs = folder / "logs"
    size = importing.make(logs, benchmarks=20, runs=10, events=100 if given.tiny else 2000)
    number = iter(range(1000))

    def ours() -> Cost:
        return cost(
            [
                sys.executable,
                "-m",
                "kernels",
                "import",
                "mlperf",
                str(logs),
                "--runs",
                str(folder / f"runs{next(number)}"),
            ],
            ROOT,
        )

    def plain() -> Cost:
        return cost([sys.executable, "-m", "tests.perf.importing", "plain", str(logs)], ROOT)

    found = interleaved(given.rounds or COMMANDS, ours=ours, plain=plain)
    yield f"importing {size / 1e6:.0f} MB of MLPerf logs, 200 runs: {median(found['ours'])}"
    yield f"decoding every line of them with json, one process: {median(found['plain'])}"
    yield f"CPU ratio of the two, pair by pair: {over(found, 'ours', 'plain')}"


def _torch(part: Callable[[int | None, bool], Iterator[str]]) -> Part:
    """A part that needs PyTorch and no folder."""

    def rows(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
        reason = harness.absent()
        return iter([reason]) if reason else part(given.rounds, given.tiny)

    return rows


PARTS: Final[Mapping[str, tuple[str, Part]]] = {
    "build": ("building the site: in full, again, and from nothing", _builds),
    "embed": (
        "what a browser fetches for an embed and a report, against a page by Altair",
        lambda folder, _given: embedding.rows(folder),
    ),
    "paint": (
        "how soon a phone on slow 4G shows a chart, against a page by Altair",
        lambda folder, given: painting.rows(
            folder, given.rounds or (1 if given.tiny else painting.ROUNDS)
        ),
    ),
    "images": (
        "time per picture, from an empty cache and again, against vl-convert alone",
        lambda folder, given: picturing.rows(
            folder,
            given.rounds or (1 if given.tiny else COMMANDS),
            1 if given.tiny else picturing.CHARTS,
        ),
    ),
    "lighthouse": (
        "Lighthouse's scores of each kind of page, beside a page by Altair",
        lambda folder, given: judging.rows(
            folder, given.rounds or (1 if given.tiny else judging.ROUNDS)
        ),
    ),
    "rendering": ("rendering all pages, against mkdocs-static-i18n", _rendering),
    "import": ("importing MLPerf logs, against decoding their lines", _imports),
    "overhead": (
        "our step loop, against one by hand and torch.utils.benchmark: cnn10, resnet50",
        _torch(harness.overhead),
    ),
    "defaults": (
        "our default settings, against PyTorch's own: cnn10, resnet50",
        _torch(harness.defaults),
    ),
    "sampler": (
        "a step with the sensors read ten times a second, against one without",
        _torch(harness.sampler),
    ),
    "store": (
        "recording and reading 1,000 runs, against pyarrow alone",
        lambda _folder, given: recording.rows(given.rounds, given.tiny),
    ),
}


def _names(text: str) -> list[str]:
    names = text.split(",")
    if unknown := [name for name in names if name not in PARTS]:
        raise argparse.ArgumentTypeError(
            f"found {unknown[0]!r}, wanted one or more of {', '.join(PARTS)}"
        )
    return names


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure part by part and print."""
    contents = "\n".join(f"  {name:10} {what}" for name, (what, _) in PARTS.items())
    parser = argparse.ArgumentParser(
        prog="make perf",
        description=__doc__,
        epilog=f"parts:\n{contents}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "--only",
        type=_names,
        default=list(PARTS),
        metavar="NAME[,NAME...]",
        help="parts (default: all)",
    )
    parser.add_argument(
        "--rounds", type=int, metavar="N", help="turns of each side (default: what each part needs)"
    )
    parser.add_argument(
        "--copies",
        type=int,
        default=1,
        metavar="N",
        help="rendering: times that run pages are repeated (default: 1)",
    )
    parser.add_argument(
        "--tiny",
        action="store_true",
        help="small sizes, to try the commands; the figures mean nothing",
    )
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as scratch:
        for name in given.only:
            what, part = PARTS[name]
            say(f"== {name}: {what}")
            load = LoadMeter((os.getpid(),))
            begun = time.perf_counter()
            load.start(begun)
            try:
                for row in part(Path(scratch), given):
                    say(row)
            except subprocess.CalledProcessError as error:
                told = (error.output or b"").decode(errors="replace")[-2000:]
                sys.exit(
                    f"{told}\nerror: {name}: {' '.join(map(str, error.cmd[1:]))} ended with status "
                    f"{error.returncode}: see above"
                )
            now = time.perf_counter()
            say(f"   {now - begun:.0f} s; {_others(load.foreign_cores(now))}")


def _others(cores: float | None) -> str:
    if cores is None:
        return "too short to say what others took"
    advice = (
        "" if cores <= OTHERS else f", more than {OTHERS:g}: close other programs and repeat it"
    )
    return f"others kept {cores:.2f} cores busy meanwhile{advice}"


if __name__ == "__main__":
    main()
