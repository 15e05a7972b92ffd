"""Stylesheets without what a page does not use: it waits for them before it shows anything. Of the
theme's, half is for parts that none of ours has.
"""

import re
from collections.abc import Callable, Collection, Iterator
from typing import Final

UNUSED: Final = (
    "abstract",
    "admonition",
    "annotate",
    "arithmatex",
    "bug",
    "critic",
    "danger",
    "emojione",
    "example",
    "failure",
    "focus-visible",
    "footnote",
    "gemoji",
    "giscus",
    "gist",
    "grid",
    "highlight",
    "info",
    "inline",
    "katex",
    "keys",
    "lg",
    "linenodiv",
    "linenos",
    "md-annotation",
    "md-author",
    "md-banner",
    "md-button",
    "md-clipboard",
    "md-code__",
    "md-consent",
    "md-content--post",
    "md-content__button",
    "md-copyright",
    "md-dialog--active",
    "md-draft",
    "md-feedback",
    "md-footer",
    "md-header--lifted",
    "md-header--shadow",
    "md-header__ellipsis",
    "md-header__option",
    "md-header__source",
    "md-header__title",
    "md-header__topic",
    "md-icon--",
    "md-input",
    "md-logo",
    "md-meta",
    "md-nav--integrated",
    "md-nav--lifted",
    "md-nav--primary",
    "md-nav__button",
    "md-nav__container",
    "md-nav__item--nested",
    "md-nav__item--section",
    "md-nav__link--passed",
    "md-nav__source",
    "md-nav__toggle",
    "md-option",
    "md-pagination",
    "md-path",
    "md-pin",
    "md-post",
    "md-profile",
    "md-progress",
    "md-search",
    "md-select",
    "md-sidebar--post",
    "md-social",
    "md-source",
    "md-status",
    "md-tabs",
    "md-tag",
    "md-tooltip",
    "md-typeset__scrollwrap",
    "md-typeset__table",
    "md-version",
    "mermaid",
    "middle",
    "note",
    "question",
    "quote",
    "success",
    "tabbed",
    "task-list",
    "tip",
    "twemoji",
    "warning",
    "xl",
    "xxl",
    "xxxl",
)
"""Unused classes, and all that begin like them; a test checks the built pages for them."""

ABSENT: Final = ("abbr", "blockquote", "h5", "h6", "hr", "iframe", "kbd", "sub", "video")
"""Elements that our pages do not use."""

_ABSENT: Final = re.compile(
    rf"(?<![\w.#-])(?:{'|'.join(ABSENT)})(?![\w-])|table:not\(\[class\]\)|\[role=columnheader\]"
    r"|\[align|\[data-preview|(?:only-dark|only-light|mode-only)\b|__comments|__search"
    r"|^:(?:before|after)$"
)
"""Unused selectors other than classes: elements, tables without a class, attributes. A rule for the
pseudo-elements of all elements makes a browser compute the style of three for each.
"""

_CLASS: Final = re.compile(r"\.(-?[\w-]+)")
_NEGATED: Final = re.compile(r":not\([^()]*\)")
_BESIDE: Final = re.compile(r":(?:not|has)\((?:[^()]|\([^()]*\))*\)")
_ONE_OF: Final = re.compile(r":(?:is|where)\(([^()]*)\)")
_WORD: Final = re.compile(r"[\w-]+")
_COMMA: Final = re.compile(r",(?![^(\[]*[)\]])")
_VARIABLE: Final = re.compile(
    r"(--md-[\w-]+):(?:\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[^;{}\"'])*;?"
)
_USED: Final = re.compile(r"var\((--md-[\w-]+)")
_TOKEN: Final = re.compile(r"\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[{};]")


def asked_for(css: str) -> set[str]:
    """The theme's variables that a stylesheet uses."""
    return set(_USED.findall(css))


def trimmed(css: str, wanted: Collection[str] = ()) -> str:
    """The rules that our pages can match, in order, without variables that neither they nor our
    styles use.
    """
    kept = "".join(_kept(css, unused))
    used = {*asked_for(kept), *wanted}
    left = _VARIABLE.sub(lambda one: one[0] if one[1] in used else "", kept)
    return "".join(rule for rule in rules(left) if not rule.endswith("{}"))


def words(text: str) -> set[str]:
    """All that may be a class in a page or in a script."""
    return set(_WORD.findall(text))


def met(css: str, classes: set[str]) -> str:
    """The rules that a page can match which has no other classes, in order."""
    return "".join(_kept(css, lambda selector: not _met(selector, classes)))


def _met(selector: str, classes: set[str]) -> bool:
    text = _BESIDE.sub("", selector)
    choices = (one.split(",") for one in _ONE_OF.findall(text))
    return classes.issuperset(_CLASS.findall(_ONE_OF.sub("", text))) and all(
        any(classes.issuperset(_CLASS.findall(one)) for one in choice) for choice in choices
    )


def _kept(css: str, left_out: Callable[[str], bool]) -> Iterator[str]:
    for rule in rules(css):
        head, brace, body = rule.partition("{")
        if head.startswith(("@media", "@supports")):
            inner = "".join(_kept(body[:-1], left_out))
            if inner:
                yield f"{head}{{{inner}}}"
        elif head.startswith("@") or not brace:
            yield rule
        elif selectors := [one for one in _COMMA.split(head) if not left_out(one)]:
            yield f"{','.join(selectors)}{{{body}"


def unused(text: str) -> bool:
    """True if a selector can match nothing on our pages."""
    names = _CLASS.findall(_NEGATED.sub("", text))
    return _ABSENT.search(text) is not None or any(name.startswith(UNUSED) for name in names)


def rules(css: str) -> Iterator[str]:
    """The stylesheet's top-level rules, each as a whole."""
    start = depth = 0
    for token in _TOKEN.finditer(css):
        depth += {"{": 1, "}": -1}.get(token[0], 0)
        if depth == 0 and token[0] in "};":
            yield css[start : token.end()]
            start = token.end()
