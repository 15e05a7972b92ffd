"""The chart of the results that a reader chose: compiled once, its points are the browser's."""

from functools import cache
from typing import Any, Final

from site_src.charts.markup import SHAPES
from site_src.charts.vega import differences, places_of, vega
from site_src.figures import theme as themes
from site_src.figures.marks import bars
from site_src.figures.theme import Look
from site_src.questions import explored

COLOURS: Final = 7
"""Words that have a colour of their own, those of most results; the rest share one."""

REST: Final = Look(themes.QUIET["light"], themes.QUIET["dark"], "circle")


@cache
def compiled() -> dict[str, Any]:
    """The chart compiled: its specification, what each kind of axes and a dark page change, where
    its titles are, and its colours.
    """
    made = {
        (log_x, log_y): vega(explored.live(log_x=log_x, log_y=log_y).to_dict())
        for log_x, log_y in explored.SCALES
    }
    plain = made[False, False]
    return {
        "spec": plain,
        "scales": {
            f"{'x' if log_x else ''}{'y' if log_y else ''}": differences(plain, spec)
            for (log_x, log_y), spec in made.items()
        },
        "dark": differences(plain, themes.darken(plain, [])),
        "titles": {
            name: [list(path) for path in places_of(plain, text)]
            for name, text in (("x", bars.X_TITLE), ("y", bars.Y_TITLE))
        },
        "looks": [
            [look.light, look.dark, look.shape, SHAPES[look.shape]]
            for look in (*map(themes.in_turn, range(COLOURS)), REST)
        ],
    }
