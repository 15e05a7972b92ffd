"""`kernels compare` of two accelerators by their names."""

import json
from argparse import Namespace
from pathlib import Path

import pytest

from kernels.cli import compare
from kernels.errors import RecordError
from tests.makers import make_archive


def test_two_accelerators_are_compared_by_their_names(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """In either order with one sentence, that of their page on the site; and as JSON."""
    runs = make_archive(
        tmp_path, "imported/mlperf-v0.7-*.parquet", "imported/mlperf-v0.6-*.parquet"
    )
    asked = {"runs": runs, "a": "tpu-v3", "b": "NVIDIA V100"}

    compare.main(Namespace(**asked, json=False))
    compare.main(Namespace(runs=runs, a="V100", b="tpu-v3", json=False))
    one, other = [text for text in capsys.readouterr().out.splitlines() if "MLPerf" in text]
    compare.main(Namespace(**asked, json=True))
    told = json.loads(capsys.readouterr().out)

    assert one == other
    assert "TPU v3" in one and "V100" in one
    assert told["a"] == "tpu-v3"
    assert {record["workload"] for record in told["records"]} >= {"resnet50-imagenet"}


def test_two_without_a_shared_workload_are_refused(tmp_path: Path) -> None:
    """Nothing is said of what nobody trained."""
    runs = make_archive(tmp_path, "imported/mlperf-v0.6-*.parquet")

    with pytest.raises(RecordError, match="share no workload"):
        compare.main(Namespace(runs=runs, a="K80", b="tpu-v3", json=False))
