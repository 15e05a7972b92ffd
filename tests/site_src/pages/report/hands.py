"""How each language writes what articles print, written down a second time: what `site_src.locales`
gets wrong shows against it.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache

from site_src.locales.strings import Text
from tests.site_src.recorded import spoken

NBSP = "\N{NO-BREAK SPACE}"


@dataclass(frozen=True)
class Hand:
    """How a language writes numbers: signs between digits, what stands before a unit, and where a
    currency stands.
    """

    code: str
    group: str
    point: str
    space: str = NBSP
    percent: str = f"{NBSP}%"
    to: str = "–"
    either: str = " or "
    hour: str = "h"
    currency_first: bool = False
    units: Mapping[str, str] = field(default_factory=dict)

    @property
    def words(self) -> Mapping[str, Text]:
        """The strings of the language."""
        return strings(self.code)

    def number(self, text: str) -> str:
        """A number with exactly its printed digits."""
        whole, point, rest = text.partition(".")
        return f"{int(whole):,}".replace(",", self.group) + (self.point + rest if point else "")

    def quantity(self, text: str) -> str:
        """A number with its unit: "384 GB"."""
        number, unit = text.split(" ")
        return f"{self.number(number)}{self.space}{self.units.get(unit, unit)}"

    def money(self, text: str, currency: str, per: str = "") -> str:
        """An amount with its currency."""
        number = self.number(text)
        return (
            f"{currency}{NBSP}{number}{per}"
            if self.currency_first
            else f"{number}{NBSP}{currency}{per}"
        )


RUSSIAN = {
    "s": "с",
    "h": "ч",
    "MB": "МБ",
    "GB": "ГБ",
    "TB": "ТБ",
    "MHz": "МГц",
    "GHz": "ГГц",
    "W": "Вт",
    "GB/s": "ГБ/с",
}
HANDS = {
    "en": Hand("en", ",", ".", percent="%", currency_first=True),
    "ru": Hand("ru", NBSP, ",", either=" или ", hour="ч", units=RUSSIAN | {"TFLOP/s": "Тфлоп/с"}),
    "ja": Hand(
        "ja",
        ",",
        ".",
        "",
        "%",
        "〜",
        "または",
        "時",
        currency_first=True,
        units={"s": "秒", "h": "時間"},
    ),
    # all groups have three digits, as in the charts: 1.024, which CLDR would write 1024
    "es": Hand("es", ".", ",", either=" o "),
}


@cache
def strings(code: str) -> Mapping[str, Text]:
    """The strings of a language as its files have them."""
    return spoken(code).strings


# How a printed cell is shown: each answers with a pattern that the whole cell must match


Kind = Callable[[Hand, str], str]
NAMES = {
    "t4": "NVIDIA T4",
    "v100-pcie": "NVIDIA V100 PCIe",
    "resnet50": "ResNet-50",
    "ssd": "SSD",
    "mask-rcnn": "Mask R-CNN",
}
NAMES |= {"gnmt": "GNMT", "transformer": "Transformer"}


def text(_: Hand, printed: str) -> str:
    """A name or a version, as it is."""
    return re.escape(printed)


def sides(_: Hand, printed: str) -> str:
    """Two sides of a picture."""
    return re.escape(printed.replace("x", " × "))


def within(_: Hand, printed: str) -> str:
    """A name with more words, and no other figures, around it."""
    return rf"(\D*\W)?{re.escape(printed)}(\W\D*)?"


def name(hand: Hand, printed: str) -> str:
    """What a key is called on every page."""
    return re.escape(NAMES.get(printed) or str(hand.words["cell_text.all-benchmarks"]))


def number(hand: Hand, printed: str) -> str:
    """A number; nothing where nothing is printed."""
    return re.escape(hand.number(printed) if printed else "–")


def counted(hand: Hand, printed: str) -> str:
    """A number with what it counts, in whichever form the language wants."""
    return number(hand, printed) + r"\D*"


def percent(hand: Hand, printed: str) -> str:
    """A fraction as a percentage, with as many of its digits."""
    digits = printed.replace(".", "").lstrip("0")
    return re.escape(hand.number(f"{digits[:2]}.{digits[2:]}") + hand.percent)


def quantity(hand: Hand, printed: str) -> str:
    """A number with its unit; nothing where nothing is printed."""
    return re.escape(hand.quantity(printed) if printed else "–")


def seconds(hand: Hand, printed: str) -> str:
    """A time whose unit stands in the heading of the printed column."""
    return quantity(hand, f"{printed} s")


def euro(hand: Hand, printed: str) -> str:
    """An amount in euros."""
    return re.escape(hand.money(printed, "EUR"))


def dollars_an_hour(hand: Hand, printed: str) -> str:
    """A price per hour."""
    return re.escape(hand.money(printed, "USD", f"/{hand.hour}"))


def span(hand: Hand, printed: str) -> str:
    """Both ends of a range, or the one number."""
    return re.escape(hand.to.join(hand.number(end) for end in dict.fromkeys(printed.split(" "))))


def specification(hand: Hand, printed: str) -> str:
    """A cell of a table of mixed rows: a count or nothing, a quantity or two, or a name."""
    if printed.isdigit() or not printed:
        return counted(hand, printed)
    found = re.findall(r"[\d.]+ [A-Za-z]+(?:/s)?", printed)
    return hand.either.join(quantity(hand, one) for one in found) if found else text(hand, printed)


def row_word(hand: Hand, printed: str) -> str:
    """The word for a row."""
    key = {"power": "tdp"}.get(printed, printed.replace("_", "-"))
    return re.escape(str(hand.words[f"cell_row.{key}"]))


def word(hand: Hand, printed: str) -> str:
    """A remark in the language's words."""
    return re.escape(
        str(
            hand.words["not_stated"]
            if printed == "not_stated"
            else hand.words[f"cell_text.{printed}"]
        )
    )
