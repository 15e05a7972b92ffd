"""What the workloads on small pictures share: batches from a set that lies on the device whole, and
the training of a classifier.

The whole set is there before the first step, as bytes; a step takes its rows, changes them at
random where asked to, and makes numbers of them. So no step waits for a disk or a decoder, and what
is timed is the network.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final, Protocol

import torch
from torch import nn

from kernels import datasets
from kernels.backends.base import OneStep
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import DataKind
from kernels.workloads.supervised import Supervised, shuffled

Batch = tuple[torch.Tensor, torch.Tensor]
"""Images (n, channels, height, width) float32, labels (n,) int64, on the device."""

HELD_BATCH: Final = 500
"""Pictures that one step of an evaluation takes: divides 10,000, and needs less memory than any
training step of interest.
"""

SHIFT: Final = 4
"""Pixels by which a picture is shifted at most, the gap filled with zeros; half of the pictures are
mirrored: the usual for CIFAR-10.
"""


def convolution(inputs: int, outputs: int) -> list[nn.Module]:
    """A 3x3 convolution, normalised, and ReLU."""
    return [
        # No bias: the normalisation that follows would cancel it.
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    ]


class Source(Protocol):
    """Where batches come from."""

    steps_per_epoch: int
    sha256: str | None

    def batches(self) -> Iterator[Batch]:
        """Full batches of one epoch."""

    def held(self) -> Iterator[Batch]:
        """The held-out pictures in parts; none where the data are made up."""


@dataclass(frozen=True, slots=True)
class Shape:
    """What the pictures of a set are like: size, number of classes, and mean and deviation of each
    channel over the training pictures.
    """

    channels: int
    pixels: int
    classes: int
    mean: tuple[float, ...]
    deviation: tuple[float, ...]


class Resident:
    """A fetched set on the device."""

    def __init__(
        self, backend: PyTorch, dataset: str, shape: Shape, batch_size: int, augmentation: str
    ) -> None:
        arrays = datasets.load(dataset)
        self.sha256: str | None = datasets.DATASETS[dataset].sha256
        self._backend = backend
        self._batch_size = batch_size
        self._changed = augmentation != "none"

        def pictures(name: str) -> torch.Tensor:
            """Bytes as (n, height, width, channels), so that a batch of them is channels-last as it
            comes.
            """
            return (
                torch.from_numpy(arrays[name])
                .reshape(-1, shape.pixels, shape.pixels, shape.channels)
                .to(backend.device)
            )

        self._images, self._held = pictures("train_images"), pictures("test_images")
        self._labels = torch.from_numpy(arrays["train_labels"]).long().to(backend.device)
        self._held_labels = torch.from_numpy(arrays["test_labels"]).long().to(backend.device)
        if batch_size > len(self._images):
            raise MeasureError(
                f"batch size {batch_size} is larger than the {len(self._images)} training images: "
                "choose that or less"
            )
        # (x / 255 - mean) / deviation as one product and one sum
        deviation = torch.tensor(shape.deviation, device=backend.device).view(1, -1, 1, 1)
        self._scale = 1 / (255 * deviation)
        self._offset = (
            -torch.tensor(shape.mean, device=backend.device).view(1, -1, 1, 1) / deviation
        )
        self.steps_per_epoch = len(self._images) // batch_size

    def batches(self) -> Iterator[Batch]:
        """In a new order."""
        for rows in shuffled(self._backend, len(self._images), self._batch_size):
            images = self._numbers(self._images[rows])
            yield (flipped_and_shifted(images) if self._changed else images), self._labels[rows]

    def held(self) -> Iterator[Batch]:
        """In order."""
        for start in range(0, len(self._held), HELD_BATCH):
            yield (
                self._numbers(self._held[start : start + HELD_BATCH]),
                self._held_labels[start : start + HELD_BATCH],
            )

    def _numbers(self, images: torch.Tensor) -> torch.Tensor:
        """Bytes (n, height, width, channels) to numbers (n, channels, height, width) of mean 0 and
        deviation 1.
        """
        numbers = images.permute(0, 3, 1, 2).float() * self._scale + self._offset
        return numbers.contiguous(memory_format=self._backend.memory_format)


def flipped_and_shifted(images: torch.Tensor) -> torch.Tensor:
    """Mirror half of the pictures, shift each by up to `SHIFT` pixels both ways, zeros in the gap;
    all of a batch at once.
    """
    count, _, height, width = images.shape
    device = images.device
    padded = nn.functional.pad(images, (SHIFT, SHIFT, SHIFT, SHIFT))
    down, right = torch.randint(2 * SHIFT + 1, (2, count, 1), device=device)
    mirrored = torch.rand(count, 1, device=device) < 0.5  # noqa: PLR2004 - half of them
    rows = down + torch.arange(height, device=device)
    line = torch.arange(width, device=device)
    columns = right + torch.where(mirrored, line.flip(0), line)
    picked = padded.permute(0, 2, 3, 1)[
        torch.arange(count, device=device)[:, None, None], rows[:, :, None], columns[:, None, :]
    ]
    layout = (
        torch.channels_last
        if images.is_contiguous(memory_format=torch.channels_last)
        else torch.contiguous_format
    )
    return picked.permute(0, 3, 1, 2).contiguous(memory_format=layout)


class Synthetic:
    """One batch of normally distributed pictures and random labels, used for every step.

    On the device, nothing but the network is timed; on the host, each step also pays for the way to
    the device.
    """

    def __init__(
        self, backend: PyTorch, data: DataKind, shape: Shape, batch_size: int, train_samples: int
    ) -> None:
        self.sha256: str | None = None
        self.steps_per_epoch = train_samples // batch_size
        self._backend = backend
        self._host = data is DataKind.SYNTHETIC_HOST
        count = backend.share(batch_size)
        images = torch.randn(count, shape.channels, shape.pixels, shape.pixels).contiguous(
            memory_format=backend.memory_format
        )
        labels = torch.randint(shape.classes, (count,))
        if self._host:
            # page-locked memory travels faster, as a careful loader's would
            pin = backend.device.type == "cuda"
            self._batch: Batch = (
                (images.pin_memory(), labels.pin_memory()) if pin else (images, labels)
            )
        else:
            self._batch = images.to(backend.device), labels.to(backend.device)

    def batches(self) -> Iterator[Batch]:
        """The same batch, as often as an epoch of the real set has one."""
        images, labels = self._batch
        for _ in range(self.steps_per_epoch):
            if self._host:
                # `copy`, since on the CPU the host is the device and nothing would be moved. It
                # returns when all is there, so that the time is that of the data and not of the
                # step.
                moved = partial(torch.Tensor.to, device=self._backend.device, copy=True)
                yield moved(images), moved(labels)
            else:
                yield images, labels

    def held(self) -> Iterator[Batch]:
        """None: made-up pictures teach nothing that could be examined."""
        yield from ()


class Classifier(Supervised):
    """A network that learns to name pictures: its batches, its optimiser and the course of its
    learning rate.
    """

    def __init__(
        self,
        backend: PyTorch,
        network: nn.Module,
        source: Source,
        *,
        optimiser: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LRScheduler,
        cycle: int,
        settings: Mapping[str, str],
        rates: Mapping[str, float] | None = None,
    ) -> None:
        known = {"data_sha256": source.sha256} if source.sha256 else {}
        used = {**settings, "loss": "cross_entropy"} | known
        super().__init__(backend, network, optimiser, source.steps_per_epoch, used)
        self.rates = rates or {}
        self._source = source
        self._schedule = schedule
        self._cycle = cycle
        self._taken = 0
        self._criterion = nn.CrossEntropyLoss()

    def steps(self) -> Iterator[OneStep]:
        """One epoch of full batches."""
        self._model.train()
        for images, labels in self._source.batches():
            yield partial(self._step, images, labels)

    def _step(self, images: torch.Tensor, labels: torch.Tensor) -> None:
        self._learn(lambda: self._criterion(self._model(images), labels))
        self._taken += 1
        # a throughput run goes on after the last epoch, at its last and lowest rate
        if self._taken <= self._cycle:
            self._schedule.step()

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Share of the held-out pictures whose best score is the right class."""
        self._model.eval()
        right = torch.zeros((), dtype=torch.int64, device=self._backend.device)
        count = 0
        for images, labels in self._source.held():
            with self._backend.autocast():
                right += (self._model(images).argmax(dim=1) == labels).sum()
            count += len(labels)
        return {"top1": int(right) / count} if count else {}


def one_cycle(
    backend: PyTorch,
    network: nn.Module,
    source: Source,
    *,
    epochs: int,
    peak: float,
    settings: Mapping[str, str] | None = None,
) -> Classifier:
    """Train by SGD with Nesterov momentum 0.9 and weight decay 5e-4; the rate rises to its peak and
    falls once (arXiv 1708.07120).
    """
    placed = backend.place(network)
    optimiser = torch.optim.SGD(
        placed.parameters(), lr=peak, momentum=0.9, nesterov=True, weight_decay=5e-4
    )
    cycle = source.steps_per_epoch * epochs
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimiser, max_lr=peak, total_steps=cycle + 1)
    used = {
        "optimiser": "sgd_nesterov",
        "momentum": "0.9",
        "weight_decay": "0.0005",
        "learning_rate_schedule": "one_cycle",
        "learning_rate_peak": str(peak),
        "learning_rate_rule": "none",
        **(settings or {}),
    }
    return Classifier(
        backend, placed, source, optimiser=optimiser, schedule=schedule, cycle=cycle, settings=used
    )
