"""Where links and pictures lead: pages of the web, files of this site, and nowhere that runs a text as a program.

Whatever a page is made of, `unsafe` looks at the finished HTML; `away` makes the links whose address comes from a record.
"""

import re
from collections.abc import Iterator
from html import unescape
from typing import Final

from markupsafe import Markup

from kernels.errors import RecordError
from kernels.records import check_address

_ATTRIBUTE: Final = re.compile(
    r"""\s(href|src|srcset|action|formaction|poster|data|ping|xlink:href)\s*=\s*("[^"]*+"|'[^']*+'|[^\s"'>]++)""", re.IGNORECASE
)
_SCHEME: Final = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*+):")
_UNSEEN: Final = re.compile(r"[\x00-\x20\x7f-\x9f\u200b\u2028\u2029\ufeff]+")
_SAFE: Final = frozenset({"http", "https"})

EMPTY_ICON: Final = "data:,"
"""An icon of nothing, so that a browser asks for none."""


def away(address: str, text: object | None = None) -> Markup:
    """A link to a page elsewhere, by its own address where no text is given; an address that is none is shown, and leads nowhere."""
    shown = address if text is None else text
    try:
        check_address("link", address)
    except RecordError:
        return Markup("{}").format(shown)
    return Markup('<a href="{}" rel="external">{}</a>').format(address, shown)


def unsafe(html: str) -> Iterator[str]:
    """Attributes of a page that lead to something else than a page of the web or a file of the site, as a browser reads them."""
    for found in _ATTRIBUTE.finditer(html):
        value = found[2]
        if ":" not in value and "&" not in value:
            continue
        plain = _UNSEEN.sub("", unescape(value.strip("\"'")))
        scheme = _SCHEME.match(plain)
        if scheme and scheme[1].lower() not in _SAFE and plain != EMPTY_ICON:
            yield f"{found[1].lower()}={plain[:80]!r}"
