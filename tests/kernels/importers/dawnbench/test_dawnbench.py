"""DAWNBench entries: crossings to the second, machines mapped or open, nobody's name."""

import json
import pickle
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kernels.checks.records import check
from kernels.errors import Severity, SourceError
from kernels.importers import dawnbench
from kernels.importers.base import Imported
from kernels.importers.dawnbench.names import machine_of, public_stem, team_of
from kernels.records import (
    NO_LICENCE,
    Certainty,
    ClockScope,
    Mode,
    Per,
    PriceKind,
    Run,
    SourceKind,
    Status,
)
from kernels.store import Archive, read_file, write
from kernels.store.schema import Record
from tests.makers import value

ENTRY: Mapping[str, object] = {
    "version": "v1.0",
    "author": "Stanford DAWN",
    "authorEmail": "jane.roe@example.org",
    "framework": "PyTorch v0.4.1",
    "model": "ResNet 50",
    "hardware": "8 * V100 (AWS p3.16xlarge)",
    "costPerHour": 24.48,
    "timestamp": "2018-4-20",
    "misc": {"CUDA version": "9.0", "momentum": 0.9},
}
CURVE = "epoch\thours\ttop1Accuracy\ttop5Accuracy\n1\t0.5\t50.5\t80.25\n2\t1.25\t75.1\t93.00\n3\t2\t74\t92.9\n4\t2.5\t76\t93.1\n"


def written(
    folder: Path,
    tsv: str | bytes | None = CURVE,
    name: str = "dawn_resnet50_8v100_pytorch",
    **fields: object,
) -> Path:
    """An entry in a folder, fields other than `ENTRY` has; one that is `...` is left out."""
    folder.mkdir(parents=True, exist_ok=True)
    found = {key: value for key, value in {**ENTRY, **fields}.items() if value is not ...}
    (folder / f"{name}.json").write_text(json.dumps(found))
    if tsv is not None:
        (folder / f"{name}.tsv").write_bytes(tsv if isinstance(tsv, bytes) else tsv.encode())
    return folder / f"{name}.json"


def imported(path: Path) -> Imported:
    """What the one part at a path holds."""
    (part,) = dawnbench.parts(path, {})
    return dawnbench.read(part)


def one(path: Path) -> Run:
    """The one run at a path."""
    (run,) = imported(path).runs
    return run


def warned(path: Path, words: str) -> bool:
    """Whether a warning about the entry says these words."""
    return any(words in warning for warning in imported(path).warnings)


def test_the_first_row_that_reaches_the_target_counts(tmp_path: Path) -> None:
    """93.00 is 93 %, then it falls below: crossing, best and final are three figures."""
    run = one(written(tmp_path))

    assert value(run, "time_to_target_s@0.93") == 4500.0
    assert value(run, "epochs_to_target@0.93") == 2.0
    assert value(run, "best_top5") == 0.931
    assert value(run, "final_top5") == 0.931
    assert value(run, "final_accuracy") == 0.76
    assert value(run, "best_accuracy") == 0.76
    assert run.status == Status.OK
    assert run.clock_scope == ClockScope.UNKNOWN
    assert value(run, "train_time_s") == 9000.0
    assert [
        (each.metric, each.value, each.time_s, each.locator) for each in run.evaluations[2:4]
    ] == [("top1", 0.751, 4500.0, "line 3"), ("top5", 0.93, 4500.0, "line 3")]
    assert run.targets[0].certainty is Certainty.RECONSTRUCTED
    assert run.metric("time_to_target_sustained_s@0.93") is None


def test_a_hair_below_the_target_is_below(tmp_path: Path) -> None:
    """92.9999999999 % is not 93 %, and a curve without a crossing has no time, not 0."""
    run = one(written(tmp_path, CURVE.replace("93.00", "92.9999999999").replace("93.1", "92.99")))

    assert run.status is Status.NOT_CONVERGED
    metric = run.metric("time_to_target_s@0.93")
    assert metric is not None and (metric.value, metric.status) == (None, Status.NOT_CONVERGED)


@pytest.mark.parametrize(
    "text",
    [
        CURVE.replace("\n", "\r\n"),
        CURVE.rstrip("\n"),
        CURVE + "\n  \n",
        "\ufeff" + CURVE,
        "hours\ttop5Accuracy\tepoch\n0.5\t 80.25 \t1\n1.25\t93.00\t2\n",
        "EPOCH\tnote\thours\ttop5Accuracy\n1\tx\t.5\t80.25\n2\ty\t125e-2\t93\n",
    ],
)
def test_columns_go_by_name_and_lines_end_as_they_like(tmp_path: Path, text: str) -> None:
    """CRLF, no last newline, blanks, a byte order mark, any order, a column nobody knows."""
    run = one(written(tmp_path, text))

    assert value(run, "time_to_target_s@0.93") == 4500.0
    assert value(run, "epochs_to_target@0.93") == 2.0


@pytest.mark.parametrize(
    ("rows", "base", "epochs"),
    [
        ("1\t.1\t20\n2\t.2\t95\n", 1, [1.0, 2.0]),
        ("0\t.1\t20\n1\t.2\t95\n", 0, [1.0, 2.0]),
        # 10 % is a guess among ten classes, however long it took
        ("0\t.3\t10.5\n1\t.4\t95\n", 1, [0.0, 1.0]),
        ("0\t.01\t20\n1\t.2\t95\n", 1, [0.0, 1.0]),  # too soon for an epoch
        ("1.00096\t.1\t20\n2.00192\t.2\t95\n", None, [1.00096, 2.00192]),
        ("0\t.01\t20\n2.9\t.2\t95\n", None, [0.0, 2.9]),
        ("3.55\t.1\t20\n4\t.2\t95\n", None, [3.55, 4.0]),
        ("3\t.1\t20\n4\t.2\t95\n", None, [3.0, 4.0]),
    ],
)
def test_epochs_are_those_finished(
    tmp_path: Path, rows: str, base: int | None, epochs: list[float]
) -> None:
    """Whatever the file counts from; its own number stays beside it, and a guess is said."""
    path = written(tmp_path, "epoch\thours\ttop1Accuracy\n" + rows)

    run = one(path)

    assert [each.epoch for each in run.evaluations] == epochs
    assert run.epoch_index_base == base
    assert run.evaluations[0].epoch_as_logged == float(rows.partition("\t")[0])
    assert warned(path, "count from 0") is (
        rows.startswith("0\t") and "." not in rows.splitlines()[1].partition("\t")[0]
    )


def test_a_repeated_epoch_stays_and_is_said(tmp_path: Path) -> None:
    """Both rows are readings; only their times differ."""
    path = written(tmp_path, "epoch\thours\ttop1Accuracy\n1\t.1\t20\n1\t.2\t95\n")

    assert [each.time_s for each in one(path).evaluations] == [360.0, 720.0]
    assert warned(path, "line 3: epoch 1 is that of line 2 too")


def test_squad_has_two_thresholds(tmp_path: Path) -> None:
    """0.75 decides, the 0.73 of the rules stands beside it; F1 is a fraction as it is."""
    run = one(
        written(
            tmp_path,
            "epoch\tf1Score\thours\n1\t0.72\t1\n2\t0.73\t2\n3\t0.749\t3\n4\t0.75\t4\n",
            model="DrQA",
        )
    )

    assert value(run, "time_to_target_s@0.75") == 14400.0
    assert value(run, "time_to_target_s@0.73") == 7200.0
    assert run.workload == "dawnbench-drqa-squad"
    assert run.status == Status.OK
    assert run.targets[0].value == 0.75


@pytest.mark.parametrize(
    ("model", "workload"),
    [
        ("ResNet-50", "resnet50-imagenet"),
        ("Resnet 50 v1", "resnet50-imagenet"),
        ("ResNet50-v1.5", "resnet50-imagenet"),
        ("ResNet 152", "dawnbench-resnet152-imagenet"),
        ("Custom ResNet-50", "dawnbench-custom-resnet50-imagenet"),
        ("ResNet50d", "dawnbench-resnet50d-imagenet"),
    ],
)
def test_a_workload_of_the_catalogue_needs_the_exact_model(
    tmp_path: Path, model: str, workload: str
) -> None:
    """However it is spelled; anything near it is another."""
    assert one(written(tmp_path, model=model)).workload == workload


def test_resnet_50_on_cifar_is_another_workload(tmp_path: Path) -> None:
    """The data set is part of it."""
    assert (
        one(written(tmp_path, "epoch\thours\ttop1Accuracy\n1\t1\t95\n")).workload
        == "dawnbench-resnet50-cifar10"
    )


def test_an_inference_is_one_at_a_time_in_milliseconds(tmp_path: Path) -> None:
    """Seconds here, the stated cost as a text, and no price made of it."""
    found = imported(
        written(tmp_path, None, latency=4.218, cost=1.54e-06, top5Accuracy=93.16, costPerHour=...)
    )

    (run,) = found.runs
    assert (run.mode, run.global_batch_size, run.evaluations) == (Mode.INFERENCE, 1, ())
    assert (value(run, "latency_s"), value(run, "final_top5")) == (0.004218, 0.9316)
    assert {each.name: each.value for each in run.settings}["cost_per_sample_usd"] == "1.54e-06"
    assert run.run_id == "dawnbench-imagenet-inference-dawn-resnet50-8v100-pytorch"
    assert found.prices == ()


def test_an_inference_may_state_a_cost_alone(tmp_path: Path) -> None:
    """Then there is no latency, and none is made of it."""
    run = one(written(tmp_path, None, cost=1e-6, f1Score=0.76))

    metric = run.metric("latency_s")
    assert metric is not None and (metric.value, metric.status) == (None, Status.NOT_REPORTED)


def test_a_model_below_the_benchmarks_threshold_is_warned_of(tmp_path: Path) -> None:
    """It is read all the same."""
    assert warned(written(tmp_path, None, latency=1, top1Accuracy=93.9), "below the 0.94")


def test_a_stated_price_is_a_dated_offer(tmp_path: Path) -> None:
    """On demand, of all machines together, seen on the day when the entry was sent in."""
    (price,) = imported(
        written(tmp_path, hardware="16 p3.16xlarge (AWS)", costPerHour=391.68)
    ).prices

    assert price.amount == 391.68
    assert price.currency == "USD"
    assert price.per == Per.HOUR
    assert price.kind == PriceKind.ON_DEMAND
    assert price.decimals == 2
    assert price.accelerators == 128
    assert price.provider == "AWS"
    assert price.offer == "p3.16xlarge"
    assert price.system == "aws-p3.16xlarge-16x"
    assert (str(price.valid_from), price.licence) == ("2018-04-20", NO_LICENCE)


@pytest.mark.parametrize(
    ("fields", "warning"),
    [
        ({"costPerHour": ...}, None),
        ({"costPerHour": None}, None),
        ({"costPerHour": 0}, "wanted more than 0"),
        ({"costPerHour": -1}, "wanted more than 0"),
        ({"costPerHour": "cheap"}, "wanted more than 0"),
        ({"hardware": "60 GB / 16 CPU (Google Cloud [n1-standard-16])"}, "how many accelerators"),
        ({"hardware": "8 V100 in a rack"}, "the provider is not known"),
    ],
)
def test_without_a_price_there_is_none(
    tmp_path: Path, fields: dict[str, object], warning: str | None
) -> None:
    """Never 0, and never one whose machine is not known."""
    found = imported(written(tmp_path, **fields))  # type: ignore[arg-type]  # the cases name the fields

    assert found.prices == ()
    assert any("costPerHour" in each for each in found.warnings) is (warning is not None)
    assert warning is None or any(warning in each for each in found.warnings)


@pytest.mark.parametrize(
    ("text", "hardware", "count", "nodes", "system"),
    [
        ("1 K80 / 61 GB / 4 CPU (Amazon EC2 [p2.xlarge])", "k80", 1, 1, "aws-p2.xlarge"),
        ("8 K80 / 488 GB / 32 CPU (Amazon EC2 [p2.8xlarge])", "k80", 8, 1, "aws-p2.8xlarge"),
        ("V100 (AWS p3.2xlarge)", "v100-sxm2-16gb", 1, 1, "aws-p3.2xlarge"),
        ("64 * V100 (8 machines - AWS p3.16xlarge)", "v100-sxm2-16gb", 64, 8, "aws-p3.16xlarge-8x"),
        ("8*V100 (single p3.16xlarge)", "v100-sxm2-16gb", 8, 1, "aws-p3.16xlarge"),
        ("2 V100 (AWS p3.8xlarge)", "v100-sxm2-16gb", 2, 1, "aws-p3.8xlarge"),
        ("8 V100 (AWS p3.8xlarge)", "v100-sxm2-16gb", None, 1, "aws-p3.8xlarge"),
        ("8 T4 (AWS p3.8xlarge)", None, None, 1, "aws-p3.8xlarge"),
        ("16 nodes with InfiniBand (8*V100 with NVLink for each node)", "v100", 128, 16, None),
        ("8 nodes with InfiniBand (8*P100 for each node)", "p100", 64, 8, None),
        ("8 nodes with InfiniBand (8*M60 for each node)", None, 64, 8, None),
        ("Baidu Cloud Tesla V100*1-16GB/56 GB/12 CPU", "v100", 1, None, None),
        ("Tesla V100 * 4 GPU / 488 GB / 56 CPU (Kakao Brain BrainCloud)", "v100", 4, None, None),
        ("IBM AC922 + Nvidia Tesla V100 (Nimbix np9g1)", "v100", None, None, None),
        ("Lambda GPU Cloud - 4x GTX 1080 Ti", "gtx-1080-ti", 4, None, None),
        ("PingAn Cloud {1 T4 / 128 GB / Xeon(G) Gold 6130}", "t4", 1, None, None),
        ("Alibaba Cloud ecs.gn6i-c8g1.2xlarge", "t4", 1, 1, "alibaba-cloud-ecs.gn6i-c8g1.2xlarge"),
        ("Huawei Cloud [pi2.2xlarge.4]", "t4", 1, 1, "huawei-cloud-pi2.2xlarge.4"),
        (
            "128 nodes with Xeon Platinum 8124M (Amazon EC2 [c5.18xlarge])",
            None,
            None,
            128,
            "aws-c5.18xlarge-128x",
        ),
        ("GCP n1-standard-2, Cloud TPU", "tpu-v2", 4, None, None),
        ("1/16 of a TPUv2 Pod", "tpu-v2", 16, None, None),
        ("TPUv2 Half-Pod", "tpu-v2", 128, None, None),
        ("GCP n1-standard-2, Cloud TPU v3", None, None, None, None),
        ("4 V100 and 2 T4", None, None, None, None),
        ("1 NVidia 2080 RTX (dev box)", None, 1, None, None),
        ("a machine", None, None, None, None),
    ],
)
def test_hardware_is_mapped_or_left_open(
    tmp_path: Path,
    text: str,
    *,
    hardware: str | None,
    count: int | None,
    nodes: int | None,
    system: str | None,
) -> None:
    """By the tables alone: chips over all nodes, and nothing where a text says two things."""
    run = one(written(tmp_path, hardware=text))

    assert (run.accelerator, run.accelerators, run.nodes) == (hardware, count, nodes)
    assert run.system == system or (system is None and run.system.startswith("dawnbench-"))
    assert run.environment is not None and run.environment.extra[0].value == text


def test_what_is_left_open_is_said_with_its_words(tmp_path: Path) -> None:
    """A cloud's K80 is one GPU, as the catalogue counts them, and needs no word."""
    assert warned(
        written(tmp_path, hardware="4 M60 (Amazon EC2 [g3.16xlarge])"),
        "hardware '4 M60 (Amazon EC2 [g3.16xlarge])': accelerator left open",
    )
    assert not warned(written(tmp_path, hardware="1 K80 / 30 GB (Google Cloud)"), "K80")


def test_a_cloud_tpu_says_its_generation_only_while_there_was_one(tmp_path: Path) -> None:
    """v3 was sold from October 2018 on."""
    assert (
        one(written(tmp_path, hardware="Cloud TPU", timestamp="2018-09-30")).accelerator == "tpu-v2"
    )
    assert one(written(tmp_path, hardware="Cloud TPU", timestamp="2018-10-01")).accelerator is None
    assert one(written(tmp_path, hardware="Cloud TPU", timestamp="soon")).accelerator is None


@pytest.mark.parametrize(
    ("text", "misc", "framework", "version", "software"),
    [
        ("TensorFlow v1.7rc1", {}, "tensorflow", "1.7rc1", ["tensorflow"]),
        ("tensorflow 1.5, tensorpack 0.8.1", {}, "tensorflow", "1.5", ["tensorflow", "tensorpack"]),
        (
            "tensorpack 0.8.0",
            "CUDA version: 8.0, TensorFlow version: 1.4; x",
            "tensorflow",
            "1.4",
            ["cuda", "tensorflow", "tensorpack"],
        ),
        ("PyTorch v1.0.1 and PaddlePaddle", {}, None, None, ["paddlepaddle", "pytorch"]),
        (
            "Pytorch+AIACC-Inference",
            {"Pytorch": "Pytorch 1.2.0 with gpu"},
            "pytorch",
            "1.2.0",
            ["aiacc-inference", "pytorch"],
        ),
        ("ifx", {"Tensorflow": "1.13.1"}, None, None, ["tensorflow"]),
        ("Intel(R) Optimized Caffe", {}, "caffe", None, ["caffe"]),
        ("fastai / pytorch", [], "pytorch", None, ["fastai", "pytorch"]),
    ],
)
def test_software_as_far_as_it_is_stated(
    tmp_path: Path,
    text: str,
    misc: object,
    *,
    framework: str | None,
    version: str | None,
    software: list[str],
) -> None:
    """Two frameworks are none; `misc` may be a table, a sentence, or nothing of either."""
    run = one(written(tmp_path, framework=text, misc=misc))

    assert run.framework == framework
    assert run.framework_version == version
    assert [each.name for each in run.software] == software


@pytest.mark.parametrize(
    ("fields", "batch"),
    [
        ({"misc": {"batchSize": 512}}, None),  # of one accelerator or of all eight
        ({"misc": {"batchSize": 512}, "hardware": "1 T4"}, 512),
        ({"misc": {"params": {"batch_size": "128"}}, "hardware": "1 T4"}, 128),
        ({"misc": {"batchSize": 4096}, "author": "Intel(R) Corporation"}, 4096),
        ({"misc": "total batch size: 256"}, 256),
        ({"misc": {"batchSize": [{"batch_size": 8192, "epochs": 6}]}, "hardware": "1 T4"}, None),
    ],
)
def test_a_batch_size_is_global_where_it_must_be(
    tmp_path: Path, fields: dict[str, object], batch: int | None
) -> None:
    """Else it stays a setting, as stated."""
    assert one(written(tmp_path, **fields)).global_batch_size == batch  # type: ignore[arg-type]  # the cases name the fields


@pytest.mark.parametrize(
    ("author", "stem", "team", "public"),
    [
        ("Stanford DAWN", "dawn_a_b", "Stanford DAWN", "dawn_a_b"),
        ("Google Cloud TPU", "google_a", "Google Cloud TPU", "google_a"),
        ("fast.ai/DIUx (Jane Roe, John Doe)", "fastai_a", "fast.ai, DIUx", "fastai_a"),
        ("Jane Roe, Facebook ParlAI, John Doe", "dawn_a", "Facebook ParlAI", "dawn_a"),
        ("Jane Roe, John Doe", "fastai_a", "fast.ai", "fastai_a"),
        ("jane@KakaoBrain", "kakaobrain_a", "Kakao Brain", "kakaobrain_a"),
        ("Jane Roe", "jane_a_b", None, "*_a_b"),
        ("Google", "jane_a_b", "Google", "*_a_b"),
        ("Jane Intelman", "jane_a", None, "*_a"),
        (None, "basenet", None, "basenet"),
    ],
)
def test_teams_are_named_and_persons_are_not(
    author: object, stem: str, team: str | None, public: str
) -> None:
    """Only names of the table are taken; a file's first word is the author's by the rules."""
    assert (team_of(author, stem), public_stem(stem)) == (team, public)


def test_no_person_and_no_address_is_recorded(tmp_path: Path) -> None:
    """Not of author, address, file's name, code's account, or an address in any text."""
    run = one(
        written(
            tmp_path / "ImageNet" / "train",
            name="janeroe_resnet50_x",
            author="Jane Roe",
            codeURL="https://github.com/janeroe/imagenet",
            model="ResNet 50 by jane.roe@example.org",
            hardware="1 T4 of jane.roe@example.org",
            misc={"optimizer": "as Jane Roe taught", "contact": "jane.roe@example.org"},
        )
    )

    text = str(run).lower()
    assert "roe" not in text and "jane" not in text and "@example" not in text
    assert run.locator == "file 'ImageNet/train/*_resnet50_x.json'"
    assert run.implementation_url is None
    kept = one(written(tmp_path, codeURL="https://github.com/tensorflow/tpu/tree/abc/models"))
    assert kept.implementation_url == "https://github.com/tensorflow/tpu/tree/abc/models"


def test_two_unnamed_entries_keep_ids_of_their_own(tmp_path: Path) -> None:
    """They differ only by the word that is not told."""
    for name in ("jane_resnet50_x", "john_resnet50_x"):
        written(tmp_path, name=name, author="someone")

    assert len({run.run_id for run in imported(tmp_path).runs}) == 2


@pytest.mark.parametrize(
    ("tsv", "wanted"),
    [
        (None, "neither a latency in it nor"),
        ("", "empty file"),
        ("epoch\thours\ttop5Accuracy\n", "no row below the header"),
        ("hours\ttop5Accuracy\n1\t50\n", "no column epoch"),
        ("epoch\ttop5Accuracy\n1\t50\n", "no column hours"),
        ("epoch\thours\n1\t50\n", "none of the columns"),
        ("epoch\thours\thours\ttop5Accuracy\n1\t1\t1\t50\n", "there twice"),
        ("epoch\thours\tf1Score\ttop5Accuracy\n1\t1\t.5\t50\n", "of one data set"),
        ("epoch\thours\ttop5Accuracy\n1\t1\tnan\n2\t2\t93\n", "line 2: top5accuracy: found 'nan'"),
        ("epoch\thours\ttop5Accuracy\n1\t1_0\t50\n2\t20\t93\n", "line 2: hours: found '1_0'"),
        ("epoch\thours\ttop5Accuracy\n1\t-1\t50\n", "wanted a number of 0 or more"),
        ("epoch\thours\ttop5Accuracy\n1\t1\t101\n", "wanted per cent"),
        ("epoch\thours\tf1Score\n1\t1\t75\n", "wanted a fraction"),
        ("epoch\thours\ttop5Accuracy\n1\t2\t50\n2\t1\t93\n", "line 3: hours go back"),
        ("epoch\thours\ttop5Accuracy\n1\t2\n2\t3\t93\n", "line 2: found 2 cells, wanted 3"),
        ("epoch\thours\ttop5Accuracy\n1\t2\t93\t7\n", "line 2: found 4 cells, wanted 3"),
        (b"PK\x03\x04\x00\xff\xfe", "no column epoch"),
    ],
)
def test_a_curve_that_cannot_be_trusted_is_refused(
    tmp_path: Path, tsv: str | bytes | None, wanted: str
) -> None:
    """With file, line, what was found and what was wanted: a row left out could be the crossing."""
    with pytest.raises(SourceError, match=wanted) as error:
        imported(written(tmp_path, tsv))
    assert "dawn_resnet50_8v100_pytorch" in str(error.value)


@pytest.mark.parametrize(
    ("fields", "wanted"),
    [
        ({"hardware": None}, "hardware: found None, wanted a text"),
        ({"latency": "4 ms", "top5Accuracy": 93}, "latency: found '4 ms'"),
        ({"latency": 0, "top5Accuracy": 93}, "found 0 ms"),
        ({"latency": True, "top5Accuracy": 93}, "latency: found True"),
        ({"latency": 1}, "no metric"),
        ({"latency": 1, "top5Accuracy": 193}, "wanted per cent"),
    ],
)
def test_a_description_that_cannot_be_trusted_is_refused(
    tmp_path: Path, fields: dict[str, object], wanted: str
) -> None:
    """Likewise."""
    with pytest.raises(SourceError, match=wanted):
        imported(written(tmp_path, **fields))  # type: ignore[arg-type]  # the cases name the fields


def test_one_bad_entry_costs_its_folder_nothing_else(tmp_path: Path) -> None:
    """It is refused by name; a TSV alone and a JSON of something else are, too."""
    written(tmp_path)
    written(tmp_path, "", name="dawn_empty")
    (tmp_path / "orphan.tsv").write_text(CURVE)
    (tmp_path / "broken.json").write_text('{"author": ')
    (tmp_path / "package.json").write_text("{}")

    found = imported(tmp_path)

    assert len(found.runs) == 1
    assert [text.partition(":")[0] for text in found.refused] == [
        "./broken.json",
        "./dawn_empty.json",
        "./orphan.tsv",
        "./package.json",
    ]


def test_an_entry_in_a_folder_of_another_data_set_is_refused(tmp_path: Path) -> None:
    """Its own columns say what it is; a folder that says otherwise makes one of the two wrong."""
    with pytest.raises(SourceError, match="lies in CIFAR10/train and reads as ImageNet/train"):
        imported(written(tmp_path / "CIFAR10" / "train"))
    with pytest.raises(SourceError, match="reads as ImageNet/train"):
        imported(written(tmp_path / "ImageNet" / "inference"))


def test_what_holds_no_entry_is_refused(tmp_path: Path) -> None:
    """A folder without one, a file that is none, and nothing at all."""
    (tmp_path / "system.json").write_text('{"framework": "x", "hardware": "y"}')

    for path in (tmp_path, tmp_path / "system.json", tmp_path / "absent.json", tmp_path / "absent"):
        with pytest.raises(SourceError, match="wanted"):
            list(dawnbench.parts(path, {}))


def test_parts_are_folders_of_bearable_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Hidden folders are passed over, long ones cut; a part goes to a process and back."""
    monkeypatch.setattr(dawnbench, "ENTRIES_A_PART", 2)
    for name in ("dawn_a", "dawn_b", "dawn_c"):
        written(tmp_path / "ImageNet" / "train", name=name)
    written(tmp_path / ".git")

    found = list(dawnbench.parts(tmp_path, {}))

    assert [(part.name, len(part.files)) for part in found] == [
        ("ImageNet/train", 4),
        ("ImageNet/train from dawn_c", 2),
    ]
    assert pickle.loads(pickle.dumps(found[0])) == found[0]  # noqa: S301 - what was just dumped


def test_the_same_records_however_they_are_reached(tmp_path: Path) -> None:
    """By repository, folder, JSON or TSV."""
    path = written(tmp_path / "ImageNet" / "train")

    runs = [one(each) for each in (tmp_path, path.parent, path, path.with_suffix(".tsv"))]

    assert runs == runs[:1] * 4
    assert runs[0].locator == "file 'ImageNet/train/dawn_resnet50_8v100_pytorch.json'"


def test_the_source_states_no_licence(tmp_path: Path) -> None:
    """Neither do its runs and prices; the team is credited."""
    found = imported(written(tmp_path))

    (source,) = found.sources
    assert source.source == "dawnbench"
    assert source.kind == SourceKind.LOGS
    assert source.licence == NO_LICENCE
    assert found.runs[0].licence == NO_LICENCE
    assert found.runs[0].credit == "DAWNBench, ImageNet train, Stanford DAWN, ResNet 50"
    # rounds are MLPerf's; the one competition of the benchmark is told by its source
    assert found.runs[0].round is None


def test_a_curve_cut_at_any_line_is_shorter_and_never_wrong(tmp_path: Path) -> None:
    """The time to the target is that of the whole file or none."""
    lines = CURVE.splitlines(keepends=True)
    for kept in range(2, len(lines) + 1):
        run = one(written(tmp_path, "".join(lines[:kept])))
        assert len(run.evaluations) == 2 * (kept - 1)
        assert value(run, "time_to_target_s@0.93") == (4500.0 if kept > 2 else None)


def test_a_last_line_that_was_cut_off_is_left_out_and_said(tmp_path: Path) -> None:
    """A line lacks cells only where it was."""
    path = written(tmp_path, CURVE[: CURVE.index("\t76\t93.1")])

    assert len(one(path).evaluations) == 6
    assert warned(path, "line 5: cut off in the middle")


@given(st.text(max_size=60), st.text("0123456789 x*/VT14P0K8nodeachp3.16large[]()", max_size=40))
def test_any_words_on_hardware_name_a_system(text: str, other: str) -> None:
    """With an id that a run accepts and a count above 0."""
    for each in (text, other):
        machine = machine_of(each, None)
        assert machine.system and machine.accelerators != 0 and machine.nodes != 0


REAL = {
    # Recomputed with an awk script over the TSV files, without this importer: seconds and epochs as
    # logged at the first row.
    "cifar10-train-baidu-usa-gait-baidunet9-1gv100-pytorch": ("0.94", 71.820, 24),
    "cifar10-train-dawn-resnet164-b-16vcpus-gc-tensorflow": ("0.94", 370087.786, 139.13344),
    "cifar10-train-diux-cifar-g3": ("0.94", 11929.0, 89),
    "cifar10-train-fastai-pytorch": ("0.94", 173.959, 35),
    "cifar10-train-kakaobrain-custom-resnet9-4v100-braincloud-pytorch": ("0.94", 27.976, 33),
    "imagenet-train-dawn-resnet152-b-4m60-ec2-tensorflow": ("0.93", 1161696.365, 91),
    "imagenet-train-fastai-resnet50-p3-16-machine-pytorch": ("0.93", 1085.181, 38),
    "imagenet-train-gehc-resnet50-1-p3-16xlarge-tensorflow111": ("0.93", 6273.320, 36.2),
    "imagenet-train-google-resnet50-tpu-tensorflow111-fastai": ("0.93", 9870.498, 41),
    "imagenet-train-google-resnet50-tpu-tensorflow17": ("0.93", 44799.0, 78),
    "imagenet-train-huaweicloud-resnet50-modelarts-16-machine-tensorflow18": ("0.93", 162.336, 36),
    "squad-train-dawn-bidaf-1k80-ec2-tensorflow": ("0.75", 27489.190, 10),
    "squad-train-dawn-drqa-1k80-ec2": ("0.75", 4914.272, 10),
}


@pytest.fixture(scope="module")
def real(external: Path) -> list[Imported]:
    """Every part of the copy at hand."""
    return [dawnbench.read(part) for part in dawnbench.parts(external / "dawnbench", {})]


def test_every_real_entry_is_read_or_refused_by_name(real: list[Imported], tmp_path: Path) -> None:
    """All 79, with ids of their own, nothing wrong; Parquet gives them back as they were."""
    runs = tuple(run for each in real for run in each.runs)
    records: tuple[tuple[Record, ...], ...] = (
        runs,
        tuple(price for each in real for price in each.prices),
    )

    assert len({run.run_id for run in runs}) + sum(len(each.refused) for each in real) == 79
    assert sum(run.mode is Mode.INFERENCE for run in runs) == 35
    assert [
        each
        for each in check(Archive(runs=runs, sources=real[0].sources, prices=records[1]))  # type: ignore[arg-type]  # prices by how they were gathered
        if each.severity is Severity.ERROR
    ] == []
    for index, each in enumerate(records):
        write(tmp_path / f"{index}.parquet", each)
        assert read_file(tmp_path / f"{index}.parquet") == each


def test_real_times_to_the_target_are_right_to_the_second(real: list[Imported]) -> None:
    """As another program finds them in the same files."""
    runs = {run.run_id: run for each in real for run in each.runs}

    for name, (target, seconds, label) in REAL.items():
        run = runs[f"dawnbench-{name}"]
        assert value(run, f"time_to_target_s@{target}") == pytest.approx(seconds, abs=0.001), name
        first = next(
            each
            for each in run.evaluations
            if each.metric == run.targets[0].metric and each.value >= run.targets[0].value
        )
        assert first.epoch_as_logged == label, name
        assert first.epoch == value(run, f"epochs_to_target@{target}")
        assert first.time_s == value(run, f"time_to_target_s@{target}")


def test_no_real_person_is_named(real: list[Imported], external: Path) -> None:
    """Of every author who is no team, no word is in any record; nor is an address."""
    text = " ".join(
        str(record) for each in real for record in (*each.runs, *each.prices, *each.sources)
    ).lower()

    persons = {
        "ajay", "ryan", "bkj", "ppwwyyxx", "clint", "jeremy", "howard", "baopu", "zhiyu",
        "bulatov", "koonce", "runqi", "chuan",
    }  # fmt: skip
    assert [name for name in sorted(persons) if name in text] == []
    assert "@example" not in text and "authoremail" not in text
    assert "external" not in text and external.as_posix() not in text


def test_the_real_hardware_and_epochs_that_a_report_needs(real: list[Imported]) -> None:
    """Cloud TPUs with four chips, P3 with eight V100 each, files that count from 0."""
    runs = {
        run.run_id.removeprefix("dawnbench-imagenet-train-"): run
        for each in real
        for run in each.runs
    }

    tpu, many = (
        runs["google-resnet50-tpu-tensorflow111"],
        runs["fastai-resnet50-p3-16-machine-pytorch"],
    )
    assert tpu.accelerator == "tpu-v2"
    assert tpu.accelerators == 4
    assert tpu.global_batch_size == 1024
    assert tpu.evaluations[0].epoch == 0.0
    assert (many.accelerator, many.accelerators, many.nodes) == ("v100-sxm2-16gb", 128, 16)
    assert runs["alibabacloud-resnet50-gn6e-16-machine-tensorflow"].evaluations[-1].epoch == 28.0
