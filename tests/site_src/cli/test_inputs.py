"""What a build reads, after one that read something else."""

import shutil
from datetime import date
from pathlib import Path

from site_src.cli.inputs import Order, read
from site_src.model import BuildOptions
from tests.makers import RUNS


def test_a_file_of_runs_may_go_between_builds(tmp_path: Path) -> None:
    """The others are known by the digests that they had."""
    runs = tmp_path / "runs"
    (runs / "measured").mkdir(parents=True)
    several = sorted((RUNS / "measured").glob("digits-cnn-cpu-*.parquet"))[:2]
    for file in several:
        shutil.copy2(file, runs / "measured")
    options = BuildOptions(
        built=date(2026, 11, 20), out=tmp_path / "site", cache=tmp_path / "cache"
    )
    order = Order(runs, ("en",), options, state="of this code")

    both = read(order).evidence.archive.runs
    (runs / "measured" / several[0].name).unlink()
    one = read(order).evidence.archive.runs

    assert (len(both), len(one)) == (2, 1)
