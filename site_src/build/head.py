"""What a page's `<head>` tells others: search engines, messengers, feed readers, and hosts that
embed.
"""

from collections.abc import Mapping, Sequence
from html import escape
from typing import Final

from site_src.charts.markup import embedded_json
from site_src.charts.pictures import CARD
from site_src.model import Page, Words

_TERRITORIES: Final[Mapping[str, str]] = {
    "en": "en_US",
    "ru": "ru_RU",
    "ja": "ja_JP",
    "es": "es_ES",
}


def head(page: Page, locale: Words, locales: Sequence[Words], base: str, icon: str) -> str:
    """Title, description, addresses in other languages, card, feed and structured data of a page.

    Canonical and hreflang addresses, cards and oEmbed must be absolute for others, so they stand
    only where the site's address is known.

    Args:
        page: The page.
        locale: Its language.
        locales: Every language of the site.
        base: Address of the site's root, or empty.
        icon: Path below site/ of the site's sign.
    """
    site = locale.say("ui.site_name")
    title = page.title if page.section == "home" else f"{page.title} · {site}"
    lines = [f"<title>{escape(title)}</title>", _meta("name", "description", page.description)]
    if page.noindex:
        lines.append('<meta name="robots" content="noindex">')
    if base:
        lines.append(f'<link rel="canonical" href="{base}{page.language}/{page.path}">')
        lines += [
            f'<link rel="alternate" hreflang="{tag}" href="{base}{place}">'
            for tag, place in alternates(page.path, locales)
        ]
    lines += _card(page, locale, locales, base)
    lines.append(f'<link rel="icon" href="{page.root}{icon}">')
    if page.shell == "full":
        feed = f'title="{escape(locale.say("ui.feed"))}" href="{page.root}feed.{locale.code}.xml"'
        lines.append(f'<link rel="alternate" type="application/atom+xml" {feed}>')
    if base and page.oembed:
        lines.append(
            f'<link rel="alternate" type="application/json+oembed" title="{escape(page.title)}" '
            f'href="{base}{page.oembed}">'
        )
    lines += [
        f'<script type="application/ld+json">{embedded_json(one)}</script>'
        for one in page.structured
    ]
    lines.append('<script>document.documentElement.className="js"</script>')
    return "\n".join(lines)


def _meta(kind: str, name: str, content: str) -> str:
    return f'<meta {kind}="{name}" content="{escape(content)}">'


def _card(page: Page, locale: Words, locales: Sequence[Words], base: str) -> list[str]:
    """What messengers and feeds show of a page: Open Graph, and what Twitter's cards have beside
    it.

    A page without a chart has no picture, and the small page of a run little at all.
    """
    site = locale.say("ui.site_name")
    lines = [
        _meta("property", "og:title", page.title),
        _meta("property", "og:description", page.description),
    ]
    lines.append(_meta("property", "og:type", "website" if page.section == "home" else "article"))
    lines.append(_meta("property", "og:site_name", site))
    lines.append(_meta("property", "og:locale", _territory(page.language)))
    if page.shell != "full":
        return lines
    others = (other.code for other in locales if other.code != page.language)
    lines += [_meta("property", "og:locale:alternate", _territory(code)) for code in others]
    pictured = bool(base and page.image)
    lines += [
        _meta("name", "twitter:card", "summary_large_image" if pictured else "summary"),
        _meta("name", "twitter:title", page.title),
        _meta("name", "twitter:description", page.description),
    ]
    if base:
        lines.append(_meta("property", "og:url", f"{base}{page.language}/{page.path}"))
    if pictured:
        width, height = CARD
        lines += [
            _meta("property", "og:image", f"{base}{page.image}"),
            _meta("property", "og:image:type", "image/png"),
            _meta("property", "og:image:width", str(width)),
            _meta("property", "og:image:height", str(height)),
            _meta("property", "og:image:alt", page.image_alt),
            _meta("name", "twitter:image:alt", page.image_alt),
        ]
    return lines


def _territory(code: str) -> str:
    """A language as Open Graph names it, with a country."""
    return _TERRITORIES.get(code, code.replace("-", "_"))


def alternates(path: str, locales: Sequence[Words]) -> list[tuple[str, str]]:
    """(hreflang, path below site/) of a page in each language; the chooser is the home page's
    default.
    """
    pairs = [(locale.code, f"{locale.code}/{path}") for locale in locales]
    return pairs if path else [*pairs, ("x-default", "")]
