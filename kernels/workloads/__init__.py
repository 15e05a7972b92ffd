"""What can be trained: one file each, and one line here, readable without any framework."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from kernels.records import DataKind, Precision, Target


@dataclass(frozen=True, slots=True)
class Width:
    """A narrower network for a small machine: a workload of its own.

    Attributes:
        factor: Share of the full network's channels, above 0 and below 1.
        workload: As in `catalog/workloads.toml`.
        epochs: Default length of a convergence run.
        target: What is reached within them.
    """

    factor: float
    workload: str
    epochs: int
    target: float


TRAINED_IN: Final = (Precision.FP32, Precision.TF32, Precision.AMP_BF16, Precision.AMP_FP16)
"""Number formats that networks are trained in here; the pure ones are for single operations."""

COMPUTED_IN: Final = (
    Precision.FP32,
    Precision.TF32,
    Precision.BF16,
    Precision.FP16,
    Precision.FP64,
)
"""Number formats of single operations."""


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
        target: Quality that a convergence run is timed to; None where only throughput can be
            measured.
        chance: Value of the target's metric that guessing gives; a run that stays near it has
            diverged.
        train_samples: Samples of the training split; of a folder of images the training counts
            them; None where nothing is trained.
        dataset: Name in `kernels.datasets` of the set that real data come from; None where nothing
            is to be fetched.
        widths: Narrower networks that it can be run with, besides the full one.
        note: What a reader of a run must know of the default protocol.
        folder: What lies in the folder that the user names for real data: `images` in ImageNet's
            layout, or `ratings`; empty for none.
        folder_workload: As in `catalog/workloads.toml`, for a folder with other data than those of
            `workload`.
        augmentations: Ways to change training images at random, the default first.
        converges: Kinds of data from which the target can be learnt.
        precisions: What it can be run in, where that is not what networks are trained in.
        sizes: Default sizes of the operation that is timed, for workloads that have one; each makes
            a run.
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
    train_samples: int | None
    dataset: str | None = None
    widths: tuple[Width, ...] = ()
    note: str = ""
    folder: str = ""
    folder_workload: str | None = None
    augmentations: tuple[str, ...] = ()
    converges: tuple[DataKind, ...] = (DataKind.REAL,)
    precisions: tuple[Precision, ...] = TRAINED_IN
    sizes: tuple[int, ...] = ()

    def at(self, width: float) -> "Plan":
        """The plan of the network of that width; 1 is the full one.

        Raises:
            KeyError: It comes in no such width.
        """
        if width == 1:
            return self
        narrow = {each.factor: each for each in self.widths}[width]
        target = None if self.target is None else replace(self.target, value=narrow.target)
        return replace(self, workload=narrow.workload, epochs=narrow.epochs, target=target)

    def workloads(self) -> tuple[str, ...]:
        """Ids in the catalogue of all that it can be run as."""
        return (
            self.workload,
            *(each.workload for each in self.widths),
            *([self.folder_workload] if self.folder_workload else []),
        )

    def options(
        self,
        data: DataKind,
        width: float,
        augmentation: str,
        *,
        folder: str | None = None,
        readers: int | None = None,
        size: int | None = None,
    ) -> dict[str, object]:
        """What `training` takes beyond batch size and epochs: only what there is a choice of."""
        chosen: dict[str, object] = {"data": data} if len(self.data) > 1 else {}
        chosen |= {"width": width} if self.widths else {}
        chosen |= {"augmentation": augmentation} if self.augmentations else {}
        chosen |= {"folder": folder} if self.folder else {}
        chosen |= {"readers": readers} if self.folder == "images" else {}
        return chosen | ({"size": size} if self.sizes else {})


def _cifar10(
    *,
    name: str,
    summary: str,
    backends: tuple[str, ...],
    target: float,
    narrow: Width,
    note: str,
) -> Plan:
    """A network of rtx2080ti-colab-tpu for photographs of 32 pixels: see `cifar10.py`."""
    return Plan(
        name=name,
        workload=f"{name.replace('_', '-')}-cifar10",
        module=f"kernels.workloads.{name}",
        summary=summary,
        backends=backends,
        data=(DataKind.REAL, DataKind.SYNTHETIC_DEVICE, DataKind.SYNTHETIC_HOST),
        items="images",
        batch_size=128,
        epochs=100,
        target=Target("top1", target),
        chance=0.1,
        train_samples=50_000,
        dataset="cifar10",
        widths=(narrow,),
        note=note,
        augmentations=("none", "standard"),
    )


def _residual(*, name: str, summary: str, batch_size: int, target: Target, note: str) -> Plan:
    """A network for photographs of 224 pixels: see `resnet.py`."""
    return Plan(
        name=name,
        workload=f"{name}-imagenet",
        module=f"kernels.workloads.{name}",
        summary=summary,
        backends=("torch",),
        data=(DataKind.SYNTHETIC_DEVICE, DataKind.SYNTHETIC_HOST, DataKind.REAL),
        items="images",
        batch_size=batch_size,
        epochs=90,
        target=target,
        chance=None,
        train_samples=1_281_167,
        note=note,
        folder="images",
        folder_workload=f"{name}-image-folder",
        augmentations=("standard", "none", "heavy"),
    )


def _operation(
    *,
    name: str,
    summary: str,
    backends: tuple[str, ...],
    data: tuple[DataKind, ...],
    precisions: tuple[Precision, ...],
    sizes: tuple[int, ...] = (),
) -> Plan:
    """A single operation: nothing is learnt."""
    return Plan(
        name=name,
        workload=f"micro-{name}",
        module=f"kernels.workloads.micro.{name}",
        summary=summary,
        backends=backends,
        data=data,
        items="samples",
        batch_size=8,
        epochs=1,
        target=None,
        chance=None,
        train_samples=None,
        precisions=precisions,
        sizes=sizes,
    )


WORKLOADS: Final[Mapping[str, Plan]] = {
    plan.name: plan
    for plan in (
        Plan(
            name="digits_cnn",
            workload="digits-cnn",
            module="kernels.workloads.digits_cnn",
            summary="handwritten digits of 8x8 pixels, three convolutions, about 24,000 "
            "parameters; needs no download",
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
            name="fashion_cnn",
            workload="fashion-cnn",
            module="kernels.workloads.fashion_cnn",
            summary="clothes in grey, 28x28 pixels, a net like that of digits_cnn: real pictures "
            "and a target within a minute",
            backends=("torch",),
            data=(DataKind.REAL, DataKind.SYNTHETIC_DEVICE, DataKind.SYNTHETIC_HOST),
            items="images",
            batch_size=128,
            epochs=8,
            target=Target("top1", 0.9),
            chance=0.1,
            train_samples=60_000,
            dataset="fashion-mnist",
        ),
        _cifar10(
            name="cnn10",
            summary="photographs of 32x32 pixels, ten layers, 1.9 million parameters: the smaller "
            "network of rtx2080ti-colab-tpu",
            backends=("torch", "jax"),
            target=0.89,
            narrow=Width(0.25, "cnn10-cifar10-quarter-width", epochs=7, target=0.78),
            note="the source states no target: 0.89 is what it reached at batch size 128, less 0.6 "
            "points",
        ),
        _cifar10(
            name="wrn28_10",
            summary="the same photographs, 28 layers, 36.5 million parameters: the larger network "
            "of rtx2080ti-colab-tpu",
            backends=("torch",),
            target=0.84,
            narrow=Width(0.1, "wrn28-10-cifar10-tenth-width", epochs=3, target=0.7),
            note="the source states no target: 0.84 is what it reached on one card at batch size "
            "128, less 0.2 points",
        ),
        _residual(
            name="resnet50",
            summary="ResNet-50 v1.5 at 224 pixels: throughput on synthetic images, or the images "
            "of a folder in ImageNet's layout",
            batch_size=256,
            target=Target("top1", 0.749),
            note="the target is MLPerf v0.5's for ImageNet; for another folder say --target",
        ),
        _residual(
            name="resnet101",
            summary="ResNet-101 v1.5 likewise, the heavy network of catalyst-cost; quality is the "
            "one-vs-rest AUC",
            batch_size=128,
            target=Target("auc", 0.9835),
            note="the target is catalyst-cost's for paintings; for another folder say --target",
        ),
        _residual(
            name="resnet34",
            summary="ResNet-34 likewise, the light network of catalyst-cost",
            batch_size=256,
            target=Target("auc", 0.9091),
            note="the target is catalyst-cost's for paintings; for another folder say --target",
        ),
        Plan(
            name="ncf",
            workload="ncf-movielens-100k",
            module="kernels.workloads.ncf",
            summary="films that people choose next: NeuMF on MovieLens-100k, HR@10 against 100 "
            "sampled films; not MLPerf's 20M",
            backends=("torch",),
            data=(DataKind.REAL,),
            items="samples",
            batch_size=2048,
            epochs=10,
            target=Target("hr10", 0.6),
            chance=10 / 101,
            train_samples=495_285,
            dataset="movielens-100k",
            note="HR@10 against 100 sampled films is far higher than over the whole catalogue",
        ),
        Plan(
            name="ncf_20m",
            workload="ncf-movielens-20m",
            module="kernels.workloads.ncf_20m",
            summary="the same at the size of MLPerf v0.5, on the ratings.csv of MovieLens-20M that "
            "you have",
            backends=("torch",),
            data=(DataKind.REAL,),
            items="samples",
            batch_size=1_048_576,
            epochs=20,
            target=Target("hr10", 0.635),
            chance=10 / 1000,
            train_samples=99_308_850,
            note="HR@10 against 999 sampled films is higher than over the whole catalogue",
            folder="ratings",
        ),
        Plan(
            name="seq_reverse",
            workload="seq-reverse",
            module="kernels.workloads.seq_reverse",
            summary="a small Transformer that reverses sequences of letters; needs no download",
            backends=("torch",),
            data=(DataKind.SYNTHETIC_DEVICE,),
            items="samples",
            batch_size=256,
            epochs=6,
            target=Target("token_accuracy", 0.99),
            chance=1 / 26,
            train_samples=12_000,
            converges=(DataKind.SYNTHETIC_DEVICE,),
        ),
        _operation(
            name="matmul",
            summary="matrix products, FLOP/s by size, to compare with the nominal peak",
            backends=("torch", "jax"),
            data=(DataKind.SYNTHETIC_DEVICE,),
            precisions=COMPUTED_IN,
            sizes=(2048,),
        ),
        _operation(
            name="convolution",
            summary="3x3 convolutions forward, 128 channels, 32 pictures of 32x32: FLOP/s",
            backends=("torch",),
            data=(DataKind.SYNTHETIC_DEVICE,),
            precisions=COMPUTED_IN,
        ),
        _operation(
            name="copy",
            summary="copies within the device's memory, or from the host's to it (--data "
            "synthetic_host): bytes/s",
            backends=("torch",),
            data=(DataKind.SYNTHETIC_DEVICE, DataKind.SYNTHETIC_HOST),
            precisions=(Precision.FP32,),
            sizes=(2**28,),
        ),
    )
}
