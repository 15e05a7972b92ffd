"""Clothes in grey with a small convolutional net: real pictures and a real target within a minute
on two cores.

Trained: three 3x3 convolutions (16, 32, 64 channels) with batch normalisation, mean over the
picture, one linear layer: 24,058 parameters, from scratch. Target: 90 % top-1 on the test pictures,
at the first evaluation that reaches it; one after every epoch. Data: Fashion-MNIST (H. Xiao, K.
Rasul and R. Vollgraf, arXiv 1708.07747), 60,000 pictures of 28x28 pixels to train and 10,000 to
test. Method: our own choice, since the set has no standard one: SGD with Nesterov momentum 0.9 and
weight decay 5e-4, the learning rate of L. N. Smith's one-cycle policy (arXiv 1708.07120) with its
peak at 0.1 for every batch size, 8 epochs of batches of 128, no augmentation. The last, smaller
batch of an epoch is left out, so that all timed steps do the same work; shuffling lets every
picture take part. It says little about accelerators: the net is too small to fill one.
"""

from typing import Final

from torch import nn

from kernels.backends.pytorch import PyTorch
from kernels.records import DataKind
from kernels.workloads.pictures import Classifier, Shape, convolution, fed, one_cycle

SHAPE: Final = Shape(
    channels=1, pixels=28, classes=10, samples=60_000, mean=(0.2860406,), deviation=(0.35302424,)
)
PEAK_RATE: Final = 0.1


def model() -> nn.Sequential:
    """Maps (n, 1, 28, 28) to (n, 10) scores."""
    return nn.Sequential(
        *convolution(1, 16),
        nn.MaxPool2d(2),
        *convolution(16, 32),
        nn.MaxPool2d(2),
        *convolution(32, 64),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, SHAPE.classes),
    )


def training(backend: PyTorch, *, batch_size: int, epochs: int, data: DataKind) -> Classifier:
    """Build model, data and optimiser on the backend's device."""
    feed = fed(backend, "fashion-mnist", SHAPE, batch_size, data)
    return one_cycle(backend, model(), feed, epochs=epochs, peak=PEAK_RATE)
