"""A run in a process of its own: whatever happens to the worker, its journal gets an end that says what."""

import errno
import os
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest

from kernels import journal, measured, worker
from kernels.backends.base import OutOfMemory
from kernels.errors import MeasureError
from kernels.journal import Job
from kernels.records import DataKind, Environment, Precision, Run, Status

pytestmark = pytest.mark.torch
pytest.importorskip("torch", reason="measuring needs PyTorch")

JOB = Job(
    run_id="digits-cnn-worker-1",
    workload="digits_cnn",
    backend="torch",
    device="cpu",
    system="toy",
    accelerator="cpu-toy",
    batch_size=479,
    precision=Precision.FP32,
    data=DataKind.REAL,
    measure="convergence",
    epochs=3,
    target=0.05,
    seed=0,
    repeat_index=0,
    threads=1,
    allocator="tuned",
    started_at="2026-11-20T05:00:00+00:00",
)


def done(tmp_path: Path, job: Job, meanwhile: threading.Timer | None = None) -> Run:
    """The run that a job comes to."""
    path = journal.create(tmp_path, job, Environment())
    if meanwhile is not None:
        meanwhile.start()
    status = worker.run(path, job, lambda *_: None)
    run = measured.run_of(journal.read(path))
    assert run.status is status
    return run


def test_a_worker_records_what_it_did(tmp_path: Path) -> None:
    """Three epochs of three steps, with the settings that it was started with."""
    run = done(tmp_path, JOB)

    assert (run.status, len(run.steps), len(run.epochs), len(run.evaluations)) == (Status.OK, 9, 3, 3)
    assert run.environment is not None
    assert (run.environment.threads, run.environment.allocator, run.environment.memory_format) == (1, "tuned", "channels_last")
    assert worker.TUNED.items() <= {setting.name: setting.value for setting in run.environment.extra}.items()
    memory = run.metric("peak_memory_bytes")
    assert memory is not None and memory.value is not None and memory.value > 50e6


def test_the_same_seed_makes_the_same_curve(tmp_path: Path) -> None:
    """And another seed another one."""
    first, second, other = (
        done(tmp_path, replace(JOB, run_id=f"digits-cnn-worker-{name}", seed=seed)) for name, seed in (("a", 1), ("b", 1), ("c", 2))
    )

    def curve(run: Run) -> list[float | None]:
        return [epoch.loss for epoch in run.epochs]

    assert curve(first) == curve(second) != curve(other)


def test_exhausted_memory_is_a_status_and_no_smaller_batch(tmp_path: Path) -> None:
    """With room for 112 MiB a step of 1,437 images fails; the run keeps that batch size and says what was asked for."""
    run = done(tmp_path, replace(JOB, batch_size=1437, memory_headroom_bytes=112 * 2**20))

    assert run.status is Status.OOM
    assert run.global_batch_size == 1437
    assert re.fullmatch(r"phase train, \d+ bytes requested", run.status_detail or "")


def test_an_impossible_job_is_failed_with_its_reason(tmp_path: Path) -> None:
    """A device that is not there: the exception is the detail."""
    run = done(tmp_path, replace(JOB, device="cuda:99"))

    assert run.status is Status.FAILED
    assert run.status_detail is not None and run.status_detail.startswith("phase build: ")


def test_a_run_over_its_time_is_ended_and_called_so(tmp_path: Path) -> None:
    """The kill is ours, so it is a timeout and not a kill."""
    run = done(tmp_path, replace(JOB, measure="throughput", limit_s=0.5))

    assert (run.status, run.status_detail) == (Status.TIMEOUT, "ended by the harness after 0.5 s")


def test_a_killed_worker_is_not_called_out_of_memory(tmp_path: Path) -> None:
    """Without evidence the cause is unknown; what it had written is kept."""
    path = tmp_path / f"{JOB.run_id}.jsonl"

    def kill() -> None:
        until = time.monotonic() + 60
        while time.monotonic() < until and (not path.exists() or b'"steps"' not in path.read_bytes()):
            time.sleep(0.05)
        for process in _children():
            os.kill(process, signal.SIGKILL)

    run = done(tmp_path, replace(JOB, measure="throughput"), threading.Timer(0, kill))

    assert (run.status, run.status_detail) == (Status.KILLED, "signal 9, cause unknown")
    assert run.steps


def _children() -> list[int]:
    import psutil  # noqa: PLC0415 - of this test alone

    return [child.pid for child in psutil.Process().children() if "kernels.worker" in child.cmdline()]


def test_a_worker_whose_command_was_killed_stops_and_can_be_recovered(tmp_path: Path) -> None:
    """SIGKILL on the command: the worker leaves the machine within seconds, the journal becomes an unfinished run."""
    command = [sys.executable, "-m", "kernels", "run", "digits_cnn", "--measure", "throughput", "--threads", "1", "--runs", str(tmp_path)]
    parent = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    until = time.monotonic() + 60
    journals: list[Path] = []
    while time.monotonic() < until and not any(b'"steps"' in path.read_bytes() for path in journals):
        time.sleep(0.05)
        journals = list(tmp_path.glob("journals/*.jsonl"))
    parent.kill()
    parent.wait()
    sizes = [-1, journals[0].stat().st_size]
    while sizes[-1] != sizes[-2] and time.monotonic() < until:
        time.sleep(1.5)
        sizes.append(journals[0].stat().st_size)

    recovered = subprocess.run(
        [sys.executable, "-m", "kernels", "recover", "--runs", str(tmp_path)], capture_output=True, text=True, check=True
    )

    assert "recovered as unfinished" in recovered.stdout
    assert not list(tmp_path.glob("journals/*.jsonl"))
    assert len(list(tmp_path.glob("measured/*.parquet"))) == 1


def test_the_environment_of_a_worker_is_controlled(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """What the user's shell says about threads and allocators does not reach it; their other variables do."""
    monkeypatch.setenv("OMP_NUM_THREADS", "99")
    monkeypatch.setenv("LD_PRELOAD", "/lib/other-malloc.so")
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "x")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")

    found = worker.variables(2, "tuned", tmp_path)
    plain = worker.variables(2, "default", tmp_path)

    assert found["OMP_NUM_THREADS"] == "2" and "LD_PRELOAD" not in found and "PYTORCH_CUDA_ALLOC_CONF" not in found
    assert found["CUDA_VISIBLE_DEVICES"] == "1"
    assert worker.TUNED.items() <= found.items()
    assert not worker.TUNED.keys() & plain.keys()


class Roomy:
    """A backend that takes every RuntimeError for a lack of memory."""

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """With 4096 bytes."""
        return OutOfMemory(4096) if isinstance(error, RuntimeError) else None


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (RuntimeError("x"), Status.OOM, "phase train, 4096 bytes requested"),
        (MemoryError(), Status.OOM, "phase train"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), Status.OOM, "phase train"),
        (MeasureError("the batch is too large"), Status.FAILED, "phase train: the batch is too large"),
        (OSError("cannot open /home/somebody/data.bin"), Status.FAILED, "phase train: OSError: cannot open data.bin"),
    ],
)
def test_an_exception_becomes_a_status_without_paths(error: Exception, status: Status, detail: str) -> None:
    """The reserved exit status stands for memory alone."""
    code, end = worker._failed(error, Roomy(), "train")  # type: ignore[arg-type]  # all that is asked of a backend here

    assert (end["status"], end["detail"]) == (status, detail)
    assert (code == worker.OOM_EXIT) == (status is Status.OOM)


def test_a_probe_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend whose import fails is missing, and the reason is the import's."""
    monkeypatch.setitem(worker.BACKENDS, "torch", "kernels.backends.absent")

    found = worker._probe("torch")

    assert "install the extra" in str(found["missing"])
    assert worker.probe("torch").missing is None
