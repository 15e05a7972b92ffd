"""What a page says, without its markup."""

import re

from markupsafe import Markup


def said(html: str) -> str:
    """Its words in one line; rows, cells, items and notes are apart."""
    parted = re.sub(r'</t[dhr]>|<br>|<span class="ts-note">|</li>', " ", str(html))
    return " ".join(Markup(parted).striptags().replace("\xa0", " ").split())  # noqa: S704 - our own page


def plain(html: str) -> str:
    """Its words in one line, every element apart."""
    return said(str(html).replace("<", " <"))
