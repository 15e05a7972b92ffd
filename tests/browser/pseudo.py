"""Languages that nobody speaks, made from English: accented and longer, written from left to right
and from right to left.

A text without accents on their pages is one that no translator can reach.
"""

import csv
import re
import shutil
from pathlib import Path
from typing import Final

from site_src import locales
from site_src.locales import strings
from tests.site_src import tongues

LONGER: Final = "en-XA"
RIGHT_TO_LEFT: Final = "ar-XB"
DIRECTIONS: Final = {LONGER: "ltr", RIGHT_TO_LEFT: "rtl"}
BABEL: Final = "el"
"""Whose dates and numbers they borrow: no Latin letters, two plural forms as in English, and
letters that the fonts of pictures have.
"""
ACCENTED: Final = str.maketrans(
    "acdeghijklnorstuwyzACDEGHIJKLNORSTUWYZ", "áçďéğĥíĵķĺñöřšťüŵýžÁÇĎÉĞĤÍĴĶĹÑÖŘŠŤÜŴÝŽ"
)
_PLACEHOLDER: Final = re.compile(r"\{\w+\}")
_MARKUP: Final = re.compile(
    r"\{\{.*?\}\}|\{%.*?%\}|\{#.*?\}|<[^>]*>|```.*?```|`[^`]*`|\]\([^)]*\)", re.DOTALL
)
"""What is no text in `content/`: figures, ids, tags, code and addresses."""


def accented(text: str, keep: re.Pattern[str] = _PLACEHOLDER) -> str:
    """The text with accents and doubled vowels, a third longer; what `keep` finds stays as it
    is.
    """
    out, end = [], 0
    for found in [*keep.finditer(text), None]:
        part = text[end : found.start() if found else len(text)]
        out.append(re.sub("[aeiouAEIOU]", lambda vowel: vowel[0] * 2, part).translate(ACCENTED))
        if found:
            out.append(found[0])
            end = found.end()
    return "".join(out)


def copy(source: Path, target: Path) -> tuple[Path, Path]:
    """`strings/` and `content/` of `site_src`, with the languages that nobody speaks added."""
    for name in ("strings", "content"):
        shutil.copytree(source / name, target / name)
    _write_strings(target / "strings")
    for path in (target / "content").rglob("words.csv"):
        path.unlink()
    english = target / "content" / "en"
    for code in DIRECTIONS:
        for path in sorted(english.rglob("*.md")):
            made = target / "content" / code / path.relative_to(english)
            made.parent.mkdir(parents=True, exist_ok=True)
            made.write_text(accented(path.read_text("utf-8"), _MARKUP), encoding="utf-8")
    _write_glossary(target / "content" / "glossary" / "terms.csv")
    # what may hold digits is accented in the texts as well
    names = target / "content" / "names.txt"
    names.write_text(
        "".join(
            f"{name}\n{accented(name)}\n" for name in names.read_text("utf-8").splitlines() if name
        ),
        encoding="utf-8",
    )
    return target / "strings", target / "content"


def _write_strings(folder: Path) -> None:
    # with the words of reports, and for the glossary, which names each language
    names: dict[str, strings.Text] = {f"language.{code}": f"language {code}" for code in DIRECTIONS}
    [locale] = locales.load(folder, ["en"])
    meta, _ = strings.read(locale.path)
    words = {**locale.strings} | names
    tongues.write(locale.path, meta, words)
    for code, direction in DIRECTIONS.items():
        own = {"name": f"{accented(meta['name'])} {code}", "direction": direction, "babel": BABEL}
        tongues.write(
            folder / f"{code}.toml", own, {key: _changed(text) for key, text in words.items()}
        )


def _changed(text: strings.Text) -> strings.Text:
    return (
        accented(text)
        if isinstance(text, str)
        else {form: accented(plural) for form, plural in text.items()}
    )


def _write_glossary(path: Path) -> None:
    with path.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines))
    with path.open("w", encoding="utf-8", newline="") as lines:
        table = csv.DictWriter(lines, [*rows[0], *DIRECTIONS])
        table.writeheader()
        table.writerows(row | {code: accented(row["en"]) for code in DIRECTIONS} for row in rows)
