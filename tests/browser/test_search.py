"""The search finds what a reader of each language types, from a server and from the disk."""

import csv
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from tests.browser.sites import IN_WHOLE, LANGUAGES, SMALL, WHOLE, each_language
from tests.browser.visitor import DETAILS, REPORT, Watched

QUERIES = (
    ("en", "throughputs", REPORT),
    ("en", "cost to target accuracy", REPORT),
    ("en", "TPUv2", "sources/tpuv2-v100/"),
    ("ru", "пропускной способностью", REPORT),
    ("ru", "ускорителями", "accelerators/"),
    ("ru", "стоимости", REPORT),
    ("ja", "スループット", REPORT),
    ("ja", "学習の費用", DETAILS),
    ("ja", "バッチサイズ", REPORT),
    ("es", "medicion", DETAILS),
    ("es", "aceleradores", "accelerators/"),
    ("es", "imagenes sinteticas", REPORT),
)
"""Language, what is typed (inflected, in the plural, without accents), and a page that has it."""


EXPECTED = list(
    csv.DictReader(
        Path(__file__).with_name("searched.csv").read_text(encoding="utf-8").splitlines()
    )
)
"""What readers type in each language, and the pages of which one is to come first, each a pattern;
an anchor is that of the first section below it.
"""

_TYPE = """async (queries) => {
  const field = document.querySelector(".ts-search input"), list = document.querySelector(".ts-search ol"), found = [];
  const come = (query) => list.dataset.query === query && list.getAttribute("aria-busy") === "false";
  for (const query of queries) {
    field.value = query;
    field.dispatchEvent(new Event("input"));
    while (!come(query)) await new Promise((then) => setTimeout(then, 5));
    found.push({
      addresses: [...list.querySelectorAll("a")].map((link) => link.href),
      marked: [...list.querySelectorAll("mark")].map((mark) => mark.textContent),
    });
  }
  return found;
}"""


@dataclass(frozen=True)
class Offered:
    """What a query is offered: addresses below the language, and the words that are marked."""

    addresses: list[str]
    marked: list[str]


def _find(page: Page, *queries: str) -> list[Offered]:
    """Open the search by its key and type one query after the other."""
    if not page.locator(".ts-search[open]").count():
        page.keyboard.press("/")
    language = page.evaluate("document.documentElement.lang")
    return [
        Offered(
            [address.partition(f"/{language}/")[2] for address in found["addresses"]],
            found["marked"],
        )
        for found in page.evaluate(_TYPE, queries)
    ]


def _fits(address: str, wanted: str) -> bool:
    """Whether an address is of the pages that a row of `EXPECTED` wants, its anchor aside."""
    return any(fnmatch(address, one.partition("#")[0]) for one in wanted.split(" "))


@pytest.mark.parametrize(
    ("site", "language"),
    [
        (SMALL, "en"),
        (SMALL, "ja"),
        *(pytest.param(WHOLE, code, marks=IN_WHOLE) for code in LANGUAGES[WHOLE]),
    ],
    indirect=["site"],
)
def test_what_readers_type_finds_its_page_first(
    desktop: Watched, site: Path, language: str
) -> None:
    """Names as units in any spelling, tasks, inflected words, synonyms; a page once, its sections
    below it. The small site is asked for the pages that it has.
    """
    folders = (path.parent for path in (site / language).rglob("index.html"))
    pages = [f"{folder.relative_to(site / language).as_posix()}/" for folder in folders]
    there = [row for row in EXPECTED if any(_fits(page, row["page"]) for page in pages)]
    asked = {row[language]: row["page"] for row in there if row[language]}

    offered = _find(desktop.open(f"{language}/sources/"), *asked)

    missed = {}
    for (query, wanted), found in zip(asked.items(), offered, strict=True):
        first = next(iter(found.addresses), "nothing")
        anchors = [
            f"{page}#{anchor}"
            for page, hash_, anchor in (one.partition("#") for one in wanted.split(" "))
            if hash_
        ]
        if not _fits(first, wanted) or (anchors and found.addresses[1] not in anchors):
            missed[query] = found.addresses[:2]
    assert not missed
    assert len(asked) >= (60 if there == EXPECTED else 40)


@each_language("en", "ja")
def test_a_word_finds_the_pages_that_have_it(desktop: Watched, language: str) -> None:
    """Among what is offered, words of the query marked."""
    wanted = {query: page for code, query, page in QUERIES if code == language}

    offered = _find(desktop.open(f"{language}/sources/"), *wanted)

    for (query, page), found in zip(wanted.items(), offered, strict=True):
        assert page in {address.partition("#")[0] for address in found.addresses}, query
        assert found.marked, query


def test_a_page_is_offered_with_its_key_figure(desktop: Watched) -> None:
    """It is the one that its page says; of two accelerators no comparison is offered that the site
    does not have.
    """
    page = desktop.open("en/sources/")
    [found] = _find(page, "DGX-1")
    figure = page.locator(".ts-search li small").first.inner_text()

    page.locator(".ts-search li a").first.click()

    page.wait_for_url("**/en/systems/nvidia-dgx-1/")
    assert figure.rpartition(" ")[0].split(" ")[-1] in page.locator(".ts-numbers").inner_text()
    assert found.addresses[0] == "systems/nvidia-dgx-1/"


def test_a_number_is_marked_with_its_name_alone(desktop: Watched) -> None:
    """Whoever looks for DGX-1 sees no 1 of other figures stand out; the title of an accelerator's
    page says which one it is.
    """
    page = desktop.open("en/sources/")
    _find(page, "v100")
    assert "V100" in page.locator(".ts-search li b").first.inner_text()
    [found] = _find(page, "DGX-1")

    marked = set(found.marked)
    assert "DGX-1" in marked and not {mark for mark in marked if "dgx" not in mark.lower()}, marked


def test_a_result_leads_to_its_section(desktop: Watched) -> None:
    """By keyboard: arrow, Enter, and the section is on the screen; nothing found is said in
    words.
    """
    page = desktop.open("ja/")
    _find(page, "スループット")
    page.keyboard.press("ArrowDown")
    wanted = page.evaluate("document.activeElement.href")
    page.keyboard.press("Enter")
    page.wait_for_url(wanted)
    page.keyboard.press("/")
    page.locator(".ts-search input").fill("щщщщщ")

    page.wait_for_function(
        "document.querySelector('.ts-search__status').textContent.includes('щщщщщ')"
    )
    page.keyboard.press("Escape")
    assert page.locator(".ts-search:visible").count() == 0


def test_titles_are_offered_before_the_text_has_come(desktop: Watched) -> None:
    """What the reader has reached among them stays reached when the rest is added."""
    page = desktop.open("en/sources/")
    held: list[Route] = []
    free: list[bool] = []

    def hold(route: Route) -> None:
        route.continue_() if free else held.append(route)

    page.route("**/search/en/*.js", hold)
    page.keyboard.press("/")
    page.locator(".ts-search input").fill("DGX-1")
    page.locator(".ts-search [aria-busy=true] a").first.wait_for()
    page.keyboard.press("ArrowDown")
    reached, said = page.evaluate("document.activeElement.href"), page.locator(".ts-search li *")
    before = said.count()

    free.append(True)
    for route in held:
        route.continue_()

    page.locator(".ts-search [aria-busy=false] a").first.wait_for()
    assert reached.endswith("/en/systems/nvidia-dgx-1/")
    assert page.evaluate("document.activeElement.href") == reached
    assert said.count() > before


def test_the_search_works_from_the_disk(browser: Browser, site: Path) -> None:
    """Opened as files, without a server: nothing is fetched."""
    context = browser.new_context()
    page = context.new_page()
    wrong: list[str] = []
    page.on(
        "console",
        lambda message: (
            wrong.append(message.text) if message.type in {"error", "warning"} else None
        ),
    )
    page.goto((site / "ja" / "index.html").as_uri())

    [found] = _find(page, "スループット")

    context.close()
    assert any(REPORT in address for address in found.addresses)
    assert not wrong
