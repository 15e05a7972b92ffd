"""Words, numbers, money and dates in the reader's language; only this package knows how a language
writes them.

Words come from `strings/<code>.toml`, or from the `words.csv` of a report or the glossary if only
those use them; everything else comes from Babel. Charts in the browser get number and time formats
from the same Babel data, so that a figure in a chart reads like that in its table.
"""

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from functools import lru_cache, partial, reduce
from pathlib import Path
from typing import Final

import babel
from babel.dates import format_date, format_skeleton, format_time
from babel.lists import format_list
from babel.numbers import (
    get_currency_precision,
    get_decimal_symbol,
    get_group_symbol,
)

from kernels.units import MONEY
from site_src.locales.strings import (
    LocaleError,
    Text,
    formed,
    problems,
    read,
    read_words,
    resolve,
)

__all__ = [
    "LANGUAGES",
    "MINUS",
    "NBSP",
    "REFERENCE",
    "Locale",
    "LocaleError",
    "Share",
    "currency_decimals",
    "kept",
    "load",
    "unbroken",
]

LANGUAGES: Final = ("en", "ru", "ja", "es")
"""The order in which languages are offered; other files in the folder follow by code."""

REFERENCE: Final = "en"
"""The language with which others are compared."""

MINUS: Final = "\N{MINUS SIGN}"
NBSP: Final = "\N{NO-BREAK SPACE}"

_BIDI = dict.fromkeys(map(ord, "\u200e\u200f\u061c\u2066\u2067\u2068\u2069"))
_SPACES = "\u0020\u00a0\u202f\u2009"
_SECONDS = ((3600.0, "h"), (60.0, "min"))
_SCALED: Final[Mapping[str, tuple[tuple[float, str], ...]]] = {
    "byte": ((1e12, "TB"), (1e9, "GB"), (1e6, "MB"), (1e3, "kB")),
    "byte/s": ((1e12, "TB/s"), (1e9, "GB/s")),
    "Hz": ((1e9, "GHz"), (1e6, "MHz")),
    "FLOP/s": ((1e12, "TFLOP/s"), (1e9, "GFLOP/s")),
}
"""Units that are shown in multiples: the largest that leaves 1 or more."""


Words = Mapping[Path, Mapping[str, Mapping[str, str]]]
"""The texts of reports and of the glossary by file, language and key."""


class Share(StrEnum):
    """A number out of a total, as it is said: the keys of `count` and of `runs_of`."""

    SOME = "some"
    BOTH = "both"
    ALL = "all"

    @classmethod
    def of(cls, part: int, whole: int) -> "Share":
        """All of several are "all 15", two of two "both"; one of one stays a count, as there is no
        "all 1".
        """
        if part < whole or whole < 2:  # noqa: PLR2004 - nobody says "all 1"
            return cls.SOME
        return cls.BOTH if whole == 2 else cls.ALL  # noqa: PLR2004 - two are "both"


@dataclass(frozen=True, slots=True)
class Locale:
    """One language of the site.

    Attributes:
        code: As in addresses and `<html lang>`.
        name: The language's own name.
        direction: `ltr` or `rtl`.
        path: The strings file, named in errors.
        strings: Text by dotted key.
        babel: Babel's locale for numbers and dates: `en` writes British dates, a test's made-up
            language borrows a real one.
        signs: Decimal sign and thousands separator.
    """

    code: str
    name: str
    direction: str
    path: Path
    strings: Mapping[str, Text]
    babel: babel.Locale
    signs: tuple[str, str] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "signs", _signs(self.babel))

    # Words

    def template(self, key: str, n: float | Decimal | None = None) -> str:
        """The string of `key` with its placeholders; `n` chooses the plural form, a decimal with
        all its decimals.

        Raises:
            LocaleError: No such key, or a key with plural forms and no `n`.
        """
        text = resolve(self.strings, key)
        if text is None:
            raise LocaleError(
                f"{self.path}: no string {key!r}; add it there and in each other language"
            )
        if isinstance(text, str):
            return text
        if n is None:
            raise LocaleError(f"{self.path}: {key!r} has plural forms, so it must be said with n")
        written = abs(n) if isinstance(n, Decimal) else Decimal(repr(abs(n))).normalize()
        return text[_category(self.babel, str(written))]

    def say(self, key: str, /, **values: object) -> str:
        """The string of `key`, its placeholders filled: numbers and dates in the language's format,
        text as it is.
        """
        n = values.get("n")
        template = self.template(key, n if isinstance(n, int | float) else None)
        parts = {name: self.show(value) for name, value in values.items()}
        try:
            return stopped(template, parts).format_map(parts)
        except (KeyError, IndexError, ValueError) as error:
            raise LocaleError(
                f"{self.path}: {key!r} asks for {error}; it was given {sorted(values) or 'nothing'}"
            ) from None

    def has(self, key: str) -> bool:
        """True if there is such a string, not counting shared terms: for words that some items have
        and others do not.
        """
        return key in self.strings or formed(self.strings, key) is not None

    def metric(self, name: str) -> str:
        """The name of a quality metric; a name from a log stays as it is."""
        return self.say(f"metric.{name}") if self.has(f"metric.{name}") else name

    def workload(self, workload: str, name: str) -> str:
        """A workload's name, or words that distinguish it from another of that name."""
        key = f"workload_name.{workload}"
        return self.say(key) if self.has(key) else name

    def show(self, value: object) -> str:
        """A placeholder's value as text."""
        if isinstance(value, bool):
            return self.say("yes" if value else "no")
        if isinstance(value, int | float):
            return self.number(value)
        if isinstance(value, datetime):
            return self.datetime_(value)
        if isinstance(value, date):
            return self.date(value)
        return str(value)

    def runs_of(self, part: int, whole: int) -> str:
        """A number out of so many runs, in words: "4 of 5 runs", "both runs", "all 5 runs"."""
        return self.say(f"runs_of.{Share.of(part, whole)}", n=whole, hits=part, runs=whole)

    def join(self, items: Sequence[str]) -> str:
        """An enumeration: "a, b and c"."""
        if not items:
            return ""
        text = str(format_list(list(items), style="standard", locale=self.babel))
        last = f"y {items[-1]}"
        if self.code == "es" and len(items) > 1 and _SOUNDS_I.match(items[-1]):
            text = f"{text.removesuffix(last)}e {items[-1]}"  # CLDR leaves this to the library
        return text

    def joined(self, how: str, parts: Iterable[str]) -> str:
        """Joins parts with `join.<how>`, without empty ones; `terms` is for parts that may contain
        commas.
        """
        found = [part for part in parts if part]
        return (
            reduce(lambda first, second: self.say(f"join.{how}", first=first, second=second), found)
            if found
            else ""
        )

    def hourly(self, amount: float, currency: str, decimals: int | None = None) -> str:
        """A price per hour: "USD 6.7/h", with `decimals`, else with those of an amount."""
        return self.quantity(amount, f"{currency}/h", 2 if decimals is None else decimals)

    # Numbers

    def number(
        self,
        value: float,
        decimals: int | None = None,
        digits: int | None = None,
        *,
        strip: bool = False,
    ) -> str:
        """A number with that many decimals, or that many significant digits (whole digits always
        stay; `strip` drops zeros at the end).

        Without either, a float has at most six significant digits. Halves round away from zero,
        judged on the exact binary value, as in JavaScript's `toFixed` and so in d3 in the charts.
        Decimals of -1 and less round to tens and more.
        """
        if not math.isfinite(value):
            raise LocaleError(
                f"a number to show is {value}; figures that are missing are shown by their status"
            )
        return _number(self.signs, value, decimals, digits, strip)

    def percent(self, fraction: float, decimals: int = 0) -> str:
        """A fraction as a percentage: 0.757 is 75.7 %, spaced as in the language."""
        return self.number(fraction * 100, decimals) + self._percent_suffix

    def signed(self, text: str, value: float) -> str:
        """The number with a plus sign if positive, for differences; without if it reads as zero."""
        return f"+{text}" if value > 0 and any(sign in "123456789" for sign in text) else text

    def money(self, amount: float, currency: str, decimals: int | None = None) -> str:
        """An amount with its ISO 4217 code, yen in Japanese with their own sign; without
        `decimals`, with as many as the currency has.
        """
        return self.quantity(amount, currency, decimals)

    def unit(self, name: str) -> str:
        """The symbol of a unit of `kernels.units.UNITS`; empty for a pure number."""
        return (
            ""
            if name == "1"
            else re.sub(rf"[{_SPACES}]*\{{n\}}", "", self.template(f"unit.{name}", 5)).strip(
                _SPACES
            )
        )

    def quantity(
        self, value: float, unit: str, decimals: int | None = None, digits: int | None = None
    ) -> str:
        """A number with its unit; `{n}` in the unit's string is the place of the number."""
        if re.fullmatch(r"[A-Z]{3}", unit) and decimals is None and digits is None:
            decimals = get_currency_precision(unit)
        text = self.number(value, decimals, digits)
        return self.pattern(self.governing(text), unit).replace("{n}", text)

    def governing(self, text: str) -> Decimal:
        """The number that determines a unit's plural form, with its decimals: the last one in
        `text`, since a range takes the form of its end.

        It is the number as written: 40.93 that reads "41" is one, and a 1 that reads "1.00" is a
        fraction.

        Raises:
            LocaleError: There is none.
        """
        found = self._numbers(text)
        if not found:
            raise LocaleError(f"no number as {self.code} writes it in {text!r}")
        return abs(Decimal(self._plain(found[-1])))

    def pattern(self, value: float | Decimal, unit: str) -> str:
        """The pattern of a number with its unit: "{n} images/s", "USD {n}", "{n}%"; `value` chooses
        the plural form, as in `template`.
        """
        if unit == "1":
            return "{n}"
        if unit == "percent":
            return "{n}" + self._percent_suffix
        if re.fullmatch(r"[A-Z]{3}", unit) and not self.has(f"unit.{unit}"):
            # the ISO 4217 code where the language has its sign: `$` alone is twenty currencies
            before = (
                self.babel.currency_formats["standard"].pattern.translate(_BIDI).startswith("¤")
            )
            return f"{unit}{NBSP}{{n}}" if before else f"{{n}}{NBSP}{unit}"
        text = (
            self._money(unit, value)
            if not self.has(f"unit.{unit}") and MONEY.fullmatch(unit)
            else self.template(f"unit.{unit}", value)
        )
        return text if "{n}" in text else f"{{n}}{NBSP}{text}"

    def _money(self, unit: str, value: float | Decimal) -> str:
        """A price or a rate in a currency without a string of its own: the string of one that has,
        with the other code.
        """
        rate = " per " in unit
        like = (
            "EUR per USD" if rate else "USD/month" if unit.endswith("month") else f"EUR{unit[3:]}"
        )
        text = self.template(f"unit.{like}", value).replace(like[:3], unit[:3])
        return text.replace(like[-3:], unit[-3:]) if rate else text

    def scaled(self, value: float, unit: str) -> tuple[float, str]:
        """The quantity in its usual multiple of the unit: 16 GB, 1.53 GHz, 125 TFLOP/s."""
        return next(
            ((value / size, name) for size, name in _SCALED.get(unit, ()) if abs(value) >= size),
            (value, unit),
        )

    def bytes_(self, n: float) -> str:
        """A number of bytes in decimal multiples."""
        value, unit = self.scaled(n, "byte")
        return self.quantity(value, unit, digits=3) if value % 1 else self.quantity(value, unit, 0)

    def duration(self, seconds: float) -> str:
        """A time in its usual units: "8 h 9 min", "2 min 5 s", "0.46 s", "12 ms"."""
        if not seconds:
            return self.quantity(0, "s", 0)
        if abs(seconds) < 1:
            return (
                self.quantity(seconds * 1000, "ms", digits=3)
                if abs(seconds) < 0.1  # noqa: PLR2004 - shorter ones read better in ms
                else self.quantity(seconds, "s", digits=2)
            )
        whole = round(seconds)
        for size, unit in _SECONDS:
            if whole >= size:
                small, rest = (60, "min") if unit == "h" else (1, "s")
                large, left = divmod(round(seconds / small), int(size) // small)
                whole_part = self.quantity(large, unit, 0)
                return (
                    self.say("join.units", first=whole_part, second=self.quantity(left, rest, 0))
                    if left
                    else whole_part
                )
        return self.quantity(seconds, "s", digits=3)

    def free(self, session_s: float | None) -> str:
        """Words for "free", with the longest session: "free (up to 10 h per session)"; no amount
        of zero in a currency.
        """
        return (
            self.say("price_kind.free")
            if session_s is None
            else self.say("price.free_session", time=self.duration(session_s))
        )

    def clock(self, seconds: float) -> str:
        """A time in hours, minutes and seconds, as stopwatches show it: "1:23:45", with the
        language's separator.
        """
        whole = round(seconds)
        hours, minutes = divmod(whole // 60, 60)
        return self._clock_sign.join((self.number(hours), f"{minutes:02d}", f"{whole % 60:02d}"))

    @property
    def _clock_sign(self) -> str:
        found: str = self.babel.number_symbols.get("latn", {}).get("timeSeparator", ":")
        return found

    def parse(self, text: str) -> float:
        """The first number in `text`, in this language's format; signs, units and spaces around it
        are ignored.

        Raises:
            LocaleError: There is none.
        """
        number = self._first_number(text)
        if number is None:
            raise LocaleError(f"no number as {self.code} writes it in {text!r}")
        return float(self._plain(number))

    def shows(self, text: str, value: float) -> bool:
        """True if `text` is `value` rounded, in this language's format.

        If the text names it, a percentage may represent a fraction, and a multiple (GB, GHz,
        TFLOP/s) the unit.
        """
        number = self._first_number(text)
        if number is None:
            return False
        if text.count(self._clock_sign) == 2:  # noqa: PLR2004 - hours, minutes and seconds
            return text.strip() == self.clock(value)
        plain = Decimal(self._plain(number))
        places = max(0, -int(plain.as_tuple().exponent))
        candidates = [value, value * 100] if "%" in text else [value]
        if any(self.number(candidate, places) == number for candidate in candidates):
            return True
        candidates += [
            value / size
            for sizes in _SCALED.values()
            for size, unit in sizes
            if self.unit(unit) in text
        ]
        if any(self.number(candidate, places) == number for candidate in candidates):
            return True
        # printed to tens or more: 1.3 million is 1,300,000
        zeros = (
            len(str(int(abs(plain)))) - len(str(int(abs(plain))).rstrip("0"))
            if places == 0 and plain
            else 0
        )
        return any(
            self.number(candidate, -place) == number
            for candidate in candidates
            for place in range(1, zeros + 1)
        )

    # Time

    def month(self, day: date) -> str:
        """The month and year of a day, for a date printed without a day."""
        return _wide(format_skeleton("yMMMM", day, locale=self.babel))

    def date(self, day: date) -> str:
        """A day, with the month in words if usual in the language."""
        return _wide(format_date(day, "long", locale=self.babel))

    def datetime_(self, moment: datetime) -> str:
        """A moment, in UTC, to the minute."""
        utc = moment.astimezone(UTC)
        return self._moment.format(
            f"{format_time(utc, 'HH:mm', locale=self.babel)}{NBSP}UTC", self.date(utc.date())
        )

    @property
    def _moment(self) -> str:
        """The pattern of a day, {1}, and a time, {0}: with a comma, in Japanese with a space."""
        found: str = self.babel.datetime_formats["medium"]
        return found

    # Charts

    def d3(self) -> dict[str, dict[str, object]]:
        """d3's number and time locale, made from the same Babel data."""
        days = self.babel.days["format"]
        months = self.babel.months["format"]
        day = _strftime(_wide(self.babel.date_formats["long"].pattern))
        clock = self.babel.time_formats["medium"].pattern
        return {
            "number": {
                "decimal": self.signs[0],
                "thousands": self.signs[1],
                "grouping": [self.babel.decimal_formats[None].grouping[0]],
                "currency": ["", ""],
                "minus": MINUS,
                "percent": self._percent_suffix,
                "nan": "–",
            },
            "time": {
                "dateTime": self._moment.format(_strftime("HH:mm"), day),
                "date": day,
                "time": _strftime(clock),
                "periods": [
                    self.babel.day_periods["format"]["abbreviated"].get(half, half)
                    for half in ("am", "pm")
                ],
                # Babel counts from Monday, d3 from Sunday
                "days": [days["wide"][(index + 6) % 7] for index in range(7)],
                "shortDays": [days["abbreviated"][(index + 6) % 7] for index in range(7)],
                "months": [months["wide"][index] for index in range(1, 13)],
                "shortMonths": [months["abbreviated"][index] for index in range(1, 13)],
            },
        }

    @property
    def _percent_suffix(self) -> str:
        pattern: str = self.babel.percent_formats[None].pattern.translate(_BIDI)
        return pattern.partition("%")[0].lstrip("#,0").replace(" ", NBSP) + "%"

    def _first_number(self, text: str) -> str | None:
        return next(iter(self._numbers(text)), None)

    def _numbers(self, text: str) -> list[str]:
        return _written(self.babel).findall(text.translate(_BIDI))

    def _plain(self, number: str) -> str:
        decimal, group = self.signs
        return number.replace(group, "").replace(decimal, ".").replace(MINUS, "-")


@lru_cache(maxsize=2**12)
def _category(language: babel.Locale, number: str) -> str:
    """The plural form of a number with its decimals: 1.0 is not 1."""
    category: str = language.plural_form(Decimal(number))
    return category


@lru_cache
def _signs(language: babel.Locale) -> tuple[str, str]:
    """The decimal sign of a language, and its thousands separator."""
    return get_decimal_symbol(language), get_group_symbol(language)


@lru_cache
def _written(language: babel.Locale) -> re.Pattern[str]:
    decimal, group = map(re.escape, _signs(language))
    return re.compile(rf"{MINUS}?(?:\d{{1,3}}(?:{group}\d{{3}})+(?!\d)|\d+)(?:{decimal}\d+)?")


def _wide(text: str) -> str:
    """The text with wide instead of narrow spaces, which fonts of pictures lack."""
    return text.replace("\u202f", NBSP)


def currency_decimals(currency: str) -> int:
    """Decimals of amounts in a currency: yen have none."""
    return int(get_currency_precision(currency))


# a site writes the same few thousand numbers again and again
@lru_cache(maxsize=2**16)
def _number(
    signs: tuple[str, str], value: float, decimals: int | None, digits: int | None, strip: bool
) -> str:
    if decimals is None:
        decimals = _decimals(value, digits or 6, strip=strip or digits is None)
    exact = Decimal(value).quantize(Decimal(1).scaleb(-decimals), rounding=ROUND_HALF_UP)
    decimal, group = signs
    text = f"{abs(exact):,f}".translate({ord("."): decimal, ord(","): group})
    return MINUS + text if exact < 0 else text


def _decimals(value: float, digits: int, *, strip: bool = False) -> int:
    """Decimals that show `digits` significant digits of `value`; with `strip` without the zeros at
    the end.
    """
    if value == 0:
        return 0
    decimals = max(0, digits - 1 - math.floor(math.log10(abs(value))))
    if not strip:
        return decimals
    rounded = Decimal(repr(round(value, decimals))).normalize()
    return max(0, -int(rounded.as_tuple().exponent))


_DIRECTIVES = {
    "yyyy": "%Y", "y": "%Y", "yy": "%y", "MMMM": "%B", "MMM": "%b", "MM": "%m", "M": "%-m",
    "dd": "%d", "d": "%-d",
    "EEEE": "%A", "EEE": "%a", "HH": "%H", "H": "%-H", "hh": "%I", "h": "%-I", "mm": "%M",
    "ss": "%S", "a": "%p",
}  # fmt: skip


def _strftime(pattern: str) -> str:
    """A CLDR date pattern as d3's directives; quoted text stays text."""
    tokens = re.finditer(
        r"'(?P<quoted>[^']*)'|(?P<field>(?P<letter>[A-Za-z])(?P=letter)*)|(?P<other>.)",
        pattern.translate(_BIDI),
    )
    return "".join(
        _DIRECTIVES[token["field"]] if token["field"] else (token["quoted"] or token["other"] or "")
        for token in tokens
    )


_TOGETHER: Final = re.compile(
    r" (?=×)|(?<=×) |(?<=\d) (?=[kMGT]?B\b|[kMG]?Hz\b|TFLOP|vCPU\b|Ti\b)|(?<=[GR]TX) (?=\d)"
)


def unbroken(name: str) -> str:
    """A name that does not wrap: `4 × V100`, `16 GB`, `GTX 1080 Ti`."""
    return _TOGETHER.sub(NBSP, name)


_TAG: Final = re.compile(r"(<[^>]*>)")
_SOUNDS_I: Final = re.compile(r"(?:<[^>]*>)*(?:i|hi(?![ae]))", re.IGNORECASE)
"""Before such a word Spanish says "e", not "y"."""

NUMBERED: Final = re.compile(
    r"(?<![A-Za-z0-9])[A-Za-z][A-Za-z0-9.]*-[0-9][A-Za-z0-9]*(?:-[0-9]+)*"
    r"|(?<![A-Za-z0-9])[A-Z][0-9]+-[A-Z][A-Za-z]+"
)
"""A name with a number, such as ResNet-50; also in the browser."""


@lru_cache(maxsize=2**14)
def kept(html: str) -> str:
    """The HTML; names with a number, such as ResNet-50, do not wrap."""
    if "-" not in html:
        return html
    pieces = _TAG.split(html)
    for place in range(0, len(pieces), 2):  # the others are tags
        if "-" in pieces[place]:
            pieces[place] = NUMBERED.sub(r'<span class="ts-kept">\g<0></span>', pieces[place])
    return "".join(pieces)


def load(
    folder: Path, codes: Sequence[str] | None = None, content: Path | None = None
) -> list[Locale]:
    """The languages of `folder`, compared with English.

    Args:
        folder: `strings/`, with a file for each language.
        codes: The languages wanted, in that order; None for all.
        content: The folder in which reports and the glossary have their `words.csv`; None for
            `content/` beside `folder`.

    Raises:
        LocaleError: A language is missing, or has other keys, placeholders or plural forms than
            English, or an empty string; a word of a report is a string too.
    """
    found = {path.stem: path for path in sorted(folder.glob("*.toml"))}
    wanted = (
        list(codes)
        if codes is not None
        else [code for code in LANGUAGES if code in found] + sorted(set(found) - set(LANGUAGES))
    )
    missing = [code for code in dict.fromkeys([*wanted, REFERENCE]) if code not in found]
    if missing or not wanted:
        languages = ", ".join(missing) or "any language"
        raise LocaleError(
            f"{folder}: no strings for {languages}; found {', '.join(found) or 'none'}, wanted "
            "<code>.toml"
        )
    every = list(dict.fromkeys([REFERENCE, *wanted]))
    content = content or folder.parent / "content"
    words = {path: read_words(path, every) for path in sorted(content.rglob("words.csv"))}
    by_code = {code: _locale(found[code], words) for code in every}
    reference = by_code[REFERENCE]
    found_wrong = [
        problem
        for locale in by_code.values()
        for problem in problems(
            locale.strings,
            locale.babel.plural_form.tags | {"other"},
            reference.path.name,
            reference.strings,
            partial(_place, locale, words),
        )
    ]
    if found_wrong:
        raise LocaleError("\n".join(found_wrong))
    return [by_code[code] for code in wanted]


def _place(locale: Locale, words: Words, key: str) -> str:
    """The file that has a key of a language, or should have it."""
    return next(
        (f"{path}: {locale.code}" for path, texts in words.items() if key in texts[locale.code]),
        str(locale.path),
    )


def _locale(path: Path, words: Words) -> Locale:
    meta, strings = read(path)
    for file, texts in words.items():
        own = texts[path.stem]
        if twice := sorted(strings.keys() & own.keys()):
            raise LocaleError(
                f"{file}: {twice[0]!r} is in {path.name} or another words.csv too; remove it there "
                "or here"
            )
        strings |= own
    formats = meta.get("babel", path.stem)
    try:
        return Locale(
            path.stem, meta["name"], meta["direction"], path, strings, babel.Locale.parse(formats)
        )
    except (babel.UnknownLocaleError, ValueError):
        raise LocaleError(
            f"{path}: meta.babel {formats!r} is no locale that Babel knows; name one whose numbers "
            "to use"
        ) from None


def stopped(template: str, parts: Mapping[str, str]) -> str:
    """A template without the full stop that a part already has: Russian dates end in one."""
    for name, part in parts.items():
        if part.endswith("."):
            template = template.replace(f"{{{name}}}.", f"{{{name}}}")
    return template
