"""Single operations, whose speed is compared with a nominal peak: `matmul`, `convolution`, `copy`;
the last two in `repeated`, which needs PyTorch.

They are ordinary throughput runs. A sample is one operation, and a step does `batch_size` of them
in sequence, so that starting and waiting are small compared with the work.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from kernels.backends.base import OneStep

STEPS: Final = 1_000_000
"""Steps per epoch for the harness; nothing is learnt, so there is no end."""


class Operation:
    """An operation repeated on data made before the first step, in any framework; `rates` are the
    amounts per operation.
    """

    parameters = 0
    steps_per_epoch = STEPS

    def __init__(self, count: int, rates: Mapping[str, float], settings: Mapping[str, str]) -> None:
        self._count = count
        self.rates = rates
        self.settings = settings

    def steps(self) -> Iterator[OneStep]:
        """Yields the same step each time."""
        for _ in range(STEPS):
            yield self._step

    def _step(self) -> None:
        raise NotImplementedError

    def loss(self) -> float:
        """Returns the mean size of the results; NaN shows that the operation failed."""
        raise NotImplementedError

    def learning_rate(self) -> float:
        """Nothing is learnt."""
        return 0.0

    def evaluate(self) -> dict[str, float]:
        """Nothing is learnt."""
        return {}
