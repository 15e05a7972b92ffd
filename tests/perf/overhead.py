"""What measuring costs, taken in turns: our loop, journal and all, against one as one writes it by
hand; and a step while the sensors are read, against one while their sampler is halted.
"""

import argparse
import json
import math
import os
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from kernels.backends.base import PLAIN, Training
from kernels.harness import environment, journal, measure, worker
from kernels.machine import processes, system
from kernels.records import DataKind, Phase, Precision
from kernels.telemetry.process import DEFAULT_HZ
from kernels.workloads import WORKLOADS
from tests.perf.measures import against, call, estimate, interleaved, module, ratio

BATCHES: Final = {"cnn10": 128, "resnet50": 16}
"""Batch sizes that two processor cores take a step of within a second or so."""
TURN_S: Final = 1.0
"""What a turn lasts at least."""
TOGETHER: Final = 5
"""Turns that share their disturbances."""
WARM: Final = 3
"""Steps by which the length of a turn is found."""
ENDLESS: Final = measure.Rules(half_width=-1.0, noise_change=-1.0)
"""The usual rules, looked at as often as usual, and never content: time ends a turn."""

Turns = dict[str, list[float]]
"""Seconds a step of each side, turn by turn."""


def rows(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The ratios of each network."""
    for name, batch in BATCHES.items():
        found = _in_a_worker("turns", name, batch, given.rounds or 24)
        words = f"{name}, batch {batch}, FP32"
        for what, side in (
            ("our loop, journal and all", "ours"),
            ("the step time that it records", "recorded"),
        ):
            over = against(ratio(found[side], found["by_hand"], block=TOGETHER), most=1.01)
            yield f"{words}: {what}, over a loop by hand: {over}"
        gaps = [1e6 * (x - y) for x, y in zip(found["ours"], found["recorded"], strict=True)]
        yield f"{words}: between two of our steps, in us: {estimate(gaps, block=TOGETHER)}"


def sensors(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The ratio of a step with the sensors read."""
    batch = BATCHES["cnn10"]
    found = _in_a_worker("sampled", "cnn10", batch, given.rounds or 48)
    over = against(ratio(found["on"], found["off"], block=TOGETHER), most=1.01)
    often = f"a step with the sensors read {DEFAULT_HZ:g} times a second, over one without"
    yield f"cnn10, batch {batch}, FP32: {often}: {over}"


def _in_a_worker(function: str, *words: object) -> Any:
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as cache:
        variables = environment.of_worker(system.usable_cores(), "tuned", Path(cache))
        command = call("overhead", function, *words, TURN_S)
        said = subprocess.check_output(command, cwd=system.ROOT, env=variables)
    return json.loads(said.splitlines()[-1])


def ours(name: str, batch: int) -> tuple[Any, Callable[[], Training]]:
    """The harness's backend with its defaults, and what makes a training on it."""
    pytorch: Any = import_module("kernels.backends.pytorch")
    device = pytorch.probe().devices[-1].name
    backend = pytorch.backend(device, Precision.FP32, system.usable_cores(), 0, PLAIN)
    plan = WORKLOADS[name]
    options = plan.options(DataKind.SYNTHETIC_DEVICE, 1.0, "none")
    training = import_module(plan.module).training
    return backend, partial(training, backend, batch_size=batch, epochs=plan.epochs, **options)


def turns(name: str, batch: int, rounds: int, seconds: float) -> Turns:
    """Our loop and one by hand; of ours also the step time that it records."""
    backend, training = ours(name, batch)
    hand = _by_hand(training(), seconds)
    rules = replace(ENDLESS, cap_s=seconds)
    with (
        tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder,
        closing(journal.Journal(Path(folder) / "perf.jsonl")) as kept,
    ):
        head = [{"event": "start", "owner": processes.identity()}]
        recorder = worker._Recorder(kept, system.LoadMeter((os.getpid(),)), head)
        clock = measure._Timer(backend, time.perf_counter, recorder, measure.ALONE)
        stream = measure._Stream(training(), clock)

        def measured() -> tuple[float, float]:
            stream.take(Phase.WARMUP)
            start, began = time.perf_counter(), clock.now()
            timed, _ = measure._measured(
                stream, clock, recorder, rules, first=0.0, began=began, data=None
            )
            whole = (time.perf_counter() - start) / len(timed)
            return whole, statistics.fmean(step.duration_s for step in timed)

        measured()
        found: Mapping[str, list[Any]] = interleaved(rounds, ours=measured, by_hand=hand)
    whole, recorded = map(list, zip(*found["ours"], strict=True))
    return {**found, "ours": whole, "recorded": recorded}


def sampled(name: str, batch: int, rounds: int, seconds: float) -> Turns:
    """Our steps with the sampler `on` and `off`."""
    backend, training = ours(name, batch)
    one = training()

    def endless() -> Iterator[Callable[[], None]]:
        while True:
            yield from one.steps()

    timed = _lasting("next(step)()", endless(), seconds)
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder:
        readings = Path(folder) / "readings"
        readings.touch()
        command = module("kernels.telemetry.process", readings, DEFAULT_HZ, backend.device, 1)
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:

            def beside(sign: signal.Signals) -> float:
                process.send_signal(sign)
                return timed()

            while not readings.stat().st_size and process.poll() is None:
                time.sleep(0.01)
            on, off = (partial(beside, sign) for sign in (signal.SIGCONT, signal.SIGSTOP))
            try:
                return {**interleaved(rounds, on=on, off=off)}
            finally:
                process.send_signal(signal.SIGCONT)  # a halted one would never end


def _by_hand(like: Any, seconds: float) -> Callable[[], float]:
    """Returns what times steps of the same training in which nothing is timed, counted or kept, for
    about so long.
    """
    torch: Any = import_module("torch")
    model, (images, labels) = like._model.train(), next(like._feed.train(0))
    decay, momentum = (float(like.settings[name]) for name in ("weight_decay", "momentum"))
    optimiser = torch.optim.SGD(
        model.parameters(), lr=like.learning_rate(), momentum=momentum, weight_decay=decay
    )
    criterion = torch.nn.CrossEntropyLoss()

    def step() -> None:
        optimiser.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimiser.step()

    return _lasting("step()", step, seconds)


def _lasting(statement: str, step: object, seconds: float) -> Callable[[], float]:
    """Returns what times a statement for about so long: its mean seconds."""
    benchmark: Any = import_module("torch.utils.benchmark")
    timer = benchmark.Timer(statement, globals={"step": step}, num_threads=system.usable_cores())
    count = max(1, math.ceil(seconds / timer.timeit(WARM).mean))
    return lambda: float(timer.timeit(count).mean)
