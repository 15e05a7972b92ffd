"""What the single operations share in PyTorch: the same one on the same data, as often as the batch
size says.

They are throughput runs like any other. A sample is one operation, and a step does as many of them
as the batch size says, one after another: a batch is what it takes to make starting and waiting
small against the work.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import torch

from kernels.backends.base import OneStep
from kernels.errors import MeasureError
from kernels.records import Precision

STEPS: Final = 1_000_000
"""Steps of what the harness takes for an epoch; nothing is learnt, so there is no end."""

TYPES: Final[Mapping[Precision, torch.dtype]] = {
    Precision.FP64: torch.float64,
    Precision.FP32: torch.float32,
    Precision.TF32: torch.float32,  # the numbers are FP32; the backend lets their products be TF32
    Precision.BF16: torch.bfloat16,
    Precision.FP16: torch.float16,
}


def type_of(precision: Precision) -> torch.dtype:
    """The type of the numbers.

    Raises:
        MeasureError: Mixed precision is for networks.
    """
    if precision not in TYPES:
        raise MeasureError(
            f"precision {precision}: a single operation has one number format, choose one of "
            f"{', '.join(TYPES)}"
        )
    return TYPES[precision]


class Repeated:
    """An operation on data made before the first step, again and again.

    Args:
        operation: Does it once and returns what came out.
        count: How often in a step.
        rates: What one operation counts for, by the metric that it goes into.
        settings: What it is done on.
    """

    parameters = 0
    steps_per_epoch = STEPS

    def __init__(
        self,
        operation: Callable[[], torch.Tensor],
        count: int,
        rates: Mapping[str, float],
        settings: Mapping[str, str],
    ) -> None:
        self._operation = operation
        self._count = count
        self._result = torch.zeros(1)
        self.rates = rates
        self.settings = settings

    def steps(self) -> Iterator[OneStep]:
        """The same step each time."""
        for _ in range(STEPS):
            yield self._step

    @torch.no_grad()
    def _step(self) -> None:
        for _ in range(self._count):
            self._result = self._operation()

    def loss(self) -> float:
        """Mean size of the numbers that came out; one that is no number would show that the
        operation went wrong.
        """
        return float(self._result[:1].double().abs().mean())

    def learning_rate(self) -> float:
        """Nothing is learnt."""
        return 0.0

    def evaluate(self) -> dict[str, float]:
        """Nothing is learnt."""
        return {}
