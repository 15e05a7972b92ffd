"""A processor's energy counters, from folders made like the kernel's."""

from pathlib import Path

import pytest

from kernels.telemetry import rapl
from kernels.telemetry.rapl import Rapl

RANGE_UJ = 262_143_328_850


def package(root: Path, number: int, energy_uj: int, name: str | None = None) -> Path:
    """One domain as the kernel shows it; returns its counter."""
    place = root / f"intel-rapl:{number}"
    place.mkdir(parents=True)
    (place / "name").write_text(f"{name or f'package-{number}'}\n")
    (place / "max_energy_range_uj").write_text(f"{RANGE_UJ}\n")
    (place / "energy_uj").write_text(f"{energy_uj}\n")
    return place / "energy_uj"


def test_packages_are_added_and_the_rest_is_not(tmp_path: Path) -> None:
    """Two sockets; the board (`psys`) and the memory below a package are other things."""
    first, second = package(tmp_path, 0, 1_000_000), package(tmp_path, 1, 7_000_000)
    board = package(tmp_path, 2, 0, "psys")
    package(tmp_path / "intel-rapl:0", 0, 5, "dram")
    meter = Rapl(tmp_path)

    before = meter.read(0.0)
    for path, energy in ((first, 4_000_000), (second, 9_000_000), (board, 10**9)):
        path.write_text(str(energy))
    after = meter.read(0.5)

    assert before == {"energy_j": 0.0}
    assert after == {"energy_j": 5.0, "power_w": 10.0}
    assert not meter.missing


def test_a_counter_that_wraps_around_goes_on(tmp_path: Path) -> None:
    """From 1 J below its range to 2 J: 3 J more, and neither a fall nor a leap."""
    path = package(tmp_path, 0, RANGE_UJ - 1_000_000)
    meter = Rapl(tmp_path)
    meter.read(0.0)

    path.write_text("2000000")
    found = meter.read(0.1)

    assert found["energy_j"] == pytest.approx(3.0)
    assert found["power_w"] == pytest.approx(30.0)


def test_a_counter_that_was_set_back_is_lost_and_no_leap(tmp_path: Path) -> None:
    """Half its range within a tenth of a second is no power."""
    path = package(tmp_path, 0, RANGE_UJ // 2)
    meter = Rapl(tmp_path)
    meter.read(0.0)

    path.write_text("0")

    assert meter.read(0.1) == {}
    assert "set back" in meter.missing["energy_j"]


def test_a_counter_that_vanishes_is_lost_with_its_reason(tmp_path: Path) -> None:
    """What was read stays; from then on there is nothing, not 0."""
    path = package(tmp_path, 0, 5)
    meter = Rapl(tmp_path)
    meter.read(0.0)

    path.unlink()

    assert meter.read(0.1) == {} == meter.read(0.2)
    assert meter.missing == dict.fromkeys(
        ("power_w", "energy_j"), "RAPL's counter is gone: the kernel took its folder away"
    )


def test_counters_of_root_alone_say_what_to_do(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Permission denied is what an ordinary user gets."""
    package(tmp_path, 0, 5)
    read = rapl._must

    def refused(path: Path) -> str:
        if path.name == "energy_uj":
            raise PermissionError(13, "Permission denied")
        return read(path)

    monkeypatch.setattr(rapl, "_must", refused)
    meter = Rapl(tmp_path)

    assert meter.read(0.0) == {}
    assert "sudo chmod a+r" in meter.missing["energy_j"]


def test_a_machine_without_rapl_says_so(tmp_path: Path) -> None:
    """No folder, or one without a package."""
    assert "no RAPL" in Rapl(tmp_path / "absent").missing["power_w"]
    package(tmp_path, 0, 5, "psys")
    assert "no RAPL" in Rapl(tmp_path).missing["power_w"]
