"""What reading the sensors costs: a training step beside the sampler at work, against one beside
the halted sampler, in turns.
"""

import argparse
import math
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from kernels.backends.base import PLAIN
from kernels.harness import environment
from kernels.machine import system
from kernels.records import DataKind, Precision
from kernels.telemetry.process import DEFAULT_HZ
from kernels.workloads import WORKLOADS
from tests.perf.measures import against, answer, call, interleaved, module, ratio

BATCH: Final = 128
"""Of `cnn10`: two processor cores take a step of it within a second or so."""

TURNS, TURN_S = 48, 1.0
"""Turns of each side and what one lasts at least."""

TOGETHER: Final = 5
"""Turns that share their disturbances."""

WARM: Final = 3
"""Steps by which the length of a turn is found."""


def rows(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The ratio, measured in a worker's environment."""
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as cache:
        variables = environment.of_worker(system.usable_cores(), "tuned", Path(cache))
        asked = call("sampler", "turns", BATCH, given.rounds or TURNS, TURN_S)
        found = answer(asked, variables)
    over = against(ratio(found["on"], found["off"], block=TOGETHER), 1.01)
    yield (
        f"cnn10, batch {BATCH}, FP32: a step with the sensors read {DEFAULT_HZ:g} times a second, "
        f"over one without: {over}"
    )


def turns(batch: int, rounds: int, seconds: float) -> Mapping[str, list[float]]:
    """Seconds a step, turn by turn, with the sampler `on` and `off`."""
    device, timed = _timed(batch, seconds)
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder:
        readings = Path(folder) / "readings"
        readings.touch()
        command = module("kernels.telemetry.process", readings, DEFAULT_HZ, device, 1)
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:

            def beside(sign: signal.Signals) -> float:
                process.send_signal(sign)
                return timed()

            while not readings.stat().st_size and process.poll() is None:
                time.sleep(0.01)
            try:
                return interleaved(
                    rounds,
                    on=lambda: beside(signal.SIGCONT),
                    off=lambda: beside(signal.SIGSTOP),
                )
            finally:
                process.send_signal(signal.SIGCONT)  # a halted one would never end


def _timed(batch: int, seconds: float) -> tuple[str, Callable[[], float]]:
    """The device, and what times steps of ours on it for about so long: seconds a step."""
    pytorch: Any = import_module("kernels.backends.pytorch")
    torch: Any = import_module("torch.utils.benchmark")
    device = pytorch.probe().devices[-1].name
    backend = pytorch.backend(device, Precision.FP32, system.usable_cores(), 0, PLAIN)
    plan = WORKLOADS["cnn10"]
    options = plan.options(DataKind.SYNTHETIC_DEVICE, 1.0, "none")
    training = import_module(plan.module).training(backend, batch_size=batch, epochs=1, **options)

    def endless() -> Iterator[Callable[[], None]]:
        while True:
            yield from training.steps()

    globals_ = {"steps": endless()}
    timer = torch.Timer("next(steps)()", globals=globals_, num_threads=system.usable_cores())
    count = max(1, math.ceil(seconds / timer.timeit(WARM).mean))
    return device, lambda: float(timer.timeit(count).mean)
