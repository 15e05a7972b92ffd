"""Scripts that a page loads: code, and data as classic scripts, which also load from a file."""

import hashlib
import json
from pathlib import Path
from typing import Final

from site_src.minify import lean

ASSETS: Final = Path(__file__).parents[2] / "assets"


def compact(data: object) -> str:
    """JSON without spaces."""
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"))


def assigned(name: str, data: object) -> bytes:
    """A script that assigns data to that name."""
    return f"window.{name}={compact(data)};\n".encode()


def code(*names: str) -> bytes:
    """Concatenates files of `assets/`."""
    return b"".join(lean(name, (ASSETS / name).read_bytes()) for name in names)


def versioned(address: str, content: bytes) -> str:
    """A file's address, with a hash of its content."""
    return f"{address}?{hashlib.sha256(content).hexdigest()[:10]}"
