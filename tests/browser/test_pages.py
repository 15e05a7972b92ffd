"""Every page of the site opens, says which language it is in, and keeps to it."""

import re
from pathlib import Path

import pytest

from site_src import locales, phrases
from tests.browser.visitor import LANGUAGES, READ_TEXTS, REPORT, TEMPLATES, Watched, by_turns, every_page

STRINGS = Path(locales.__file__).parent / "strings"


def test_every_page_opens_and_is_whole(desktop: Watched, site: Path) -> None:
    """No page has an error on its console, a request that fails or leaves the site; each has its language, a title and one heading.

    Pages of runs are opened in one language each.
    """
    paths = list(every_page(site))
    for path in by_turns(paths, "runs/"):
        page = desktop.open(path)
        language = path.partition("/")[0] or "en"
        seen = page.evaluate(
            "[document.documentElement.lang, getComputedStyle(document.body).direction, document.title.trim(),"
            " [...document.querySelectorAll('h1')].map((heading) => heading.innerText.trim())]"
        )
        if (
            [seen[0], seen[1]] != ["en" if language == "404.html" else language, "ltr"]
            or not seen[2]
            or len(seen[3]) != 1
            or not seen[3][0]
        ):
            desktop.wrong.append(f"{path}: {seen}")

    assert len(paths) == 2 + len(LANGUAGES) * len({path.partition("/")[2] for path in paths if "/" in path})


@pytest.mark.parametrize("language", LANGUAGES)
def test_charts_draw_wherever_they_stand(desktop: Watched, site: Path, language: str) -> None:
    """On every page with charts each of them becomes interactive, and nothing else is loaded for it than the runtime.

    A chart's own page is opened in one language, the report or workload that it belongs to in each.
    """
    pages = [
        path
        for path in by_turns(every_page(site), "c/")
        if path.startswith(f"{language}/") and "ts-figure" in (site / path / "index.html").read_text("utf-8")
    ]
    assert f"{language}/{REPORT}" in pages

    for path in pages:
        page = desktop.open(path)
        for figure in page.locator(".ts-figure").all():
            figure.locator(".ts-picture").scroll_into_view_if_needed()
            figure.locator(".ts-live svg").wait_for()


@pytest.mark.parametrize("language", [language for language in LANGUAGES if language != "en"])
def test_no_english_leaks(desktop: Watched, language: str) -> None:
    """No text and no label on a page of another language is an English string that this language says otherwise."""
    leaks = _texts("en") - _texts(language)

    for path in TEMPLATES:
        page = desktop.open(f"{language}/{path}")
        found = sorted(leaks.intersection(page.evaluate(READ_TEXTS)))
        if found:
            desktop.note(f"English: {found}")


def _texts(language: str) -> set[str]:
    _, strings = phrases.read(STRINGS / f"{language}.toml")
    forms = (form for text in strings.values() for form in ([text] if isinstance(text, str) else text.values()))
    # a unit says with {n} where the number stands; in charts it stands alone
    plain = (re.sub(r"\s+", " ", form.replace("{n}", "")).strip() for form in forms)
    return {text for text in plain if "{" not in text}
