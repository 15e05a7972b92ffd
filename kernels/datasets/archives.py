"""Extracts named files from a package: a gzipped tar (npm), a wheel (PyPI), a Debian package.

Only requested members are read, and written under the caller's names, so paths, links and owners in
an archive have no effect.
"""

import io
import lzma
import tarfile
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO, Final

from kernels.errors import FetchError

LARGEST: Final = 2**30
"""Most bytes of a member; no file that we know has more."""

_CHUNK: Final = 2**20
_AR: Final = b"!<arch>\n"
_AR_HEAD: Final = 60


def take(
    package: Path,
    members: Mapping[str, str],
    into: Path,
    progress: Callable[[int], None] = lambda _: None,
) -> None:
    """Writes each wanted member into a folder under its new name; `progress` is told bytes written.

    Raises:
        FetchError: The package cannot be read, lacks a member, or a member is no regular file.
    """
    waiting = set(members)
    try:
        for name, content in _files(package, members):
            if name not in waiting:
                raise FetchError(f"{package.name}: holds {name} twice, wanted it once")
            waiting.remove(name)
            _write(content, into / members[name], f"{package.name}: {name}", progress)
    except (tarfile.TarError, zipfile.BadZipFile, lzma.LZMAError, zlib.error, EOFError) as error:
        raise FetchError(f"{package.name}: cannot be unpacked ({error}); fetch it again") from error
    if waiting:
        raise FetchError(
            f"{package.name}: holds no {', '.join(sorted(waiting))}; it is not the package that we "
            "know"
        )


def _files(package: Path, wanted: Mapping[str, str]) -> Iterator[tuple[str, IO[bytes]]]:
    if zipfile.is_zipfile(package):
        with zipfile.ZipFile(package) as archive:
            for info in archive.infolist():
                if info.filename in wanted:
                    with archive.open(info) as content:
                        yield info.filename, content
        return
    with package.open("rb") as file:
        start = file.read(len(_AR))
        file.seek(0)
        stream: IO[bytes] = _data_of_deb(file, package.name) if start == _AR else file
        with tarfile.open(fileobj=stream, mode="r|*") as tar:
            for member in tar:
                name = member.name.removeprefix("./")
                if name not in wanted:
                    continue
                content_of = tar.extractfile(member) if member.isreg() else None
                if content_of is None:
                    raise FetchError(
                        f"{package.name}: {name} is no plain file; it is not the package that we "
                        "know"
                    )
                yield name, content_of


def _data_of_deb(file: IO[bytes], name: str) -> IO[bytes]:
    file.seek(len(_AR))
    while len(head := file.read(_AR_HEAD)) == _AR_HEAD:
        member, size = (
            head[:16].decode("ascii", "replace").strip().rstrip("/"),
            head[48:58].decode("ascii", "replace").strip(),
        )
        if not size.isdigit():
            break
        if member.startswith("data.tar"):
            return io.BytesIO(file.read(int(size)))
        file.seek(int(size) + int(size) % 2, io.SEEK_CUR)
    raise FetchError(f"{name}: no data.tar in it; it is no Debian package")


def _write(content: IO[bytes], target: Path, where: str, progress: Callable[[int], None]) -> None:
    written = 0
    with target.open("xb") as file:
        while chunk := content.read(_CHUNK):
            written += len(chunk)
            if written > LARGEST:
                raise FetchError(
                    f"{where} is larger than {LARGEST} bytes; it is not the package that we know"
                )
            file.write(chunk)
            progress(len(chunk))
