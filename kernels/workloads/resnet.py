"""Residual networks of 34, 50 and 101 layers and their training; for their purposes see `resnet34`,
`resnet50`, `resnet101`.

The networks are those of K. He et al., "Deep Residual Learning for Image Recognition" (arXiv
1512.03385); with bottlenecks in the variant known as v1.5 (as in MLPerf Training): the stride of a
downsampling block is in its 3x3 convolution, not in its first 1x1.

On synthetic data the learning rate is a constant 0.001 with momentum 0.9 and weight decay 5e-5. The
rate does not affect the speed of a step; this one keeps a network that memorises one random batch
finite. On real data the training is that of P. Goyal et al., "Accurate, Large Minibatch SGD" (arXiv
1706.02677), as far as it does not depend on several machines: Nesterov momentum 0.9, weight decay
1e-4, a learning rate of 0.1 for a batch of 256 and in proportion for others, rising from 0 over the
first 5/90 of the steps, divided by ten at 30/90, 60/90 and 80/90; He's initialisation of the
convolutions; in the last normalisation of each block the scale starts at 0.

Data, of each: by default one synthetic batch on the device; `--data synthetic_host` copies batches
from the host's memory; `--data real --data-dir DIR` reads a folder in ImageNet's layout. ImageNet
is known by its numbers of classes and images; any other folder is a workload of its own, whose
target `--target` says. An epoch of synthetic data counts as ImageNet's 1,281,167 images, so that
figures per epoch compare. One evaluation after every epoch of 90; a target counts as reached at the
first that reaches it.
"""

import math
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
import torch
from sklearn.metrics import roc_auc_score  # type: ignore[import-untyped]  # it ships without type hints
from torch import nn

from kernels.backends.pytorch import PyTorch
from kernels.datasets import image_folder
from kernels.errors import MeasureError
from kernels.records import DataKind
from kernels.workloads.images import FolderFeed
from kernels.workloads.operations import training_flop
from kernels.workloads.pictures import Classifier
from kernels.workloads.supervised import Synthetic

CLASSES: Final = 1000
PIXELS: Final = 224
IMAGES_PER_EPOCH: Final = 1_281_167
SYNTHETIC_RATE: Final = 0.001
RATE_PER_IMAGE: Final = 0.1 / 256
BEST_OF: Final = 5

REAL: Final = {
    "optimiser": "sgd_nesterov",
    "weight_decay": "0.0001",
    "learning_rate_rule": "linear",
    "learning_rate_schedule": "warmup_5/90_step_30_60_80/90",
}
MADE_UP: Final = {
    "optimiser": "sgd_momentum",
    "weight_decay": "0.00005",
    "learning_rate_rule": "none",
    "learning_rate_schedule": "none",
}
"""Settings of the training on real and on synthetic data."""


def _convolution(inputs: int, outputs: int, size: int, stride: int = 1) -> nn.Conv2d:
    # No bias: the normalisation that follows would cancel it.
    return nn.Conv2d(inputs, outputs, size, stride=stride, padding=size // 2, bias=False)


class _Block(nn.Module):
    """Convolutions added to their input: (n, c, h, w) to (n, outputs, h / stride, w / stride)."""

    growth: int

    def __init__(self, residual: nn.Sequential, inputs: int, outputs: int, stride: int) -> None:
        super().__init__()
        self.residual = residual
        # The input fits the sum as it is, except where width or resolution change.
        same = stride == 1 and inputs == outputs
        self.shortcut = (
            nn.Identity()
            if same
            else nn.Sequential(_convolution(inputs, outputs, 1, stride), nn.BatchNorm2d(outputs))
        )
        self.relu = nn.ReLU(inplace=True)

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        added: torch.Tensor = self.relu(self.residual(images) + self.shortcut(images))
        return added


class Basic(_Block):
    """Two convolutions of 3x3."""

    growth = 1

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        residual = nn.Sequential(
            _convolution(inputs, width, 3, stride),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            _convolution(width, width, 3),
            nn.BatchNorm2d(width),
        )
        super().__init__(residual, inputs, width, stride)


class Bottleneck(_Block):
    """1x1 down, 3x3, 1x1 up to four times the width."""

    growth = 4

    def __init__(self, inputs: int, width: int, stride: int) -> None:
        residual = nn.Sequential(
            _convolution(inputs, width, 1),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            _convolution(width, width, 3, stride),
            nn.BatchNorm2d(width),
            nn.ReLU(inplace=True),
            _convolution(width, 4 * width, 1),
            nn.BatchNorm2d(4 * width),
        )
        super().__init__(residual, inputs, 4 * width, stride)


def model(
    block: type[Basic | Bottleneck], blocks: Sequence[int], classes: int = CLASSES
) -> nn.Sequential:
    """Maps (n, 3, 224, 224) to (n, classes) scores, with `blocks` in each of four stages."""
    layers: list[nn.Module] = [
        _convolution(3, 64, 7, 2),
        nn.BatchNorm2d(64),
        nn.ReLU(inplace=True),
        nn.MaxPool2d(3, 2, padding=1),
    ]
    inputs = 64
    for stage, count in enumerate(blocks):
        width = 64 * 2**stage
        for index in range(count):
            # the first stage keeps its size
            layers.append(block(inputs, width, stride=2 if index == 0 and stage > 0 else 1))
            inputs = block.growth * width
    return nn.Sequential(*layers, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(inputs, classes))


def _initialise(network: nn.Module) -> None:
    """As in arXiv 1706.02677, section 5.1."""
    for module in network.modules():
        if isinstance(module, nn.Conv2d):
            nn.init.kaiming_normal_(module.weight, mode="fan_out", nonlinearity="relu")
        elif isinstance(module, nn.Linear):
            nn.init.normal_(module.weight, std=0.01)
            nn.init.zeros_(module.bias)
        elif isinstance(module, _Block):
            last = module.residual[-1]
            assert isinstance(last, nn.BatchNorm2d)  # noqa: S101 - both kinds of blocks end so
            nn.init.zeros_(last.weight)


class ResNet(Classifier):
    """A network, its data and its optimiser; see the head of this file."""

    def __init__(
        self,
        backend: PyTorch,
        block: type[Basic | Bottleneck],
        blocks: Sequence[int],
        *,
        batch_size: int,
        epochs: int,
        data: DataKind,
        folder: str | None = None,
        augmentation: str,
        readers: int | None = None,
        pixels: int = PIXELS,
    ) -> None:
        real = data is DataKind.REAL
        feed: FolderFeed | Synthetic
        if not real:
            feed = Synthetic(
                backend, data, batch_size, pixels=pixels, classes=CLASSES, samples=IMAGES_PER_EPOCH
            )
        elif folder is None:
            raise MeasureError(
                "real images need a folder: give --data-dir DIR with train/<class>/*.jpg and "
                "val/<class>/*.jpg"
            )
        else:
            feed = FolderFeed(
                backend,
                image_folder.look(Path(folder)),
                batch_size,
                augmentation=augmentation,
                readers=readers,
                pixels=pixels,
            )
        network = model(block, blocks, feed.classes)
        if real:
            _initialise(network)
        with torch.device("meta"):
            flop = training_flop(model(block, blocks, feed.classes), 3, pixels, pixels)
        placed = backend.place(network)
        peak = RATE_PER_IMAGE * batch_size if real else SYNTHETIC_RATE
        settings = {"momentum": "0.9"} | (REAL if real else MADE_UP)
        optimiser = torch.optim.SGD(
            placed.parameters(),
            lr=peak,
            momentum=0.9,
            weight_decay=float(settings["weight_decay"]),
            nesterov=real,
        )
        steps = feed.steps_per_epoch * epochs if real else 0
        super().__init__(
            backend,
            placed,
            feed,
            optimiser=optimiser,
            schedule=torch.optim.lr_scheduler.LambdaLR(optimiser, partial(factor, steps=steps)),
            cycle=steps,
            settings=settings
            | {"learning_rate": f"{peak:g}", "pixels": str(pixels), "augmentation": "none"},
            rates={"achieved_flop_per_s": flop},
        )
        self.prefetched = feed.prefetched

    @torch.no_grad()
    def evaluate(self) -> dict[str, float]:
        """Returns top-1, top-5 of more than five classes, one-vs-rest AUC; nothing if synthetic."""
        self._model.eval()
        scores: list[torch.Tensor] = []
        labels: list[torch.Tensor] = []
        for images, wanted in self._feed.held_out():
            with self._backend.autocast():
                found = self._model(images)
            scores.append(found.double().softmax(dim=1).cpu())
            labels.append(wanted.cpu())
        return judged(torch.cat(scores).numpy(), torch.cat(labels).numpy()) if scores else {}


def factor(taken: int, steps: int) -> float:
    """Returns the factor of the learning rate after `taken` of all steps; 1 if there is no end."""
    if not steps:
        return 1.0
    rising = min(1.0, (taken + 1) / max(1.0, steps * 5 / 90))
    drops = sum(taken / steps >= place / 90 for place in (30, 60, 80))
    return float(rising * 0.1**drops)


def judged(
    scores: "np.ndarray[tuple[int, int], np.dtype[np.float64]]",
    labels: "np.ndarray[tuple[int], np.dtype[np.int64]]",
) -> dict[str, float]:
    """Returns the quality of probabilities (n, classes) against labels (n,); ties count against the
    correct class. The AUC is the mean over the classes of each against all others; NaN has none.
    """
    right = scores[np.arange(len(labels)), labels]
    ahead = (scores >= right[:, None]).sum(axis=1) - 1
    found = {"top1": float((ahead == 0).mean())}
    if scores.shape[1] > BEST_OF:
        found["top5"] = float((ahead < BEST_OF).mean())
    if not np.isfinite(scores).all():
        return found | {"auc": math.nan}
    areas = [roc_auc_score(labels == label, each) for label, each in enumerate(scores.T)]
    return found | {"auc": float(np.mean(areas))}
