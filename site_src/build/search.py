"""The site's own search: an index a language, looked up in the browser without a request that a
foreign host or a file could refuse. Titles and headings come first, as a small script that answers
at once; a second one has the words of the text and the text itself.

Words are reduced to stems here, at build time, and the index carries the vocabulary: the browser
needs no stemmer, it finds what the reader typed among the words of the pages (the word, one that it
begins, or one that it shares its beginning with) and takes their stem. Japanese has no spaces: each
run of one script is indexed by its pairs of characters.
"""

import json
import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from html import unescape
from itertools import chain, pairwise
from typing import Final

import snowballstemmer  # type: ignore[import-untyped]  # it brings no types

from site_src.model import Asset, Page

SCHEMA_VERSION: Final = "4.0"
SHOWN: Final = 1200  # characters of a section that are kept for snippets
NAMES: Final = {"": "touchstoneSearch", ".text": "touchstoneSearchText"}
"""What a script of an index is called in its file's name, and what in the browser."""
_START = re.compile(f"window\\.(?:{'|'.join(NAMES.values())})=")
_END: Final = ";\n"

_WEIGHTS: Final = {"title": 8, "heading": 5}
_OFTEN: Final = 5  # a word's tenth occurrence in a section says no more than its fifth

_STEMMERS: Final = {
    "da": "danish", "de": "german", "en": "english", "es": "spanish", "fi": "finnish",
    "fr": "french", "hu": "hungarian", "it": "italian",
    "nl": "dutch", "no": "norwegian", "pt": "portuguese", "ro": "romanian", "ru": "russian",
    "sv": "swedish", "tr": "turkish",
}  # fmt: skip

_HEADING = re.compile(r"<h([1-6])\b([^>]*)>(.*?)</h\1>", re.DOTALL | re.IGNORECASE)
_ID = re.compile(r"""\bid=(["'])(.*?)\1""")
_SILENT = re.compile(
    r"<(script|style|svg|template)\b.*?</\1>|<!--.*?-->|<a [^>]*headerlink[^>]*>.*?</a>|<code "
    r"class=\"ts-share-code\".*?</code>",
    re.DOTALL | re.IGNORECASE,
)
"""What nobody looks for: what is not read, and code for posts."""
_DATA = re.compile(r"""<data\b[^>]*?\bvalue=["']([^"']+)["'][^>]*>""")
_TAG = re.compile(r"</?[a-zA-Z][^>]*>")
_INLINE = re.compile(
    r"</?(?:abbr|a|bdi|bdo|b|cite|code|data|del|dfn|em|ins|i|kbd|mark|q|small|span|strong|sub|sup|s|time|u|var)(?![a-zA-Z0-9])[^>]*>",
    re.IGNORECASE,
)
_SPACE = re.compile(r"\s+")
_LATIN = re.compile("[\u00c0-\u024f\u1e00-\u1eff]")
_TOKEN = re.compile(
    "[\u3400-\u9fff\uf900-\ufaff\u3005\u3006]+|[\u3041-\u309f]+|[\u30a0-\u30ff]+|[0-9]+(?:[.,][0-9]+)*|"
    "[^\\W\\d_\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff][^\\W_\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]*"
)
_EAST_ASIAN = re.compile("[\u3005\u3006\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff]")
_CYRILLIC = re.compile("[\u0400-\u04ff]")


@dataclass(frozen=True, slots=True)
class Entry:
    """One section of a page; `values` are the machine values of its figures, which a reader may
    type without the language's grouping.
    """

    path: str
    anchor: str
    title: str
    heading: str
    text: str
    values: tuple[str, ...] = ()


def entries(page: Page) -> list[Entry]:
    """The sections of a page that have an anchor of their own, the page's beginning first; a light
    page is one entry.
    """
    if page.shell == "light":
        return [Entry(page.path, "", page.title, "", page.description)]
    body = _SILENT.sub(" ", page.body)
    found: list[Entry] = []
    anchor, heading, start = "", "", 0
    for match in _HEADING.finditer(body):
        named = _ID.search(match[2])
        if named is None and int(match[1]) > 1:
            continue
        _add(found, page, anchor, heading, body[start : match.start()])
        first = int(match[1]) == 1
        anchor, heading = (
            ("", "") if first or named is None else (unescape(named[2]), _text(match[3]))
        )
        start = match.end()
    _add(found, page, anchor, heading, body[start:])
    return found or [Entry(page.path, "", page.title, "", page.description)]


def _add(found: list[Entry], page: Page, anchor: str, heading: str, html: str) -> None:
    text = _text(html)
    if text or heading:
        found.append(
            Entry(page.path, anchor, page.title, heading, text, tuple(_DATA.findall(html)))
        )


def _text(html: str) -> str:
    """Text of a piece of HTML; tags within a sentence leave no space, the others do."""
    plain = _TAG.sub(" ", _INLINE.sub("", html))
    return _SPACE.sub(" ", unescape(plain)).strip()


def fold(text: str) -> str:
    """Lower case, without accents on Latin letters and with е for ё; the search's script does the
    same to what is typed.
    """
    lower = unicodedata.normalize("NFKC", text).lower().replace("ё", "е")
    return _LATIN.sub(lambda match: unicodedata.normalize("NFD", match[0])[0], lower)


def tokens(text: str) -> list[str]:
    """Words, numbers and runs of one East Asian script, in order, in lower case with accents."""
    return _TOKEN.findall(unicodedata.normalize("NFKC", text).lower())


def pairs(run: str) -> list[str]:
    """The pairs of neighbouring characters of an East Asian run; a single character stands for
    itself.
    """
    return [run[i : i + 2] for i in range(len(run) - 1)] or [run]


@cache
def _stemmer(name: str) -> Callable[[str], str]:
    stem: Callable[[str], str] = cache(snowballstemmer.stemmer(name).stemWord)
    return stem


def stem(word: str, language: str) -> str:
    """Stem of a word by its script and the page's language, accents folded. Latin words on Russian
    and Japanese pages are English ones.
    """
    own = _STEMMERS.get(language.partition("-")[0].lower(), "")
    cyrillic = bool(_CYRILLIC.search(word))
    name = own if own and cyrillic == (own == "russian") else "" if cyrillic else "english"
    return fold(_stemmer(name)(word) if name and word.isalpha() else word)


def index(language: str, found: Sequence[Entry]) -> Iterator[Asset]:
    """The index of a language as classic scripts, which pages load from anywhere: each a table as
    JSON, and a name for it.
    """
    tables = (titles_of(language, found), texts_of(language, found))
    for (part, name), table in zip(NAMES.items(), tables, strict=True):
        text = json.dumps(table, ensure_ascii=False, separators=(",", ":"))
        yield Asset(f"search/{language}{part}.js", f"window.{name}={text}{_END}".encode())


def read(script: str) -> dict[str, object]:
    """The table of a script of an index.

    Raises:
        ValueError: It is none.
    """
    found: dict[str, object] = json.loads(_START.sub("", script, count=1).removesuffix(_END))
    return found


def titles_of(language: str, found: Sequence[Entry]) -> dict[str, object]:
    """What is looked up at once, as a JSON value: the words of titles and headings (`words_of`).

    `pages`: [path, title]; `sections`: [number of its page, anchor, heading].
    """
    pages = {page: at for at, page in enumerate(dict.fromkeys(map(_page, found)))}
    return {
        "schema_version": SCHEMA_VERSION,
        "language": language,
        "pages": list(map(list, pages)),
        "sections": [[pages[_page(entry)], entry.anchor, entry.heading] for entry in found],
        **words_of(language, [replace(entry, text="", values=()) for entry in found]),
    }


def texts_of(language: str, found: Sequence[Entry]) -> dict[str, object]:
    """What comes after that and takes the place of its words, as a JSON value: all words, and
    `texts`, that of each section, by lines.
    """
    return {"texts": _lines(entry.text[:SHOWN] for entry in found), **words_of(language, found)}


def words_of(language: str, found: Sequence[Entry]) -> dict[str, object]:
    """The words of sections. Each value is one text of many lines, which a browser reads in a
    fifth of the time that it takes for a list.

    `words`: the folded words, in the order in which a browser compares texts; `meanings`: of each
    of them the numbers of its stems; `stems`: for each stem the sections that have it, in their
    order, as `written` has them.
    """
    postings: defaultdict[str, dict[int, int]] = defaultdict(dict)
    met: set[str] = set()
    plain: set[str] = set()
    for number, entry in enumerate(found):
        weights: Counter[str] = Counter()
        for text, weight in (
            (entry.title, _WEIGHTS["title"]),
            (entry.heading, _WEIGHTS["heading"]),
            (entry.text, 1),
        ):
            read = tokens(text)
            met.update(read)
            keys = chain.from_iterable(_stems(token, language) for token in read)
            for key, count in Counter(keys).items():
                weights[key] += weight * (count if count < _OFTEN else _OFTEN)
        values = [value.removesuffix(".0") for value in entry.values]
        weights.update(values)
        plain.update(values)
        for key, sum_ in weights.items():
            postings[key][number] = sum_
    words: defaultdict[str, set[str]] = defaultdict(set)
    for word, key in chain(
        ((value, value) for value in plain),
        chain.from_iterable(_keys(token, language) for token in met),
    ):
        words[word].add(key)
        words[key].add(key)  # what is typed may be this stem with another ending
    stems = sorted(postings)
    numbers = {key: position for position, key in enumerate(stems)}
    vocabulary = sorted(words, key=lambda word: word.encode("utf-16-be"))
    return {
        "words": _lines(vocabulary),
        "meanings": _lines(
            " ".join(map(str, sorted(numbers[key] for key in words[word]))) for word in vocabulary
        ),
        "stems": _lines(written(postings[key]) for key in stems),
    }


def _lines(texts: Iterable[str]) -> str:
    return "\n".join(text.replace("\n", " ") for text in texts)


def _page(entry: Entry) -> tuple[str, str]:
    return entry.path, entry.title


def written(weights: Mapping[int, int]) -> str:
    """Sections and what a stem weighs in each, as text: how far each is from the one before, and
    the weight where it is not 1: "3 2*8" is 1 in section 3 and 8 in section 5.
    """
    places = list(weights)
    gaps = [place - before for before, place in pairwise([0, *places])]
    return " ".join(
        str(gap) if weight == 1 else f"{gap}*{weight}"
        for gap, weight in zip(gaps, weights.values(), strict=True)
    )


@cache
def _stems(token: str, language: str) -> tuple[str, ...]:
    """The keys that a token is indexed under."""
    return tuple(key for _, key in _keys(token, language))


@cache
def _keys(token: str, language: str) -> tuple[tuple[str, str], ...]:
    """(word as typed, key that it is indexed under) of a token."""
    if _EAST_ASIAN.search(token):
        return tuple((pair, pair) for pair in pairs(token))
    return ((fold(token), stem(token, language)),)
