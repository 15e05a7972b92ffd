"""What measuring costs and default settings bring: rows of `make perf` that need PyTorch."""

import argparse
import tempfile
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any, Final

from kernels import store
from kernels.harness import environment
from kernels.machine import system
from tests.perf.measures import against, answer, call, cost, estimate, interleaved, module, ratio

BATCHES: Final = {"cnn10": 128, "resnet50": 16}
"""Batch sizes that two processor cores take a step of within a second or so."""

TINY, FEW = 2, 3
"""Batch size and turns of a trial."""

TURNS, TURN_S = 24, 1.0
"""Turns of each side and what one lasts at least."""

PROCESSES, PROCESS_S = 5, 30
"""Processes of each side and what one lasts at most."""

TOGETHER: Final = 5
"""Turns that share their disturbances."""

DEFAULTS: Final = {
    "ours": "the harness's defaults (tuned allocator, channels last",
    "plain": "PyTorch's own (the C library's allocator, contiguous",
}


def networks(tiny: bool) -> Iterator[tuple[str, int, str]]:
    """Name and batch size of what is trained, and both in words."""
    for name, usual in BATCHES.items():
        batch = TINY if tiny else usual
        yield name, batch, f"{name}, batch {batch}, FP32"


def overhead(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Our loop against one by hand, and PyTorch's timer on our step; one process, in turns."""
    rounds = given.rounds or (FEW if given.tiny else TURNS)
    for name, batch, words in networks(given.tiny):
        found = _ask("overhead", name, batch, rounds, TURN_S / 20 if given.tiny else TURN_S)
        for what, a, b in (
            ("our loop, journal and all, over a loop by hand", "ours", "by_hand"),
            ("the step time that it records, over a loop by hand", "recorded", "by_hand"),
            ("our loop over torch.utils.benchmark on our step", "ours", "benchmark"),
        ):
            yield f"{words}: {what}: {against(ratio(found[a], found[b], block=TOGETHER), most=1.01)}"
        gaps = [1e6 * (x - y) for x, y in zip(found["ours"], found["recorded"], strict=True)]
        between = estimate(gaps, block=TOGETHER)
        yield f"{words}: between two of our steps, in microseconds: {between}"


def defaults(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """`kernels run` against a loop by hand, each as it comes, in fresh processes."""
    seconds = 3 if given.tiny else PROCESS_S
    rounds = given.rounds or (1 if given.tiny else PROCESSES)
    for name, batch, words in networks(given.tiny):
        ours, plain = (partial(side, name, batch, seconds) for side in (_as_measured, _as_it_comes))
        found = interleaved(rounds, ours=ours, plain=plain)
        rates = {side: [rate for rate, _ in each] for side, each in found.items()}
        for side, whose in DEFAULTS.items():
            threads = found[side][0][1]
            yield f"{words}: images/s by {whose}, {threads} threads): {estimate(rates[side])}"
        over = against(ratio(rates["ours"], rates["plain"]), least=1.3)
        yield f"{words}: throughput by our defaults over PyTorch's own: {over}"


def sampler(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """A step beside the sampler at work against one beside the halted sampler."""
    name, batch, words = next(networks(given.tiny))
    rounds = given.rounds or (FEW if given.tiny else 2 * TURNS)
    found = _ask("sampler", name, batch, rounds, TURN_S / 5 if given.tiny else TURN_S)
    over = against(ratio(found["on"], found["off"], block=TOGETHER), most=1.01)
    yield f"{words}: a step with the sensors read {found['hz']:g} times a second, over one without: {over}"
    yield f"the sampler's own processor time: {found['core_share']:.2%} of one core"


def _ask(what: str, *given: object, own: bool = True) -> dict[str, Any]:
    """The answer of `tests.perf.steps`, in a worker's environment, or of a user who set none."""
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as cache:
        variables = environment.of_worker(system.usable_cores(), "tuned", Path(cache))
        if not own:
            kept = environment.of_worker(1, "default", Path(cache))
            variables = {key: kept[key] for key in kept if not key.endswith("_NUM_THREADS")}
        found: dict[str, Any] = answer(call("steps", what, *given), variables)
    return found


def _as_it_comes(name: str, batch: int, seconds: int) -> tuple[float, int | None]:
    """Images a second of a loop by hand, and the threads that PyTorch chose."""
    found = _ask("plain", name, batch, seconds, own=False)
    return batch / float(found["step_s"]), int(found["threads"])


def _as_measured(name: str, batch: int, seconds: int) -> tuple[float, int | None]:
    """Images a second of a run of the harness, as recorded, and its threads."""
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as runs:
        options = ("--data", "synthetic", "--measure", "throughput", "--batch-size", batch)
        cost(module("kernels", "run", name, *options, "--budget", seconds, "--runs", runs))
        (run,) = store.read(Path(runs)).runs
    rate = run.value("throughput_images_per_s")
    if rate is None:
        raise RuntimeError(f"{run.run_id} has no throughput: {run.status}, {run.status_detail}")
    return rate, None if run.environment is None else run.environment.threads
