"""A full disk is named with its path and leaves no half file."""

import errno
import os
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import disk, store
from kernels.disk import FullDiskError
from tests import full_disk


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_has_a_path_and_advice(number: int, tmp_path: Path) -> None:
    """Full for all or for this user alone; whatever else goes wrong stays what it is."""
    words = rf"{tmp_path} cannot be written \({os.strerror(number)}\): free space there"
    with pytest.raises(FullDiskError, match=words), disk.named(tmp_path):
        raise OSError(number, os.strerror(number))
    with pytest.raises(PermissionError), disk.named(tmp_path):
        raise PermissionError(errno.EACCES, "Permission denied")


@pytest.mark.parametrize("durable", [True, False])
def test_nothing_is_left_of_a_file_that_found_no_room(tmp_path: Path, durable: bool) -> None:
    """What was there before stays, and no part of the new one lies beside it."""
    path = tmp_path / "a"
    disk.put(path, b"before", durable=durable)

    with pytest.MonkeyPatch.context() as patch:
        full_disk.after(0, patch)
        with pytest.raises(FullDiskError), disk.named(path):
            disk.put(path, b"afterwards", durable=durable)

    assert [(each.name, each.read_bytes()) for each in tmp_path.iterdir()] == [("a", b"before")]


def test_a_command_that_finds_the_disk_full_anywhere_says_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A folder for temporary files, say: one line with the path, exit 1, no traceback."""

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device", "/tmp/kernels-x")  # noqa: S108 - a name in a message

    monkeypatch.setattr(store, "read", full)

    assert commands.main(["show", "--runs", str(tmp_path)]) == 1
    said = capsys.readouterr().err
    assert (
        said
        == "error: /tmp/kernels-x cannot be written (No space left on device): free space there, "
        "then do this again\n"
    )
