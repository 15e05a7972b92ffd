"""What a machine can run: each thing that is missing is named with what to do."""

from pathlib import Path

import pytest

from kernels.backends.base import Device, Probe
from kernels.cli import doctor
from kernels.datasets import fetch
from kernels.harness import lock, worker
from kernels.records import Precision
from kernels.telemetry import sources
from kernels.telemetry.base import Absent
from kernels.workloads import WORKLOADS
from tests.kernels.telemetry.test_nvml import (
    Driver,
    NVMLError_LibraryNotFound,
    NVMLError_NotSupported,
)

CPU = Probe("torch", "9.9", (Device("cpu", None, None, (Precision.FP32, Precision.AMP_BF16)),))


def report(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, probe: Probe = CPU) -> doctor.Report:
    """Of a machine with that backend alone."""
    monkeypatch.setattr(
        worker,
        "probe",
        lambda name: (
            probe if name == probe.backend else Probe(name, None, missing="it is not installed")
        ),
    )
    return doctor.examine(tmp_path / "not" / "yet")


def test_what_can_run_is_told_with_its_precisions_and_data(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """For each workload, backend and device; an absent set with the command that fetches it."""
    found = report(monkeypatch, tmp_path)
    lines = list(doctor.lines(found))
    digits = next(ability for ability in found.abilities if ability.workload == "digits_cnn")

    assert found.able
    assert digits.backend == "torch"
    assert digits.device == "cpu"
    assert digits.precisions == ("fp32", "amp_bf16")
    assert digits.data == ("real",)
    assert {ability.workload for ability in found.abilities} == {
        name for name, plan in WORKLOADS.items() if "torch" in plan.backends
    }
    assert "jax         cannot run: it is not installed" in lines
    assert doctor.record(found)["able"] is True


def test_what_a_machine_lacks_is_the_first_thing_said(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Why there is no accelerator; a card that is too old; a format that is only emulated."""
    old = "cuda:0, NVIDIA GeForce GTX 1080 Ti, is older than PyTorch 9.9"
    slow = Device(
        "cpu", None, None, (Precision.FP32,), {Precision.BF16: 31.6, Precision.AMP_BF16: 31.6}
    )
    probe = Probe("torch", "9.9", (slow,), no_accelerator=old, unusable=(old,))

    lines = list(doctor.lines(report(monkeypatch, tmp_path, probe)))

    assert lines[0] == f"accelerator torch has none and measures on the CPU: {old}"
    assert f"torch       cannot use {old}" in lines
    assert "torch       9.9 on cpu: fp32" in lines
    assert (
        "torch       on cpu refused, as the processor has no arithmetic for it: "
        "bf16 (32 times as long as fp32), amp_bf16 (32 times as long as fp32)" in lines
    )
    assert not any("bf16" in line for line in lines if "can run" in line)


def test_absent_data_come_with_their_command() -> None:
    """And a folder of the user's own with its option."""
    states = dict.fromkeys(
        (plan.dataset for plan in WORKLOADS.values() if plan.dataset), fetch.State.ABSENT.value
    )
    absent = {ability.workload: ability.lacking for ability in doctor.abilities([CPU], states)}
    present = {
        a.workload: a
        for a in doctor.abilities([CPU], dict.fromkeys(states, fetch.State.PRESENT.value))
    }

    named = [name for name, plan in WORKLOADS.items() if plan.dataset]
    assert named and all(
        f"data fetch {WORKLOADS[name].dataset}" in (absent[name] or "") for name in named
    )
    assert all("real" in present[name].data for name in named)
    assert "--data-dir" in (absent["resnet50"] or "")


def test_a_machine_without_any_backend_is_not_able(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Exit status 1, and each workload says so."""
    found = report(monkeypatch, tmp_path, Probe("torch", None, missing="no torch"))

    assert not found.able and not found.abilities
    assert any(
        line.startswith("digits_cnn  cannot run: none of its backends can")
        for line in doctor.lines(found)
    )


def test_a_run_that_goes_on_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Who looks hears why a second run would be refused, and refuses none by looking."""
    with lock.held() as other:
        other.name("digits-cnn-other-1")
        monkeypatch.delattr(lock, "held")
        found = report(monkeypatch, tmp_path)

    assert found.measuring == ("digits-cnn-other-1",)
    assert report(monkeypatch, tmp_path).measuring == ()


def test_sensors_are_told_with_what_they_lack() -> None:
    """Cards one by one; without a driver one line says why."""
    cards = list(
        sources.sources(
            Driver({"nvmlDeviceGetFanSpeed": NVMLError_NotSupported}),
            others=[Absent("rapl", "no RAPL")],
        )
    )
    without = list(sources.sources(Driver({"nvmlInit": NVMLError_LibraryNotFound}), others=[]))

    assert [(source.source, source.device) for source in cards] == [
        ("nvml", number) for number in range(8)
    ] + [("rapl", None)]
    assert (
        dict(cards[0].missing) == {"fan": "NVML: Not Supported"}
        and "energy_j" in cards[0].quantities
    )
    assert not without[0].quantities and "no NVIDIA driver" in without[0].missing["power_w"]
