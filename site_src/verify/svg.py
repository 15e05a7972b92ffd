"""A chart's SVG pictures against its specification and its page: labels, ticks, and the words
around the chart.

Held, for every language and for all eight pictures (`<lang>.svg`, `-narrow`, `-page`, `-phone`,
each light and dark), and for the two of each preset:

- texts of marks: as often as the rows and text layers of `spec.<lang>.json` give them in the
  default state, no more and no less. Where a layer's filter or format is none of those that are
  read here, its chart's texts must still each be one of the specification's strings;
- axis labels: strings or values of the specification's rows, or bare numbers that stand where a
  linear or logarithmic axis has them;
- axis and legend titles, and what is written inside the chart otherwise: whole in a string of the
  specification;
- lines around the chart (title, notes, credit): on the chart's own page or in its `meta.json`;
- `<desc>`: the headline in `meta.json`; `<title>`: the beginning of its title;
- each text within the edges of its picture (`verify.edges`);
- a dark picture: the light one, as large, in other colours, and on its paper where it is for
  others' posts.

Not held: whether a mark is as long or stands where its figure says, and the PNG files, which are
made of the SVGs that are held here.
"""

import html
import json
import math
import re
import xml.etree.ElementTree as ET
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from site_src.figures.theme import BACKGROUND, Theme
from site_src.verify.edges import over

Fault = tuple[str, str]

KINDS: Final = (
    "",
    "-dark",
    "-narrow",
    "-narrow-dark",
    "-page",
    "-page-dark",
    "-phone",
    "-phone-dark",
)

_PAINT: Final = re.compile(r'\s(?:fill|stroke)="[^"]*"')
_BARE: Final = re.compile(r"-(?:page|phone)(?:-dark)?\.svg$")
"""Names of pictures that stand on the page's own paper."""

_ROLE: Final = re.compile(r"\brole-[\w-]+")
_PLACE: Final = re.compile(r"translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)")
_TICK: Final = re.compile(r"[\d.,\s\u00a0\u202f\u2212-]+%?")
_TERM: Final = re.compile(
    r"(?P<test>!?isValid\()?datum\.(?P<name>\w+)\)?(?: === '(?P<value>[^']*)')?"
)
_FORMATS: Final = {",.12~g": ",.12g"}
"""d3's formats of text layers, and Python's for the same."""

_JOINED: Final = str.maketrans("", "", "\n\u200b")
"""Lines of one text follow each other in a picture, without the letter that holds the space between
them.
"""

_NEAR: Final = 1.6
"""Ticks in px: they are drawn on whole pixels."""

_TOLD: Final = 2
"""Ticks from which nothing follows: any two points lie on a line."""


def pictures(
    out: Path,
    files: set[str],
    languages: Iterable[str],
    presets: Mapping[tuple[str, str], Mapping[str, Mapping[str, Any]]] | None = None,
) -> Iterator[Fault]:
    """(file, fault) for whatever a chart's pictures write that its specification, page or
    description do not have, and over an edge.

    Args:
        out: The written site.
        files: Its files.
        languages: Their codes.
        presets: By chart and language the specifications of presets.
    """
    for language in languages:
        for name in sorted(
            file
            for file in files
            if file.startswith("c/") and file.endswith(f"/spec.{language}.json")
        ):
            folder = name.rpartition("/")[0]
            try:
                spec = json.loads((out / name).read_text(encoding="utf-8"))
            except ValueError as error:
                yield name, f"is no JSON: {error}"
                continue
            found = {
                picture for kind in KINDS if (picture := f"{folder}/{language}{kind}.svg") in files
            }
            yield from _held(out, found, spec, name, _around(out, files, folder, language))
    for (chart, language), specs in (presets or {}).items():
        for preset, spec in specs.items():
            found = {f"c/{chart}/{language}-{preset}{dark}.svg" for dark in ("", "-dark")}
            yield from ((picture, "is missing; the records give it") for picture in found - files)
            around = _around(out, files, f"c/{chart}", language, preset)
            yield from _held(
                out, found & files, spec, f"the state {preset!r} in the records", around
            )


def _held(
    out: Path, found: Iterable[str], spec: Mapping[str, Any], name: str, around: "_Around | None"
) -> Iterator[Fault]:
    """Pictures of one state against its specification, called `name`."""
    labels = expected(spec)
    known = {form for text in _strings(spec) for form in (text, text.translate(_JOINED))}
    for picture in sorted(found):
        text = (out / picture).read_text(encoding="utf-8")
        try:
            written = texts(text)
        except ET.ParseError as error:
            yield picture, f"is no SVG: {error}"
            continue
        yield from ((picture, fault) for fault in strangers(written, known, labels, spec, name))
        yield from ((picture, fault) for fault in _framed(written, around))
        yield from ((picture, fault) for fault in over(text))
        yield from ((picture, fault) for fault in _painted(out, picture, text))


def _painted(out: Path, picture: str, text: str) -> Iterator[str]:
    """What is wrong with a picture's paper, and with a dark one beside the light one."""
    theme: Theme = "dark" if picture.endswith("-dark.svg") else "light"
    if (
        not _BARE.search(picture)
        and f'<rect width="100%" height="100%" fill="{BACKGROUND[theme]}"/>' not in text
    ):
        yield f"has no paper of {BACKGROUND[theme]}, as a {theme} picture in a post must"
    light = out / f"{picture.removesuffix('-dark.svg')}.svg"
    if theme == "dark" and light.is_file():
        other = light.read_text(encoding="utf-8")
        if text == other or _PAINT.sub(" ", text) != _PAINT.sub(" ", other):
            yield f"is not {light.name} in other colours"


@dataclass(slots=True)
class Written:
    """What a picture writes: texts by the role of their group, ticks by axis with their places,
    `<title>` and `<desc>`.
    """

    roles: dict[str, list[str]] = field(default_factory=dict)
    axes: list[list[tuple[str, float, float]]] = field(default_factory=list)
    title: str = ""
    desc: str = ""


def texts(drawn: str) -> Written:
    """Read a picture.

    Raises:
        ET.ParseError: It is no XML.
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


def strangers(
    written: Written,
    known: set[str],
    labels: Counter[str] | None,
    spec: Mapping[str, Any],
    name: str,
) -> Iterator[str]:
    """What a picture writes inside the chart and the specification does not have; `labels` are
    those expected of marks, if known.
    """
    everything = "\n".join(sorted(known))
    values = {
        value
        for row in _rows(spec, {})
        for value in row.values()
        if isinstance(value, int | float) and not isinstance(value, bool)
    }
    marks = Counter(written.roles.get("role-mark", ()))
    if labels is not None:
        for text, count in sorted((marks - labels).items()):
            more = (
                f" {count} times more than {name} has it"
                if text in labels
                else f", which {name} does not have"
            )
            yield f"writes {text!r}{more}"
        for text in sorted(labels - marks):
            yield f"does not write {text!r}, which {name} has"
    decimal, thousands = _signs(spec)
    for role, found in written.roles.items():
        if not role or (role == "role-mark" and labels is not None):
            continue
        for text in dict.fromkeys(found):
            if not any(letter.isdigit() for letter in text) or text in known:
                continue
            if role == "role-axis-label" and _TICK.fullmatch(text):
                continue  # held by its place
            number = _number(text, decimal, thousands)
            if number is not None and any(
                math.isclose(number, value, rel_tol=1e-9) for value in values
            ):
                continue
            # Within a longer string it must not be the beginning of a longer number.
            if not re.search(rf"(?<![\w.,]){re.escape(text)}(?![.,]?\d)", everything):
                yield f"writes {text!r}, which {name} does not have"
    for ticks in written.axes:
        numbers = [(_number(text, decimal, thousands), x, y) for text, x, y in ticks]
        plain = [(number, x, y) for number, x, y in numbers if number is not None]
        if (
            len(plain) > _TOLD
            and not _even(plain)
            and not all(any(math.isclose(n, v) for v in values) for n, _, _ in plain)
        ):
            yield (
                f"its axis labels {', '.join(text for text, _, _ in ticks)} do not stand where "
                "a "
                "linear or logarithmic axis has them"
            )


def _signs(spec: Mapping[str, Any]) -> tuple[str, str]:
    formats = spec.get("usermeta", {}).get("embedOptions", {}).get("formatLocale", {})
    return formats.get("decimal", "."), formats.get("thousands", ",")


def _number(text: str, decimal: str, thousands: str) -> float | None:
    """A number as the chart's language writes it; percentages as their figure."""
    plain = (
        re.sub(r"[\s\u00a0\u202f]*%$", "", text)
        .replace("\N{MINUS SIGN}", "-")
        .replace(thousands, "")
        .replace(decimal, ".")
    )
    try:
        return float(plain)
    except ValueError:
        return None


def _even(ticks: list[tuple[float, float, float]]) -> bool:
    """Whether numbers and places go together, linearly or by the logarithm."""
    vertical = len({x for _, x, _ in ticks}) < len({y for _, _, y in ticks})
    places = [y if vertical else x for _, x, y in ticks]
    scales = [[number for number, _, _ in ticks]]
    if all(number > 0 for number, _, _ in ticks):
        scales.append([math.log(number) for number, _, _ in ticks])
    for numbers in scales:
        low, high = (
            min(range(len(numbers)), key=numbers.__getitem__),
            max(range(len(numbers)), key=numbers.__getitem__),
        )
        if numbers[high] == numbers[low] or places[high] == places[low]:
            continue
        step = (places[high] - places[low]) / (numbers[high] - numbers[low])
        if all(
            abs(places[low] + step * (one - numbers[low]) - place) <= _NEAR
            for one, place in zip(numbers, places, strict=True)
        ):
            return True
    return False


def expected(spec: Mapping[str, Any]) -> Counter[str] | None:
    """Texts that the text layers write of their rows; None where a layer's filter, format or source
    is not read here.
    """
    signs = _signs(spec)
    found: Counter[str] = Counter()
    for layer, rows, filters in _layers(spec, spec, [], []):
        told = layer.get("encoding", {}).get("text")
        if not isinstance(told, dict) or "field" not in told or "condition" in told:
            return None
        for row in rows:
            holds = [_holds(test, row) for test in filters]
            text = _written(row.get(told["field"]), told.get("format"), signs)
            if None in holds or text is None:
                return None
            if all(holds) and text.strip():
                found[text.strip().translate(_JOINED)] += 1
    return found


def _written(value: object, form: str | None, signs: tuple[str, str]) -> str | None:
    if value is None:
        return ""
    if isinstance(value, str) and form is None:
        return value
    if form not in _FORMATS or isinstance(value, bool) or not isinstance(value, int | float):
        return None
    swapped = {",": signs[1], ".": signs[0], "-": "\N{MINUS SIGN}"}
    return "".join(swapped.get(letter, letter) for letter in format(value, _FORMATS[form]))


def _holds(test: object, row: Mapping[str, Any]) -> bool | None:
    """Whether a row passes a filter; None where the filter says more than is read here."""
    if not isinstance(test, str):
        return None
    holds = True
    for term in test.split(" && "):
        match = _TERM.fullmatch(term.strip())
        if match is None:
            return None
        value = row.get(match["name"])
        if match["test"]:
            passed = (value is None) == match["test"].startswith("!")
        else:
            passed = value == match["value"] if match["value"] is not None else bool(value)
        holds = holds and passed
    return holds


def _layers(
    part: Mapping[str, Any],
    spec: Mapping[str, Any],
    rows: list[dict[str, Any]],
    filters: list[object],
) -> Iterator[tuple[Mapping[str, Any], list[dict[str, Any]], list[object]]]:
    """Every text layer with its rows and the filters above it; other transforms count as a filter
    that is not read.
    """
    if "data" in part:
        rows, filters = _rows(part, spec), []
    filters = [*filters, *(step.get("filter") for step in part.get("transform", ()))]
    mark = part.get("mark")
    if (mark.get("type") if isinstance(mark, dict) else mark) == "text":
        yield part, rows, filters
    for key in ("layer", "hconcat", "vconcat", "concat"):
        for inner in part.get(key, ()):
            yield from _layers(inner, spec, rows, filters)
    if isinstance(part.get("spec"), dict):
        # a facet draws its rows in parts
        yield from _layers(part["spec"], spec, rows, [*filters, None])


def _rows(part: Mapping[str, Any], spec: Mapping[str, Any]) -> list[dict[str, Any]]:
    data = part.get("data")
    if not isinstance(data, dict):
        return []
    values = data.get("values", spec.get("datasets", {}).get(data.get("name"), []))
    return [row for row in values if isinstance(row, dict)] if isinstance(values, list) else []


@dataclass(frozen=True, slots=True)
class _Around:
    """Words that may stand around a chart, spaces made even: what page and description say; the
    page's own is empty where there is none.
    """

    words: str
    title: str
    headline: str


def _around(
    out: Path, files: set[str], folder: str, language: str, preset: str = ""
) -> _Around | None:
    if f"{folder}/meta.json" not in files:
        return None
    try:
        meta = json.loads((out / f"{folder}/meta.json").read_text(encoding="utf-8"))
    except ValueError:
        return None  # what is wrong with the file itself is told where files are compared
    page = f"{language}/{folder}/index.html"
    said = [json.dumps(meta, ensure_ascii=False)]
    for name in (page, f"{folder}/embed.html"):
        if name in files:
            text = re.sub(
                r"<(script|style)\b.*?</\1>",
                " ",
                (out / name).read_text(encoding="utf-8"),
                flags=re.DOTALL,
            )
            said.append(html.unescape(re.sub(r"<[^>]+>", "", text)))
    said_of = meta.get("presets", {}).get(preset, {}) if preset else meta
    called = "caption" if "caption" in said_of else "title"
    title, headline = (
        str(said_of.get(name, {}).get(language, "")) for name in (called, "headline")
    )
    return _Around(_plain(" ".join(said)), title, headline)


def _plain(text: str) -> str:
    return re.sub(r"\s+", " ", text).strip()


def _framed(written: Written, around: _Around | None) -> Iterator[str]:
    if around is None:
        return
    if _plain(written.desc) != _plain(around.headline):
        yield f"its <desc> is {written.desc!r}, meta.json's headline {around.headline!r}"
    if not written.title or not _plain(around.title).startswith(_plain(written.title)):
        yield f"its <title> is {written.title!r}, meta.json's title or caption {around.title!r}"
    for line in dict.fromkeys(written.roles.get("", ())):
        if _plain(line) not in around.words:
            yield f"writes {line!r} around the chart; neither its page nor meta.json says so"


def _strings(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in part.values():
            yield from _strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from _strings(value)
