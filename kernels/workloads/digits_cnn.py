"""Handwritten digits with a small convolutional net: the workload that runs anywhere in seconds.

Trained: three 3x3 convolutions (16, 32, 64 channels) with batch normalisation, mean over the
picture, one linear layer: 24,058 parameters, from scratch. Target: 97 % top-1 on the held-out
images, at the first evaluation that reaches it; one evaluation after every epoch.
Data: `sklearn.datasets.load_digits`, 1,797 images of 8x8 pixels with values 0 to 16 (E. Alpaydin
and C. Kaynak, Optical Recognition of Handwritten Digits, UCI Machine Learning Repository; the test
part of that set). Split 1,437 to train and 360 held out, stratified by digit with a fixed seed, so
that every run is judged on the same images. Method: our own choice, none is standard for this set:
SGD with Nesterov momentum 0.9 and weight decay 5e-4, the learning rate of L. N. Smith's one-cycle
policy (arXiv 1708.07120) with its peak at 0.1 for every batch size, 12 epochs, no augmentation. The
last, smaller batch of an epoch is left out, so that all timed steps do the same work; shuffling
lets every image take part. It exercises the harness. It says little about accelerators: the net is
far too small to fill one.
"""

import hashlib

import numpy as np
from sklearn.datasets import load_digits  # type: ignore[import-untyped]  # it ships without type hints
from sklearn.model_selection import train_test_split  # type: ignore[import-untyped]
from torch import nn

from kernels.backends.pytorch import PyTorch
from kernels.workloads.pictures import PARTS, Classifier, Resident, Shape, convolution, one_cycle

TRAIN = 1437
HELD_OUT = 360
SPLIT_SEED = 0  # the split is part of the workload; a run's own seed moves weights and order alone
PEAK_RATE = 0.1
SHAPE = Shape(
    channels=1, pixels=8, classes=10, samples=TRAIN, mean=(0.0,), deviation=(16 / 255,)
)  # values from 0 to 1


def _model() -> nn.Sequential:
    """Map (n, 1, 8, 8) to (n, 10) scores."""
    return nn.Sequential(
        *convolution(1, 16),
        *convolution(16, 32),
        nn.MaxPool2d(2),
        *convolution(32, 64),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


def training(backend: PyTorch, *, batch_size: int, epochs: int) -> Classifier:
    """Build model, data and optimiser on the backend's device."""
    images, labels = (each.astype(np.uint8) for each in load_digits(return_X_y=True))
    digest = hashlib.sha256(images.tobytes() + labels.tobytes()).hexdigest()
    split = train_test_split(
        images, labels, test_size=HELD_OUT, stratify=labels, random_state=SPLIT_SEED
    )
    names = [f"{part}_{kind}" for kind in ("images", "labels") for part in PARTS]
    arrays = dict(zip(names, split, strict=True))
    feed = Resident(backend, SHAPE, batch_size, arrays, sha256=digest)
    settings = {"split": f"{TRAIN}/{HELD_OUT} stratified, seed {SPLIT_SEED}"}
    return one_cycle(backend, _model(), feed, epochs=epochs, peak=PEAK_RATE, settings=settings)
