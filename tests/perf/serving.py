"""The whole site at an address, as static hosts serve it (compressed with gzip, connections kept
open).
"""

import atexit
import gzip
import io
import shutil
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import cache, partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Final

from tests.perf.measures import DAY, cost

CHART: Final = "tpuv2-v100-throughput"
EMBED: Final = f"c/{CHART}/embed.html"
PAGE: Final = f"en/c/{CHART}/"
REPORT: Final = "en/reports/tpuv2-v100/"


def build(out: Path, *more: str) -> list[str]:
    """The command that builds the site."""
    return [sys.executable, "build.py", "--date", str(DAY), "--out", str(out), *more]


def chromium() -> str | None:
    """Chromium's program."""
    return shutil.which("chromium")


_SERVED: Final = ExitStack()
atexit.register(_SERVED.close)


@cache
def built(folder: Path) -> tuple[Path, str]:
    """The site's folder and address, served until the process ends; built when first asked for."""
    site = folder / "built"
    site.mkdir()
    address = _SERVED.enter_context(served(site))
    cost(build(site, "--base-url", address))
    return site, address


class _Handler(SimpleHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def send_head(self) -> io.BytesIO | None:
        """A file, compressed."""
        file = Path(self.translate_path(self.path))
        file = file / "index.html" if file.is_dir() else file
        if not file.is_file():
            self.send_error(404)
            return None
        content = gzip.compress(file.read_bytes(), 9, mtime=0)
        kind = self.guess_type(file)
        self.send_response(200)
        self.send_header("Content-Type", kind + "; charset=utf-8" * kind.startswith("text/"))
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "max-age=600")  # as GitHub Pages says of every file
        self.end_headers()
        return io.BytesIO(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(site: Path) -> Iterator[str]:
    """The folder at an address of this machine."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, directory=str(site))) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
