"""The Transformer that reverses: what its head says is what it does."""

import re

import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels import catalog
from kernels.backends.pytorch import PyTorch
from kernels.errors import MeasureError
from kernels.records import Precision
from kernels.workloads import WORKLOADS, seq_reverse

pytestmark = pytest.mark.torch


def training(batch_size: int = 64, epochs: int = 1, seed: int = 0) -> seq_reverse.SeqReverse:
    """On the CPU, with one thread."""
    return seq_reverse.training(
        PyTorch("cpu", Precision.FP32, 1, seed), batch_size=batch_size, epochs=epochs
    )


def test_the_head_states_the_parameters() -> None:
    """As many as the model has, and the catalogue."""
    stated = re.search(r"([\d,]+)\s+parameters", seq_reverse.__doc__ or "")

    assert stated is not None
    assert int(stated[1].replace(",", "")) == training().parameters
    assert catalog.load().workloads["seq-reverse"].parameters == training().parameters


def test_plan_and_data_agree() -> None:
    """Samples of an epoch; sequences are the workload's, whatever the seed of the run."""
    one, other = training(), training(seed=1)

    assert WORKLOADS["seq_reverse"].train_samples == seq_reverse.TRAINED == len(one._sequences)
    assert torch.equal(one._held, other._held)
    assert len(one._held) == seq_reverse.HELD_OUT


def test_steps_lower_the_loss() -> None:
    """Six of them; a guess is right in one letter of 26, and quality is a fraction."""
    found = training(32)
    steps = found.steps()
    losses = []
    for _ in range(2):
        for _ in range(3):
            next(steps)()
        losses.append(found.loss())
    found._held = found._held[:20]
    quality = found.evaluate()

    assert losses[1] < losses[0] < 5
    assert 0 <= quality["sequence_accuracy"] <= quality["token_accuracy"] <= 1


def test_no_letter_is_read_before_it_is_written() -> None:
    """The score of the third letter does not depend on the fourth of the answer so far."""
    model = training()._model.eval()
    sequences = torch.randint(seq_reverse.LETTERS, (2, seq_reverse.LENGTH))
    answers = torch.randint(seq_reverse.LETTERS, (2, 4))
    other = answers.clone()
    other[:, 3] = (other[:, 3] + 1) % seq_reverse.LETTERS
    with torch.no_grad():
        one, two = model(sequences, answers), model(sequences, other)

    assert torch.allclose(one[:, :3], two[:, :3], atol=1e-5)
    assert not torch.allclose(one[:, 3], two[:, 3], atol=1e-5)


def test_a_batch_larger_than_the_data_is_refused() -> None:
    """With the largest that can be had."""
    with pytest.raises(MeasureError, match="12000 training sequences"):
        training(12_001)
