"""What answers at the old addresses of charts and badges that were renamed.

A static host cannot redirect a picture or a download, so each file of the new name stands under the
old one too, byte for byte; pages lead to the new ones.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from site_src.addresses.ledger import Moved
from site_src.charts import downloads
from site_src.charts.markup import escape
from site_src.locales import Locale
from site_src.model import Asset

PLACES: Final[Mapping[str, str]] = {"chart": "c/{}/", "badge": "badges/{}."}
"""Where the files of each kind are, below site/: what begins so is the id's."""


def forwarded(assets: Iterable[Asset], moved: Moved) -> Iterator[Asset]:
    """The assets, and those of every new id under its old ones too."""
    ways = [
        (PLACES[kind].format(new), PLACES[kind].format(old), new)
        for kind, ids in moved.items()
        for old, new in ids.items()
    ]
    for asset in assets:
        yield asset
        for start, other, new in ways:
            if asset.path.startswith(start):
                yield Asset(other + asset.path.removeprefix(start), _told(asset, new))


def _told(asset: Asset, new: str) -> bytes:
    """The content under the old name: the same, but a description says where the chart is now."""
    if not asset.path.endswith("/meta.json"):
        return asset.content
    return downloads.as_json(json.loads(asset.content) | {"moved_to": new})


def pages(
    moved: Mapping[str, str],
    headings: Mapping[str, Mapping[str, str]],
    locales: Sequence[Locale],
    base: str,
) -> Iterator[Asset]:
    """What answers at the old addresses of charts' pages.

    Args:
        moved: Old and new ids of charts.
        headings: By new id and language.
        locales: The site's.
        base: Address of its root; empty for none.
    """
    for old, new in moved.items():
        for locale in locales:
            heading = headings[new][locale.code]
            yield Asset(
                f"{locale.code}/c/{old}/index.html", _forwarder(new, heading, locale, base).encode()
            )


def _forwarder(new: str, heading: str, locale: Locale, base: str) -> str:
    """A page that leads to the chart's own: with JavaScript the state in the address goes along,
    without it the plain address.

    The browser's own way stands in `noscript`: it would overtake the script's where the new page is
    slow to come.
    """
    way = f"../{new}/index.html"  # a page from a disk too, where a folder is none
    canonical = f'<link rel="canonical" href="{base}{locale.code}/c/{new}/">' if base else ""
    return (
        f'<!doctype html><html lang="{locale.code}" dir="{locale.direction}"><head><meta '
        'charset="utf-8">'
        '<meta name="viewport" content="width=device-width, initial-scale=1"><meta name="robots" '
        'content="noindex">'
        f"<title>{escape(heading)}</title>{canonical}"
        f'<script>location.replace("{way}"+location.search+location.hash)</script>'
        f'<noscript><meta http-equiv="refresh" content="0; url={way}"></noscript>'
        '<meta name="color-scheme" content="light dark"></head>'
        f"<body><main><h1>{escape(locale.say('moved.title'))}</h1>"
        f'<p><a href="{way}">{escape(heading)}</a></p></main></body></html>\n'
    )
