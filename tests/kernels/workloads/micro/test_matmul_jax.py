"""Matrix products in JAX: numbers of the asked format, and one product after another."""

import pytest

jax = pytest.importorskip("jax", reason="measuring with JAX needs the extra of that name")

from kernels.backends.base import PLAIN
from kernels.backends.jax import Jax
from kernels.records import Precision
from kernels.workloads.micro import matmul_jax

pytestmark = pytest.mark.jax


@pytest.mark.parametrize(
    ("precision", "wanted"),
    [
        (Precision.FP32, "float32"),
        (Precision.FP64, "float64"),
        (Precision.BF16, "bfloat16"),
        (Precision.FP16, "float16"),
    ],
)
def test_products_are_in_the_format_that_was_asked_for(precision: Precision, wanted: str) -> None:
    """FP64 too, which JAX turns into FP32 unless told; numbers keep their size."""
    training = matmul_jax.training(
        Jax("cpu", precision, 1, 0, PLAIN), batch_size=20, epochs=1, size=64
    )
    next(training.steps())()

    assert training._result.dtype.name == wanted
    assert 0.01 < training.loss() < 100
    assert training.rates == {"achieved_flop_per_s": 2.0 * 64**3}


def test_each_product_takes_the_one_before() -> None:
    """Three of them are A to the third times B."""
    training = matmul_jax.training(
        Jax("cpu", Precision.FP32, 1, 0, PLAIN), batch_size=3, epochs=1, size=8
    )
    next(training.steps())()

    assert jax.numpy.allclose(
        training._result, training._a @ training._a @ training._a @ training._b, atol=1e-5
    )
