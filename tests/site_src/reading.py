"""What a page says, without its markup."""

import re
from html.parser import HTMLParser

from markupsafe import Markup


def said(html: str) -> str:
    """Its words in one line; rows, cells, items and notes are apart."""
    parted = re.sub(r'</t[dhr]>|<br>|<span class="ts-note">|</li>', " ", str(html))
    return " ".join(Markup(parted).striptags().replace("\xa0", " ").split())  # noqa: S704 - our own page


def plain(html: str) -> str:
    """Its words in one line, every element apart."""
    return said(str(html).replace("<", " <"))


class _Elements(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, dict[str, str | None]]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, dict(attrs)))


def elements(html: str) -> list[tuple[str, dict[str, str | None]]]:
    """Its elements with their attributes, in order."""
    reader = _Elements()
    reader.feed(html)
    return reader.found
