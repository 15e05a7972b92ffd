"""Older files become files of today: whole, once, and nothing that was recorded is lost."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from kernels import __main__ as commands
from kernels import store
from kernels.records import Run, Stat, Status
from kernels.store import parquet
from kernels.store.schema import SCHEMA_VERSION
from tests.kernels.store.test_lift import old


def recorded(runs: Path, run: Run, version: str = "1.3") -> Path:
    """The run in a file of an older version."""
    path = runs / "measured" / f"{run.run_id}.parquet"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(parquet, "SCHEMA_VERSION", version)
        store.write(path, [run])
    return path


def test_an_older_file_becomes_one_of_today_and_says_what_changed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The throughput is the window's, the steps those recorded; again it changes no byte."""
    run = old([0.5] * 20 + [10.0])
    path = recorded(tmp_path, run)

    assert commands.main(["migrate", "--runs", str(tmp_path)]) == 0
    said = capsys.readouterr().out
    (now,) = store.read_file(path)
    content = path.read_bytes()

    assert "measured/toy.parquet: schema 1.3 to 1.4" in said
    assert (
        "toy: throughput_images_per_s was 20 images/s, median of 21, is 10.5 images/s (" in said
        and "), mean of 21" in said
    )
    assert (
        "toy: warning uneven is added" in said
        and "1 file lifted; of schema 1.4 or newer already: 0" in said
    )
    assert (
        parquet.version_of(path) == SCHEMA_VERSION
        and now.steps == run.steps
        and now.metric("step_time_s") == run.metric("step_time_s")
    )
    assert commands.main(["migrate", "--runs", str(tmp_path)]) == 0
    assert "0 files lifted; of schema 1.4 or newer already: 1" in capsys.readouterr().out
    assert path.read_bytes() == content


def test_an_older_file_reads_as_of_today_before_it_is_migrated(tmp_path: Path) -> None:
    """No reader of the folder takes one meaning for the other; the file is what it was."""
    path = recorded(tmp_path, old([0.5] * 20 + [10.0]))
    before = store.read(tmp_path).runs
    (raw,) = store.read_file(path)
    commands.main(["migrate", "--runs", str(tmp_path)])

    assert [metric.stat for metric in raw.metrics] == [Stat.MEDIAN] * 2
    assert store.read(tmp_path).runs == before == store.read_file(path)


def test_a_dry_run_writes_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """And says all the same, as JSON too."""
    path = recorded(tmp_path, old([0.5]))
    content = path.read_bytes()

    assert commands.main(["migrate", "--runs", str(tmp_path), "--dry-run", "--json"]) == 0
    (record,) = (answer := json.loads(capsys.readouterr().out))["records"]

    assert path.read_bytes() == content and answer["written"] is False
    assert record["file"] == "measured/toy.parquet"
    assert record["from"] == "1.3"
    assert record["to"] == SCHEMA_VERSION
    left, unfinished = record["changes"]
    assert (
        left
        == "toy: throughput_images_per_s was 20 images/s, median of 1, and is left out: one timed "
        "step is no measurement"
    )
    assert unfinished.startswith("toy: status was ok, is unfinished: one step was timed")


def test_a_crash_leaves_each_file_as_it_was_or_as_it_is_to_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Stopped while the second of three takes its name; the same command does the rest."""
    paths = [recorded(tmp_path, replace(old([0.5] * 20), run_id=name)) for name in ("a", "b", "c")]
    before = [path.read_bytes() for path in paths]
    replaced: list[Path] = []
    real = Path.replace

    def second_fails(self: Path, target: Path) -> Path:
        replaced.append(target)
        if len(replaced) == 2:
            raise KeyboardInterrupt
        return real(self, target)

    monkeypatch.setattr(Path, "replace", second_fails)
    assert commands.main(["migrate", "--runs", str(tmp_path)]) == 130
    monkeypatch.undo()
    after = [path.read_bytes() for path in paths]

    assert [now == then for now, then in zip(after, before, strict=True)] == [False, True, True]
    assert sorted(path.name for path in (tmp_path / "measured").iterdir()) == [
        "a.parquet",
        "b.parquet",
        "c.parquet",
    ]
    assert commands.main(["migrate", "--runs", str(tmp_path)]) == 0
    assert [run.run_id for run in store.read(tmp_path).runs] == ["a", "b", "c"]
    assert all(parquet.version_of(path) == SCHEMA_VERSION for path in paths)


def test_a_damaged_file_is_named_and_stays(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The others are lifted, and the command says that it could not do all."""
    whole, broken = recorded(tmp_path, old([0.5, 0.5])), tmp_path / "measured" / "broken.parquet"
    broken.write_bytes(damaged := whole.read_bytes()[:-9])

    assert commands.main(["migrate", "--runs", str(tmp_path)]) == 1
    said = capsys.readouterr().out

    assert (
        f"error: {broken}: is damaged" in said
        and "1 file lifted; of schema 1.4 or newer already: 0; could not be lifted: 1" in said
    )
    assert broken.read_bytes() == damaged and parquet.version_of(whole) == SCHEMA_VERSION
    assert store.read_file(whole)[0].status is Status.OK


def test_a_newer_file_is_left_to_a_newer_reader(tmp_path: Path) -> None:
    """What this one does not know would be lost."""
    path = recorded(tmp_path, old([0.5] * 20), "1.99")
    content = path.read_bytes()

    assert commands.main(["migrate", "--runs", str(tmp_path)]) == 0
    assert path.read_bytes() == content
