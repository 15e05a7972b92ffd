"""The site in languages that nobody speaks: every word can be translated, longer words fit, and it
can be written from right to left.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from enum import Enum
from pathlib import Path
from xml.etree import ElementTree

import pytest

from kernels import catalog, store
from kernels.records import Environment
from site_src.figures.own_runs import BATCH
from site_src.tables import FRAMEWORKS
from site_src.tables.recorded import machine_name
from tests.browser import pseudo
from tests.browser.sites import BASE, IN_UNSPOKEN, LANGUAGES, SMALL
from tests.browser.visitor import (
    READ_TEXTS,
    TEMPLATES,
    THROUGHPUT,
    Watched,
    drawn,
    embed,
    every_page,
    live,
    sideways,
)

NAMES = {
    "Touchstone": "the site's name",
    "JSON": "a format's name",
    "CSV": "a format's name",
    "HTML": "a format's name",
    "Markdown": "a format's name",
    "Parquet": "a format's name",
    "USD": "an ISO 4217 code",
    "EUR": "an ISO 4217 code",
    "UTC": "a time zone's name",
    "bfloat16": "a number format's name",
    "NCHW": "the name of an order of axes",
    "NHWC": "the name of an order of axes",
    BATCH: "the sign of a batch size in a series' name, which a note of the chart explains",
    "MIT": "a licence's name",
    pseudo.LONGER: "a language's code",
    pseudo.RIGHT_TO_LEFT: "a language's code",
    pseudo.LONGER.upper(): "a language's code",
    pseudo.RIGHT_TO_LEFT.upper(): "a language's code",
}
"""What is the same in every language, and why."""

SITEMAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


@pytest.fixture(params=["desktop", "phone"])
def visited(request: pytest.FixtureRequest) -> Watched:
    """A page on a desk and on a phone."""
    watched: Watched = request.getfixturevalue(request.param)
    return watched


@IN_UNSPOKEN
@pytest.mark.parametrize("language", pseudo.DIRECTIONS)
def test_longer_words_and_the_other_direction_fit(
    visited: Watched, site: Path, language: str
) -> None:
    """No page scrolls sideways, each is written in its direction, and every word on it can be
    translated: what has no accent is a name out of the records or one that is the same in every
    language.
    """
    archive, described = store.read(site.parent / "runs"), catalog.load()
    # as charts call them
    short = [system.name.partition(" (")[0] for system in described.systems.values()]
    # as pages of two call accelerators
    short += [one.name.removeprefix(f"{one.vendor} ") for one in described.hardware.values()]
    known = _known([archive, described, short])
    wide, bare = {}, {}
    for path in [f"{language}/{path}" for path in TEMPLATES] + [embed(language)]:
        page = visited.open(path)
        for figure in page.locator(".ts-figure").all():
            drawn(figure)
        if over := sideways(page):
            wide[path] = over
        assert (
            page.evaluate("getComputedStyle(document.body).direction")
            == pseudo.DIRECTIONS[language]
        )
        if found := sorted(text for text in page.evaluate(READ_TEXTS) if _bare(text, known)):
            bare[path] = found

    assert not wide
    assert not bare


@IN_UNSPOKEN
@pytest.mark.usefixtures("site")
def test_a_chart_is_the_same_on_a_page_from_right_to_left(visited: Watched) -> None:
    """Axes and the words at them stand where they stand on a page from left to right."""
    places = """svg => [...svg.querySelectorAll("text")].map((text) => {
      const [own, all] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
      return [text.textContent, Math.round(own.left - all.left), Math.round(own.top - all.top)];
    })"""
    found = []
    for language in pseudo.DIRECTIONS:
        page = visited.open(f"{language}/c/{THROUGHPUT}/")
        live(page, THROUGHPUT)
        found.append(page.locator(".ts-live svg").evaluate(places))

    assert found[0] == found[1] != []


def test_each_page_names_its_address_and_its_other_languages(site: Path) -> None:
    """Canonical and hreflang are absolute, mutual, and lead to pages that are there."""
    for page in _pages(site) - _moved(site):
        language, _, path = page.partition("/")
        head = (site / page / "index.html").read_text("utf-8").partition("</head>")[0]
        alternates = dict(
            re.findall(r'<link rel="alternate" hreflang="([^"]+)" href="([^"]+)"', head)
        )
        default = {"x-default": f"{BASE}{LANGUAGES[SMALL][0]}/{path}" if path else BASE}

        assert re.findall(r'<link rel="canonical" href="([^"]+)"', head) == [
            f"{BASE}{language}/{path}"
        ]
        assert alternates == {code: f"{BASE}{code}/{path}" for code in LANGUAGES[SMALL]} | default
        assert all((site / code / path / "index.html").is_file() for code in LANGUAGES[SMALL])


def test_a_page_that_moved_names_the_page_that_it_leads_to(site: Path) -> None:
    """So a search engine lists the new address alone."""
    moved = _moved(site)
    stayed = _pages(site) - moved
    for page in moved:
        text = (site / page / "index.html").read_text("utf-8")
        [new] = re.findall(r'<link rel="canonical" href="([^"]+)"', text)

        assert new.removeprefix(BASE) in stayed
        assert f'href="../{new.rstrip("/").rpartition("/")[2]}/index.html"' in text


def test_the_sitemap_has_every_page(site: Path) -> None:
    """Each page that may be listed, in each language."""
    rows = ElementTree.parse(site / "sitemap.xml").getroot().findall("s:url", SITEMAP)  # noqa: S314 - our own file
    listed = {row.findtext("s:loc", "", SITEMAP).removeprefix(BASE) for row in rows}
    pages = _pages(site)
    hidden = {
        page
        for page in pages
        if 'name="robots" content="noindex"' in (site / page / "index.html").read_text("utf-8")
    }

    assert listed == pages - hidden


def _pages(site: Path) -> set[str]:
    """Pages of a language, which the chooser and the page of a wrong address are not."""
    found = {page for page in every_page(site) if page not in {"", "404.html"}}
    assert len(found) > len(TEMPLATES)
    return found


def _moved(site: Path) -> set[str]:
    """Pages that only lead to another one: old addresses."""
    found = {
        page
        for page in _pages(site)
        if '<meta http-equiv="refresh"' in (site / page / "index.html").read_text("utf-8")
    }
    assert found
    return found


def _known(records: object) -> re.Pattern[str]:
    """Every text of the records, the longest first, and names of files: names, titles and
    quotations are data.
    """
    texts = {_plain(text) for text in _texts(records) if re.search("[A-Za-z]", text)} | {
        *NAMES,
        *FRAMEWORKS.values(),
    }
    texts |= {text[:1].upper() + text[1:] for text in texts}  # as a line begins
    # a locator quotes names of tables, rows and columns
    texts |= {part for text in texts for part in re.findall("'([^']+)'", text)}
    texts |= {part for text in texts if "://" in text for part in text.split("/") if len(part) > 1}
    found = "|".join(re.escape(text) for text in sorted(texts, key=len, reverse=True))
    return re.compile(
        rf"(?<![^\W_])(?:[\w.…/-]+\.(?:(?:csv|json)(?:\.gz)?|parquet|txt)|{found})(?![^\W_])"
    )


def _texts(value: object) -> Iterator[str]:
    if isinstance(value, str):
        if not isinstance(value, Enum):
            yield value
    elif isinstance(value, dict):
        yield from _texts([*value.keys(), *value.values()])
    elif is_dataclass(value):
        if isinstance(value, Environment):
            yield machine_name(value) or ""  # what a machine is called that no catalogue names
        yield from _texts([getattr(value, field.name) for field in fields(value)])
    elif isinstance(value, Iterable) and not isinstance(value, bytes):
        for one in value:
            yield from _texts(one)


def _plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def _bare(text: str, known: re.Pattern[str]) -> bool:
    """Whether a word of two letters or more has a letter that would have an accent if a translator
    had been asked.
    """
    words = re.findall(r"[A-Za-z]{2,}(?![^\W\d_])", known.sub(" ", _plain(text)))
    return any(word.translate(pseudo.ACCENTED) != word for word in words)
