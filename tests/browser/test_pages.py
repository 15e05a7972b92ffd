"""Every page of the site opens and says which language it is in; its charts draw."""

import re
from functools import partial, reduce
from pathlib import Path
from typing import Final

import pytest
from playwright.sync_api import Page

from tests.browser.sites import BOTH, IN_WHOLE, LANGUAGES, SMALL, WHOLE
from tests.browser.visitor import (
    DETAILS,
    REPORT,
    Watched,
    by_turns,
    drawn,
    every_page,
    languages,
    one_of_a_kind,
)

MANY = {
    SMALL: (LANGUAGES[SMALL], ("",)),
    WHOLE: (LANGUAGES[WHOLE], ("c/", "workloads/", "systems/", "accelerators/")),
}
"""Languages that take turns, and folders of pages that are many and alike: in the small site all.
"""


def _open(watched: Watched, path: str) -> Page:
    """Open a page and note what is wrong with it: each has its language, a direction, a title and
    one heading.
    """
    page = watched.open(path)
    language = path.partition("/")[0] or "en"
    seen = page.evaluate(
        "[document.documentElement.lang, getComputedStyle(document.body).direction, "
        "document.title.trim(),"
        " [...document.querySelectorAll('h1')].map((heading) => heading.innerText.trim())]"
    )
    expected = "en" if language == "404.html" else language
    if (
        [seen[0], seen[1]] != [expected, "ltr"]
        or not seen[2]
        or len(seen[3]) != 1
        or not seen[3][0]
    ):
        watched.wrong.append(f"{path}: {seen}")
    return page


def _in_turn(site: Path) -> list[str]:
    spoken, many = MANY[site.parent.name]
    return reduce(partial(by_turns, spoken), many, list(every_page(site)))


CHART: Final = re.compile('class="ts-figure[ "]')


def _with_charts(site: Path) -> list[str]:
    """Pages with charts: reports, and one page of each other kind, in each language, the others in
    one language each, by turns.
    """
    return [
        path
        for path in _in_turn(site)
        if path.endswith("/") and CHART.search((site / path / "index.html").read_text("utf-8"))
    ]


OF_A_KIND = (
    "accelerators/",
    "compare/",
    "results/",
    "runs/",
    "sources/",
    "systems/",
    "workloads/",
)
"""Below which very many pages are of the same kinds."""


@BOTH
def test_every_page_opens_and_is_whole(desktop: Watched, site: Path) -> None:
    """No page has an error on its console, a request that fails or leaves the site; what is on it
    is as `_open` wants it.

    Of those below `OF_A_KIND` one of each kind is opened: in each language, or in the small site in
    one, as other pages are. Those where charts are drawn are opened for that, below.
    """
    paths, drawn = list(every_page(site)), set(_with_charts(site))
    each = site.parent.name != SMALL
    for path in one_of_a_kind(site, paths if each else _in_turn(site), *OF_A_KIND, each=each):
        if path not in drawn:
            _open(desktop, path)

    assert len(paths) == 2 + len(languages(site)) * len(
        {path.partition("/")[2] for path in paths if "/" in path}
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("site", "language"),
    [
        *((SMALL, language) for language in LANGUAGES[SMALL]),
        *(pytest.param(WHOLE, language, marks=IN_WHOLE) for language in LANGUAGES[WHOLE]),
    ],
    indirect=["site"],
)
def test_charts_draw_wherever_they_stand(desktop: Watched, site: Path, language: str) -> None:
    """On every page with charts, as whole as the others, each becomes interactive, and nothing else
    is loaded for it than the runtime. Of the whole site in English; each other language has a
    share of the pages.
    """
    pages = [path for path in _with_charts(site) if path.startswith(f"{language}/")]
    assert f"{language}/{REPORT}" in pages
    _, *others = LANGUAGES[WHOLE]
    if site.parent.name == WHOLE and language in others:
        pages = pages[others.index(language) :: len(others)]

    for path in pages:
        page = _open(desktop, path)
        page.locator("details").evaluate_all("all => all.forEach((one) => (one.open = true))")
        for figure in page.locator(".ts-figure").all():
            drawn(figure)


def test_every_chart_of_a_report_is_shared_where_it_is_seen(desktop: Watched) -> None:
    """Each chart has its tools in sight: Share opens the panel in place."""
    page = desktop.open(f"en/{REPORT}")
    chart = page.locator(".ts-figure").first
    chart.locator("a.ts-share").click()
    dialog = page.locator("dialog.ts-share-dialog[open]")
    dialog.locator(".ts-share-copy").first.wait_for()

    assert str(chart.get_attribute("id")) in (
        dialog.locator('[data-way="link"]').text_content() or ""
    )
    dialog.locator(".ts-share-close").click()
    apart = page.evaluate(
        """() => [...document.querySelectorAll(".ts-figure")].map((figure) => figure.querySelector(".ts-share")
          .getBoundingClientRect().top - figure.querySelector(".ts-picture").getBoundingClientRect().bottom)"""
    )
    assert len(apart) > 3 and all(0 <= each < 100 for each in apart), apart


def test_addresses_of_one_long_report_lead_into_the_details(desktop: Watched) -> None:
    """A section, a finding and a chart of the details; what is on the first page stays there."""
    for id_ in ("audit", "finding-cost", "tpuv2-v100-value"):
        page = desktop.open(f"en/{REPORT}?theme=dark#{id_}")
        page.wait_for_url(f"**/{DETAILS}?theme=dark#{id_}")
        assert page.locator(f"#{id_}").count() == 1

    page = desktop.open(f"en/{REPORT}#tpuv2-v100-target")
    page.wait_for_timeout(300)
    assert page.url.endswith(f"/en/{REPORT}#tpuv2-v100-target")
