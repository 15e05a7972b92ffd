"""What a page loads by itself: its scripts, and data as classic scripts, which also load from a
file.
"""

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
    """A script that hands the page data under that name."""
    return f"window.{name}={compact(data)};\n".encode()


def code(*names: str) -> bytes:
    """Files of `assets/`, one behind the other."""
    return b"".join(lean(name, (ASSETS / name).read_bytes()) for name in names)


def versioned(address: str, content: bytes) -> str:
    """The address of a file, another one where it says something else."""
    return f"{address}?{hashlib.sha256(content).hexdigest()[:10]}"
