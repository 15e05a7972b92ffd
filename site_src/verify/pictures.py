"""A chart's SVG pictures against its specification and its page.

Checked for each language and theme, for posts, pages and phones: texts at marks and on axes are in
the specification, and ticks are where a linear or logarithmic axis has them. Checked for pictures
of named states too: texts around the chart, `<title>` and `<desc>` are on its page or in
`meta.json`; no text crosses an edge (`verify.edges`).

Not checked: lengths and positions of marks, whether each figure of the specification is written,
figures in pictures of named states, and PNG files, which are made from these.
"""

import html
import json
import math
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from site_src.charts import embed
from site_src.charts.pictures import CUT
from site_src.charts.rows import unpacked
from site_src.verify.edges import over
from site_src.verify.facts import Fault

_KINDS: Final = frozenset({"", "-narrow", "-page", "-phone"})
"""Part of a picture's name between language and theme; others are presets."""

_ROLE: Final = re.compile(r"\brole-[\w-]+")
_PLACE: Final = re.compile(r"translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)")
_JOINED: Final = str.maketrans("", "", "\n\u200b")
"""Joins the lines of a text, without the character that keeps the space between them."""

_NEAR: Final = 1.6
"""Tolerance of ticks in px: they are drawn on whole pixels."""

_TOLD: Final = 2
"""Up to this many ticks prove nothing: any two points lie on a line."""


@dataclass(slots=True)
class Written:
    """The words of a picture: texts by the role of their group, ticks by axis with their places,
    `<title>` and `<desc>`.
    """

    roles: dict[str, list[str]] = field(default_factory=dict)
    axes: list[list[tuple[str, float, float]]] = field(default_factory=list)
    title: str = ""
    desc: str = ""


@dataclass(frozen=True, slots=True)
class Said:
    """The texts and numbers that pictures of a chart may have in one language.

    Attributes:
        name: Of the specification, below site/.
        texts: Strings of the specification, lines joined.
        values: Its numbers.
        signs: The language's decimal and thousands signs.
        words: All words of `meta.json`, the chart's page and its frame, with single spaces; empty
            without a `meta.json`.
    """

    name: str
    texts: frozenset[str]
    values: frozenset[float]
    signs: tuple[str, str]
    words: str


def pictures(out: Path, files: set[str], codes: Sequence[str]) -> Iterator[Fault]:
    """Yields texts of a chart's pictures that are not in its specification, page or description, or
    cross an edge; `codes` are the languages.
    """
    known = {file.split("/")[1] for file in files if file.startswith("c/")}
    for chart, code in ((chart, code) for chart in sorted(known) for code in codes):
        start, said = f"c/{chart}/{code}", _said(out, files, chart, code)
        for name in sorted(file for file in files if file.startswith(start)):
            if not name.endswith(".svg") or name.removeprefix(start)[0] not in "-.":
                continue
            kind = name.removeprefix(start).removesuffix(".svg").removesuffix("-dark")
            preset = kind not in _KINDS
            text = (out / name).read_text(encoding="utf-8")
            yield from ((name, fault) for fault in _wrong(text, said, preset=preset))


def _wrong(text: str, said: Said | None, *, preset: bool) -> Iterator[str]:
    try:
        written = texts(text)
    except ET.ParseError as error:
        yield f"is no SVG: {error}"
        return
    yield from over(text)
    if said is not None:
        # a preset's figures, such as ratios, are in no specification
        yield from strangers(written, said) if not preset else ()
        yield from _around(written, said) if said.words else ()


def texts(drawn: str) -> Written:
    """Read a picture.

    Raises:
        ET.ParseError: It is not XML.
    """
    found = Written()
    root = ET.fromstring(drawn)  # noqa: S314 - written by the build; it declares no entities
    for part in root:
        if part.tag.endswith("}title"):
            found.title = "".join(part.itertext())
        elif part.tag.endswith("}desc"):
            found.desc = "".join(part.itertext())
    _walk(root, "", found)
    return found


def _walk(part: ET.Element, role: str, found: Written) -> None:
    if own := _ROLE.search(part.get("class", "")):
        role = own.group()
        if role == "role-axis-label":
            found.axes.append([])
    if part.tag.endswith("}text"):
        text = "".join(part.itertext()).strip()
        if text:
            found.roles.setdefault(role, []).append(text)
            place = _PLACE.search(part.get("transform", ""))
            if role == "role-axis-label" and place:
                found.axes[-1].append((text, float(place[1]), float(place[2])))
        return
    for inner in part:
        _walk(inner, role, found)


def strangers(written: Written, said: Said) -> Iterator[str]:
    """Yields figures inside the chart of a picture that its specification lacks."""
    everything = "\n".join(sorted(said.texts))
    ticks = {text for axis in written.axes for text, _, _ in axis}
    for role, found in written.roles.items():
        for text in dict.fromkeys(found) if role else ():
            number = _number(text, said.signs)
            if (
                not any(letter.isdigit() for letter in text)
                or text in said.texts
                or (number is not None and text in ticks)  # checked by its place
                or (number is not None and _among(number, said.values))
            ):
                continue
            # within a longer string it must not be the beginning of a longer number
            if not re.search(rf"(?<![\w.,]){re.escape(text)}(?![.,]?\d)", everything):
                yield f"writes {text!r}, which {said.name} does not have"
    for axis in written.axes:
        plain = [(n, x, y) for text, x, y in axis if (n := _number(text, said.signs)) is not None]
        if len(plain) > _TOLD and not (
            _even(plain) or all(_among(number, said.values) for number, _, _ in plain)
        ):
            labels = ", ".join(text for text, _, _ in axis)
            yield (
                f"its axis labels {labels} do not stand where a linear or logarithmic axis has them"
            )


def _number(text: str, signs: tuple[str, str]) -> float | None:
    """A number in the format of the chart's language; for percentages their fraction."""
    decimal, thousands = signs
    plain = re.sub(r"[\s\u00a0\u202f]*%$", "", text).replace("\N{MINUS SIGN}", "-")
    try:
        return float(plain.replace(thousands, "").replace(decimal, "."))
    except ValueError:
        return None


def _among(number: float, values: frozenset[float]) -> bool:
    return number in values or any(math.isclose(number, value) for value in values)


def _even(ticks: list[tuple[float, float, float]]) -> bool:
    vertical = len({x for _, x, _ in ticks}) < len({y for _, _, y in ticks})
    places = [y if vertical else x for _, x, y in ticks]
    scales = [[number for number, _, _ in ticks]]
    if all(number > 0 for number, _, _ in ticks):
        scales.append([math.log(number) for number, _, _ in ticks])
    for numbers in scales:
        ends = sorted(zip(numbers, places, strict=True))
        (low, start), (high, end) = ends[0], ends[-1]
        if high == low or end == start:
            continue
        step = (end - start) / (high - low)
        if all(
            abs(start + step * (one - low) - place) <= _NEAR
            for one, place in zip(numbers, places, strict=True)
        ):
            return True
    return False


def _said(out: Path, files: set[str], chart: str, language: str) -> Said | None:
    """Allowed texts of a chart's pictures; None without a readable specification, which
    `verify.downloads` reports.
    """
    name = f"c/{chart}/spec.{language}.json"
    try:
        spec, meta = (
            json.loads((out / file).read_text(encoding="utf-8")) if file in files else {}
            for file in (name, f"c/{chart}/meta.json")
        )
    except ValueError:
        return None
    if not spec:
        return None
    formats = spec.get("usermeta", {}).get("embedOptions", {}).get("formatLocale", {})
    around = [leaf for leaf in _leaves(meta) if isinstance(leaf, str)]
    for page in (f"{language}/c/{chart}/index.html", f"c/{chart}/data.{language}.js"):
        if page in files and meta:
            text = (out / page).read_text(encoding="utf-8")
            if page.endswith(".js"):
                text = json.loads(text.removeprefix(embed.DATA).removesuffix(";\n"))["html"]
            text = re.sub(r"<(script|style)\b.*?</\1>", " ", text, flags=re.DOTALL)
            around.append(html.unescape(re.sub(r"<[^>]+>", "", text)))
    leaves = list(_leaves({**spec, "data": unpacked(spec)} if "data" in spec else spec))
    strings = [leaf for leaf in leaves if isinstance(leaf, str)]
    return Said(
        name,
        frozenset({form for text in strings for form in (text, text.translate(_JOINED))}),
        frozenset(leaf for leaf in leaves if isinstance(leaf, int | float)),
        (formats.get("decimal", "."), formats.get("thousands", ",")),
        _plain(" ".join(around)),
    )


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _around(written: Written, said: Said) -> Iterator[str]:
    for line in dict.fromkeys((written.title, written.desc, *written.roles.get("", ()))):
        if not line or _plain(line.removesuffix(CUT)) not in said.words:
            yield f"writes {line!r} around the chart; neither its page nor meta.json says so"


def _leaves(part: Any) -> Iterator[object]:
    if isinstance(part, dict | list):
        for value in part.values() if isinstance(part, dict) else part:
            yield from _leaves(value)
    else:
        yield part
