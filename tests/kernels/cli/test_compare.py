"""`kernels compare` of two accelerators by their names."""

import json
import re
from argparse import Namespace
from pathlib import Path

import pytest

from kernels.cli import compare
from kernels.errors import RecordError
from tests.makers import make_archive

KEYS = {"a", "b", "records", "sources", "bridge"}
"""Of what is said of two as JSON, whatever they have in common."""


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
    assert (told.keys(), told["sources"], told["bridge"]) == (KEYS, [], None)
    assert told["a"] == "tpu-v3"
    assert {record["workload"] for record in told["records"]} >= {"resnet50-imagenet"}


def test_a_part_of_a_name_means_the_one_with_results(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of all TPUs that which trained what the other one did; a word is none within another."""
    runs = make_archive(tmp_path, "imported/mlperf-v0.6-*.parquet")

    compare.main(Namespace(runs=runs, a="V100", b="TPU", json=True))
    told = json.loads(capsys.readouterr().out)

    assert told["a"] == "tpu-v3" and told["b"].startswith("v100") and told["records"]
    with pytest.raises(RecordError, match="no run has this id"):
        compare.main(Namespace(runs=runs, a="V100", b="PU", json=True))


@pytest.mark.parametrize(
    ("a", "b"), [("V100-SXM2-16GB", "TPU"), ("TPU", "V100"), ("cloud-tpu-v3-32", "V100")]
)
def test_of_several_the_one_with_most_results_is_meant(
    a: str, b: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Not the TPU v2, whose name comes first; beside a system likewise."""
    runs = make_archive(
        tmp_path, "imported/mlperf-v0.5-*.parquet", "imported/mlperf-v0.6-*.parquet"
    )

    compare.main(Namespace(runs=runs, a=a, b=b, json=True))
    told = json.loads(capsys.readouterr().out)

    assert {"tpu-v3", "cloud-tpu-v3-32"} & {told["a"], told["b"]} and told["records"]


def test_two_without_a_shared_workload_are_refused(tmp_path: Path) -> None:
    """Nothing is said of what nobody trained."""
    runs = make_archive(tmp_path, "imported/mlperf-v0.6-*.parquet")

    with pytest.raises(RecordError, match="share no workload"):
        compare.main(Namespace(runs=runs, a="K80", b="tpu-v3", json=False))


def test_two_systems_are_compared_as_wholes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Whatever their numbers of accelerators, by their ids."""
    runs = make_archive(tmp_path, "imported/mlperf-v0.6-*.parquet")

    compare.main(Namespace(runs=runs, a="google-tpu-v3-256", b="cloud-tpu-v3-32", json=False))
    first, *rows = capsys.readouterr().out.splitlines()

    assert first.startswith("google-tpu-v3-256 trained ")
    assert "times as fast as Cloud TPU v3-32 " in first
    assert any("16 / 128" in row and "times as fast (" in row for row in rows)


@pytest.mark.parametrize(
    ("kind", "said"),
    [
        (
            "V100-SXM2-16GB",
            r"GNMT took [\d.]+ min on Cloud TPU v3-32 and [\d.]+ min on 8 V100 SXM2",
        ),
        ("V100-SXM3-32GB-H", r"16 V100 SXM3 .* trained .* times as fast as Cloud TPU v3-32 "),
    ],
)
def test_an_accelerator_beside_a_system_has_its_number(
    kind: str, said: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The system has it in its name."""
    runs = make_archive(tmp_path, "imported/mlperf-v0.6-*.parquet")

    compare.main(Namespace(runs=runs, a="cloud-tpu-v3-32", b=f"Tesla {kind}", json=False))

    assert re.match(said, capsys.readouterr().out)


def test_two_without_a_shared_workload_are_compared_by_way_of_a_third(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As an indirect ratio, the product of the two below it; the same in the other order."""
    runs = make_archive(
        tmp_path,
        *(
            f"imported/mlperf-{name}*.parquet"
            for name in ("v3.1-runs", "v3.1-sources", "v4.1-runs", "v4.1-sources")
        ),
    )

    compare.main(Namespace(runs=runs, a="A10G", b="H100 NVL", json=False))
    said = capsys.readouterr().out
    compare.main(Namespace(runs=runs, a="h100-nvl", b="a10g", json=False))
    other = capsys.readouterr().out
    compare.main(Namespace(runs=runs, a="a10g", b="h100-nvl", json=True))
    told = json.loads(capsys.readouterr().out)

    assert said.startswith("Indirectly, via ")
    assert other.splitlines()[0] == said.splitlines()[0]
    assert "no measured ratio" in said
    assert (told.keys(), told["records"]) == (KEYS, [])
    first, second = (leg["ratio"]["value"] for leg in told["bridge"]["legs"])  # both of the third's
    assert told["bridge"]["ratio"]["value"] == pytest.approx(second / first)


def test_two_without_scores_are_compared_within_one_source(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """An article's own times: which article, both figures, and their ratio; a JSON too."""
    runs = make_archive(tmp_path, "published/catalyst-cost-*.parquet")

    compare.main(Namespace(runs=runs, a="T4", b="k80", json=False))
    said = capsys.readouterr().out
    compare.main(Namespace(runs=runs, a="T4", b="k80", json=True))
    told = json.loads(capsys.readouterr().out)

    [row] = [line for line in said.splitlines() if line.strip().startswith("resnet101")]
    assert "catalyst-cost" in row and "13080 s" in row and "1003 s" in row
    assert "0.08 times as fast" in row  # A is the K80, in the order of their page
    assert "without an interval" in said
    assert told["sources"][0]["ratio"] == pytest.approx(1003 / 13080)
    assert (told.keys(), told["records"], told["bridge"]) == (KEYS, [], None)


def test_an_article_without_times_gives_no_ratio(tmp_path: Path) -> None:
    """Which workloads it trained on both is said with the refusal."""
    runs = make_archive(tmp_path, "published/t4-v100-mlperf-*.parquet")

    with pytest.raises(RecordError, match=r"equal terms there is gnmt-wmt-en-de \(t4-v100-mlperf"):
        compare.main(Namespace(runs=runs, a="t4", b="v100-pcie", json=False))
