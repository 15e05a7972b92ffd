"""Single operations: what they do, what they count, and in which formats."""

from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels import metrics
from kernels.backends.pytorch import PyTorch, card_precisions, probe
from kernels.errors import MeasureError
from kernels.records import DataKind, Precision
from kernels.workloads import WORKLOADS
from kernels.workloads.micro import convolution, copy, matmul
from kernels.workloads.micro.repeated import Repeated

pytestmark = pytest.mark.torch

MICRO = ("matmul", "convolution", "copy")


def backend(precision: Precision = Precision.FP32) -> PyTorch:
    """On the CPU, with one thread."""
    return PyTorch("cpu", precision, 1, seed=0)


@pytest.mark.parametrize(
    "precision", [Precision.FP64, Precision.FP32, Precision.BF16, Precision.FP16]
)
def test_a_product_is_done_in_the_format_that_was_asked_for(precision: Precision) -> None:
    """And counts 2 n^3; its numbers are about 1."""
    found = matmul.training(backend(precision), batch_size=1, epochs=1, size=64)
    next(found.steps())()

    assert found.rates == {"achieved_flop_per_s": 2 * 64**3}
    assert (
        str(found._result.dtype)
        == {
            "fp64": "torch.float64",
            "fp32": "torch.float32",
            "bf16": "torch.bfloat16",
            "fp16": "torch.float16",
        }[precision]
    )
    assert 0.5 < found.loss() < 1.5


def test_a_convolution_counts_what_the_formula_says() -> None:
    """9.66 billion operations for 32 pictures; outputs are of the size of the inputs."""
    found = convolution.training(backend(), batch_size=1, epochs=1)
    next(found.steps())()

    assert found.rates["achieved_flop_per_s"] == 2 * 3 * 3 * 128 * 128 * 32 * 32 * 32
    assert 0.5 < found.loss() < 1.5
    assert found._result.shape == (32, 128, 32, 32)


def test_a_copy_within_one_memory_reads_and_writes() -> None:
    """So that memory moves twice what is copied."""
    found = copy.training(
        backend(), batch_size=1, epochs=1, data=DataKind.SYNTHETIC_DEVICE, size=1000
    )
    next(found.steps())()

    assert found.rates == {"copy_bytes_per_s": 1000, "memory_bandwidth_byte_per_s": 2000}
    assert len(found._result) == 1000


def test_a_step_does_as_many_as_the_batch_says() -> None:
    """One after another."""
    done: list[int] = []

    def operation() -> Any:
        done.append(1)
        return torch.ones(1)

    next(Repeated(operation, 5, {}, {}).steps())()

    assert len(done) == 5


def test_what_makes_no_sense_is_refused() -> None:
    """A copy from the host to itself, bytes in half precision, one operation in mixed precision."""
    with pytest.raises(MeasureError, match="no way to measure"):
        copy.training(backend(), batch_size=1, epochs=1, data=DataKind.SYNTHETIC_HOST, size=10)
    with pytest.raises(MeasureError, match="bytes have none"):
        copy.training(
            backend(Precision.FP16), batch_size=1, epochs=1, data=DataKind.SYNTHETIC_DEVICE, size=10
        )
    with pytest.raises(MeasureError, match="one number format"):
        matmul.training(backend(Precision.AMP_BF16), batch_size=1, epochs=1, size=8)


def test_formats_follow_the_card() -> None:
    """TF32 and bfloat16 from Ampere on; Volta has FP16 and FP64; the CPU all but TF32."""
    assert {Precision.TF32, Precision.BF16} <= set(card_precisions(8)) and not {
        Precision.TF32,
        Precision.BF16,
    } & set(card_precisions(7))
    assert {Precision.FP64, Precision.FP16, Precision.AMP_FP16} <= set(card_precisions(7))
    processor = probe().devices[0]
    assert {*processor.precisions, *processor.emulated} >= set(WORKLOADS["matmul"].precisions) - {
        Precision.TF32
    }


@pytest.mark.parametrize("name", MICRO)
def test_their_metrics_have_names_and_units(name: str) -> None:
    """And nothing can be learnt from them."""
    assert WORKLOADS[name].target is None and WORKLOADS[name].train_samples is None
    assert metrics.metric_unit("achieved_flop_per_s") == "FLOP/s"
    assert (
        metrics.metric_unit("copy_bytes_per_s")
        == metrics.metric_unit("memory_bandwidth_byte_per_s")
        == "byte/s"
    )
