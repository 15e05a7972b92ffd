"""Frameworks that workloads train with, each imported by one module alone."""

from typing import Final

BACKENDS: Final = {"torch": "kernels.backends.pytorch", "jax": "kernels.backends.jax"}
"""Module of each backend, by its name on the command line."""
