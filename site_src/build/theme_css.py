"""The theme's stylesheet without what our pages have no use for, which is half of it: every page
waits for it before it shows anything.
"""

import re
from collections.abc import Iterator
from typing import Final

UNUSED: Final = (
    "admonition",
    "annotate",
    "critic",
    "footnote",
    "gist",
    "grid",
    "highlight",
    "keys",
    "linenos",
    "md-annotation",
    "md-author",
    "md-banner",
    "md-clipboard",
    "md-code__",
    "md-consent",
    "md-feedback",
    "md-footer",
    "md-icon--",
    "md-meta",
    "md-nav--integrated",
    "md-nav--lifted",
    "md-nav--primary",
    "md-pagination",
    "md-path",
    "md-post",
    "md-profile",
    "md-progress",
    "md-search",
    "md-select",
    "md-sidebar--post",
    "md-social",
    "md-source",
    "md-status",
    "md-tag",
    "md-tooltip",
    "md-version",
    "mermaid",
    "tabbed",
    "task-list",
)
"""Classes of parts that no page of ours has, and all that begin so; a test holds the built pages
against them.
"""

_CLASS: Final = re.compile(r"\.(-?[\w-]+)")
_NEGATED: Final = re.compile(r":not\([^()]*\)")
_COMMA: Final = re.compile(r",(?![^(\[]*[)\]])")
_ICONS: Final = re.compile(r"(--md-[\w-]+-icon[\w-]*):")
_TOKEN: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{};]")


def trimmed(css: str) -> str:
    """The rules that a page of ours can meet, in their order."""
    kept = "".join(_kept(css))
    return "".join(rule for rule in rules(kept) if not _icons(rule, kept))


def _icons(rule: str, css: str) -> bool:
    """Whether a rule does nothing but name icons that no other one shows."""
    names = _ICONS.findall(rule)
    return (
        rule.startswith(":root{")
        and bool(names)
        and not any(f"var({name})" in css for name in names)
    )


def _kept(css: str) -> Iterator[str]:
    for rule in rules(css):
        head, brace, body = rule.partition("{")
        if head.startswith(("@media", "@supports")):
            inner = "".join(_kept(body[:-1]))
            if inner:
                yield f"{head}{{{inner}}}"
        elif head.startswith("@") or not brace:
            yield rule
        elif selectors := [one for one in _COMMA.split(head) if not unused(_NEGATED.sub("", one))]:
            yield f"{','.join(selectors)}{{{body}"


def unused(text: str) -> bool:
    """Whether a selector asks for a class that no page of ours has."""
    return any(name.startswith(UNUSED) for name in _CLASS.findall(text))


def rules(css: str) -> Iterator[str]:
    """The stylesheet's rules, those within others not taken apart."""
    start = depth = 0
    for token in _TOKEN.finditer(css):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0] in "};":
            yield css[start : token.end()]
            start = token.end()
