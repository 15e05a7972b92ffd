"""Pictures as PNG, where SVG is not supported: painted last, from the finished SVG."""

from io import BytesIO
from typing import Any, Final

import numpy as np
import vl_convert
from PIL import Image

from site_src.charts.vega import register
from site_src.graph import needs_threads

COLOURS: Final = 64
"""Colours of a picture: its flat colours, and the shades at the edges of lines and letters."""

UNSEEN: Final = 0.25
"""The largest difference from the painted picture, the mean over channels, of 255."""

_LEVEL: Final = 7
"""zlib's level: the last twentieth of the bytes would take five times as long."""

Array = np.ndarray[Any, np.dtype[Any]]


def png(drawn: str, scale: float) -> bytes:
    """A picture as PNG, `scale` pixels for each of its own."""
    register()
    needs_threads()
    # a chart in its frame, which Vega keeps to its size, need not be cut to it: on a sheet of its
    # own it takes the painter twice as long
    whole = drawn.replace("<svg x=", '<svg overflow="visible" x=')
    content = vl_convert.svg_to_png(whole, scale=scale)
    with Image.open(BytesIO(content)) as painted:
        picture = few_colours(painted)
        if picture is None:
            picture = painted.convert("RGB")
    file = BytesIO()
    picture.save(file, "PNG", compress_level=_LEVEL)
    return file.getvalue()


def few_colours(painted: Image.Image) -> Image.Image | None:
    """The picture in `COLOURS` of its own colours; None if the difference would be visible."""
    pixels = np.asarray(painted.convert("RGBA")).view(np.uint32).ravel()
    # flat colours: looking up stretches of one colour takes a third of the time
    starts = np.flatnonzero(np.concatenate(([True], pixels[1:] != pixels[:-1])))
    lengths = np.diff(starts, append=pixels.size)
    colours, stretches = np.unique(pixels[starts], return_inverse=True)
    counts = np.bincount(stretches, lengths)
    channels = colours.view(np.uint8).reshape(-1, 4)[:, :3].astype(np.int64)
    chosen, nearest = _palette(channels, counts)
    apart = np.abs(channels - channels[chosen][nearest]).mean(axis=1)
    if np.average(apart, weights=counts) > UNSEEN:
        return None
    indices = np.repeat(nearest.astype(np.uint8)[stretches], lengths)
    picture = Image.frombytes("P", painted.size, indices.tobytes())
    picture.putpalette(channels[chosen].astype(np.uint8).tobytes())
    return picture


def _palette(channels: Array, counts: Array) -> tuple[list[int], Array]:
    """The colours to keep, and for each colour the nearest of them: first the most frequent, then
    the most distant, frequent ones before rare ones.
    """
    chosen: list[int] = []
    nearest, distance = np.zeros(len(counts), np.int64), np.full(len(counts), np.inf)
    following = int(counts.argmax())
    while len(chosen) < COLOURS and distance[following] > 0:
        own = ((channels - channels[following]) ** 2).sum(axis=1)
        nearest[own < distance] = len(chosen)
        distance = np.minimum(own, distance)
        chosen.append(following)
        following = int((distance * np.sqrt(counts)).argmax())
    return chosen, nearest
