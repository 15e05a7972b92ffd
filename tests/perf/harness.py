"""What measuring costs: rows of `make perf` that need PyTorch."""

import argparse
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from kernels.harness import environment
from kernels.machine import system
from tests.perf.measures import against, answer, call, estimate, ratio

BATCHES: Final = {"cnn10": 128, "resnet50": 16}
"""Batch sizes that two processor cores take a step of within a second or so."""

TINY, FEW = 2, 3
"""Batch size and turns of a trial."""

TURNS, TURN_S = 24, 1.0
"""Turns of each side and what one lasts at least."""

TOGETHER: Final = 5
"""Turns that share their disturbances."""


def networks(tiny: bool) -> Iterator[tuple[str, int, str]]:
    """Name and batch size of what is trained, and both in words."""
    for name, usual in BATCHES.items():
        batch = TINY if tiny else usual
        yield name, batch, f"{name}, batch {batch}, FP32"


def overhead(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """Our loop against one by hand, in one process, in turns."""
    rounds = given.rounds or (FEW if given.tiny else TURNS)
    for name, batch, words in networks(given.tiny):
        found = _ask("overhead", name, batch, rounds, TURN_S / 20 if given.tiny else TURN_S)
        for what, a, b in (
            ("our loop, journal and all, over a loop by hand", "ours", "by_hand"),
            ("the step time that it records, over a loop by hand", "recorded", "by_hand"),
        ):
            yield f"{words}: {what}: {against(ratio(found[a], found[b], block=TOGETHER), most=1.01)}"
        gaps = [1e6 * (x - y) for x, y in zip(found["ours"], found["recorded"], strict=True)]
        between = estimate(gaps, block=TOGETHER)
        yield f"{words}: between two of our steps, in microseconds: {between}"


def sampler(_folder: Path, given: argparse.Namespace) -> Iterator[str]:
    """A step beside the sampler at work against one beside the halted sampler."""
    name, batch, words = next(networks(given.tiny))
    rounds = given.rounds or (FEW if given.tiny else 2 * TURNS)
    found = _ask("sampler", name, batch, rounds, TURN_S / 5 if given.tiny else TURN_S)
    over = against(ratio(found["on"], found["off"], block=TOGETHER), most=1.01)
    yield f"{words}: a step with the sensors read {found['hz']:g} times a second, over one without: {over}"


def _ask(what: str, *given: object) -> dict[str, Any]:
    """The answer of `tests.perf.steps`, in a worker's environment."""
    with tempfile.TemporaryDirectory(prefix="touchstone-perf-") as cache:
        variables = environment.of_worker(system.usable_cores(), "tuned", Path(cache))
        found: dict[str, Any] = answer(call("steps", what, *given), variables)
    return found
