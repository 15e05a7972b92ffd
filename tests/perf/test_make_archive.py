"""Made archives: as many runs as wanted, and such as `kernels check` believes."""

from pathlib import Path

import pytest

from kernels import checks, store
from kernels.errors import Severity
from kernels.records import Origin
from tests.makers import RUNS
from tests.perf import make_archive


def test_made_runs_stand_a_check(tmp_path: Path) -> None:
    """Their figures follow from their own steps and epochs, their sources are there, none is told
    twice.
    """
    make_archive.make(tmp_path, 400)

    archive = store.read(tmp_path)
    made = [run for run in archive.runs if run.origin is not Origin.PUBLISHED]
    errors = [each for each in checks.check(archive) if each.severity is Severity.ERROR]
    assert len(archive.runs) == 400
    assert {run.origin for run in made} == {Origin.MEASURED, Origin.IMPORTED}
    assert sum(len(run.steps) for run in made if "-made" in run.run_id) > 1000
    assert errors == []


def test_the_same_number_makes_the_same_bytes(tmp_path: Path) -> None:
    """A draw that were another each time would make measures that nobody can repeat."""
    contents = []
    for folder in (tmp_path / "one", tmp_path / "two"):
        make_archive.make(folder, 170)
        contents.append([path.read_bytes() for path in sorted(folder.rglob("*.parquet"))])

    assert contents[0] == contents[1]


def test_an_archive_as_large_as_ours_is_ours(tmp_path: Path) -> None:
    """Nothing is made."""
    make_archive.make(tmp_path, make_archive.recorded())

    ours, made = (
        {path.relative_to(folder): path.read_bytes() for path in folder.rglob("*.parquet")}
        for folder in (RUNS, tmp_path)
    )
    assert made == ours


def test_what_is_chosen_is_the_least(tmp_path: Path) -> None:
    """What texts cite is among it; the answer says how many they are."""
    with pytest.raises(ValueError, match=r"chosen are \d+ runs, wanted 1: ask for as many"):
        make_archive.make(tmp_path, 1)
