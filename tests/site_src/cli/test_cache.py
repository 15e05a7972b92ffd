"""The cache of drawn charts keeps to a size."""

import os
from pathlib import Path

from site_src.cli import cache


def test_what_was_not_used_for_longest_goes_first(tmp_path: Path) -> None:
    """Until the rest is within the limit; other folders of the cache are left alone."""
    for age, name in enumerate(("charts/new", "pictures/used/a", "charts/old", "pictures/older/a")):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * 100_000)
        for each in (path, *([path.parent] if name.startswith("pictures") else [])):
            os.utime(each, (1_000 - age, 1_000 - age))
    (tmp_path / "runtime").mkdir()
    (tmp_path / "runtime" / "oldest").write_bytes(b"x" * 900_000)

    cache.tidy(tmp_path, 1_000_000)
    assert sum(1 for path in tmp_path.rglob("*") if path.is_file()) == 5

    cache.tidy(tmp_path, 250_000)
    left = sorted(str(path.relative_to(tmp_path)) for path in tmp_path.rglob("*") if path.is_file())
    assert left == ["charts/new", "pictures/used/a", "runtime/oldest"]
