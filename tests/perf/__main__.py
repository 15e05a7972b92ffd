"""Speed and size, each against a named baseline taken in turns in the same run, with interval and
number of values; what a build costs beside what is aimed at.

A ratio means something on a machine that does nothing else: each part says how busy others kept
it. Where too few values were taken for an interval, the smallest and the largest stand in for one.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Final

from kernels.machine.system import LoadMeter
from tests.perf import browsing, building, overhead, rendering

OTHERS: Final = 0.05
"""Cores that others may keep busy; above it a run of the harness has a warning, too."""

Part = Callable[[Path, argparse.Namespace], Iterator[str]]

PARTS: Final[Mapping[str, tuple[str, Part]]] = {
    "build": ("building the site from nothing and after each kind of change", building.rows),
    "lighthouse": ("Lighthouse's scores and weight of each kind of page", browsing.lighthouse),
    "finding": ("a filter and a query on a phone, and the weight of the search", browsing.finding),
    "rendering": ("rendering all pages, against mkdocs-static-i18n", rendering.rows),
    "overhead": ("the step loop against one by hand", overhead.rows),
    "sampler": ("a step with the sensors read ten times a second, against none", overhead.sensors),
}


def _lacking(name: str) -> str | None:
    if name in {"lighthouse", "finding"} and not browsing.chromium():
        return "no chromium on the PATH"
    if name in {"overhead", "sampler"} and not find_spec("torch"):
        return "PyTorch is not installed"
    return None


def _arguments() -> argparse.ArgumentParser:
    parts = "\n".join(["parts:", *(f"  {name:10} {what}" for name, (what, _) in PARTS.items())])
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser("make perf", None, __doc__, parts, formatter_class=raw)
    option = parser.add_argument
    option("--only", nargs="+", choices=PARTS, default=[*PARTS], help="parts (default: all)")
    option("--rounds", type=int, metavar="N", help="turns of each side (default: by part)")
    option("--sizes", type=int, nargs="+", default=[512], help="build: runs of each archive")
    option("--languages", metavar="CODE[,...]", help="build: of the site (default: all)")
    option("--draft", action="store_true", help="build: leave out PNG files")
    return parser


def rows(name: str, folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """A part: what it is, its rows, how long it took and how busy others kept the machine."""
    what, part = PARTS[name]
    yield f"== {name}: {what}"
    load, begun = LoadMeter((os.getpid(),)), time.perf_counter()
    load.start(begun)
    if why := _lacking(name):
        yield f"not measured: {why}"
    else:
        yield from part(folder, given)
    cores = load.foreign_cores(now := time.perf_counter())
    others = "too short to say what others took"
    if cores is not None:
        more = f", more than {OTHERS:g}: close them and repeat it" if cores > OTHERS else ""
        others = f"others kept {cores:.2f} cores busy meanwhile{more}"
    yield f"   {now - begun:.0f} s; {others}"


def main(arguments: Sequence[str] | None = None) -> None:
    """Measure part by part and print."""
    given = _arguments().parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as scratch:
        for name in given.only:
            try:
                for row in rows(name, Path(scratch), given):
                    print(row, flush=True)  # noqa: T201 - the command's answer
            except subprocess.CalledProcessError as error:
                told = (error.output or b"").decode(errors="replace")[-2000:]
                sys.exit(
                    f"{told}\nerror: {name}: {' '.join(map(str, error.cmd[1:]))} ended with status "
                    f"{error.returncode}: see above"
                )


if __name__ == "__main__":
    main()
