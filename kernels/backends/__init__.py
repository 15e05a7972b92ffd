"""What a workload trains with; each backend is one module that alone imports its framework."""

from typing import Final

BACKENDS: Final = {"torch": "kernels.backends.pytorch", "jax": "kernels.backends.jax"}
"""Module of each, by its name on the command line."""
