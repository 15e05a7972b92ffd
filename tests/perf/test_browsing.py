"""Parts that send browsers to pages: the server, files' weight, verdicts."""

import gzip
import urllib.request
from pathlib import Path
from urllib.error import HTTPError

import pytest

from tests.perf import browsing
from tests.perf.browsing import served

FIGURES = dict(zip(browsing.FIGURES, (900.0, 10.0, 0.002), strict=True)) | {
    "fetched": 20_000.0,
    "runtime": 300_000.0,
}


def test_files_come_compressed_and_folders_as_their_index(tmp_path: Path) -> None:
    """As static hosts have it; what is not there is a 404 and not an empty page."""
    (tmp_path / "en").mkdir()
    (tmp_path / "en" / "index.html").write_text("<p>said</p>", encoding="utf-8")

    with served(tmp_path) as address:
        with urllib.request.urlopen(f"{address}en/?a=b") as answer:  # noqa: S310 - our own address
            heads = [answer.headers[f"Content-{name}"] for name in ("Type", "Encoding")]
            said = gzip.decompress(answer.read())
        with pytest.raises(HTTPError, match="404") as refused:
            urllib.request.urlopen(f"{address}no.html")  # noqa: S310
        refused.value.close()

    assert (heads, said) == (["text/html; charset=utf-8", "gzip"], b"<p>said</p>")


def test_medians_of_lighthouse_decide() -> None:
    """Each category by its own median; the one that is low is named, but of an embed no SEO."""
    found = [dict.fromkeys(browsing.CATEGORIES, score) | FIGURES for score in (0.9, 1.0, 0.98)]
    low = [verdict | {"seo": 0.94} for verdict in found]
    held = [verdict | {"total-blocking-time": 240.0} for verdict in found]

    assert browsing.told("home", "en/", found).endswith("n = 3; aim: 97 or more: reached")
    assert browsing.told("embed", "c/", low).endswith(
        "20.0 KB and a runtime of 300.0 (aim: 15 or less: missed); n = 3; aim: 97 or more: reached"
    )
    assert browsing.told("home", "en/", low).endswith(
        "seo 94; LCP 0.9 s, blocked 10 ms, shift 0.002; 20.0 KB and a runtime of 300.0; n = 3; "
        "aim: 97 or more: missed in seo"
    )
    assert "blocked 240 ms (aim: 200 or less), shift" in browsing.told("home", "en/", held)


def test_lighthouse_is_read_with_what_a_page_fetches() -> None:
    """The runtime is told by its name; a page that could not be loaded is an error: no score is no
    zero.
    """
    files = {"http://x/embed.html": 9, f"http://x{browsing.RUNTIME}0.js": 7, "http://x/a.css": 1}
    items = [{"url": url, "transferSize": size} for url, size in files.items()]
    report = {
        "requestedUrl": "http://x/",
        "runtimeError": {"message": "no paint"},
        "categories": {key: {"score": 1} for key in browsing.CATEGORIES},
        "audits": {name: {"numericValue": 0} for name in FIGURES}
        | {"network-requests": {"details": {"items": items}}},
    }

    found = browsing.verdict(report)

    assert (found["fetched"], found["runtime"]) == (10, 7)
    report["categories"] |= {"seo": {"score": None}}  # type: ignore[operator]  # a dictionary
    with pytest.raises(RuntimeError, match="gave http://x/ no score for seo: no paint"):
        browsing.verdict(report)
