"""The site's own search: an index for each language, searched in the browser without requests that
a host or a file URL could refuse. Names come first: a small script has each page's title, other
names of its subject, and its key figure. The index of the text is split into files, of which the
browser loads those with the typed words.

Words are stemmed at build time, and the index has their forms: the browser needs no stemmer, as it
finds the typed words among the forms. Japanese has no spaces: each run of one script is indexed by
its pairs of characters. Names with numbers are units, however they are written: DGX-1, 2080 Ti,
v100.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from hashlib import sha256
from html import unescape
from itertools import groupby, pairwise
from typing import Any, Final

import snowballstemmer  # type: ignore[import-untyped]  # it brings no types

from site_src.model import Asset, Page

SCHEMA_VERSION: Final = "5.0"
SHOWN: Final = 1200  # characters of a section that are kept for snippets
PART: Final = 60_000
"""Characters of a file of the index: a few dozen kilobytes, a third when compressed."""
_START: Final = "(window.touchstoneSearch??={})"
_SCRIPT: Final = re.compile(rf'{re.escape(_START)}\["[^"]+"\]=(.*);\n', re.DOTALL)

_HEADED: Final = 8
"""Weight of a word in a heading; in the text it is one."""
_OFTEN: Final = 5  # more occurrences in a section add nothing
_STEMMERS: Final = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip

_HEADING = re.compile(r"<h([1-6])\b([^>]*)>(.*?)</h\1>", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"""\bid=(["'])(.*?)\1""")
_SILENT = re.compile(
    r"<(script|style|svg|template|form|label|select|sup)\b.*?</\1>|<!--.*?-->"
    r"|<a [^>]*headerlink[^>]*>.*?</a>|<(\w+) [^>]*\bts-no-print\b[^>]*>.*?</\2>"
    r'|<ul class="ts-links ts-tools".*?</details>.*?</ul>|<div class="ts-sharing".*?(?=<h2\b|\Z)'
    r'|<code class="ts-share-code".*?</code>|<button\b(?![^>]*\bdata-series=)[^>]*>.*?</button>',
    re.DOTALL | re.IGNORECASE,
)
"""Parts that are not searched: invisible ones, controls, ways to share, note marks. A button of a
legend names a series, often the only place that does.
"""
_DATA = re.compile(r"""<data\b[^>]*?\bvalue=["']([^"']+)["'][^>]*>""")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_INLINE = re.compile(
    r"</?(?:abbr|a|bdi|bdo|b|cite|code|data|del|dfn|em|ins|i|kbd|mark|q|small|strong|sub|s|time|u|var"
    r'|span(?! class="ts-(?:note|leaders)))(?![a-zA-Z0-9])[^>]*>',
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+")
_LATIN = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_EAST_ASIAN = re.compile("[\u3005\u3006\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")
_PIECE = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3005\u3006]+|[\u3041-\u309f]+|[\u30a0-\u30ff]+|"
    "[0-9]+(?:[.,][0-9]+)*|[^\\W\\d_\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]+"
)
"""Runs of one East Asian script, numbers, and runs of letters."""
_WORDS = r"(?<=[^\W\d_]) (?=[A-UW-Za-uw-z\u0400-\u04ff])|(?<=\d) (?=[a-uw-z\d])| [×·:;|()%+]+ "
_APART = {True: re.compile(_WORDS), False: re.compile(_WORDS + r"|(?<=[a-zа-я]) (?=\d)")}
"""Splits a name, or a text, between words that are not one unit; v3 belongs to TPU."""
_LIKE: Final = str.maketrans("авекмнорстух", "abekmhopctyx")
"""Cyrillic letters that look like Latin ones: А100 is A100."""
_SHORT: Final = 2
"""Most letters that belong to the number before them, as in 2080 Ti."""
_HYPHEN: Final = frozenset("/-\u2010\u2011\u2012\u2013")


Words = Mapping[str, tuple[int, tuple[str, ...]]]
"""The weight of each key in a thing, and the other forms of the key there."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A section of a page; `text` is the part that is shown."""

    anchor: str
    heading: str
    text: str
    words: Words


@dataclass(frozen=True, slots=True)
class Found:
    """A page in the search: its key figure as text, its number of results, its sections, and the
    words of its title and of other names of its subject.
    """

    path: str
    title: str
    names: tuple[Words, ...]
    figure: str
    results: int
    sections: tuple[Entry, ...]


def found(page: Page) -> Found:
    """A page as the search has it."""
    names = (words_of([(name, 1, True)], page.language) for name in (page.title, *page.names))
    return Found(
        page.path,
        page.title,
        tuple(names),
        _text(page.figure),
        page.results,
        tuple(entries(page)),
    )


def entries(page: Page) -> list[Entry]:
    """The sections of a page that have an anchor, the page's beginning first; a light page has only
    its name.
    """
    if page.shell == "light":
        return []
    body = _SILENT.sub(" ", page.body)
    sections: list[Entry] = []
    anchor, heading, start = "", "", 0
    for match in _HEADING.finditer(body):
        named = _ID.search(match[2])
        if named is None and int(match[1]) > 1:
            continue
        sections += _entry(anchor, heading, body[start : match.start()], page.language)
        first = int(match[1]) == 1
        anchor, heading = (
            ("", "") if first or named is None else (unescape(named[2]), _text(match[3]))
        )
        start = match.end()
    return [*sections, *_entry(anchor, heading, body[start:], page.language)]


def _entry(anchor: str, heading: str, html: str, language: str) -> Iterator[Entry]:
    """Yields a section, unless empty. Machine values of its figures are indexed too: readers may
    type them without the language's digit grouping.
    """
    text = _text(html)
    if text or heading:
        values = (value.removesuffix(".0") for value in _DATA.findall(html))
        weighed = (heading, _HEADED, True), (text, 1, False)
        yield Entry(anchor, heading, text[:SHOWN], words_of(weighed, language, values))


def _text(html: str) -> str:
    """Text of a piece of HTML; tags within a sentence leave no space, others do."""
    plain = _TAG.sub(" ", _INLINE.sub("", html))
    return _SPACE.sub(" ", unescape(plain)).strip()


def fold(text: str) -> str:
    """Lower case, without accents on Latin letters and with е for ё; the search's script does the
    same to typed words.
    """
    lower = unicodedata.normalize("NFKC", text).lower().replace("ё", "е")
    return _LATIN.sub(lambda match: unicodedata.normalize("NFD", match[0])[0], lower)


@cache
def _stemmer(name: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = cache(snowballstemmer.stemmer(name).stemWord)
    return stem


def stem(word: str, language: str) -> str:
    """Stem of a word by its script and the page's language, accents folded. Latin words on Russian
    and Japanese pages are treated as English.
    """
    own = _STEMMERS.get(language.partition("-")[0].lower(), "")
    cyrillic = bool(_CYRILLIC.search(word))
    name = own if own and cyrillic == (own == "russian") else "" if cyrillic else "english"
    return fold(_stemmer(name)(word) if name else word)


@cache
def _of_word(word: str, language: str) -> tuple[tuple[str, str], ...]:
    """The forms of a piece, each with its key in the index."""
    if _EAST_ASIAN.search(word):
        pairs = [word[i : i + 2] for i in range(len(word) - 1)] or [word]
        return tuple((pair, pair) for pair in pairs)
    lower = word.lower()
    return ((fold(word), stem(lower, language) if lower.isalpha() else fold(word)),)


def keys(text: str, language: str, *, named: bool = False) -> Counter[tuple[str, str]]:
    """Counts the forms in a text, each with its key in the index: stems of words, numbers, and
    names with numbers as units.

    Args:
        text: As written.
        language: Of the page.
        named: True for a name or a heading, in which a number belongs to the word before it (Llama
            2); in a text it does so only after capitals (DGX 1).
    """
    found: Counter[tuple[str, str]] = Counter()
    for part, times in Counter(_APART[named].split(unicodedata.normalize("NFKC", text))).items():
        for both in _keys(part, language, named=named):
            found[both] += times
    return found


@lru_cache(maxsize=2**15)  # most pages share their words
def _keys(text: str, language: str, *, named: bool) -> tuple[tuple[str, str], ...]:
    """The forms of a part of a text, in order, with their keys."""
    return tuple(_in_order(text, language, named=named))


def _in_order(text: str, language: str, *, named: bool) -> Iterator[tuple[str, str]]:
    pieces = list(_PIECE.finditer(text))
    gaps = [text[a.end() : b.start()] for a, b in pairwise(pieces)]
    for at, piece in enumerate(pieces):
        word, number = piece[0], piece[0][0].isdigit()
        beside = [
            other
            for gap, other in ((at - 1, at - 1), (at, at + 1))
            if 0 <= gap < len(gaps) and gaps[gap] == ""
        ]
        glued = any(pieces[other][0][0].isdigit() != number for other in beside)
        east = _EAST_ASIAN.search(word) or any(_EAST_ASIAN.search(pieces[o][0]) for o in beside)
        if not glued or east or (number and len(word) > _SHORT):
            yield from _of_word(word, language)
        parted = number and gaps[at : at + 1] != [""]
        if parted and gaps[at + 1 : at + 2] == [""] and pieces[at + 2][0][0].isdigit():
            continue  # 4 V100
        if at < len(gaps) and _are_one(word, gaps[at], pieces[at + 1][0], named=named):
            unit = _unit(word, gaps[at], pieces[at + 1][0])
            yield unit, unit
            if fold(word) == "v" and at and gaps[at - 1] in {" ", "-"}:  # TPU v3 is TPUv3
                before = fold(pieces[at - 1][0]).translate(_LIKE) + unit
                yield before, before


def _are_one(first: str, gap: str, second: str, *, named: bool) -> bool:
    """True if two pieces are one unit."""
    if _EAST_ASIAN.search(first + second):
        return False
    if first[0].isdigit() == second[0].isdigit():
        return first[0].isdigit() and gap in _HYPHEN
    if gap == " " and first[0].isdigit():
        return len(second) <= _SHORT and second[0].isupper()
    if gap == " ":
        return first[0].isupper() and (named or first.isupper())
    return gap == "" or gap in _HYPHEN


def _unit(first: str, gap: str, second: str) -> str:
    both = first[0].isdigit() and second[0].isdigit()
    return f"{fold(first)}{'-' if both and gap else ''}{fold(second)}".translate(_LIKE)


Weighed = tuple[str, int, bool]
"""A text, the weight of its words, and True for a name or a heading."""


def words_of(texts: Iterable[Weighed], language: str, values: Iterable[str] = ()) -> Words:
    """The index words of a thing with these texts and values."""
    forms: defaultdict[str, set[str]] = defaultdict(set)
    weights: Counter[str] = Counter(dict.fromkeys(values, 1))
    for text, weight, named in texts:
        for (form, key), count in keys(text, language, named=named).items():
            forms[key].add(form)
            weights[key] += weight * (count if count < _OFTEN else _OFTEN)
    return {key: (sum_, tuple(sorted(forms[key] - {key}))) for key, sum_ in weights.items()}


def lines(things: Iterable[Words]) -> dict[str, str]:
    """A line for each key, in the order in which browsers compare strings: the forms of the key, a
    tab, and the things that have it (`written`).
    """
    postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
    forms: defaultdict[str, set[str]] = defaultdict(set)
    for number, words in enumerate(things):
        for key, (weight, others) in words.items():
            postings[key][number] = weight
            forms[key].update(others)
    order = sorted(postings, key=lambda key: key.encode("utf-16-be"))
    return {
        key: f"{' '.join((key, *sorted(forms[key])))}\t{written(postings[key])}" for key in order
    }


def written(weights: Mapping[int, int]) -> str:
    """Things and their weights as text: the distance of each from the one before, and the weight
    unless it is 1: "3 2*8" is 1 in thing 3 and 8 in thing 5.
    """
    gaps = [place - before for before, place in pairwise([0, *weights])]
    return " ".join(
        str(gap) if weight == 1 else f"{gap}*{weight}"
        for gap, weight in zip(gaps, weights.values(), strict=True)
    )


def index(language: str, pages: Sequence[Found]) -> list[Asset]:
    """The index of a language as classic scripts, which also load from a file.

    The first is a table: `pages` has a line for each page, its path, title, key figure, number of
    results and number of sections; `words` the `lines` for their names, which `phrases` lists: the
    number of keys in the title of each page, then of each other name with the number of its page.
    `parts` names the files that have the lines for the words of all sections, each with its first
    key; `texts` those that have each section's anchor, heading and text, each with the number of
    its first section.
    """
    sections = [entry for page in pages for entry in page.sections]
    parts = _parts(lines(entry.words for entry in sections).items())
    words = [(key, _file(language, part)) for key, part in parts]
    told = ((at, _line(one.anchor, one.heading, one.text)) for at, one in enumerate(sections))
    texts = [(at, _file(language, part)) for at, part in _parts(told)]
    titles = [page.names[0] for page in pages]
    others = [(at, name) for at, page in enumerate(pages) for name in page.names[1:]]
    names = lines([*titles, *(name for _, name in others)])
    table = {
        "schema_version": SCHEMA_VERSION,
        "language": language,
        "pages": "\n".join(
            _line(page.path, page.title, page.figure, page.results, len(page.sections))
            for page in pages
        ),
        "phrases": [*map(len, titles), *([len(name), at] for at, name in others)],
        "words": "\n".join(names.values()),
        "parts": [(key, file.path) for key, file in words],
        "texts": [(at, file.path) for at, file in texts],
    }
    first = Asset(f"search/{language}.js", _script("names", table))
    return [first, *(file for _, file in (*words, *texts))]


def read(script: str) -> Any:
    """The data in a script of an index.

    Raises:
        ValueError: It has none.
    """
    found = _SCRIPT.fullmatch(script)
    if found is None:
        raise ValueError("no script of a search index")
    return json.loads(found[1])


def listed(script: Callable[[str], str], language: str) -> Iterator[tuple[str, str, list[str]]]:
    """Yields the path of each page of an index, its key figure and the anchors of its sections.

    Args:
        script: Reads a file of the site.
        language: Of the index.

    Raises:
        ValueError: There is no index.
    """
    table = read(script(f"search/{language}.js"))
    texts = [read(script(file)).split("\n") for _, file in table["texts"]]
    anchors = iter([line.split("\t")[0] for lines in texts for line in lines])
    for line in table["pages"].split("\n"):
        path, _, figure, _, sections = line.split("\t")
        yield path, figure, [next(anchors) for _ in range(int(sections))]


def _line(*cells: object) -> str:
    return "\t".join(_SPACE.sub(" ", str(cell)) for cell in cells)


def _parts(lines: Iterable[tuple[Any, str]]) -> Iterator[tuple[Any, str]]:
    """Yields the first key and the lines of each file."""
    size = 0

    def number(line: tuple[Any, str]) -> int:
        nonlocal size
        size += len(line[1])
        return size // PART

    for _, part in groupby(lines, number):
        found = list(part)
        yield found[0][0], "\n".join(text for _, text in found)


def _file(language: str, lines: str) -> Asset:
    name = sha256(lines.encode()).hexdigest()[:8]
    return Asset(f"search/{language}/{name}.js", _script(f"search/{language}/{name}.js", lines))


def _script(name: str, table: object) -> bytes:
    text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
    return f'{_START}["{name}"]={text};\n'.encode()
