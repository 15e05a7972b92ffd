"""Cards of pages without a chart: a sentence over bars. There are many such pages, so these cards
are smaller than those of charts and painted straight into four colours: a tenth of the time and of
the bytes.
"""

from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from typing import Final

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # it ships without type hints
from PIL import Image, ImageColor, ImageDraw, ImageFont

from site_src.charts import pictures
from site_src.figures import fonts
from site_src.figures import theme as themes

PAPER, INK, QUIET, BAR = range(4)
_COLOURS: Final = [one["light"] for one in (themes.BACKGROUND, themes.INK, themes.QUIET)]
_BLUE: Final = "#0072b2"
"""Colour of bars, as in `assets/light.css`."""

SIZE: Final = (800, 420)
"""Size in px: the proportions of charts' cards."""

MOST: Final = 4
"""The most bars on a card."""

WIDTH: Final = 200
"""Width of all bars, in their own units."""

PAD: Final = 32
_ROW: Final = 52
_THICK: Final = 16
_SMALL: Final = 18
_FOOT: Final = 50
"""Px: of the margin, of a bar with and without words, of its letters, of the last line."""

_TITLES: Final = tuple(range(34, 15, -2))
_STEP: Final = 1.3

_WIDER: Final = 1.22
"""Width of bold DejaVu letters relative to those of `pictures.wrap`; checked by a test."""

_LEVEL: Final = 6
"""zlib's level: the last tenth of the bytes would take three times as long."""

_PLAIN: Final = str.maketrans("\u00a0\u202f", "  ")
"""Spaces that fonts have."""

_JOINS: Final = "\u2060"
"""A letter without width that joins no words here."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A bar and its words: from `one` to `end`, its interval from `low` to `high`; `firm` if it
    stands for a difference.
    """

    text: str
    one: int
    end: int
    low: int
    high: int
    firm: bool


@dataclass(frozen=True, slots=True)
class Card:
    """A card that is painted when its file is written; `path` is below site/."""

    path: str
    title: str
    bars: tuple[Bar, ...]
    site: str

    @property
    def content(self) -> bytes:
        """The picture as PNG.

        Raises:
            GlyphError: A letter that no available font has.
        """
        picture = Image.new("P", SIZE, PAPER)
        picture.putpalette([part for one in (*_COLOURS, _BLUE) for part in ImageColor.getrgb(one)])
        pen = ImageDraw.Draw(picture)
        pen.fontmode = "1"  # letters are smoothed when the card is shown smaller
        bars = self.bars[:MOST]
        bold, plain = fonts_of("".join([self.title, self.site, *(bar.text for bar in bars)]))
        high = SIZE[1] - PAD - _FOOT - _ROW * len(bars)
        size, lines = title(self.title, bold, high - PAD)
        for at, line in enumerate(lines):
            pen.text((PAD, PAD + at * size * _STEP), line, INK, _font(bold, size))
        top = PAD + round(size * _STEP * len(lines)) + PAD // 2
        for at, bar in enumerate(bars):
            _draw(pen, bar, top + _ROW * at, plain)
        pen.text((PAD, SIZE[1] - _FOOT), self.site, QUIET, _font(plain, _SMALL))
        file = BytesIO()
        picture.save(file, "PNG", bits=2, compress_level=_LEVEL)
        return file.getvalue()


def title(text: str, font: Path, height: float) -> tuple[int, list[str]]:
    """The largest letters with which a text is at most `height` high, and its lines."""
    room = SIZE[0] - 2 * PAD
    measured = room if font.name == fonts.JAPANESE else room / _WIDER
    for size in _TITLES:
        lines = pictures.wrap(text.replace(_JOINS, ""), measured, size, bold=True)
        if len(lines) * size * _STEP <= height:
            break
    return size, [line.translate(_PLAIN) for line in lines]


def _draw(pen: ImageDraw.ImageDraw, bar: Bar, y: int, font: Path) -> None:
    pen.text((PAD, y), bar.text.replace(_JOINS, "").translate(_PLAIN), QUIET, _font(font, _SMALL))
    one, end, low, high = (
        PAD + at * (SIZE[0] - 2 * PAD) // WIDTH for at in (bar.one, bar.end, bar.low, bar.high)
    )
    below = y + _ROW - 8
    above = below - _THICK
    pen.rectangle((min(one, end), above, max(one, end), below), BAR if bar.firm else QUIET)
    middle = (above + below) // 2
    pen.rectangle((low, middle, high, middle + 1), INK)
    pen.rectangle((one - 1, above - 3, one + 1, below + 3), INK)


def fonts_of(words: str) -> tuple[Path, Path]:
    """Files of a font, bold and plain, with all letters; the Japanese font has no bold."""
    wanted = frozenset(map(ord, words.replace(_JOINS, "").translate(_PLAIN)))
    for bold, plain in _known():
        if wanted <= _letters(bold):
            return bold, plain
    lacking = "".join(map(chr, sorted(wanted - _letters(bold))))
    raise fonts.GlyphError(f"a card: no font has all letters of {words!r}; look at {lacking!r}")


@cache
def _known() -> tuple[tuple[Path, Path], ...]:
    found = find_spec("matplotlib")  # not imported, as in `fonts.folder`, which searches for it too
    latin = Path(found.origin if found and found.origin else "").parent / "mpl-data/fonts/ttf"
    japanese = fonts.folder() / fonts.JAPANESE
    both = (latin / "DejaVuSans-Bold.ttf", latin / "DejaVuSans.ttf")
    return (both, (japanese, japanese))


@cache
def _letters(font: Path) -> frozenset[int]:
    with TTFont(font, lazy=True) as opened:
        return frozenset(opened.getBestCmap())


@cache
def _font(path: Path, size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(path, size, layout_engine=ImageFont.Layout.BASIC)
