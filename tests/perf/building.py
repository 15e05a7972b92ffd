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
from pathlib import Path
from typing import Final, NamedTuple

from kernels.machine.system import ROOT
from site_src.cli.arguments import MADE_FROM
from tests.perf import make_archive
from tests.perf.measures import Cost, cost
from tests.perf.serving import build

LARGEST: Final = 100
"""Pages that are compressed to find the largest of all."""

STRING: Final = re.compile(r'^(configuration = ".*)"$', re.MULTILINE)
"""A heading of the page of each run."""

CHANGES: Final = ("from nothing", "nothing changed", "one run added", "a string changed")

AIMS: Final = {
    range(1_000): ((90, 1, 5, 10), 600, 130, 60),
    range(10_000, 30_000): ((360, 2, 10, 60), 2000, 600, 60),
}
"""By number of runs: seconds of each change, MB of memory and of the site, KB of its largest page;
of all languages, PNG files included, on two cores.
"""

ROW: Final = "{:>6} {:16} {:>7} {:>4} {:>7} {:>7} {:>5} {:>7} {:>8} {:>4} {:>7} {:>3}"
HEAD: Final = (
    "runs", "change", "wall s", "aim", "CPU s", "peak MB", "aim", "files", "site MB", "aim",
    "page KB", "aim",
)  # fmt: skip


class Site(NamedTuple):
    """Files of a site, their bytes, and bytes of its largest page by gzip -9."""

    files: int
    size: int
    page: int


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The table, a row as soon as it is measured."""
    words = [*(["--lang", given.languages] if given.languages else []), *["--draft"] * given.draft]
    yield f"{' '.join(['build.py', *words])}; aims are of all languages with PNG files, on two cores"
    recorded = make_archive.recorded()
    yield f"{recorded} runs are those recorded here; of more or fewer the rest are made of some"
    yield ROW.format(*HEAD)
    for size in given.sizes:
        for change, taken, site in _built(folder / f"of{size}", size, words):
            yield row(size, change, taken, site)


def row(size: int, change: str, taken: Cost, site: Site) -> str:
    """A row of the table."""
    wall, peak, whole, page = "", "", "", ""
    if aims := next((aims for runs, aims in AIMS.items() if size in runs), None):
        wall, peak, whole, page = map(str, (aims[0][CHANGES.index(change)], *aims[1:]))
    found = (taken.wall_s, taken.cpu_s, site.size / 1e6, site.page / 1e3)
    seconds, used, megabytes, kilobytes = map("{:.1f}".format, found)
    memory = f"{taken.peak_bytes / 1e6:.0f}"
    cells = (seconds, wall, used, memory, peak, site.files, megabytes, whole, kilobytes, page)
    return ROW.format(size, change, *cells)


def _built(folder: Path, size: int, words: Sequence[str]) -> Iterator[tuple[str, Cost, Site]]:
    """Each change with what its build cost, and the site after it."""
    made, runs, site, aside = (folder / name for name in ("made", "runs", "site", "aside.parquet"))
    _copy(made)
    make_archive.make(runs, size)
    added = max((runs / "measured").glob("*.parquet"))
    changes: tuple[Callable[[], object], ...] = (
        lambda: added.rename(aside),
        lambda: None,
        lambda: aside.rename(added),
        lambda: reworded(made / "site_src" / "strings"),
    )
    for change, act in zip(CHANGES, changes, strict=True):
        act()
        yield change, cost([*build(site), "--runs", str(runs), *words], made), measured(site)
    shutil.rmtree(folder)


def _copy(folder: Path) -> None:
    """What a site is made from, what Python made of it included: caches are absent."""
    folder.mkdir(parents=True)
    for name in MADE_FROM:
        if (ROOT / name).is_dir():
            # Python writes its own files beside and renames them
            passing = shutil.ignore_patterns("*.pyc.*")
            shutil.copytree(ROOT / name, folder / name, ignore=passing)
        else:
            shutil.copy2(ROOT / name, folder / name)


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
