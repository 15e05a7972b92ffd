"""The parts that send browsers to pages: what they make of what they find, and one throttled
visit.
"""

import shutil
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest
from playwright.sync_api import sync_playwright

from tests.perf import embedding, judging, painting
from tests.perf.serving import served

RUNTIME = f"{embedding.RUNTIME}0.js"
PAGE = """<!doctype html><title>x</title>
<figure class="ts-figure"><div class="ts-picture"><img src="a.svg" width="300" height="200"></div></figure>
<script>setTimeout(() => { document.querySelector("figure").dataset.state = "interactive"; }, 100)</script>"""
PICTURE = (
    '<svg xmlns="http://www.w3.org/2000/svg" width="300" height="200"><rect width="300" '
    'height="200" fill="red"/></svg>'
)


@pytest.mark.parametrize("part", [embedding, painting, judging])
def test_without_chromium_a_part_says_so(
    part: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One visible line, and nothing is built."""
    monkeypatch.setattr(part, "chromium", lambda: None)
    rows: Callable[..., Iterator[str]] = part.rows

    said = list(rows(tmp_path) if part is embedding else rows(tmp_path, 1))

    assert said == ["not measured: no chromium on the PATH"]
    assert not list(tmp_path.iterdir())


def test_an_embed_is_weighed_with_and_without_its_runtime(tmp_path: Path) -> None:
    """The runtime is told by its name; aims are judged by the figures themselves."""
    for path in (RUNTIME, "/embed.html", "/altair.html", f"/{embedding.BUNDLE}"):
        (tmp_path / path.lstrip("/")).parent.mkdir(exist_ok=True)
        (tmp_path / path.lstrip("/")).write_text("x" * 100, encoding="utf-8")

    rows = list(
        embedding.compared(
            tmp_path,
            ["/embed.html", RUNTIME],
            ["/altair.html"],
            ["/embed.html"],
            ["/embed.html", RUNTIME],
        )
    )

    assert "1 request" in rows[0]
    assert "2 requests" in rows[1]
    assert rows[2].endswith("1 request; aim: 15 KB gzip or less: reached")
    assert rows[3].endswith("brotli of the two: 1.000; aim: 0.55 or less: missed")


def test_an_embed_without_a_runtime_is_no_light_embed(tmp_path: Path) -> None:
    """Its chart did not draw: an error that says which page."""
    with pytest.raises(RuntimeError, match=r"embed\.html fetched no /assets/touchstone-runtime\."):
        list(embedding.compared(tmp_path, ["/embed.html"], [], [], []))


@pytest.mark.browser
def test_a_visit_sees_the_picture_before_the_live_chart(tmp_path: Path) -> None:
    """On a throttled phone: each request waits at least as long as the network that it stands
    for.
    """
    program = shutil.which("chromium") or pytest.skip("no chromium on the PATH")
    (tmp_path / "index.html").write_text(PAGE, encoding="utf-8")
    (tmp_path / "a.svg").write_text(PICTURE, encoding="utf-8")

    def visited(address: str) -> Mapping[str, float]:
        with sync_playwright() as driver:
            browser = driver.chromium.launch(executable_path=program, args=embedding.QUIET)
            return painting.visit(browser, f"{address}/", draws=True)

    # in a thread of its own: the browser tests of the same process have a driver running in this
    # one
    with served(tmp_path) as address, ThreadPoolExecutor(1) as apart:
        seen = apart.submit(visited, address).result()

    assert seen["picture"] >= 0.3
    assert {"paint", "interactive"} <= seen.keys()
    assert seen["interactive"] >= 0.25


def test_medians_of_lighthouse_decide() -> None:
    """Each category by its own median; the one that is low is named."""
    found = [dict.fromkeys(judging.CATEGORIES, score) | FIGURES for score in (0.9, 1.0, 0.96)]
    low = [verdict | {"seo": 0.94} for verdict in found]

    assert judging.told("home", "en/", found).endswith("n = 3; aim: 95 or more: reached")
    assert judging.told("home", "en/", low).endswith(
        "seo 94; LCP 0.9 s, blocked 10 ms, shift 0.002; n = 3; aim: 95 or more: missed in seo"
    )


def test_a_page_that_lighthouse_could_not_load_is_an_error() -> None:
    """No score is no zero."""
    report = {
        "requestedUrl": "http://x/",
        "runtimeError": {"message": "no paint"},
        "categories": {key: {"score": None if key == "seo" else 1} for key in judging.CATEGORIES},
    }

    with pytest.raises(RuntimeError, match="gave http://x/ no score for seo: no paint"):
        judging.verdict(report)


FIGURES = {
    "largest-contentful-paint": 900.0,
    "total-blocking-time": 10.0,
    "cumulative-layout-shift": 0.002,
}
