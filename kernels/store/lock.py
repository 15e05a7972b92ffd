"""One writer at a time: a lock held while a recorded file is read, changed and put back.

It locks a whole folder of runs, since a run may move from one file to another. The kernel releases
it with its holder, however that ends, so the lock's file stays and means nothing by itself.
"""

import errno
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from filelock import FileLock, Timeout
from tqdm import tqdm

from kernels.errors import StoreError

NAME: Final = ".lock"
"""Name in the folder of runs; it is in `.gitignore`."""

WAIT_S: Final = 60.0
"""Seconds after which waiting is given up: merging the largest file takes seconds."""

SHORT_S: Final = 1.0
"""Seconds of silent waiting: most changes take less."""

_NO_LOCKS: Final = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP})


@contextmanager
def writing(runs: Path, path: Path, wait_s: float = WAIT_S) -> Iterator[None]:
    """Locks the folder of runs while a file of it is read, changed and put back.

    A waiting process prints that, and gives up with a StoreError after `wait_s`.
    """
    lock = FileLock(runs / NAME)
    try:
        runs.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(timeout=min(SHORT_S, wait_s))
        except Timeout:
            _aside(
                f"another command writes below {runs}: waiting for it, {wait_s:.0f} s at most, "
                f"before {path.name} is written"
            )
            lock.acquire(timeout=wait_s)
    except Timeout as error:
        raise StoreError(
            f"{path} was not written: another command has been writing below {runs} for "
            f"{wait_s:.0f} s; wait for it or stop it, then do "
            f"this again (whoever holds {runs / NAME} is the one)"
        ) from error
    except OSError as error:
        if error.errno not in _NO_LOCKS:
            reason = (
                f"{path} cannot be written ({runs / NAME}: {error.strerror or error}); "
                "nothing was recorded"
            )
            raise StoreError(f"{reason}: free space, or choose another --runs") from error
        _aside(
            f"{runs} lies on a file system without locks: let no second command write there "
            "meanwhile"
        )
    try:
        yield
    finally:
        lock.release()


def _aside(text: str) -> None:
    tqdm.write(text, file=sys.stderr)
