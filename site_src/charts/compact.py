"""A picture in fewer bytes that looks the same: without invisible parts, with shared properties
stated once.
"""

import re
import xml.etree.ElementTree as ET
from collections import Counter
from typing import Final

_SVG: Final = "{http://www.w3.org/2000/svg}"
_G, _PATH, _TEXT, _USE, _DEFS, _CLIP = (
    f"{_SVG}{name}" for name in ("g", "path", "text", "use", "defs", "clipPath")
)

_OF_TEXT: Final = ("font-family", "font-size", "font-weight", "font-style", "text-anchor")
_INHERITED: Final = (
    *_OF_TEXT,
    "fill",
    "fill-opacity",
    "stroke",
    "stroke-dasharray",
    "stroke-linecap",
    "stroke-linejoin",
    "stroke-miterlimit",
    "stroke-opacity",
    "stroke-width",
)
"""Attributes that marks inherit from their group."""

_UNREAD: Final = ("role", "aria-hidden", "aria-roledescription", "pointer-events", "cursor")
"""Attributes that a picture does not need: it is a single object with title and description."""

_AT_ONCE: Final = frozenset({"class", "clip-path", "transform"})
"""Attributes that merge groups if all are the same."""

_ROLE: Final = re.compile(r"role-[\w-]+")
"""The role of a mark: figure, tick, or a legend's."""

_PLACE: Final = re.compile(r"translate\(([^,() ]+)[, ]([^,() ]+)\)")
_PAINTS: Final = ("fill", "stroke")
_REFERENCE: Final = 30
"""Bytes of a shape's definition beside its outline; a reference has about eight."""


def compact(drawn: str) -> str:
    """The picture, with its texts and the places of its marks as they were."""
    ET.register_namespace("", _SVG[1:-1])
    root = ET.fromstring(drawn)  # noqa: S314 - drawn by Vega; it declares no entities
    _merge_cuts(root)
    _clean(root)
    _define(root)
    _hoist(root)
    for part in root.iter():  # last: marks of one class are the same
        if role := _ROLE.search(part.attrib.pop("class", "")):
            part.set("class", role[0])
    return ET.tostring(root, "unicode").replace(" />", "/>")


def _merge_cuts(root: ET.Element) -> None:
    """Gives cuts of one shape one name: Vega gives each line its own."""
    first: dict[bytes, str] = {}
    names = {}
    for parent in list(root.iter()):
        for cut in parent.findall(_CLIP):
            name = cut.get("id", "")
            shape = b"".join(map(ET.tostring, cut))
            names[f"url(#{name})"] = f"url(#{first.setdefault(shape, name)})"
            if first[shape] != name:
                parent.remove(cut)
    for part in root.iter():
        if "clip-path" in part.attrib:
            part.set("clip-path", names[part.attrib["clip-path"]])


def _clean(part: ET.Element) -> None:
    """Removes invisible parts and merges equal neighbours."""
    kept: list[ET.Element] = []
    for child in part:
        _clean(child)
        if _draws_nothing(child):
            continue
        _plain(child)
        inner = list(child) if child.tag == _G and not child.attrib else [child]
        for one in inner:
            if kept and _joins(kept[-1], one):
                kept[-1].extend(one)
            else:
                kept.append(one)
    part[:] = kept


def _plain(part: ET.Element) -> None:
    for name in _UNREAD:
        part.attrib.pop(name, None)
    if part.get("transform") == "translate(0,0)":
        del part.attrib["transform"]
    opacity = part.get("opacity")
    paints = [name for name in _PAINTS if part.get(name, "none") != "none"]
    if opacity == "1":
        del part.attrib["opacity"]
    elif opacity and len(paints) == 1 and f"{paints[0]}-opacity" not in part.attrib:
        part.set(f"{paints[0]}-opacity", part.attrib.pop("opacity"))  # painters are faster with it


def _draws_nothing(part: ET.Element) -> bool:
    if part.tag == _G:
        return not len(part)
    if part.tag == _DEFS:
        return not len(part)
    unpainted = part.get("class") in {"background", "foreground"} and not any(
        name in part.attrib for name in _PAINTS
    )
    unseen = part.tag == _TEXT and "0" in {part.get("opacity"), part.get("fill-opacity")}
    return unpainted or unseen or part.get("display") == "none"


def _joins(one: ET.Element, other: ET.Element) -> bool:
    return (
        one.tag == other.tag == _G
        and one.attrib == other.attrib
        and one.attrib.keys() <= _AT_ONCE
        and "class" in one.attrib
    )


def _define(root: ET.Element) -> None:
    """Defines outlines that several marks share once."""
    shapes = [part for part in root.iter(_PATH) if "d" in part.attrib]
    count = Counter(part.attrib["d"] for part in shapes)
    worth = [d for d, n in count.items() if (n - 1) * len(d) > 8 * n + _REFERENCE]
    if not worth:
        return
    names = {d: f"m{number}" for number, d in enumerate(worth)}
    for part in shapes:
        name = names.get(part.attrib["d"])
        if name:
            part.tag = _USE
            del part.attrib["d"]
            part.set("href", f"#{name}")
            if place := _PLACE.fullmatch(part.get("transform", "")):
                del part.attrib["transform"]
                part.set("x", place[1])
                part.set("y", place[2])
    defined = ET.Element(_DEFS)
    defined.extend(ET.Element(_PATH, {"id": name, "d": d}) for d, name in names.items())
    root.insert(0, defined)


def _hoist(part: ET.Element) -> None:
    """Moves what most marks of a group have in common to the group."""
    for child in part:
        _hoist(child)
    if part.tag != _G:
        return
    for name in _INHERITED:
        concerned = [child for child in part if _concerns(name, child)]
        values = [child.get(name) for child in concerned]
        if name in part.attrib or not values or None in values:
            continue
        [(value, _)] = Counter(values).most_common(1)
        part.set(name, str(value))
        for child in concerned:
            if child.get(name) == value:
                del child.attrib[name]


def _concerns(name: str, part: ET.Element) -> bool:
    if part.tag == _DEFS:
        return False
    return name not in _OF_TEXT or part.tag == _TEXT or any(True for _ in part.iter(_TEXT))
