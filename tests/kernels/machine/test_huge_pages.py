"""Huge pages: what is recorded of them."""

from pathlib import Path

import pytest

from kernels.machine import huge_pages


def test_what_is_recorded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyTorch's variable as seen, the kernel's setting and the bytes in use where it tells them."""
    monkeypatch.delenv("THP_MEM_ALLOC_ENABLE", raising=False)
    for name, text in (
        (huge_pages.KERNEL, "always [madvise] never\n"),
        (huge_pages.ROLLUP, "Rss:  4096 kB\nAnonHugePages:      2048 kB\n"),
    ):
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)

    told = huge_pages.recorded(tmp_path)

    assert told == {"THP_MEM_ALLOC_ENABLE": "unset", "transparent_hugepage": "madvise"}
    assert huge_pages.recorded(tmp_path / "nowhere") == {"THP_MEM_ALLOC_ENABLE": "unset"}
    assert huge_pages.in_use(tmp_path) == 2 * 2**20
    assert huge_pages.in_use(tmp_path / "nowhere") is None
