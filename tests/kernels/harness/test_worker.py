"""A run in its own process: whatever happens to it, its journal gets an end that says so."""

import contextlib
import errno
import importlib
import re
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from kernels import store
from kernels.backends import BACKENDS
from kernels.backends.base import OutOfMemory
from kernels.errors import MeasureError
from kernels.harness import distributed, environment, journal, recover, worker
from kernels.harness.spec import Job, job_of
from kernels.machine import system
from kernels.records import DataKind, Environment, Run, Setting, Status
from kernels.telemetry.process import beside
from tests.kernels import own_runs
from tests.kernels.harness.kills import kill
from tests.patience import PATIENCE_S, started, wait_for

pytestmark = pytest.mark.torch
pytest.importorskip("torch", reason="measuring needs PyTorch")

JOB = replace(
    own_runs.JOB, run_id="digits-cnn-worker-1", system="toy", batch_size=479, epochs=3, target=0.05
)
JOB = replace(JOB, seed=0, threads=1)


def kernels(line: str) -> list[str]:
    """A command of the harness, as it is typed."""
    return [sys.executable, "-m", "kernels", *line.split()]


def done(tmp_path: Path, job: Job, meanwhile: threading.Timer | None = None) -> Run:
    """The run that a job comes to."""
    path = journal.create(tmp_path, job, Environment())
    if meanwhile is not None:
        meanwhile.start()
    worker.run(path, job, lambda *_: None)
    return recover.run_of(journal.read(path))


def worked(tmp_path: Path, job: Job = JOB) -> tuple[int, Run]:
    """Exit status and run of a job in this process, which has its framework loaded."""
    path = journal.create(tmp_path, job, Environment())
    code = worker._work(path)
    return code, recover.run_of(journal.read(path))


@pytest.fixture(scope="module")
def plain(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """The run that `JOB` comes to, for all that only look at it."""
    return done(tmp_path_factory.mktemp("plain"), JOB)


def test_a_worker_records_what_it_did(plain: Run) -> None:
    """Three epochs of three steps, with the settings that it was started with."""
    run = plain

    assert run.status == Status.OK
    assert len(run.steps) == 9
    assert len(run.epochs) == 3
    assert len(run.evaluations) == 3
    assert run.environment is not None
    assert run.environment.threads == 1
    assert run.environment.allocator == "tuned"
    assert run.environment.memory_format == "channels_last"
    assert Setting("evaluation_interval_samples", "1437") in run.settings
    assert environment.TUNED.items() <= run.extra.items()
    assert (run.value("peak_memory_bytes") or 0) > 50e6


@pytest.fixture(scope="module")
def odd(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """A run with readings, and with every option set to something else than usual."""
    job = replace(
        JOB,
        memory_format="contiguous",
        deterministic=True,
        allocator="default",
        telemetry_hz=50.0,
    )
    path = journal.create(tmp_path_factory.mktemp("odd"), job, Environment())
    worker.run(path, job_of(journal.read(path)[0]["job"]), lambda *_: None)
    return recover.run_of(journal.read(path), beside(path))


def test_a_run_is_watched_by_a_process_beside_it(odd: Run) -> None:
    """Readings on the run's clock from first to last step; reasons for the rest; the cost."""
    run = odd

    told = run.extra
    assert run.telemetry[0].time_s < 0 < (run.wall_time_s or 0) < run.telemetry[-1].time_s
    assert all(sample.memory_bytes for sample in run.telemetry)
    assert (told["telemetry_hz"], told["telemetry_clock"]) == ("50", "shared")
    assert {"telemetry_missing_fan", "telemetry_missing_throttle_mask"} <= told.keys()
    assert 0 < float(told["telemetry_sampler_cpu_share"]) < 1


def test_the_same_seed_makes_the_same_curve(tmp_path: Path, plain: Run) -> None:
    """In whichever process; and another seed another one."""
    second, other = (
        worked(tmp_path, replace(JOB, run_id=f"digits-cnn-worker-{seed}", seed=seed))[1]
        for seed in (JOB.seed, JOB.seed + 1)
    )

    def curve(run: Run) -> list[float | None]:
        return [epoch.loss for epoch in run.epochs]

    assert curve(plain) == curve(second) != curve(other)


def test_exhausted_memory_is_a_status_and_no_smaller_batch(tmp_path: Path) -> None:
    """In 104 MiB a pass of 1,437 images fails; the run keeps its batch and says what it asked."""
    run = done(tmp_path, replace(JOB, batch_size=1437, memory_headroom_bytes=104 * 2**20))

    assert run.status is Status.OOM
    assert run.global_batch_size == 1437
    assert re.fullmatch(r"phase forward, \d+ bytes requested", run.status_detail or "")


NO_ROOM = RuntimeError("DefaultCPUAllocator: not enough memory: you tried to allocate 4096 bytes.")
"""What PyTorch's allocator says on a CPU."""


@pytest.mark.parametrize(
    ("part", "place"),
    [
        ("build", "kernels.workloads.digits_cnn._model"),
        ("forward", "torch.nn.CrossEntropyLoss.forward"),
        ("backward", "torch.Tensor.backward"),
        ("optimizer", "torch.optim.SGD.step"),
        ("evaluation", "kernels.workloads.digits_cnn._Digits.held_out"),
        ("unknown", "kernels.workloads.digits_cnn._Digits.train"),
    ],
)
def test_the_phase_in_which_memory_ran_out_is_recorded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, place: str
) -> None:
    """That of the allocation that failed; while a batch is made no part of a step is under way."""

    def full(*_: object, **__: object) -> None:
        raise NO_ROOM

    monkeypatch.setattr(place, full)

    code, run = worked(tmp_path)

    assert (code, run.status) == (worker.OOM_EXIT, Status.OOM)
    assert run.status_detail == f"phase {part}, 4096 bytes requested"


def test_an_impossible_job_is_failed_with_its_reason(tmp_path: Path) -> None:
    """A device that is not there: the exception is the detail."""
    _, run = worked(tmp_path, replace(JOB, device="cuda:99"))

    assert run.status is Status.FAILED
    assert (run.status_detail or "").startswith("phase build: ")


def test_every_option_is_set_and_recorded(odd: Run) -> None:
    """Layout, determinism and allocator; the first step is apart."""
    run, found = odd, odd.environment

    assert found is not None
    assert found.memory_format == "contiguous"
    assert found.deterministic is True
    assert found.allocator == "default"
    assert found.cpu_affinity == system.affinity()
    assert (found.compile_mode, found.threads) == ("eager", 1)
    extra = run.extra
    assert extra["THP_MEM_ALLOC_ENABLE"] == "unset"
    assert not environment.TUNED.keys() & extra.keys()
    assert {
        name.replace("start", "end") for name in extra if name.startswith("cpu_clock_start")
    } <= extra.keys()
    assert all(
        run.metric(name)
        for name in ("first_step_s", "compile_time_s", "rest_time_s", "queued_share")
    )


def test_two_processes_share_a_batch(tmp_path: Path) -> None:
    """One process's curve save for rounding and half batches; each rank takes the same steps."""
    run = done(tmp_path, replace(JOB, processes=2, batch_size=478))

    assert run.status == Status.OK
    assert run.processes == 2
    assert run.parallelism == "synchronous_data_parallel"
    assert run.accelerators == 1
    assert (run.global_batch_size, len(run.steps), len(run.evaluations)) == (478, 9, 3)
    assert Setting("evaluation_interval_samples", "1434") in run.settings


def test_a_rank_that_is_killed_ends_the_run_with_its_number(tmp_path: Path) -> None:
    """The other one does not wait for it, and nothing of the run is left behind."""
    path = tmp_path / f"{JOB.run_id}.jsonl"
    seen: list[psutil.Process] = []

    def kill() -> None:
        wait_for(lambda: path.exists() and b'"steps"' in path.read_bytes(), "the first steps")
        for process in psutil.Process().children(recursive=True):
            with contextlib.suppress(psutil.Error):
                if process.environ().get("RANK") in {"0", "1"}:
                    seen.append(process)
        next(process for process in seen if process.environ()["RANK"] == "1").kill()

    run = done(
        tmp_path,
        replace(JOB, processes=2, batch_size=64, measure="throughput", limit_s=PATIENCE_S),
        threading.Timer(0, kill),
    )

    assert (run.status, run.status_detail) == (Status.KILLED, "rank 1: signal 9, cause unknown")
    assert run.steps
    assert not any(process.is_running() for process in seen)


def test_a_rank_that_is_killed_while_the_kernel_counts_a_memory_kill_is_out_of_memory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The evidence reaches what is said of several processes as it does that of one."""
    counts = iter((4, 5))
    monkeypatch.setattr(system, "oom_kills", lambda: next(counts))
    said = "rank : 1 (local_rank: 1)\n  exitcode : -9 (pid: 4711)"
    script = f"import sys; sys.exit({said!r})"
    monkeypatch.setattr(distributed, "command", lambda *_: [sys.executable, "-c", script])

    run = done(tmp_path, replace(JOB, processes=2, batch_size=478))

    assert run.status == Status.OOM
    assert run.status_detail == "rank 1: killed, and the kernel's count of memory kills rose"


def test_a_failed_import_is_a_status(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The phase says that nothing was built."""
    monkeypatch.setitem(BACKENDS, "torch", "kernels.backends.absent")

    code, run = worked(tmp_path)

    why = "phase import: ModuleNotFoundError: No module named 'kernels.backends.absent'"
    assert (code, run.status, run.status_detail) == (1, Status.FAILED, why)


def test_an_evaluation_begins_with_all_steps_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A kill in the midst of it costs none of them."""
    digits = importlib.import_module("kernels.workloads.digits_cnn")
    path = journal.create(tmp_path, JOB, Environment())
    seen: list[int] = []
    held = digits._Digits.held_out

    def looking(self: object) -> object:
        seen.append(
            sum(len(event["rows"]) for event in journal.read(path) if event["event"] == "steps")
        )
        return held(self)

    monkeypatch.setattr(digits._Digits, "held_out", looking)
    worker._work(path)

    assert seen == [3, 6, 9]


def test_a_learning_rate_that_diverges_is_a_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The steps until then are kept, no figure is NaN, and it is no failure of the harness."""
    monkeypatch.setattr("kernels.workloads.digits_cnn.PEAK_RATE", 1e12)

    code, run = worked(tmp_path)

    assert (code, run.status, run.stop_reason) == (0, Status.DIVERGED, "loss_not_finite")
    assert run.steps and run.epochs[-1].loss is None
    assert (run.status_detail or "").endswith("of 3 is nan")


def test_a_run_shorter_than_its_protocol_has_not_diverged(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has learnt nothing, and two epochs of the workload's twelve are no chance to."""
    monkeypatch.setattr("kernels.workloads.digits_cnn.PEAK_RATE", 0.0)

    code, run = worked(tmp_path, replace(JOB, epochs=2, target=0.97))

    assert (code, run.status) == (0, Status.NOT_CONVERGED)
    assert (run.status_detail or "").endswith(
        "is that of guessing, and only after 6 epochs would that be divergence"
    )


def test_a_run_over_its_time_is_ended_and_called_so(tmp_path: Path) -> None:
    """It stopped by its time, not by our kill; before two timed steps it is unfinished."""
    run = done(tmp_path, replace(JOB, measure="throughput", limit_s=0.5))

    assert (run.status, run.stop_reason) == (Status.UNFINISHED, "timeout")
    assert run.status_detail == "ended by the harness after 0.5 s"


def test_a_step_longer_than_the_budget_is_ended(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """From outside: here a step of a million products. Loading PyTorch is not counted."""
    monkeypatch.setattr(worker, "GRACE_S", 1.0)
    product = replace(
        JOB,
        workload="matmul",
        size=512,
        data=DataKind.SYNTHETIC_DEVICE,
        measure="throughput",
        target=None,
    )
    began = time.monotonic()

    run = done(tmp_path, replace(product, batch_size=1_000_000, budget_s=1.0))

    assert (run.status, run.stop_reason) == (Status.UNFINISHED, "timeout") and not run.steps
    assert run.status_detail == (
        "ended by the harness 3 s after its first step began, as its budget was 1 s: one step "
        "takes too long for it: choose a smaller "
        "batch or size, another precision, or a larger --budget"
    )
    assert time.monotonic() - began < PATIENCE_S


@pytest.mark.parametrize(
    ("given", "limit"),
    [
        ({"budget_s": 5.0}, 25.0),
        ({"budget_s": 60.0}, 180.0),
        ({"budget_s": 5.0, "device": "cuda:0"}, 145.0),
        ({"budget_s": 5.0, "compiled": True}, 145.0),
        ({"budget_s": 5.0, "backend": "jax"}, 145.0),
        ({"budget_s": None}, None),
        ({"budget_s": 5.0, "measure": "convergence"}, None),
    ],
)
def test_how_long_a_budget_waits_for_a_step(given: dict[str, object], limit: float | None) -> None:
    """Twice as long again, and never less than 20 s; two minutes more where the first step compiles
    or searches.
    """
    found = worker.within(replace(JOB, **({"measure": "throughput"} | given)))  # type: ignore[arg-type]  # tests name the fields

    assert (found and found[0]) == limit


def test_sigterm_ends_a_run_as_control_c_does(tmp_path: Path) -> None:
    """Exit 143; killed with its steps, nothing is left, a second signal does no harm."""
    command = kernels("run digits_cnn --measure throughput --device cpu --threads 1 --together")
    with started(
        [*command, "--runs", str(tmp_path)], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    ) as process:
        wait_for(
            lambda: any(
                b'"steps"' in path.read_bytes() for path in tmp_path.glob("journals/*.jsonl")
            ),
            "the first steps",
            process,
        )
        family = psutil.Process(process.pid).children(recursive=True)

        process.send_signal(signal.SIGTERM)
        process.send_signal(signal.SIGTERM)
        _, said = process.communicate(timeout=PATIENCE_S)
    (run,) = store.read(tmp_path).runs

    assert process.returncode == 143 and b"what was recorded until now is kept" in said
    assert (run.status, run.status_detail) == (Status.KILLED, "ended by SIGTERM")
    assert run.steps and not list((tmp_path / "journals").iterdir())
    assert family and not psutil.wait_procs(family, timeout=PATIENCE_S)[1]


@pytest.mark.parametrize(("victim", "at_s"), [("worker", 1.2), ("command", 1.4), ("both", 0.7)])
def test_a_killed_run_can_be_recovered(tmp_path: Path, victim: str, at_s: float) -> None:
    """SIGKILL: a second is lost at most. Of a killed worker the cause is unknown: without evidence
    it is not called out of memory.
    """
    done = kill(tmp_path, victim, at_s, trained=True)
    (run,) = store.read(tmp_path).runs

    assert done.refused is None
    assert done.status == (Status.KILLED if victim == "worker" else Status.UNFINISHED)
    if victim == "worker":
        assert run.steps and run.status_detail == "signal 9, cause unknown"


def test_a_file_that_may_grow_no_more_ends_the_run_with_a_word(tmp_path: Path) -> None:
    """A quota on file size: exit 1; recorded so far, with the reason as its status."""
    command = kernels("run digits_cnn --batch-size 2 --threads 1 --telemetry off --runs")
    found = subprocess.run(
        ["/bin/sh", "-c", 'ulimit -f 160; exec "$@"', "sh", *command, str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE_S,
    )
    (run,) = store.read(tmp_path).runs

    assert found.returncode == 1 and "Traceback" not in found.stderr
    assert run.status is Status.FAILED and len(run.steps) > 100
    assert "File too large" in (run.status_detail or "")
    assert not list((tmp_path / "journals").iterdir())


def test_the_environment_of_a_worker_is_controlled(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A shell's words on threads and allocators do not reach it; its other variables do."""
    monkeypatch.setenv("OMP_NUM_THREADS", "99")
    monkeypatch.setenv("LD_PRELOAD", "/lib/other-malloc.so")
    monkeypatch.setenv("PYTORCH_CUDA_ALLOC_CONF", "x")
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "1")
    monkeypatch.setenv("ATEN_CPU_CAPABILITY", "default")
    for cache in (
        "TORCHINDUCTOR_CACHE_DIR",
        "TRITON_CACHE_DIR",
        "JAX_COMPILATION_CACHE_DIR",
        "CUDA_CACHE_PATH",
    ):
        # whatever an earlier run compiled would fake the first step of this one
        monkeypatch.setenv(cache, "/warm")

    found = environment.of_worker(2, "tuned", tmp_path)
    plain = environment.of_worker(2, "default", tmp_path, deterministic=True)

    assert (
        found["OMP_NUM_THREADS"] == "2"
        and "LD_PRELOAD" not in found
        and "PYTORCH_CUDA_ALLOC_CONF" not in found
    )
    assert found["CUDA_VISIBLE_DEVICES"] == "1" and "ATEN_CPU_CAPABILITY" not in found
    assert environment.TUNED.items() <= found.items()
    assert not environment.TUNED.keys() & plain.keys()
    assert found["TORCHINDUCTOR_CACHE_DIR"] == str(tmp_path) and "/warm" not in found.values()
    assert plain["CUBLAS_WORKSPACE_CONFIG"] == ":4096:8" and "CUBLAS_WORKSPACE_CONFIG" not in found


class Roomy:
    """A backend that takes every RuntimeError for a lack of memory."""

    def out_of_memory(self, error: BaseException) -> OutOfMemory | None:
        """With 4096 bytes."""
        return OutOfMemory(4096) if isinstance(error, RuntimeError) else None


@pytest.mark.parametrize(
    ("error", "status", "detail"),
    [
        (RuntimeError("x"), Status.OOM, "phase unknown, 4096 bytes requested"),
        (MemoryError(), Status.OOM, "phase unknown"),
        (OSError(errno.ENOMEM, "Cannot allocate memory"), Status.OOM, "phase unknown"),
        (
            MeasureError("the batch is too large"),
            Status.FAILED,
            "phase train: the batch is too large",
        ),
        (
            OSError("cannot open /home/somebody/data.bin"),
            Status.FAILED,
            "phase train: OSError: cannot open data.bin",
        ),
    ],
)
def test_an_exception_becomes_a_status_without_paths(
    error: Exception, status: Status, detail: str
) -> None:
    """The reserved exit status stands for memory alone."""
    code, end = worker._failed(error, Roomy(), "train")  # type: ignore[arg-type]  # all that is asked of a backend here

    assert (end["status"], end["detail"]) == (status, detail)
    assert (code == worker.OOM_EXIT) == (status is Status.OOM)


def test_a_probe_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A backend whose import fails is missing, and the reason is the import's."""
    monkeypatch.setitem(BACKENDS, "torch", "kernels.backends.absent")

    found = worker._probe("torch")

    assert "install the extra" in (found.missing or "")
    assert worker.probe("torch").missing is None
