"""A small line drawing on a run's page: rows of sensors on one time axis."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

LEFT: Final = 72
"""Px for the ends of the scales: "2,000 MHz" takes most of it."""

RIGHT: Final = 554
ABOVE: Final = 20
"""Px above each row, for its name."""


def bent(points: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Drops the points in the middle of level stretches."""
    inner = [
        here
        for before, here, after in zip(points, points[1:], points[2:], strict=False)
        if not before[1] == here[1] == after[1]
    ]
    return [points[0], *inner, *points[1:][-1:]]


@dataclass(frozen=True, slots=True)
class Row:
    """A name, the ends of its scale as text, their positions, and its lines."""

    name: Markup
    low: str
    high: str
    top: int
    bottom: int
    lines: Sequence[str]


@dataclass(frozen=True, slots=True)
class Drawing:
    """The rows and what is around them.

    Attributes:
        epochs: Path of the marks at the ends of epochs.
        drops: Path of the marks at which the learning rate fell.
        end: The time at the right end of the axis, as text.
    """

    rows: Sequence[Row]
    caption: Markup
    height: int
    epochs: str = ""
    drops: str = ""
    end: str = ""
    width: int = 560
    left: int = LEFT
