"""The search finds what a reader of each language types, from a server and from the disk."""

from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from tests.browser.sites import spoken
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
    ("es", "precision", DETAILS),
    ("es", "aceleradores", "accelerators/"),
    ("es", "memorias insuficientes", REPORT),
)
"""Language, what is typed (inflected, in the plural, without accents), and a page that has it."""


FIRST = (
    ("en", "DGX-1", "systems/nvidia-dgx-1/"),
    ("en", "dgx1", "systems/nvidia-dgx-1/"),
    ("en", "2080 Ti", "systems/rtx2080ti-1x/"),
    ("en", "RTX 2080Ti", "systems/rtx2080ti-1x/"),
    ("en", "ResNet-50", "workloads/resnet50-imagenet/"),
    ("en", "resnet50", "workloads/resnet50-imagenet/"),
    ("en", "TPU v3-32", "systems/cloud-tpu-v3-32/"),
    ("en", "p3.8xlarge", "systems/aws-p3.8xlarge/"),
    ("en", "DGX-1 8 × V100", "systems/nvidia-dgx-1/"),
    ("en", "throughput", DETAILS),
    ("ru", "DGX-1", "systems/nvidia-dgx-1/"),
    ("ru", "ResNet-50", "workloads/resnet50-imagenet/"),
    ("ru", "глоссарием", "glossary/"),
    ("ja", "DGX-1", "systems/nvidia-dgx-1/"),
    ("ja", "ResNet-50", "workloads/resnet50-imagenet/"),
    ("ja", "用語集", "glossary/"),
    ("es", "WRN-28-10", "workloads/wrn28-10-cifar10/"),
)
"""Language, what is typed, and the page that comes first."""


def _find(page: Page, query: str) -> list[str]:
    """Open the search by its key, type, and return the addresses that are offered in the end."""
    page.keyboard.press("/")
    page.locator(".ts-search input").fill(query)
    page.locator(".ts-search [aria-busy=false] a").first.wait_for()
    return [
        str(address)
        for address in page.locator(".ts-search li a").evaluate_all(
            "links => links.map((link) => link.href)"
        )
    ]


@spoken(*QUERIES, names="language,query,wanted")
def test_a_query_finds_its_page(desktop: Watched, language: str, query: str, wanted: str) -> None:
    """Among what is offered, words of the query marked."""
    page = desktop.open(f"{language}/")

    found = [
        address.removeprefix(f"{desktop.address}/{language}/").partition("#")[0]
        for address in _find(page, query)
    ]

    assert wanted in found
    assert page.locator(".ts-search li mark").count() > 0


@spoken(*FIRST, names="language,query,wanted")
def test_a_name_finds_its_page_first(
    desktop: Watched, language: str, query: str, wanted: str
) -> None:
    """Pages that have it in their title come before those that mention it, and its letters and
    numbers are one name.
    """
    page = desktop.open(f"{language}/")

    assert (
        _find(page, query)[0].removeprefix(f"{desktop.address}/{language}/").partition("#")[0]
        == wanted
    )


def test_an_accelerator_finds_its_page_first(desktop: Watched) -> None:
    """Of several forms the one whose name says no more; the title says which accelerator it is."""
    page = desktop.open("en/")

    assert _find(page, "v100")[0].endswith("/en/accelerators/v100/")
    assert "V100" in page.locator(".ts-search li b").first.inner_text()


def test_a_number_is_marked_with_its_name_alone(desktop: Watched) -> None:
    """Whoever looks for DGX-1 sees no 1 of other figures stand out."""
    page = desktop.open("en/")
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
