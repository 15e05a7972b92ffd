"""Files at the old addresses of renamed charts and badges.

A static host cannot redirect a picture or a download, so each file is also at its old address, byte
for byte; pages link to the new ones.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from site_src.addresses.ledger import Kind, Moved
from site_src.charts import downloads
from site_src.locales import Locale
from site_src.model import Asset
from site_src.templates import charts as templates

PLACES: Final = {Kind.CHART: "c/{}/", Kind.BADGE: "badges/{}."}
"""Prefixes of the files of an id of each kind, below site/."""


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
                yield Asset(other + asset.path.removeprefix(start), _moved_content(asset, new))


def _moved_content(asset: Asset, new: str) -> bytes:
    """The content for the old name: the same, except that a description gives the chart's new
    address.
    """
    if not asset.path.endswith("/meta.json"):
        return asset.content
    return downloads.as_json(json.loads(asset.content) | {"moved_to": new})


def pages(
    folder: str,
    moved: Mapping[str, str],
    headings: Mapping[str, Mapping[str, str]],
    locales: Sequence[Locale],
    base: str,
) -> Iterator[Asset]:
    """Yields pages for the old addresses of charts or results.

    Args:
        folder: Theirs, below a language.
        moved: Old and new ids.
        headings: By new id and language.
        locales: The site's.
        base: Address of its root; empty for none.
    """
    for old, new in moved.items():
        for locale in locales:
            page = templates.forwarder(folder, new, headings[new][locale.code], locale, base)
            yield Asset(f"{locale.code}/{folder}/{old}/index.html", page.encode())
