"""Words that are avoided, language by language: `site_src/content/words.<language>.csv`, a regular
expression and what to write instead.
"""

import csv
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

import pytest

from site_src.locales import LANGUAGES
from site_src.locales.strings import read_words

SITE = Path(__file__).parents[3] / "site_src"


def avoided(language: str) -> list[tuple[str, str]]:
    """What a language avoids, and what it writes instead."""
    with (SITE / "content" / f"words.{language}.csv").open(encoding="utf-8", newline="") as file:
        return [(row["avoid"], row["use"]) for row in csv.DictReader(file)]


def texts(language: str) -> Iterator[tuple[str, str]]:
    """Each line of a language's strings, texts and reports' words with its place."""
    for path in sorted((SITE / "content").rglob("words.csv")):
        for key, text in read_words(path, [language])[language].items():
            yield f"{path.parent.name}/{path.name}:{key}", text
    for path in (
        SITE / "strings" / f"{language}.toml",
        *sorted((SITE / "content" / language).rglob("*.md")),
    ):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if not line.startswith("#") or path.suffix == ".md":
                yield f"{path.name}:{number}", line


def found(rules: Iterable[tuple[str, str]], lines: Iterable[tuple[str, str]]) -> list[str]:
    """The places where a line has what a rule avoids."""
    known = [(re.compile(avoid), use) for avoid, use in rules]
    return [
        f"{place}: {said.group()!r}; write {use}"
        for place, line in lines
        for avoid, use in known
        if (said := avoid.search(line))
    ]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_has_a_word_to_avoid(language: str) -> None:
    """Strings and texts use none of the words that their language's list avoids."""
    assert found(avoided(language), texts(language)) == []


@pytest.mark.parametrize(
    ("language", "line", "use"),
    [
        ("en", "the picture's line of credit", "credits, credit line"),
        ("es", "conjunto de pruebas: quick", "suite"),
        ("ru", "94,25 примеров/с", "прим./с"),
        ("ja", "T4が四枚のとき", "算用数字：2枚、64回"),
        ("en", "The figures stand only in a picture", "is only in"),
        ("en", "Cost of the trainings in a report", "training runs"),
        ("es", "y supera en {gap} a la otra", "un, el: con artículo"),
        ("ru", "Сравнивать времена до разных целей", "время"),
        (
            "ja",
            "出典は、差を3倍から4倍としています。",
            "出典によると、元記事では、著者は、…に記載があります",
        ),
        ("ja", "もとになる事実なしに出典が示す比率", "出典に記載の、元記事で"),
        ("ja", "JPY {n}/時", "{n}円"),
    ],
)
def test_a_word_to_avoid_is_found(language: str, line: str, use: str) -> None:
    """A line that says such a word is named with what to write instead."""
    [complaint] = found(avoided(language), [("here:1", line)])

    assert complaint.startswith("here:1: ")
    assert complaint.endswith(f"write {use}")
