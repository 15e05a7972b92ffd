"""Serves the site on this machine while one works on it, and builds it again when its sources
change.
"""

import http.server
import io
import threading
from collections.abc import Callable, Iterable
from functools import partial
from http import HTTPStatus
from pathlib import Path
from typing import BinaryIO, Final

from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

CALM_S: Final = 0.3  # an editor writes a file in several steps; a build begins when it is done
WAIT_S: Final = 25.0  # a waiting page asks again before anything between could give up
_QUIET: Final = ("__pycache__", ".cache", ".mypy_cache", "~", ".swp", ".part")

_WRITTEN: Final = ("created", "modified", "moved", "deleted")

_RELOAD: Final = (
    b"<script>(function "
    b"ask(){fetch('/-/changed').then(function(r){if(r.status===200)location.reload();"
    b"else ask()},function(){setTimeout(ask,1000)})})()</script>"
)


class _Changes(FileSystemEventHandler):
    """Sets an event when a file is written, made, moved or removed, not when it is read."""

    def __init__(self) -> None:
        self.seen = threading.Event()

    def on_any_event(self, event: FileSystemEvent) -> None:
        """Take note, unless it is a folder or a temporary file of a tool."""
        real = event.event_type in _WRITTEN and not event.is_directory
        if real and not any(part in str(event.src_path) for part in _QUIET):
            self.seen.set()


class _Handler(http.server.SimpleHTTPRequestHandler):
    """Serves files of the site, and tells pages when they have been rebuilt."""

    rebuilt: threading.Condition

    def do_GET(self) -> None:
        """Answer with a file, or wait until the site has been rebuilt."""
        if self.path == "/-/changed":
            with self.rebuilt:
                changed = self.rebuilt.wait(WAIT_S)
            self.send_response(HTTPStatus.OK if changed else HTTPStatus.NO_CONTENT)
            self.send_header("Content-Length", "0")
            self.end_headers()
        else:
            super().do_GET()

    def send_head(self) -> io.BytesIO | BinaryIO | None:
        """Send a page with the reload script in it, and other files unchanged."""
        path = Path(self.translate_path(self.path))
        if path.is_dir() and self.path.partition("?")[0].endswith("/"):
            path /= "index.html"
        missing = not path.exists()
        if missing:
            path = Path(self.directory) / "404.html"
        if path.suffix != ".html" or not path.is_file():
            return super().send_head()
        content = path.read_bytes() + _RELOAD
        self.send_response(HTTPStatus.NOT_FOUND if missing else HTTPStatus.OK)
        self.send_header("Content-Type", "text/html; charset=utf-8")
        self.send_header("Content-Length", str(len(content)))
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        return io.BytesIO(content)

    def log_message(self, format: str, *args: object) -> None:
        """Say nothing: the terminal is for builds."""


def serve(
    out: Path,
    port: int,
    watched: Iterable[Path],
    rebuild: Callable[[], bool],
    say: Callable[[str], None],
) -> None:
    """Serve `out` until interrupted; on each change of a watched file, rebuild and reload open
    pages.

    Args:
        out: The site.
        port: On this machine alone; 0 takes a free one.
        watched: Files and folders.
        rebuild: Builds again; False if it failed, which leaves the site as it is.
        say: Told the address, once.
    """
    rebuilt = threading.Condition()
    handler = type("Handler", (_Handler,), {"rebuilt": rebuilt})
    changes = _Changes()
    observer = Observer()
    for path in watched:
        observer.schedule(changes, str(path), recursive=True)
    with http.server.ThreadingHTTPServer(
        ("127.0.0.1", port), partial(handler, directory=str(out))
    ) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        observer.start()
        say(f"serving on http://127.0.0.1:{server.server_address[1]}/ (Ctrl+C ends it)")
        try:
            while True:
                changes.seen.wait()
                while changes.seen.is_set():
                    changes.seen.clear()
                    changes.seen.wait(CALM_S)
                if rebuild():
                    with rebuilt:
                        rebuilt.notify_all()
        except KeyboardInterrupt:
            say("")
        finally:
            observer.stop()
            observer.join()
            server.shutdown()
