"""The words of a drawing, for one language or for several that share the drawing. Decisions that
depend on the length of words, such as the height of a row, must be the same in all languages, else
`in_each` draws again. Filled in, a drawing equals that of the language alone.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol, TypeVar

from site_src.locales import Locale

T = TypeVar("T")


class Wording(Protocol):
    """The parts of a drawing that depend on the language."""

    def said(self, write: Callable[[Locale], str]) -> str:
        """Words that become part of a text of the drawing or of an expression in it."""

    def decided(self, find: Callable[[Locale], T]) -> T:
        """A decision of the drawing that depends on its words."""


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
"""A name, so that it can be part of an expression too."""


@dataclass(slots=True)
class SharedWords:
    """Placeholders, the same for the same words.

    Attributes:
        locales: The languages; the first one's decisions are taken.
        texts: Each text in each language, with the number of its placeholder.
        apart: Indices of languages with other decisions.
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
        """The indices of the languages that the drawing fits: not those without words, or with
        equal words where others have two, as titles of one axis are put together.
        """
        spoken = [[texts[index] for texts in self.texts] for index in range(len(self.locales))]
        return [
            index
            for index, words in enumerate(spoken)
            if index not in self.apart and all(words) and len(set(words)) == len(words)
        ]

    def filled(self, drawn: str, index: int) -> str:
        """The drawing in one language, as JSON."""
        words = [
            json.dumps(texts[index], ensure_ascii=False)[1:-1] for texts in self.texts
        ]  # in the order of their numbers
        return _PLACEHOLDER.sub(lambda found: words[int(found[1])], drawn)


def in_each(
    draw: Callable[[Wording, Locale], str], locales: Sequence[Locale]
) -> Iterator[tuple[Locale, str]]:
    """Yields the drawing for each language, as JSON; `draw` is given one of those that share it."""
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
