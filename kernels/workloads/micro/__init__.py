"""Single operations, so that a nominal peak has a measured neighbour: `matmul`, `convolution`,
`copy`; the last two in `repeated`, which needs PyTorch.

They are throughput runs like any other. A sample is one operation, and a step does as many of them
as the batch size says, one after another: a batch is what it takes to make starting and waiting
small against the work.
"""

from collections.abc import Iterator, Mapping
from typing import Final

from kernels.backends.base import OneStep

STEPS: Final = 1_000_000
"""Steps of what the harness takes for an epoch; nothing is learnt, so there is no end."""


class Operation:
    """An operation on data made before the first step, again and again, in any framework; `rates`
    say what one counts for.
    """

    parameters = 0
    steps_per_epoch = STEPS

    def __init__(self, count: int, rates: Mapping[str, float], settings: Mapping[str, str]) -> None:
        self._count = count
        self.rates = rates
        self.settings = settings

    def steps(self) -> Iterator[OneStep]:
        """The same step each time."""
        for _ in range(STEPS):
            yield self._step

    def _step(self) -> None:
        raise NotImplementedError

    def loss(self) -> float:
        """Mean size of the results; NaN would show that the operation went wrong."""
        raise NotImplementedError

    def learning_rate(self) -> float:
        """Nothing is learnt."""
        return 0.0

    def evaluate(self) -> dict[str, float]:
        """Nothing is learnt."""
        return {}
