"""PyTorch: what it can do here, and what counts as out of memory."""

import pytest

torch = pytest.importorskip("torch", reason="measuring needs PyTorch")

from kernels.backends.base import OutOfMemory  # noqa: E402 - after the skip
from kernels.backends.pytorch import PyTorch, probe  # noqa: E402 - after the skip
from kernels.records import Precision  # noqa: E402 - after the skip

pytestmark = pytest.mark.torch


@pytest.fixture
def backend() -> PyTorch:
    """On the CPU, with the threads that are set already: they are one setting of the process."""
    return PyTorch("cpu", Precision.FP32, torch.get_num_threads(), seed=0)


def test_the_cpu_is_always_there() -> None:
    """And cannot do TF32."""
    found = probe()

    assert found.devices[0].name == "cpu"
    assert Precision.TF32 not in found.devices[0].precisions


@pytest.mark.parametrize(
    ("error", "wanted"),
    [
        (
            RuntimeError("[enforce fail] DefaultCPUAllocator: can't allocate memory: you tried to allocate 4096 bytes. Error code 12"),
            OutOfMemory(4096),
        ),
        (torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.50 GiB. GPU 0 has"), OutOfMemory(2684354560)),
        (MemoryError(), OutOfMemory(None)),
        (RuntimeError("shapes do not fit"), None),
        (ValueError("out of memory of names"), None),
    ],
)
def test_each_framework_error_of_memory_is_known(backend: PyTorch, error: BaseException, wanted: OutOfMemory | None) -> None:
    """Three types, with the size where the text has it; any other error is not memory."""
    assert backend.out_of_memory(error) == wanted


def test_fp32_is_fp32_everywhere(backend: PyTorch) -> None:
    """PyTorch lets convolutions use TF32 by default; here both flags follow the precision that was asked for."""
    assert not torch.backends.cudnn.allow_tf32
    assert not torch.backends.cuda.matmul.allow_tf32
    assert backend.facts().environment["memory_format"] == "channels_last"


def test_bf16_is_autocast() -> None:
    """Products are in bfloat16, weights stay in FP32."""
    mixed = PyTorch("cpu", Precision.AMP_BF16, torch.get_num_threads(), seed=0)
    with mixed.autocast():
        product = torch.ones(2, 2) @ torch.ones(2, 2)

    assert product.dtype is torch.bfloat16


def test_peak_memory_of_the_cpu_is_the_process(backend: PyTorch) -> None:
    """In bytes: PyTorch alone takes more than 50 MB."""
    assert backend.peak_memory() > 50e6
    assert backend.facts().extra["peak_memory_of"] == "process_resident"
