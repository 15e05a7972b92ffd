"""What stands in for a chart's pictures, whose drawing takes most of a build."""

from pathlib import Path

from site_src.charts import pictures
from site_src.charts.pictures import Order
from site_src.figures.base import PHONE, WIDE

HEIGHT = 340


def draw(
    _order: Order,
    _cache: Path,
    *,
    painted: bool = True,  # noqa: ARG001 - as the real one is called
) -> dict[str, bytes]:
    """In place of `charts.pictures.draw`: pictures as wide as the real ones, with nothing in
    them.
    """
    return {
        kind: _picture(PHONE if kind.startswith(("phone", "narrow")) else WIDE)
        for kind in pictures.names("x")
    }


def _picture(width: int) -> bytes:
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{HEIGHT}"></svg>'.encode()
    )
