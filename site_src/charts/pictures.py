"""The pictures of a figure: for pages and phones without words around them, for posts
with title and credit, and for cards.
"""

import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import version
from itertools import chain
from pathlib import Path
from typing import Any, Final

from kernels import disk
from site_src.charts import compact, png, vega
from site_src.figures import fonts, text_width
from site_src.figures import theme as themes
from site_src.figures.text_width import line_width
from site_src.locales import Locale

CARD: Final = (1200, 630)
"""Size of a card in px, as Open Graph and Twitter require."""

CUT: Final = "…"
"""The end of a line that was too long."""

LEGIBLE: Final = 0.75
"""Scale below which the words of a chart on a card are illegible."""

NARROW_PAD: Final = 8
"""Px around a phone's chart in a post: more would make the letters smaller."""

NARROW_GAP: Final = 6
"""Px between the notes there, which take several lines each."""


@dataclass(frozen=True, slots=True)
class Order:
    """The inputs of a figure's pictures in one language: plain values, for another process.

    Attributes:
        charts: Vega by name: `wide`, `phone`; of a preset only `wide`.
        dark: Colours of the light pictures with those of the dark ones.
        subtitle: The subject of the drawing: the line below the title, and `<desc>`.
        name: Figure and language, for errors.
        stamp: The text that replaces the credit on a card, which has no notes.
        address: The chart's own, without the scheme, if known.
    """

    charts: Mapping[str, dict[str, Any]]
    dark: Mapping[str, str]
    locale: Locale
    title: str
    subtitle: str
    notes: tuple[str, ...]
    credit: str
    name: str
    stamp: str = ""
    address: str = ""

    @property
    def letters(self) -> frozenset[str]:
        """All letters that can occur in the pictures, and signs of their specifications."""
        words = [self.title, self.subtitle, self.notes, self.credit, self.stamp, self.address]
        held = [self.charts, words, self.locale.d3(), CUT]
        return frozenset(json.dumps(held, ensure_ascii=False))

    @property
    def key(self) -> str:
        """Hash of everything that the pictures depend on."""
        words = [self.title, self.subtitle, self.notes, self.credit, self.stamp, self.address]
        parts = [
            self.charts,
            self.dark,
            *words,
            self.locale.d3(),
            self.locale.direction,
            self.locale.code,
        ]
        told = json.dumps([parts, _tools()], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()[:24]


@cache
def _tools() -> list[str]:
    """Versions and code that pictures depend on."""
    own = (__file__, compact.__file__, png.__file__, vega.__file__)
    modules = (*own, fonts.__file__, text_width.__file__)
    code = [hashlib.sha256(Path(path).read_bytes()).hexdigest() for path in modules]
    return [*map(version, ("vl-convert-python", "pillow", "matplotlib-fontja")), *code]


def names(language: str, preset: str = "") -> dict[str, str]:
    """Files below `c/<chart-id>/` by kind; of a preset only the wide ones."""
    stem = f"{language}-{preset}" if preset else language
    if preset:  # none for phones, which would make the first build long
        return {"svg": f"{stem}.svg"}
    return {
        "svg": f"{stem}.svg",
        "svg-dark": f"{stem}-dark.svg",
        "png": f"{language}.png",
        "narrow": f"{language}-narrow.svg",
        "card": f"{language}-card.png",
        "page": f"{language}-page.svg",
        "phone": f"{language}-phone.svg",
    }


DARK: Final = "dark"
"""The fragment with which a page asks for dark pictures: as target their root has its own style, so
that one file serves both. The wide picture for posts also has a dark file, for hosts that remove
the fragment.
"""


PAINTED: Final[Mapping[str, tuple[str, float]]] = {
    "png": ("x.svg", 1.5),
    "card": ("x-card.svg", 1.0),
}
"""Kinds that are PNG, which take longest: the file that each is painted from, and its scale."""


def draw(order: Order, cache: Path, *, painted: bool = True) -> dict[str, bytes]:
    """The pictures of an order by kind, cached if possible; with `painted` also `PAINTED` ones."""
    folder = cache / "pictures" / order.key
    if not _whole(folder):
        _make(order, folder)
    kinds = [kind for kind in _kinds(order) if painted or kind not in PAINTED]
    for kind in PAINTED:
        if kind in kinds and not (folder / names("x")[kind]).is_file():
            vega.hold_letters(order.letters)
            _paint(folder, kind)
    return {kind: (folder / names("x")[kind]).read_bytes() for kind in kinds}


_DRAWN: Final = "drawn.json"
"""The file that lists the SVG pictures of a folder, with their sizes."""


def _whole(folder: Path) -> bool:
    try:
        os.utime(folder / _DRAWN)
        sizes = json.loads((folder / _DRAWN).read_bytes())
        return all((folder / name).stat().st_size == size for name, size in sizes.items())
    except (OSError, ValueError, AttributeError):
        return False


def _kinds(order: Order) -> Iterable[str]:
    return names("x", "" if "phone" in order.charts else "preset")


def _make(order: Order, folder: Path) -> None:
    vega.hold_letters(order.letters)
    made = pictures(order)
    with disk.named(folder):
        folder.mkdir(parents=True, exist_ok=True)
        contents = {name: drawn.encode() for name, drawn in made.items()}
        for name, content in contents.items():
            disk.put(folder / name, content, durable=False)
        sizes = {name: len(content) for name, content in contents.items()}
        disk.put(folder / _DRAWN, json.dumps(sizes).encode(), durable=False)


def _paint(folder: Path, kind: str) -> None:
    name, scale = PAINTED[kind]
    content = png.png((folder / name).read_text("utf-8"), scale)
    with disk.named(folder):
        disk.put(folder / names("x")[kind], content, durable=False)


def pictures(order: Order) -> dict[str, str]:
    """All SVG pictures of one figure in one language, by name.

    Raises:
        GlyphError: A text with a letter that no available font has.
    """
    plain = {
        name: compact.compact(vega.svg(chart, order.locale)).replace(_FACE, "")
        for name, chart in order.charts.items()
    }
    fonts.check(
        [
            order.title,
            order.subtitle,
            *order.notes,
            order.credit,
            order.stamp,
            *(text for drawn in plain.values() for text in texts(drawn)),
        ],
        order.name,
    )
    wide = frame(plain["wide"], order)
    if "phone" not in plain:
        return {names("x")["svg"]: in_both(wide, order.dark)}
    narrow = frame(plain["phone"], order, pad=NARROW_PAD, gap=NARROW_GAP)
    return {
        PAINTED["card"][0]: card(plain["wide"], order),
        names("x")["page"]: labelled(plain["wide"], order),
        names("x")["phone"]: labelled(plain["phone"], order),
        names("x")["narrow"]: in_both(narrow, order.dark),
        names("x")["svg"]: wide,
        names("x")["svg-dark"]: vega.recoloured(wide, order.dark),
    }


def texts(drawn: str) -> list[str]:
    """The words in a picture."""
    return [
        html.unescape(re.sub(r"<[^>]+>", "", text))
        for text in re.findall(r"<text[^>]*>(.*?)</text>", drawn, flags=re.DOTALL)
    ]


def size(drawn: bytes | str) -> tuple[int, int]:
    """Width and height of a picture in px."""
    text = drawn.decode() if isinstance(drawn, bytes) else drawn
    found = re.search(r'<svg[^>]*? width="(\d+(?:\.\d+)?)" height="(\d+(?:\.\d+)?)"', text)
    if found is None:
        raise ValueError(f"no width and height in {text[:120]!r}")
    return round(float(found[1])), round(float(found[2]))


_FACE: Final = f' font-family="{themes.FONT}"'


def _head(width: int, height: int, order: Order) -> str:
    direction = ' direction="rtl"' if order.locale.direction == "rtl" else ""
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" xml:lang="{order.locale.code}"{direction} '
        f'aria-labelledby="title desc"{_FACE}>'
        f'<title id="title">{html.escape(order.title)}</title><desc id="desc">'
        f"{html.escape(order.subtitle)}</desc>"
    )


def labelled(drawn: str, order: Order) -> str:
    """The chart alone with title and description, in light colours and in `DARK` ones."""
    return in_both(_head(*size(drawn), order) + drawn[drawn.index(">") + 1 :], order.dark)


def in_both(drawn: str, colours: Mapping[str, str]) -> str:
    """The whole picture, which as target `DARK` has the other colours."""
    rules = "".join(
        f':target [{paint}="{light}"]{{{paint}:{dark}}}'
        for paint in ("fill", "stroke")
        for light, dark in colours.items()
        if f' {paint}="{light}"' in drawn
    )
    head, end, inner = drawn.replace("<svg ", f'<svg id="{DARK}" ', 1).partition("</desc>")
    return f"{head}{end}<style>{rules}</style>{inner}"


def frame(drawn: str, order: Order, *, pad: int = 16, gap: int = 0) -> str:
    """The chart for other sites, light: title above, credit below, on its own background. `pad` is
    the margin around it, `gap` the space between its notes, both in px.
    """
    width, height = size(drawn)
    ink, quiet, paper = themes.INK["light"], themes.QUIET["light"], themes.BACKGROUND["light"]
    small = Type(12, 17, "normal", quiet)
    title, titles = _fitted(order.title, width, _types((19, 17, 15), 6, "bold", ink), 3 * 25)
    below_title = pad + title.step * len(titles)
    under, shown = _on_line(order.subtitle, width, _types((14, 13, 12), 5, "normal", quiet))
    top = round(below_title + under.step + 8)
    below, y = [], top + height + 22
    for words in filter(
        None,
        (wrap(text, width, small.height) for text in (*order.notes, order.credit, order.address)),
    ):
        below.append(lines(words, (pad, y), width, small, order.locale.direction))
        y += 17 * len(words) + gap
    return "".join(
        [
            _head(width + 2 * pad, y - gap - 12 + pad, order),
            f'<rect width="100%" height="100%" fill="{paper}"/>',
            lines(titles, (pad, pad + title.height - 1), width, title, order.locale.direction),
            lines([shown], (pad, below_title + under.height), width, under, order.locale.direction),
            nested(drawn, pad, top, width, height),
            *below,
            "</svg>",
        ]
    )


def card(drawn: str, order: Order) -> str:
    """The chart on a card for feeds: as large as fits, or only its title in large letters if its
    words would be illegible.
    """
    width, height = CARD
    pad = 48
    room = width - 2 * pad
    ink, quiet, paper = themes.INK["light"], themes.QUIET["light"], themes.BACKGROUND["light"]
    title, titles = _fitted(order.title, room, _types((38, 34, 30, 26, 23), 8, "bold", ink), 3 * 38)
    under, shown = _on_line(order.subtitle, room, _types((24, 21, 18, 15), 8, "normal", quiet))
    below, words = _fitted(
        order.stamp or order.credit, room, _types((22, 18, 15, 12), 6, "normal", quiet), 3 * 28
    )
    end = round(height - 28 - below.step * (len(words) - 1))
    own = size(drawn)
    top = round(pad + title.step * len(titles) + under.step + 4)
    scale = min(room / own[0], (end - 36 - top) / own[1])
    if scale < LEGIBLE:
        large = _types(range(60, 18, -4), 14, "bold", ink)
        title, titles = _fitted(order.title, room, large, end - 36 - pad - under.step)
        body = ""
    else:
        left = pad + (room - own[0] * scale) / 2
        body = nested(
            drawn, round(left, 1), top, round(own[0] * scale, 1), round(own[1] * scale, 1)
        )
    line = pad + title.step * len(titles) + under.height - 8
    return "".join(
        [
            _head(width, height, order),
            f'<rect width="100%" height="100%" fill="{paper}"/>',
            lines(titles, (pad, pad + title.height - 10), room, title, order.locale.direction),
            lines([shown], (pad, line), room, under, order.locale.direction),
            body,
            lines(words, (pad, end), room, below, order.locale.direction),
            "</svg>",
        ]
    )


def nested(drawn: str, x: float, y: float, width: float, height: float) -> str:
    """A picture inside another one."""
    own = size(drawn)
    start = drawn.index(">") + 1
    return (
        f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="0 0 {own[0]} '
        f'{own[1]}">{drawn[start:]}'
    )


@dataclass(frozen=True, slots=True)
class Type:
    """The style of lines of text: letter height and line step in px, weight, colour."""

    height: int
    step: float
    weight: str
    colour: str


def lines(
    words: Iterable[str], place: tuple[float, float], room: float, kind: Type, direction: str
) -> str:
    """Lines of text below each other, the first at `place`; right-to-left at the end of `room`."""
    x = place[0] + room if direction == "rtl" else place[0]
    look = f'font-size="{kind.height}" font-weight="{kind.weight}" fill="{kind.colour}"'
    drawn = "".join(
        f'<text x="{x}" y="{place[1] + kind.step * index}">{html.escape(line)}</text>'
        for index, line in enumerate(words)
    )
    return f"<g {look}>{drawn}</g> "  # separates the next words in text


def _types(heights: Iterable[int], between: int, weight: str, colour: str) -> list[Type]:
    return [Type(height, height + between, weight, colour) for height in heights]


_TIMES: Final = re.compile(r"(\d) × (?=\S)")
"""A number of accelerators, which stays on one line with the first word of the name."""


def _fitted(
    text: str, width: float, kinds: Sequence[Type], height: float
) -> tuple[Type, list[str]]:
    """The first style in which a text is at most `height` high, else the last."""
    found: list[str] = []
    text = _TIMES.sub("\\1\u00a0×\u00a0", text)
    for kind in kinds:
        found = wrap(text, width, kind.height, bold=kind.weight == "bold")
        if kind.step * len(found) <= height:
            return kind, found
    return kinds[-1], found


def _on_line(text: str, width: float, kinds: Sequence[Type]) -> tuple[Type, str]:
    """The first style in which a text fits one line, else the last, cut off."""
    for kind in kinds:
        if line_width(text, kind.height) <= width:
            return kind, text
    cut = text
    while cut and line_width(f"{cut}{CUT}", kinds[-1].height) > width:
        cut = cut[:-1].rstrip()
    return kinds[-1], f"{cut}{CUT}"


_CLOSING: Final = (
    "、。，．・：；？！％）］｝〕〉》」』】’”ー～〜…々ゝゞヽヾ"
    "ぁぃぅぇぉっゃゅょゎァィゥェォッャュョヮ),.:;?!%\\]"
)
_OPENING: Final = "（［｛〔〈《「『【‘“(\\["
"""Japanese signs and small letters that begin no line, and signs that end none."""

_WIDE: Final = "\u2e80-\uffef"
_PARTICLES: Final = "ぁ-ゖゝゞ"
_NAME: Final = "(?:[ァ-ヺー]+|[㐀-鿿々〇]+)"
"""Hiragana ends a phrase of Japanese, which begins with a word in katakana or kanji."""

_PIECE: Final = re.compile(
    rf"[{_OPENING}]*(?![{_OPENING}])"
    rf"(?:{_NAME}[{_PARTICLES}]*|[{_PARTICLES}]+|[{_WIDE}])[{_CLOSING}]*\s*"
    rf"|[{_OPENING}]*(?:[^ \n\t{_WIDE}]*\d{_NAME}"
    rf"|[^ \n\t{_WIDE}]+?(?=[{_OPENING}]*[{_WIDE}]|[ \n\t]|\Z))"
    rf"[{_PARTICLES}]*[{_CLOSING}]*[ \n\t]*"
    rf"|[ \n\t]+|[{_WIDE}]"
)
"""Text that stays on one line. Only plain spaces separate words: a no-break space keeps a number
with its unit. A number keeps its counter, and a word of Japanese its particles.
"""

_STEP: Final = re.compile(r"[^/?&,]+[/?&,]*|[/?&,]+")
"""Parts of an address that is longer than a line."""

_LETTER: Final = re.compile(rf"[{_OPENING}]*.[{_CLOSING}]*", re.DOTALL)
"""Parts of a longer name without such parts."""


@lru_cache(maxsize=2**10)  # light and dark pictures have the same lines
def wrap(text: str, width: float, height: int, *, bold: bool = False) -> list[str]:
    """Lines that fit into `width` px; joined they are the text, with spaces at their ends."""

    def fits(line: str) -> bool:
        return line_width(line.rstrip(), height, bold=bold) <= width

    found = [""]
    for piece in _PIECE.findall(text):
        steps = [piece] if fits(piece) else _STEP.findall(piece)
        for part in chain.from_iterable(
            [step] if fits(step) else _LETTER.findall(step) for step in steps
        ):
            if found[-1] and part.strip() and not fits(found[-1] + part):
                found.append("")
            found[-1] += part
    *before, last = [
        line.strip() + " " * line[-1:].isspace() for line in found if line.strip()
    ] or [""]
    return [*before, *filter(None, [last.rstrip()])]
