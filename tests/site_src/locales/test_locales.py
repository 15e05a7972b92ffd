"""What each language writes, and what is refused in its strings."""

import tomllib
from dataclasses import replace
from datetime import UTC, date, datetime
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.importers.mlperf import rules
from kernels.units import UNITS
from site_src.locales import MINUS, NBSP, Locale, LocaleError, Share, kept, load, stopped, unbroken
from site_src.locales import strings as phrases
from tests.site_src.locales.said import lint
from tests.site_src.tongues import FORMATS, STRINGS, language


@pytest.fixture(scope="module")
def english() -> Locale:
    """The English locale."""
    [locale] = load(STRINGS, ["en"])
    return locale


def d3_format(locale: Locale, value: float, decimals: int) -> str:
    """What d3-format does with `,.Nf` and this locale's definition."""
    number = locale.d3()["number"]
    # JavaScript's toFixed
    text = format(Decimal(abs(value)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP), "f")
    whole, _, fraction = text.partition(".")
    groups: list[str] = []
    while whole:
        groups.insert(0, whole[-3:])
        whole = whole[:-3]
    sign = str(number["minus"]) if value < 0 and float(text) else ""
    return (
        sign
        + str(number["thousands"]).join(groups)
        + (str(number["decimal"]) + fraction if fraction else "")
    )


@pytest.mark.parametrize(
    ("code", "shown", "percent", "money"),
    [
        ("en", "3,186.5", "75.7%", f"USD{NBSP}54.58"),
        ("ru", f"3{NBSP}186,5", f"75,7{NBSP}%", f"54,58{NBSP}USD"),
        ("ja", "3,186.5", "75.7%", f"USD{NBSP}54.58"),
        ("es", "3.186,5", f"75,7{NBSP}%", f"54,58{NBSP}USD"),
    ],
)
def test_each_language_writes_its_own_numbers(
    code: str, shown: str, percent: str, money: str
) -> None:
    """Decimal sign, groups, space before the percent sign and the place of the currency are the
    language's.
    """
    locale = language(code)

    assert locale.number(3186.5) == shown
    assert locale.percent(0.757, 1) == percent
    assert locale.money(54.58, "USD") == money
    assert locale.number(-3186.5) == MINUS + shown


@given(st.floats(-1e12, 1e12), st.integers(0, 6), st.sampled_from(sorted(FORMATS)))
def test_charts_and_tables_write_the_same_number(value: float, decimals: int, code: str) -> None:
    """What d3 makes of the number locale equals what Babel writes."""
    locale = language(code)

    assert d3_format(locale, value, decimals) == locale.number(value, decimals)


@given(st.floats(-1e9, 1e9), st.integers(0, 5), st.sampled_from(sorted(FORMATS)))
def test_a_shown_number_reads_back(value: float, decimals: int, code: str) -> None:
    """Parsing a shown number gives the value, rounded as it was shown, with a unit beside it or
    without.
    """
    locale = language(code)

    for text in (
        locale.number(value, decimals),
        locale.quantity(value, "images/s", decimals),
        locale.money(value, "USD", decimals),
    ):
        assert abs(locale.parse(text) - value) <= 0.5 * 10.0**-decimals * (1 + 1e-9) + 1e-6
        assert locale.shows(text, value)


def test_a_wrong_rounding_is_seen() -> None:
    """475.52 is 476 or 475.5, and not 475 nor 477."""
    locale = language("ru")

    assert locale.shows("476", 475.5223)
    assert locale.shows("475,5", 475.5223)
    assert not locale.shows("475", 475.5223)
    assert not locale.shows("477", 475.5223)
    assert locale.shows(f"75,7{NBSP}%", 0.757)
    assert locale.shows(f"1{NBSP}300{NBSP}000", 1_281_167)
    assert not locale.shows("no figure", 1.0)
    assert locale.shows(f"16{NBSP}GB", 16e9)
    assert not locale.shows("16", 16e9)


def test_halves_round_as_in_the_browser() -> None:
    """2.5 becomes 3 and 0.125 becomes 0.13, as `toFixed` has it; 1.005 is below its half in
    binary.
    """
    locale = language("en")

    assert [locale.number(2.5, 0), locale.number(0.125, 2), locale.number(1.005, 2)] == [
        "3",
        "0.13",
        "1.00",
    ]
    assert locale.number(-0.2, 0) == "0"


def test_significant_digits_never_cut_whole_digits() -> None:
    """Three digits of 8.1525 are 8.15, of 3186 all four."""
    locale = language("en")

    assert [locale.number(value, digits=3) for value in (8.1525, 3186.4, 0.0012345)] == [
        "8.15",
        "3,186",
        "0.00123",
    ]
    assert locale.number(1_281_167, -5) == "1,300,000"


def test_dates_are_the_same_in_charts() -> None:
    """The time locale's directives and month names write a day as Babel does."""
    day = date(2026, 11, 5)
    for code in FORMATS:
        locale = language(code)
        time = locale.d3()["time"]
        months = time["months"]
        assert isinstance(months, list)
        written = {"%B": str(months[10]), "%-d": "5", "%Y": "2026", "%m": "11", "%-m": "11"}

        date_text = str(time["date"])
        for directive, text in written.items():
            date_text = date_text.replace(directive, text)
        assert date_text == locale.date(day)
        assert len(months) == 12
    assert language("en").date(day) == "5 November 2026"
    assert (
        language("en").datetime_(datetime(2026, 11, 5, 14, 3, tzinfo=UTC))
        == f"5 November 2026, 14:03{NBSP}UTC"
    )
    assert (
        language("ja").datetime_(datetime(2026, 11, 5, 14, 3, tzinfo=UTC))
        == f"2026年11月5日 14:03{NBSP}UTC"
    ), "no Western comma"


def test_times_and_bytes_read_as_one_says_them(english: Locale) -> None:
    """Two units at most, and none of them zero."""
    assert english.duration(29_340) == f"8{NBSP}h{NBSP}9{NBSP}min"
    assert english.duration(3600) == f"1{NBSP}h"
    assert english.duration(125.4) == f"2{NBSP}min{NBSP}5{NBSP}s"
    assert english.duration(59.96) == f"1{NBSP}min"
    assert english.duration(0.0123) == f"12.3{NBSP}ms"
    assert english.duration(0) == f"0{NBSP}s"
    assert english.bytes_(16 * 10**9) == f"16{NBSP}GB"
    assert english.bytes_(1536) == f"1.54{NBSP}kB"


def test_a_clock_reads_back() -> None:
    """Hours, minutes and seconds are written as a stopwatch does, and a second more is another
    time.
    """
    for code in FORMATS:
        locale = language(code)

        assert locale.clock(5025.0) == "1:23:45"
        assert locale.clock(59.6) == "0:01:00"
        assert locale.shows("1:23:45", 5025.0)
        assert not locale.shows("1:23:45", 5026.0)


def test_every_unit_has_its_sign(english: Locale) -> None:
    """A unit that records may carry can be shown."""
    for unit in UNITS - {"1", "USD", "EUR"}:
        assert english.unit(unit), unit


@pytest.mark.parametrize("code", FORMATS)
def test_every_quality_of_mlperf_has_its_names(code: str) -> None:
    """Itself, at the end, at its best and the epoch of that."""
    [locale] = load(STRINGS, [code])
    for metric in {name for metrics in rules.METRICS.values() for name in metrics} - {"quality"}:
        for name in (metric, f"final_{metric}", f"best_{metric}", f"best_{metric}_epoch"):
            assert locale.has(f"metric.{name}"), name


def test_yen_are_written_in_japanese_as_one_reads_them() -> None:
    """An amount, a price and a rate; other currencies keep their code there, and yen theirs in
    other languages.
    """
    [english, japanese] = load(STRINGS, ["en", "ja"])

    said = [japanese.quantity(1234, unit).replace(NBSP, " ") for unit in ("JPY", "JPY/h", "USD")]
    assert said == ["1,234円", "1,234円/時", "USD 1,234.00"]
    assert japanese.unit("JPY") == "円" and japanese.shows("1,234円", 1234)
    assert english.money(1234, "JPY") == f"JPY{NBSP}1,234" and english.unit("JPY") == "JPY"


@pytest.mark.parametrize(
    ("code", "some", "both", "whole"),
    [
        ("en", "4 of 5 runs", "both runs", "all 5 runs"),
        ("ru", "4 из 5 запусков", "оба запуска", "все 5 запусков"),
        ("ja", "実行5回中4回", "2回の実行の両方", "実行5回すべて"),
        ("es", "4 de 5 ejecuciones", "las dos ejecuciones", "las 5 ejecuciones"),
    ],
)
def test_all_of_several_runs_are_said_to_be_all(
    code: str, some: str, both: str, whole: str
) -> None:
    """Five of five are all five, two of two both; four of five are counted, and so is one of
    one.
    """
    locale = load(STRINGS, [code])[-1]

    assert [locale.runs_of(4, 5), locale.runs_of(2, 2), locale.runs_of(5, 5)] == [some, both, whole]
    assert Share.of(1, 1) is Share.of(0, 2) is Share.SOME


def test_money_is_in_any_currency(english: Locale) -> None:
    """An imported price may be in a currency that no string names."""
    pounds = ["GBP", "GBP/h", "GBP/s", "GBP/month", "GBP per CHF"]

    shown = [english.pattern(1.0, unit).replace("\xa0", " ") for unit in pounds]
    assert shown == ["GBP {n}", "GBP {n}/h", "GBP {n}/s", "GBP {n}/month", "GBP {n} for CHF 1"]


def test_plurals_follow_the_language(tmp_path: Path) -> None:
    """Russian has one, few, many and other; 1.5 takes the last."""
    (tmp_path / "en.toml").write_text(
        '[meta]\nname = "English"\ndirection = "ltr"\n[runs]\none = "{n} run"\nother = "{n} runs"\n'
    )
    (tmp_path / "ru.toml").write_text(
        '[meta]\nname = "Русский"\ndirection = "ltr"\n'
        '[runs]\none = "{n} запуск"\nfew = "{n} запуска"\nmany = "{n} запусков"\nother = "{n} '
        'запуска"\n',
        encoding="utf-8",
    )

    english, russian = load(tmp_path)

    assert english.say("runs", n=1) == "1 run"
    assert [russian.say("runs", n=n) for n in (1, 3, 11, 21)] == [
        "1 запуск",
        "3 запуска",
        "11 запусков",
        "21 запуск",
    ]
    assert russian.say("runs", n=1.5) == "1,5 запуска"


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        ('greeting = "Hola"', "placeholders"),
        ('greeting = ""', "empty"),
        ('other_key = "x"', "missing"),
        ('greeting = "Hola {name"', "greeting"),
        ('greeting = "Hola {name}"\nextra = "x"', "not in en.toml"),
        ('greeting = { other = "{name}" }', "plural forms"),
        ("greeting = 3", "wanted a string"),
        ("greeting = ", "not readable as TOML"),
    ],
)
def test_a_faulty_language_is_named_with_its_key(tmp_path: Path, line: str, complaint: str) -> None:
    """A missing, empty or misshapen string stops the build, with file and key."""
    (tmp_path / "en.toml").write_text(
        'greeting = "Hello {name}"\n[meta]\nname = "English"\ndirection = "ltr"\n'
    )
    (tmp_path / "es.toml").write_text(
        f'{line}\n[meta]\nname = "Español"\ndirection = "ltr"\n', encoding="utf-8"
    )

    with pytest.raises(LocaleError, match=complaint) as error:
        load(tmp_path)
    assert "es.toml" in str(error.value)


@pytest.mark.parametrize(
    ("lines", "complaint"),
    [
        ("key,en\nclaim.a,A {n}\n", r"words\.csv:1: the column 'es' is missing"),
        ("key,en,es\nclaim.a,A {n},\n", r"words\.csv: es: 'claim\.a' is empty"),
        ("key,en,es\nclaim.a,A {n},Un\n", r"words\.csv: es: 'claim\.a' has the placeholders \[\]"),
        (
            "key,en,es\nclaim.b,B,Be\nclaim.a,A,A\n",
            r"words\.csv:3: found 'claim\.a' below 'claim\.b'",
        ),
        (
            "key,en,es\nclaim.a,A,A\nclaim.a,A,A\n",
            r"words\.csv:3: found 'claim\.a' below 'claim\.a'",
        ),
        ("key,en,es\n,A,A\n", r"words\.csv:2: key: found nothing"),
        ("key,en,es\ngreeting,A,A\n", r"words\.csv: 'greeting' is in en\.toml"),
    ],
)
def test_a_faulty_word_of_a_report_is_named(tmp_path: Path, lines: str, complaint: str) -> None:
    """A report's words are strings: what is missing, empty, misshapen or there twice stops the
    build, with file and key.
    """
    folder, words = tmp_path / "strings", tmp_path / "content/reports/a-report/words.csv"
    folder.mkdir()
    for code in ("en", "es"):
        (folder / f"{code}.toml").write_text(
            f'greeting = "Hello"\n[meta]\nname = "{code}"\ndirection = "ltr"\n'
        )
    words.parent.mkdir(parents=True)
    words.write_text("key,en,es\nclaim.a,A {n},Un {n}\n")
    assert [one.say("claim.a", n=1) for one in load(folder)] == ["A 1", "Un 1"]
    words.write_text(lines)

    with pytest.raises(LocaleError, match=complaint):
        load(folder)


def test_labels_share_their_words() -> None:
    """A label without words of its own says its term, else its metric, a heading with a capital
    letter; another family does not, and whether there are words asks for own ones.
    """
    strings = {"term.time": "time", "metric.time": "no", "metric.loss": "loss", "axis.step": "own"}
    [english] = load(STRINGS, ["en"])
    made = replace(english, strings=strings)

    assert [made.say(key) for key in ("axis.time", "head.time", "column.loss", "axis.step")] == [
        "time",
        "Time",
        "Loss",
        "own",
    ]
    assert not made.has("head.time")
    for key in ("status.time", "head.step"):
        with pytest.raises(LocaleError, match="no string"):
            made.say(key)


def test_no_label_repeats_what_it_shares() -> None:
    """A label has words of its own only where they differ in some language."""
    spoken = load(STRINGS)
    own = [key for key in spoken[0].strings if key.rpartition(".")[0] in phrases.LABELS]

    repeated = [
        key
        for key in own
        if all(
            phrases.resolve({k: text for k, text in one.strings.items() if k != key}, key)
            == one.strings[key]
            for one in spoken
        )
    ]
    assert own
    assert repeated == []


def test_a_missing_string_is_named(english: Locale) -> None:
    """Asking for a key that is not there names file and key; so does a placeholder without a
    value.
    """
    with pytest.raises(LocaleError, match=r"en\.toml: no string 'no\.such'"):
        english.say("no.such")
    with pytest.raises(LocaleError, match=r"'range' asks for 'high'"):
        english.say("range", low=1)


def test_a_missing_language_is_named() -> None:
    """`--lang` with a language that has no strings says which there are."""
    with pytest.raises(LocaleError, match="no strings for tlh; found"):
        load(STRINGS, ["en", "tlh"])


def test_all_languages_hold_together() -> None:
    """The languages of the site have the same keys, placeholders and plural forms."""
    codes = [locale.code for locale in load(STRINGS)]

    assert codes[0] == "en"


def test_strings_that_nothing_says_are_found(tmp_path: Path) -> None:
    """A key is used where it or its family stands in the code; the others are named, and so are
    keys that are not there.
    """
    path = tmp_path / "en.toml"
    path.write_text(
        'a = "x"\n[status]\nok = "ok"\n[dead]\nletter = "y"\n[meta]\nname = "English"\ndirection = '
        '"ltr"\n'
    )
    _, strings = phrases.read(path)

    found = lint(path, strings, {"page.py": 'say("a"); say(f"status.{x}"); say("gone")'})

    assert found == [
        "page.py: says 'gone', which en.toml does not have",
        "en.toml: 'dead.letter' is said nowhere; remove it",
    ]


def test_strings_files_are_plain_toml() -> None:
    """Each language's file parses and says whose numbers it uses."""
    for path in STRINGS.glob("*.toml"):
        assert tomllib.loads(path.read_text(encoding="utf-8"))["meta"]["name"]


def test_a_price_per_hour_stands_like_an_amount() -> None:
    """The currency is on the side where amounts have it, decimals are those printed or two; a
    heading has the unit alone.
    """
    english, russian, japanese = load(STRINGS, ["en", "ru", "ja"])

    assert english.hourly(6.7, "USD", 1) == f"USD{NBSP}6.7/h"
    assert english.hourly(10.2739, "USD") == f"USD{NBSP}10.27/h"
    assert russian.hourly(6.7, "USD", 1) == f"6,7{NBSP}USD/ч"
    assert japanese.hourly(6.7, "USD", 1) == f"USD{NBSP}6.7/時"
    assert (english.unit("USD/h"), japanese.unit("USD/h")) == ("USD/h", "USD/時")


def test_durations_have_gaps_where_the_language_has_them() -> None:
    """Hours and minutes stand together in Japanese."""
    english, japanese = load(STRINGS, ["en", "ja"])

    assert english.duration(18_091) == f"5{NBSP}h{NBSP}2{NBSP}min"
    assert japanese.duration(18_091) == "5時間2分"


def test_names_are_kept_together() -> None:
    """The sign of multiplication and a unit stay with their number."""
    assert unbroken("4 × V100 (AWS p3.8xlarge)") == f"4{NBSP}×{NBSP}V100 (AWS p3.8xlarge)"
    assert unbroken("NVIDIA V100 SXM2 16 GB") == f"NVIDIA V100 SXM2 16{NBSP}GB"
    assert unbroken("Cloud TPU v2-8") == "Cloud TPU v2-8"


def test_names_with_numbers_stay_on_one_line() -> None:
    """In text, not in tags; a name's words with spaces that do not break."""
    assert (
        kept('<a href="x-8">TPU v2-8</a>')
        == '<a href="x-8">TPU <span class="ts-kept">v2-8</span></a>'
    )
    assert kept("WRN-28-10") == '<span class="ts-kept">WRN-28-10</span>'
    assert unbroken("1 × GTX 1080 Ti") == "1\xa0×\xa0GTX\xa01080\xa0Ti"


@pytest.mark.parametrize(
    ("code", "text"), [("en", "a, b; c"), ("ru", "a, b; c"), ("ja", "a, b／c"), ("es", "a, b; c")]
)
def test_parts_that_have_commas_are_told_apart(code: str, text: str) -> None:
    """Empty parts are left out, and no part at all is nothing."""
    [locale] = load(STRINGS, [code])

    assert locale.joined("terms", ["a, b", "", "c"]) == text
    assert not locale.joined("terms", [])


@pytest.mark.parametrize(
    ("value", "decimals", "shown"),
    [
        (40.93, 0, "41 эпоха"),
        (41.0, 0, "41 эпоха"),
        (41.0, 2, "41,00 эпохи"),
        (1.0, 1, "1,0 эпохи"),
        (1.0, None, "1 эпоха"),
        (2.5, 0, "3 эпохи"),
        (4.6, 0, "5 эпох"),
        (1.5, None, "1,5 эпохи"),
    ],
)
def test_a_unit_has_the_form_of_the_number_as_it_is_written(
    value: float, decimals: int | None, shown: str
) -> None:
    """In Russian a fraction takes the genitive, and one written as 41,00 is a fraction."""
    [russian] = load(STRINGS, ["ru"])

    assert russian.quantity(value, "epochs", decimals) == shown.replace(" ", NBSP)


def test_about_stands_before_the_preposition_of_a_factor() -> None:
    """In Russian the preposition is part of the unit: "about" goes before both."""
    [russian] = load(STRINGS, ["ru"])

    said = russian.say("about", n=russian.quantity(1.02, "times", 2))
    assert said.replace(NBSP, " ") == "примерно в 1,02 раза"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("3–5", "3–5 эпох"),
        ("0,9–1", "0,9–1 эпоха"),
        ("0,90–1,00", "0,90–1,00 эпохи"),
        ("1–1,5", "1–1,5 эпохи"),
        ("38–41", "38–41 эпоха"),
    ],
)
def test_the_last_number_of_a_range_governs_its_unit(text: str, shown: str) -> None:
    """As in «20–21 день»."""
    [russian] = load(STRINGS, ["ru"])

    assert russian.pattern(russian.governing(text), "epochs").format(n=text) == shown.replace(
        " ", NBSP
    )
    with pytest.raises(LocaleError, match="no number as ru writes it"):
        russian.governing("нет")


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("en", "Figures as of 20 November 2026."),
        ("ru", "Данные на 20 ноября 2026 г."),
        ("ja", "2026年11月20日時点の数値です。"),
        ("es", "Cifras del 20 de noviembre de 2026."),
    ],
)
def test_a_sentence_ends_with_one_full_stop(code: str, said: str) -> None:
    """A date that ends in a stop of its own takes no second one; another word takes its own."""
    [locale] = load(STRINGS, [code])

    assert locale.say("edition.notice", date=date(2026, 11, 20)).replace(NBSP, " ") == said
    assert stopped("To {x}.", {"x": "X"}) == "To {x}."


@pytest.mark.parametrize(
    ("last", "text"),
    [
        ("Intel", "Google e Intel"),
        ("<b>IPU</b>", "Google e <b>IPU</b>"),
        ("hielo", "Google y hielo"),
        ("NVIDIA", "Google y NVIDIA"),
    ],
)
def test_spanish_says_e_before_the_sound_of_i(last: str, text: str) -> None:
    """As Intl.ListFormat does in a browser."""
    assert language("es").join(["Google", last]) == text
