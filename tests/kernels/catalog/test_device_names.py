"""Accelerators are known by their drivers' names; a part of one is not taken for it."""

import csv
from pathlib import Path

import pytest

from kernels.backends.base import Device, Probe
from kernels.harness import jobs
from kernels.records import Precision
from tests.kernels.own_runs import a_request
from tests.makers import catalogue

_TABLE = Path(__file__).with_name("device_names.csv").read_text(encoding="utf-8")
NAMES = [*csv.reader(_TABLE.splitlines())][1:]
"""Who says it, what it says, and the accelerator: drivers of NVIDIA (`nvidia-smi` and CUDA, before
470 without the maker), of AMD (`rocm-smi` and HIP), JAX of TPUs in `device_kind`, and the system
files of MLPerf Training, v0.5 to v5.1, where no driver does.
"""

NVIDIA, AMD, TPU, SUBMITTED = (
    {name: hardware for by, name, hardware in NAMES if by == who}
    for who in ("nvidia", "amd", "tpu", "mlperf")
)


@pytest.mark.parametrize(("name", "hardware"), [*NVIDIA.items(), *AMD.items(), *TPU.items()])
def test_the_name_of_a_driver_is_known(name: str, hardware: str) -> None:
    """A run has the catalogue's accelerator, with peak and prices, and no id made up for it."""
    card = Device("cuda:0", name, 2**34, (Precision.FP32,))

    where = jobs.place(
        a_request(), Probe("torch", "9.9", (Device("cpu", None, None, ()), card)), catalogue()
    )

    assert where.accelerator == hardware


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
    "mi350x", "mi355x", "a10g", "tpu-v3", "tpu-v4", "tpu-v5e", "tpu-v5p", "tpu-v6e",
}  # fmt: skip
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
