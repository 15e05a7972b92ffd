"""The network's shape and size; its speed is measured, not tested."""

import pytest

torch = pytest.importorskip("torch", reason="needs PyTorch: make test without TORCH=no installs it")

from kernels.backends.pytorch import PyTorch  # noqa: E402 - after the skip
from kernels.records import Precision  # noqa: E402
from kernels.workloads import WORKLOADS  # noqa: E402
from kernels.workloads.resnet50 import IMAGES_PER_EPOCH, model, training  # noqa: E402

pytestmark = pytest.mark.torch


def test_it_is_resnet_50_v1_5() -> None:
    """25,557,032 parameters, and each downsampling block strides in its 3x3 convolution."""
    network = model()

    strides = [module.kernel_size for module in network.modules() if isinstance(module, torch.nn.Conv2d) and module.stride == (2, 2)]

    assert sum(parameter.numel() for parameter in network.parameters()) == 25_557_032
    assert strides == [(7, 7)] + [(3, 3), (1, 1)] * 3  # the 1x1 are the shortcuts'


def test_a_step_learns_the_one_batch() -> None:
    """Two steps on the same batch lower its loss, which `loss` gives as a mean and then forgets."""
    trained = training(PyTorch("cpu", Precision.FP32, threads=1, seed=0), batch_size=2, epochs=1)
    steps = trained.steps()

    losses = []
    for _ in range(3):
        next(steps)()
        losses.append(trained.loss())

    assert losses[-1] < losses[0]


def test_an_epoch_counts_as_imagenet() -> None:
    """The plan and the training agree on the images of an epoch."""
    assert WORKLOADS["resnet50"].train_samples == IMAGES_PER_EPOCH == 1_281_167
