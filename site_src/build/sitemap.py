"""Files made from all pages: language chooser, 404, sitemap, robots.txt, llms.txt."""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Final

from markupsafe import Markup

from site_src import links
from site_src.build.head import alternates
from site_src.build.shell import Dressing
from site_src.model import Asset, Page
from site_src.templates import fill_document, lists, shell

ASSETS: Final = Path(__file__).parents[1] / "assets"
MOST: Final = 50_000
"""Most addresses in one sitemap."""


@dataclass(frozen=True, slots=True)
class Card:
    """The data of a page that lists need after it is written."""

    path: str
    section: str
    shell: str
    title: str
    description: str
    noindex: bool
    updated: date | None
    image: str

    @classmethod
    def of(cls, page: Page) -> "Card":
        """The card of a page."""
        return cls(
            page.path,
            page.section,
            page.shell,
            page.title,
            page.description,
            page.noindex,
            page.updated,
            page.image,
        )


def assets(
    cards: Mapping[str, Sequence[Card]], dressing: Dressing, files: Collection[str]
) -> Iterator[Asset]:
    """All such files, in a fixed order; `files` are the paths of all others."""
    yield Asset("index.html", chooser(dressing).encode())
    yield Asset("404.html", missing(dressing).encode())
    if dressing.options.base_url:
        yield from sitemaps(cards, dressing)
        yield Asset(
            "robots.txt",
            "User-agent: *\nAllow: /\n\nSitemap: "
            f"{dressing.options.base_url}sitemap.xml\n".encode(),
        )
    yield Asset("llms.txt", llms(cards, dressing, files).encode())


def chooser(dressing: Dressing) -> str:
    """The site's root: plain links to each language; the reader's own is highlighted, without a
    redirect.
    """
    first = dressing.locales[0]
    values: dict[str, object] = {
        "language": first.code,
        "direction": first.direction,
        "site_name": first.say("ui.site_name"),
        "description": first.say("ui.tagline"),
        "choose": shell.choose(dressing.locales),
        "base": dressing.options.base_url,
        "alternates": alternates("", dressing.locales),
        "logo": shell.logo(),
        "offers": shell.offers(dressing.locales),
    }
    values |= dressing.slots(first)
    return links.opening(fill_document("chooser.html", values))


def missing(dressing: Dressing) -> str:
    """The page for wrong addresses, in every language.

    A host serves it at any depth, so it contains its style and finds the root by itself.
    """
    first = dressing.locales[0]
    codes = json.dumps([locale.code for locale in dressing.locales])
    values = {
        "language": first.code,
        "title": f"{first.say('ui.not_found')} · {first.say('ui.site_name')}",
        "site_name": first.say("ui.site_name"),
        "logo": Markup((ASSETS / "favicon.svg").read_text(encoding="utf-8")),  # noqa: S704 - ours
        "parts": shell.not_found(dressing.locales, dressing.options.base_url),
        "codes": Markup(codes),  # noqa: S704 - codes of languages
    }
    return fill_document("missing.html", values)


def sitemaps(
    cards: Mapping[str, Sequence[Card]], dressing: Dressing, most: int = MOST
) -> Iterator[Asset]:
    """Every page that search engines may list, with its chart; an index if one file cannot hold
    all. A page's head has its other languages.
    """
    rows = [
        _listed(card, locale.code, dressing)
        for locale in dressing.locales
        for card in sorted(cards.get(locale.code, ()), key=lambda card: card.path)
        if not card.noindex
    ]
    parts = [rows[start : start + most] for start in range(0, len(rows), most)] or [[]]
    if len(parts) == 1:
        yield Asset("sitemap.xml", lists.urlset(parts[0]).encode())
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        yield Asset(name, lists.urlset(part).encode())
    addresses = [dressing.options.base_url + name for name in names]
    yield Asset("sitemap.xml", lists.sitemaps(addresses).encode())


def _listed(card: Card, code: str, dressing: Dressing) -> Markup:
    base = dressing.options.base_url
    image = base + card.image if card.section == "charts" else ""
    return lists.listed(f"{base}{code}/{card.path}", card.updated, image)


MACHINES: Final = (
    ("api/v1/charts.json", "api.charts"), ("api/v1/results.json", "api.results"),
    ("api/v1/runs.json.gz", "api.runs"), ("api/v1/claims.json", "api.claims"),
    ("api/v1/sources.json", "api.sources"), ("api/v1/costs.json", "api.costs"),
    ("data/runs.parquet", "download.runs"),
    ("data/metrics.parquet", "download.metrics"), ("data/claims.parquet", "download.claims"),
    ("data/sources.parquet", "download.sources"),
)  # fmt: skip
"""The main files for machines, with the string that describes each; the page of downloads has
all.
"""

_CURATED: Final = ("reports", "workloads", "systems", "accelerators", "sources")
"""Sections whose pages are listed one by one; others are a page each, and results are too many."""


_ESCAPED: Final = r"\\\g<0>"


def llms(cards: Mapping[str, Sequence[Card]], dressing: Dressing, files: Collection[str]) -> str:
    """A list of pages and files for machines that read text (llmstxt.org), in the first language,
    with links to the others.
    """
    first, base = dressing.locales[0], dressing.options.base_url
    say, own, home = (
        first.say,
        {card.path: card for card in cards.get(first.code, ()) if not card.noindex},
        f"{base}{first.code}/",
    )

    def linked(path: str) -> list[str]:
        card = own.get(path)
        return (
            [
                f"- [{re.sub(r'[][]', _ESCAPED, _one_line(card.title))}]({home}{path}): "
                f"{_one_line(card.description)}"
            ]
            if card
            else []
        )

    about = own[""].description if "" in own else say("ui.tagline")
    languages = first.join([one.name for one in dressing.locales])
    lines = [f"# {say('ui.site_name')}", f"> {_one_line(about)}", _one_line(say("llms.about"))]
    lines.append(_one_line(say("llms.cite", languages=languages)))
    optional: list[str] = []
    for item in dressing.nav[first.code].children:
        if item.section in _CURATED:
            below = (line for child in item.children for line in linked(child.path))
            lines += [f"## {item.title}", _lines(*linked(item.path), *below)]
        elif item.path != "data/":
            optional += linked(item.path)
    data = [f"- [{path}]({base}{path}): {say(key)}" for path, key in MACHINES if path in files]
    lines += [f"## {say('llms.data')}", _lines(*data, *linked("data/"))]
    charts = [line for path in own if own[path].section == "charts" for line in linked(path)]
    lines += [f"## {say('llms.charts')}", _lines(*charts)] if charts else []
    others = (
        f"- [{locale.name}]({base}{locale.code}/): {locale.say('ui.tagline')}"
        for locale in dressing.locales
    )
    lines += [f"## {say('head.language')}", _lines(*others)]
    feed = f"- [{say('ui.feed')}]({base}feed.{first.code}.xml): {say('llms.feed')}"
    # the standard's name for what may be skipped, in any language
    return "\n\n".join([*lines, "## Optional", _lines(feed, *optional)]) + "\n"


def _lines(*lines: str) -> str:
    return "\n".join(lines)


def _one_line(text: str) -> str:
    return " ".join(text.split())
