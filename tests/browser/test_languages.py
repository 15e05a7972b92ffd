"""From one language to another: links, addresses for search engines, the chooser and the page of a
wrong address.
"""

from pathlib import Path

import pytest
from playwright.sync_api import Browser

from tests.browser.sites import IN_WHOLE, LANGUAGES, SMALL, WHOLE
from tests.browser.visitor import PAIR, REPORT, TEMPLATES, Watched, every_page, watch


def test_the_switch_keeps_page_query_and_place(desktop: Watched) -> None:
    """From any page to the same one in another language."""
    kept = "?theme=dark&throughput.hide=aws-p3.8xlarge-mxnet#top"
    for path in TEMPLATES:
        page = desktop.open(f"en/{path}{kept}")
        page.locator(".ts-lang summary").click()
        page.locator('.ts-lang a[hreflang="ja"]').click()

        page.wait_for_url(f"{desktop.address}/ja/{path}{kept}")
        assert page.evaluate("document.documentElement.lang") == "ja"


def test_the_menu_of_languages_works_by_keyboard(desktop: Watched) -> None:
    """Enter opens it, Escape closes it and leaves the reader where they were."""
    page = desktop.open(f"en/{REPORT}")
    page.locator(".ts-lang summary").focus()
    page.keyboard.press("Enter")
    names = page.locator(".ts-lang a:visible").all_inner_texts()
    page.keyboard.press("Tab")
    page.keyboard.press("Escape")

    assert names[:2] == ["English", "日本語"] and len(names) == len(LANGUAGES[SMALL])
    assert page.locator(".ts-lang a:visible").count() == 0
    assert page.evaluate("document.activeElement.tagName") == "SUMMARY"


@pytest.mark.parametrize(("reader", "own"), [("ja-JP", "ja"), ("en-GB", "en"), ("de-DE", None)])
def test_the_chooser_points_to_the_reader_s_language(
    browser: Browser, address: str, reader: str, own: str | None
) -> None:
    """The reader's own language stands out, and nobody is sent anywhere."""
    context = browser.new_context(locale=reader)
    watched = watch(context, address)
    page = watched.open("")
    chosen = page.locator(".ts-offer--own").evaluate_all(
        "links => links.map((link) => link.hreflang)"
    )
    context.close()

    assert chosen == ([own] if own else [])
    assert not watched.wrong


def test_a_wrong_address_is_answered_in_its_language(desktop: Watched, site: Path) -> None:
    """A host serves 404.html at any depth: the language of the address comes first, and its link
    leads home.
    """
    body = (site / "404.html").read_text("utf-8")
    desktop.page.route(
        "**/nowhere/**", lambda route: route.fulfill(body=body, content_type="text/html")
    )
    page = desktop.open("ja/nowhere/at/all/")

    assert page.locator("section").first.get_attribute("lang") == "ja"
    page.locator("section").first.locator("a").click()
    page.wait_for_url(f"{desktop.address}/ja/")


@pytest.mark.parametrize(
    ("asked", "led"),
    [("v100-vs-a30", PAIR), ("a30-vs-k80", "compare/?a=a30&b=k80"), ("k80-vs-a30", None)],
)
def test_two_are_found_in_either_order(
    desktop: Watched, site: Path, asked: str, led: str | None
) -> None:
    """By the page of both, which a host has in the order of their ids alone; without one by that
    on which two are chosen.
    """
    body = (site / "404.html").read_text("utf-8")
    for name in (asked, "a30-vs-k80"):
        desktop.page.route(
            f"**/compare/{name}/", lambda route: route.fulfill(body=body, content_type="text/html")
        )
    page = desktop.open(f"en/compare/{asked}/")

    page.wait_for_url(f"**/en/{led or 'compare/?a=a30&b=k80'}")


def test_a_wrong_address_leads_to_no_other_host(browser: Browser, site: Path) -> None:
    """Not where it begins with two slashes, as the address of a host does."""
    body, here = (site / "404.html").read_text("utf-8"), "http://here.invalid"
    context = browser.new_context()
    context.route(f"{here}/**", lambda route: route.fulfill(body=body, content_type="text/html"))
    context.route("**/?a=*", lambda route: route.fulfill(body="<p>two", content_type="text/html"))
    page = context.new_page()
    page.goto(f"{here}//there.invalid/en/compare/a30-vs-k80/", wait_until="commit")

    page.wait_for_url(f"{here}/there.invalid/en/compare/?a=a30&b=k80")
    context.close()


@IN_WHOLE
@pytest.mark.parametrize("site", [WHOLE], indirect=True)
def test_nothing_absolute_is_written_without_an_address(site: Path) -> None:
    """Without --base-url pages name no address of their own, and there is no sitemap; `test_pseudo`
    has a site with one.
    """
    assert not (site / "sitemap.xml").exists()
    for page in every_page(site):
        if page != "404.html":
            text = (site / page / "index.html").read_text("utf-8")
            assert "canonical" not in text.partition("</head>")[0]
