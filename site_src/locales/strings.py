"""The strings of a language, from `strings/<code>.toml` and the `words.csv` of reports: reads them
and finds errors in them.
"""

import re
import string
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from pathlib import Path
from typing import Final

from kernels import tabular
from kernels.errors import TouchstoneError

PLURALS: Final = frozenset({"zero", "one", "two", "few", "many", "other"})
"""CLDR's plural categories; a table with `other` and no keys but these is one string in its plural
forms.
"""

Text = str | Mapping[str, str]
"""One string, or its plural forms by category."""


HEADINGS: Final = frozenset({"head", "column", "control", "prices.by", "costs.field", "section"})
"""Labels that begin with a capital letter if the script has them."""

LABELS: Final = HEADINGS | {
    "axis", "environment", "field", "filter", "measure", "price_field", "quantity", "row_kind",
    "setting_factor", "setting_side", "telemetry",
}  # fmt: skip
"""Families of labels that share words: without its own words, `head.x` has those of `term.x`, else
of the metric, the setting, the field of the environment, ... `x`.
"""

_SHARED: Final = ("term", "metric", "setting", "environment", "precision", "framework")

_FORMS: Final = (
    re.compile(r"(?P<of>metric\.best_\w+)_(?P<form>epoch)"),
    re.compile(r"(?P<family>metric\.)(?P<form>best|final)_(?P<name>\w+)"),
    re.compile(r"(?P<of>column\.\w+)_(?P<form>low|mid|high)"),
    re.compile(r"(?P<family>column\.)(?P<form>[ab])_(?P<name>\w+)"),
)
"""Labels made of another one and `form.<form>`, unless they have words of their own: the epoch of
the best of a metric, its best and its last value; the ends of a column; of two settings compared.
"""


class LocaleError(TouchstoneError):
    """A string that is missing, empty or unlike its counterpart in another language; names file and
    key.
    """


def read(path: Path) -> tuple[dict[str, str], dict[str, Text]]:
    """The `[meta]` of a strings file and its strings by dotted key.

    Raises:
        LocaleError: Not TOML, no name or direction, or a value that is neither a string nor plural
            forms.
    """
    try:
        tree = tomllib.loads(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise LocaleError(f"{path}: not readable as TOML: {error}") from None
    meta = tree.pop("meta", {})
    for field in ("name", "direction"):
        if not isinstance(meta.get(field), str):
            raise LocaleError(
                f"{path}: [meta] has no {field!r}; wanted name (the language in its own words) and "
                "direction (ltr or rtl)"
            )
    if meta["direction"] not in {"ltr", "rtl"}:
        raise LocaleError(f"{path}: meta.direction is {meta['direction']!r}, wanted ltr or rtl")
    return meta, dict(_flat(tree, "", path))


def resolve(strings: Mapping[str, Text], key: str) -> Text | None:
    """The string of a key; a label without words of its own shares those of another, or is made of
    another.
    """
    found = _own(strings, key)
    family, _, name = key.rpartition(".")
    if found is not None or family not in LABELS:
        return found
    shared = (f"{of}.{name}" for of in _SHARED)
    found = next((text for of in shared if (text := _own(strings, of)) is not None), None)
    return found[:1].upper() + found[1:] if isinstance(found, str) and family in HEADINGS else found


def formed(strings: Mapping[str, Text], key: str) -> str | None:
    """The label of a key that is made of another label; None if it is not."""
    for form in _FORMS:
        if told := form.fullmatch(key):
            parts = told.groupdict()
            what = resolve(strings, parts.get("of") or f"{parts['family']}{parts['name']}")
            if isinstance(what, str):
                return str(strings[f"form.{parts['form']}"]).format(what=what)
    return None


def _own(strings: Mapping[str, Text], key: str) -> Text | None:
    found = strings.get(key)
    return formed(strings, key) if found is None else found


def read_words(path: Path, codes: Sequence[str]) -> dict[str, dict[str, str]]:
    """The texts of a report by language and key; empty cells are empty texts.

    Raises:
        LocaleError: Not CSV, a language without a column, or keys that are not sorted and unique;
            names file and line.
    """
    try:
        rows = tabular.rows(path, lambda _: True, ("key", *codes))
        keys = [row.text("key") for row in rows]
    except TouchstoneError as error:
        raise LocaleError(str(error)) from None
    for row, key, last in zip(rows[1:], keys[1:], keys, strict=False):
        if key <= last:
            raise LocaleError(
                f"{row.place}: found {key!r} below {last!r}, wanted the keys in order, each once"
            )
    return {
        code: {key: str(row.values.get(code, "")) for key, row in zip(keys, rows, strict=True)}
        for code in codes
    }


def _flat(tree: Mapping[str, object], prefix: str, path: Path) -> Iterator[tuple[str, Text]]:
    for key, value in tree.items():
        name = f"{prefix}{key}"
        if isinstance(value, str) or (
            isinstance(value, dict) and "other" in value and PLURALS.issuperset(value)
        ):
            yield name, value
        elif isinstance(value, dict):
            yield from _flat(value, f"{name}.", path)
        else:
            raise LocaleError(
                f"{path}: {name!r} is {type(value).__name__}, wanted a string, or plural forms "
                "(one, few, many, other)"
            )


def placeholders(text: str) -> set[str]:
    """Names in braces.

    Raises:
        ValueError: An unmatched brace, or more than a name in braces.
    """
    names = set()
    for _, name, spec, conversion in string.Formatter().parse(text):
        if name is not None:
            if not name.isidentifier() or spec or conversion:
                raise ValueError(f"{{{name}}} is no plain placeholder")
            names.add(name)
    return names


def _names(text: Text) -> set[str]:
    return set().union(
        *(placeholders(form) for form in ([text] if isinstance(text, str) else text.values()))
    )


def problems(
    strings: Mapping[str, Text],
    categories: Set[str],
    other: str,
    reference: Mapping[str, Text],
    place: Callable[[str], str],
) -> Iterator[str]:
    """Yields differences from the reference in keys, placeholders and plural forms, and empty
    strings.

    Args:
        strings: Its strings.
        categories: The plural categories of the language.
        other: Name of the reference's file.
        reference: Its strings.
        place: Returns the file of a key.
    """
    for key in sorted(set(reference) - set(strings)):
        yield f"{place(key)}: {key!r} is missing; {other} has {reference[key]!r}"
    for key in sorted(set(strings) - set(reference)):
        yield f"{place(key)}: {key!r} is not in {other}; remove it or add it there"
    for key in sorted(set(strings) & set(reference)):
        found = _differs(key, strings[key], reference[key], categories, other)
        yield from (f"{place(key)}: {key!r}{fault}" for fault in found)


def _differs(
    key: str, text: Text, original: Text, categories: Set[str], other: str
) -> Iterator[str]:
    unit = key.startswith("unit.")
    if isinstance(text, str) != isinstance(original, str) and not unit:
        kind = "one string" if isinstance(text, str) else "plural forms"
        yield f" is {kind}, in {other} it is not"
        return
    if not isinstance(text, str) and set(text) != categories:
        yield (
            f" has the plural forms {', '.join(sorted(text))}; this language has "
            f"{', '.join(sorted(categories))}"
        )
    try:
        wanted = _names(original)
        # a plural form such as "one run" and a unit such as "h" may have no number, or its place
        free = {"n"} if unit or not isinstance(original, str) else set()
        for form in [text] if isinstance(text, str) else text.values():
            if not form.strip():
                yield " is empty"
            elif (placeholders(form) ^ wanted) - free:
                yield (
                    f" has the placeholders {sorted(placeholders(form))}, wanted {sorted(wanted)} "
                    f"as in {other}"
                )
    except ValueError as error:
        yield f": {error}"
