"""Pictures in fewer bytes: the same for the eye, and for who reads their words."""

import io
import xml.etree.ElementTree as ET
from functools import cache

import pytest
import vl_convert
from PIL import Image, ImageChops

from site_src.charts import vega
from site_src.charts.compact import compact
from tests.site_src import recorded

NAMESPACE = 'xmlns="http://www.w3.org/2000/svg"'
DRAWN = ("digits-cnn-convergence", "digits-cnn-steps", "tpuv2-v100-throughput")


@cache
def drawn(name: str) -> str:
    """The wide picture of a chart."""
    figure, english = recorded.drawn()[name], recorded.english()
    return vega.svg(vega.compile_figure(figure, english).pictures["wide"], english)


def small(inner: str) -> str:
    """What a group of those parts becomes."""
    made = compact(f'<svg {NAMESPACE} width="90" height="60"><g id="a">{inner}</g></svg>')
    start, _, rest = made.partition('<g id="a"')
    return start.partition('height="60">')[2] + rest.removesuffix("</g></svg>")


def apart(one: str, other: str) -> int:
    """How far two pictures are apart, of 255, where they are farthest."""
    painted = [
        Image.open(io.BytesIO(vl_convert.svg_to_png(each, scale=1))).convert("RGB")
        for each in (one, other)
    ]
    return max(ImageChops.difference(*painted).tobytes())


@pytest.mark.parametrize("name", DRAWN)
def test_a_small_picture_is_the_same_picture(name: str) -> None:
    """No pixel differs by more than rounding does, in half of the bytes."""
    made = compact(drawn(name))

    assert apart(drawn(name), made) < 16
    assert len(made) < len(drawn(name)) / 2


@pytest.mark.parametrize("name", DRAWN)
def test_words_stay(name: str) -> None:
    """Each in its order, at its place."""
    kept = [
        [
            (part.text, part.get("transform"))
            for part in ET.fromstring(each).iter()  # noqa: S314 - drawn by Vega
            if part.text
        ]
        for each in (drawn(name), compact(drawn(name)))
    ]

    assert kept[0] == kept[1] != []


@pytest.mark.parametrize(
    ("parts", "made"),
    [
        (
            '<path d="M0,0" fill="#a" stroke="#b"/><path d="M1,1" fill="#a" stroke="#c"/>'
            '<path d="M2,2" fill="#d" stroke="#c"/>',
            ' fill="#a" stroke="#c"><path d="M0,0" stroke="#b"/><path d="M1,1"/>'
            '<path d="M2,2" fill="#d"/>',
        ),
        ('<path d="M0,0" fill="#a"/><path d="M1,1"/>', None),
        (
            '<line stroke="#a"/><text font-size="9" stroke="#b">9</text>',
            ' font-size="9" stroke="#a"><line/><text stroke="#b">9</text>',
        ),
        ('<path class="background" d="M0,0"/><path class="foreground" d="" display="none"/>', ""),
        ('<path class="background" d="M0,0" fill="#a"/>', ' fill="#a"><path d="M0,0"/>'),
        ('<text fill="#112233" opacity="0" y="50">gone</text>', ""),
        (
            '<path d="M9,9" stroke="#a" opacity="0.5"/><rect fill="#b" opacity="1"/>',
            '><path d="M9,9" stroke="#a" stroke-opacity="0.5"/><rect fill="#b"/>',
        ),
        (
            '<rect fill="#a" stroke="#b" opacity="0.5"/>',
            ' fill="#a" stroke="#b"><rect opacity="0.5"/>',
        ),
        (
            '<g class="role-mark a"><path d="M0,0" stroke="#a"/></g><g transform="translate(0,0)">'
            '<g class="role-mark a"><path d="M1,1" stroke="#a"/></g></g>',
            ' stroke="#a"><g class="role-mark"><path d="M0,0"/><path d="M1,1"/></g>',
        ),
        ('<g opacity="0.5" class="role-a"><path d="M0,0"/></g><g opacity="0.5" class="role-a"><path d="M1,1"/></g>', None),
    ],
)  # fmt: skip
def test_what_marks_share_is_said_once(parts: str, made: str | None) -> None:
    """By the group around them; what draws nothing goes, and equal neighbours are one."""
    assert small(parts) == (f">{parts}" if made is None else made)


def test_outlines_of_many_marks_are_defined_once() -> None:
    """Each mark has its own place and paint."""
    ring = "M2.5,0A2.5,2.5,0,1,1,-2.5,0A2.5,2.5,0,1,1,2.5,0"
    marks = [f'<path transform="translate({x},9)" d="{ring}"/>' for x in range(3)]

    assert small("".join(marks)) == (
        f'<defs><path id="m0" d="{ring}"/></defs>><use href="#m0" x="0" y="9"/>'
        '<use href="#m0" x="1" y="9"/><use href="#m0" x="2" y="9"/>'
    )


def test_lines_with_one_cut_are_cut_together() -> None:
    """Where all have the same; where one has another, it keeps its own."""

    def lines(*cuts: str) -> str:
        inner = "".join(
            f'<g class="role-mark" clip-path="url(#{cut})"><path d="M0,0"/></g>' for cut in cuts
        )
        defined = "".join(
            f'<clipPath id="{name}"><path d="{path}"/></clipPath>'
            for name, path in {"a": "M1", "b": "M1", "c": "M2"}.items()
        )
        return f"<defs>{defined}</defs>{inner}"

    assert small(lines("a", "b")).count("clip-path=") == 1
    assert small(lines("a", "c")).count("clip-path=") == 2
