"""The residual networks: shape and size, the protocol on real images, what is judged."""

from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test without TORCH=no installs it")

from kernels import catalog
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import DataKind, Precision
from kernels.workloads import WORKLOADS, resnet34, resnet50, resnet101
from kernels.workloads.operations import training_flop
from kernels.workloads.resnet import IMAGES_PER_EPOCH, Basic, Bottleneck, ResNet, judged, model
from tests.kernels.pictures import folder

pytestmark = pytest.mark.torch


def tiny(batch_size: int, data: DataKind, root: Path | None = None, epochs: int = 1) -> ResNet:
    """One block of the narrowest stage on 32 pixels: the large networks' way in a moment."""
    return ResNet(
        PyTorch("cpu", Precision.FP32, threads=1, seed=0),
        Basic,
        (1,),
        batch_size=batch_size,
        epochs=epochs,
        data=data,
        folder=None if root is None else str(root),
        augmentation="none",
        readers=0,
        pixels=32,
    )


@pytest.mark.parametrize(
    ("module", "block", "parameters", "gflop"),
    [
        (resnet34, Basic, 21_797_672, 21.75),
        (resnet50, Bottleneck, 25_557_032, 24.30),
        (resnet101, Bottleneck, 44_549_160, 46.57),
    ],
    ids=["resnet34", "resnet50", "resnet101"],
)
def test_each_has_the_parameters_that_its_head_states(
    module: ModuleType, block: type, parameters: int, gflop: float
) -> None:
    """With 1,000 classes, as the catalogue; operations of an image follow from its layers."""
    with torch.device("meta"):
        network = model(block, module.BLOCKS)
    plan = WORKLOADS[module.__name__.rpartition(".")[2]]

    assert sum(parameter.numel() for parameter in network.parameters()) == parameters
    assert f"{parameters:,} parameters" in (module.__doc__ or "")
    assert catalog.load().workloads[plan.workload].parameters == parameters
    assert training_flop(network, 3, 224, 224) / 1e9 == pytest.approx(gflop, abs=0.005)


def test_it_is_version_1_5() -> None:
    """Each downsampling block strides in its 3x3 convolution."""
    with torch.device("meta"):
        network = model(Bottleneck, resnet50.BLOCKS)

    strides = [
        module.kernel_size
        for module in network.modules()
        if isinstance(module, torch.nn.Conv2d) and module.stride == (2, 2)
    ]

    assert strides == [(7, 7)] + [(3, 3), (1, 1)] * 3  # the 1x1 are the shortcuts'


@pytest.mark.parametrize("data", [DataKind.SYNTHETIC_DEVICE, DataKind.SYNTHETIC_HOST])
def test_a_step_learns(data: DataKind) -> None:
    """Steps on the same batches lower their loss, which `loss` gives as a mean and then forgets."""
    trained = tiny(2, data)
    steps = trained.steps()

    losses = []
    for _ in range(3):
        for _ in range(4):
            next(steps)()
        losses.append(trained.loss())

    assert losses[-1] < losses[0]
    assert trained.evaluate() == {}


def test_an_epoch_counts_as_imagenet() -> None:
    """The plans and the training agree on the images of an epoch."""
    assert (
        {WORKLOADS[f"resnet{layers}"].train_samples for layers in (34, 50, 101)}
        == {IMAGES_PER_EPOCH}
        == {1_281_167}
    )


def test_a_folder_is_trained_on_and_judged_by(tmp_path: Path) -> None:
    """Two epochs of three steps: the rate rises over the first, falls at a third; fractions."""
    trained = tiny(4, DataKind.REAL, folder(tmp_path), epochs=2)
    rates = []
    for _ in range(2):
        for step in trained.steps():
            rates.append(trained.learning_rate())
            step()

    peak = 0.1 * 4 / 256
    assert rates == pytest.approx([peak, peak, peak / 10, peak / 10, peak / 100, peak / 100])
    assert trained.settings["classes"] == "2"
    assert {"top1", "auc"} == set(trained.evaluate())


def test_real_data_need_a_folder() -> None:
    """Which flag names it is said."""
    with pytest.raises(MeasureError, match="--data-dir"):
        tiny(2, DataKind.REAL)


def test_quality_by_hand() -> None:
    """One of seven classes right, one sixth, one tied, which counts against it."""
    scores = np.full((7, 7), 0.0)
    scores[np.arange(7), np.arange(7)] = 1.0  # the rest is right
    scores[1] = [0.3, 0.01, 0.2, 0.19, 0.15, 0.1, 0.05 - 0.05]
    scores[2] = [0.4, 0.0, 0.4, 0.1, 0.1, 0.0, 0.0]

    found = judged(scores, np.arange(7))

    assert found["top1"] == pytest.approx(5 / 7)
    assert found["top5"] == pytest.approx(6 / 7)
    assert found["auc"] == 1


def test_the_area_is_the_mean_over_the_classes() -> None:
    """Two classes without a fault; of the third one of two negatives scores above: 1, 1, 1/2. What
    is no number, as of a network that diverged, has none.
    """
    scores = np.array([[0.6, 0.1, 0.3], [0.1, 0.8, 0.1], [0.4, 0.4, 0.2]])
    broken = np.where(scores == 0.3, np.nan, scores)

    assert judged(scores, np.arange(3))["auc"] == pytest.approx(2.5 / 3)
    assert np.isnan(judged(broken, np.arange(3))["auc"])
