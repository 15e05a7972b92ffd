"""The site at an address, as static hosts serve it: compressed with gzip, connections kept open;
and the weight of its files.
"""

import gzip
import json
import mimetypes
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Final
from urllib.parse import unquote, urlsplit

from site_src.charts.runtime import node_and_npm

LEVEL: Final = 9
KEPT: Final = "max-age=600"
"""What GitHub Pages says of every file."""

BROTLI: Final = """
const zlib = require("zlib"), fs = require("fs");
const size = (path) => zlib.brotliCompressSync(fs.readFileSync(path)).length;
console.log(JSON.stringify(JSON.parse(fs.readFileSync(0, "utf8")).map(size)));
"""
"""Node's brotli has quality 11 where nothing else is said."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Bytes by gzip -9 and by brotli 11, and requests."""

    gzip: int
    brotli: int
    requests: int

    def __str__(self) -> str:
        plural = "" if self.requests == 1 else "s"
        return (
            f"{self.gzip / 1000:.1f} KB gzip, {self.brotli / 1000:.1f} KB brotli, "
            f"{self.requests} request{plural}"
        )


def file_of(site: Path, path: str) -> Path:
    """The file that an address' path stands for."""
    file = site / unquote(urlsplit(path).path).lstrip("/")
    return file / "index.html" if file.is_dir() else file


def weight(site: Path, paths: Sequence[str]) -> Weight:
    """What the requested files weigh, each once.

    Raises:
        FileNotFoundError: One of them is not there: what a page asks for in vain must not look
            light.
    """
    files = list(dict.fromkeys(file_of(site, path) for path in paths))
    return Weight(
        sum(_compressed(file, file.stat().st_mtime_ns)[1] for file in files),
        sum(_brotli(files)),
        len(files),
    )


def _brotli(files: Sequence[Path]) -> list[int]:
    given = json.dumps([str(file) for file in files])
    done = subprocess.run(
        [str(node_and_npm()[0]), "-e", BROTLI],
        input=given,
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    sizes: list[int] = json.loads(done.stdout)
    return sizes


@cache
def _compressed(file: Path, _changed: int) -> tuple[bytes, int]:
    content = gzip.compress(file.read_bytes(), LEVEL, mtime=0)
    return content, len(content)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    site: Path

    def do_GET(self) -> None:
        """A file, compressed."""
        file = file_of(self.site, self.path)
        if not file.is_file():
            self.send_error(HTTPStatus.NOT_FOUND)
            return
        content, size = _compressed(file, file.stat().st_mtime_ns)
        self.send_response(HTTPStatus.OK)
        kind = mimetypes.guess_type(file.name)[0] or "application/octet-stream"
        self.send_header(
            "Content-Type", f"{kind}; charset=utf-8" if kind.startswith("text/") else kind
        )
        self.send_header("Content-Encoding", "gzip")
        self.send_header("Content-Length", str(size))
        self.send_header("Cache-Control", KEPT)
        self.end_headers()
        self.wfile.write(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing."""


@contextmanager
def served(site: Path, port: int = 0) -> Iterator[str]:
    """The folder at an address of this machine; at any free port where none is wanted."""
    server = ThreadingHTTPServer(("127.0.0.1", port), type("Handler", (_Handler,), {"site": site}))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
