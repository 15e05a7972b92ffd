"""Matrix product in JAX: what is done and counted is as in `matmul.py`.

Each product is one call of a compiled function. Within a step each takes the one before as its
right side, C = A C: without that XLA might do them at once, or only once.
"""

import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

import jax
from jax import numpy as jnp

from kernels.backends.base import OneStep
from kernels.backends.jax import Jax

STEPS: Final = 1_000_000
"""Steps of what the harness takes for an epoch; nothing is learnt, so there is no end."""


class Matmul:
    """The product again and again, on matrices made before the first step.

    Attributes:
        rates: What one product counts for, by the metric that it goes into.
    """

    parameters = 0
    steps_per_epoch = STEPS

    def __init__(self, backend: Jax, count: int, size: int) -> None:
        self._backend = backend
        self._count = count
        keys = jax.random.split(jax.random.key(backend.seed))
        # Divided so that the numbers of a product are as large as those of its right side.
        self._a, self._b = (
            jax.random.normal(key, (size, size)).astype(backend.dtype) for key in keys
        )
        self._a /= math.sqrt(size)
        self._result = self._b
        self._product: Any = jax.jit(jnp.matmul)
        self.rates: Mapping[str, float] = {"achieved_flop_per_s": 2.0 * size**3}
        self.settings: Mapping[str, str] = {"operation": "matmul", "operation_size": str(size)}

    def steps(self) -> Iterator[OneStep]:
        """The same step each time."""
        for _ in range(STEPS):
            yield self._step

    def _step(self) -> None:
        result = self._b
        for _ in range(self._count):
            result = self._product(self._a, result)
        self._result = result
        self._backend.watch(result)

    def loss(self) -> float:
        """Mean size of the numbers that came out; one that is no number would show that the
        operation went wrong.
        """
        return float(jnp.abs(self._result[:1].astype(jnp.float32)).mean())

    def learning_rate(self) -> float:
        """Nothing is learnt."""
        return 0.0

    def evaluate(self) -> dict[str, float]:
        """Nothing is learnt."""
        return {}


def training(backend: Jax, *, batch_size: int, epochs: int, size: int) -> Matmul:  # noqa: ARG001 - every workload is built alike
    """Make the matrices on the backend's device."""
    return Matmul(backend, batch_size, size)
