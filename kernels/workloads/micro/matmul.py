"""Matrix product: how many floating-point operations a second a device does when it does nothing
else.

Done: C = A B for square matrices of n rows, n from --operation-size; normally distributed numbers,
scaled so that C is of the same size. Numbers of random digits draw more power than round ones, and
lower the clock of many cards: so it is in training. Counted: 2 n^3 operations, a multiplication and
an addition for each. A step does as many products as the batch size says, into the same C. No
target, no data. Method: one call of the framework's product, as a network makes it. Precision fp64,
fp32, tf32 (FP32 numbers, products rounded to TF32 where the device can), bf16 or fp16, all numbers
in that format; what the device adds up in is its own affair. Small n measure the start of the
operation; where the figure no longer grows with n, it is the neighbour of the nominal peak.
"""

import math

import torch

from kernels.backends.pytorch import PyTorch
from kernels.workloads.micro.repeated import Repeated, type_of


def training(backend: PyTorch, *, batch_size: int, epochs: int, size: int) -> Repeated:  # noqa: ARG001 - every workload is built alike
    """Makes the matrices on the backend's device."""
    kind = type_of(backend.precision)
    a, b = (
        torch.randn(size, size, device=backend.device).div_(math.sqrt(size) ** 0.5).to(kind)
        for _ in range(2)
    )
    c = torch.empty_like(a)
    rates = {"achieved_flop_per_s": 2.0 * size**3}
    return Repeated(
        lambda: torch.mm(a, b, out=c),
        batch_size,
        rates,
        {"operation": "matmul", "operation_size": str(size)},
    )
