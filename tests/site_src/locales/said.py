"""Keys in code and templates that are no string, and strings that nothing says."""

import re
from collections.abc import Mapping, Set
from pathlib import Path

from site_src.locales.strings import LABELS, Text, resolve

_SAID = re.compile(
    r"""\b(?:say|template|t|(?:locale|self)\.has)\(\s*f?["']([A-Za-z0-9_.\-]+(?:\{[^}"']*\}[A-Za-z0-9_.]*)*)["']"""
)
_FAMILY = re.compile(r"""["']([a-z0-9_.\-]+[._])(?:\{|["'])""")


def lint(
    path: Path,
    strings: Mapping[str, Text],
    texts: Mapping[str, str],
    families: Set[str] = frozenset(),
) -> list[str]:
    """Returns what is wrong, a sentence each.

    Args:
        path: The strings file to hold against, usually English.
        strings: Its strings.
        texts: Python files, templates, prose and definitions by name. A key counts as used where it
            stands in one of them whole, or where its beginning does, up to a dot or a `_` before a
            brace: `f"status.{x}"`, `f"sides.differ_{x}"`.
        families: Groups of strings whose second part comes from data or enumerations, such as
            `status`; unused ones are named.
    """
    found = []
    for name, text in texts.items():
        for key in _SAID.findall(text):
            literal = key.partition("{")[0]
            if literal == key and not key.endswith((".", "_")):
                if resolve(strings, key) is None:
                    found.append(f"{name}: says {key!r}, which {path.name} does not have")
            elif literal.rstrip(".") not in LABELS and not any(
                known.startswith(literal) for known in strings
            ):
                found.append(f"{name}: says {key!r}, and {path.name} has nothing that begins so")
    everything = "\n".join(texts.values())
    words = set(re.findall(r"[A-Za-z0-9_.\-]+", everything))
    begun = (*set(_FAMILY.findall(everything)), *(f"{family}." for family in families), "unit.")
    labels = (family.partition(".") for family in begun)
    begun += tuple(f"term.{name}" for family, _, name in labels if name and family in LABELS)
    # as one of the labels, or by its name alone in a list of headings
    words |= {f"term.{word.rpartition('.')[2]}" for word in words}
    dead = (key for key in sorted(strings) if key not in words and not key.startswith(begun))
    found += [f"{path.name}: {key!r} is said nowhere; remove it" for key in dead]
    unsaid = [
        family
        for family in sorted(families)
        if not re.search(rf"""["'`]{re.escape(family)}["'`.]""", everything)
    ]
    return found + [f"{path.name}: no code says [{family}]; remove it" for family in unsaid]
