"""What can be trained: one file each, and one line here, readable without any framework."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from kernels.records import DataKind, Target


@dataclass(frozen=True, slots=True)
class Plan:
    """A workload as the command line sees it; how it trains is in its module.

    Attributes:
        name: As on the command line.
        workload: As in `catalog/workloads.toml`.
        module: Where `training` is.
        backends: What it is written for.
        data: Kinds of data that it can be fed with.
        items: What one sample is, for the name of the throughput: `images`, `samples`, `tokens`.
        batch_size: Default, samples over all accelerators.
        epochs: Default length of a convergence run.
        target: Quality that a convergence run is timed to; None where only throughput can be measured.
        chance: Value of the target's metric that guessing gives; a run that stays near it has diverged.
        train_samples: Samples of the training split.
    """

    name: str
    workload: str
    module: str
    summary: str
    backends: tuple[str, ...]
    data: tuple[DataKind, ...]
    items: str
    batch_size: int
    epochs: int
    target: Target | None
    chance: float | None
    train_samples: int


WORKLOADS: Final[Mapping[str, Plan]] = {
    plan.name: plan
    for plan in (
        Plan(
            name="digits_cnn",
            workload="digits-cnn",
            module="kernels.workloads.digits_cnn",
            summary="handwritten digits of 8x8 pixels, three convolutions, about 24,000 parameters; needs no download",
            backends=("torch",),
            data=(DataKind.REAL,),
            items="images",
            batch_size=64,
            epochs=12,
            target=Target("top1", 0.97),
            chance=0.1,
            train_samples=1437,
        ),
        Plan(
            name="resnet50",
            workload="resnet50-imagenet",
            module="kernels.workloads.resnet50",
            summary="ResNet-50 v1.5 at 224 pixels on synthetic images, throughput only; needs no download",
            backends=("torch",),
            data=(DataKind.SYNTHETIC_DEVICE,),
            items="images",
            batch_size=256,
            epochs=1,
            target=None,
            chance=None,
            train_samples=1281167,
        ),
    )
}
