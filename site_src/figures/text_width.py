"""The width of a text, letter by letter: drawings made without a browser need it."""

from collections.abc import Mapping
from functools import cache
from typing import Final

from fontTools.ttLib import TTFont  # type: ignore[import-untyped]  # it ships without type hints

from site_src.figures import fonts

_WIDTHS: Final[Mapping[int, str]] = {
    391: "'", 455: "ijlįĵĺļłſΐίιϊіј‘’‚‛", 532: "|¦", 569: " !,./:;I[\\]ft\u00a0·ÌÍÎÏìíîïĨĩĪīĬĭĮİıţŧț·ΙΪІЇї", 597: "ľ",
    682: "()-`r¡¨\u00ad²³´¸¹ŕŗř˘˙˚˛˜˝΄΅“”„", 684: "{}ŀ", 717: "•", 727: "\"", 747: "гѓ", 748: "º", 758: "ª", 768: "ť", 786: "Ί", 797: "*",
    809: "τ", 819: "°", 896: "кќ", 903: "ζ", 909: "ĳ", 913: "έε", 917: "ξ", 938: "т", 939: "з", 961: "^", 987: "ς",
    1024: "JcksvxyzçýÿćĉċčĴķĸśŝşšŷźżžșγκλνЈсухѕў↑↓↕", 1045: "эє", 1067: "чь", 1075: "χ", 1088: "в", 1100: "¶", 1109: "ЃГпя", 1120: "ΰυϋύ",
    1124: "±÷≈≠≤≥", 1128: "Γ", 1131: "¯нџ",
    1139: "#$0123456789?L_abdeghnopqu¢£¤¥§«»àáâãäåèéêëðñòóôõöùúûüþāăąđēĕėęěĝğġģĥħĹĻĽĿŁńņňŋōŏőũūŭůűųήηθοόаеорѐёђћ–†‡€", 1140: "δ",
    1144: "ийѝ", 1165: "ρ", 1173: "бц", 1178: "β", 1180: "µμ", 1184: "άα", 1193: "ЌК", 1195: "дл", 1196: "+<=>~¬×−", 1237: "ŉЗ",
    1251: "FTZ¿ßøŢŤŦŹŻŽȚΖΤТ", 1259: "ď", 1264: "σ", 1266: "Σ", 1280: "ъ", 1301: "ЎУ", 1328: "φ", 1331: "Ξ", 1344: "БЛЬ", 1365: "Ч",
    1366: "&ABEKPSVXYÀÁÂÃÄÅÈÉÊËÝÞĀĂĄĒĔĖĘĚĶŚŜŞŠŶŸȘΑΒΕΚΡΥΧΫЀЅАВЕРХ", 1367: "ΆЁ", 1368: "ΔΛ", 1370: "ж", 1387: "Д", 1408: "м", 1413: "π",
    1460: "ψ", 1472: "ЄЏИЙПЭы", 1479: "CDHNRUwÇÐÑÙÚÛÜĆĈĊČĎĐĤĦŃŅŇŔŖŘŨŪŬŮŰŲŵΗΝΠЍНСЯ", 1481: "Ŋ", 1505: "Ĳ", 1509: "©®", 1515: "Ц",
    1531: "Ω", 1536: "ю", 1541: "Ώ", 1557: "Ф", 1593: "GOQÒÓÔÕÖØĜĞĠĢŌŎŐΘΟО", 1599: "ωώ", 1606: "Έ", 1621: "Ъ", 1634: "Φ", 1643: "ш",
    1664: "њ", 1685: "фщ", 1706: "MmΜМ", 1708: "¼½¾", 1711: "Ψ", 1716: "Ή", 1749: "Ћ", 1752: "Ύ", 1771: "Ђ", 1813: "Ы", 1821: "%æ",
    1856: "љ", 1877: "Ш", 1891: "Ж", 1920: "Щ", 1933: "WœŴ", 2048: "ÆŒ—…‰←→↔", 2069: "ЊЮ", 2079: "@", 2165: "Љ", 2197: "№",
}  # fmt: skip
"""Letters of Liberation Sans, Arial and Helvetica by width in parts of `_EM`; checked by a test."""

_EM: Final = 2048

BOLD: Final = 1.08
"""The relative width of bold letters; Japanese letters, from `WIDE_LETTER` on, stay the same."""

WIDE_LETTER: Final = "\u2e80"


@cache
def _japanese() -> Mapping[str, float]:
    with TTFont(fonts.folder() / "ipaexg.ttf", lazy=True) as font:
        return {
            chr(code): font["hmtx"][name][0] / font["head"].unitsPerEm
            for code, name in font.getBestCmap().items()
        }


@cache
def _advances() -> Mapping[str, float]:
    """Widths of both fonts, in letter heights."""
    return {**_japanese()} | {
        letter: parts / _EM for parts, letters in _WIDTHS.items() for letter in letters
    }


def width(text: str, size: float) -> float:
    """The width of a text at a letter height of `size`; unknown letters are square."""
    known = _advances()
    return size * sum(known.get(letter, 1.0) for letter in text)


class _Line(dict[str, float]):
    """The width of each letter in a kind of line, in letter heights."""

    def __init__(self, *, bold: bool, japanese: bool) -> None:
        self._bold = bold
        own = _japanese() if japanese else {}
        super().__init__(
            {
                letter: max(self._widened(letter, known), own.get(letter, 0.0))
                for letter, known in _advances().items()
            }
        )

    def __missing__(self, letter: str) -> float:
        return self._widened(letter, 1.0)

    def _widened(self, letter: str, known: float) -> float:
        return known * BOLD if self._bold and letter < WIDE_LETTER else known


_line = cache(_Line)


def line_width(text: str, size: float, *, bold: bool = False) -> float:
    """The width of a line that may be bold. With Japanese, PNG files may take all letters from its
    font, in which Cyrillic is as wide as high.
    """
    known = _line(bold=bold, japanese=max(text, default="") >= WIDE_LETTER)
    return size * sum(map(known.__getitem__, text))
