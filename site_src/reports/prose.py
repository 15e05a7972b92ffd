"""Handwritten prose: Markdown split into sections, and checks of its content.

A file begins with `# Title`; each section with `## Heading {#id}`, the same ids in the same order
in every language. A line `***` marks the place of pictures and tables between two parts of a
section's text. Figures come from `{{ fig("...") }}`: handwritten digits are refused, unless part of
a name that `names.txt` lists.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from html import unescape
from itertools import zip_longest
from pathlib import Path
from typing import Final

import markdown

from kernels.errors import TouchstoneError
from kernels.reading import note

BREAK: Final = "***"
_HEADING = re.compile(r"^##[ \t]+(?P<title>.+?)[ \t]*\{#(?P<id>[a-z0-9-]+)\}[ \t]*$", re.MULTILINE)
_REFERENCE: Final = "en"
_EXTENSIONS: Final = ("tables", "attr_list", "def_list", "sane_lists")


class ProseError(TouchstoneError):
    """An invalid text of `content/`; names file and line."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a text: `parts` are Markdown with unfilled figures, cut at the lines `***`."""

    id: str
    title: str
    parts: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Prose:
    """One text in one language.

    Attributes:
        path: The file, named in errors.
        title: Of the page; plain text.
        lead: Text between the title and the first section, as Markdown.
        sections: By id, in order.
    """

    path: Path
    title: str
    lead: str
    sections: Mapping[str, Section]


def read(path: Path) -> Prose:
    """A text of `content/`.

    Raises:
        ProseError: The file is missing, or lacks its title, or a heading lacks its id, or an id
            occurs twice.
    """
    note("text", str(path))
    try:
        return _read(path, path.read_text(encoding="utf-8").replace("\r\n", "\n"))
    except FileNotFoundError:
        raise ProseError(
            f"{path}: there is no such text; each language needs the same files as English"
        ) from None


@lru_cache(maxsize=512)
def _read(path: Path, text: str) -> Prose:
    title, _, rest = text.lstrip().partition("\n")
    if not title.startswith("# ") or not title[2:].strip():
        raise ProseError(f"{path}:1: found {title[:40]!r}, wanted '# ' and the title of the page")
    for number, line in enumerate(rest.split("\n"), 2):
        if re.match(r"#{1,2}[^#]", line) and not _HEADING.fullmatch(line):
            raise ProseError(
                f"{path}:{number}: {line!r} needs an id, the same in each language: '## Heading "
                f"{{#id}}'"
            )
    pieces = list(_HEADING.finditer(rest))
    sections: dict[str, Section] = {}
    for piece, following in zip_longest(pieces, pieces[1:]):
        body = rest[piece.end() : following.start() if following else len(rest)]
        if piece["id"] in sections:
            raise ProseError(f"{path}: the section {piece['id']!r} stands twice")
        sections[piece["id"]] = Section(piece["id"], piece["title"], cut(body))
    return Prose(
        path,
        title[2:].strip(),
        rest[: pieces[0].start() if pieces else len(rest)].strip(),
        sections,
    )


def cut(text: str) -> tuple[str, ...]:
    """The parts of a text between lines `***`."""
    return tuple(part.strip() for part in re.split(r"^\*\*\*[ \t]*$", text, flags=re.MULTILINE))


def html(text: str) -> str:
    """Markdown with its figures filled, as HTML."""
    return _converter().reset().convert(text)


@cache
def _converter() -> markdown.Markdown:
    """One for all texts: making it takes longer than converting a paragraph."""
    return markdown.Markdown(extensions=list(_EXTENSIONS), output_format="html")


def plain(text: str) -> str:
    """HTML as text: for descriptions and counts of words."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", text)).strip()


def unmarked(text: str) -> str:
    """HTML as text, with its spaces, including no-break ones."""
    return unescape(re.sub(r"<[^>]+>", "", text))


def brief(text: str, most: int = 200) -> str:
    """As many whole sentences of a text as fit, or else words of its first sentence: for
    descriptions.
    """
    if len(text) <= most:
        return text
    ends = [found.end() for found in re.finditer(r"[.!?](?= )|。", text) if found.end() <= most]
    return (
        text[: ends[-1]] if ends else f"{text[: most - 1].rpartition(' ')[0] or text[: most - 1]}…"
    )


def words(text: str) -> int:
    """The number of words; a script without spaces counts two characters as a word."""
    unspaced = len(re.findall(r"[\u3040-\u30ff\u3400-\u9fff]", text))
    # 7 092 is one word
    spaced = re.sub(r"[\u3040-\u30ff\u3400-\u9fff]", " ", re.sub(r"(?<=\d)\s(?=\d{3}\b)", "", text))
    return len(re.findall(r"[^\W_]+(?:[-'’.,][^\W_]+)*", spaced)) + unspaced // 2


_CALL = re.compile(r"\{\{.*?\}\}|\{%.*?%\}", re.DOTALL)
_CODE = re.compile(
    r"(?m:^[ \t]*\d+\.[ \t])|```.*?```|`[^`]*`|\]\([^)]*\)|\{#[a-z0-9-]+\}|<!--.*?-->", re.DOTALL
)

_LINK = re.compile(r"""(?:\]\(|\]:|\b(?:href|src)=)\s*["'<]?([A-Za-z][A-Za-z0-9+.-]*):""")
"""The scheme of a link or picture."""

_COUNTERS = (
    "枚|基|個|つ|回|台|種類|倍|か月|サイクル|番目|件|項目|行|時間|か所|文字|段階"
    "|サンプル|エポック|ステップ|通り|構成|チップ|位|日前|年以上|語|コア|層|バッチ"
    "|秒間|秒あたり|秒ほど|分ほど|年以内|本|スロット|割|テラバイト|ラウンド"
)
COUNTED: Final = re.compile(rf"(?<![\d.,])\d{{1,2}}(?:分の\d|(?={_COUNTERS}))")
"""In Japanese, words of other languages are written with digits: two cards are 2枚, a quarter is
4分の1.
"""


def _blank(found: re.Match[str]) -> str:
    return re.sub(r"[^\n]", " ", found.group())


def lint(folder: Path) -> Iterator[str]:
    """Yields errors of the texts below `folder`: literal figures, links that run code, missing
    files, other sections or figures.

    Args:
        folder: `content/`, with a folder for each language and `names.txt`, a name a line, that may
            contain digits.
    """
    names = sorted(
        filter(None, (folder / "names.txt").read_text(encoding="utf-8").split("\n")),
        key=len,
        reverse=True,
    )
    allowed = re.compile(
        "|".join(
            rf"(?<![0-9A-Za-z]){re.escape(name)}(?![0-9])"
            for name in names
            if not name.startswith("#")
        )
    )
    originals = {
        path.relative_to(folder / _REFERENCE): path
        for path in sorted((folder / _REFERENCE).rglob("*.md"))
    }
    for language in sorted(
        path.name for path in folder.iterdir() if path.is_dir() and any(path.rglob("*.md"))
    ):
        found = {
            path.relative_to(folder / language): path
            for path in sorted((folder / language).rglob("*.md"))
        }
        yield from (
            f"{folder / language / name}: missing; {_REFERENCE} has it"
            for name in sorted(originals.keys() - found.keys())
        )
        yield from (
            f"{path}: {_REFERENCE} has no such text"
            for name, path in found.items()
            if name not in originals
        )
        for name, path in found.items():
            text = path.read_text(encoding="utf-8")
            found_here = [*_running_links(text), *_bare_figures(text, language, allowed)]
            yield from (f"{path}:{number}: {fault}" for number, fault in found_here)
            if name in originals:
                yield from _differences(read(path), read(originals[name]))


def _running_links(text: str) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(text.split("\n"), 1):
        for scheme in _LINK.findall(line):
            if scheme.lower() not in {"http", "https"}:
                yield number, f"a link to {scheme}:, wanted http, https, or a page of the site"


def _bare_figures(text: str, language: str, allowed: re.Pattern[str]) -> Iterator[tuple[int, str]]:
    bare = _CODE.sub(_blank, _CALL.sub(_blank, text))
    counted = COUNTED.sub(_blank, bare) if language == "ja" else bare
    for number, line in enumerate(allowed.sub(_blank, counted).split("\n"), 1):
        if digits := re.search(r"\d+(?:[.,]\d+)*", line):
            yield (
                number,
                f'figure {digits.group()!r} by hand; use {{{{ fig("...") }}}}, or add a name to '
                "names.txt",
            )


def _differences(text: Prose, original: Prose) -> Iterator[str]:
    if list(text.sections) != list(original.sections):
        yield (
            f"{text.path}: sections {', '.join(text.sections)}; {original.path} has "
            f"{', '.join(original.sections)}"
        )
        return
    for section in (Section("", "", cut(original.lead)), *original.sections.values()):
        other = text.sections[section.id] if section.id else Section("", "", cut(text.lead))
        if len(other.parts) != len(section.parts):
            yield (
                f"{text.path}: section {section.id or 'lead'!r} has {len(other.parts)} parts "
                f"between '***', {original.path} {len(section.parts)}"
            )
        wanted, got = (
            sorted(_CALL.findall("\n".join(parts))) for parts in (section.parts, other.parts)
        )
        if wanted != got:
            lost = sorted(set(wanted) - set(got)) or sorted(set(got) - set(wanted)) or got
            yield (
                f"{text.path}: section {section.id or 'lead'!r} does not show the same figures "
                f"and links as {original.path}: {lost[0]}"
            )
