"""The cache of drawn charts keeps to a size: what was not used for longest goes first."""

import shutil
from pathlib import Path
from typing import Final

LIMIT: Final = 1_000_000_000
"""Bytes; a site in four languages has a third of that."""

KINDS: Final = ("charts", "pictures")
"""Folders of the cache whose entries, files or folders, are named by a hash of what they are made
of: each change of a chart adds some.
"""


def tidy(cache: Path, limit: int = LIMIT) -> None:
    """Remove what was not used for longest, until the rest is within the limit."""
    entries = []
    for kind in KINDS:
        for path in (cache / kind).glob("*"):
            states = [file.stat() for file in (path, *path.glob("*"))]
            size = sum(state.st_size for state in states)
            entries.append((max(state.st_mtime_ns for state in states), size, path))
    left = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if left <= limit:
            return
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        left -= size
