"""What a browser fetches for a page: bytes after gzip, and requests, with and without the charts' runtime."""

import gzip
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from shutil import which
from urllib.parse import unquote, urlsplit

from playwright.sync_api import sync_playwright


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes after gzip -9, and requests."""

    size: int
    requests: int


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def _served(site: Path) -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=site))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def weights(site: Path, page: str) -> tuple[Weight, Weight] | None:
    """Weight at first sight, and after scrolling to the end, when every chart has drawn; None without Chromium."""
    chromium = which("chromium")
    if chromium is None:
        return None
    with _served(site) as address, sync_playwright() as driver:
        browser = driver.chromium.launch(
            executable_path=chromium, args=["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        )
        opened = browser.new_page(viewport={"width": 1280, "height": 900})
        fetched: list[str] = []
        opened.on("request", lambda request: fetched.append(urlsplit(request.url).path))
        opened.goto(f"{address}/{page}", wait_until="networkidle")
        first = list(fetched)
        height = opened.evaluate("document.documentElement.scrollHeight")
        for place in range(0, height, 600):
            opened.evaluate(f"window.scrollTo(0, {place})")
            opened.wait_for_timeout(100)
        opened.wait_for_load_state("networkidle")
        browser.close()
    return _weight(site, first), _weight(site, fetched)


def _weight(site: Path, paths: list[str]) -> Weight:
    once = list(dict.fromkeys(paths))
    files = [site / unquote(path).lstrip("/") for path in once]
    files = [file / "index.html" if file.is_dir() else file for file in files]
    return Weight(sum(len(gzip.compress(file.read_bytes(), 9)) for file in files if file.is_file()), len(once))
