"""Shared by workloads on small pictures: batches from a set that is on the device whole, and the
training of a classifier.

The whole set is there before the first step, as bytes; a step takes rows, changes them at random if
requested, and converts them to numbers. So no step waits for a disk or a decoder, and the network
is timed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final

import torch
from torch import nn

from kernels import datasets
from kernels.backends.base import OneStep
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import DataKind
from kernels.workloads.supervised import Batch, Feed, Supervised, Synthetic, shuffled

HELD_BATCH: Final = 500
"""Pictures of one step of an evaluation; divides 10,000."""

SHIFT: Final = 4
"""Most pixels by which a picture is shifted: the usual for CIFAR-10."""


def convolution(inputs: int, outputs: int) -> list[nn.Module]:
    """Returns a 3x3 convolution, normalisation and ReLU."""
    return [
        # No bias: the normalisation that follows would cancel it.
        nn.Conv2d(inputs, outputs, 3, padding=1, bias=False),
        nn.BatchNorm2d(outputs),
        nn.ReLU(inplace=True),
    ]


@dataclass(frozen=True, slots=True)
class Shape:
    """Shape of a set; `samples`, `mean` and `deviation` are of the training pictures."""

    channels: int
    pixels: int
    classes: int
    samples: int
    mean: tuple[float, ...]
    deviation: tuple[float, ...]


class Resident:
    """A fetched set on the device."""

    def __init__(
        self, backend: PyTorch, dataset: str, shape: Shape, batch_size: int, augmentation: str
    ) -> None:
        arrays = datasets.load(dataset)
        self.settings: Mapping[str, str] = {"data_sha256": datasets.DATASETS[dataset].sha256}
        self._backend = backend
        self._batch_size = batch_size
        self._changed = augmentation != "none"

        def pictures(name: str) -> torch.Tensor:
            """Returns bytes as (n, height, width, channels): batches come channels-last."""
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

    def train(self, epoch: int) -> Iterator[Batch]:  # noqa: ARG002 - the order is drawn anew
        """Yields batches in a new order."""
        for rows in shuffled(self._backend, len(self._images), self._batch_size):
            images = self._numbers(self._images[rows])
            yield (flipped_and_shifted(images) if self._changed else images), self._labels[rows]

    def held_out(self) -> Iterator[Batch]:
        """Yields batches in order."""
        for start in range(0, len(self._held), HELD_BATCH):
            yield (
                self._numbers(self._held[start : start + HELD_BATCH]),
                self._held_labels[start : start + HELD_BATCH],
            )

    def _numbers(self, images: torch.Tensor) -> torch.Tensor:
        """Converts bytes (n, h, w, c) to numbers (n, c, h, w) of mean 0 and deviation 1."""
        numbers = images.permute(0, 3, 1, 2).float() * self._scale + self._offset
        return numbers.contiguous(memory_format=self._backend.memory_format)


def fed(
    backend: PyTorch,
    dataset: str,
    shape: Shape,
    batch_size: int,
    data: DataKind,
    *,
    augmentation: str = "none",
) -> Feed:
    """Returns a fetched set, or synthetic pictures of its shape."""
    if data is DataKind.REAL:
        return Resident(backend, dataset, shape, batch_size, augmentation)
    like = {name: getattr(shape, name) for name in ("pixels", "classes", "samples", "channels")}
    return Synthetic(backend, data, batch_size, **like)


def flipped_and_shifted(images: torch.Tensor) -> torch.Tensor:
    """Mirrors half of the pictures, shifts each by up to `SHIFT` pixels, zeros in the gap."""
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


class Classifier(Supervised):
    """A network that classifies pictures."""

    def __init__(
        self,
        backend: PyTorch,
        network: nn.Module,
        feed: Feed,
        *,
        optimiser: torch.optim.Optimizer,
        schedule: torch.optim.lr_scheduler.LRScheduler,
        cycle: int,
        settings: Mapping[str, str],
        rates: Mapping[str, float] | None = None,
    ) -> None:
        used = {**settings, "loss": "cross_entropy", **feed.settings}
        super().__init__(backend, network, optimiser, feed.steps_per_epoch, used)
        self.rates = rates or {}
        self._feed = feed
        self._schedule = schedule
        self._cycle = cycle
        self._taken = self._epoch = 0
        self._criterion = nn.CrossEntropyLoss()

    def steps(self) -> Iterator[OneStep]:
        """Yields one epoch of full batches."""
        self._model.train()
        self._epoch += 1
        for images, labels in self._feed.train(self._epoch):
            yield partial(self._step, images, labels)

    def _step(self, images: torch.Tensor, labels: torch.Tensor) -> None:
        self._learn(lambda: self._criterion(self._model(images), labels))
        self._taken += 1
        # a throughput run goes on after the last epoch, at its last and lowest rate
        if self._taken <= self._cycle:
            self._schedule.step()

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Returns the share of the held-out pictures whose best score is the correct class."""
        self._model.eval()
        right = torch.zeros((), dtype=torch.int64, device=self._backend.device)
        count = 0
        for images, labels in self._feed.held_out():
            with self._backend.autocast():
                right += (self._model(images).argmax(dim=1) == labels).sum()
            count += len(labels)
        return {"top1": int(right) / count} if count else {}


def one_cycle(
    backend: PyTorch,
    network: nn.Module,
    feed: Feed,
    *,
    epochs: int,
    peak: float,
    settings: Mapping[str, str] | None = None,
) -> Classifier:
    """Trains by SGD, Nesterov momentum 0.9, weight decay 5e-4, one-cycle (arXiv 1708.07120)."""
    placed = backend.place(network)
    optimiser = torch.optim.SGD(
        placed.parameters(), lr=peak, momentum=0.9, nesterov=True, weight_decay=5e-4
    )
    cycle = feed.steps_per_epoch * epochs
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
        backend, placed, feed, optimiser=optimiser, schedule=schedule, cycle=cycle, settings=used
    )
