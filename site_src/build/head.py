"""The `<head>` of a page: data for search engines, messengers, feed readers and embedding hosts."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from site_src.charts import cards
from site_src.charts.markup import embedded_json
from site_src.charts.pictures import CARD
from site_src.model import Page, Words
from site_src.templates import shell

_TERRITORIES: Final[Mapping[str, str]] = {
    "en": "en_US",
    "ru": "ru_RU",
    "ja": "ja_JP",
    "es": "es_ES",
}


def head(page: Page, locale: Words, locales: Sequence[Words], base: str, icon: str) -> str:
    """Title, description, addresses in other languages, card, feed and structured data of a page.

    Canonical and hreflang addresses, cards and oEmbed must be absolute, so they are left out if the
    site's address is unknown.

    Args:
        page: The page.
        locale: Its language.
        locales: Every language of the site.
        base: Address of the site's root, or empty.
        icon: Path below site/ of the site's icon.
    """
    site = locale.say("ui.site_name")
    return str(
        shell.head(
            page,
            page.title if page.section == "home" else f"{page.title} · {site}",
            list(_card(page, site, locales, base)),
            alternates(page.path, locales) if base else (),
            base,
            icon,
            locale.say("ui.feed") if page.shell == "full" else "",
            [embedded_json(one) for one in page.structured],
        )
    )


def _card(
    page: Page, site: str, locales: Sequence[Words], base: str
) -> Iterator[tuple[str, str, str]]:
    """Yields the preview data for messengers and feeds as (kind, name, content): Open Graph and the
    additional tags of Twitter cards.

    A page without a card has no picture. Small pages, which are many, have only title and
    description.
    """
    pictured = bool(base and page.image)
    if page.shell == "full":
        yield "property", "og:description", page.description
        yield "property", "og:type", "website" if page.section == "home" else "article"
        yield "property", "og:site_name", site
        yield "property", "og:locale", _territory(page.language)
        for other in locales:
            if other.code != page.language:
                yield "property", "og:locale:alternate", _territory(other.code)
        yield "name", "twitter:title", page.title
        yield "name", "twitter:description", page.description
        if base:
            yield "property", "og:url", f"{base}{page.language}/{page.path}"
    if page.shell == "full" or pictured:
        yield "property", "og:title", page.title
        yield "name", "twitter:card", "summary_large_image" if pictured else "summary"
    if pictured:
        width, height = CARD if page.shell == "full" else cards.SIZE
        yield "property", "og:image", f"{base}{page.image}"
        yield "property", "og:image:type", "image/png"
        yield "property", "og:image:width", str(width)
        yield "property", "og:image:height", str(height)
        for kind, name in (("property", "og:image:alt"), ("name", "twitter:image:alt")):
            yield kind, name, page.image_alt


def _territory(code: str) -> str:
    """The language with a country, as in Open Graph."""
    return _TERRITORIES.get(code, code.replace("-", "_"))


def alternates(path: str, locales: Sequence[Words]) -> list[tuple[str, str]]:
    """(hreflang, path below site/) of a page in each language; as default the first language, for
    the home page the chooser.
    """
    pairs = [(locale.code, f"{locale.code}/{path}") for locale in locales]
    return [*pairs, ("x-default", pairs[0][1] if path else "")]
