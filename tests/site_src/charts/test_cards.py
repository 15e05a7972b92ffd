"""Cards of pages that have no chart: a sentence over bars, in few colours and few bytes."""

import io
from dataclasses import replace

import numpy as np
import pytest
from PIL import Image, ImageColor, ImageFont

from site_src.charts import cards
from site_src.charts.cards import Bar, Card
from site_src.figures.fonts import GlyphError

BARS = (Bar("ResNet-50 · 1.51×", 0, 160, 140, 200, True), Bar("BERT · 0.98×", 40, 0, 0, 60, False))
CARD = Card("en/x/card.png", "8 A30 trained ResNet-50 1.51 times as fast", BARS, "Touchstone")


def painted(card: Card) -> np.ndarray[tuple[int, ...], np.dtype[np.uint8]]:
    """Its pixels, as places in the palette."""
    with Image.open(io.BytesIO(card.content)) as picture:
        assert (picture.format, picture.size) == ("PNG", cards.SIZE)
        return np.asarray(picture)


def test_a_bar_is_as_long_as_it_is_said_to_be() -> None:
    """One that stands for no difference has another colour; each has its interval."""
    found = painted(CARD)
    room = cards.SIZE[0] - 2 * cards.PAD
    blue = np.flatnonzero((found == cards.BAR).any(axis=0))
    grey = [row for row in found if (row == cards.QUIET).sum() > room * 40 // 200 * 0.9]

    assert blue[-1] == cards.PAD + room * 160 // cards.WIDTH
    assert grey and (found[:, -cards.PAD + 2 :] == cards.PAPER).all()
    with Image.open(io.BytesIO(CARD.content)) as picture:
        colours = set(picture.convert("RGB").get_flattened_data())
    assert ImageColor.getrgb("#0072b2") in colours and len(colours) == 4


@pytest.mark.parametrize(
    "text",
    [
        "NVIDIA DGX-1 (8 × V100 SXM2 16 GB) trained Mask R-CNN 1.96 times as fast as MMMMMMMMMMMM",
        "Обучение Широкой сети на ускорителях ЖШЩЮЖШЩЮЖШЩЮ в 1,51 раза быстрее, чем на Щ" * 2,
        "ResNet-50の訓練は、xFusion FusionServer G5500ならDell EMC C4140の2.6倍の速さ" * 3,
    ],
)
def test_every_line_of_a_sentence_fits(text: str) -> None:
    """As its own font draws it: Latin, Cyrillic and Japanese letters, in as many lines as it takes."""
    card = replace(CARD, title=text)
    font = cards.fonts_of(text)[0]
    size, lines = cards.title(text, font, 200)
    widths = [ImageFont.truetype(font, size).getlength(line) for line in lines]

    assert len(lines) > 1 and max(widths) <= cards.SIZE[0] - 2 * cards.PAD
    assert size * 1.3 * len(lines) <= 200
    assert len(card.content) < 8_000


def test_a_letter_without_a_shape_is_an_error() -> None:
    """Instead of an empty box on others' pages."""
    with pytest.raises(GlyphError, match="a card"):
        replace(CARD, title="\U0001f984").content  # noqa: B018 - it is painted then
