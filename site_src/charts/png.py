"""Pictures as PNG, for who takes no SVG: painted from the finished SVG, last of all."""

import re
from io import BytesIO
from typing import Any, Final

import numpy as np
import vl_convert
from PIL import Image

from site_src.charts.vega import COLOUR, register

COLOURS: Final = 64
"""Of a picture: its flat colours, and the shades at the edges of lines and letters."""

UNSEEN: Final = 0.25
"""How far a picture of `COLOURS` may be from the painted one, as a mean over all channels, of 255;
one that would be farther keeps all its colours.
"""

_LEVEL: Final = 6
"""Of zlib; more takes twice as long for a twentieth of the bytes."""

Array = np.ndarray[Any, np.dtype[Any]]


def png(drawn: str, scale: float) -> bytes:
    """A picture as PNG, `scale` pixels for each of its own."""
    register()
    content = vl_convert.svg_to_png(flat(drawn), scale=scale)
    with Image.open(BytesIO(content)) as painted:
        picture = few_colours(painted)
        if picture is None:
            picture = painted.convert("RGB")
    file = BytesIO()
    picture.save(file, "PNG", compress_level=_LEVEL)
    return file.getvalue()


def few_colours(painted: Image.Image) -> Image.Image | None:
    """The picture in `COLOURS` colours, all of them its own; None where that would be seen."""
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
    """Which colours to keep, and for each colour the nearest of them: first the most frequent one,
    then whichever is farthest from those, frequent ones before rare ones.
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


_SHAPE = re.compile(r"<(?:circle|line|path|rect|text)\b[^>]*>")
_UNSEEN = re.compile(r'<text\b[^>]*\sopacity="0"[^>]*>[^<]*</text>')
_OPACITY = re.compile(r'\sopacity="([^"]*)"')
_CLIP = re.compile(r'<clipPath id="([^"]*)">(.*?)</clipPath>')
_LINES = re.compile(r'<g class="mark-group role-scope (\w+)_pathgroup"')


def flat(drawn: str) -> str:
    """The same picture for the PNG's painter, who lays out sheets of their own for much that needs
    none: most of the time it took.

    A shape that is painted once, with a fill or with a stroke, is as opaque as its paint; texts
    that nobody sees are left out; lines that are each cut to the plot are cut together; a chart in
    its frame, which Vega keeps to its size, need not be cut to it.
    """

    def painted(shape: re.Match[str]) -> str:
        tag = shape[0]
        opacity = _OPACITY.search(tag)
        paints = [paint[1] for paint in COLOUR.finditer(tag) if paint[2] != "none"]
        if opacity is None or len(paints) != 1 or f"{paints[0]}-opacity=" in tag:
            return tag
        bare = tag[: opacity.start()] + tag[opacity.end() :]
        return (
            bare
            if opacity[1] == "1"
            else bare.replace(
                f" {paints[0]}=", f' {paints[0]}-opacity="{opacity[1]}" {paints[0]}=', 1
            )
        )

    return _SHAPE.sub(painted, _cut_together(_UNSEEN.sub("", drawn))).replace(
        "<svg x=", '<svg overflow="visible" x='
    )


def _cut_together(drawn: str) -> str:
    """Lines of one mark that all have the same cut, Vega giving each its own, in a group that has
    it once.
    """
    cuts = dict(_CLIP.findall(drawn))
    for group in dict.fromkeys(_LINES.findall(drawn)):
        line = re.compile(
            rf'(<g class="mark-line role-mark {group}_marks") clip-path="url\(#([^)]*)\)"'
        )
        found = line.findall(drawn)
        if len({cuts[name] for _, name in found}) == 1:
            whole = f'<g class="mark-group role-scope {group}_pathgroup"'
            drawn = line.sub(r"\1", drawn).replace(
                whole, f'{whole} clip-path="url(#{found[0][1]})"'
            )
    return drawn
