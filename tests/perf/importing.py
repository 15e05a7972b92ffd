"""What importing costs: a results repository of generated logs, against reading the same lines with
`json` alone.

`python -m tests.perf.importing make FOLDER BENCHMARKS RUNS EVENTS` writes the logs,
`... plain FOLDER` is the baseline: every line of every log decoded in one process, and nothing made
of it.
"""

import json
import sys
from pathlib import Path

MARK = ":::MLLOG "


def make(folder: Path, benchmarks: int, runs: int, events: int) -> int:
    """Write a repository as submitters do; returns its bytes."""
    size = 0
    for benchmark in range(benchmarks):
        here = folder / "training_results_v5.0" / f"Toyco{benchmark}" / "results" / "box" / "resnet"
        here.mkdir(parents=True, exist_ok=True)
        for run in range(runs):
            path = here / f"result_{run}.txt"
            path.write_text("".join(_lines(events, run)), encoding="utf-8")
            size += path.stat().st_size
    return size


def _lines(events: int, seed: int) -> list[str]:
    def line(time_ms: int, key: str, value: object, **metadata: object) -> str:
        return f"0: {MARK}{json.dumps({'time_ms': time_ms, 'key': key, 'value': value, 'metadata': metadata})}\n"

    steps = [
        line(2000 + 10 * step, "opt_base_learning_rate", 0.1, epoch_num=step // 100, lineno=12)
        for step in range(events)
    ]
    end = 2000 + 10 * events
    return [
        line(0, "submission_benchmark", "resnet"),
        line(500, "seed", seed),
        line(1000, "run_start", None),
        *steps,
        line(end, "eval_accuracy", 0.76, epoch_num=events // 100),
        line(end + 1, "run_stop", None, status="success"),
    ]


def plain(folder: Path) -> int:
    """Decode every line, keep none."""
    count = 0
    for path in sorted(folder.rglob("result_*.txt")):
        with path.open("rb") as file:
            for raw in file:
                text = raw.decode("utf-8", errors="replace")
                at = text.find(MARK)
                if at >= 0:
                    json.loads(text[at + len(MARK) :])
                    count += 1
    return count


if __name__ == "__main__":
    if sys.argv[1] == "make":
        make(Path(sys.argv[2]), *map(int, sys.argv[3:6]))
    else:
        plain(Path(sys.argv[2]))
