"""What measuring costs, and what the harness's default settings bring: rows of `make perf` that
need PyTorch.
"""

import importlib.util
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, Final

from kernels import store
from kernels.harness import environment
from kernels.machine import system
from tests.perf.ratios import against, estimate, interleaved, ratio

BATCHES: Final = {"cnn10": 128, "resnet50": 16}
"""Batch sizes that two processor cores take a step of within a second or so."""

TINY: Final = 2
FEW: Final = 3
"""Batch size and turns of a trial."""

TURNS: Final = 24
TURN_S: Final = 1.0
PROCESSES: Final = 5
PROCESS_S: Final = 30
"""Turns of each side and what one lasts at least; processes of each side and what one lasts at
most.
"""

STEPS_TOGETHER: Final = 5
"""Neighbouring turns share their disturbances."""

DEFAULTS: Final = {
    "ours": "the harness's defaults (tuned allocator, channels last",
    "plain": "PyTorch's own (the C library's allocator, contiguous",
}


def absent() -> str | None:
    """Why there is nothing to measure."""
    return None if importlib.util.find_spec("torch") else "not measured: PyTorch is not installed"


def networks(tiny: bool) -> Iterator[tuple[str, int, str]]:
    """Name and batch size of what is trained, and both in words."""
    for name, usual in BATCHES.items():
        batch = TINY if tiny else usual
        yield name, batch, f"{name}, batch {batch}, FP32"


def overhead(rounds: int | None, tiny: bool) -> Iterator[str]:
    """Our loop against one by hand, and against PyTorch's own timer on our step; all in one
    process, in turns.
    """
    for name, batch, words in networks(tiny):
        found = _ask(
            "overhead",
            name,
            batch,
            rounds or (FEW if tiny else TURNS),
            TURN_S / 20 if tiny else TURN_S,
        )
        rows = {
            "our loop, journal and all, over a loop by hand": (found["ours"], found["by_hand"]),
            "the step time that it records, over a loop by hand": (
                found["recorded"],
                found["by_hand"],
            ),
            "our loop over torch.utils.benchmark on our step": (found["ours"], found["benchmark"]),
        }
        for what, (a, b) in rows.items():
            yield f"{words}: {what}: {against(ratio(a, b, block=STEPS_TOGETHER), most=1.01)}"
        between = estimate(
            [1e6 * (x - y) for x, y in zip(found["ours"], found["recorded"], strict=True)],
            block=STEPS_TOGETHER,
        )
        yield f"{words}: between two of our steps, in microseconds: {between}"


def defaults(rounds: int | None, tiny: bool) -> Iterator[str]:
    """`kernels run` as it comes against a loop by hand as PyTorch comes; a fresh process each, as
    an allocator is chosen at its start.
    """
    seconds = 3 if tiny else PROCESS_S
    for name, batch, words in networks(tiny):
        ours, plain = (partial(side, name, batch, seconds) for side in (_as_measured, _as_it_comes))
        found = interleaved(rounds or (1 if tiny else PROCESSES), ours=ours, plain=plain)
        rates = {side: [rate for rate, _ in each] for side, each in found.items()}
        for side, whose in DEFAULTS.items():
            yield (
                f"{words}: images/s by {whose}, {found[side][0][1]} threads): "
                f"{estimate(rates[side])}"
            )
        yield (
            f"{words}: throughput by our defaults over PyTorch's own: "
            f"{against(ratio(rates['ours'], rates['plain']), least=1.3)}"
        )


def sampler(rounds: int | None, tiny: bool) -> Iterator[str]:
    """A step beside the sampler at work against one beside the halted sampler."""
    name, batch, words = next(networks(tiny))
    found = _ask(
        "sampler",
        name,
        batch,
        rounds or (FEW if tiny else 2 * TURNS),
        TURN_S / 5 if tiny else TURN_S,
    )
    over = against(ratio(found["on"], found["off"], block=STEPS_TOGETHER), most=1.01)
    yield (
        f"{words}: a step with the sensors read {found['hz']:g} times a second, over one "
        f"without: {over}"
    )
    yield f"the sampler's own processor time: {found['core_share']:.2%} of one core"


def _ask(
    what: str, name: str, batch: int, rounds: int, seconds: float, *, own: bool = True
) -> dict[str, Any]:
    """The answer of `tests.perf.steps`, in the environment of a worker, or in that of a user who
    set nothing.
    """
    command = [
        sys.executable,
        "-m",
        "tests.perf.steps",
        what,
        name,
        str(batch),
        str(rounds),
        str(seconds),
    ]
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as cache:
        done = subprocess.run(
            command,
            cwd=system.ROOT,
            env=dict(_variables(Path(cache), own)),
            stdout=subprocess.PIPE,
            check=True,
        )
    answer: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _variables(cache: Path, own: bool) -> Mapping[str, str]:
    if own:
        return environment.of_worker(system.usable_cores(), "tuned", cache)
    kept = environment.of_worker(1, "default", cache)
    return {
        variable: value for variable, value in kept.items() if not variable.endswith("_NUM_THREADS")
    }


def _as_it_comes(name: str, batch: int, seconds: int) -> tuple[float, int | None]:
    """Images a second of a loop by hand, and the threads that PyTorch chose."""
    found = _ask("plain", name, batch, 1, seconds, own=False)
    return batch / float(found["step_s"]), int(found["threads"])


def _as_measured(name: str, batch: int, seconds: int) -> tuple[float, int | None]:
    """Images a second of a run of the harness, as recorded, and its threads."""
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as runs:
        command = [
            sys.executable,
            "-m",
            "kernels",
            "run",
            name,
            "--data",
            "synthetic",
            "--measure",
            "throughput",
        ]
        command += ["--batch-size", str(batch), "--budget", str(seconds), "--runs", runs]
        subprocess.run(
            command, cwd=system.ROOT, env=os.environ, stdout=subprocess.DEVNULL, check=True
        )
        (run,) = store.read(Path(runs)).runs
    found = run.metric("throughput_images_per_s")
    if found is None or found.value is None:
        raise RuntimeError(
            f"{run.run_id} recorded no throughput: {run.status}, {run.status_detail}"
        )
    return found.value, None if run.environment is None else run.environment.threads
