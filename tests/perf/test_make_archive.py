"""Archives out of what is recorded: as many runs as wanted, and such as `kernels check` believes."""

from pathlib import Path

import pytest

from kernels import checks, store
from kernels.errors import Severity
from kernels.records import Origin
from tests.makers import RUNS
from tests.perf import make_archive


def _contents(folder: Path) -> dict[Path, bytes]:
    return {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}


def test_an_archive_of_some_runs_stands_a_check(tmp_path: Path) -> None:
    """Their sources are there, none is told twice, and all origins are; the same number makes the
    same bytes: a draw that were another each time would make measures that nobody can repeat.
    """
    for folder in ("one", "two"):
        make_archive.make(tmp_path / folder, 400)

    archive = store.read(tmp_path / "one")
    errors = [each for each in checks.check(archive) if each.severity is Severity.ERROR]
    assert len(archive.runs) == 400
    assert {run.origin for run in archive.runs} == {*Origin} - {Origin.SUBMITTED}
    assert sum(len(run.steps) for run in archive.runs) > 1000
    assert errors == []
    assert _contents(tmp_path / "one") == _contents(tmp_path / "two")


def test_an_archive_as_large_as_ours_is_ours(tmp_path: Path) -> None:
    """Nothing is left out."""
    make_archive.make(tmp_path, make_archive.recorded())

    assert _contents(tmp_path) == _contents(RUNS)


def test_what_is_chosen_is_the_least_and_what_is_recorded_the_most(tmp_path: Path) -> None:
    """What texts cite is among it; the answer says how many they are."""
    for wanted in (1, make_archive.recorded() + 1):
        with pytest.raises(ValueError, match=rf"found \d+ chosen of \d+ runs, wanted {wanted}"):
            make_archive.make(tmp_path, wanted)
