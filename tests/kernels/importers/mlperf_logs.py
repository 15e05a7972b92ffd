"""Small MLPerf logs and submissions of the shapes that real ones have, for the tests."""

import json
from pathlib import Path
from typing import Any


def line(key: str, seconds: float, value: Any = None, **metadata: Any) -> str:
    """One `:::MLLOG` line at some seconds after a day in 2025."""
    event = {
        "namespace": "",
        "time_ms": int((1.75e9 + seconds) * 1000),
        "event_type": "POINT_IN_TIME",
        "key": key,
        "value": value,
    }
    return (
        ":::MLLOG "
        + json.dumps({**event, "metadata": {"file": "train.py", "lineno": 7, **metadata}})
        + "\n"
    )


def log(
    minutes: float, benchmark: str = "resnet", value: float = 0.76, status: str = "success"
) -> str:
    """A whole log: half the way at 0.5, the end at a value."""
    return "".join(
        [
            line("submission_benchmark", -9, benchmark),
            line("seed", -9, 3),
            line("global_batch_size", -9, 256),
            line("run_start", 0),
            line("eval_accuracy", minutes * 30, 0.5, epoch_num=1),
            line("eval_accuracy", minutes * 60, value, epoch_num=2),
            line("run_stop", minutes * 60, status=status),
        ]
    )


FACTS = {
    "submitter": "Acme",
    "division": "closed",
    "system_name": "box",
    "number_of_nodes": "1",
    "accelerators_per_node": "8",
    "accelerator_model_name": "NVIDIA A30",
    "framework": "PyTorch 2.1",
    "host_processor_core_count": "32",
}


def submission(
    root: Path,
    logs: dict[str, str],
    benchmark: str | None = "resnet",
    facts: dict[str, Any] | None = None,
) -> Path:
    """A folder `training_results_v2.0/Acme` with logs by name, and its benchmark's folder."""
    acme = root / "training_results_v2.0" / "Acme"
    folder = acme / "results" / "box" / (benchmark or ".")
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in logs.items():
        (folder / name).write_text(text, newline="")
    (acme / "systems").mkdir(exist_ok=True)
    (acme / "systems" / "box.json").write_text(json.dumps(FACTS if facts is None else facts))
    return folder
