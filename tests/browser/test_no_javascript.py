"""Without JavaScript every page reads the same: a picture and a table stand for each chart, and
what needs a script is hidden.
"""

import io
from functools import partial
from typing import Final, Literal

import numpy as np
import pytest
from PIL import Image
from playwright.sync_api import Browser, Page, Route

from site_src.minify import spelled
from tests.browser.sites import LANGUAGES, SMALL, each_language
from tests.browser.visitor import DETAILS, REPORT, TEMPLATES, THROUGHPUT, Watched, unfold

DRAWN: Final = """() => {
  const styles = getComputedStyle(document.documentElement);
  const names = [...styles].filter((name) => !name.startsWith("--")); // those alone draw nothing
  const root = Object.fromEntries(names.map((name) => [name, styles[name]]));
  const said = Object.entries(root).map(([name, value]) => `${name}: ${value}`);
  for (const element of document.querySelectorAll("body, body *")) {
    const parts = ["", "::before", "::after", ...(element.placeholder ? ["::placeholder"] : []), ...(element.matches("li, summary") ? ["::marker"] : [])];
    for (const part of parts) {
      const own = getComputedStyle(element, part);
      if (part && own.content === "none") continue;
      const other = names.filter((name) => own[name] !== root[name]);
      said.push([element.tagName, element.className, part, ...other.map((name) => `${name}: ${own[name]}`)].join("; "));
    }
  }
  return said;
}"""
"""All that the styles of the page come to, its place and size too: of its root, then of each element what is other
than there.
"""


@each_language()
def test_picture_and_table_stand_for_each_chart(no_javascript: Watched, language: str) -> None:
    """Each chart of a report shows one picture that has loaded, words for it, and the way to a
    page with its table, in which every row can be seen.
    """
    tables = []
    for path in (REPORT, DETAILS):
        page = no_javascript.open(f"{language}/{path}")
        for figure in page.locator(".ts-figure").all():
            picture = figure.locator("picture img:visible")
            picture.scroll_into_view_if_needed()
            picture.evaluate("image => image.decode()")

            assert picture.evaluate("image => image.naturalWidth") > 0
            headline = figure.locator(".ts-headline").text_content() or ""
            # on the page names do not break
            assert (picture.get_attribute("alt") or "").replace("\xa0", " ") == headline.replace(
                "\xa0", " "
            )
            figure.locator(".ts-numbers > summary").click()
            tables.append(figure.locator(".ts-numbers a:visible").evaluate("link => link.href"))

    assert len(set(tables)) == 7
    for address in tables:
        page.goto(address)
        for folded in page.locator(".ts-numbers:not([open]) > summary").all():
            folded.click()
        rows = page.locator(".ts-figure tbody tr")
        assert page.locator(".ts-figure tbody tr:visible").count() == rows.count() > 0


@pytest.mark.parametrize(("scheme", "inked"), [("light", False), ("dark", True)])
def test_pictures_have_the_colours_of_the_device(
    browser: Browser, address: str, scheme: Literal["light", "dark"], inked: bool
) -> None:
    """Light letters in the dark, of the one file that there is; none on light pages."""
    context = browser.new_context(java_script_enabled=False, color_scheme=scheme)
    page = context.new_page()
    page.goto(f"{address}/en/{REPORT}")
    picture = page.locator(".ts-figure picture img:visible").first
    picture.scroll_into_view_if_needed()
    picture.evaluate("image => image.decode()")
    with Image.open(io.BytesIO(picture.screenshot())) as shown:
        shades = np.asarray(shown.convert("L"))
    context.close()

    assert (shades[1, 1] < 60) == inked
    assert shades.max() > 220


def test_the_table_has_the_figures_of_the_interactive_chart(
    no_javascript: Watched, desktop: Watched
) -> None:
    """The same machine values, references and words in the table with and without JavaScript."""
    figures = f"#{THROUGHPUT} td data"
    without = _figures(no_javascript.open(f"ja/c/{THROUGHPUT}/"), figures)
    own = _figures(desktop.open(f"ja/c/{THROUGHPUT}/"), figures)
    report = desktop.open(f"ja/{REPORT}")
    unfold(report, THROUGHPUT)

    assert without == own == _figures(report, figures) != []


def _figures(page: Page, figures: str) -> list[list[str]]:
    """Machine values, words and references as `Facts` knows them: each with the beginning that is set
    before it.
    """
    read = """figures => {
      const begins = new Map();
      let of = "";
      for (const each of document.querySelectorAll("[data-of], [data-ref]")) {
        of = each.dataset.of === "#" ? `run:${each.id}:` : (each.dataset.of ?? of);
        begins.set(each, of);
      }
      return figures.map((one) => [one.value, one.textContent, one.dataset.ref, begins.get(one)]);
    }"""
    found = page.locator(figures).evaluate_all(read)
    return [[value, text, spelled(ref, of)] for value, text, ref, of in found]


def test_what_needs_a_script_is_hidden(no_javascript: Watched) -> None:
    """No page offers search, theme, sorting or controls of a chart that would do nothing; its first
    heading shows.
    """
    idle = (
        "[data-ts-search]:visible, [data-ts-theme]:visible, .ts-controls:visible, "
        ".ts-legend:visible, .ts-sort"
    )
    for path in ["", *(f"en/{path}" for path in TEMPLATES)]:
        page = no_javascript.open(path)
        if page.locator(idle).count() or page.locator("h1:visible").count() != 1:
            no_javascript.note(
                f"{page.locator(idle).evaluate_all('found => found.map((each) => each.outerHTML)')}"
            )


def test_languages_can_be_changed(no_javascript: Watched) -> None:
    """The chooser leads to a language, and the menu of a page to the same page in another one."""
    page = no_javascript.open("")
    page.click('a[hreflang="ja"]')
    assert page.url == f"{no_javascript.address}/ja/index.html"

    page = no_javascript.open(f"ja/{REPORT}")
    page.click(".ts-lang summary")
    page.click('.ts-lang a[hreflang="en"]')

    assert page.url == f"{no_javascript.address}/en/{REPORT}index.html"
    assert page.evaluate("document.documentElement.lang") == "en"


def test_a_frame_shows_the_picture(no_javascript: Watched) -> None:
    """A chart on someone else's page is its picture in the first language, with links to its own
    page in each.
    """
    page = no_javascript.open(f"c/{THROUGHPUT}/embed.html?lang=ja")

    assert (
        page.locator("img:visible").evaluate(
            "image => image.decode().then(() => image.naturalWidth)"
        )
        > 0
    )
    assert page.locator("a:has(img)").get_attribute("href") == f"../../en/c/{THROUGHPUT}/"
    linked = page.locator("a[hreflang]").evaluate_all(
        "links => links.map((link) => [link.lang, link.getAttribute('href')])"
    )
    assert linked == [[code, f"../../{code}/c/{THROUGHPUT}/"] for code in LANGUAGES[SMALL]]


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("path", ["", REPORT, "costs/", f"c/{THROUGHPUT}/"])
def test_a_page_with_which_visits_begin_has_all_its_styles(
    browser: Browser, address: str, path: str, width: int
) -> None:
    """All that is in it is drawn the same with the whole stylesheet, which a script puts in their place."""
    drawn = []
    for kind in ("prefetch", "stylesheet"):
        context = browser.new_context(
            java_script_enabled=False, viewport={"width": width, "height": 900}
        )
        page = context.new_page()

        page.route("**/index.html", partial(_handed, kind))
        page.route("**/*.svg", lambda route: route.abort())  # some come late, when they are near
        page.goto(f"{address}/en/{path}index.html")
        assert page.locator(f"link[rel={kind}][href*='/site.']").count() == 1
        drawn.append(page.evaluate(DRAWN))
        context.close()

    assert max(map(len, drawn[0])) > 500  # an element's styles, not their names alone
    assert [
        {*own.split("; ")} ^ {*whole.split("; ")}
        for own, whole in zip(*drawn, strict=True)
        if own != whole
    ] == []


def _handed(kind: str, route: Route) -> None:
    """Hands out a page with its link to the whole stylesheet as one of that kind."""
    answer = route.fetch()
    html = answer.text()
    assert html.count('rel="prefetch"') == 1 == html.count("<style class=ts-first>")
    route.fulfill(response=answer, body=html.replace('rel="prefetch"', f'rel="{kind}"'))


@pytest.mark.parametrize("path", ["", REPORT, "costs/"])
def test_the_whole_stylesheet_comes_after_a_first_page(desktop: Watched, path: str) -> None:
    """In the place of the page's own, with the styles of what scripts add."""
    page = desktop.open(f"en/{path}")
    page.wait_for_function("!document.querySelector('style.ts-first')")

    order = page.evaluate("[...document.styleSheets].map((sheet) => sheet.href ?? '')")
    assert "/assets/site." in order[0] and not any(order[1:])


def test_on_a_phone_it_comes_with_the_first_deed(phone: Watched) -> None:
    """Whatever that is: here somebody scrolls."""
    page = phone.open("en/")
    page.wait_for_timeout(500)
    before = page.locator("style.ts-first").count()
    page.mouse.wheel(0, 300)
    page.wait_for_function("!document.querySelector('style.ts-first')")

    assert before == 1
