"""Files put in place whole or not at all, and a full disk named with the path that found it
full.
"""

import errno
import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from shutil import disk_usage
from tempfile import gettempdir
from typing import Final

from kernels.errors import TouchstoneError

FULL: Final = frozenset({errno.ENOSPC, errno.EDQUOT})
"""The disk has no room, or its user may take no more of it."""

NO_LINKS: Final = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV}
)
"""The file system gives no file a second name, or not this one."""


class FullDiskError(TouchstoneError):
    """There is no room for a file; names it."""


@contextmanager
def named(path: Path, advice: str = "free space there, then do this again") -> Iterator[None]:
    """Say which file or folder a full disk had no room for, and what to do.

    Raises:
        FullDiskError: The block found the disk full.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise FullDiskError(f"{path} cannot be written ({error.strerror}): {advice}") from error


def text_of(path: Path) -> str:
    """A file of the kernel as text without blanks around it; empty where it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def free_bytes(folder: Path) -> int | None:
    """Room on the disk of a folder that may not be there yet; None where nobody can say."""
    there = next((each for each in (folder, *folder.absolute().parents) if each.is_dir()), None)
    return None if there is None else disk_usage(there).free


def explained(error: OSError) -> str:
    """A full disk in words, where nobody nearer to the file has named it."""
    where = error.filename or f"the output, or a file in {gettempdir()}"
    return f"{where} cannot be written ({error.strerror}): free space there, then do this again"


def put(path: Path, content: bytes, *, replace: bool = True, durable: bool = True) -> None:
    """Write beside, then rename: no reader sees a part of it, no crash loses what was there.

    Not `durable` is what is made again where a power cut takes it. A name that is taken raises
    FileExistsError unless `replace`; of a failed write nothing is left.
    """
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}.tmp")
    try:
        with temporary.open("xb") as file:
            file.write(content)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if replace:
            temporary.replace(path)
        else:
            _add(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    if durable:
        remember(path.parent)


def remember(folder: Path) -> None:
    """Bring the names in a folder to the disk, which a power cut forgets."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _add(temporary: Path, path: Path) -> None:
    """Give a file its name unless that is taken, in one step."""
    try:
        os.link(temporary, path)
    except OSError as error:
        if error.errno not in NO_LINKS:
            raise
        # A file system without links: claim the name first, then fill it.
        path.open("xb").close()
        temporary.replace(path)
    else:
        temporary.unlink()
