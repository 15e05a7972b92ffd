"""Importing: what is new is merged in, what is there stays, and memory holds a few parts."""

from pathlib import Path

import pytest

from kernels import importing, store
from kernels.errors import SourceError
from kernels.importers import FORMATS, mlperf
from kernels.importers.base import Part
from kernels.importing import Change
from kernels.records import Run

LOG = """:::MLLOG {{"time_ms": 1000, "key": "run_start", "value": null}}
:::MLLOG {{"time_ms": {end}, "key": "eval_accuracy", "value": 0.8, "metadata": {{"epoch_num": 1}}}}
:::MLLOG {{"time_ms": {end}, "key": "run_stop", "value": null, "metadata": {{"status": "success"}}}}
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Two logs of one benchmark, as a round's repository has them."""
    here = tmp_path / "training_results_v0.7" / "Toyco" / "results" / "toy" / "resnet"
    here.mkdir(parents=True)
    for index in range(2):
        (here / f"result_{index}.txt").write_text(LOG.format(end=(index + 2) * 60_000))
    return tmp_path / "training_results_v0.7"


def imported(path: Path, runs: Path, *, dry: bool = False, jobs: int = 1) -> list[Change]:
    """What became of each file of runs."""
    changes = []
    for _, outcome in importing.outcomes("mlperf", list(mlperf.parts(path, {})), jobs):
        assert not isinstance(outcome, SourceError), outcome
        changes += [kept.change for kept in importing.keep(outcome, runs, dry=dry) if kept.kind == "run"]
    return changes


def recorded(runs: Path) -> tuple[Run, ...]:
    """All runs below a folder, without problems."""
    archive = store.read(runs)
    assert archive.problems == ()
    return archive.runs


def test_one_log_and_its_folder_make_the_same_file(folder: Path, tmp_path: Path) -> None:
    """A log by itself lands beside the others of its benchmark, and importing the folder afterwards adds what is missing."""
    one = next(folder.rglob("result_1.txt"))

    assert imported(one, tmp_path / "runs") == [Change.WRITTEN]
    assert imported(folder, tmp_path / "runs") == [Change.WRITTEN]
    assert imported(one, tmp_path / "runs") == [Change.UNCHANGED]
    assert imported(folder, tmp_path / "whole") == [Change.WRITTEN]

    assert recorded(tmp_path / "runs") == recorded(tmp_path / "whole")
    assert len(recorded(tmp_path / "whole")) == 2


def test_a_corrected_log_replaces_its_run_and_no_other(folder: Path, tmp_path: Path) -> None:
    """What is no longer there stays recorded: an import adds and corrects, it never drops."""
    imported(folder, tmp_path / "runs")
    next(folder.rglob("result_0.txt")).unlink()
    next(folder.rglob("result_1.txt")).write_text(LOG.format(end=999_000))

    imported(folder, tmp_path / "runs")

    assert [run.wall_time_s for run in recorded(tmp_path / "runs")] == [119.0, 998.0]


def test_a_dry_run_writes_nothing(folder: Path, tmp_path: Path) -> None:
    """And says what would be written."""
    assert imported(folder, tmp_path / "runs", dry=True) == [Change.WOULD_BE_WRITTEN]
    assert not (tmp_path / "runs").exists()


def test_a_damaged_file_is_made_again(folder: Path, tmp_path: Path) -> None:
    """Importing mends what a disk broke."""
    imported(folder, tmp_path / "runs")
    (path,) = (tmp_path / "runs" / "imported").glob("*resnet.parquet")
    path.write_bytes(b"PAR1")

    assert imported(folder, tmp_path / "runs") == [Change.WRITTEN]
    assert len(recorded(tmp_path / "runs")) == 2


def test_processes_read_the_same(folder: Path, tmp_path: Path) -> None:
    """Two processes give what one gives, in the order of the parts."""
    other = folder / "Toyco" / "results" / "toy" / "ssd"
    other.mkdir()
    (other / "result_0.txt").write_text(LOG.format(end=5000))

    imported(folder, tmp_path / "one")
    imported(folder, tmp_path / "two", jobs=2)

    assert recorded(tmp_path / "one") == recorded(tmp_path / "two")


def test_a_file_that_cannot_be_read_is_refused_by_name() -> None:
    """Neither a traceback nor silence."""
    ((_, outcome),) = importing.outcomes("mlperf", [Part("gone", (Path("/gone/result_0.txt"),))], 1)

    assert isinstance(outcome, SourceError)
    assert "/gone/result_0.txt" in str(outcome)


def test_every_format_has_its_line_of_help() -> None:
    """What `--help` says of each."""
    assert all(importer.SUMMARY and not importer.SUMMARY.endswith(".") for importer in FORMATS.values())
