"""A chart's pictures against its specification: every figure that a picture writes is one that the specification holds, or an axis tick."""

import html
import json
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, Final

Fault = tuple[str, str]

_TEXT: Final = re.compile(r"<text[^>]*>((?:[^<]|</?tspan[^>]*>)*)</text>")
_SPAN: Final = re.compile(r"</?tspan[^>]*>")
_TICK: Final = re.compile(r"[\d.,\s\u00a0\u202f\u2212-]+%?")


def pictures(out: Path, files: set[str], languages: Iterable[str]) -> Iterator[Fault]:
    """(file, fault) for each written figure of a chart's pictures that has no origin in `spec.<lang>.json` beside it."""
    for language in languages:
        for name in sorted(file for file in files if file.startswith("c/") and file.endswith(f"/spec.{language}.json")):
            folder = name.rpartition("/")[0]
            known = set(_strings(json.loads((out / name).read_text(encoding="utf-8"))))
            for kind in ("page", "page-dark", "phone", "phone-dark"):
                picture = f"{folder}/{language}-{kind}.svg"
                if picture in files:
                    drawn = (out / picture).read_text(encoding="utf-8")
                    yield from ((picture, fault) for fault in strangers(drawn, known, name))


def strangers(drawn: str, known: set[str], name: str) -> Iterator[str]:
    """Texts with digits that are neither whole in a string of the specification nor a bare number or percentage."""
    everything = "\n".join(sorted(known))
    for text in dict.fromkeys(html.unescape(_SPAN.sub("", found)).strip() for found in _TEXT.findall(drawn)):
        if not any(letter.isdigit() for letter in text) or text in known or _TICK.fullmatch(text):
            continue
        # Within a longer string it must not be the beginning of a longer number.
        if not re.search(rf"(?<![\w.,]){re.escape(text)}(?![.,]?\d)", everything):
            yield f"writes {text!r}, which {name} does not have"


def _strings(part: Any) -> Iterator[str]:
    if isinstance(part, str):
        yield part
    elif isinstance(part, dict):
        for value in part.values():
            yield from _strings(value)
    elif isinstance(part, list):
        for value in part:
            yield from _strings(value)
