"""Pictures as PNG: painted fast, and in few colours where nobody sees it."""

import io

import numpy as np
from PIL import Image

from site_src.charts import png


def painted(pixels: np.ndarray[tuple[int, ...], np.dtype[np.uint8]]) -> Image.Image:
    """A picture without transparency."""
    return Image.fromarray(pixels, "RGB").convert("RGBA")


def test_a_picture_of_few_colours_stays_as_it_is() -> None:
    """Pixel by pixel, with as many colours as a palette holds."""
    shades = np.arange(png.COLOURS, dtype=np.uint8).repeat(3 * 9).reshape(8, -1, 3)

    picture = png.few_colours(painted(shades))

    assert picture is not None
    assert (np.asarray(picture.convert("RGB")) == shades).all()


def test_flat_colours_stay_and_shades_move_to_the_nearest() -> None:
    """Of a plain picture with a few pixels in each of many shades."""
    shades = np.full((100, 100, 3), 255, np.uint8)
    shades[:50] = (0, 114, 178)
    shades[0] = np.arange(100, dtype=np.uint8)[:, None]

    picture = png.few_colours(painted(shades))

    assert picture is not None
    found = np.asarray(picture.convert("RGB")).astype(int)
    assert (found[1:] == shades[1:]).all()
    assert 0 < np.abs(found[0] - shades[0]).max() <= 2
    assert len(np.unique(found.reshape(-1, 3), axis=0)) == png.COLOURS


def test_a_picture_that_would_be_seen_to_change_keeps_its_colours() -> None:
    """Such as one of noise, which charts have none of."""
    noise = np.random.default_rng(1).integers(0, 256, (50, 50, 3), np.uint8)

    assert png.few_colours(painted(noise)) is None


def test_a_chart_is_painted_in_few_colours() -> None:
    """On the paper and with the paint of its SVG."""
    drawn = (
        '<svg xmlns="http://www.w3.org/2000/svg" width="90" height="60"><rect width="100%" '
        'height="100%" fill="#ffffff"/><circle cx="30" cy="30" r="20" fill="#0072b2"/></svg>'
    )

    with Image.open(io.BytesIO(png.png(drawn, 2.0))) as picture:
        assert (picture.mode, picture.size) == ("P", (180, 120))
        shown = picture.convert("RGB")
    assert [shown.getpixel(place) for place in ((1, 1), (60, 60))] == [
        (255, 255, 255),
        (0, 114, 178),
    ]
