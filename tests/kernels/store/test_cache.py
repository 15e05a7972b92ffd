"""The packed copy: fast, never wrong, never needed."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from kernels import store
from kernels.records import Phase, Run, Step
from kernels.store import cache, parquet, schema
from tests.makers import make_run, make_source


@pytest.fixture
def runs(tmp_path: Path) -> Path:
    """A folder with three runs and a source, each in its file."""
    for name in "abc":
        store.write(tmp_path / "runs" / "published" / f"{name}.parquet", [make_run(f"toy-{name}")])
    store.write(tmp_path / "runs" / "sources.parquet", [make_source()])
    return tmp_path / "runs"


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that are opened from here on."""
    names: list[str] = []
    really = parquet.opened

    def counted(path: Path) -> Any:
        names.append(path.name)
        return really(path)

    monkeypatch.setattr(store, "opened", counted)
    return names


def test_the_second_reading_opens_nothing(runs: Path, tmp_path: Path, opened: list[str]) -> None:
    """And finds the same."""
    first = store.read(runs, tmp_path / "cache")
    opened.clear()

    second = store.read(runs, tmp_path / "cache")

    assert opened == []
    assert second == first == store.read(runs)


def test_files_are_opened_some_at_a_time(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    """All of them, counted through, and all of them are copied."""
    whole = store.read(runs)
    monkeypatch.setattr(store, "TOGETHER", 3)
    heard: list[tuple[int, int]] = []

    first = store.read(runs, tmp_path / "cache", lambda done, all_: heard.append((done, all_)))

    opened.clear()
    assert first == whole == store.read(runs, tmp_path / "cache")
    assert opened == []
    assert heard == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_only_what_changed_is_opened(runs: Path, tmp_path: Path, opened: list[str]) -> None:
    """One file added, one made again, one gone."""
    store.read(runs, tmp_path / "cache")
    store.write(runs / "published" / "a.parquet", [make_run("toy-a", seed=7)])
    store.write(runs / "published" / "d.parquet", [make_run("toy-d")])
    (runs / "published" / "b.parquet").unlink()
    opened.clear()

    archive = store.read(runs, tmp_path / "cache")

    assert opened == ["a.parquet", "d.parquet"]
    assert [(run.run_id, run.seed) for run in archive.runs] == [
        ("toy-a", 7),
        ("toy-c", None),
        ("toy-d", None),
    ]
    opened.clear()
    assert store.read(runs, tmp_path / "cache") == archive
    assert opened == []


def test_a_file_of_the_same_size_is_told_by_its_time(runs: Path, tmp_path: Path) -> None:
    """Path and size alone would take the old figure for the new one."""
    path = runs / "published" / "a.parquet"
    sizes: dict[int, int] = {}
    for seed in range(1000):
        store.write(path, [make_run("toy-a", seed=seed)])
        size = path.stat().st_size
        if size in sizes:
            break
        sizes[size] = seed
    store.write(path, [make_run("toy-a", seed=sizes[size])])
    store.read(runs, tmp_path / "cache")
    store.write(path, [make_run("toy-a", seed=seed)])
    os.utime(path, ns=(1, 1))

    assert store.read(runs, tmp_path / "cache").runs[0].seed == seed


@pytest.mark.parametrize(
    "spoil",
    [
        lambda path: path.write_bytes(b""),
        lambda path: path.write_bytes(path.read_bytes()[:100]),
        lambda path: path.write_bytes(os.urandom(5000)),
        lambda path: path.write_bytes(
            parquet.parquet_bytes(schema.TABLES[Run].arrow.empty_table(), {})
        ),
        lambda path: (path.unlink(), path.mkdir()),
    ],
)
def test_a_damaged_copy_is_made_anew_without_a_word(
    spoil: Callable[[Path], object], runs: Path, tmp_path: Path
) -> None:
    """The recorded files are what counts."""
    before = store.read(runs, tmp_path / "cache")
    for path in (tmp_path / "cache").iterdir():
        spoil(path)

    assert store.read(runs, tmp_path / "cache") == before
    assert store.read(runs, tmp_path / "cache") == before


def test_a_copy_of_another_schema_is_made_anew(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    """A column added to the records must not be missing from the copy."""
    before = store.read(runs, tmp_path / "cache")
    monkeypatch.setattr(cache, "SCHEMA_VERSION", "1.99")
    opened.clear()

    assert store.read(runs, tmp_path / "cache") == before
    assert len(opened) == 4


def test_a_damaged_file_is_tried_again_each_time(runs: Path, tmp_path: Path) -> None:
    """Its problem does not vanish because the others were packed."""
    (runs / "published" / "b.parquet").write_bytes(b"PAR1")

    first, second = (store.read(runs, tmp_path / "cache") for _ in range(2))

    assert first == second
    assert [problem.path.name for problem in second.problems] == ["b.parquet"]


def test_two_folders_may_share_a_cache(runs: Path, tmp_path: Path) -> None:
    """The same names in another folder are other files."""
    other = tmp_path / "other"
    store.write(other / "published" / "a.parquet", [make_run("toy-z")])
    os.utime(other / "published" / "a.parquet", ns=(1, 1))
    os.utime(runs / "published" / "a.parquet", ns=(1, 1))

    for _ in range(2):
        assert len(store.read(runs, tmp_path / "cache").runs) == 3
        assert [run.run_id for run in store.read(other, tmp_path / "cache").runs] == ["toy-z"]


def test_a_cache_below_the_runs_is_not_read_as_runs(runs: Path) -> None:
    """It may lie anywhere."""
    for _ in range(2):
        archive = store.read(runs, runs / ".cache")
        assert (len(archive.runs), archive.problems) == (3, ())


def test_a_cache_that_cannot_be_written_costs_time_alone(runs: Path, tmp_path: Path) -> None:
    """A file stands where its folder should be."""
    (tmp_path / "cache").write_text("in the way")

    assert store.read(runs, tmp_path / "cache") == store.read(runs)


def test_what_is_decoded_later_is_what_was_written(tmp_path: Path) -> None:
    """Each run has its own steps, whichever is asked first, and equals the one that was written."""
    made = [
        make_run(f"toy-{count}", steps=[Step(n, Phase.MEASURE, n, 1.0) for n in range(count)])
        for count in range(70)
    ]
    store.write(tmp_path / "runs" / "published" / "many.parquet", made)
    before = store.read(tmp_path / "runs", tmp_path / "cache").runs

    found = store.read(tmp_path / "runs", tmp_path / "cache").runs

    assert [len(run.steps) for run in reversed(found)] == [len(run.steps) for run in before[::-1]]
    assert found == before and {len(run.steps) for run in found} == {*range(70)}
    assert found[0].epochs == () and not hasattr(found[0], "nothing")


def test_large_files_are_not_copied(
    runs: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, opened: list[str]
) -> None:
    """They are opened in one go anyway, and would lie on the disk twice."""
    monkeypatch.setattr(store, "SMALL", 0)

    for _ in range(2):
        opened.clear()
        assert len(store.read(runs, tmp_path / "cache").runs) == 3
        assert len(opened) == 4


def test_an_empty_folder_empties_the_copy(runs: Path, tmp_path: Path) -> None:
    """What is gone is gone."""
    store.read(runs, tmp_path / "cache")
    for path in [*runs.rglob("*.parquet")]:
        path.unlink()

    assert store.read(runs, tmp_path / "cache") == store.Archive()
    assert list((tmp_path / "cache").iterdir()) == []
