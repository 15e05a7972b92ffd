"""Hold the written site against the records. It reads files only and trusts none.

Held: every file is, byte for byte, what the last build wrote; each figure with a reference on pages
and badges, in downloads and in the API is what `Facts` gives (`verify.facts`), and so is each in
the table of all results (`verify.explored`); charts' tables, data and specifications agree
(`verify.downloads`); links, resources, search and languages (`verify.pages`); what pictures write
(`verify.pictures`); figures in words and withdrawn runs (`verify.words`); badges, JSON-LD, oEmbed,
feeds and lists (`verify.machines`); whatever was published answers.

Not held, but for the hashes: figures in words elsewhere than `verify.words` says, what feeds and
`llms.txt` say, words in cells of tables, PNG pictures, the lengths and places of marks, scripts.
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
"""Folders in which nothing lies but what a build wrote."""


_TABLE: Final = re.compile(r"c/[^/]+/table\.[^.]+\.js")
"""Read as pages: what they hold stands on pages when somebody wants it."""


@dataclass(frozen=True, slots=True)
class Failure:
    """One thing that is not as it should be: the file below site/, what was found and what was
    wanted.
    """

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
    """Returns all that is wrong with the site in `out`; an empty list says that every check passed.

    Args:
        out: The written site.
        evidence: What is recorded.
        locales: The site's languages.
        base_url: Address of the site's root, where the build was given one.
        published: The ledger.
        editions: Those whose addresses must answer. What is in their files is of another day, and
            held by hash alone.
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
    yield from words.words(site.pages, by_code, allowed, said, words.counts(evidence.archive))
    gone = {
        run.run_id: evidence.results.page_with(run.run_id).partition("#")[0]
        for run in evidence.archive.runs
        if run.withdrawn is not None
    }
    yield from words.withdrawn(site.pages, by_code, gone)

    def wrong(shown: Shown, code: str) -> Iterator[str]:
        return facts.figure(shown, evidence.facts, by_code[code])

    yield from machines.badges(site.out, site.files, wrong, allowed)
