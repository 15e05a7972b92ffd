"""CNN-10 in JAX: the size of the network, and that it learns."""

from collections.abc import Iterator

import numpy as np
import pytest

jax = pytest.importorskip("jax", reason="measuring with JAX needs the extra of that name")

from kernels import datasets
from kernels.backends.base import PLAIN
from kernels.backends.jax import Jax
from kernels.errors import MeasureError
from kernels.records import DataKind, Precision
from kernels.workloads import cnn10_jax

pytestmark = pytest.mark.jax


@pytest.fixture(autouse=True)
def _compiled_soon() -> Iterator[None]:
    """Without the compiler's optimisations, which take ten times as long as what is tested."""
    name = "jax_disable_most_optimizations"
    jax.config.update(name, True)
    yield
    jax.config.update(name, False)


def network(
    precision: Precision = Precision.FP32,
    data: DataKind = DataKind.SYNTHETIC_DEVICE,
    width: float = 1 / 16,
) -> cnn10_jax.Cnn10:
    """A very narrow one."""
    backend = Jax("cpu", precision, 1, 0, PLAIN)
    return cnn10_jax.training(
        backend, batch_size=16, epochs=10, data=data, width=width, augmentation="none"
    )


def test_the_network_has_the_parameters_of_the_one_in_pytorch() -> None:
    """1,923,914 at full width, and the same work for each picture: 1.59 GFLOP."""
    weights, _ = jax.eval_shape(lambda key: cnn10_jax.initial(key, 1.0), jax.random.key(0))

    assert sum(each.size for each in jax.tree.leaves(weights)) == 1_923_914
    assert cnn10_jax.flop(1.0) == 1_592_540_160


@pytest.mark.parametrize("precision", [Precision.FP32, Precision.AMP_BF16])
def test_a_batch_is_learnt_by_heart(precision: Precision) -> None:
    """The loss of one batch falls while it is seen again and again."""
    training = network(precision)
    losses = []
    for _, step in zip(range(10), training.steps(), strict=False):
        step()
        losses.append(training.loss())

    assert losses[-1] < losses[0]


def test_the_rate_falls_at_half_and_at_four_fifths() -> None:
    """In proportion to the batch: 0.1 at 128."""
    training = network()
    rates = []
    for epoch in (0, 4, 5, 7, 8, 99):
        training._taken = epoch * training.steps_per_epoch
        rates.append(training.learning_rate())

    assert rates == pytest.approx([0.0125, 0.0125, 0.00125, 0.00125, 0.000125, 0.000125])


def test_real_pictures_are_shuffled_and_judged(monkeypatch: pytest.MonkeyPatch) -> None:
    """64 pictures of their label in grey: learnt in a few epochs, the same from a seed."""
    labels = (np.arange(64) % 10).astype(np.uint8)
    pictures = np.repeat(labels[:, None] * 25, 32 * 32 * 3, axis=1).reshape(64, 32, 32, 3)
    arrays = {
        "train_images": pictures,
        "train_labels": labels,
        "test_images": pictures[:32],
        "test_labels": labels[:32],
    }
    monkeypatch.setattr(datasets, "load", lambda _: arrays)
    monkeypatch.setattr(cnn10_jax, "TRAIN", 64)

    def curve() -> list[float]:
        training = network(data=DataKind.REAL, width=1 / 8)
        found = []
        for _ in range(4):
            for step in training.steps():
                step()
            found.append(training.loss())
        return [*found, training.evaluate()["top1"]]

    first = curve()

    assert first == curve()
    assert first[3] < first[0]
    assert 0 <= first[4] <= 1


def test_what_is_not_written_for_jax_is_refused() -> None:
    """By the flag's name."""
    backend = Jax("cpu", Precision.FP32, 1, 0, PLAIN)

    with pytest.raises(MeasureError, match="--augmentation flip: in JAX"):
        cnn10_jax.training(
            backend, batch_size=16, epochs=1, data=DataKind.REAL, width=1.0, augmentation="flip"
        )
