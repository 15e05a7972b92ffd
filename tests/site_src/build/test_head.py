import json
import re
from dataclasses import replace
from html import unescape
from typing import Any

import pytest

from site_src.build.head import head
from site_src.model import Page
from tests.site_src.build import small_site
from tests.site_src.build.small_site import ARABIC, ENGLISH, Tongue

BASE = "https://example.org/bench/"
PAGE = replace(
    next(page for page in small_site.pages("en") if page.path == "reports/a/"),
    image="c/a-speed/en-card.png",
    image_alt='A is "fast".',
    oembed="c/a-speed/oembed.en.json",
    structured=({"@type": "Dataset", "name": "</script><script>alert(1)</script>"},),
)


def meta(page: Page = PAGE, base: str = BASE, *others: Tongue) -> dict[str, Any]:
    """What the head of a page says, by name."""
    locales = (ENGLISH, ARABIC, *others)
    written = head(page, ENGLISH, locales, base, "icon.svg")
    found: dict[str, Any] = {}
    for name, content in re.findall(
        r'<meta (?:name|property)="([^"]+)" content="([^"]*)">', written
    ):
        found.setdefault(name, []).append(unescape(content))
    found["links"] = re.findall(r'<link rel="alternate" type="([^"]+)"', written)
    found["scripts"] = re.findall(r'<script type="application/ld\+json">(.*?)</script>', written)
    return found


def test_a_page_says_what_it_is_to_messengers() -> None:
    """Title, sentence, language with its country, the other languages, and the chart's card with
    its size and what it shows.
    """
    said = meta(PAGE, BASE, replace(ENGLISH, code="ja"))

    assert said["og:title"] == said["twitter:title"] == ["A < B"]
    assert said["og:description"] == said["twitter:description"] == ['It says "3186".']
    assert (said["og:type"], said["og:site_name"], said["og:url"]) == (
        ["article"],
        ["Touchstone"],
        [f"{BASE}en/reports/a/"],
    )
    assert (said["og:locale"], said["og:locale:alternate"]) == (["en_US"], ["ar_XB", "ja_JP"])
    assert said["og:image"] == [f"{BASE}c/a-speed/en-card.png"] and said["og:image:type"] == [
        "image/png"
    ]
    assert (said["og:image:width"], said["og:image:height"]) == (["1200"], ["630"])
    assert said["og:image:alt"] == said["twitter:image:alt"] == ['A is "fast".']
    assert said["twitter:card"] == ["summary_large_image"]


@pytest.mark.parametrize(("page", "base"), [(replace(PAGE, image=""), BASE), (PAGE, "")])
def test_no_picture_is_better_than_a_wrong_one(page: Page, base: str) -> None:
    """A page without a chart has none, nor has any where the site's address is not known."""
    said = meta(page, base)

    assert said["twitter:card"] == ["summary"]
    assert not [name for name in said if name.startswith(("og:image", "twitter:image"))]


def test_the_small_page_of_a_run_says_little() -> None:
    """Its sentence beside the title: such pages are many, and messengers take these."""
    light = next(page for page in small_site.pages("en") if page.shell == "light")

    said = meta(light)

    assert said["description"] == [light.description]
    assert not [name for name in said if ":" in name]


def test_a_small_page_with_a_card_says_what_that_needs() -> None:
    """The card of a comparison, in its own size, with its title; where the address is known."""
    small = next(page for page in small_site.pages("en") if page.shell == "light")
    light = replace(small, image="en/compare/a-vs-b/card.png")

    said = meta(light, BASE)

    assert said["og:image"] == [f"{BASE}{light.image}"]
    assert (said["og:image:width"], said["og:image:height"]) == (["800"], ["420"])
    assert (said["og:title"], said["twitter:card"]) == ([light.title], ["summary_large_image"])
    assert "og:description" not in said
    assert not [name for name in meta(light, "") if ":" in name]


def test_oembed_is_found_where_the_site_s_address_is_known() -> None:
    """It wants absolute addresses."""
    assert meta()["links"] == ["application/atom+xml", "application/json+oembed"]
    assert (
        meta(base="")["links"]
        == meta(replace(PAGE, oembed=""))["links"]
        == ["application/atom+xml"]
    )


def test_nothing_in_structured_data_can_end_its_element() -> None:
    """Markup in a name stays text."""
    [text] = meta()["scripts"]

    assert "<" not in text
    assert json.loads(text) == PAGE.structured[0]
