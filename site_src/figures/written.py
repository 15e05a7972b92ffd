"""Sentences of figures in a language, each figure checked against the data."""

from collections.abc import Callable

from kernels.errors import TouchstoneError
from site_src.figures.controls import Sentence
from site_src.locales import Locale

Mark = Callable[[str, float, str], str]
"""A function of a figure's text, value and reference to its markup."""

Escape = Callable[[str], str]


class FigureError(TouchstoneError):
    """Words and data of a figure disagree, or it cannot be drawn; names figure and language."""


def written(sentence: Sentence, below: str, locale: Locale, mark: Mark, escape: Escape) -> str:
    """A sentence whose strings are below `below`.

    Raises:
        FigureError: The string leaves out a figure, or its figure differs from the data.
    """
    # private-use characters hold the places, so that a figure's own digits cannot be mistaken for
    # words
    held = {name: chr(0xE000 + index) for index, (name, *_rest) in enumerate(sentence.figures)}
    key = f"{below}.{sentence.key}"
    parts = {name: locale.say(part, n=n, **held) for name, (part, n) in sentence.parts.items()}
    text = escape(locale.say(key, **held, **parts, **sentence.names))
    for name, shown, value, ref in sentence.figures:
        if held[name] not in text:
            raise FigureError(
                f"{key!r} in {locale.path} does not say {{{name}}}, which is {shown}; add the "
                "placeholder"
            )
        if not (locale.shows(shown, value) or locale.shows(shown, abs(value))):
            raise FigureError(
                f"the headline in {locale.code} says {shown!r} where the data have {value!r} "
                f"({ref})"
            )
        if shown.endswith("."):
            # a unit that ends in a full stop also ends the sentence
            text = text.replace(f"{held[name]}.", held[name])
        text = text.replace(held[name], mark(shown, value, ref))
    if sentence.then is None:
        return text
    return locale.joined("sentences", [text, written(sentence.then, below, locale, mark, escape)])
