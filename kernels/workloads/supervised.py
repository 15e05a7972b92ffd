"""What workloads in PyTorch that learn from batches share: one step, and the order of an epoch."""

from collections.abc import Callable, Iterator, Mapping

import torch
from torch import nn

from kernels.backends.pytorch import Losses, PyTorch


class Supervised:
    """A network on the backend's device with its optimiser; how a batch becomes a loss, and what is
    evaluated, is the workload's own.
    """

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
        """Forward, loss, backward and update of one batch."""
        self._optimiser.zero_grad(set_to_none=True)
        with self._backend.autocast():
            loss = loss_of()
        self._backend.learn(loss, self._optimiser)
        self._losses.add(loss)

    def loss(self) -> float:
        """Mean training loss per step since the last call."""
        return self._losses.mean()

    def learning_rate(self) -> float:
        """Learning rate of the next step."""
        return float(self._optimiser.param_groups[0]["lr"])


def shuffled(backend: PyTorch, samples: int, batch_size: int) -> Iterator[torch.Tensor]:
    """Rows of each full batch of an epoch, in a new order: those that this process takes.

    The last, smaller batch is left out, so that all timed steps do the same work.
    """
    order = torch.randperm(samples).to(backend.device)
    for start in range(0, samples // batch_size * batch_size, batch_size):
        yield backend.mine(order[start : start + batch_size])
