"""What measuring costs: our loop, journal and all, against one as one writes it by hand, in turns."""

import argparse
import math
import os
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from kernels.backends.base import PLAIN, Training
from kernels.harness import environment, journal, measure, worker
from kernels.machine import processes, system
from kernels.records import DataKind, Phase, Precision
from kernels.workloads import WORKLOADS
from tests.perf.measures import against, answer, call, estimate, interleaved, ratio

BATCHES: Final = {"cnn10": 128, "resnet50": 16}
"""Batch sizes that two processor cores take a step of within a second or so."""

TURNS, TURN_S = 24, 1.0
"""Turns of each side and what one lasts at least."""

TOGETHER: Final = 5
"""Turns that share their disturbances."""

WARM: Final = 3
"""Steps by which the length of a turn is found."""

ENDLESS: Final = measure.Rules(half_width=-1.0, noise_change=-1.0)
"""The usual rules, looked at as often as usual, and never content: time ends a turn."""


@dataclass(frozen=True, slots=True)
class Network:
    """What a loop by hand must have in common with a workload on synthetic images."""

    model: Callable[[], Any]
    pixels: int
    classes: int
    rate: Callable[[int], float]
    decay: float


def network(name: str) -> Network:
    """That of a workload."""
    module: Callable[[str], Any] = lambda of: import_module(f"kernels.workloads.{of}")  # noqa: E731
    if name == "cnn10":
        cifar10 = module("cifar10")
        base, batch = cifar10.BASE_RATE, cifar10.BASE_BATCH
        return Network(module("cnn10").model, 32, 10, lambda own: base * own / batch, 0.0)
    resnet = module("resnet")
    model = partial(resnet.model, resnet.Bottleneck, module("resnet50").BLOCKS)
    return Network(model, 224, 1000, lambda _: float(resnet.SYNTHETIC_RATE), 5e-5)


def rows(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """The ratios of each network, measured in a worker's environment."""
    for name, batch in BATCHES.items():
        with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as cache:
            variables = environment.of_worker(system.usable_cores(), "tuned", Path(cache))
            asked = call("overhead", "turns", name, batch, given.rounds or TURNS, TURN_S)
            found = answer(asked, variables)
        words = f"{name}, batch {batch}, FP32"
        for what, side in (
            ("our loop, journal and all", "ours"),
            ("the step time that it records", "recorded"),
        ):
            over = against(ratio(found[side], found["by_hand"], block=TOGETHER), most=1.01)
            yield f"{words}: {what}, over a loop by hand: {over}"
        gaps = [1e6 * (x - y) for x, y in zip(found["ours"], found["recorded"], strict=True)]
        yield f"{words}: between two of our steps, in us: {estimate(gaps, block=TOGETHER)}"


def ours(name: str, batch: int) -> tuple[Any, Callable[[], Training]]:
    """The harness's backend with its defaults, and what makes a training on it."""
    pytorch: Any = import_module("kernels.backends.pytorch")
    device = pytorch.probe().devices[-1].name
    backend = pytorch.backend(device, Precision.FP32, system.usable_cores(), 0, PLAIN)
    plan = WORKLOADS[name]
    options = plan.options(DataKind.SYNTHETIC_DEVICE, 1.0, "none")
    training = import_module(plan.module).training
    return backend, partial(training, backend, batch_size=batch, epochs=plan.epochs, **options)


def turns(name: str, batch: int, rounds: int, seconds: float) -> Mapping[str, list[float]]:
    """Seconds a step of our loop and of one by hand; of ours also the step time that it records."""
    backend, training = ours(name, batch)
    hand = _by_hand(network(name), batch, backend, seconds)
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


def _by_hand(known: Network, batch: int, backend: Any, seconds: float) -> Callable[[], float]:
    """Returns what times steps in which nothing is timed, counted or kept, for about so long."""
    torch: Any = import_module("torch")
    benchmark: Any = import_module("torch.utils.benchmark")
    device, layout = backend.device, backend.memory_format
    model = known.model().to(device, memory_format=layout)
    model.train()
    images = torch.randn(batch, 3, known.pixels, known.pixels, device=device)
    images = images.contiguous(memory_format=layout)
    labels = torch.randint(known.classes, (batch,), device=device)
    optimiser = torch.optim.SGD(
        model.parameters(), lr=known.rate(batch), momentum=0.9, weight_decay=known.decay
    )
    criterion = torch.nn.CrossEntropyLoss()

    def step() -> None:
        optimiser.zero_grad()
        loss = criterion(model(images), labels)
        loss.backward()
        optimiser.step()

    timer = benchmark.Timer("step()", globals={"step": step}, num_threads=system.usable_cores())
    count = max(1, math.ceil(seconds / timer.timeit(WARM).mean))
    return lambda: float(timer.timeit(count).mean)
