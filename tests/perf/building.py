"""What a build costs after a change, on archives of several sizes, beside what is aimed at.

Each build is `build.py` in a process of its own, in a copy of what a site is made from: the copy
has its own caches, and strings can be changed there. One run is held back until it is the one that
is added; the string that is changed in each language stands on the page of each run. Memory is the
resident set of the largest process.
"""

import argparse
import gzip
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from kernels.machine.system import ROOT
from site_src.cli.arguments import MADE_FROM
from tests.perf import make_archive
from tests.perf.browsing import build
from tests.perf.measures import Cost, cost

LARGEST: Final = 100
"""Pages that are compressed to find the largest of all."""
STRING: Final = re.compile(r'^(configuration = ".*)"$', re.MULTILINE)
"""A heading of the page of each run."""
AIMS: Final = {
    range(1_000): ({"from nothing": 90, "nothing": 1, "one run": 5, "a string": 10}, 600, 130, 60),
    range(10_000, 30_000): (
        {"from nothing": 360, "nothing": 2, "one run": 10, "a string": 60}, 2000, 600, 60,
    ),
}  # fmt: skip
"""By number of runs: seconds by what has changed, MB of memory and of the site, KB of its largest
page; of all languages, PNG files included, on two cores.
"""

ROW: Final = "{:>6} {:12} {:>7} {:>4} {:>7} {:>7} {:>5} {:>7} {:>8} {:>4} {:>7} {:>3}"
HEAD: Final = (
    "  runs changed       wall s  aim   CPU s peak MB   aim   files  site MB  aim page KB aim"
)


class Site(NamedTuple):
    """Files of a site, their bytes, and bytes of its largest page by gzip -9."""

    files: int
    size: int
    page: int


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The table, a row as soon as it is measured."""
    words = [*(["--lang", given.languages] if given.languages else []), *["--draft"] * given.draft]
    yield f"{' '.join(['build.py', *words])}; aims are of all languages with PNG files, on two cores"
    yield f"{make_archive.recorded()} runs are all that are recorded here; fewer are some of them"
    yield HEAD
    for size in given.sizes:
        for change, taken, site in _built(folder / f"of{size}", size, words):
            yield row(size, change, taken, site)


def row(size: int, change: str, taken: Cost, site: Site) -> str:
    """A row of the table."""
    seconds, *most = next((aims for runs, aims in AIMS.items() if size in runs), ({}, "", "", ""))
    peak, whole, page = most
    found = (taken.wall_s, taken.cpu_s, site.size / 1e6, site.page / 1e3)
    wall, used, size_mb, page_kb = map("{:.1f}".format, found)
    memory = f"{taken.peak_bytes / 1e6:.0f}"
    cells = (used, memory, peak, site.files, size_mb, whole, page_kb, page)
    return ROW.format(size, change, wall, seconds.get(change, ""), *cells)


def _built(folder: Path, size: int, words: Sequence[str]) -> Iterator[tuple[str, Cost, Site]]:
    """Each change with what its build cost, and the site after it."""
    made, runs, site, aside = (folder / name for name in ("made", "runs", "site", "aside.parquet"))
    made.mkdir(parents=True)
    passing = shutil.ignore_patterns("*.pyc.*")  # Python writes its own files beside and renames
    for name in MADE_FROM:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, made / name, ignore=passing)
        else:
            shutil.copy2(ROOT / name, made / name)
    make_archive.make(runs, size)
    added = max((runs / "measured").glob("*.parquet"))
    changes: dict[str, Callable[[], object]] = {
        "from nothing": partial(added.rename, aside),
        "nothing": lambda: None,
        "one run": partial(aside.rename, added),
        "a string": partial(reworded, made / "site_src" / "strings"),
    }
    for change, act in changes.items():
        act()
        yield change, cost([*build(site), "--runs", str(runs), *words], made), measured(site)
    shutil.rmtree(folder)


def reworded(strings: Path) -> None:
    """Change a string of the interface in each language; ValueError where one has it not once."""
    for path in strings.glob("*.toml"):
        text, times = STRING.subn(r'\1 2"', path.read_text(encoding="utf-8"))
        if times != 1:
            raise ValueError(f"{path} has {times} lines like {STRING.pattern}, wanted one")
        path.write_text(text, encoding="utf-8")


def measured(site: Path) -> Site:
    """Files, bytes, and the largest page by gzip among the largest as they are."""
    sizes = {path: path.stat().st_size for path in site.rglob("*") if path.is_file()}
    pages = sorted((path for path in sizes if path.suffix == ".html"), key=sizes.__getitem__)
    largest = max(len(gzip.compress(page.read_bytes(), 9, mtime=0)) for page in pages[-LARGEST:])
    return Site(len(sizes), sum(sizes.values()), largest)
