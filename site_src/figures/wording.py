"""Where the words of a drawing come from: from one language, or from several that share it. Words
are said; what their length decides, such as the height of a row, must be the same in all, else
`in_each` draws again. Filled in, a drawing is what it would be in that language alone.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from site_src.locales import Locale

T = TypeVar("T")


class Wording(Protocol):
    """What a drawing asks for what depends on the language."""

    def said(self, write: Callable[[Locale], str]) -> str:
        """Words, which become part of a text of the drawing or of an expression in it."""

    def decided(self, find: Callable[[Locale], T]) -> T:
        """What the drawing does one way or another for its words."""


@dataclass(frozen=True, slots=True)
class OneLanguage:
    """The words of a language as they are."""

    locale: Locale

    def said(self, write: Callable[[Locale], str]) -> str:
        """As `Wording.said`."""
        return write(self.locale)

    def decided(self, find: Callable[[Locale], T]) -> T:
        """As `Wording.decided`."""
        return find(self.locale)


_PLACEHOLDER: Final = re.compile(r"__words(\d+)__")
"""A name, so that it may stand in an expression too."""


@dataclass(slots=True)
class SharedWords:
    """Placeholders, the same for the same words.

    Attributes:
        locales: The languages; the first one's decisions are taken.
        texts: What was said, in each language, with the number of its placeholder.
        apart: Indices of languages that decided otherwise.
    """

    locales: Sequence[Locale]
    texts: dict[tuple[str, ...], int] = field(default_factory=dict)
    apart: set[int] = field(default_factory=set)

    def said(self, write: Callable[[Locale], str]) -> str:
        """As `Wording.said`."""
        texts = tuple(map(write, self.locales))
        return f"__words{self.texts.setdefault(texts, len(self.texts))}__"

    def decided(self, find: Callable[[Locale], T]) -> T:
        """As `Wording.decided`."""
        first, *others = map(find, self.locales)
        self.apart |= {index for index, other in enumerate(others, 1) if other != first}
        return first

    def served(self) -> list[int]:
        """The indices of the languages to which the drawing belongs: none whose words are missing,
        or the same where others have two, as titles of one axis are put together.
        """
        spoken = [[texts[index] for texts in self.texts] for index in range(len(self.locales))]
        return [
            index
            for index, words in enumerate(spoken)
            if index not in self.apart and all(words) and len(set(words)) == len(words)
        ]

    def filled(self, drawn: str, index: int) -> str:
        """Returns a drawing, written as JSON, in a language."""
        words = [
            json.dumps(texts[index], ensure_ascii=False)[1:-1] for texts in self.texts
        ]  # in the order of their numbers
        return _PLACEHOLDER.sub(lambda found: words[int(found[1])], drawn)


def in_each(
    draw: Callable[[Wording, Locale], str], locales: Sequence[Locale]
) -> Iterator[tuple[Locale, str]]:
    """What is drawn, as JSON, for each language; `draw` is handed one of those that share it."""
    left = list(locales)
    while left:
        words = SharedWords(left)
        drawn = draw(words, left[0])
        served = words.served()
        if 0 in served:
            yield from ((left[index], words.filled(drawn, index)) for index in served)
        else:
            served = [0]
            yield left[0], draw(OneLanguage(left[0]), left[0])
        left = [locale for index, locale in enumerate(left) if index not in served]
