"""The search finds what a reader of each language types, from a server and from the disk."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from tests.browser.sites import each_language
from tests.browser.visitor import DETAILS, REPORT, Watched

QUERIES = {
    "en": (
        ("throughputs", REPORT),
        ("cost to target accuracy", REPORT),
        ("TPUv2", "sources/tpuv2-v100/"),
    ),
    "ru": (
        ("пропускной способностью", REPORT),
        ("ускорителями", "accelerators/"),
        ("стоимости", REPORT),
    ),
    "ja": (("スループット", REPORT), ("学習の費用", DETAILS), ("バッチサイズ", REPORT)),
    "es": (
        ("precision", DETAILS),
        ("aceleradores", "accelerators/"),
        ("memorias insuficientes", REPORT),
    ),
}
"""What is typed in a language (inflected, in the plural, without accents), and a page that has it."""


FIRST = {
    "en": (
        ("DGX-1", "systems/nvidia-dgx-1/"),
        ("dgx1", "systems/nvidia-dgx-1/"),
        ("2080 Ti", "systems/rtx2080ti-1x/"),
        ("RTX 2080Ti", "systems/rtx2080ti-1x/"),
        ("ResNet-50", "workloads/resnet50-imagenet/"),
        ("resnet50", "workloads/resnet50-imagenet/"),
        ("TPU v3-32", "systems/cloud-tpu-v3-32/"),
        ("p3.8xlarge", "systems/aws-p3.8xlarge/"),
        ("DGX-1 8 × V100", "systems/nvidia-dgx-1/"),
        ("throughput", DETAILS),
        ("v100", "accelerators/v100/"),
    ),
    "ru": (
        ("DGX-1", "systems/nvidia-dgx-1/"),
        ("ResNet-50", "workloads/resnet50-imagenet/"),
        ("глоссарием", "glossary/"),
    ),
    "ja": (
        ("DGX-1", "systems/nvidia-dgx-1/"),
        ("ResNet-50", "workloads/resnet50-imagenet/"),
        ("用語集", "glossary/"),
    ),
    "es": (("WRN-28-10", "workloads/wrn28-10-cifar10/"),),
}
"""What is typed, and the page that comes first."""


def _find(page: Page, query: str) -> list[str]:
    """Open the search by its key, type, and return the addresses that are offered in the end."""
    if not page.locator(".ts-search[open]").count():
        page.keyboard.press("/")
    for typed in ("", query):  # what was offered before is gone
        page.locator(".ts-search input").fill(typed)
    page.locator(".ts-search [aria-busy=false] a").first.wait_for()
    return [
        str(address)
        for address in page.locator(".ts-search li a").evaluate_all(
            "links => links.map((link) => link.href)"
        )
    ]


@each_language()
def test_a_query_finds_its_page(desktop: Watched, language: str) -> None:
    """Among what is offered, words of the query marked. Pages that have it in their title come
    before those that mention it, and its letters and numbers are one name.
    """
    page = desktop.open(f"{language}/sources/")

    def found(query: str) -> list[str]:
        below = f"{desktop.address}/{language}/"
        return [each.removeprefix(below).partition("#")[0] for each in _find(page, query)]

    for query, wanted in QUERIES[language]:
        assert wanted in found(query), query
        assert page.locator(".ts-search li mark").count() > 0, query
    for query, wanted in FIRST[language]:
        assert found(query)[0] == wanted, query


def test_a_number_is_marked_with_its_name_alone(desktop: Watched) -> None:
    """Whoever looks for DGX-1 sees no 1 of other figures stand out; the title of an accelerator's
    page says which one it is.
    """
    page = desktop.open("en/sources/")
    _find(page, "v100")
    assert "V100" in page.locator(".ts-search li b").first.inner_text()
    _find(page, "DGX-1")

    marked = set(page.locator(".ts-search li mark").all_inner_texts())
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
    page = desktop.open("en/")
    held: list[Route] = []
    text = "**/search/en.text.js"
    page.route(text, lambda at: held.append(at))  # noqa: PLW0108 - playwright writes on what it is given
    page.keyboard.press("/")
    page.locator(".ts-search input").fill("DGX-1")
    page.locator(".ts-search [aria-busy=true] a").first.wait_for()
    page.keyboard.press("ArrowDown")
    reached, titles = page.evaluate("document.activeElement.href"), page.locator(".ts-search li")
    before = titles.count()

    held.pop().continue_()

    page.locator(".ts-search [aria-busy=false] a").first.wait_for()
    assert reached.endswith("/en/systems/nvidia-dgx-1/")
    assert page.evaluate("document.activeElement.href") == reached
    assert titles.count() > before


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

    found = _find(page, "スループット")

    context.close()
    assert any(REPORT in address for address in found)
    assert not wrong
