"""One measurement at a time: a second is refused with the first's run; stale locks go."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from kernels.errors import MeasureError
from kernels.harness import lock
from tests.patience import started

HOLD = (
    "import sys, time; from pathlib import Path; from kernels.harness import lock\n"
    "with lock.held(folder=Path(sys.argv[1]), together=True) as mine:\n"
    "    mine.name('digits-cnn-other-1'); print('held', flush=True); time.sleep(3600)\n"
)


@pytest.fixture
def other(tmp_path: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Another command that measures."""
    with started([sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None and process.stdout.readline() == b"held\n"
        yield process


def end(process: subprocess.Popen[bytes]) -> None:
    """As the kernel would."""
    process.kill()
    process.communicate()


def test_a_second_run_is_refused_with_the_first_ones_name(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    """And with what to do; allowed together, both know of each other."""
    with (
        pytest.raises(
            MeasureError, match=rf"digits-cnn-other-1 .*\(process {other.pid}\).*--together"
        ),
        lock.held(folder=tmp_path),
    ):
        pass
    with lock.held(folder=tmp_path, together=True) as mine:
        names = [each.run_id for each in mine.others()]

    assert names == ["digits-cnn-other-1"]


def test_the_lock_of_a_killed_command_is_stale(
    tmp_path: Path, other: subprocess.Popen[bytes]
) -> None:
    """Its file is there still; the next one takes no notice and removes it."""
    end(other)
    left = list(tmp_path.glob("*.lock"))

    with lock.held(folder=tmp_path) as mine:
        others = mine.others()

    assert len(left) == 1 and not others
    assert not list(tmp_path.glob("*.lock"))


def test_a_lock_lives_on_in_the_worker(tmp_path: Path) -> None:
    """A command is killed, its worker not: the machine is not free, and no dead one is named."""
    with lock.held(folder=tmp_path) as mine:
        mine.name("digits-cnn-orphan-1")
        worker = subprocess.Popen(
            [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, pass_fds=mine.descriptors()
        )
        content = next(tmp_path.glob("*.lock")).read_bytes()
        path = tmp_path / "left.lock"
        next(tmp_path.glob("*.lock")).rename(path)
    dead = json.loads(content) | {"pid": 2**22 - 7}
    path.write_bytes(json.dumps(dead).encode())

    with (
        pytest.raises(
            MeasureError, match="digits-cnn-orphan-1 is being measured on this machine, and"
        ),
        lock.held(folder=tmp_path),
    ):
        pass
    worker.communicate(b"\n")
    with lock.held(folder=tmp_path):
        pass


def test_a_lock_is_not_seen_before_it_holds(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever asks for the others just then would take it for a stale one and remove it."""
    plain = lock._lock
    seen: list[str] = []

    def slow(file: IO[bytes], *, wait: bool) -> bool:
        seen.extend(path.name for path in tmp_path.glob("*.lock"))
        return plain(file, wait=wait)

    monkeypatch.setattr(lock, "_lock", slow)
    with lock.held(folder=tmp_path) as mine:
        assert mine.path is not None and mine.path.exists()

    assert not seen and [path.name for path in tmp_path.iterdir()] == [".guard"]


def test_nonsense_in_the_folder_stops_nobody(tmp_path: Path) -> None:
    """A file that is no lock of ours is stale, since nobody holds it."""
    for name, content in (
        ("a.lock", b""),
        ("b.lock", b"[]"),
        ("c.lock", b"\xff{"),
        ("d.lock", b'{"pid": "x"}'),
    ):
        (tmp_path / name).write_bytes(content)

    with lock.held(folder=tmp_path) as mine:
        assert mine.others() == ()


def test_without_a_folder_one_measures_all_the_same(tmp_path: Path) -> None:
    """And the lock says why there is none."""
    (tmp_path / "file").touch()

    with lock.held(folder=tmp_path / "file" / "below") as mine:
        mine.name("x")

        assert mine.reason is not None and mine.descriptors() == () and mine.others() == ()


def test_each_machine_has_a_folder_of_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Below the user's home, which machines may share; a login and its names change nothing."""
    monkeypatch.delenv(lock.VARIABLE)
    monkeypatch.setenv("XDG_RUNTIME_DIR", "/run/user/1")
    monkeypatch.setenv("XDG_CACHE_HOME", "/of/a/login")
    monkeypatch.setenv("HOME", str(tmp_path))

    assert lock.place().parent == tmp_path / ".cache" / "touchstone"
    assert len(lock.place().name) == 12
