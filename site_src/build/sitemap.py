"""Files that follow from all pages together: chooser of languages, 404, sitemap, robots.txt,
llms.txt.
"""

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path
from typing import Final

from site_src.build.head import alternates
from site_src.build.shell import MARK, Dressing, Shell, opening, put, read_template
from site_src.model import Asset, Page

OVERRIDES: Final = Path(__file__).parents[1] / "overrides"
ASSETS: Final = Path(__file__).parents[1] / "assets"
MOST: Final = 50_000
"""Addresses that one sitemap may list; 50,000 with four languages each stay below the 50 MB that it
may weigh.
"""


@dataclass(frozen=True, slots=True)
class Card:
    """What remains of a page when it is written: enough to list it."""

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
    """All of them, in a fixed order; `files` are the paths of all others."""
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


def _offers(dressing: Dressing, attributes: str = "") -> str:
    return "".join(
        f'<li lang="{locale.code}" dir="{locale.direction}"><a href="{locale.code}/" '
        f'hreflang="{locale.code}" data-ts-offer{attributes}>'
        f"<b>{escape(locale.name)}</b><span>{escape(locale.say('ui.tagline'))}</span></a></li>"
        for locale in dressing.locales
    )


def chooser(dressing: Dressing) -> str:
    """The site's root: plain links to each language; the reader's own is pointed out, nobody is
    sent anywhere.
    """
    first, base = dressing.locales[0], dressing.options.base_url
    pairs = alternates("", dressing.locales)
    links = "".join(
        f'<link rel="alternate" hreflang="{tag}" href="{base}{place}">\n  ' for tag, place in pairs
    )
    choose = " · ".join(
        f'<span lang="{locale.code}">{escape(locale.say("ui.choose_language"))}</span>'
        for locale in dressing.locales
    )
    text = put(
        read_template(OVERRIDES / "chooser.html"),
        {
            "language": first.code,
            "direction": first.direction,
            "site_name": escape(first.say("ui.site_name")),
            "description": escape(first.say("ui.tagline")),
            "choose": choose,
            "links": f'<link rel="canonical" href="{base}">\n  {links}' if base else "",
            "logo": MARK,
            "offers": _offers(dressing),
        }
        | dressing.slots(first),
    )
    return opening(Shell.cut(text).fill({}))


def missing(dressing: Dressing) -> str:
    """The page of a wrong address, in every language.

    A host serves it at any depth, so it brings its style with it and finds the root by itself.
    """
    parts = "".join(
        f'<section lang="{locale.code}" dir="{locale.direction}"><h2>'
        f"{escape(locale.say('ui.not_found'))}</h2>"
        f"<p>{escape(locale.say('ui.not_found_text'))}</p>"
        f'<p><a href="{dressing.options.base_url}{locale.code}/" data-home="{locale.code}/">'
        f"{escape(locale.say('ui.home'))}: {escape(locale.name)}</a></p></section>"
        for locale in dressing.locales
    )
    first = dressing.locales[0]
    text = put(
        read_template(OVERRIDES / "missing.html"),
        {
            "language": first.code,
            "title": escape(f"{first.say('ui.not_found')} · {first.say('ui.site_name')}"),
            "site_name": escape(first.say("ui.site_name")),
            "logo": (ASSETS / "favicon.svg").read_text(encoding="utf-8"),
            "parts": parts,
            "codes": json.dumps([locale.code for locale in dressing.locales]),
        },
    )
    return Shell.cut(text).fill({})


def sitemaps(
    cards: Mapping[str, Sequence[Card]], dressing: Dressing, most: int = MOST
) -> Iterator[Asset]:
    """Every page that search engines may list, with its other languages and the chart on it; an
    index where one file cannot hold all.
    """
    rows = [
        _listed(card, locale.code, dressing)
        for locale in dressing.locales
        for card in sorted(cards.get(locale.code, ()), key=lambda card: card.path)
        if not card.noindex
    ]
    parts = [rows[start : start + most] for start in range(0, len(rows), most)] or [[]]
    if len(parts) == 1:
        yield Asset("sitemap.xml", _urlset(parts[0]))
        return
    names = [f"sitemap-{number}.xml" for number in range(1, len(parts) + 1)]
    for name, part in zip(names, parts, strict=True):
        yield Asset(name, _urlset(part))
    listed = "".join(
        f"<sitemap><loc>{escape(dressing.options.base_url + name)}</loc></sitemap>\n"
        for name in names
    )
    yield Asset(
        "sitemap.xml",
        f'{_XML}<sitemapindex xmlns="{_SITEMAP}">\n{listed}</sitemapindex>\n'.encode(),
    )


_XML: Final = '<?xml version="1.0" encoding="UTF-8"?>\n'
_SITEMAP: Final = "http://www.sitemaps.org/schemas/sitemap/0.9"


def _urlset(rows: Sequence[str]) -> bytes:
    spaces = (
        'xmlns:xhtml="http://www.w3.org/1999/xhtml" '
        'xmlns:image="http://www.google.com/schemas/sitemap-image/1.1"'
    )
    return f'{_XML}<urlset xmlns="{_SITEMAP}" {spaces}>\n{"".join(rows)}</urlset>\n'.encode()


def _listed(card: Card, code: str, dressing: Dressing) -> str:
    base = dressing.options.base_url
    pairs = alternates(card.path, dressing.locales)
    if card.path:  # for whom no language fits, the first; the home page has the chooser
        pairs.append(("x-default", pairs[0][1]))
    links = "".join(
        f'<xhtml:link rel="alternate" hreflang="{tag}" href="{escape(base + place)}"/>'
        for tag, place in pairs
    )
    when = f"<lastmod>{card.updated.isoformat()}</lastmod>" if card.updated else ""
    image = (
        f"<image:image><image:loc>{escape(base + card.image)}</image:loc></image:image>"
        if card.section == "charts"
        else ""
    )
    return f"<url><loc>{escape(f'{base}{code}/{card.path}')}</loc>{when}{links}{image}</url>\n"


MACHINES: Final = (
    ("api/v1/charts.json", "api.charts"), ("api/v1/runs.json", "api.runs"),
    ("api/v1/claims.json", "api.claims"),
    ("api/v1/sources.json", "api.sources"), ("api/v1/costs.json", "api.costs"),
    ("data/runs.parquet", "download.runs"),
    ("data/metrics.parquet", "download.metrics"), ("data/claims.parquet", "download.claims"),
    ("data/sources.parquet", "download.sources"),
)  # fmt: skip
"""Files that a machine wants first, and the string that says what is in them; the page of downloads
has all.
"""

_CURATED: Final = ("reports", "workloads", "systems", "sources")
"""Sections whose pages are listed one by one; the others are a page each, and runs are too many."""


_ESCAPED: Final = r"\\\g<0>"


def llms(cards: Mapping[str, Sequence[Card]], dressing: Dressing, files: Collection[str]) -> str:
    """What to read here, for machines that read text (llmstxt.org), in the first language; the
    others are named.
    """
    first, base = dressing.locales[0], dressing.options.base_url
    say, own, home = (
        first.say,
        {card.path: card for card in cards.get(first.code, ()) if not card.noindex},
        f"{base}{first.code}/",
    )
    nav = dressing.nav[first.code]

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

    lines = [
        f"# {say('ui.site_name')}",
        "",
        f"> {_one_line(own[''].description if '' in own else say('ui.tagline'))}",
        "",
    ]
    languages = first.join([one.name for one in dressing.locales])
    lines += [
        f"{_one_line(say('llms.about'))}",
        "",
        _one_line(say("llms.cite", languages=languages)),
    ]
    optional: list[str] = []
    for item in nav.children:
        if item.section in _CURATED:
            lines += [
                "",
                f"## {item.title}",
                "",
                *linked(item.path),
                *(line for child in item.children for line in linked(child.path)),
            ]
        else:
            optional += linked(item.path)
    data = [f"- [{path}]({base}{path}): {say(key)}" for path, key in MACHINES if path in files]
    lines += ["", f"## {say('llms.data')}", "", *data, *linked("data/")]
    charts = [line for path in own if own[path].section == "charts" for line in linked(path)]
    others = [
        f"- [{locale.name}]({base}{locale.code}/): {locale.say('ui.tagline')}"
        for locale in dressing.locales
    ]
    lines += ["", f"## {say('llms.charts')}", "", *charts] if charts else []
    lines += ["", f"## {say('ui.language')}", "", *others]
    feeds = [f"- [{say('ui.feed')}]({base}feed.{first.code}.xml): {say('llms.feed')}"]
    # what may be skipped where room is short goes under this name, whatever the language
    return (
        "\n".join(
            [
                *lines,
                "",
                "## Optional",
                "",
                *feeds,
                *[line for line in optional if "/data/)" not in line],
            ]
        )
        + "\n"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
