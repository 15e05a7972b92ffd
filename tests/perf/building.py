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
from tests.perf.standing import build

TINY, USUAL = 200, 512
"""Runs of a trial, and where nobody asks for others."""

LARGEST: Final = 100
"""Pages that are compressed to find the largest of all."""

STRING: Final = re.compile(r'^(configuration = ".*)"$', re.MULTILINE)
"""A heading of the page of each run."""


class Aims(NamedTuple):
    """Seconds of each build, then bytes of memory, the site, its largest page."""

    wall_s: dict[str, float]
    peak: float
    site: float
    page: float = 60e3

    def words(self, change: str) -> Iterator[str]:
        """As they stand in a row: s, MB, MB, KB."""
        found = (self.wall_s[change], self.peak / 1e6, self.site / 1e6, self.page / 1e3)
        return map("{:g}".format, found)


CHANGES: Final = ("from nothing", "nothing changed", "one run added", "a string changed")
SMALL: Final = Aims(dict(zip(CHANGES, (90, 1, 5, 10), strict=True)), 0.6e9, 130e6)
LARGE: Final = Aims(dict(zip(CHANGES, (360, 2, 10, 60), strict=True)), 2e9, 600e6)
AIMS: Final = {range(1_000): SMALL, range(10_000, 30_000): LARGE}
"""By number of runs; of all languages, PNG files included, on two cores."""

HEAD: Final = (
    f"{'runs':>6} {'change':16} {'wall s':>7} {'aim':>4} {'CPU s':>7} {'peak MB':>7} {'aim':>5}"
    f" {'files':>7} {'site MB':>8} {'aim':>4} {'page KB':>7} {'aim':>3}"
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
    recorded = make_archive.recorded()
    yield f"{recorded} runs are those recorded here; of more or fewer the rest are made of some"
    yield HEAD
    for size in given.sizes or [TINY if given.tiny else USUAL]:
        for change, taken, site in _built(folder / f"of{size}", size, words):
            yield row(size, change, taken, site)


def row(size: int, change: str, taken: Cost, site: Site) -> str:
    """A row of the table."""
    aims = next((aims for runs, aims in AIMS.items() if size in runs), None)
    wall, peak, whole, page = ("", "", "", "") if aims is None else aims.words(change)
    return (
        f"{size:6} {change:16} {taken.wall_s:7.1f} {wall:>4} {taken.cpu_s:7.1f}"
        f" {taken.peak_bytes / 1e6:7.0f} {peak:>5} {site.files:7} {site.size / 1e6:8.1f}"
        f" {whole:>4} {site.page / 1e3:7.1f} {page:>3}"
    )


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
    """Change a string of the interface in each language.

    Raises:
        ValueError: A language does not have it once.
    """
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
