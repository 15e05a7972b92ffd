"""The pictures of a figure: for pages and phones without words around them, for others' posts with title and credit, and for cards."""

import hashlib
import html
import json
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from importlib.metadata import version
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final

from site_src import fonts, share_vega
from site_src.figures import theme as themes
from site_src.figures.theme import Theme
from site_src.fonts import letters
from site_src.locales import Locale

CARD: Final = (1200, 630)
"""Size of a card in px, as Open Graph and Twitter want it."""

PNG_SCALE: Final = 2.0


@dataclass(frozen=True, slots=True)
class Order:
    """What the pictures of a figure in one language are made of; plain values, so that another process can take it.

    Attributes:
        charts: Vega by name: `wide`, `phone`.
        dark: Colours of the light pictures with those of the dark ones.
        title: Stands above the chart in posts and cards.
        alt: The headline sentence: `<desc>` of each picture.
        notes: Remarks that explain its marks; below the chart in posts.
        credit: The line below it: site and source.
        name: Figure and language, for errors.
    """

    charts: Mapping[str, dict[str, Any]]
    dark: Mapping[str, str]
    locale: Locale
    title: str
    alt: str
    notes: tuple[str, ...]
    credit: str
    name: str

    @property
    def key(self) -> str:
        """Hash of all that the pictures depend on."""
        words = [self.title, self.alt, self.notes, self.credit, self.locale.d3(), self.locale.direction, self.locale.code]
        parts = [self.charts, self.dark, *words]
        code = [hashlib.sha256(path.read_bytes()).hexdigest() for path in (Path(__file__), Path(share_vega.__file__), Path(fonts.__file__))]
        tools = [version("vl-convert-python"), version("matplotlib-fontja"), *code]
        return hashlib.sha256(json.dumps([parts, tools], sort_keys=True).encode()).hexdigest()[:24]


def names(language: str) -> dict[str, str]:
    """Files below `c/<chart-id>/` by what they are."""
    return {
        "svg": f"{language}.svg",
        "svg-dark": f"{language}-dark.svg",
        "png": f"{language}.png",
        "png-dark": f"{language}-dark.png",
        "card": f"{language}-card.png",
        "page": f"{language}-page.svg",
        "page-dark": f"{language}-page-dark.svg",
        "phone": f"{language}-phone.svg",
        "phone-dark": f"{language}-phone-dark.svg",
    }


def draw(orders: Sequence[Order], cache: Path, jobs: int) -> list[dict[str, bytes]]:
    """The pictures of each order, by kind as in `names`; from the cache where nothing they depend on has changed."""
    folders = [cache / "pictures" / order.key for order in orders]
    due = [index for index, folder in enumerate(folders) if not (folder / "done").is_file()]
    if jobs > 1 and len(due) > 1:
        # started anew: a process that was forked after pyarrow and vl-convert began their threads may hang
        with ProcessPoolExecutor(min(jobs, len(due)), mp_context=get_context("spawn")) as pool:
            list(pool.map(_make, [orders[index] for index in due], [folders[index] for index in due], chunksize=1))
    else:
        for index in due:
            _make(orders[index], folders[index])
    return [{kind: (folder / name).read_bytes() for kind, name in names("x").items()} for folder in folders]


def _make(order: Order, folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for kind, content in pictures(order).items():
        path = folder / names("x")[kind]
        temporary = path.with_name(f"{path.name}.{os.getpid()}")
        temporary.write_bytes(content)
        temporary.replace(path)
    (folder / "done").touch()


def pictures(order: Order) -> dict[str, bytes]:
    """All pictures of one figure in one language.

    Raises:
        GlyphError: A text with a letter that no font at hand has.
    """
    plain = {name: share_vega.svg(chart, order.locale) for name, chart in order.charts.items()}
    fonts.check(
        [order.title, order.alt, *order.notes, order.credit, *(text for drawn in plain.values() for text in texts(drawn))], order.name
    )
    plain |= {f"{name}-dark": share_vega.recoloured(drawn, order.dark) for name, drawn in plain.items()}
    made: dict[str, bytes] = {}
    for theme in themes.THEMES:
        dark = "" if theme == "light" else "-dark"
        framed = frame(plain[f"wide{dark}"], order, theme)
        made[f"svg{dark}"] = framed.encode()
        made[f"png{dark}"] = share_vega.png(framed, PNG_SCALE)
        made[f"page{dark}"] = labelled(plain[f"wide{dark}"], order).encode()
        made[f"phone{dark}"] = labelled(plain[f"phone{dark}"], order).encode()
    made["card"] = share_vega.png(card(plain["wide"], order), 1.0)
    return made


def texts(drawn: str) -> list[str]:
    """The words in a picture."""
    return [html.unescape(re.sub(r"<[^>]+>", "", text)) for text in re.findall(r"<text[^>]*>(.*?)</text>", drawn, flags=re.DOTALL)]


def size(drawn: bytes | str) -> tuple[int, int]:
    """Width and height of a picture in px."""
    text = drawn.decode() if isinstance(drawn, bytes) else drawn
    found = re.search(r'<svg[^>]*? width="(\d+(?:\.\d+)?)" height="(\d+(?:\.\d+)?)"', text)
    if found is None:
        raise ValueError(f"no width and height in {text[:120]!r}")
    return round(float(found[1])), round(float(found[2]))


def _head(width: int, height: int, order: Order) -> str:
    direction = ' direction="rtl"' if order.locale.direction == "rtl" else ""
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" xml:lang="{order.locale.code}"{direction} aria-labelledby="title desc">'
        f'<title id="title">{html.escape(order.title)}</title><desc id="desc">{html.escape(order.alt)}</desc>'
    )


def labelled(drawn: str, order: Order) -> str:
    """The chart alone, with its title and description for those who hear it; the page's own background shows through."""
    width, height = size(drawn)
    return _head(width, height, order) + drawn[drawn.index(">") + 1 :]


def frame(drawn: str, order: Order, theme: Theme, *, pad: int = 16) -> str:
    """The chart with its title above, credit below and a background of its own, for pages that are not ours."""
    width, height = size(drawn)
    titles = wrap(order.title, width, 19)
    words = [line for text in (*order.notes, order.credit) for line in wrap(text, width, 12)]
    top = pad + 25 * len(titles) + 6
    total = top + height + 10 + 17 * len(words) + pad
    ink, quiet, paper = themes.INK[theme], themes.QUIET[theme], themes.BACKGROUND[theme]
    return "".join(
        [
            _head(width + 2 * pad, total, order),
            f'<rect width="100%" height="100%" fill="{paper}"/>',
            lines(titles, (pad, pad + 18), width, Type(19, 25, "bold", ink), order.locale.direction),
            nested(drawn, pad, top, width, height),
            lines(words, (pad, top + height + 22), width, Type(12, 17, "normal", quiet), order.locale.direction),
            "</svg>",
        ]
    )


def card(drawn: str, order: Order) -> str:
    """The chart on a card for feeds and messengers: title, chart as large as fits, credit."""
    width, height = CARD
    pad = 48
    room_ = width - 2 * pad
    titles = wrap(order.title, room_, 40)[:2]
    own = size(drawn)
    top = pad + 50 * len(titles) + 8
    room = (room_, height - top - 64)
    scale = min(room[0] / own[0], room[1] / own[1])
    left = pad + (room[0] - own[0] * scale) / 2
    ink, quiet, paper = themes.INK["light"], themes.QUIET["light"], themes.BACKGROUND["light"]
    return "".join(
        [
            _head(width, height, order),
            f'<rect width="100%" height="100%" fill="{paper}"/>',
            lines(titles, (pad, pad + 30), room_, Type(40, 50, "bold", ink), order.locale.direction),
            nested(drawn, round(left, 1), top, round(own[0] * scale, 1), round(own[1] * scale, 1)),
            lines(wrap(order.credit, room_, 22)[:1], (pad, height - 28), room_, Type(22, 28, "normal", quiet), order.locale.direction),
            "</svg>",
        ]
    )


def nested(drawn: str, x: float, y: float, width: float, height: float) -> str:
    """A picture inside another one."""
    own = size(drawn)
    start = drawn.index(">") + 1
    return f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="0 0 {own[0]} {own[1]}">{drawn[start:]}'


@dataclass(frozen=True, slots=True)
class Type:
    """How lines of text are set: letter height and line step in px, weight, colour."""

    height: int
    step: float
    weight: str
    colour: str


def lines(words: Iterable[str], place: tuple[float, float], room: float, kind: Type, direction: str) -> str:
    """Lines of text below each other, the first on `place`; right-to-left text starts at the right end of `room`."""
    x = place[0] + room if direction == "rtl" else place[0]
    look = f'font-family="{themes.FONT}" font-size="{kind.height}" font-weight="{kind.weight}" fill="{kind.colour}"'
    return "".join(
        f'<text x="{x}" y="{place[1] + kind.step * index}" text-anchor="start" {look}>{html.escape(line)}</text>'
        for index, line in enumerate(words)
    )


def wrap(text: str, width: float, height: int) -> list[str]:
    """Lines that fit into `width` px at that letter height; letters are taken as wide as the widest common ones, so none runs over."""
    found = [""]
    room = width / height
    # only plain spaces part lines: a no-break space keeps a number with its unit
    for piece in re.findall(r"[^ \n\t\u2e80-\uffef]+[ \n\t]*|[ \n\t]+|[\u2e80-\uffef]\s*", text):
        if found[-1] and letters(found[-1] + piece.rstrip()) > room:
            found.append("")
        found[-1] += piece
    return [line.strip() for line in found if line.strip()]
