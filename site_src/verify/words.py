"""Figures in words outside `<data>`: descriptions, alternative texts, prose; unfilled placeholders;
and withdrawn runs.

Checked: every figure of `<meta name="description">`, `og:description` and each `alt` of a page is
shown by a `<data>` of that page, as text, or counts what the page lists (runs of a system or a
workload, of a result by how they ended, claims of a source), or is in a chart's title in its
`meta.json`; and paragraphs of report and method pages have no figure outside `<data>`, `<code>`,
`<time>` and `.ts-meta`. Names of `content/names.txt`, of the catalogue, of the records and of
series may contain digits.

Not checked here: other pages' paragraphs (they have counts and dates), table cells, lists,
headings, and folded text, such as the ranges of an audit; figures in `<data>` are checked
everywhere.
"""

import json
import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from kernels.records import Status
from site_src.evidence import Evidence
from site_src.pages.components import badges
from site_src.reports.prose import COUNTED
from site_src.tables.recorded import machine_name, system_names
from site_src.verify.facts import Fault, Tables
from site_src.verify.html import Read

_SPACES: Final = " \u00a0\u202f"
_NUMBER: Final = re.compile(rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_PROSE: Final = re.compile(r"[^/]+/(?:reports/[^/]+(?:/details)?|method)/index\.html")
_UNFILLED: Final = re.compile(r"\{\w+\}|[\ue000-\uf8ff]")
"""A placeholder, or a private-use character."""

_NAMES: Final = Path(__file__).resolve().parents[1] / "content" / "names.txt"


def names(more: Collection[str] = ()) -> re.Pattern[str]:
    """A pattern of names that may contain digits: those of texts, and `more`, with any kind of
    space between their words.
    """
    listed = [
        line.strip()
        for line in _NAMES.read_text(encoding="utf-8").split("\n")
        if line.strip() and not line.startswith("#")
    ]
    # 128 is a figure
    known = {
        name
        for name in (*listed, *more)
        if any(letter.isdigit() for letter in name) and not name.isdecimal()
    }
    spaced = {re.sub(rf"[{_SPACES}]+", " ", name) for name in known}
    return re.compile(rf"(?<![0-9A-Za-z])(?:{_either(spaced)})(?!\d)")


def _either(texts: Collection[str]) -> str:
    """A pattern of any of the texts, longest first, with shared prefixes: tens of thousands take no
    longer than a few.
    """
    begun: dict[str, list[str]] = defaultdict(list)
    for text in filter(None, texts):
        begun[text[0]].append(text[1:])
    ways = [
        (rf"[{_SPACES}]" if first == " " else re.escape(first)) + _either(rests)
        for first, rests in begun.items()
    ]
    if not ways:
        return ""
    return (
        ways[0]
        if len(ways) == 1 and "" not in texts
        else (f"(?:{'|'.join(ways)})" + ("?" if "" in texts else ""))
    )


def recorded(evidence: Evidence) -> Iterator[str]:
    """Names of catalogue and records, which may contain digits."""
    named = [one.name for one in evidence.catalog.hardware.values()]
    named += system_names(evidence.archive.runs, evidence.catalog).values()
    yield from (*named, *map(badges.brief, named))
    yield from (one.name for one in evidence.catalog.workloads.values())
    yield from (one.instance for one in evidence.catalog.systems.values() if one.instance)
    for source in evidence.archive.sources:
        yield source.source
        names_ = (source.title, source.publisher, source.authors, source.credit, source.licence)
        yield from filter(None, names_)
    for run in evidence.archive.runs:
        yield from (run.run_id, run.system)
        yield from filter(None, (run.framework_version, run.credit, run.licence))
        if run.environment is not None and (name := machine_name(run.environment)):
            yield name


def series(read: Tables) -> Iterator[str]:
    """Names of series in charts, and of the systems in them without frameworks."""
    for label in {row.get("series_label", "") for rows in read.values() for row in rows}:
        yield from (label, label.partition(" · ")[0])


def headlines(out: Path, files: set[str]) -> dict[tuple[str, str], str]:
    """The titles of charts from their `meta.json`, by id and language."""
    found: dict[tuple[str, str], str] = {}
    for name in files:
        if name.startswith("c/") and name.endswith("/meta.json"):
            with suppress(ValueError, KeyError):  # reported by `verify.downloads`
                meta = json.loads((out / name).read_text(encoding="utf-8"))
                chart = name.split("/")[1]
                found |= {(chart, code): said for code, said in meta["title"].items()}
    return found


def counts(evidence: Evidence) -> dict[str, set[str]]:
    """The counts that descriptions of pages may have, by path: claims of a source; runs in force,
    those with a result, successful ones; runs of a result that ended alike.
    """
    archive = evidence.archive
    claims = Counter(claim.source for claim in archive.claims)
    found = {f"sources/{name}/": {str(n)} for name, n in claims.items()}
    told = [run for run in archive.runs if run.withdrawn is None]
    for runs in (
        told,
        [run for run in told if run.status is not Status.NOT_REPORTED],
        [run for run in told if run.status is Status.OK],
    ):
        places = Counter(
            place
            for run in runs
            for place in (f"systems/{run.system}/", f"workloads/{run.workload}/")
        )
        for path, n in places.items():
            found.setdefault(path, set()).add(str(n))
    status = {run.run_id: run.status for run in archive.runs}
    for result in evidence.results.values():
        ended = Counter(status[run] for run in result.run_ids)
        if len(ended) > 1:
            found[f"results/{result.id}/"] = {str(n) for n in ended.values()}
    return found


def numbers(text: str, allowed: re.Pattern[str]) -> list[str]:
    """Figures of a text as written, without names, with plain spaces."""
    return [
        re.sub(rf"[{_SPACES}]", "\u00a0", number)
        for number in _NUMBER.findall(COUNTED.sub("", allowed.sub("|", text)))
    ]


def words(
    pages: Mapping[str, Read],
    codes: Collection[str],
    allowed: re.Pattern[str],
    said: Mapping[tuple[str, str], str],
    counted: Mapping[str, Collection[str]],
) -> Iterator[Fault]:
    """Yields figures in words that no `<data>` of the page shows, and placeholders.

    Args:
        pages: Pages by path below site/.
        codes: Languages.
        allowed: Names that may contain digits.
        said: Titles of charts, as from `headlines`.
        counted: Counts that a page's description may have, by path within a language.
    """
    nothing = re.compile(r"(?!)")
    for name, page in pages.items():
        if name.partition("/")[0] not in codes:
            continue
        shown = {number for figure in page.figures for number in numbers(figure.text, nothing)}
        shown |= set(counted.get(name.partition("/")[2].removesuffix("index.html"), ()))
        found = [*_unfilled(page), *_described(page, shown, said, allowed)]
        found += _in_prose(page, allowed) if _PROSE.fullmatch(name) else ()
        yield from ((name, fault) for fault in found)


def _unfilled(page: Read) -> Iterator[str]:
    for text in (page.title, *page.described, *page.prose):
        if found := _UNFILLED.search(text):
            yield f"the placeholder {found[0]!r} in {_short(text)!r} was not filled"


def _described(
    page: Read,
    shown: Collection[str],
    said: Mapping[tuple[str, str], str],
    allowed: re.Pattern[str],
) -> Iterator[str]:
    for chart, alt in page.alts:
        if (wanted := said.get((chart, page.language), alt)) != alt:
            yield f"a picture of {chart} says {alt!r}, its meta.json {wanted!r}"
    for text in dict.fromkeys(page.described):
        if text in said.values():
            continue
        for number in dict.fromkeys(numbers(text, allowed)):
            if number not in shown and not set(number.split("\u00a0")) <= set(shown):
                yield (
                    f"the figure {number!r} in the description {_short(text)!r} is shown by no "
                    "<data> of the page"
                )


def _in_prose(page: Read, allowed: re.Pattern[str]) -> Iterator[str]:
    for text in page.prose:
        for number in dict.fromkeys(numbers(text, allowed)):
            yield (
                f"the figure {number!r} in {_short(text)!r} stands outside <data>; write it with "
                'fig("...")'
            )


def _short(text: str) -> str:
    plain = re.sub(r"\s+", " ", text).strip()
    return plain if len(plain) <= 80 else f"{plain[:77]}..."  # noqa: PLR2004 - a line tells enough


def withdrawn(
    pages: Mapping[str, Read], codes: Collection[str], runs: Mapping[str, str]
) -> Iterator[Fault]:
    """Yields withdrawn runs whose figures are, without the class `ts-withdrawn`, on another page
    than their own; `runs` has the path of that.
    """
    for name, page in pages.items():
        if name.partition("/")[0] not in codes:
            continue
        for run, home in runs.items():
            begins = re.compile(rf"\brun:{re.escape(run)}:")
            own = name.partition("/")[2] == f"{home}index.html"
            if not own and any(
                begins.search(figure.ref) and not figure.withdrawn for figure in page.figures
            ):
                yield (
                    name,
                    f"shows figures of the run {run}, which was withdrawn, without marking them by "
                    "the class ts-withdrawn",
                )
