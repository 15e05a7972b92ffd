"""Renamed charts and badges: old addresses go on answering."""

import json
from pathlib import Path

from site_src import locales
from site_src.addresses import moved
from site_src.addresses.ledger import Kind
from site_src.model import Asset

MOVED = {Kind.CHART: {"old": "new"}, Kind.BADGE: {"a/slow": "a/fast"}}


def test_every_file_stands_under_the_old_name_too() -> None:
    """Byte for byte, but the description says where the chart is now; files of ids that begin alike
    are left alone.
    """
    given = {
        "c/new/en.svg": b"<svg/>",
        "c/new/meta.json": b'{"id": "new"}',
        "c/new-er/en.svg": b"",
        "badges/a/fast.en.svg": b"f",
    }

    made = {
        asset.path: asset.content
        for asset in moved.forwarded((Asset(*item) for item in given.items()), MOVED)
    }

    assert made.keys() - given.keys() == {"c/old/en.svg", "c/old/meta.json", "badges/a/slow.en.svg"}
    assert (made["c/old/en.svg"], made["badges/a/slow.en.svg"]) == (b"<svg/>", b"f")
    assert json.loads(made["c/old/meta.json"]) == {"id": "new", "moved_to": "new"}
    assert made["c/new/meta.json"] == given["c/new/meta.json"]


def test_the_old_page_leads_to_the_new_one_in_its_language(repository: Path) -> None:
    """A link for everybody, the browser's own way where no script runs, the canonical address, and
    nothing for search engines.
    """
    language = locales.load(repository / "site_src" / "strings", ["en"])

    (page,) = moved.pages(
        "c", {"old": "new"}, {"new": {"en": "A & B"}}, language, "https://example.org/"
    )
    text = page.content.decode()

    assert page.path == "en/c/old/index.html"
    assert '<html lang="en" dir="ltr">' in text and "<title>A &amp; B</title>" in text
    assert (
        '<link rel="canonical" href="https://example.org/en/c/new/">' in text
        and 'content="noindex"' in text
    )
    assert (
        '<noscript><meta http-equiv="refresh" content="0; url=../new/index.html"></noscript>'
        in text
    )
    assert '<a href="../new/index.html">A &amp; B</a>' in text
