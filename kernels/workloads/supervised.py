"""Shared by PyTorch workloads that learn from batches: steps, order of an epoch, synthetic data."""

from collections.abc import Callable, Iterator, Mapping
from typing import Final, Protocol

import torch
from torch import nn

from kernels.backends.pytorch import Losses, PyTorch
from kernels.records import DataKind

Batch = tuple[torch.Tensor, torch.Tensor]
"""Images (n, channels, h, w) float32 about zero, and labels (n,) int64, both on the device."""

HOST_BATCHES: Final = 4
"""Batches that the host copies in turn: more than a processor's cache holds at the usual sizes."""


class Supervised:
    """A network on the backend's device with its optimiser."""

    def __init__(
        self,
        backend: PyTorch,
        placed: nn.Module,
        optimiser: torch.optim.Optimizer,
        steps_per_epoch: int,
        settings: Mapping[str, str],
    ) -> None:
        self.steps_per_epoch = steps_per_epoch
        self.settings = settings
        self.parameters = sum(parameter.numel() for parameter in placed.parameters())
        self._backend = backend
        self._model = placed
        self._optimiser = optimiser
        self._losses = Losses(backend.device)

    def _learn(self, loss_of: Callable[[], torch.Tensor]) -> None:
        self._optimiser.zero_grad(set_to_none=True)
        with self._backend.autocast():
            loss = loss_of()
        self._backend.learn(loss, self._optimiser)
        self._losses.add(loss)

    def loss(self) -> float:
        """Returns the mean training loss per step since the last call."""
        return self._losses.mean()

    def learning_rate(self) -> float:
        """Returns the learning rate of the next step."""
        return float(self._optimiser.param_groups[0]["lr"])


def shuffled(backend: PyTorch, samples: int, batch_size: int) -> Iterator[torch.Tensor]:
    """Yields the rows of each full batch of an epoch in a new order: this process's share."""
    order = torch.randperm(samples).to(backend.device)
    for start in range(0, samples // batch_size * batch_size, batch_size):
        yield backend.mine(order[start : start + batch_size])


class Feed(Protocol):
    """Source of batches."""

    steps_per_epoch: int
    settings: Mapping[str, str]

    def train(self, epoch: int) -> Iterator[Batch]:
        """Yields the full batches of one epoch."""

    def held_out(self) -> Iterator[Batch]:
        """Yields all held-out images in order, if any."""


class Synthetic:
    """Normally distributed images and random labels, made before the first step.

    On the device one batch is used for all steps; on the host a few, pinned for a GPU, one copied
    per step.
    """

    def __init__(
        self,
        backend: PyTorch,
        data: DataKind,
        batch_size: int,
        *,
        pixels: int,
        classes: int,
        samples: int,
        channels: int = 3,
    ) -> None:
        self._backend = backend
        self.classes = classes
        self.steps_per_epoch = samples // batch_size
        self.settings: Mapping[str, str] = {}
        mine = backend.share(batch_size)
        host = data is DataKind.SYNTHETIC_HOST
        pinned = host and backend.device.type == "cuda"
        where = torch.device("cpu") if host else backend.device

        def made() -> Batch:
            images = torch.randn(mine, channels, pixels, pixels, device=where).contiguous(
                memory_format=backend.memory_format
            )
            labels = torch.randint(classes, (mine,), device=where)
            return (images.pin_memory(), labels.pin_memory()) if pinned else (images, labels)

        self.prefetched = 0
        self._batches = [made() for _ in range(HOST_BATCHES if host else 1)]
        self._place: Batch | None = None
        """Buffer on the device for batches copied from the host."""
        if host:
            images, labels = (
                torch.empty_like(each, device=backend.device) for each in self._batches[0]
            )
            self._place = images, labels
            self.settings = {
                "host_batches": str(HOST_BATCHES),
                "pinned_memory": "yes" if pinned else "no",
            }

    def train(self, epoch: int) -> Iterator[Batch]:  # noqa: ARG002 - each epoch is the same
        """Yields the same batches again and again."""
        for index in range(self.steps_per_epoch):
            batch = self._batches[index % len(self._batches)]
            if self._place is None:
                yield batch
                continue
            for target, source in zip(self._place, batch, strict=True):
                # returns when copied, so the time is the data's and not the step's
                target.copy_(source)
            yield self._place

    def held_out(self) -> Iterator[Batch]:
        """Yields nothing: random labels cannot be evaluated."""
        return iter(())
