"""Writes files whole or not at all, and names the path at which a disk was full."""

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
"""Errors of a full disk, or a user's full quota."""

NO_LINKS: Final = frozenset(
    {errno.EPERM, errno.ENOSYS, errno.EOPNOTSUPP, errno.EMLINK, errno.EXDEV}
)
"""Errors of file systems without hard links, or for this one."""


class FullDiskError(TouchstoneError):
    """A disk has no room for a file, which the error names."""


@contextmanager
def named(path: Path, advice: str = "free space there, then do this again") -> Iterator[None]:
    """Names the file or folder that a full disk had no room for, and what to do.

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
    """Returns a kernel file's stripped text; empty if it cannot be read."""
    try:
        return path.read_text(errors="replace").strip()
    except OSError:
        return ""


def free_bytes(folder: Path) -> int | None:
    """Returns the free bytes on the disk of a folder that may not exist yet; None if unknown."""
    there = next((each for each in (folder, *folder.absolute().parents) if each.is_dir()), None)
    return None if there is None else disk_usage(there).free


def explained(error: OSError) -> str:
    """Returns the message for a full disk, where no file is known."""
    where = error.filename or f"the output, or a file in {gettempdir()}"
    return f"{where} cannot be written ({error.strerror}): free space there, then do this again"


def put(path: Path, content: bytes, *, replace: bool = True, durable: bool = True) -> None:
    """Writes a temporary file and renames it: readers never see a part, a crash loses nothing.

    Without `durable`, a power cut may lose the file. A name that is taken raises FileExistsError
    unless `replace`; a failed write leaves nothing.
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
    """Flushes the names in a folder to the disk, so that a power cut does not lose them."""
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def _add(temporary: Path, path: Path) -> None:
    """Renames a file in one step unless the name is taken."""
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
