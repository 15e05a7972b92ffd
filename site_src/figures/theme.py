"""One colour and one shape per system, light and dark, the same in every chart unless two systems
without a chosen look, or two rounds of one, would look the same in one chart. The colours are Okabe
and Ito's, which the common kinds of colour blindness distinguish, with a contrast of 3:1 or more
(WCAG 2.2, 1.4.11). Colour is never the only sign: there are shapes, dashed outlines of second
frameworks and rounds, and hollow bars of publications.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from kernels.analysis.repetitions import OWN

Theme = Literal["light", "dark"]
THEMES: Final[tuple[Theme, ...]] = ("light", "dark")

FONT: Final = (
    "'Liberation Sans', Arial, Helvetica, IPAexGothic, 'Hiragino Sans', 'Noto Sans JP', sans-serif"
)
"""First the fonts of vl-convert, then those that readers have."""

BACKGROUND: Final[Mapping[Theme, str]] = {"light": "#ffffff", "dark": "#1e2129"}
INK: Final[Mapping[Theme, str]] = {"light": "#1b1f24", "dark": "#e6e9ef"}
QUIET: Final[Mapping[Theme, str]] = {"light": "#57606a", "dark": "#a7b0bd"}
GRID: Final[Mapping[Theme, str]] = {"light": "#dfe3e8", "dark": "#3a404c"}

HOLLOW: Final = 0.16
"""Opacity of the fill of figures not measured by this archive."""

Filling = Literal["filled", "hollow", "both"]

DASH: Final = (5, 3)


@dataclass(frozen=True, slots=True)
class Look:
    """A series' `light` and `dark` colours, its `shape` in Vega and its `dash`."""

    light: str
    dark: str
    shape: str
    dash: tuple[int, ...] = (1, 0)

    def colour(self, theme: Theme) -> str:
        """The colour on that background."""
        return self.light if theme == "light" else self.dark

    def tint(self, theme: Theme) -> str:
        """The colour half-way to the background: neither filled nor hollow."""
        return _mix(self.colour(theme), BACKGROUND[theme], 0.5)


def filling(origins: Iterable[str]) -> Filling:
    """The filling of a series with figures of these origins."""
    own = {origin in OWN for origin in origins}
    return "both" if len(own) > 1 else "filled" if own == {True} else "hollow"


SYSTEMS: Final[Mapping[str, Look]] = {
    "cloud-tpu-v2-8": Look("#0072b2", "#56b4e9", "circle"),
    "aws-p3.8xlarge": Look("#c44e00", "#f58a4b", "square"),
    "cirrascale-4xv100": Look("#8a6d00", "#e3c545", "diamond"),
    # Catalyst on rented GPUs
    "hostkey-1080ti-vds": Look("#b0458f", "#e592cc", "triangle-down"),
    "hostkey-1080ti": Look("#4e3fa8", "#9c90ef", "triangle-up"),
    "hostkey-3x1080ti": Look("#7a2f10", "#d9662f", "square"),
    "aws-p2.xlarge": Look("#9a7400", "#e3c545", "diamond"),
    "gcp-t4": Look("#008a63", "#35d5a6", "circle"),
    # one or two RTX 2080 Ti against Colab's TPU
    "rtx2080ti-1x": Look("#8a6d00", "#e3c545", "triangle-up"),
    "rtx2080ti-2x": Look("#a8283c", "#f28a96", "square"),
    "colab-tpu-v2-8": Look("#2a62b8", "#7db3ff", "circle"),
    # MLPerf in one server
    "poweredge-r740-t4": Look("#00795a", "#2fc79a", "triangle-up"),
    "poweredge-r740-v100": Look("#b5521b", "#f0935a", "triangle-right"),
    # MLPerf's rounds
    "cloud-tpu-v3-32": Look("#3b57c4", "#8ea2f5", "diamond"),
    "cloud-tpu-v4-128": Look("#00808f", "#4fcfe0", "triangle-up"),
    "gcp-8xv100": Look("#c44e00", "#f58a4b", "square"),
    "gcp-8xv100-v0.7": Look("#a8283c", "#f28a96", "square"),
    "nvidia-dgx-1": Look("#3f7d20", "#8fd06a", "triangle-down"),
    "dell-c4140": Look("#8e3fa0", "#d08ee0", "triangle-left"),
    "xfusion-g5500v7-8xa30": Look("#7a5c00", "#d9b83f", "triangle-right"),
    "tinycorp-tinybox-green": Look("#00795a", "#2fc79a", "square"),
    "lenovo-sr780a-v3-8xb200": Look("#b5521b", "#f0935a", "triangle-down"),
    "amd-8xmi300x": Look("#b0303f", "#f28a96", "diamond"),
    "nvidia-gb200-8x": Look("#3f7d20", "#8fd06a", "triangle-up"),
    # single cards
    "timm-rtx-3090": Look("#8a6d00", "#e3c545", "diamond"),
    "timm-rtx-4090": Look("#8e3fa0", "#d08ee0", "triangle-left"),
    "timm-rtx-5090": Look("#00795a", "#2fc79a", "triangle-up"),
    "timm-rtx-pro-6000-maxq": Look("#b5521b", "#f0935a", "square"),
}
"""Looks of systems. TPUs are blue. In later reports any two are at least 20 apart in CIE Lab, with
each kind of colour blindness too.
"""

_REST: Final = (
    Look("#00795a", "#2fc79a", "triangle-up"),
    Look("#a23f83", "#e08fc4", "triangle-down"),
    Look("#5a4fb0", "#a9a1f2", "triangle-right"),
    Look("#4d6a2d", "#a5c76b", "triangle-left"),
    Look("#7a4a2b", "#d4a27c", "diamond"),
    Look("#3d6470", "#8fbfce", "square"),
    Look("#b0303f", "#f28a96", "circle"),
)

MOST_TURNS: Final = 2 * len(_REST)
"""The number of looks of `in_turn`."""

FIRST_FRAMEWORKS: Final = frozenset({"tensorflow", "pytorch", "jax", "keras", "catalyst"})
"""Frameworks drawn in a system's own colour; any other is a variant."""


ROUNDS: Final = (
    *("v0.5", "v0.6", "v0.7", "v1.0", "v1.1", "v2.0", "v2.1"),
    *("v3.0", "v3.1", "v4.0", "v4.1", "v5.0", "v5.1"),
)
"""Rounds of the benchmark to which systems are submitted repeatedly, in order."""

_OF_ROUNDS: Final[tuple[tuple[float, tuple[int, ...], tuple[int, ...]], ...]] = (
    (0.0, (12, 2), (8, 4)),
    (0.25, (6, 3), (4, 4)),
    (0.4, (3, 2), (2, 4)),
    (0.12, (9, 2, 2, 2), (7, 3, 1, 3)),
)
"""Differences between rounds of one system, four in a row: nearness to the ink, and outline."""


def of_chart(systems: Iterable[str]) -> dict[str, Look]:
    """The looks of a chart's systems: chosen ones, and for each other its own, or the one whose
    colour and shape are rarest in the chart.
    """
    found: dict[str, Look] = {}
    had: Counter[object] = Counter()
    offered = [replace(one, shape=other.shape) for one in _REST for other in _REST]
    for system in sorted(systems, key=lambda one: one not in SYSTEMS):
        own = _own(system)
        if system not in SYSTEMS:
            own = min(
                [own, *offered],
                key=lambda one: (had[one.light, one.shape], had[one.light] + had[one.shape]),
            )
        found[system] = own
        had.update([own.light, own.shape, (own.light, own.shape)])
    return found


def turns(rounds: Iterable[str]) -> dict[str, int]:
    """The outline and shade of each round of a system in a chart: its own, or the next free one if
    an earlier round has that.
    """
    found: dict[str, int] = {}
    for name in sorted(rounds, key=lambda one: (one not in ROUNDS, one)):
        own = _turn(name)
        others = ((own + more) % len(_OF_ROUNDS) for more in range(len(_OF_ROUNDS)))
        found[name] = next((one for one in others if one not in found.values()), own)
    return found


def _turn(round_: str) -> int:
    number = ROUNDS.index(round_) if round_ in ROUNDS else _number(round_)
    return number % len(_OF_ROUNDS)


def _own(system: str) -> Look:
    return SYSTEMS.get(system) or _REST[_number(system) % len(_REST)]


def look(
    system: str,
    framework: str | None = None,
    round_: str | None = None,
    looks: Mapping[str, Look] | None = None,
    turns: Mapping[str, int] | None = None,
) -> Look:
    """The look of a system, in a chart with these `looks`; dashed and nearer to the ink for a
    framework that is not among the first. A round has its own outline and shade, or those of its
    turn among these.
    """
    known = (looks or {}).get(system) or _own(system)
    first = framework is None or framework.lower() in FIRST_FRAMEWORKS
    own = known if first else _variant(known)
    if round_ is None:
        return own
    share, plain, varied = _OF_ROUNDS[(turns or {}).get(round_, _turn(round_))]
    return _inked(own, share, share, plain if first else varied)


def _number(name: str) -> int:
    """A number from the name, not the order, so that looks stay when a name is added."""
    return int.from_bytes(hashlib.sha256(name.encode()).digest()[:4])


def _inked(own: Look, light: float, dark: float, dash: tuple[int, ...]) -> Look:
    """A look nearer to the ink by these shares."""
    return Look(
        _mix(own.light, INK["light"], light), _mix(own.dark, INK["dark"], dark), own.shape, dash
    )


def _variant(own: Look) -> Look:
    return _inked(own, 0.3, 0.4, DASH)


def of_format(name: str, framework: str | None) -> Look:
    """The look of a precision, if all series are one machine's; dashed except for PyTorch."""
    own = SYSTEMS[_OF_FORMATS.get(name, "nvidia-dgx-1")]
    return own if framework in (None, "PyTorch") else _variant(own)


_OF_FORMATS: Final[Mapping[str, str]] = {
    "fp32": "cloud-tpu-v2-8",
    "bf16": "aws-p3.8xlarge",
    "fp16": "cirrascale-4xv100",
    "tf32": "gcp-t4",
    "fp64": "hostkey-1080ti",
    "fp8": "hostkey-1080ti-vds",
}
"""The systems whose colours precisions have; they are never in the same chart."""


def in_turn(number: int) -> Look:
    """A look for anything without its own: the colours in turn, then the same dashed."""
    own = _REST[number % len(_REST)]
    return own if number < len(_REST) else replace(own, dash=DASH)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _mix(colour: str, other: str, share: float) -> str:
    mixed = (
        round(a + (b - a) * share) for a, b in zip(_channels(colour), _channels(other), strict=True)
    )
    return "#" + "".join(f"{value:02x}" for value in mixed)


def config(theme: Theme) -> dict[str, object]:
    """Vega-Lite's config: fonts, inks and no background, so that a picture lies on any page."""
    ink, quiet, grid = INK[theme], QUIET[theme], GRID[theme]
    return {
        "aria": False,  # marks would be described in English; picture and table have the words
        "background": "transparent",
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "axis": {
            "domainColor": quiet,
            "gridColor": grid,
            "labelColor": ink,
            "labelFontSize": 13,
            "labelPadding": 6,
            "tickColor": quiet,
            "titleColor": ink,
            "titleFontSize": 13,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "legend": {
            "labelColor": ink,
            "labelFontSize": 13,
            "labelLimit": 0,
            "orient": "top",
            "symbolSize": 110,
            "title": None,
        },
        "text": {"color": ink, "fontSize": 13},
    }


def dark_colours(looks: Iterable[Look]) -> dict[str, str]:
    """The colours of light pages, and of these looks, with their dark counterparts."""
    known = list(looks)
    return (
        {one["light"]: one["dark"] for one in (BACKGROUND, INK, QUIET, GRID)}
        | {one.tint("light"): one.tint("dark") for one in known}
        | {one.light: one.dark for one in known}
    )


_HEX: Final = re.compile("#[0-9a-f]{6}")


def darken(drawn: Any, looks: Iterable[Look]) -> Any:
    """A specification with each colour, in expressions too, replaced by its dark counterpart."""
    colours = dark_colours(looks)

    def turn(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turn(each) for key, each in value.items()}
        if isinstance(value, list):
            return [turn(each) for each in value]
        return (
            _HEX.sub(lambda found: colours.get(found[0], found[0]), value)
            if isinstance(value, str)
            else value
        )

    return turn(drawn)
