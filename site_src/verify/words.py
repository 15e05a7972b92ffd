"""Figures in words outside `<data>`: descriptions, what pictures say, prose; and runs that were
withdrawn.

Held: every figure of `<meta name="description">`, `og:description` and each `alt` of a page in a
language is shown by a `<data>` of that page, as text, or counts what that page lists (runs of a
system or a workload, claims of a source), or stands in a chart's headline as it is made again from
the records; and the paragraphs of report and method pages have no figure outside `<data>`,
`<code>`, `<time>` and `.ts-meta`. Names of `content/names.txt`, of the catalogue and of the records
may hold digits.

Not held here: other pages' paragraphs (they count pages and tell dates), table cells, lists,
headings, and what is folded away, such as the ranges of an audit; figures in `<data>` are held
wherever they stand, by `verify`.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import Final

from site_src.reports.prose import COUNTED
from site_src.verify.html import Read

Fault = tuple[str, str]

_SPACES: Final = " \u00a0\u202f"
_NUMBER: Final = re.compile(rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?!\d)(?:[.,]\d+)?|\d+(?:[.,]\d+)*")
_PROSE: Final = re.compile(r"[^/]+/(?:reports/[^/]+|method)/index\.html")
_NAMES: Final = Path(__file__).resolve().parents[1] / "content" / "names.txt"


def names(more: Collection[str] = ()) -> re.Pattern[str]:
    """What may hold digits: the names of the texts, and `more`, with any kind of space between
    their words.
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
    found = [
        re.sub(r"(?:\\?[ \u00a0\u202f])+", r"[ \\u00a0\\u202f]", re.escape(name))
        for name in sorted(known, key=len, reverse=True)
    ]
    return re.compile(rf"(?<![0-9A-Za-z])(?:{'|'.join(found)})(?!\d)")


def numbers(text: str, allowed: re.Pattern[str]) -> list[str]:
    """Figures of a text as they are written, names left out, one space within a figure like
    another.
    """
    return [
        re.sub(rf"[{_SPACES}]", "\u00a0", number)
        for number in _NUMBER.findall(COUNTED.sub("", allowed.sub("|", text)))
    ]


def words(
    pages: Mapping[str, Read],
    codes: Collection[str],
    allowed: re.Pattern[str],
    headlines: Collection[str] = (),
    counts: Mapping[str, Collection[str]] | None = None,
) -> Iterator[Fault]:
    """(file, fault) for each figure in words that no `<data>` of the page shows.

    Args:
        pages: Pages by path below site/.
        codes: Languages.
        allowed: What may hold digits.
        headlines: Sentences that are held otherwise: what charts say, made again from the records.
        counts: What a page's description may count, by path within a language: runs of a system,
            claims of a source.
    """
    nothing = re.compile(r"(?!)")
    for name, page in pages.items():
        if name.partition("/")[0] not in codes:
            continue
        shown = {number for figure in page.figures for number in numbers(figure.text, nothing)}
        shown |= set((counts or {}).get(name.partition("/")[2].removesuffix("index.html"), ()))
        for text in dict.fromkeys(page.described):
            if text in headlines:
                continue
            for number in dict.fromkeys(numbers(text, allowed)):
                if number not in shown and not shown.issuperset(number.split("\u00a0")):
                    yield (
                        name,
                        f"the figure {number!r} in the description {_short(text)!r} is shown by no "
                        "<data> of the page",
                    )
        if _PROSE.fullmatch(name):
            for text in page.prose:
                for number in dict.fromkeys(numbers(text, allowed)):
                    yield (
                        name,
                        f"the figure {number!r} in {_short(text)!r} stands outside <data>; write "
                        'it with fig("...")',
                    )


def _short(text: str) -> str:
    plain = re.sub(r"\s+", " ", text).strip()
    return plain if len(plain) <= 80 else f"{plain[:77]}..."  # noqa: PLR2004 - a line tells enough


def withdrawn(
    pages: Mapping[str, Read], codes: Collection[str], runs: Collection[str]
) -> Iterator[Fault]:
    """(file, fault) for each withdrawn run whose figures stand on another page than its own,
    unmarked by the class `ts-withdrawn`.
    """
    for name, page in pages.items():
        if name.partition("/")[0] not in codes:
            continue
        for run in runs:
            begins = re.compile(rf"\brun:{re.escape(run)}:")
            own = name.partition("/")[2] == f"runs/{run}/index.html"
            if not own and any(
                begins.search(figure.ref) and not figure.withdrawn for figure in page.figures
            ):
                yield (
                    name,
                    f"shows figures of the run {run}, which was withdrawn, without marking them by "
                    "the class ts-withdrawn",
                )
