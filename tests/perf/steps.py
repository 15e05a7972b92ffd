"""What needs PyTorch, each in a process of its own: `overhead`, `sampler` and `plain` return times
in seconds a step. `rounds` are turns, `seconds` what one turn lasts at least.
"""

import contextlib
import json
import math
import random
import signal
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import psutil
import torch
from torch import nn
from torch.utils import benchmark

from kernels.backends import pytorch
from kernels.backends.base import PLAIN, OneStep, Training
from kernels.harness import journal, measure, worker
from kernels.machine import system
from kernels.records import DataKind, Phase, Precision, Step
from kernels.telemetry.process import DEFAULT_HZ
from kernels.workloads import WORKLOADS, cifar10, cnn10, resnet, resnet50
from tests.perf.measures import module

SEED: Final = 20180223
"""Of the order of turns."""

WARM: Final = 3
"""Steps that a side takes before its first turn."""

ENDLESS: Final = measure.Rules(half_width=-1.0, noise_change=-1.0, cap_s=math.inf)
"""The usual rules, looked at as often as usual, and never content: the turns end the run."""


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
    images = torch.randn(batch, 3, network.pixels, network.pixels, device=device).contiguous(
        memory_format=layout
    )
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


def steps_of(seconds: float, step_s: float) -> int:
    """Steps of a turn that lasts about so long."""
    return max(1, math.ceil(seconds / step_s))


class Enough(Exception):  # noqa: N818 - no error: all turns were had
    """All turns were had."""


class Turns(worker._Recorder):
    """The recorder of a real run, which after each turn of ours lets the others take as many steps.

    Attributes:
        found: Seconds a step of each turn: `ours` with all that goes on between our steps,
            `recorded` as the run records them, and those of the others by name.
    """

    def __init__(
        self,
        kept: journal.Journal,
        others: Mapping[str, Callable[[int], float]],
        rounds: int,
        seconds: float,
    ) -> None:
        process = psutil.Process()
        head = {"event": "start", "owner": {"pid": process.pid, "created": process.create_time()}}
        super().__init__(kept, system.LoadMeter((process.pid,)), [head])
        self._others = others
        self._rounds = rounds
        self._seconds = seconds
        self._draw = random.Random(SEED)  # noqa: S311 - an order, no secret
        self._warm: list[float] = []
        self._taken: list[float] | None = None
        self._count = 0
        self._resumed = 0.0
        self.found: dict[str, list[float]] = {name: [] for name in ("ours", "recorded", *others)}

    def measuring(self) -> None:
        """Warm the others up."""
        super().measuring()
        self._count = steps_of(self._seconds, statistics.median(self._warm[-WARM:]))
        for other in self._others.values():
            other(max(WARM, self._count))

    def step(self, step: Step) -> None:
        """Keep it; after a turn's last, hand over. A turn's first step counts for nobody."""
        super().step(step)
        if step.phase is not Phase.MEASURE:
            self._warm.append(step.duration_s)
            return
        if self._taken is None:
            self._taken = []
            self._resumed = time.perf_counter()
            return
        self._taken.append(step.duration_s)
        if len(self._taken) < self._count:
            return
        self.found["ours"].append((time.perf_counter() - self._resumed) / self._count)
        self.found["recorded"].append(statistics.fmean(self._taken))
        for name in self._draw.sample(sorted(self._others), len(self._others)):
            self.found[name].append(self._others[name](self._count))
        self._taken = None
        if len(self.found["ours"]) == self._rounds:
            raise Enough


def overhead(name: str, batch: int, rounds: int, seconds: float) -> Mapping[str, object]:
    """Our loop, one by hand, and PyTorch's own timer on our step, in turns."""
    backend, training = ours(name, batch)
    threads = system.usable_cores()
    timer = benchmark.Timer(
        "next(steps)()", globals={"steps": endless(training())}, num_threads=threads
    )
    others: dict[str, Callable[[int], float]] = {
        "by_hand": partial(
            turn, by_hand(name, batch, backend.device, backend.memory_format), backend.wait
        ),
        # takes two steps before those that it times
        "benchmark": lambda count: float(timer.timeit(count).mean),
    }
    with (
        tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder,
        contextlib.closing(journal.Journal(Path(folder) / "perf.jsonl")) as kept,
        contextlib.suppress(Enough),
    ):
        turns = Turns(kept, others, rounds, seconds)
        measure.throughput(training(), backend, time.perf_counter, turns, ENDLESS)
    return turns.found


def sampler(name: str, batch: int, rounds: int, seconds: float) -> Mapping[str, object]:
    """Our step beside a sampler halted for half of the turns; and its own share of a core."""
    backend, training = ours(name, batch)
    steps = endless(training())

    def step() -> None:
        next(steps)()

    turn(step, backend.wait, WARM)
    count = steps_of(seconds, turn(step, backend.wait, WARM))
    draw = random.Random(SEED)  # noqa: S311 - an order, no secret
    found: dict[bool, list[float]] = {True: [], False: []}
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as folder:
        readings = Path(folder) / "readings"
        readings.touch()
        command = module("kernels.telemetry.process", readings, DEFAULT_HZ, device(), 1)
        with subprocess.Popen(command, stdin=subprocess.PIPE) as process:
            while not readings.stat().st_size and process.poll() is None:
                time.sleep(0.01)
            try:
                for sampling in (
                    each for _ in range(rounds) for each in draw.sample((True, False), 2)
                ):
                    process.send_signal(signal.SIGCONT if sampling else signal.SIGSTOP)
                    found[sampling].append(turn(step, backend.wait, count))
            finally:
                process.send_signal(signal.SIGCONT)  # a halted one would never end
        lines = [json.loads(line) for line in readings.read_text().splitlines()]
    batches = [line for line in lines if line["event"] == "readings"]
    moments = len({row[0] for line in batches for row in line["rows"]})
    return {
        "on": found[True],
        "off": found[False],
        "hz": DEFAULT_HZ,
        "core_share": batches[-1]["cpu_s"] / moments * DEFAULT_HZ,
    }


def plain(name: str, batch: int, seconds: float) -> Mapping[str, object]:
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
    return {"step_s": statistics.median(times), "n": len(times), "threads": torch.get_num_threads()}
