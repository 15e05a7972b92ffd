"""Convolution forward: how many floating-point operations a second a device does in the layer that
image networks are made of.

Done: 3x3, 128 channels to 128, over 32 pictures of 32x32 with a border of zeros, no bias; normally
distributed numbers, weights scaled so that the outputs are of the size of the inputs; in the memory
format that is asked for. Counted: 2 x 3 x 3 x 128 x 128 x 32 x 32 x 32 = 9.66e9 operations, as the
formula has it: a device that uses Winograd's method does fewer, so the figure may lie above the
nominal peak, and above that of `matmul`. A step does as many as the batch size says. No target, no
data. Method: one call of the framework's convolution, as a network makes it. Precision as for
`matmul`.
"""

from typing import Final

import torch
from torch.nn import functional

from kernels.backends.pytorch import PyTorch
from kernels.workloads.micro.repeated import Repeated, type_of

PICTURES: Final = 32
CHANNELS: Final = 128
PIXELS: Final = 32
SIDE: Final = 3


def training(backend: PyTorch, *, batch_size: int, epochs: int) -> Repeated:  # noqa: ARG001 - every workload is built alike
    """Make pictures and weights on the backend's device."""
    kind = type_of(backend.precision)
    products = CHANNELS * SIDE**2

    def made(*shape: int, scale: float = 1.0) -> torch.Tensor:
        return (
            (torch.randn(*shape, device=backend.device) * scale)
            .to(kind)
            .contiguous(memory_format=backend.memory_format)
        )

    pictures = made(PICTURES, CHANNELS, PIXELS, PIXELS)
    weights = made(CHANNELS, CHANNELS, SIDE, SIDE, scale=products**-0.5)
    rates = {"achieved_flop_per_s": 2.0 * products * CHANNELS * PICTURES * PIXELS**2}
    return Repeated(
        lambda: functional.conv2d(pictures, weights, padding=1),
        batch_size,
        rates,
        {"operation": "convolution_3x3_forward"},
    )
