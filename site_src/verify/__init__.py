"""Check the written site against the records. Only files are read, and none is trusted.

Checked: every file is, byte for byte, what the last build wrote; each figure with a reference on
pages and badges, in downloads and in the API equals that of `Facts` (`verify.facts`), and so does
each in the table of all results (`verify.explored`); charts' tables, data and specifications agree
(`verify.downloads`); links, resources, search and languages (`verify.pages`); text of pictures
(`verify.pictures`); figures in words and withdrawn runs (`verify.words`); badges, JSON-LD, oEmbed,
feeds and lists (`verify.machines`); published addresses exist.

Not checked, except by hashes: figures in words beyond `verify.words`, contents of feeds and
`llms.txt`, words in cells of tables, PNG pictures, lengths and positions of marks, scripts.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Final

from kernels.audit.facts import Facts
from kernels.store import Archive
from site_src.addresses import editions as frozen
from site_src.addresses.editions import Edition
from site_src.addresses.ledger import Entry
from site_src.build.output import digest, written
from site_src.evidence import Evidence
from site_src.model import MARKER
from site_src.verify import downloads, explored, facts, machines, pages, pictures, words
from site_src.verify.facts import Fault, Reading, Tables
from site_src.verify.html import Read, Shown, read, table

OURS = ("api/", "badges/", "c/", "data/", frozen.PLACE)
"""Folders that contain only files written by a build."""


_TABLE: Final = re.compile(r"c/[^/]+/table\.[^.]+\.js")
"""Read like pages: their contents are shown on pages on request."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error: the file below site/, what was found and what was wanted."""

    file: str
    found: str

    def __str__(self) -> str:
        return f"{self.file}: {self.found}"


@dataclass(frozen=True, slots=True)
class _Site:
    """The written site: all files below `out`, and the pages and tables among them."""

    out: Path
    files: set[str]
    pages: Mapping[str, Read]
    tables: Tables
    base_url: str


def verify(
    out: Path,
    evidence: Evidence,
    locales: Sequence[Reading],
    *,
    base_url: str = "",
    published: Iterable[Entry] = (),
    editions: Iterable[Edition] = (),
) -> list[Failure]:
    """Errors of the site in `out`; empty if every check passed.

    Args:
        out: The written site.
        evidence: The records.
        locales: The site's languages.
        base_url: Address of the site's root, where the build was given one.
        published: The ledger.
        editions: Those whose addresses must exist. Their files are of another day, and checked only
            by hash.
    """
    kept = list(editions)
    every = {path.relative_to(out).as_posix() for path in out.rglob("*") if path.is_file()}
    files = {name for name in every if not name.startswith(frozen.PLACE)}
    shown = {
        name: (read if name.endswith(".html") else table)(out / name)
        for name in sorted(files)
        if name.endswith(".html") or _TABLE.fullmatch(name)
    }
    tables = downloads.tables(out, files)
    site = _Site(out, every, shown, tables, base_url)
    found = chain(
        _left_out(evidence.archive),
        _changed(out, every),
        _not_kept(every, kept),
        _unanswered(files, [locale.code for locale in locales], published),
        _about_pages(site, locales, evidence.facts),
        _about_words(site, locales, evidence, [one.name for one in kept]),
        facts.cells(tables, evidence.facts),
        facts.api(out, evidence),
        explored.results(out, files, evidence),
        downloads.charts(out, files, shown, tables),
        pictures.pictures(out, files, [locale.code for locale in locales]),
        machines.structured(shown, files, base_url),
        machines.lists(out, files, base_url),
    )
    return list(dict.fromkeys(Failure(*fault) for fault in found))


def _left_out(archive: Archive) -> Iterator[Fault]:
    for problem in archive.problems:
        yield str(problem.path), f"is left out of the site: {problem.reason}"


def _changed(out: Path, files: set[str]) -> Iterator[Fault]:
    hashes = written(out)
    for name in sorted(hashes):
        if name not in files:
            yield name, f"was written by the build and is gone (listed in {MARKER}); build again"
        elif digest(out / name) != hashes[name]:
            yield name, "is not, byte for byte, what the build wrote; build again"
    for name in sorted(files - hashes.keys()):
        if name.startswith(OURS):
            yield name, "was written by no build; remove it"


def _unanswered(
    files: set[str], codes: Sequence[str], published: Iterable[Entry]
) -> Iterator[Fault]:
    for entry in published:
        chart, _, preset = entry.id.partition("/")
        for code in codes:
            places = {
                "chart": (f"{code}/c/{chart}/index.html", f"c/{chart}/embed.html"),
                "preset": (f"c/{chart}/{code}-{preset}.svg",),
                "badge": (f"badges/{entry.id}.{code}.svg",),
            }
            for place in places.get(entry.kind, ()):
                if place not in files:
                    yield place, f"is missing; {entry.kind} {entry.id} was published"


def _not_kept(files: set[str], editions: Iterable[Edition]) -> Iterator[Fault]:
    for one in editions:
        for path in one.files:
            if f"{one.place}{path}" not in files:
                yield f"{one.place}{path}", f"is missing; edition {one.name} has it"


def _about_pages(site: _Site, locales: Sequence[Reading], known: Facts) -> Iterator[Fault]:
    codes = [locale.code for locale in locales]
    for locale in locales:
        told: dict[Shown, list[str]] = {}
        for name, page in site.pages.items():
            if pages.language(name) == locale.code:
                for shown in page.figures:
                    one = replace(shown, chart="")
                    if one not in told:
                        told[one] = list(facts.figure(one, known, locale))
                    yield from ((name, fault) for fault in told[one])
    yield from pages.languages(site.pages, codes)
    yield from pages.links(site.pages, site.files, site.base_url)
    yield from pages.styles(site.out, site.files)
    yield from pages.search(site.out, site.pages, codes)


def _about_words(
    site: _Site, locales: Sequence[Reading], evidence: Evidence, editions: Sequence[str]
) -> Iterator[Fault]:
    by_code = {locale.code: locale for locale in locales}
    allowed = words.names([*words.recorded(evidence), *words.series(site.tables), *editions])
    said = words.headlines(site.out, site.files)
    yield from words.words(site.pages, by_code, allowed, said, words.counts(evidence))
    gone = {
        run.run_id: evidence.results.page_with(run.run_id).partition("#")[0]
        for run in evidence.archive.runs
        if run.withdrawn is not None
    }
    yield from words.withdrawn(site.pages, by_code, gone)

    def wrong(shown: Shown, code: str) -> Iterator[str]:
        return facts.figure(shown, evidence.facts, by_code[code])

    yield from machines.badges(site.out, site.files, wrong, allowed)
