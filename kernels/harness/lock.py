"""One measurement at a time: a lock per machine; a second run is refused, naming the first.

Each `kernels run` has its own file in a folder of the user and locks it while it or its worker
lives; the kernel then releases the lock, so one without a holder is stale however its owner ended.
Without locks in the file system, process id and start time decide. Runs of other users are not
seen, but their load is (`system.LoadMeter`).
"""

import contextlib
import errno
import fcntl
import hashlib
import json
import os
import platform
import secrets
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

from kernels.disk import text_of
from kernels.errors import MeasureError
from kernels.machine import processes

FOLDER: Final = "touchstone"

VARIABLE: Final = "TOUCHSTONE_LOCKS"
"""Environment variable with another folder."""

_HELD: Final = frozenset({errno.EAGAIN, errno.EACCES, errno.EWOULDBLOCK})


@dataclass(frozen=True, slots=True)
class Owner:
    """Another measurement: its run and process; None if only its worker is left."""

    pid: int | None
    run_id: str


@dataclass(slots=True)
class Lock:
    """Our own lock; without a file if there is no folder for it.

    Attributes:
        reason: Why there is no lock, if so.
    """

    path: Path | None = None
    reason: str | None = None
    _file: IO[bytes] | None = None

    def name(self, run_id: str) -> None:
        """Records which run is measured now."""
        if self._file is None:
            return
        said = processes.identity() | {"run_id": run_id}
        with contextlib.suppress(OSError):  # a full disk: the lock holds without a name
            self._file.seek(0)
            self._file.truncate()
            self._file.write(json.dumps(said).encode())
            self._file.flush()

    def descriptors(self) -> tuple[int, ...]:
        """Open files for the worker, which holds the lock with us and, if we die, after us."""
        return () if self._file is None else (self._file.fileno(),)

    def others(self) -> tuple[Owner, ...]:
        """Returns the other measurements on this machine."""
        return () if self.path is None else tuple(_live(self.path.parent, self.path))


@contextmanager
def held(*, together: bool = False, folder: Path | None = None) -> Iterator[Lock]:
    """Holds the machine while we measure.

    Raises:
        MeasureError: Another run is measured, and `together` is False.
    """
    try:
        lock = _taken(folder or place(), together=together)
    except OSError as error:
        lock = Lock(reason=f"no lock could be made: {error.strerror}")
    try:
        yield lock
    finally:
        if lock.path is not None:
            lock.path.unlink(missing_ok=True)
        if lock._file is not None:
            lock._file.close()


def owners() -> tuple[Owner, ...]:
    """Returns the measurements on this machine; takes no lock, which could refuse or mark a run."""
    return tuple(_live(place(), None))


def place() -> Path:
    """Returns the folder of the user's locks on this machine until the next boot.

    Below the home, not at a path from login variables: scheduled programs lack these, and with two
    folders two programs could measure at once.
    """
    if named := os.environ.get(VARIABLE):
        return Path(named)
    home = Path.home() / ".cache"
    if not os.access(home if home.is_dir() else home.parent, os.W_OK):
        home = Path(tempfile.gettempdir()) / f"{FOLDER}-{os.getuid()}"
    # another after each boot, when old locks are void
    machine = text_of(Path("/proc/sys/kernel/random/boot_id")) or platform.node()
    return home / FOLDER / hashlib.sha256(machine.encode()).hexdigest()[:12]


def _taken(folder: Path, *, together: bool) -> Lock:
    folder.mkdir(parents=True, exist_ok=True, mode=0o700)
    with (folder / ".guard").open("ab") as guard:
        _lock(guard, wait=True)  # two that start at once take turns
        others = list(_live(folder, None))
        if others and not together:
            raise MeasureError(refusal(others[0]))
        # containers may share the folder and the number
        path = folder / f"{os.getpid()}-{secrets.token_hex(4)}.lock"
        fresh = path.with_suffix(".new")
        file = fresh.open("wb+", buffering=0)
        _lock(file, wait=False)
        lock = Lock(path, None, file)
        lock.name("a run that is about to start")
        # before it is locked and named, it would look stale to others
        fresh.rename(path)
    return lock


def refusal(other: Owner) -> str:
    """Returns the message to the second run."""
    who = "" if other.pid is None else f" (process {other.pid})"
    return (
        f"{other.run_id} is being measured on this machine{who}, and two at once slow each other "
        "down: "
        "wait for it, stop it, or add --together to measure all the same and have the run marked"
    )


def _lock(file: IO[bytes], *, wait: bool) -> bool:
    """Locks an open file; returns False if it is held. Without locks nobody is refused."""
    try:
        fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
    except OSError as error:
        return error.errno not in _HELD
    return True


def _live(folder: Path, own: Path | None) -> Iterator[Owner]:
    """Yields the owners of locks in force; removes stale files."""
    for path in sorted(folder.glob("*.lock")):
        if path == own:
            continue
        try:
            with path.open("rb+") as file:
                said = _said(file.read())
                alive = processes.runs(said)
                if _lock(file, wait=False) and not alive:
                    path.unlink(missing_ok=True)
                    continue
        except OSError:
            continue
        # if the command was killed, its worker holds the lock until it notices
        yield Owner(said.get("pid") if alive else None, str(said.get("run_id", "another run")))


def _said(content: bytes) -> dict[str, Any]:
    try:
        said = json.loads(content)
    except ValueError:
        return {}
    return said if isinstance(said, dict) else {}
