"""The letters that the charts' pictures can show: PNG files are drawn with bundled fonts,
Liberation Sans in vl-convert and IPAexGothic in matplotlib-fontja. A letter in neither would be an
empty box, so it fails the build.
"""

import hashlib
import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.metadata import version
from importlib.util import find_spec
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from fontTools import subset  # type: ignore[import-untyped]  # it ships without type hints
from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # as above

from kernels import disk
from kernels.errors import TouchstoneError

LIBERATION: Final = (
    *(
        (0x20, 0x7E),
        (0xA0, 0x17F),
        (0x218, 0x21B),
        (0x2D8, 0x2DD),
        (0x384, 0x38A),
        (0x38E, 0x3A1),
        (0x3A3, 0x3CE),
        (0x400, 0x45F),
    ),
    *(
        (0x2013, 0x2014),
        (0x2018, 0x201E),
        (0x2020, 0x2022),
        (0x2026, 0x2026),
        (0x2030, 0x2030),
        (0x20AC, 0x20AC),
        (0x2116, 0x2116),
    ),
    *((0x2190, 0x2195), (0x2212, 0x2212), (0x2248, 0x2248), (0x2260, 0x2260), (0x2264, 0x2265)),
)
"""Ranges of Liberation Sans for pictures, ends included; a test checks the font file."""

JAPANESE: Final = "ipaexg.ttf"
_KANJI: Final = (0x3400, 0xFAFF)
"""Between these are letters that occur only in texts and formats."""

_WIDE_LETTER: Final = 0x2E80
"""Letters from here on are about as wide as high."""


class GlyphError(TouchstoneError):
    """A picture's text with a letter that no font has; names text, letter and language."""


def folder() -> Path:
    """The folder of the Japanese font.

    Raises:
        GlyphError: The package that brings it is not installed.
    """
    # searched, not imported: the import would set up matplotlib
    found = find_spec("matplotlib_fontja")
    if found is None or found.origin is None:
        raise GlyphError(
            "Japanese in pictures needs IPAexGothic out of the package matplotlib-fontja: pip "
            "install matplotlib-fontja"
        )
    return Path(found.origin).parent / "fonts"


def few(letters: Iterable[str], cache: Path) -> Path:
    """A folder with the Japanese font cut down to those letters, its kana, signs and other scripts,
    each unchanged.

    The painter reopens the file for each letter, and a small file opens fast.
    """
    wanted = {code for code in japanese() if code < _KANJI[0] or code > _KANJI[1]} | {
        ord(letter) for letter in letters
    }
    key = hashlib.sha256(
        repr([sorted(wanted), version("matplotlib-fontja"), version("fonttools")]).encode()
    ).hexdigest()[:24]
    path = cache / "fonts" / key / JAPANESE
    if not path.is_file():
        options = subset.Options(
            layout_features=["*"],
            name_IDs=["*"],
            name_languages=["*"],
            name_legacy=True,
            notdef_outline=True,
        )
        with subset.load_font(folder() / JAPANESE, options) as font:
            cut = subset.Subsetter(options)
            cut.populate(unicodes=wanted)
            cut.subset(font)
            made = BytesIO()
            subset.save_font(font, made, options)
        with disk.named(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            disk.put(path, made.getvalue(), durable=False)
    return path.parent


@contextmanager
def alone() -> Iterator[None]:
    """Hides the machine's fonts for now: fontconfig reads only an empty folder. Otherwise a
    machine's own Liberation Sans would replace that of vl-convert, and be reopened four times per
    letter. Without fontconfig, as on macOS, nothing is hidden.
    """
    before = os.environ.get("XDG_CONFIG_HOME")
    with TemporaryDirectory(prefix="touchstone-fonts-") as name:
        settings = Path(name) / "fontconfig" / "conf.d" / "none.conf"
        settings.parent.mkdir(parents=True)
        settings.write_text(
            f"<fontconfig><reset-dirs/><dir>{settings.parent}</dir></fontconfig>", "utf-8"
        )
        os.environ["XDG_CONFIG_HOME"] = name
        try:
            yield
        finally:
            os.environ.pop("XDG_CONFIG_HOME")
            if before is not None:
                os.environ["XDG_CONFIG_HOME"] = before


def japanese() -> frozenset[int]:
    """Code points that IPAexGothic has."""
    return _letters(folder())


@cache
def _letters(where: Path) -> frozenset[int]:
    with TTFont(where / JAPANESE, lazy=True) as font:
        return frozenset(font.getBestCmap())


def left_out(letters: Iterable[str], where: Path) -> bool:
    """Returns True if a font that `few` cut down lacks letters that it had before."""
    return not japanese().intersection(map(ord, letters)) <= _letters(where)


def missing(text: str) -> list[str]:
    """The letters of a text that neither font has; line breaks do not count."""
    return [
        letter
        for letter in dict.fromkeys(text)
        if letter not in "\n\t"
        and not any(low <= ord(letter) <= high for low, high in LIBERATION)
        and ord(letter) not in japanese()
    ]


def check(texts: Iterable[str], place: str) -> None:
    """Refuses texts that would show empty boxes.

    Raises:
        GlyphError: Names `place`, the text, and each letter with its code point.
    """
    for text in texts:
        lacking = missing(text)
        if lacking:
            signs = ", ".join(f"{letter!r} (U+{ord(letter):04X})" for letter in lacking)
            raise GlyphError(
                f"{place}: {text!r} has {signs}, which neither Liberation Sans nor IPAexGothic "
                "shows; use another sign"
            )


def letters(text: str) -> float:
    """The approximate width of a text, in letter heights."""
    return sum(
        1.0 if ord(letter) >= _WIDE_LETTER else 0.3 if letter in " .,:;'|ilj()·" else 0.58
        for letter in text
    )
