"""WRN-28-10 on CIFAR-10: the larger network of source `rtx2080ti-colab-tpu`, a Wide ResNet 28
layers deep and ten times as wide.

Trained: the network of S. Zagoruyko and N. Komodakis, "Wide Residual Networks" (arXiv 1605.07146),
as its authors build it, without dropout: 36,479,194 parameters, from scratch. Target: 84 % top-1 on
the test pictures, at the first evaluation that reaches it, one after every epoch; the source
reached 84.2 % on one card at batch size 128 after 100 epochs and states no target. Stated by the
source: the name, "or something like it", and 36.5 million parameters. It says itself that its
training is simplified and does not reach what this network can: with weight decay, dropout and
augmentation the paper has 96 %. Method and data: `cifar10.py`, after the source. At a width of 0.1
it is WRN-28-1, an ordinary ResNet of 369,498 parameters: a workload of its own for a machine with
two cores.
"""

from functools import partial
from typing import Final

import torch
from torch import nn

from kernels.workloads import cifar10

DEPTH: Final = 28
WIDENING: Final = 10


class _Block(nn.Module):
    """Normalises, activates, convolves, twice, and adds the input."""

    def __init__(self, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.before = nn.Sequential(nn.BatchNorm2d(inputs), nn.ReLU(inplace=True))
        self.residual = nn.Sequential(
            nn.Conv2d(inputs, outputs, 3, stride=stride, padding=1, bias=False),
            nn.BatchNorm2d(outputs),
            nn.ReLU(inplace=True),
            nn.Conv2d(outputs, outputs, 3, padding=1, bias=False),
        )
        # Where the shape changes, the input takes a convolution of its own, from behind the first
        # activation.
        self.shortcut = (
            None if inputs == outputs else nn.Conv2d(inputs, outputs, 1, stride=stride, bias=False)
        )

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        active = self.before(images)
        added: torch.Tensor = self.residual(active) + (
            images if self.shortcut is None else self.shortcut(active)
        )
        return added


def model(width: float = 1.0) -> nn.Sequential:
    """Maps (n, 3, 32, 32) to (n, 10) scores."""
    inputs = 16
    layers: list[nn.Module] = [nn.Conv2d(3, inputs, 3, padding=1, bias=False)]
    for stage, base in enumerate((16, 32, 64)):
        outputs = round(base * WIDENING * width)
        for index in range((DEPTH - 4) // 6):
            layers.append(_Block(inputs, outputs, stride=2 if stage and not index else 1))
            inputs = outputs
    head = (
        nn.BatchNorm2d(inputs),
        nn.ReLU(inplace=True),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(inputs, cifar10.SHAPE.classes),
    )
    return nn.Sequential(*layers, *head)


training = partial(cifar10.classifier, build=model)
"""Build model, data and optimiser on the backend's device."""
