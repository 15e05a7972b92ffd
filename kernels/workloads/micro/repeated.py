"""Single operations in PyTorch, repeated on the same data."""

from collections.abc import Callable, Mapping
from typing import Final

import torch

from kernels.errors import MeasureError
from kernels.records import Precision
from kernels.workloads.micro import Operation

TYPES: Final[Mapping[Precision, torch.dtype]] = {
    Precision.FP64: torch.float64,
    Precision.FP32: torch.float32,
    Precision.TF32: torch.float32,  # the numbers are FP32; the backend lets their products be TF32
    Precision.BF16: torch.bfloat16,
    Precision.FP16: torch.float16,
}


def type_of(precision: Precision) -> torch.dtype:
    """Returns the type of the numbers.

    Raises:
        MeasureError: Mixed precision is for networks.
    """
    if precision not in TYPES:
        raise MeasureError(
            f"precision {precision}: a single operation has one number format, choose one of "
            f"{', '.join(TYPES)}"
        )
    return TYPES[precision]


class Repeated(Operation):
    """A given operation: `operation` does it once and returns the result."""

    def __init__(
        self,
        operation: Callable[[], torch.Tensor],
        count: int,
        rates: Mapping[str, float],
        settings: Mapping[str, str],
    ) -> None:
        super().__init__(count, rates, settings)
        self._operation = operation
        self._result = torch.zeros(1)

    @torch.no_grad()
    def _step(self) -> None:
        for _ in range(self._count):
            self._result = self._operation()

    def loss(self) -> float:
        """As in `Operation`."""
        return float(self._result[:1].double().abs().mean())
