"""From one language to another: links, addresses for search engines, the chooser and the page of a wrong address."""

import re
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Browser

from tests.browser.conftest import building
from tests.browser.visitor import LANGUAGES, REPORT, TEMPLATES, Watched, every_page, watch

BASE = "https://example.org/bench/"
SITEMAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9", "x": "http://www.w3.org/1999/xhtml"}


@pytest.fixture(scope="module")
def published(site: Path, tmp_path_factory: pytest.TempPathFactory, repository: Path) -> Path:
    """The site as it is built for a known address; `site` goes first, so that its charts are in the cache."""
    assert site.is_dir()
    out = tmp_path_factory.mktemp("published") / "site"
    command = [sys.executable, "build.py", "--out", str(out), "--date", "2026-11-20", "--base-url", BASE]
    with building(tmp_path_factory):
        built = subprocess.run(command, cwd=repository, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr[-4000:]
    return out


def test_the_switch_keeps_page_query_and_place(desktop: Watched) -> None:
    """From any page to the same one in another language."""
    kept = "?theme=dark&throughput.hide=aws-p3.8xlarge-mxnet#top"
    for path in TEMPLATES:
        page = desktop.open(f"es/{path}{kept}")
        page.locator(".ts-lang summary").click()
        page.locator('.ts-lang a[hreflang="ru"]').click()

        assert page.url == f"{desktop.address}/ru/{path}{kept}"
        assert page.evaluate("document.documentElement.lang") == "ru"


def test_the_menu_of_languages_works_by_keyboard(desktop: Watched) -> None:
    """Enter opens it, Escape closes it and leaves the reader where they were."""
    page = desktop.open(f"en/{REPORT}")
    page.locator(".ts-lang summary").focus()
    page.keyboard.press("Enter")
    names = page.locator(".ts-lang a:visible").all_inner_texts()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")

    assert names == ["English", "Русский", "日本語", "Español"]
    assert page.locator(".ts-lang a:visible").count() == 0
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.parametrize(("reader", "own"), [("ja-JP", "ja"), ("es-MX", "es"), ("de-DE", None)])
def test_the_chooser_points_to_the_reader_s_language(browser: Browser, address: str, reader: str, own: str | None) -> None:
    """The reader's own language stands out, and nobody is sent anywhere."""
    context = browser.new_context(locale=reader)
    watched = watch(context, address)
    page = watched.open("")
    chosen = page.locator(".ts-offer--own").evaluate_all("links => links.map((link) => link.hreflang)")
    context.close()

    assert chosen == ([own] if own else [])
    assert not watched.wrong


def test_a_wrong_address_is_answered_in_its_language(desktop: Watched, site: Path) -> None:
    """A host serves 404.html at any depth: the language of the address comes first, and its link leads home."""
    body = (site / "404.html").read_text("utf-8")
    desktop.page.route("**/nowhere/**", lambda route: route.fulfill(body=body, content_type="text/html"))
    page = desktop.open("ja/nowhere/at/all/")

    assert page.locator("section").first.get_attribute("lang") == "ja"
    page.locator("section").first.locator("a").click()
    assert page.url == f"{desktop.address}/ja/"


def test_each_page_names_its_address_and_its_other_languages(published: Path) -> None:
    """Canonical and hreflang are absolute, mutual, and lead to pages that are there."""
    for page in (path for path in every_page(published) if path not in {"", "404.html"}):
        language, _, path = page.partition("/")
        head = (published / page / "index.html").read_text("utf-8").partition("</head>")[0]
        alternates = dict(re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"', head))
        default = {} if path else {"x-default": BASE}

        assert re.findall(r'<link rel="canonical" href="([^"]+)"', head) == [f"{BASE}{language}/{path}"]
        assert alternates == {code: f"{BASE}{code}/{path}" for code in LANGUAGES} | default
        assert all((published / code / path / "index.html").is_file() for code in LANGUAGES)


def test_the_sitemap_has_every_page(published: Path) -> None:
    """Each page that may be listed, with its other languages."""
    rows = ElementTree.parse(published / "sitemap.xml").getroot().findall("s:url", SITEMAP)  # noqa: S314 - our own file
    listed = {row.findtext("s:loc", "", SITEMAP).removeprefix(BASE): row for row in rows}
    pages = {page for page in every_page(published) if page not in {"", "404.html"}}
    hidden = {page for page in pages if 'name="robots" content="noindex"' in (published / page / "index.html").read_text("utf-8")}

    assert listed.keys() == pages - hidden
    for page, row in listed.items():
        languages = {link.get("hreflang") for link in row.findall("x:link", SITEMAP)}
        assert languages - {"x-default"} == set(LANGUAGES), page


def test_nothing_absolute_is_written_without_an_address(site: Path) -> None:
    """The same pages without --base-url name no address of their own, and there is no sitemap."""
    assert not (site / "sitemap.xml").exists()
    for page in every_page(site):
        if page != "404.html":
            text = (site / page / "index.html").read_text("utf-8")
            assert "canonical" not in text.partition("</head>")[0]
