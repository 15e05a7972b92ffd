"""Floating-point operations of a network's training, counted over its layers without computing."""

from collections.abc import Iterator
from contextlib import contextmanager

import torch
from torch import nn


def training_flop(model: nn.Module, *shape: int) -> float:
    """Returns the operations to train a sample of that shape, in convolutions and linear layers.

    Each layer counts three times: forward, gradient of weights, gradient of its input, except in
    the first. The model is on the device `meta`: nothing is computed.
    """
    forward: list[int] = []
    with torch.device("meta"), torch.no_grad(), _counting(model, forward):
        model(torch.empty(1, *shape))
    return 2.0 * (3 * sum(forward) - forward[0])


@contextmanager
def _counting(model: nn.Module, counts: list[int]) -> Iterator[None]:
    """Collects the multiplications of each layer in order."""

    def count(layer: nn.Module, _: object, output: torch.Tensor) -> None:
        weight = layer.weight
        assert isinstance(weight, torch.Tensor)  # noqa: S101 - of these two kinds of layers it is
        counts.append(output.numel() * weight[0].numel())

    hooks = [
        layer.register_forward_hook(count)
        for layer in model.modules()
        if isinstance(layer, (nn.Conv2d, nn.Linear))
    ]
    was_training = model.training
    model.eval()  # one sample has no statistics to normalise with
    try:
        yield
    finally:
        model.train(was_training)
        for hook in hooks:
            hook.remove()
