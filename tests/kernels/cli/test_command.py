"""What commands share: reading what is recorded, in less time than pandas takes to be imported."""

import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from kernels import store
from kernels.cli import command
from tests.makers import make_run

RUNS = (
    make_run("a", started_at=datetime(2026, 11, 20, 5, 6, 7, 89, UTC), augmentation=True),
    make_run("b", started_at=datetime(1969, 12, 31, tzinfo=UTC), augmentation=False),
)


def test_the_checkouts_own_runs_are_kept_packed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Read twice they are the same; of another folder nothing is kept."""
    for place in ("own", "other"):
        store.write(tmp_path / place / "runs.parquet", RUNS)
    monkeypatch.setattr(command, "RUNS", tmp_path / "own")
    monkeypatch.setattr(command, "CACHE", tmp_path / "cache")

    other = command.archive(tmp_path / "other")
    assert not (tmp_path / "cache").exists()
    found = [command.archive(tmp_path / "own") for _ in range(2)]

    assert other.runs == found[0].runs == found[1].runs == RUNS
    assert len(list((tmp_path / "cache").iterdir())) == 1


def test_reading_does_without_pandas(tmp_path: Path) -> None:
    """Its import takes longer than `show`; a run has numbers, truth values, times and texts."""
    store.write(tmp_path / "runs.parquet", RUNS)
    code = (
        "import sys; from kernels.__main__ import main; main(['show', 'a', '--runs', sys.argv[1]]); "
        "assert 'pandas' not in sys.modules"
    )

    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path)], check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
    assert "2026-11-20 05:06:07 UTC" in done.stdout
