"""Languages for tests: the English words, two made-up languages from them, and English words with
another language's numbers.
"""

import re
from functools import cache
from pathlib import Path

import babel

from site_src import locales
from site_src.locales import Locale, load
from site_src.locales import strings as phrases

STRINGS = Path(locales.__file__).parents[1] / "strings"
ACCENTS = str.maketrans("aceinosuyACEINOSUY", "áčëíñöśüýÁČËÍÑÖŚÜÝ")
FORMATS = {"en": "en_GB", "ru": "ru", "ja": "ja", "es": "es"}


def strange(text: phrases.Text) -> phrases.Text:
    """A string half as long again, accented, its placeholders whole: what a layout must bear and a
    test can recognise.
    """
    return (
        _strange(text)
        if isinstance(text, str)
        else {form: _strange(plural) for form, plural in text.items()}
    )


def _strange(text: str) -> str:
    parts = re.split(r"(\{\w+\})", text)
    return "".join(
        part if part.startswith("{") else part.translate(ACCENTS) for part in parts
    ) + "~" * max(1, len(text) // 2)


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


def made_up(folder: Path) -> Path:
    """A folder with English, a longer accented language and a right-to-left one, all made from the
    English strings, those of the reports among them.
    """
    folder.mkdir(parents=True, exist_ok=True)
    meta, _ = phrases.read(STRINGS / "en.toml")
    strings = dict(load(STRINGS, ["en"])[0].strings)
    write(folder / "en.toml", meta, strings)
    longer = {key: strange(text) for key, text in strings.items()}
    write(folder / "qps.toml", {"name": "Ƥşéûðö", "direction": "ltr", "babel": "en_GB"}, longer)
    write(folder / "qpr.toml", {"name": "Ƥşéûðö RTL", "direction": "rtl", "babel": "en_GB"}, longer)
    return folder


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
