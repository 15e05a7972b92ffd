"""Files that follow from all pages together: chooser of languages, 404, sitemap, feeds, llms.txt."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from html import escape
from pathlib import Path
from typing import Final
from uuid import NAMESPACE_URL, uuid5

from site_src.model import Asset, Page, Words
from site_src.shell import MARK, Dressing, Shell, alternates, put, read_template

OVERRIDES: Final = Path(__file__).parent / "overrides"
ASSETS: Final = Path(__file__).parent / "assets"
FED: Final = ("reports", "sources", "runs")
"""Sections whose dated pages go into the feed."""

NEWEST: Final = 100  # entries of a feed; who was away longer reads the pages


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

    @classmethod
    def of(cls, page: Page) -> "Card":
        """The card of a page."""
        return cls(page.path, page.section, page.shell, page.title, page.description, page.noindex, page.updated)


def assets(cards: Mapping[str, Sequence[Card]], dressing: Dressing) -> Iterator[Asset]:
    """All of them, in a fixed order."""
    yield Asset("index.html", chooser(dressing).encode())
    yield Asset("404.html", missing(dressing).encode())
    if dressing.options.base_url:
        yield Asset("sitemap.xml", sitemap(cards, dressing).encode())
    yield Asset("llms.txt", llms(cards, dressing).encode())
    for locale in dressing.locales:
        yield Asset(f"feed.{locale.code}.xml", feed(cards.get(locale.code, ()), locale, dressing).encode())


def _offers(dressing: Dressing, attributes: str = "") -> str:
    return "".join(
        f'<li lang="{locale.code}" dir="{locale.direction}"><a href="{locale.code}/" hreflang="{locale.code}" data-ts-offer{attributes}>'
        f"<b>{escape(locale.name)}</b><span>{escape(locale.say('ui.tagline'))}</span></a></li>"
        for locale in dressing.locales
    )


def chooser(dressing: Dressing) -> str:
    """The site's root: plain links to each language; the reader's own is pointed out, nobody is sent anywhere."""
    first, base = dressing.locales[0], dressing.options.base_url
    pairs = alternates("", dressing.locales)
    links = "".join(f'<link rel="alternate" hreflang="{tag}" href="{base}{place}">\n  ' for tag, place in pairs)
    choose = " · ".join(f'<span lang="{locale.code}">{escape(locale.say("ui.choose_language"))}</span>' for locale in dressing.locales)
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
    return Shell.cut(text).fill({})


def missing(dressing: Dressing) -> str:
    """The page of a wrong address, in every language.

    A host serves it at any depth, so it brings its style with it and finds the root by itself.
    """
    parts = "".join(
        f'<section lang="{locale.code}" dir="{locale.direction}"><h2>{escape(locale.say("ui.not_found"))}</h2>'
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


def sitemap(cards: Mapping[str, Sequence[Card]], dressing: Dressing) -> str:
    """Every page that search engines may list, with its other languages."""
    base = dressing.options.base_url
    rows = []
    for locale in dressing.locales:
        for card in sorted(cards.get(locale.code, ()), key=lambda card: card.path):
            if card.noindex:
                continue
            pairs = alternates(card.path, dressing.locales)
            links = "".join(f'<xhtml:link rel="alternate" hreflang="{tag}" href="{escape(base + place)}"/>' for tag, place in pairs)
            when = f"<lastmod>{card.updated.isoformat()}</lastmod>" if card.updated else ""
            rows.append(f"<url><loc>{escape(f'{base}{locale.code}/{card.path}')}</loc>{when}{links}</url>\n")
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9" '
        f'xmlns:xhtml="http://www.w3.org/1999/xhtml">\n{"".join(rows)}</urlset>\n'
    )


def llms(cards: Mapping[str, Sequence[Card]], dressing: Dressing) -> str:
    """A plain list of the pages for machines that read text, in the first language; the others are named."""
    first, base = dressing.locales[0], dressing.options.base_url
    own = {card.path: card for card in cards.get(first.code, ())}
    nav = dressing.nav[first.code]
    lines = [f"# {first.say('ui.site_name')}", "", f"> {own[''].description if '' in own else first.say('ui.tagline')}"]
    for item in nav.children:
        lines += ["", f"## {item.title}", ""]
        for each in (item, *item.children):
            card = own.get(each.path)
            if card is not None:
                lines.append(f"- [{card.title}]({base}{first.code}/{card.path}): {card.description}")
    lines += ["", f"## {first.say('ui.language')}", ""]
    lines += [f"- [{locale.name}]({base}{locale.code}/)" for locale in dressing.locales]
    return "\n".join(lines) + "\n"


def feed(cards: Sequence[Card], locale: Words, dressing: Dressing) -> str:
    """Atom feed of a language: reports, sources and runs that have a date, newest first."""
    base = dressing.options.base_url
    site, code = escape(locale.say("ui.site_name")), locale.code
    dated = [(card.updated, card) for card in cards if card.updated and card.section in FED]
    dated.sort(key=lambda pair: (-pair[0].toordinal(), pair[1].path))
    rows = "".join(
        f"<entry><id>{_urn(code, card.path)}</id><title>{escape(card.title)}</title><updated>{when.isoformat()}T00:00:00Z</updated>"
        f'<link rel="alternate" type="text/html" hreflang="{code}" href="{escape(f"{base}{code}/{card.path}")}"/>'
        f"<summary>{escape(card.description)}</summary></entry>\n"
        for when, card in dated[:NEWEST]
    )
    newest = dated[0][0] if dated else dressing.options.date
    here = f'<link rel="self" type="application/atom+xml" href="{escape(base)}feed.{code}.xml"/>' if base else ""
    return (
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="{code}">\n<id>{_urn(code, "feed")}</id>'
        f"<title>{site}: {escape(locale.say('ui.feed'))}</title><updated>{newest.isoformat()}T00:00:00Z</updated>"
        f"<author><name>{site}</name></author>"
        f'{here}<link rel="alternate" type="text/html" href="{escape(base)}{code}/"/>\n{rows}</feed>\n'
    )


def _urn(code: str, path: str) -> str:
    """An id that stays the same wherever the site is served."""
    return f"urn:uuid:{uuid5(NAMESPACE_URL, f'touchstone:{code}/{path}')}"
