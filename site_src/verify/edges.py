"""Checks that the text of a picture is not cut off at its edges.

Widths are those of the fonts of PNG files; readers' fonts are as wide. Pictures that read from
right to left are not checked.
"""

import cmath
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final

from site_src.figures.text_width import line_width

SLACK: Final = 2.0
"""Px that a text may cross an edge: letters begin and end with a little space."""

_STEP: Final = re.compile(r"(translate|rotate)\(([-\d.e]+)(?:[ ,]+([-\d.e]+))?\)")
_BEFORE: Final = {"start": 0.0, "middle": 0.5, "end": 1.0}
"""Share of a text before its position."""


def over(drawn: str) -> Iterator[str]:
    """Yields texts that cross the edge of a picture, or of the chart inside it.

    Raises:
        ET.ParseError: It is not XML.
    """
    root = ET.fromstring(drawn)  # noqa: S314 - written by the build; it declares no entities
    if root.get("direction") != "rtl":
        yield from _over(root, 0j, 1 + 0j, 0j, 0j)


def _over(  # noqa: PLR0917 - all that a group hands on
    part: ET.Element,
    at: complex,
    turn: complex,
    low: complex,
    high: complex,
    look: Mapping[str, str] = MappingProxyType({}),
) -> Iterator[str]:
    """`at` is the position of the part's origin, and `turn` the direction of its texts; complex
    numbers hold x and y. `look` has the text attributes of enclosing groups.
    """
    look = {**look, **part.attrib}
    for name, x, y in _STEP.findall(part.get("transform", "")):
        if name == "rotate":
            turn *= cmath.exp(1j * math.radians(float(x)))
        else:
            at += turn * complex(float(x), float(y or 0))
    kind = part.tag.rpartition("}")[2]
    if kind in {"svg", "text"}:
        at += turn * complex(float(part.get("x", 0)), float(part.get("y", 0)))
    if kind == "svg":
        low, high = at, at + complex(float(part.get("width", 0)), float(part.get("height", 0)))
    if kind == "text":
        size = float(look.get("font-size", "0").removesuffix("px"))
        bold = look.get("font-weight") == "bold"
        # lines below each other are parts of one text
        long, text = max(
            (
                (line_width(line, size, bold=bold), line)
                for line in map(str.rstrip, part.itertext())
            ),
            default=(0.0, ""),
        )
        start = at - turn * long * _BEFORE[look.get("text-anchor", "start")]
        ends = [start, start + turn * long] if text and part.get("opacity") != "0" else []
        beyond = max(
            (
                max((low - end).real, (end - high).real, (low - end).imag, (end - high).imag)
                for end in ends
            ),
            default=0.0,
        )
        if beyond > SLACK:
            yield f"writes {text!r} {beyond:.0f} px over its edge"
    for inner in part:
        yield from _over(inner, at, turn, low, high, look)
