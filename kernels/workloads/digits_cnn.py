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
from collections.abc import Iterator, Mapping

import torch
from sklearn.datasets import load_digits  # type: ignore[import-untyped]  # it ships without type hints
from sklearn.model_selection import train_test_split  # type: ignore[import-untyped]
from torch import nn

from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.workloads.pictures import Classifier, convolution, one_cycle
from kernels.workloads.supervised import Batch, shuffled

TRAIN = 1437
HELD_OUT = 360
SPLIT_SEED = 0  # the split is part of the workload; a run's own seed moves weights and order alone
PEAK_RATE = 0.1


def _data() -> tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, str]:
    """Returns training images, labels, held-out images, labels, SHA-256 of all. Images (n, 1, 8, 8)
    float32 in 0 to 1, labels (n,) int64.
    """
    images, labels = load_digits(return_X_y=True)
    digest = hashlib.sha256(
        images.astype("uint8").tobytes() + labels.astype("uint8").tobytes()
    ).hexdigest()
    seen, held, seen_labels, held_labels = train_test_split(
        images, labels, test_size=HELD_OUT, stratify=labels, random_state=SPLIT_SEED
    )

    def pictures(rows: object) -> torch.Tensor:
        return torch.as_tensor(rows, dtype=torch.float32).reshape(-1, 1, 8, 8) / 16

    return (
        pictures(seen),
        torch.as_tensor(seen_labels).long(),
        pictures(held),
        torch.as_tensor(held_labels).long(),
        digest,
    )


def _model() -> nn.Sequential:
    """Maps (n, 1, 8, 8) to (n, 10) scores."""
    return nn.Sequential(
        *convolution(1, 16),
        *convolution(16, 32),
        nn.MaxPool2d(2),
        *convolution(32, 64),
        nn.AdaptiveAvgPool2d(1),
        nn.Flatten(),
        nn.Linear(64, 10),
    )


class _Digits:
    def __init__(self, backend: PyTorch, batch_size: int) -> None:
        images, labels, held, held_labels, digest = _data()
        if batch_size > len(images):
            raise MeasureError(
                f"batch size {batch_size} is larger than the {len(images)} training images: choose "
                f"{len(images)} or less"
            )
        self._backend = backend
        self._batch_size = batch_size
        self._images = images.to(backend.device, memory_format=backend.memory_format)
        self._labels = labels.to(backend.device)
        self._held = held.to(backend.device, memory_format=backend.memory_format)
        self._held_labels = held_labels.to(backend.device)
        self.steps_per_epoch = len(images) // batch_size
        self.settings: Mapping[str, str] = {"data_sha256": digest}

    def train(self, epoch: int) -> Iterator[Batch]:  # noqa: ARG002 - the order is drawn anew
        for rows in shuffled(self._backend, len(self._images), self._batch_size):
            yield (
                self._images[rows].contiguous(memory_format=self._backend.memory_format),
                self._labels[rows],
            )

    def held_out(self) -> Iterator[Batch]:
        yield self._held, self._held_labels


def training(backend: PyTorch, *, batch_size: int, epochs: int) -> Classifier:
    """Build model, data and optimiser on the backend's device."""
    split = {"split": f"{TRAIN}/{HELD_OUT} stratified, seed {SPLIT_SEED}"}
    return one_cycle(
        backend,
        _model(),
        _Digits(backend, batch_size),
        epochs=epochs,
        peak=PEAK_RATE,
        settings=split,
    )
