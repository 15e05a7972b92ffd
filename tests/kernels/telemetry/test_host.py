"""Processors and memory, by a stand-in for psutil."""

from types import SimpleNamespace
from typing import Any

import psutil
import pytest

from kernels.telemetry.host import Host


class Machine:
    """Two processors, one of them busy; clock and thermometer where they are given."""

    def __init__(self, frequency: Any = None, sensors: Any = None) -> None:
        self.frequency = frequency
        self.sensors = sensors or {}
        self.seconds = 0.0
        self.asked = 0

    def cpu_times(self) -> Any:
        """Half busy; a guest's time stands twice, as Linux has it."""
        self.seconds += 0.1
        return SimpleNamespace(
            user=self.seconds,
            guest=self.seconds,
            nice=0.0,
            system=0.0,
            idle=self.seconds * 0.75,
            iowait=self.seconds / 4,
        )

    def virtual_memory(self) -> Any:
        """16 of 64 in use."""
        return SimpleNamespace(total=64, available=48)

    def cpu_freq(self) -> Any:
        """As it was given."""
        self.asked += 1
        return self.frequency

    def sensors_temperatures(self) -> Any:
        """As they were given."""
        return self.sensors


def test_a_machine_that_tells_is_read() -> None:
    """Load since the reading before, memory in use, clock, and the hottest package."""
    chip = [
        SimpleNamespace(label=label, current=value)
        for label, value in (("Package id 0", 60.0), ("Core 0", 75.0), ("Package id 1", 62.0))
    ]
    host = Host(
        Machine(
            SimpleNamespace(current=3100.0, min=800.0, max=3500.0), {"coretemp": chip, "nvme": chip}
        )
    )

    assert host.read(0.0) == {
        "memory_bytes": 16,
        "utilisation": pytest.approx(0.5),
        "clock_hz": 3.1e9,
        "temperature_c": 62.0,
    }
    assert not host.missing


def test_a_clock_without_limits_is_no_reading() -> None:
    """A virtual machine: one clock, lowest and highest 0, no thermometer."""
    host = Host(Machine(SimpleNamespace(current=2596.0, min=0.0, max=0.0)))

    assert set(host.read(0.0)) == {"memory_bytes", "utilisation"}
    assert set(host.missing) == {"clock_hz", "temperature_c"}


def test_what_is_dear_is_read_once_a_second() -> None:
    """A clock costs a file for each core."""
    machine = Machine(SimpleNamespace(current=3100.0, min=800.0, max=3500.0))
    host = Host(machine)
    before = machine.asked

    found = [host.read(tick / 10) for tick in range(25)]

    assert machine.asked - before == 3
    assert sum("clock_hz" in each for each in found) == 3


def test_this_machine_can_be_read() -> None:
    """Whatever it is: memory in use is less than all of it."""
    found = Host().read(0.0)

    assert 0 < found["memory_bytes"] < psutil.virtual_memory().total
