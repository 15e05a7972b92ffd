"""Matrix product in JAX, as in `matmul.py`.

Each product is one call of a compiled function. Within a step each has the previous one as its
right factor, C = A C: otherwise XLA might compute them at once, or only once.
"""

import math
from typing import Any

import jax
from jax import numpy as jnp

from kernels.backends.jax import Jax
from kernels.workloads.micro import Operation


class Matmul(Operation):
    """The product of matrices made before the first step."""

    def __init__(self, backend: Jax, count: int, size: int) -> None:
        super().__init__(
            count,
            {"achieved_flop_per_s": 2.0 * size**3},
            {"operation": "matmul", "operation_size": str(size)},
        )
        self._backend = backend
        keys = jax.random.split(jax.random.key(backend.seed))
        # Divided so that the numbers of a product are as large as those of its right factor.
        self._a, self._b = (
            jax.random.normal(key, (size, size)).astype(backend.dtype) for key in keys
        )
        self._a /= math.sqrt(size)
        self._result = self._b
        self._product: Any = jax.jit(jnp.matmul)

    def _step(self) -> None:
        result = self._b
        for _ in range(self._count):
            result = self._product(self._a, result)
        self._result = result
        self._backend.watch(result)

    def loss(self) -> float:
        """As in `Operation`."""
        return float(jnp.abs(self._result[:1].astype(jnp.float32)).mean())


def training(backend: Jax, *, batch_size: int, epochs: int, size: int) -> Matmul:  # noqa: ARG001 - every workload is built alike
    """Make the matrices on the backend's device."""
    return Matmul(backend, batch_size, size)
