"""NVIDIA's cards, by a stand-in for the driver: what it refuses is left out with its reason."""

import importlib
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest

from kernels.telemetry import nvml
from kernels.telemetry.base import QUANTITIES, Sampler


class NVMLError(Exception):
    """What the driver refuses with."""

    def __str__(self) -> str:
        return "Not Supported" if type(self).__name__.endswith("NotSupported") else "Unknown Error"


class NVMLError_NotSupported(NVMLError):  # noqa: N801, N818 - the name that the real package gives it
    """The card has no such thing."""


class NVMLError_LibraryNotFound(NVMLError):  # noqa: N801, N818 - likewise
    """There is no driver."""


@dataclass
class Driver:
    """Cards that draw 300 W and 30 J more at each reading; what is named in `refuses` raises."""

    refuses: dict[str, type[NVMLError]] = field(default_factory=dict)
    energy_mj: int = 5_000_000
    asked: list[str] = field(default_factory=list)
    NVMLError: Any = NVMLError

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("nvml"):
            raise AttributeError(name)

        def call(*arguments: Any) -> Any:
            self.asked.append(name)
            if name in self.refuses:
                raise self.refuses[name]()
            return self.answer(name, *arguments)

        return call

    def answer(self, name: str, *arguments: Any) -> Any:
        """What the real functions return, in their units."""
        self.energy_mj += 30_000 if name == "nvmlDeviceGetTotalEnergyConsumption" else 0
        field_value = SimpleNamespace(nvmlReturn=0, value=SimpleNamespace(uiVal=71))
        answers = {
            "nvmlDeviceGetCount": 8,
            "nvmlDeviceGetHandleByIndex": arguments[0] if arguments else None,
            "nvmlDeviceGetHandleByUUID": 5,
            "nvmlDeviceGetIndex": arguments[0] if arguments else None,
            "nvmlDeviceGetPowerUsage": 300_000,
            "nvmlDeviceGetTotalEnergyConsumption": self.energy_mj,
            "nvmlDeviceGetTemperature": 64,
            "nvmlDeviceGetFieldValues": [field_value],
            "nvmlDeviceGetClockInfo": 1980 if arguments[1:] == (1,) else 2619,
            "nvmlDeviceGetUtilizationRates": SimpleNamespace(gpu=97, memory=41),
            "nvmlDeviceGetFanSpeed": 30,
            "nvmlDeviceGetMemoryInfo": SimpleNamespace(used=2**33),
            "nvmlDeviceGetCurrentClocksEventReasons": 0x24,
            "nvmlDeviceGetCurrentClocksThrottleReasons": 0x04,
        }
        return answers.get(name)


def one_card(driver: Driver) -> Sampler:
    """Its first card."""
    (card,) = nvml.cards(["0"], driver).values()
    return card


def test_a_card_tells_everything_in_si_units() -> None:
    """Each column has its reading; energy counts from the first one."""
    (card,) = nvml.cards(["3"], Driver()).values()

    card.read(0.0)
    found = card.read(0.1)

    assert set(found) == set(QUANTITIES) and not card.missing
    assert found["power_w"] == 300.0
    assert found["energy_j"] == 30.0
    assert found["clock_hz"] == 1.98e9
    assert found["memory_clock_hz"] == 2.619e9
    assert found["utilisation"] == 0.97
    assert found["memory_utilisation"] == 0.41
    assert found["fan"] == 0.3
    assert found["memory_bytes"] == 2**33
    assert found["temperature_c"] == 64.0
    assert found["memory_temperature_c"] == 71.0
    assert found["throttle_mask"] == 0x24


def test_what_a_card_does_not_support_is_asked_for_once() -> None:
    """No counter before Volta, no fan: null with the driver's words, the rest is read on."""
    driver = Driver(
        {
            "nvmlDeviceGetTotalEnergyConsumption": NVMLError_NotSupported,
            "nvmlDeviceGetFanSpeed": NVMLError_NotSupported,
        }
    )
    card = one_card(driver)

    found = [card.read(tick / 10) for tick in range(3)]

    assert card.missing == {"energy_j": "NVML: Not Supported", "fan": "NVML: Not Supported"}
    assert all("energy_j" not in each and each["power_w"] == 300.0 for each in found)
    assert driver.asked.count("nvmlDeviceGetFanSpeed") == 1


def test_a_passing_error_costs_one_reading() -> None:
    """The next one is there again, and nothing is called missing then."""
    driver = Driver({"nvmlDeviceGetPowerUsage": NVMLError})
    card = one_card(driver)

    before = card.read(0.0)
    driver.refuses.clear()
    after = card.read(0.1)

    assert "power_w" not in before and after["power_w"] == 300.0 and not card.missing


def test_a_counter_that_was_set_back_is_lost() -> None:
    """Energy stops with its reason; it never falls and never jumps."""
    driver = Driver()
    card = one_card(driver)
    card.read(0.0)
    driver.energy_mj = 0

    found = card.read(0.1)

    assert "energy_j" not in found and "set back" in card.missing["energy_j"]
    assert "energy_j" not in card.read(0.2)


@pytest.mark.parametrize(
    "spelling",
    ["nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"],
)
def test_reasons_for_a_lowered_clock_are_read_in_either_spelling(spelling: str) -> None:
    """Older drivers know the one, newer the other."""
    other = {
        "nvmlDeviceGetCurrentClocksEventReasons",
        "nvmlDeviceGetCurrentClocksThrottleReasons",
    } - {spelling}
    card = one_card(Driver(dict.fromkeys(other, NVMLError_NotSupported)))

    assert card.read(0.0)["throttle_mask"] in {0x24, 0x04} and "throttle_mask" not in card.missing


def test_without_a_driver_every_quantity_has_the_reason() -> None:
    """`nvidia-ml-py` imports without one and then finds no library."""
    card = one_card(Driver({"nvmlInit": NVMLError_LibraryNotFound}))

    assert card.read(0.0) == {}
    assert set(card.missing) == set(QUANTITIES)
    assert card.missing["power_w"] == "no NVIDIA driver on this machine (NVML: library not found)"


def test_without_the_package_the_reason_says_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is an extra of its own."""
    monkeypatch.setattr(importlib, "import_module", _absent)

    assert nvml.load() == (
        None,
        "the Python package nvidia-ml-py is not installed: pip install -e .[nvml]",
    )


def _absent(name: str) -> None:
    raise ImportError(name)


def test_cards_have_the_numbers_of_the_machine() -> None:
    """A UUID is card 5 here; a card that does not open keeps its place with the reason."""
    found = nvml.cards(["7", "GPU-x"], Driver())
    refused = nvml.cards(["7"], Driver({"nvmlDeviceGetHandleByIndex": NVMLError_NotSupported}))

    assert list(found) == [7, 5]
    assert "does not open the card" in refused[0].missing["power_w"]
