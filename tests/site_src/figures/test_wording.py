"""A drawing for several languages is, filled in, the drawing for each of them."""

import json
from collections.abc import Callable

from site_src.figures.wording import Wording, in_each
from site_src.locales import Locale
from tests.site_src import recorded

KEYS = ("axis.epoch", "axis.batch")


def title(key: str) -> Callable[[Locale], str]:
    """A string of the site."""
    return lambda locale: locale.say(key)


def drawn(draw: Callable[[Wording], object]) -> tuple[dict[str, object], int]:
    """What is drawn by language, and how often it was drawn."""
    times = 0

    def written(words: Wording, _locale: Locale) -> str:
        nonlocal times
        times += 1
        return json.dumps(draw(words), ensure_ascii=False)

    languages = [recorded.english(), recorded.foreign()]
    return {one.code: json.loads(made) for one, made in in_each(written, languages)}, times


def test_words_are_filled_in() -> None:
    """Alone and within others, with the signs that JSON writes otherwise; it is drawn once."""

    def draw(words: Wording) -> object:
        first, second = (words.said(title(key)) for key in KEYS)
        quoted = words.said(lambda locale: f'"{locale.code}\\n"\n')
        return {"title": first, "expr": f"max('{second}', {first})", "values": [quoted]}

    found, times = drawn(draw)

    for locale in (recorded.english(), recorded.foreign()):
        first, second = map(locale.say, KEYS)
        assert found[locale.code] == {
            "title": first,
            "expr": f"max('{second}', {first})",
            "values": [f'"{locale.code}\\n"\n'],
        }
    assert times == 1


def test_the_same_words_are_the_same_in_the_drawing() -> None:
    """So that two layers with one title have one."""
    found, times = drawn(lambda words: len({words.said(title("axis.epoch")) for _ in range(2)}))

    assert (found, times) == ({"en": 1, "qq": 1}, 1)


def test_what_is_decided_otherwise_is_drawn_again() -> None:
    """A language whose words are longer has a drawing of its own."""

    def draw(words: Wording) -> object:
        wide = words.decided(lambda locale: len(locale.say("axis.epoch")))
        return {"title": words.said(title("axis.epoch")), "wide": wide}

    found, times = drawn(draw)

    for locale in (recorded.english(), recorded.foreign()):
        text = locale.say("axis.epoch")
        assert found[locale.code] == {"title": text, "wide": len(text)}
    assert times == 2


def test_words_that_are_one_in_a_language_are_drawn_as_they_are() -> None:
    """What is made of two texts may depend on whether they are one, or empty."""
    for same in (
        lambda locale: locale.say("axis.batch" if locale.code == "en" else "axis.epoch"),
        lambda locale: locale.code if locale.code == "en" else "",
    ):

        def draw(words: Wording, same: Callable[[Locale], str] = same) -> object:
            titles = dict.fromkeys(filter(None, map(words.said, (title("axis.epoch"), same))))
            return ", ".join(titles)

        found, _ = drawn(draw)

        assert ", " in str(found["en"])
        assert found["qq"] == recorded.foreign().say("axis.epoch")
