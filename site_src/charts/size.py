"""The height of a frame that shows a chart whole: by its picture and its words, as `chart.css` sets
them in an embed of `WIDTH`.
"""

from math import ceil
from typing import Final

from site_src.charts import pictures
from site_src.charts.markup import headline_size
from site_src.figures.base import Figure
from site_src.figures.text_width import BOLD, width
from site_src.locales import Locale

WIDTH: Final = 760
"""Default width of an embed, in px."""

_PAD: Final = 12
_INNER: Final = WIDTH - 2 * _PAD
_SWATCH: Final = 42
_SELECT: Final = 50
"""Px of a legend's button and of a choice beside their words."""

_TITLES: Final = {"large": 17.6, "medium": 15.2, "small": 13.6}
_SUBTITLE: Final = 20
"""Px of the letters of the headline by `markup.HEADLINES`, and of the line below it."""

_BLOCK: Final = 7
_GAPS: Final = 52
"""Px between two blocks, and between and below those that every chart has."""


def embed_size(figure: Figure, locale: Locale, picture: bytes) -> tuple[int, int]:
    """Width and height of the embed; `picture` is the chart's wide one, without words around it."""
    _, drawn = pictures.size(picture)
    said = figure.headline(locale)
    size = _TITLES[headline_size(said)]
    height: float = 2 * _PAD + _GAPS + drawn + 1.3 * size * _lines(said, size * BOLD) + _SUBTITLE
    height += _interactive(figure, locale)
    height += sum(15.8 * _lines(note, 12.6, 20) for note in figure.beside(locale))
    # the site's name is in front of them
    height += 18.9 * _lines(locale.join(figure.credits(locale)), 12.6, 120)
    return WIDTH, ceil(height / 10) * 10


def _interactive(figure: Figure, locale: Locale) -> float:
    rows = _rows([_SWATCH + width(series.told(locale), 13) for series in figure.series])
    legend = 32 * rows + _BLOCK if len(figure.series) > 1 or figure.line is None else 0
    return legend + 32 * _rows(_choices(figure, locale))


def _lines(text: str, size: float, less: float = 0.0) -> int:
    return max(1, ceil(width(text, size) / (_INNER - less)))


def _rows(widths: list[float]) -> int:
    rows, left = 0, 0.0
    for wide in widths:
        if wide > left:
            rows, left = rows + 1, float(_INNER)
        left -= wide
    return rows


def _choices(figure: Figure, locale: Locale) -> list[float]:
    """Widths of the controls: their names and the longest choices."""
    return [
        _SELECT
        + width(locale.say(f"control.{key}"), 13)
        + max(width(text, 13) for _, text in options)
        for key, options in figure.choices(locale)
    ]
