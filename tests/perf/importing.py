"""Importing a results repository of generated MLPerf logs, against decoding the same lines."""

import argparse
import json
from collections.abc import Iterator
from pathlib import Path

from tests.perf.decoding import MARK
from tests.perf.measures import COMMANDS, call, cost, costs, interleaved, module, over


def rows(folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Costs of both, and the ratio."""
    logs = folder / "logs"
    size = make(logs, benchmarks=20, runs=10, events=100 if given.tiny else 2000)
    number = iter(range(1000))
    into = ("kernels", "import", "mlperf", logs, "--runs")
    found = interleaved(
        given.rounds or COMMANDS,
        ours=lambda: cost(module(*into, folder / f"runs{next(number)}")),
        plain=lambda: cost(call("decoding", "decode", logs)),
    )
    yield f"importing {size / 1e6:.0f} MB of MLPerf logs, 200 runs: {costs(found['ours'])}"
    yield f"decoding every line of them with json, one process: {costs(found['plain'])}"
    yield f"CPU ratio of the two, pair by pair: {over(found, 'ours', 'plain')}"


def make(folder: Path, benchmarks: int, runs: int, events: int) -> int:
    """Write a repository as submitters do; returns its bytes."""
    size = 0
    for benchmark in range(benchmarks):
        here = folder / "training_results_v5.0" / f"Toyco{benchmark}" / "results" / "box" / "resnet"
        here.mkdir(parents=True, exist_ok=True)
        for run in range(runs):
            size += (here / f"result_{run}.txt").write_text("".join(_lines(events, run)))
    return size


def _lines(events: int, seed: int) -> Iterator[str]:
    def line(time_ms: int, key: str, value: object, **metadata: object) -> str:
        return f"0: {MARK}{json.dumps({'time_ms': time_ms, 'key': key, 'value': value, 'metadata': metadata})}\n"

    yield line(0, "submission_benchmark", "resnet")
    yield line(500, "seed", seed)
    yield line(1000, "run_start", None)
    for step in range(events):
        place = {"epoch_num": step // 100, "lineno": 12}
        yield line(2000 + 10 * step, "opt_base_learning_rate", 0.1, **place)
    end = 2000 + 10 * events
    yield line(end, "eval_accuracy", 0.76, epoch_num=events // 100)
    yield line(end + 1, "run_stop", None, status="success")
