"""The digits workload: what its head says is what it does."""

import re

import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels import catalog
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import Precision
from kernels.workloads import WORKLOADS, digits_cnn
from kernels.workloads.pictures import Classifier

pytestmark = pytest.mark.torch


def training(batch_size: int = 479, epochs: int = 2) -> Classifier:
    """On the CPU, with the threads that are set already."""
    return digits_cnn.training(
        PyTorch("cpu", Precision.FP32, torch.get_num_threads(), seed=0),
        batch_size=batch_size,
        epochs=epochs,
    )


def test_the_head_states_the_parameters() -> None:
    """As many as the model has."""
    stated = re.search(r"([\d,]+)\s+parameters", digits_cnn.__doc__ or "")

    assert stated is not None
    assert int(stated[1].replace(",", "")) == training().parameters


def test_plan_catalogue_and_data_agree() -> None:
    """Samples of the plan, of the catalogue and of the split."""
    plan = WORKLOADS["digits_cnn"]
    known = catalog.load().workloads[plan.workload]

    assert plan.train_samples == 1437
    assert known.train_samples == 1437
    assert known.eval_samples == digits_cnn.HELD_OUT
    assert training(1437).steps_per_epoch == 1


def test_an_epoch_has_full_batches_alone() -> None:
    """1,437 images make 22 steps of 64; the 29 left over are others in the next epoch."""
    found = training(64)

    assert len(list(found.steps())) == found.steps_per_epoch == 22


def test_training_lowers_the_loss_and_follows_the_schedule() -> None:
    """Two epochs of three steps: the loss falls, the rate ends far below its peak."""
    found = training()
    losses = []
    for _ in range(2):
        for step in found.steps():
            step()
        losses.append(found.loss())

    assert losses[1] < losses[0]
    assert found.learning_rate() < digits_cnn.PEAK_RATE / 10
    assert 0 <= found.evaluate()["top1"] <= 1


def test_a_step_beyond_the_schedule_still_trains() -> None:
    """A throughput run goes on as long as it must."""
    found = training(epochs=1)
    for _ in range(3):
        for step in found.steps():
            step()

    assert found.loss() > 0


def test_a_batch_larger_than_the_data_is_refused() -> None:
    """With the largest that can be had."""
    with pytest.raises(MeasureError, match="1437"):
        training(2000)
