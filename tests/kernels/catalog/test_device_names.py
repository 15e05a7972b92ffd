"""Accelerators are known by their drivers' names; a part of one is not taken for it."""

import pytest

from kernels.backends.base import Device, Probe
from kernels.harness import jobs
from kernels.records import Precision
from tests.kernels.own_runs import a_request
from tests.makers import catalogue

NVIDIA = {
    "A100-PCIE-40GB": "a100-pcie-40gb",
    "A100-SXM-80GB": "a100-sxm4-80gb",
    "A100-SXM4-40GB": "a100-sxm4-40gb",
    "GeForce GTX 1080 Ti": "gtx-1080-ti",
    "GeForce RTX 2080 Ti": "rtx-2080-ti",
    "GeForce RTX 3090": "rtx-3090",
    "NVIDIA A10": "a10",
    "NVIDIA A100 80GB PCIe": "a100-pcie-80gb",
    "NVIDIA A100-PCIE-40GB": "a100-pcie-40gb",
    "NVIDIA A100-SXM4-40GB": "a100-sxm4-40gb",
    "NVIDIA A100-SXM4-80GB": "a100-sxm4-80gb",
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
    "NVIDIA RTX A5000": "rtx-a5000",
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
    "AMD Instinct MI250X": "mi250x",
    "AMD Instinct MI300A": "mi300a",
    "AMD Instinct MI300X": "mi300x",
    "AMD Instinct MI300X OAM": "mi300x",
    "AMD Instinct MI325X": "mi325x",
    "AMD Instinct MI350X": "mi350x",
    "AMD Instinct MI355X": "mi355x",
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
        a_request(), Probe("torch", "9.9", (Device("cpu", None, None, ()), card)), catalogue()
    )

    assert where.accelerator == hardware


SUBMITTED = {
    "A100-SXM4-80GB": "a100-sxm4-80gb",
    "AMD Instinct MI300X 192GB HBM3": "mi300x",
    "AMD Instinct MI325X 256GB HBM3E DLC": "mi325x",
    "AMD Instinct MI325X 256GB HBM3e": "mi325x",
    "Ascend 910 Premium A": "ascend-910-premium-a",
    "Ascend 910 Pro A": "ascend-910-pro-a",
    "Ascend910": "ascend-910",
    "Graphcore Bow IPU": "bow-ipu",
    "Graphcore IPU GC200": "ipu-gc200",
    "H100 NVL Tensor Core GPU (PCIe)": "h100-nvl",
    "Habana Gaudi": "gaudi",
    "Habana Gaudi HL-205": "gaudi",
    "Habana Gaudi2": "gaudi2",
    "Intel Gaudi2": "gaudi2",
    "Intel(R) Gaudi(R) 2 AI Accelerator": "gaudi2",
    "Intel(R) Xeon(R) Platinum 8180 CPU @ 2.50GHz": "cpu-intel-xeon-platinum-8180",
    "Intel(R) Xeon(R) Platinum 8260L CPU @ 2.40GHz": "cpu-intel-xeon-platinum-8260l",
    "Intel(R) Xeon(R) Platinum 8376H CPU @ 2.60GHz": "cpu-intel-xeon-platinum-8376h",
    "Intel(R) Xeon(R) Platinum 8380H CPU @ 2.90GHz": "cpu-intel-xeon-platinum-8380h",
    "Intel(R) Xeon(R) Platinum 8480+ @ 2.00GHz": "cpu-intel-xeon-platinum-8480",
    "Intel(R) Xeon(R) Platinum 9282 CPU @ 2.60GHz": "cpu-intel-xeon-platinum-9282",
    "Intel(R) Xeon(R) code named Sapphire Rapids": "cpu-intel-xeon-sapphire-rapids",
    "NVIDIA A100 - PCIe - 80 GB": "a100-pcie-80gb",
    "NVIDIA A100-PCIE-40GB (250W)": "a100-pcie-40gb",
    "NVIDIA A100-PCIE-80GB": "a100-pcie-80gb",
    "NVIDIA A100-PCIE-80GB (300W)": "a100-pcie-80gb",
    "NVIDIA A100-PCIe-40GB": "a100-pcie-40gb",
    "NVIDIA A100-PCIe-40GB(250W)": "a100-pcie-40gb",
    "NVIDIA A100-SXM-40GB": "a100-sxm4-40gb",
    "NVIDIA A100-SXM-80GB": "a100-sxm4-80gb",
    "NVIDIA A100-SXM-80GB (400W)": "a100-sxm4-80gb",
    "NVIDIA A100-SXM-80GB (500W)": "a100-sxm4-80gb",
    "NVIDIA A100-SXM-80GB CTS": "a100-sxm4-80gb",
    "NVIDIA A100-SXM4-40GB (400W)": "a100-sxm4-40gb",
    "NVIDIA A100-SXM4-40GB(400W)": "a100-sxm4-40gb",
    "NVIDIA A100-SXM4-80GB (400W)": "a100-sxm4-80gb",
    "NVIDIA A100-SXM4-80GB (500W)": "a100-sxm4-80gb",
    "NVIDIA A100-SXM4-80GB(400W)": "a100-sxm4-80gb",
    "NVIDIA A30-PCIE-24GB": "a30",
    "NVIDIA Blackwell GPU (B200-SXM-180GB)": "b200",
    "NVIDIA Blackwell GPU (GB200)": "gb200",
    "NVIDIA Blackwell Ultra GPU (B300-SXM-270GB)": "b300",
    "NVIDIA Blackwell Ultra GPU (GB300)": "gb300",
    "NVIDIA H100-PCIe": "h100-pcie",
    "NVIDIA H100-PCIe-80GB": "h100-pcie",
    "NVIDIA H100-SXM-80GB": "h100-sxm",
    "NVIDIA H100-SXM5-80GB": "h100-sxm",
    "NVIDIA H100-SXM5-96GB": "h100-sxm-96gb",
    "NVIDIA H200 NVL 141GB": "h200-nvl",
    "NVIDIA H200-NVL-141GB": "h200-nvl",
    "NVIDIA H200-SXM5-141GB": "h200-sxm",
    "NVIDIA RTX Pro 6000 SE PCIe 96GB": "rtx-pro-6000-se",
    "NVIDIA V100-SXM2-16GB (300W)": "v100-sxm2-16gb",
    "NVIDIA V100-SXM2-32GB": "v100-sxm2-32gb",
    "NVIDIA V100-SXM3-32GB (350W)": "v100-sxm3-32gb",
    "NVIDIA V100-SXM3-32GB (450W)": "v100-sxm3-32gb-h",
    "Nvidia Tesla V100": "v100",
    "Nvidia Tesla V100S-PCIe-32GB": "v100s-pcie",
    "Pre-released Intel® Xeon Scalable processor codenamed Cooper Lake-6": (
        "cpu-intel-xeon-cooper-lake"
    ),
    "TPU-trillium": "tpu-v6e",
    "TPU-v4": "tpu-v4",
    "TPU-v5e": "tpu-v5e",
    "TPU-v5p": "tpu-v5p",
    "Tesla V100-PCIe-32GB": "v100-pcie",
    "Tesla V100-SXM3-32GB-H": "v100-sxm3-32gb-h",
    "Tesla V100-SXM3-H-32GB": "v100-sxm3-32gb-h",
}
"""As the system files of MLPerf Training say them, v0.5 to v5.1, where no driver does."""


@pytest.mark.parametrize(("name", "hardware"), SUBMITTED.items())
def test_the_name_in_a_submission_is_known(name: str, hardware: str) -> None:
    """A run of any round has the accelerator that its system file names."""
    assert catalogue().called(name) == hardware


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
    assert catalogue().called(name) == ("h100" if name == "NVIDIA H100" else None)


WITHOUT_A_PEAK = {
    "mi350x",
    "mi355x",
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
    known = catalogue()
    named = {*NVIDIA.values(), *AMD.values(), *TPU.values()}

    def stated(hardware: str, quantity: str) -> bool:
        spec = known.spec(hardware, quantity)
        return spec is not None and spec.value is not None

    assert {each for each in named if not stated(each, "peak_fp32")} == WITHOUT_A_PEAK
    assert all(stated(each, "peak_tensor_fp16") for each in TPU.values())


def test_half_precision_of_a_card_with_matrix_units_is_not_that_of_its_other_units() -> None:
    """Else a run would be held against a quarter of what it can reach, and doubted."""
    known = catalogue()
    plain = {
        each
        for each in {*NVIDIA.values(), *AMD.values()}
        if known.spec(each, "peak_fp16") and not known.spec(each, "peak_tensor_fp16")
    }

    assert plain == {"gtx-1080-ti", "p100-pcie", "p100-sxm2", "p4", "p40"}
