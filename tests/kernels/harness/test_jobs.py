"""Jobs from a request: names that are free, devices that are there."""

from dataclasses import asdict, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from kernels.backends.base import Device, Probe
from kernels.datasets import image_folder
from kernels.errors import MeasureError, UsageError
from kernels.harness import jobs as runner
from kernels.harness import recover
from kernels.harness.spec import Request
from kernels.records import DataKind, Precision
from kernels.workloads import WORKLOADS
from tests.kernels import pictures
from tests.kernels.own_runs import a_request
from tests.makers import catalogue

CPU = Device("cpu", None, None, (Precision.FP32,))
CARD = Device("cuda:0", "NVIDIA H200", 2**37, (Precision.FP32, Precision.TF32))


def test_a_card_is_taken_where_there_is_one() -> None:
    """`auto` takes it, `cpu` does not; its hardware is the catalogue's by the driver's name."""
    found = Probe("torch", "9.9", (CPU, CARD))

    card = runner.place(a_request(), found, catalogue())
    plain = runner.place(a_request("cpu"), found, catalogue())

    assert (card.device, card.system, card.accelerator) == ("cuda:0", "h200-1x", "h200-sxm")
    assert plain.device == "cpu" and plain.system.startswith("cpu-") and plain.system.endswith("c")


def test_what_is_not_there_is_refused() -> None:
    """A card or a precision that is not there, a backend that is not installed; a card that the
    framework's build cannot use by the sentence that says why.
    """
    only = Probe("torch", "9.9", (CPU,))

    with pytest.raises(UsageError, match="this machine has cpu"):
        runner.place(a_request("cuda"), only, catalogue())
    driverless = replace(only, no_accelerator="Found no NVIDIA driver on your system")
    with pytest.raises(UsageError, match="this machine has cpu; Found no NVIDIA driver"):
        runner.place(a_request("cuda"), driverless, catalogue())
    with pytest.raises(UsageError, match="cpu can do fp32"):
        runner.place(a_request(precision=Precision.TF32), only, catalogue())
    with pytest.raises(MeasureError, match="no driver"):
        runner.place(a_request(), Probe("torch", None, missing="no driver"), catalogue())
    old = replace(only, unusable=("cuda:1, GTX 1080 Ti, is older than PyTorch 9.9",))
    with pytest.raises(UsageError, match="--device cuda:1: cuda:1, GTX 1080 Ti, is older than"):
        runner.place(a_request("cuda:1"), old, catalogue())


def test_falling_back_to_the_cpu_has_its_reason() -> None:
    """Where nobody asked for the CPU and there is nothing else; who asks for it hears nothing."""
    only = Probe("torch", "9.9", (CPU,), no_accelerator="the driver is too old")

    assert runner.place(a_request(), only, catalogue()).fallen == "the driver is too old"
    assert runner.place(a_request(), replace(only, no_accelerator=None), catalogue()).fallen == (
        "torch finds no accelerator and does not say why"
    )
    assert runner.place(a_request("cpu"), only, catalogue()).fallen is None
    assert runner.place(a_request(), replace(only, devices=(CPU, CARD)), catalogue()).fallen is None


def test_what_a_processor_only_emulates_is_refused() -> None:
    """With how slow it is, and the formats that it has and the workload takes."""
    slow = replace(
        CPU,
        precisions=(Precision.FP32, Precision.FP64, Precision.AMP_BF16),
        emulated={Precision.FP16: 35.4},
    )
    asked = a_request(
        plan=WORKLOADS["matmul"],
        precision=Precision.FP16,
        measure="throughput",
        data=DataKind.SYNTHETIC_DEVICE,
    )

    with pytest.raises(UsageError) as refused:
        runner.place(asked, Probe("torch", "9.9", (slow,)), catalogue())

    assert str(refused.value) == (
        "--precision fp16: cpu has no arithmetic for it, and torch emulates it, 35 times as long "
        "as fp32 in a trial; choose fp32, fp64"
    )


def test_every_run_has_a_name_of_its_own(tmp_path: Path) -> None:
    """Words, date, seed; the batch size of several; a number where the name is taken."""
    now = datetime(2026, 11, 20, 5, 0, 1, tzinfo=UTC)
    where = runner.Place("cpu", "toy-2c", "cpu-toy")
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured" / "digits-cnn-toy-2c-20261120t050001-s0.parquet").touch()

    alone = runner.jobs(a_request(), where, tmp_path, now=lambda: now)
    many = runner.jobs(
        a_request(batch_sizes=(32, 64), seeds=(0, 1)), where, tmp_path, now=lambda: now
    )

    assert [job.run_id for job in alone] == ["digits-cnn-toy-2c-20261120t050001-s0-2"]
    names = [
        f"digits-cnn-toy-2c-20261120t050001-s{seed}-b{batch}"
        for batch in (32, 64)
        for seed in (0, 1)
    ]
    assert sorted(job.run_id for job in many) == sorted(names)
    assert sorted((job.batch_size, job.seed) for job in many) == [
        (32, 0),
        (32, 1),
        (64, 0),
        (64, 1),
    ]


def test_batch_sizes_take_turns_at_random_and_always_in_the_same_way() -> None:
    """A round has every batch size once; orders differ, and are the same the next time."""
    where = runner.Place("cpu", "toy-2c", "cpu-toy")
    sizes = (8, 16, 32, 64)
    first, again = (
        runner.jobs(a_request(batch_sizes=sizes, repeats=3), where, Path("nowhere"))
        for _ in range(2)
    )
    rounds = [tuple(job.batch_size for job in first[start : start + 4]) for start in (0, 4, 8)]

    assert [job.repeat_index for job in first] == [0] * 4 + [1] * 4 + [2] * 4
    assert all(sorted(each) == [8, 16, 32, 64] for each in rounds) and len(set(rounds)) > 1
    assert [job.batch_size for job in first] == [job.batch_size for job in again]
    assert len({job.run_id for job in first}) == 12


def test_processes_share_the_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has its part of the threads; of cards as many as processes are needed."""
    found = Probe("torch", "9.9", (CPU, CARD))
    monkeypatch.setattr("kernels.machine.system.usable_cores", lambda: 4)

    assert a_request(processes=2).threads_each() == 2
    assert "2 processes of 2 threads" in a_request(processes=2).settings()
    with pytest.raises(UsageError, match="this machine has 1"):
        runner.place(a_request(processes=2), found, catalogue())
    with pytest.raises(UsageError, match="--compile belongs to --backend torch"):
        plan = replace(WORKLOADS["digits_cnn"], backends=("jax",))
        runner.refuse(a_request(plan=plan, backend="jax", compiled=True))


def test_a_job_says_all_that_was_asked_for(tmp_path: Path) -> None:
    """Nothing of a command is lost on its way to the run; a new field is to be named here."""
    asked: dict[str, Any] = {
        "allocator": "default",
        "augmentation": "standard",
        "backend": "jax",
        "budget_s": 5.0,
        "compiled": True,
        "data": DataKind.SYNTHETIC_HOST,
        "deterministic": True,
        "epochs": 7,
        "folder": "pictures",
        "limit_s": 9.0,
        "measure": "throughput",
        "memory_format": "contiguous",
        "precision": Precision.AMP_BF16,
        "processes": 2,
        "readers": 3,
        "suite": "toy",
        "suite_size": "small",
        "target": 0.5,
        "telemetry_hz": 2.0,
        "threads": 1,
        "width": 0.5,
    }
    (job,) = runner.jobs(a_request(**asked), runner.Place("cpu", "toy-2c", "cpu-toy"), tmp_path)

    both = {each.name for each in fields(job)} & {each.name for each in fields(Request)}
    # it becomes the device that is there
    assert both - asked.keys() == {"device"}
    assert {name: getattr(job, name) for name in asked} == asked


def test_a_folder_of_images_is_a_workload_of_its_own(tmp_path: Path) -> None:
    """Its name and its number of images are the run's; the folder's path is nowhere in it."""
    images = image_folder.look(pictures.folder(tmp_path / "pictures"))
    asked = a_request(
        plan=WORKLOADS["resnet34"],
        batch_sizes=(4,),
        target=0.9,
        folder=str(tmp_path / "pictures"),
        images=images,
        augmentation="standard",
    )
    runner.refuse(asked)
    (job,) = runner.jobs(asked, runner.Place("cpu", "toy-2c", "cpu-toy"), tmp_path)
    run = recover.run_of([{"event": "start", "job": asdict(job), "environment": {}}])

    assert run.workload == "resnet34-image-folder"
    assert run.train_samples == 12
    assert run.augmentation is True
    assert run.run_id.startswith("resnet34-image-folder-toy-2c-")
    assert str(tmp_path) not in repr(run)


def test_each_size_of_an_operation_makes_a_run(tmp_path: Path) -> None:
    """Named after it; those of the plan where none is asked for."""
    asked = a_request(
        plan=WORKLOADS["matmul"],
        batch_sizes=(1,),
        data=DataKind.SYNTHETIC_DEVICE,
        measure="throughput",
        sizes=(64, 128),
    )
    runner.refuse(asked)
    jobs = runner.jobs(asked, runner.Place("cpu", "toy-2c", "cpu-toy"), tmp_path)

    assert {(job.size, job.run_id.rpartition("-")[2]) for job in jobs} == {
        (64, "n64"),
        (128, "n128"),
    }
    assert [
        job.size
        for job in runner.jobs(replace(asked, sizes=()), runner.Place("cpu", "x", "y"), tmp_path)
    ] == [2048]


SYNTHETIC: dict[str, Any] = {"data": DataKind.SYNTHETIC_DEVICE, "measure": "throughput"}


@pytest.mark.parametrize(
    ("workload", "fields", "wanted"),
    [
        (
            "resnet50",
            {"measure": "throughput"},
            "--data real: resnet50 takes images from a folder that you have; name it with "
            "--data-dir",
        ),
        ("ncf_20m", {}, "takes ratings from a folder"),
        (
            "resnet50",
            SYNTHETIC | {"folder": "x"},
            "--data-dir: resnet50 on synthetic_device data reads no folder",
        ),
        (
            "resnet101",
            SYNTHETIC | {"measure": "convergence"},
            "resnet101 learns nothing from synthetic_device; feed it real",
        ),
        (
            "resnet34",
            SYNTHETIC | {"augmentation": "standard"},
            "--augmentation standard: resnet34 on synthetic_device data can have none",
        ),
        ("digits_cnn", {"readers": 2}, "--readers: digits_cnn on real data decodes nothing"),
        ("digits_cnn", {"sizes": (8,)}, "--operation-size: digits_cnn has no such size"),
        (
            "digits_cnn",
            {"precision": Precision.FP64},
            "--precision fp64: digits_cnn can be run in fp32, tf32, amp_bf16, amp_fp16",
        ),
        (
            "matmul",
            SYNTHETIC | {"precision": Precision.AMP_BF16},
            "matmul can be run in fp32, tf32, bf16, fp16, fp64",
        ),
    ],
)
def test_what_a_workload_does_not_have_is_refused(
    workload: str, fields: dict[str, Any], wanted: str
) -> None:
    """With the flag, and what it has."""
    with pytest.raises(UsageError, match=wanted):
        runner.refuse(replace(a_request(plan=WORKLOADS[workload]), **fields))
