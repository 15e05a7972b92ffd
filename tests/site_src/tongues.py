"""Languages for tests: files of words, and English words with another language's numbers."""

from functools import cache
from pathlib import Path

import babel

from site_src import locales
from site_src.locales import Locale, load
from site_src.locales import strings as phrases

STRINGS = Path(locales.__file__).parents[1] / "strings"
FORMATS = {"en": "en_GB", "ru": "ru", "ja": "ja", "es": "es"}


def write(path: Path, meta: dict[str, str], strings: dict[str, phrases.Text]) -> None:
    """A strings file with one dotted key a line."""

    def quoted(text: str) -> str:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'

    lines = ["[meta]", *(f"{key} = {quoted(value)}" for key, value in meta.items()), ""]
    tables: dict[str, list[str]] = {}
    for key, text in strings.items():
        table, _, name = key.partition(".") if "." in key else ("", "", key)
        name = quoted(name)
        value = (
            quoted(text)
            if isinstance(text, str)
            else "{ " + ", ".join(f"{form} = {quoted(p)}" for form, p in text.items()) + " }"
        )
        tables.setdefault(table, []).append(f"{name} = {value}")
    plain = tables.pop("", [])
    for table, rows in tables.items():
        lines += [f"[{quoted(table)}]", *rows, ""]
    path.write_text("\n".join([*plain, *lines]), encoding="utf-8")


@cache
def language(code: str) -> Locale:
    """English words with the numbers of another language: enough where only numbers are asked
    about.
    """
    [english] = load(STRINGS, ["en"])
    forms = babel.Locale.parse(FORMATS[code])
    categories = forms.plural_form.tags | {"other"}
    strings = {
        key: text if isinstance(text, str) else dict.fromkeys(categories, text["other"])
        for key, text in english.strings.items()
    }
    return Locale(code, code, "ltr", english.path, strings, forms)
