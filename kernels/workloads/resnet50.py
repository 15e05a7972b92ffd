"""ResNet-50 v1.5 at 224 pixels on synthetic images: how many a second, with nothing but the accelerator in the way.

Trained: the network of K. He et al., "Deep Residual Learning for Image Recognition" (arXiv 1512.03385), in the variant known as v1.5
(as in MLPerf Training): the stride of a downsampling block is in its 3x3 convolution, not in the first 1x1. 25,557,032 parameters.
No target: synthetic images teach nothing, so only throughput is measured.
Data: one batch of normally distributed images and random labels, made on the device before the first step and used for all of
them, as in the first protocol of source `tpuv2-v100` (synthetic data, no augmentation). An epoch counts as ImageNet's 1,281,167
images, so that figures per epoch compare.
Method: SGD with momentum 0.9 and weight decay 5e-5 at a learning rate of 0.001, without schedule. The rate does not move the speed of
a step; this one keeps a network that learns one random batch by heart finite. Nothing is compiled: the framework's eager mode is
what most training code runs in.
"""

from collections.abc import Iterator
from typing import Final

import torch
from torch import nn

from kernels.backends.base import OneStep
from kernels.backends.pytorch import PyTorch

IMAGES_PER_EPOCH: Final = 1_281_167
CLASSES: Final = 1000
PIXELS: Final = 224
RATE: Final = 0.001


def _convolution(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    # No bias: the normalisation that follows would cancel it.
    return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False)


class _Bottleneck(nn.Module):
    """1x1 down, 3x3, 1x1 up to four times the width, added to the input. (n, inputs, h, w) to (n, 4 width, h / stride, w / stride)."""

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        super().__init__()
        outputs = 4 * width
        self.residual = nn.Sequential(
            _convolution(inputs, width, 1),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            _convolution(width, width, 3, stride),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            _convolution(width, outputs, 1),
            nn.BatchNorm2d(outputs),
        )
        # The input fits the sum as it is, save where width or resolution change.
        same = stride == 1 and inputs == outputs
        self.shortcut = nn.Identity() if same else nn.Sequential(_convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
        self.relu = nn.ReLU(inplace=True)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        """Add the residual to the shortcut."""
        added: torch.Tensor = self.relu(self.residual(images) + self.shortcut(images))
        return added


def model() -> nn.Sequential:
    """Map (n, 3, 224, 224) to (n, 1000) scores."""
    layers: list[nn.Module] = [_convolution(3, 64, 7, 2), nn.BatchNorm2d(64), nn.ReLU(inplace=True), nn.MaxPool2d(3, 2, padding=1)]
    inputs = 64
    for width, blocks in ((64, 3), (128, 4), (256, 6), (512, 3)):
        for index in range(blocks):
            layers.append(_Bottleneck(inputs, width, stride=2 if index == 0 and width > 64 else 1))  # noqa: PLR2004 - the first stage keeps its size
            inputs = 4 * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, CLASSES))


class ResNet50:
    """The network, one synthetic batch on the device, and the optimiser; see the head of this file."""

    def __init__(self, backend: PyTorch, batch_size: int) -> None:
        self._backend = backend
        self._images = torch.randn(batch_size, 3, PIXELS, PIXELS, device=backend.device).contiguous(memory_format=backend.memory_format)
        self._labels = torch.randint(CLASSES, (batch_size,), device=backend.device)
        self._model: nn.Sequential = model().to(backend.device, memory_format=backend.memory_format)  # type: ignore[call-overload]
        self._model.train()
        self._criterion = nn.CrossEntropyLoss()
        self._optimiser = torch.optim.SGD(self._model.parameters(), lr=RATE, momentum=0.9, weight_decay=5e-5)
        self.steps_per_epoch = IMAGES_PER_EPOCH // batch_size
        self._loss_sum = torch.zeros((), device=backend.device)
        self._loss_steps = 0
        self.parameters = sum(parameter.numel() for parameter in self._model.parameters())
        self.settings = {
            "optimiser": "sgd_momentum",
            "momentum": "0.9",
            "weight_decay": "0.00005",
            "learning_rate": str(RATE),
            "learning_rate_rule": "none",
            "learning_rate_schedule": "none",
            "loss": "cross_entropy",
        }

    def steps(self) -> Iterator[OneStep]:
        """One epoch's worth of steps on the same batch."""
        for _ in range(self.steps_per_epoch):
            yield self._step

    def _step(self) -> None:
        self._optimiser.zero_grad(set_to_none=True)
        with self._backend.autocast():
            loss = self._criterion(self._model(self._images), self._labels)
        loss.backward()
        self._optimiser.step()
        self._loss_sum += loss.detach()
        self._loss_steps += 1

    def loss(self) -> float:
        """Mean training loss per step since the last call."""
        mean = float(self._loss_sum) / max(self._loss_steps, 1)
        self._loss_sum.zero_()
        self._loss_steps = 0
        return mean

    def learning_rate(self) -> float:
        """Learning rate of the next step."""
        return RATE

    def evaluate(self) -> dict[str, float]:
        """Nothing: there is no held-out data, and one batch learnt by heart says nothing."""
        return {}


def training(backend: PyTorch, *, batch_size: int, epochs: int) -> ResNet50:  # noqa: ARG001 - every workload is built alike
    """Build model, data and optimiser on the backend's device."""
    return ResNet50(backend, batch_size)
