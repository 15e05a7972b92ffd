"""Parts that send browsers to pages: the server, files' weight, verdicts."""

import gzip
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.perf import embedding, judging
from tests.perf.embedding import weight
from tests.perf.standing import served

FIGURES = {
    "largest-contentful-paint": 900.0,
    "total-blocking-time": 10.0,
    "cumulative-layout-shift": 0.002,
}
RUNTIME = f"{embedding.RUNTIME}0.js"


def test_files_come_compressed_and_folders_as_their_index(tmp_path: Path) -> None:
    """As static hosts have it; what is not there is a 404 and not an empty page."""
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "index.html").write_text("<p>said</p>", encoding="utf-8")

    with served(tmp_path) as address:
        with urllib.request.urlopen(f"{address}/en/?a=b") as answer:  # noqa: S310 - our own address
            heads = [answer.headers[f"Content-{name}"] for name in ("Type", "Encoding")]
            said = gzip.decompress(answer.read())
        with pytest.raises(HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{address}/no.html")  # noqa: S310
        refused.value.close()

    assert (heads, said) == (["text/html; charset=utf-8", "gzip"], b"<p>said</p>")


def test_a_file_that_is_asked_for_twice_weighs_once(tmp_path: Path) -> None:
    """Bytes after gzip -9 and brotli 11; a query makes no other file, one in vain is an error."""
    (tmp_path / "a.js").write_text("x" * 10_000, encoding="utf-8")

    found = weight(tmp_path, ["/a.js", "/a.js?b=c"])

    assert found.gzip == len(gzip.compress(b"x" * 10_000, 9, mtime=0)) > found.brotli
    assert found.requests == 1
    with pytest.raises(FileNotFoundError, match=r"gone\.js"):
        weight(tmp_path, ["/gone.js"])


def test_an_embed_is_weighed_with_and_without_its_runtime(tmp_path: Path) -> None:
    """The runtime is told by its name; aims are judged by the figures; one that did not draw is no
    light one.
    """
    for path in (RUNTIME, "/embed.html", "/altair.html", f"/{embedding.BUNDLE}"):
        (tmp_path / path.lstrip("/")).parent.mkdir(exist_ok=True)
        (tmp_path / path.lstrip("/")).write_text("x" * 100, encoding="utf-8")
    pages = (["/embed.html", RUNTIME], ["/altair.html"], ["/embed.html"], ["/embed.html", RUNTIME])

    rows = list(embedding.compared(tmp_path, *pages))

    assert "1 request" in rows[0]
    assert "2 requests" in rows[1]
    assert rows[2].endswith("1 request; aim: 15 KB gzip or less: reached")
    assert rows[3].endswith("brotli of the two: 1.000; aim: 0.55 or less: missed")
    with pytest.raises(RuntimeError, match=r"embed\.html fetched no /assets/touchstone-runtime\."):
        list(embedding.compared(tmp_path, ["/embed.html"], [], [], []))


def test_medians_of_lighthouse_decide() -> None:
    """Each category by its own median; the one that is low is named, but of an embed no SEO."""
    found = [dict.fromkeys(judging.CATEGORIES, score) | FIGURES for score in (0.9, 1.0, 0.96)]
    low = [verdict | {"seo": 0.94} for verdict in found]

    assert judging.told("home", "en/", found).endswith("n = 3; aim: 95 or more: reached")
    assert judging.told("embed", "c/", low).endswith("n = 3; aim: 95 or more: reached")
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
