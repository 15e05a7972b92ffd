"""Accelerators are known by their drivers' names; a part of one is not taken for it."""

import pytest

from kernels import catalog
from kernels.backends.base import Device, Probe
from kernels.harness import jobs
from kernels.records import Precision
from tests.kernels.own_runs import a_request

NVIDIA = {
    "A100-PCIE-40GB": "a100-40gb",
    "A100-SXM-80GB": "a100-80gb",
    "A100-SXM4-40GB": "a100-40gb",
    "GeForce GTX 1080 Ti": "gtx-1080-ti",
    "GeForce RTX 2080 Ti": "rtx-2080-ti",
    "GeForce RTX 3090": "rtx-3090",
    "NVIDIA A10": "a10",
    "NVIDIA A100 80GB PCIe": "a100-80gb",
    "NVIDIA A100-PCIE-40GB": "a100-40gb",
    "NVIDIA A100-SXM4-40GB": "a100-40gb",
    "NVIDIA A100-SXM4-80GB": "a100-80gb",
    "NVIDIA A10G": "a10g",
    "NVIDIA A30": "a30",
    "NVIDIA A40": "a40",
    "NVIDIA B200": "b200",
    "NVIDIA B300 SXM6 AC": "b300",
    "NVIDIA GB200": "gb200",
    "NVIDIA GB300": "gb300",
    "NVIDIA GH200 144G HBM3e": "gh200",
    "NVIDIA GH200 480GB": "gh200",
    "NVIDIA GeForce GTX 1080 Ti": "gtx-1080-ti",
    "NVIDIA GeForce RTX 2080 Ti": "rtx-2080-ti",
    "NVIDIA GeForce RTX 3090": "rtx-3090",
    "NVIDIA GeForce RTX 4090": "rtx-4090",
    "NVIDIA GeForce RTX 5090": "rtx-5090",
    "NVIDIA H100 80GB HBM3": "h100-sxm",
    "NVIDIA H100 NVL": "h100-nvl",
    "NVIDIA H100 PCIe": "h100-pcie",
    "NVIDIA H200": "h200-sxm",
    "NVIDIA H200 NVL": "h200-nvl",
    "NVIDIA L4": "l4",
    "NVIDIA L40": "l40",
    "NVIDIA L40S": "l40s",
    "NVIDIA RTX 6000 Ada Generation": "rtx-6000-ada",
    "NVIDIA RTX A6000": "rtx-a6000",
    "Quadro RTX 6000": "quadro-rtx-6000",
    "RTX A6000": "rtx-a6000",
    "Tesla K80": "k80",
    "Tesla P100-PCIE-12GB": "p100-pcie",
    "Tesla P100-PCIE-16GB": "p100-pcie",
    "Tesla P100-SXM2-16GB": "p100-sxm2",
    "Tesla P4": "p4",
    "Tesla P40": "p40",
    "Tesla T4": "t4",
    "Tesla V100-PCIE-16GB": "v100-pcie",
    "Tesla V100-PCIE-32GB": "v100-pcie",
    "Tesla V100-SXM2-16GB": "v100-sxm2-16gb",
    "Tesla V100-SXM2-32GB": "v100-sxm2-32gb",
    "Tesla V100-SXM3-32GB": "v100-sxm3-32gb",
    "Tesla V100S-PCIE-32GB": "v100s-pcie",
}
"""As `nvidia-smi` and CUDA say them; drivers before 470 leave out the maker."""

AMD = {
    "AMD Instinct MI300A": "mi300a",
    "AMD Instinct MI300X": "mi300x",
    "AMD Instinct MI300X OAM": "mi300x",
    "AMD Instinct MI325X": "mi325x",
    "AMD Radeon RX 7900 XTX": "rx-7900-xtx",
    "Radeon RX 7900 XTX": "rx-7900-xtx",
}
"""As `rocm-smi` and HIP say them."""

TPU = {
    "TPU v2": "tpu-v2",
    "TPU v3": "tpu-v3",
    "TPU v4": "tpu-v4",
    "TPU v5": "tpu-v5p",
    "TPU v5 lite": "tpu-v5e",
    "TPU v5e": "tpu-v5e",
    "TPU v5p": "tpu-v5p",
    "TPU v6 lite": "tpu-v6e",
    "TPU v6e": "tpu-v6e",
}
"""As JAX says them in `device_kind`."""


@pytest.mark.parametrize(("name", "hardware"), [*NVIDIA.items(), *AMD.items(), *TPU.items()])
def test_the_name_of_a_driver_is_known(name: str, hardware: str) -> None:
    """A run has the catalogue's accelerator, with peak and prices, and no id made up for it."""
    card = Device("cuda:0", name, 2**34, (Precision.FP32,))

    where = jobs.place(
        a_request(), Probe("torch", "9.9", (Device("cpu", None, None, ()), card)), catalog.load()
    )

    assert where.accelerator == hardware


@pytest.mark.parametrize(
    "name",
    [
        "NVIDIA A100-SXM4-40GB MIG 1g.5gb",
        "GRID T4-8Q",
        "NVIDIA H100",
        "TPU",
        "TPU v4 lite",
        "AMD Instinct",
    ],
)
def test_a_part_or_a_family_is_no_accelerator(name: str) -> None:
    """A slice has a part of the peak; a family several, unless the catalogue has the family."""
    assert catalog.load().called(name) == ("h100" if name == "NVIDIA H100" else None)


WITHOUT_A_PEAK = {
    "a30",
    "h100-nvl",
    "h200-nvl",
    "l40s",
    "quadro-rtx-6000",
    "rtx-5090",
    "a10g",
    "tpu-v3",
    "tpu-v4",
    "tpu-v5e",
    "tpu-v5p",
    "tpu-v6e",
}
"""Accelerators whose peak in FP32 no source of the catalogue states, or none that can be believed;
of TPUs no maker states one.
"""


def test_known_accelerators_have_the_peak_that_a_source_states() -> None:
    """In FP32, and for TPUs in bfloat16; the others are named, so that a new one is a decision."""
    known = catalog.load()
    named = {*NVIDIA.values(), *AMD.values(), *TPU.values()}

    def stated(hardware: str, quantity: str) -> bool:
        spec = known.spec(hardware, quantity)
        return spec is not None and spec.value is not None

    assert {each for each in named if not stated(each, "peak_fp32")} == WITHOUT_A_PEAK
    assert all(stated(each, "peak_tensor_fp16") for each in TPU.values())


def test_half_precision_of_a_card_with_matrix_units_is_not_that_of_its_other_units() -> None:
    """Else a run would be held against a quarter of what it can reach, and doubted."""
    known = catalog.load()
    plain = {
        each
        for each in {*NVIDIA.values(), *AMD.values()}
        if known.spec(each, "peak_fp16") and not known.spec(each, "peak_tensor_fp16")
    }

    assert plain == {"gtx-1080-ti", "p100-pcie", "p100-sxm2", "p4", "p40"}
