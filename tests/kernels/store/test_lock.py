"""One writer at a time, and nobody waits for ever or for the dead."""

import errno
import multiprocessing
import os
import signal
from multiprocessing.synchronize import Event
from pathlib import Path

import pytest
from filelock import UnixFileLock

from kernels.errors import StoreError
from kernels.store import lock
from tests.patience import PATIENCE_S


def hold(runs: Path, held: Event, free: Event) -> None:
    """Hold the lock until told."""
    with lock.writing(runs, runs / "theirs.parquet"):
        held.set()
        free.wait(PATIENCE_S)


def test_a_second_writer_says_that_it_waits_and_gives_up_by_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The error names the file and what to do; once the first is done, the second writes."""
    fresh = multiprocessing.get_context("spawn")
    held, free = fresh.Event(), fresh.Event()
    first = fresh.Process(target=hold, args=(tmp_path, held, free))
    first.start()
    assert held.wait(PATIENCE_S)

    with (
        pytest.raises(
            StoreError,
            match=r"ours\.parquet was not written: another command.*wait for it or stop it",
        ),
        lock.writing(tmp_path, tmp_path / "ours.parquet", wait_s=0.2),
    ):
        pytest.fail("two writers at once")
    assert "waiting for it" in capsys.readouterr().err
    free.set()
    with lock.writing(tmp_path, tmp_path / "ours.parquet"):
        pass
    first.join(PATIENCE_S)
    assert first.exitcode == 0


def test_a_killed_writer_blocks_nobody(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The kernel lets its lock go; the file that stays holds nobody up."""
    fresh = multiprocessing.get_context("spawn")
    held, free = fresh.Event(), fresh.Event()
    first = fresh.Process(target=hold, args=(tmp_path, held, free))
    first.start()
    assert held.wait(PATIENCE_S) and first.pid is not None
    os.kill(first.pid, signal.SIGKILL)
    first.join(PATIENCE_S)

    with lock.writing(tmp_path, tmp_path / "ours.parquet", wait_s=0.0):
        pass
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EACCES])
def test_a_folder_that_takes_no_lock_is_named(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A full disk or a folder of somebody else: said with the file that was to be written."""

    def refused(_: UnixFileLock) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(UnixFileLock, "_acquire", refused)
    with (
        pytest.raises(
            StoreError,
            match=rf"ours\.parquet cannot be written .*{os.strerror(number)}.*free space, or "
            r"choose another --runs",
        ),
        lock.writing(tmp_path, tmp_path / "ours.parquet"),
    ):
        pytest.fail("written without a lock")


def test_a_file_system_without_locks_is_written_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Some network shares have none: what could happen is said, and nobody is refused."""

    def refused(_: UnixFileLock) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(UnixFileLock, "_acquire", refused)
    with lock.writing(tmp_path, tmp_path / "ours.parquet"):
        pass
    assert "without locks" in capsys.readouterr().err
