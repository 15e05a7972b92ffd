"""Words that run over the edge of a picture."""

import pytest

from site_src.verify.edges import over

WORDS = "four words of text"


def picture(text: str, inner: str = "") -> str:
    """A picture of 200 by 100 px with one text."""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100">{inner}<g '
        f'transform="translate(100,50)">{text}</g></svg>'
    )


@pytest.mark.parametrize(
    ("look", "runs"),
    [
        ('text-anchor="start"', True),
        ('text-anchor="middle"', False),
        ('text-anchor="end"', True),
        ('text-anchor="end" transform="translate(80,0)"', False),
        ('text-anchor="middle" transform="rotate(-90)"', True),
        ('text-anchor="start" x="-60"', False),
        ('text-anchor="start" opacity="0"', False),
    ],
)
def test_a_text_is_held_where_it_stands(look: str, runs: bool) -> None:
    """By anchor, place and turn; what nobody sees is no text."""
    assert bool(list(over(picture(f'<text {look} font-size="14px">{WORDS}</text>')))) == runs


def test_lines_are_held_each_for_itself() -> None:
    """A text of two short lines is as wide as the longer one."""
    lines = f'<tspan>{WORDS}</tspan><tspan x="0" dy="16">{WORDS}</tspan>'
    assert list(over(picture(f'<text text-anchor="middle" font-size="14px">{lines}</text>'))) == []


def test_a_chart_in_its_frame_ends_where_it_is_cut() -> None:
    """A text that the frame would hold and the chart does not is cut off."""
    inner = (
        '<svg x="10" y="10" width="60" height="40"><text y="20" font-size="14px">'
        f"{WORDS}</text></svg>"
    )
    found = list(over(picture("", inner)))
    assert len(found) == 1 and WORDS in found[0]
