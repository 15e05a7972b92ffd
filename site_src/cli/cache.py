"""Limits the size of the cache of drawn charts: the least recently used go first."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final

LIMIT: Final = 1_000_000_000
"""Bytes; a site in four languages has a third of that."""

KINDS: Final = ("charts", "pictures")
"""Folders of the cache whose entries, files or folders, are named by a hash of their inputs: each
change of a chart adds some.
"""


def tidy(cache: Path, limit: int = LIMIT) -> None:
    """Remove the least recently used entries until the rest is within the limit."""
    entries = [
        entry for kind in KINDS if (cache / kind).is_dir() for entry in _entries(cache / kind)
    ]
    left = sum(size for _, size, _ in entries)
    for _, size, path in sorted(entries):
        if left <= limit:
            return
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
        left -= size


def _entries(folder: Path) -> Iterator[tuple[int, int, Path]]:
    """Yields files and folders with the time of their last use and their bytes, without a `Path`
    for each of the ten thousand files in them.
    """
    with os.scandir(folder) as found:
        for entry in found:
            states = [entry.stat()]
            if entry.is_dir():
                with os.scandir(entry) as files:
                    states += [file.stat() for file in files]
            last = max(state.st_mtime_ns for state in states)
            yield last, sum(state.st_size for state in states), Path(entry)
