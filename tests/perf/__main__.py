"""Speed and size, each against a named baseline taken in turns in the same run, with interval and
number of values; what a build costs beside what is aimed at.

A ratio means something on a machine
that does nothing else meanwhile: each part says how busy others kept it. Where too few values were
taken for an interval, the smallest and the largest stand in for one. What a crash costs is counted
apart from it, by `python -m tests.kernels.harness.kills`.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kernels.machine.system import LoadMeter
from tests.perf import (
    building,
    embedding,
    harness,
    judging,
    rendering,
    standing,
)

OTHERS: Final = 0.05
"""Cores that others may keep busy; above it a run of the harness has a doubt, too."""

Part = Callable[[Path, argparse.Namespace], Iterator[str]]


def _needs(there: Callable[[], object], lacking: str, part: Part) -> Part:
    """A part that is measured only where something is there."""

    def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
        return part(folder, given) if there() else iter([f"not measured: {lacking}"])

    return rows


_browser: Final = partial(_needs, standing.chromium, "no chromium on the PATH")
_torch: Final = partial(_needs, lambda: find_spec("torch"), "PyTorch is not installed")

PARTS: Final[Mapping[str, tuple[str, Part]]] = {
    "build": (
        "building the site from nothing and after each kind of change, of --sizes runs",
        building.rows,
    ),
    "embed": (
        "what a browser fetches for an embed and a report, against a page by Altair",
        _browser(embedding.rows),
    ),
    "lighthouse": (
        "Lighthouse's scores of each kind of page, beside a page by Altair",
        _browser(judging.rows),
    ),
    "rendering": ("rendering all pages, against mkdocs-static-i18n", rendering.rows),
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
}


def say(*parts: object) -> None:
    """A line of the result."""
    print(*parts, flush=True)  # noqa: T201 - the command's answer


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
        "--tiny",
        action="store_true",
        help="small sizes, to try the commands; the figures mean nothing",
    )
    parser.add_argument(
        "--sizes",
        type=lambda text: [int(number) for number in text.split(",")],
        metavar="N[,N...]",
        help="build: runs of each archive (default: those recorded here)",
    )
    parser.add_argument(
        "--languages", metavar="CODE[,CODE...]", help="build: languages of the site (default: all)"
    )
    parser.add_argument("--draft", action="store_true", help="build: leave out PNG files")
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
            except KeyboardInterrupt:
                sys.exit(130)
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
