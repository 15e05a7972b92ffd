"""What needs PyTorch, each in a process of its own: `overhead`, `sampler` and `plain` return times
in seconds a step. `rounds` are turns, `seconds` what one turn lasts at least.
"""

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
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import torch
from torch import nn
from torch.utils import benchmark

from kernels.backends import pytorch
from kernels.backends.base import PLAIN, OneStep, Training
from kernels.harness import journal, measure, worker
from kernels.machine import processes, system
from kernels.records import DataKind, Phase, Precision
from kernels.telemetry.process import DEFAULT_HZ
from kernels.workloads import WORKLOADS, cifar10, cnn10, resnet, resnet50
from tests.perf.measures import interleaved, module

WARM: Final = 3
"""Steps that a side takes before its first turn."""

ENDLESS: Final = measure.Rules(half_width=-1.0, noise_change=-1.0)
"""The usual rules, looked at as often as usual, and never content: time ends a turn."""


@dataclass(frozen=True, slots=True)
class Network:
    """What a loop by hand must have in common with a workload on synthetic images."""

    model: Callable[[], nn.Module]
    pixels: int
    classes: int
    rate: Callable[[int], float]
    decay: float


NETWORKS: Final[Mapping[str, Network]] = {
    "cnn10": Network(
        cnn10.model, 32, 10, lambda batch: cifar10.BASE_RATE * batch / cifar10.BASE_BATCH, 0.0
    ),
    "resnet50": Network(
        partial(resnet.model, resnet.Bottleneck, resnet50.BLOCKS),
        224,
        1000,
        lambda _: resnet.SYNTHETIC_RATE,
        5e-5,
    ),
}


def by_hand(name: str, batch: int, device: torch.device, layout: torch.memory_format) -> OneStep:
    """A training as one writes it by hand: nothing is timed, counted or kept."""
    network = NETWORKS[name]
    model = network.model().to(device, memory_format=layout)  # type: ignore[call-overload]  # the stubs lack the layout
    model.train()
    images = torch.randn(batch, 3, network.pixels, network.pixels, device=device)
    images = images.contiguous(memory_format=layout)
    labels = torch.randint(network.classes, (batch,), device=device)
    optimiser = torch.optim.SGD(
        model.parameters(), lr=network.rate(batch), momentum=0.9, weight_decay=network.decay
    )
    criterion = nn.CrossEntropyLoss()

    def step() -> None:
        optimiser.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimiser.step()

    return step


def device() -> str:
    """Where the harness would train."""
    return "cuda:0" if torch.cuda.is_available() else "cpu"


def ours(name: str, batch: int) -> tuple[pytorch.PyTorch, Callable[[], Training]]:
    """The harness's backend with its defaults, and what makes a training on it."""
    backend = pytorch.backend(device(), Precision.FP32, system.usable_cores(), 0, PLAIN)
    plan = WORKLOADS[name]
    options = plan.options(DataKind.SYNTHETIC_DEVICE, 1.0, "none")
    training = import_module(plan.module).training
    return backend, partial(training, backend, batch_size=batch, epochs=plan.epochs, **options)


def endless(training: Training) -> Iterator[OneStep]:
    """Its steps, epoch after epoch."""
    while True:
        yield from training.steps()


def turn(step: OneStep, wait: Callable[[], None], count: int) -> float:
    """Seconds a step, waited for once at the end, after one step that fills the caches."""
    step()
    wait()
    start = time.perf_counter()
    for _ in range(count):
        step()
    wait()
    return (time.perf_counter() - start) / count


def warmed(step: OneStep, wait: Callable[[], None], seconds: float) -> int:
    """Steps of a turn that lasts about so long, after some that count for nobody."""
    turn(step, wait, WARM)
    return max(1, math.ceil(seconds / turn(step, wait, WARM)))


def overhead(name: str, batch: int, rounds: int, seconds: float) -> Mapping[str, Any]:
    """Our loop, one by hand, and PyTorch's own timer on our step, in turns; of ours also the step
    time that it records.
    """
    backend, training = ours(name, batch)
    hand = by_hand(name, batch, backend.device, backend.memory_format)
    count = warmed(hand, backend.wait, seconds)
    steps, threads = endless(training()), system.usable_cores()
    timer = benchmark.Timer("next(steps)()", globals={"steps": steps}, num_threads=threads)
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
        found: Mapping[str, list[Any]] = interleaved(
            rounds,
            ours=measured,
            by_hand=partial(turn, hand, backend.wait, count),
            # takes two steps before those that it times
            benchmark=lambda: float(timer.timeit(count).mean),
        )
    whole, recorded = map(list, zip(*found["ours"], strict=True))
    return {**found, "ours": whole, "recorded": recorded}


def sampler(name: str, batch: int, rounds: int, seconds: float) -> Mapping[str, Any]:
    """Our step beside a sampler halted for half of the turns; and its own share of a core."""
    backend, training = ours(name, batch)
    steps = endless(training())

    def step() -> None:
        next(steps)()

    count = warmed(step, backend.wait, seconds)
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder:
        readings = Path(folder) / "readings"
        readings.touch()
        command = module("kernels.telemetry.process", readings, DEFAULT_HZ, device(), 1)
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:

            def beside(sign: signal.Signals) -> float:
                process.send_signal(sign)
                return turn(step, backend.wait, count)

            while not readings.stat().st_size and process.poll() is None:
                time.sleep(0.01)
            try:
                on, off = (partial(beside, sign) for sign in (signal.SIGCONT, signal.SIGSTOP))
                found = interleaved(rounds, on=on, off=off)
            finally:
                process.send_signal(signal.SIGCONT)  # a halted one would never end
        lines = [json.loads(line) for line in readings.read_text().splitlines()]
    batches = [line for line in lines if line["event"] == "readings"]
    moments = len({row[0] for line in batches for row in line["rows"]})
    return {**found, "hz": DEFAULT_HZ, "core_share": batches[-1]["cpu_s"] / moments * DEFAULT_HZ}


def plain(name: str, batch: int, seconds: float) -> Mapping[str, Any]:
    """As PyTorch comes: threads, layout, allocator. Warm-up takes a third of the time."""
    where = torch.device(device())
    wait: Callable[[], Any] = (lambda: None) if where.type == "cpu" else torch.cuda.synchronize
    # PyTorch lets convolutions of a GPU use TF32: another number format than ours, and no setting
    # that could be compared.
    torch.backends.cudnn.allow_tf32 = False
    step = by_hand(name, batch, where, torch.contiguous_format)
    begun = time.perf_counter()
    while time.perf_counter() - begun < seconds / 3:
        turn(step, wait, 1)
    times: list[float] = []
    while not times or time.perf_counter() - begun < seconds:
        start = time.perf_counter()
        step()
        wait()
        times.append(time.perf_counter() - start)
    return {"step_s": statistics.median(times), "threads": torch.get_num_threads()}
