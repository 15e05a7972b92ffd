"""The comparison of two states finds what differs, what is gone and what is new."""

from pathlib import Path

from tests.same import differences


def _made(folder: Path, files: dict[str, bytes]) -> Path:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return folder


def test_each_difference_is_named(tmp_path: Path) -> None:
    """A byte, a line at the end, a file that one side lacks; what is equal is not."""
    base = _made(
        tmp_path / "base",
        {
            "a/same.txt": b"1\n",
            "b.txt": b"one\ntwo\n",
            "c.txt": b"x\n",
            "d.png": b"\xff\x00",
            "e": b"1",
        },
    )
    here = _made(
        tmp_path / "here",
        {
            "a/same.txt": b"1\n",
            "b.txt": b"one\ntoo\n",
            "c.txt": b"x\ny\n",
            "d.png": b"\xff\x01",
            "f": b"1",
        },
    )

    found = list(differences(base, here))

    assert found == [
        "e: is gone",
        "f: is new",
        "b.txt: \n  - two\n  + too",
        "c.txt: \n  + y",
        "d.png: 2 bytes were, 2 bytes are",
    ]


def test_equal_folders_have_no_difference(tmp_path: Path) -> None:
    """Nothing is said where every byte is the same."""
    files = {"a": b"\x00", "b/c.txt": b"text\n"}

    assert list(differences(_made(tmp_path / "base", files), _made(tmp_path / "here", files))) == []
