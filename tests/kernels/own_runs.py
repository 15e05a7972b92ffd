"""A run of this harness that is in order, as its own journal would make it."""

from dataclasses import asdict, replace
from typing import Any

from kernels.harness import recover
from kernels.harness.spec import Job, Request
from kernels.records import DataKind, Origin, Precision, Run
from kernels.workloads import WORKLOADS

JOB = Job(
    run_id="digits-cnn-toy-1",
    workload="digits_cnn",
    backend="torch",
    device="cpu",
    system="cpu-toy-2c",
    accelerator="cpu-toy",
    batch_size=64,
    precision=Precision.FP32,
    data=DataKind.REAL,
    measure="convergence",
    epochs=2,
    target=0.97,
    seed=3,
    repeat_index=0,
    threads=2,
    allocator="tuned",
    started_at="2026-11-20T05:00:00+00:00",
)


def a_request(device: str = "auto", **more: object) -> Request:
    """What the plainest command asks for."""
    asked: dict[str, object] = {
        "plan": WORKLOADS["digits_cnn"],
        "backend": "torch",
        "device": device,
        "batch_sizes": (64,),
        "precision": Precision.FP32,
        "data": DataKind.REAL,
        "measure": "convergence",
        "seeds": (0,),
        "allocator": "tuned",
    }
    asked |= dict.fromkeys(("epochs", "target", "threads", "limit_s"))
    return Request(**(asked | more))  # type: ignore[arg-type]  # tests name the fields


def a_run(faster: float = 1.0, **fields: Any) -> Run:
    """Two epochs of 25 steps, a reading after each: the second reaches the target."""
    machine = {
        "os": "Toy OS",
        "python": "3.11",
        "cpu_model": "Toy CPU",
        "git_commit": "0123abc" * 5,
        "git_dirty": False,
        "command": "run",
    }
    facts = {"threads": 2, "allocator": "tuned", "compile_mode": "eager"}
    rows = [
        [
            index,
            "compile" if index == 0 else "measure" if index >= 25 else "warmup",
            index // 25 * 3.0 + index % 25 * 0.092 / faster,
            step_s,
            index // 25,
        ]
        for index in range(50)
        if (step_s := (0.09 + 0.0001 * (index % 7)) / faster)
    ]
    events: list[dict[str, Any]] = [
        {"event": "start", "version": 1, "job": asdict(JOB), "environment": machine},
        {
            "event": "environment",
            "environment": facts,
            "extra": {},
            "software": {"torch": "9.9"},
            "settings": {"momentum": "0.9"},
        },
        {"event": "steps", "rows": rows},
    ]
    for epoch in range(2):
        done = epoch + 1
        times = {"start_s": 3.0 * epoch, "duration_s": 2.5, "evaluation_s": 0.5}
        place = {"epoch": float(done), "samples": 1600 * done, "step": 25 * done}
        place |= {"time_s": 3.0 * done, "train_time_s": 2.5 * done}
        reading = {"metric": "top1", "value": 0.5 + 0.48 * epoch}
        events += [
            {"event": "epoch", "index": epoch, "samples": 1600, **times},
            {"event": "evaluation", **reading, **place},
        ]
    end = {"status": "ok", "stop_reason": "epochs_done", "peak_memory_bytes": 5}
    events.append({"event": "end", **end, "foreign_cores": 0.0})
    return replace(recover.run_of(events), **fields)


def submitted(**fields: Any) -> Run:
    """The same from a stranger."""
    return a_run(**{"origin": Origin.SUBMITTED, "source": "submitted"} | fields)
