"""Jobs from a request: names that are free, devices that are there."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from kernels import catalog, runner
from kernels.backends.base import Device, Probe
from kernels.errors import MeasureError
from kernels.records import DataKind, Precision
from kernels.workloads import WORKLOADS

CPU = Device("cpu", None, None, (Precision.FP32,))
CARD = Device("cuda:0", "NVIDIA H200", 2**37, (Precision.FP32, Precision.TF32))


def request(device: str = "auto", **fields: object) -> runner.Request:
    """What the plainest command asks for."""
    asked: dict[str, object] = {
        "plan": WORKLOADS["digits_cnn"],
        "backend": "torch",
        "device": device,
        "batch_sizes": (64,),
        "precision": Precision.FP32,
        "data": DataKind.REAL,
        "measure": "convergence",
        "epochs": None,
        "target": None,
        "seeds": (0,),
        "threads": None,
        "allocator": "tuned",
        "limit_s": None,
    }
    return runner.Request(**(asked | fields))  # type: ignore[arg-type]  # tests name the fields


def test_a_card_is_taken_where_there_is_one() -> None:
    """`auto` takes it, `cpu` does not; its hardware is the catalogue's by the driver's name for it."""
    found = Probe("torch", "9.9", (CPU, CARD))

    card = runner.place(request(), found, catalog.load())
    plain = runner.place(request("cpu"), found, catalog.load())

    assert (card.device, card.system, card.accelerator) == ("cuda:0", "h200-1x", "h200-sxm")
    assert plain.device == "cpu" and plain.system.startswith("cpu-") and plain.system.endswith("c")


def test_what_is_not_there_is_refused() -> None:
    """A card that the machine lacks, a precision that the device lacks, a backend that is not installed."""
    only = Probe("torch", "9.9", (CPU,))

    with pytest.raises(runner.UsageError, match="this machine has cpu"):
        runner.place(request("cuda"), only, catalog.load())
    with pytest.raises(runner.UsageError, match="cpu can do fp32"):
        runner.place(request(precision=Precision.TF32), only, catalog.load())
    with pytest.raises(MeasureError, match="no driver"):
        runner.place(request(), Probe("torch", None, missing="no driver"), catalog.load())


def test_every_run_has_a_name_of_its_own(tmp_path: Path) -> None:
    """Words, date and seed; the batch size where there are several; a number where the name is taken."""
    now = datetime(2026, 11, 20, 5, 0, 1, tzinfo=UTC)
    where = runner.Place("cpu", "toy-2c", "cpu-toy")
    (tmp_path / "measured").mkdir()
    (tmp_path / "measured" / "digits-cnn-toy-2c-20261120t050001-s0.parquet").touch()

    alone = runner.jobs(request(), where, tmp_path, now=lambda: now)
    many = runner.jobs(request(batch_sizes=(32, 64), seeds=(0, 1)), where, tmp_path, now=lambda: now)

    assert [job.run_id for job in alone] == ["digits-cnn-toy-2c-20261120t050001-s0-2"]
    assert [job.run_id for job in many] == [f"digits-cnn-toy-2c-20261120t050001-s{seed}-b{batch}" for batch in (32, 64) for seed in (0, 1)]
    assert [(job.batch_size, job.seed) for job in many] == [(32, 0), (32, 1), (64, 0), (64, 1)]
