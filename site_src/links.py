"""Checks that links and pictures lead to pages of the web or files of this site, and never run
code.

`unsafe_file` checks each finished file; `away` makes links with addresses from records.
"""

import json
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import chain
from typing import Final

from markupsafe import Markup

from kernels.errors import RecordError
from kernels.records import check_address

_LEADING: Final = frozenset(
    {"href", "src", "srcset", "action", "formaction", "poster", "data", "ping", "xlink:href"}
)
"""Attributes with addresses."""

_SUSPECT: Final = re.compile(
    rf"""[\s"'/](?:{"|".join(sorted(_LEADING))})\s*=\s*(?:"[^"]*+"|'[^']*+'|[^\s"'>]++)""",
    re.IGNORECASE,
)
_LINKED_DATA: Final = re.compile(r'<script type="application/ld\+json">(.*?)</script>', re.DOTALL)
_NAMED: Final = re.compile(
    r'"(?:@id|url|sameAs|contentUrl|license|image|item|target)":\s*("(?:[^"\\]|\\.)*+")'
)
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*+):")
_UNSEEN: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u200b\u2028\u2029\ufeff]+")
_SAFE: Final = frozenset({"http", "https"})

_SHOWN: Final = frozenset({"html", "xml", "svg"})

EMPTY_ICON: Final = "data:,"
"""An empty icon, so that browsers do not ask for one."""

_FOLDER: Final = re.compile(r"""(<a\b[^>]*?\shref="?[^"?#:\s>]*/)(?=["?#\s>])""")


def opening(html: str) -> str:
    """The page, with the file name added to links that lead to a page's folder.

    From a disk, without a server, a folder opens as a list of files. On a server both lead to the
    page; there `site.js` removes the file name from the visible address, so that readers copy the
    permanent one.
    """
    return _FOLDER.sub(r"\1index.html", html)


def away(address: str, text: object | None = None) -> Markup:
    """A link to another site, by its address if there is no text; an invalid address is shown
    without a link.
    """
    shown = address if text is None else text
    try:
        check_address("link", address)
    except RecordError:
        return Markup("{}").format(shown)
    return Markup('<a href="{}" rel="external">{}</a>').format(address, shown)


def leads(value: str) -> bool:
    """True if an attribute's value, as browsers read it, leads to a page of the web or a file of
    the site.
    """
    plain = _UNSEEN.sub("", value)
    scheme = _SCHEME.match(plain)
    return not scheme or scheme[1].lower() in _SAFE or plain == EMPTY_ICON


def unsafe(html: str) -> Iterator[str]:
    """Yields attributes of a page, picture or feed, and addresses in its linked data, that lead to
    something else, as browsers read them.
    """
    if any(
        (":" in found[0] or "&" in found[0]) and not leads(_value(found[0]))
        for found in _SUSPECT.finditer(html)
    ):
        yield from _Links(html).wrong  # what only looked like an attribute was text
    for data in _LINKED_DATA.finditer(html):
        for named in _NAMED.finditer(data[1]):
            address = json.loads(named[1])
            if not leads(address):
                yield f"an address in linked data, {address[:80]!r},"


def unsafe_file(name: str, content: bytes) -> str | None:
    """The first unsafe address in a file of the site; None without one, and for files that browsers
    do not show as pages.
    """
    kind = name.rpartition(".")[2]
    if kind not in _SHOWN:
        return None
    text = content.decode()
    # a feed has its HTML as text
    return next(chain(unsafe(text), unsafe(unescape(text)) if kind == "xml" else ()), None)


def _value(found: str) -> str:
    return unescape(found.partition("=")[2].strip().strip("\"'"))


class _Links(HTMLParser):
    """Reads a page's elements, to distinguish attributes from text that looks like one."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.wrong: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, _: str, attrs: list[tuple[str, str | None]]) -> None:
        """Record unsafe addresses."""
        self.wrong += [
            f"{name}={value[:80]!r}"
            for name, value in attrs
            if name in _LEADING and value and not leads(value)
        ]
